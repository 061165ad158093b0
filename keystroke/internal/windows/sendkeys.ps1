# What cursor-ralph has Windows PowerShell do to type one line into Cursor.
#
# The text of this file comes first, in one line. After it each line that is read
# is a call of Ralph, and answered with one line. Words that could hold
# anything, such as titles, travel as Base64 in both directions.

Set-StrictMode -Version 2
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'

# One of the requests below, answered with "ralph NUMBER ok ..." or "ralph NUMBER no ...".
function Ralph([string]$Number, [string]$Request, [string]$First, [string]$Second, [string]$Third) {
    try {
        switch ($Request) {
            'Editors'  { $answer = Get-RalphEditors $First }
            'Load'     { $answer = Add-RalphKeys }
            'Front'    { $answer = [RalphKeys]::Front() }
            'Windows'  { $answer = [RalphKeys]::Windows((ConvertFrom-Ralph $First)) }
            'Focused'  { $answer = [RalphKeys]::InFront($First, $Second) }
            'Activate' { $answer = [RalphKeys]::Activate($First) }
            'Idle'     { $answer = [RalphKeys]::Idle() }
            'Put'      { $answer = Set-RalphLine (ConvertFrom-Ralph $First) }
            'Restore'  { $answer = Restore-RalphClipboard }
            'Type'     { $answer = [RalphKeys]::Type($First, $Second, $Third) }
            'Press'    { $answer = [RalphKeys]::Press($First, $Second, $Third) }
            default    { throw "there is no request $Request" }
        }
        [Console]::Out.WriteLine("ralph $Number ok $answer")
    } catch {
        $words = [Convert]::ToBase64String([Text.Encoding]::Unicode.GetBytes($_.Exception.Message))
        [Console]::Out.WriteLine("ralph $Number no $words")
    }
}

function ConvertFrom-Ralph([string]$Word) {
    [Text.Encoding]::Unicode.GetString([Convert]::FromBase64String($Word))
}

# How many processes of the editor have a window.
function Get-RalphEditors([string]$Names) {
    $editors = (ConvertFrom-Ralph $Names).Split(',')
    $found = @(Get-Process | Where-Object {
        ($editors -contains $_.ProcessName.ToLowerInvariant()) -and ($_.MainWindowHandle -ne 0)
    })
    $found.Count
}

# By these names the text of a clipboard stays out of its history and the cloud.
# The last two have a number, where 0 is no.
# Source: Microsoft, "Clipboard Formats", cloud clipboard and clipboard history formats.
$global:RalphPrivate = 'ExcludeClipboardContentFromMonitorProcessing', 'CanIncludeInClipboardHistory', 'CanUploadToCloudClipboard'

# Whether a clipboard is marked so, as password managers do.
function Test-RalphSecret($Data) {
    if ($Data.GetDataPresent($global:RalphPrivate[0])) { return $true }
    foreach ($name in $global:RalphPrivate[1, 2]) {
        if (-not $Data.GetDataPresent($name)) { continue }
        $value = $Data.GetData($name)
        if (($value -is [System.IO.MemoryStream]) -and ($value.Length -ge 4) -and ([BitConverter]::ToInt32($value.ToArray(), 0) -eq 0)) { return $true }
    }
    $false
}

# Keeps the text of the clipboard, and answers whether there was more. A password is not kept: it would come back without its mark.
function Set-RalphLine([string]$Line) {
    $global:RalphLine = $Line
    $global:RalphOld = ''
    $texts = @('UnicodeText', 'Text', 'OEMText', 'Locale', 'System.String') + $global:RalphPrivate
    $more = $false
    $secret = $false
    $data = [System.Windows.Forms.Clipboard]::GetDataObject()
    if ($null -ne $data) {
        $more = @($data.GetFormats($false) | Where-Object { $texts -notcontains $_ }).Count -gt 0
        $secret = Test-RalphSecret $data
    }
    if ((-not $secret) -and [System.Windows.Forms.Clipboard]::ContainsText()) {
        $global:RalphOld = [System.Windows.Forms.Clipboard]::GetText()
    }
    Set-RalphClipboard $Line $global:RalphPrivate
    if ($secret) { 'secret' } elseif (-not $more) { 'all' } elseif ($global:RalphOld -ne '') { 'text' } else { 'nothing' }
}

# What somebody has copied meanwhile stays.
function Restore-RalphClipboard {
    if ([System.Windows.Forms.Clipboard]::GetText() -cne $global:RalphLine) { return 'kept' }
    if ($global:RalphOld -eq '') { [System.Windows.Forms.Clipboard]::Clear() } else { Set-RalphClipboard $global:RalphOld @() }
    'restored'
}

function Set-RalphClipboard([string]$Text, [string[]]$Names) {
    $data = New-Object System.Windows.Forms.DataObject
    $data.SetText($Text)
    foreach ($name in $Names) {
        $data.SetData($name, [System.IO.MemoryStream]::new([byte[]](0, 0, 0, 0)))
    }
    [System.Windows.Forms.Clipboard]::SetDataObject($data, $true, 10, 50)
}

