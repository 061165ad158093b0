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
            'Raise'    { $answer = [RalphKeys]::Raise($First) }
            'Idle'     { $answer = [RalphKeys]::Idle() }
            'Get'      { $answer = Get-RalphClipboard }
            'Set'      { $answer = Set-RalphClipboard (ConvertFrom-Ralph $First) }
            'Press'    { $answer = [RalphKeys]::Press($First, $Second, $Third) }
            default    { throw "there is no request $Request" }
        }
        [Console]::Out.WriteLine("ralph $Number ok $answer")
    } catch {
        [Console]::Out.WriteLine("ralph $Number no $(ConvertTo-Ralph $_.Exception.Message)")
    }
}

function ConvertTo-Ralph([string]$Text) {
    [Convert]::ToBase64String([Text.Encoding]::Unicode.GetBytes($Text))
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

# What the clipboard holds: the names of its formats and its text, both as Base64, parted by ";".
function Get-RalphClipboard {
    $data = [System.Windows.Forms.Clipboard]::GetDataObject()
    $types = ''
    $text = ''
    if ($null -ne $data) { $types = @($data.GetFormats($false)) -join "`n" }
    if ([System.Windows.Forms.Clipboard]::ContainsText()) { $text = [System.Windows.Forms.Clipboard]::GetText() }
    (ConvertTo-Ralph $types) + ';' + (ConvertTo-Ralph $text)
}

function Set-RalphClipboard([string]$Text) {
    if ($Text -eq '') { [System.Windows.Forms.Clipboard]::Clear() } else { [System.Windows.Forms.Clipboard]::SetDataObject($Text, $true, 10, 50) }
    'set'
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
    [DllImport("user32.dll")] static extern void mouse_event(uint flags, uint x, uint y, uint data, UIntPtr extra);
    [DllImport("user32.dll", CharSet = CharSet.Unicode)] static extern int GetClassName(IntPtr window, StringBuilder name, int size);
    [DllImport("user32.dll", CharSet = CharSet.Unicode)] static extern int InternalGetWindowText(IntPtr window, StringBuilder title, int size);

    // "window process program title" of each window of the editor, parted by ";".
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
        return window.ToInt64() + " " + process + " " + Base64(Executable(process)) + " " + Base64(Title(window));
    }

    static string Base64(string text) { return Convert.ToBase64String(Encoding.Unicode.GetBytes(text)); }

    // The window that has the focus, whoever's it is.
    public static string Front()
    {
        uint process;
        IntPtr front = GetForegroundWindow();
        if (front == IntPtr.Zero) { return "none"; }
        GetWindowThreadProcessId(front, out process);
        return Words(front, process);
    }

    static string Executable(uint process)
    {
        try { return Process.GetProcessById((int)process).ProcessName.ToLowerInvariant(); }
        catch (Exception) { return ""; } // it has ended
    }

    static bool InFront(string window, string process)
    {
        uint owner;
        IntPtr front = GetForegroundWindow();
        GetWindowThreadProcessId(front, out owner);
        return front == new IntPtr(long.Parse(window)) && owner == uint.Parse(process);
    }

    // Windows grants the focus to the program that got the last input, so an empty
    // movement of the mouse is sent first: it is input, and it does nothing.
    public static bool Raise(string window)
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
    public static string Press(string window, string process, string keys)
    {
        if (Held()) { return "held"; }
        if (!InFront(window, process)) { return "lost"; }
        SendKeys.SendWait(keys);
        return "pressed";
    }
}
'@
    'loaded'
}