function Add-RalphKeys {
    Add-Type -AssemblyName System.Windows.Forms
    Add-Type -ReferencedAssemblies System.Windows.Forms -TypeDefinition @'
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Text;
using System.Windows.Forms;

public static class RalphKeys
{
    delegate bool Each(IntPtr window, IntPtr unused);

    [StructLayout(LayoutKind.Sequential)]
    struct LastInput { public uint Size; public uint Time; }

    [DllImport("user32.dll")] static extern bool EnumWindows(Each each, IntPtr unused);
    [DllImport("user32.dll")] static extern bool IsWindowVisible(IntPtr window);
    [DllImport("user32.dll")] static extern bool IsIconic(IntPtr window);
    [DllImport("user32.dll")] static extern bool ShowWindowAsync(IntPtr window, int how);
    [DllImport("user32.dll")] static extern IntPtr GetWindow(IntPtr window, uint which);
    [DllImport("user32.dll")] static extern IntPtr GetForegroundWindow();
    [DllImport("user32.dll")] static extern bool SetForegroundWindow(IntPtr window);
    [DllImport("user32.dll")] static extern uint GetWindowThreadProcessId(IntPtr window, out uint process);
    [DllImport("user32.dll")] static extern bool GetLastInputInfo(ref LastInput last);
    [DllImport("user32.dll")] static extern short GetAsyncKeyState(int key);
    [DllImport("user32.dll")] static extern uint MapVirtualKey(uint key, uint how);
    [DllImport("user32.dll")] static extern void keybd_event(byte key, byte scan, uint flags, UIntPtr extra);
    [DllImport("user32.dll")] static extern void mouse_event(uint flags, uint x, uint y, uint data, UIntPtr extra);
    [DllImport("user32.dll", CharSet = CharSet.Unicode)] static extern int GetClassName(IntPtr window, StringBuilder name, int size);
    [DllImport("user32.dll", CharSet = CharSet.Unicode)] static extern int InternalGetWindowText(IntPtr window, StringBuilder title, int size);

    // "window process title" of each window of the editor, parted by ";".
    public static string Windows(string editors)
    {
        var names = new List<string>(editors.Split(','));
        var found = new List<string>();
        EnumWindows(delegate(IntPtr window, IntPtr unused)
        {
            var name = new StringBuilder(256);
            uint process;
            GetWindowThreadProcessId(window, out process);
            GetClassName(window, name, name.Capacity);
            bool shown = IsWindowVisible(window) && GetWindow(window, 4) == IntPtr.Zero && Title(window) != "";
            if (shown && name.ToString().StartsWith("Chrome_WidgetWin_", StringComparison.Ordinal) && names.Contains(Executable(process)))
            {
                found.Add(Words(window, process));
            }
            return true;
        }, IntPtr.Zero);
        return string.Join(";", found.ToArray());
    }

    static string Title(IntPtr window)
    {
        var title = new StringBuilder(512);
        InternalGetWindowText(window, title, title.Capacity);
        return title.ToString();
    }

    static string Words(IntPtr window, uint process)
    {
        return window.ToInt64() + " " + process + " " + Convert.ToBase64String(Encoding.Unicode.GetBytes(Title(window)));
    }

    // The window that has the focus, whoever's it is.
    public static string Front()
    {
        uint process;
        IntPtr front = GetForegroundWindow();
        if (front == IntPtr.Zero) { throw new InvalidOperationException("no window has the focus"); }
        GetWindowThreadProcessId(front, out process);
        return Words(front, process);
    }

    static string Executable(uint process)
    {
        try { return Process.GetProcessById((int)process).ProcessName.ToLowerInvariant(); }
        catch (Exception) { return ""; } // it has ended
    }

    public static bool InFront(string window, string process)
    {
        uint owner;
        IntPtr front = GetForegroundWindow();
        GetWindowThreadProcessId(front, out owner);
        return front == new IntPtr(long.Parse(window)) && owner == uint.Parse(process);
    }

    // Windows grants the focus to the program that got the last input, so an empty
    // movement of the mouse is sent first: it is input, and it does nothing.
    public static bool Activate(string window)
    {
        IntPtr it = new IntPtr(long.Parse(window));
        if (IsIconic(it)) { ShowWindowAsync(it, 9); }
        mouse_event(1, 0, 0, 0, UIntPtr.Zero);
        return SetForegroundWindow(it);
    }

    public static uint Idle()
    {
        var last = new LastInput();
        last.Size = 8;
        if (!GetLastInputInfo(ref last)) { throw new InvalidOperationException("GetLastInputInfo"); }
        return unchecked((uint)Environment.TickCount - last.Time);
    }

    // Shift, Ctrl, Alt and the Windows keys: held they change our chord.
    static bool Held()
    {
        foreach (int key in new int[] { 0x10, 0x11, 0x12, 0x5B, 0x5C })
        {
            if ((GetAsyncKeyState(key) & 0x8000) != 0) { return true; }
        }
        return false;
    }

    // Keys as SendKeys writes them, if the window has the focus.
    public static string Type(string window, string process, string keys)
    {
        if (Held()) { return "held"; }
        if (!InFront(window, process)) { return "lost"; }
        SendKeys.SendWait(keys);
        return "pressed";
    }

    // A chord by virtual keys, such as "17,73": SendKeys would look for a letter on
    // the layout, where it may be missing.
    public static string Press(string window, string process, string keys)
    {
        byte[] codes = Array.ConvertAll(keys.Split(','), byte.Parse);
        if (Held()) { return "held"; }
        if (!InFront(window, process)) { return "lost"; }
        foreach (byte code in codes) { keybd_event(code, (byte)MapVirtualKey(code, 0), 0, UIntPtr.Zero); }
        Array.Reverse(codes);
        foreach (byte code in codes) { keybd_event(code, (byte)MapVirtualKey(code, 0), 2, UIntPtr.Zero); }
        return "pressed";
    }
}
'@
    'loaded'
}
