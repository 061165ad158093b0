<#
.SYNOPSIS
Installs cursor-ralph for you, without an administrator, and tells Cursor about it.

.DESCRIPTION
From an unpacked release it installs the programs beside it, from a clone it builds them, which needs Go. Nothing is
downloaded without -Download, but for the modules that Go needs to build.

.PARAMETER Archive
A release's .zip; checked against checksums.txt beside it, if that is there.
.PARAMETER Download
The latest release, checked against its checksums.txt.
.PARAMETER Version
With -Download: that release.
.PARAMETER Prefix
Where to. The default is the folder cursor-ralph of your local programs.
.PARAMETER NoCursor
The programs only; later: cursor-ralph install
.PARAMETER Uninstall
Take all out again, from Cursor too.
.PARAMETER InstallOptions
Options of cursor-ralph install, for example: -InstallOptions '--host=claude'
#>
param(
    [string]$Archive = '',
    [switch]$Download,
    [string]$Version = '',
    [string]$Prefix = '',
    [switch]$NoCursor,
    [switch]$Uninstall,
    [string[]]$InstallOptions = @()
)

# Everything is in one function, called on the last line: a download that was cut short does nothing, and a script that
# is piped into iex does not change the preferences of the user's session.
function Install-CursorRalph {
    $ErrorActionPreference = 'Stop'
    $Module = 'github.com/cursor-ralph/cursor-ralph'
    $Releases = "https://$Module/releases"
    $Required = @('cursor-ralph.exe', 'cursor-ralph-hook.exe')
    $Programs = $Required + 'cursor-ralph-robotgo.exe'
    # The folder of this file, empty if the script came through a pipe: the current folder may hold anybody's programs.
    $Here = ''
    if ($PSCommandPath -and (Split-Path -Leaf $PSCommandPath) -eq 'install.ps1') { $Here = $PSScriptRoot }
    if (-not $Prefix) { $Prefix = Join-Path $env:LOCALAPPDATA 'Programs\cursor-ralph' }

    function Say([string]$Text) { Write-Host "install.ps1: $Text" }

    # It throws: exit would close the window of a user who pipes the script into iex.
    function Stop-Here([string]$What, [string]$Hint) {
        if ($Hint) { $What += "`ninstall.ps1: hint: $Hint" }
        throw "install.ps1: $What"
    }

    # All that we install has our name in it.
    function Test-Ours([string]$Path) {
        $Item = Get-Item -LiteralPath $Path -Force
        if ($Item.PSIsContainer -or $Item.LinkType) { return $false }
        $Text = [Text.Encoding]::ASCII.GetString([IO.File]::ReadAllBytes($Path))
        return $Text.Contains($Module)
    }

    function Confirm-Checksum([string]$Path, [string]$Name, [string]$Sums, [string]$Origin) {
        $Want = ''
        foreach ($Line in Get-Content -LiteralPath $Sums) {
            $Words = $Line -split '\s+', 2
            if ($Words.Count -eq 2 -and $Words[1].TrimStart('*') -eq $Name) { $Want = $Words[0] }
        }
        if (-not $Want) { Stop-Here "$Sums has no checksum of $Name" }
        $Got = (Get-FileHash -LiteralPath $Path -Algorithm SHA256).Hash
        if ($Got -ne $Want) {
            Stop-Here "$Path is not what was released: its checksum is $Got, not $Want" 'get it again; if that does not help, tell the project'
        }
        Say "$Name is whole: it has the checksum in $Sums$Origin"
    }

    function Expand-Release([string]$Path, [string]$To) {
        Expand-Archive -LiteralPath $Path -DestinationPath $To
        $Hook = Get-ChildItem -LiteralPath $To -Recurse -Filter 'cursor-ralph-hook.exe' | Select-Object -First 1
        if (-not $Hook) { Stop-Here "$Path has no cursor-ralph-hook.exe in it" 'give the .zip of a release' }
        return $Hook.DirectoryName
    }

    function Receive-File([string]$Url, [string]$To) {
        Say "downloading $Url"
        Invoke-WebRequest -UseBasicParsing -Uri $Url -OutFile $To
    }

    function Get-Release([string]$Folder) {
        $Arch = 'amd64'
        if ($env:PROCESSOR_ARCHITECTURE -eq 'ARM64') { $Arch = 'arm64' }
        $From = "$Releases/latest/download"
        if ($Version) { $From = "$Releases/download/v" + $Version.TrimStart('v') }
        $Sums = Join-Path $Folder 'checksums.txt'
        Receive-File "$From/checksums.txt" $Sums
        $Name = Get-Content -LiteralPath $Sums | ForEach-Object { ($_ -split '\s+', 2)[1] } |
            Where-Object { $_ -like "cursor-ralph_*_windows_$Arch.zip" } | Select-Object -First 1
        if (-not $Name) { Stop-Here "$From has nothing for Windows on $Arch" }
        $Path = Join-Path $Folder $Name
        Receive-File "$From/$Name" $Path
        Confirm-Checksum $Path $Name $Sums ', which came from the same place and does not prove who made it'
        return Expand-Release $Path (Join-Path $Folder 'release')
    }

    # PATH without the folders that depend on the current one, where anybody's programs may lie.
    function Find-Program([string]$Name) {
        foreach ($Folder in $env:Path -split ';') {
            if ($Folder -notmatch '^([A-Za-z]:[\\/]|\\\\)') { continue }
            $Path = Join-Path $Folder $Name
            if (Test-Path -LiteralPath $Path -PathType Leaf) { return $Path }
        }
    }

    function Build-Clone([string]$Clone, [string]$To) {
        $Go = Find-Program 'go.exe'
        if (-not $Go) {
            Stop-Here 'Go is missing, which a clone is built with' 'see https://go.dev/doc/install, or use -Download or -Archive'
        }
        Say "building, with $(& $Go version)"
        $Cgo = $env:CGO_ENABLED
        $env:CGO_ENABLED = '0'
        Push-Location -LiteralPath $Clone
        try { & $Go build -trimpath -o "$To\" ./cmd/cursor-ralph ./cmd/cursor-ralph-hook } finally { Pop-Location; $env:CGO_ENABLED = $Cgo }
        if ($LASTEXITCODE -ne 0) { Stop-Here 'it does not build' }
        Say 'without cursor-ralph-robotgo, which needs a C compiler: there are other ways of typing'
    }

    # A folder at the top of a disk is one that all users may write. A profile is its user's.
    function New-ProgramFolder([string]$Path) {
        if (Test-Path -LiteralPath $Path) { return }
        New-Item -ItemType Directory -Path $Path | Out-Null
        if ($Path.StartsWith($env:USERPROFILE, [StringComparison]::OrdinalIgnoreCase)) { return }
        $Me = [Security.Principal.WindowsIdentity]::GetCurrent().User.Value
        & "$env:SystemRoot\System32\icacls.exe" $Path /inheritance:r /grant:r "*${Me}:(OI)(CI)F" '*S-1-5-18:(OI)(CI)F' '*S-1-5-32-544:(OI)(CI)F' | Out-Null
        if ($LASTEXITCODE -ne 0) { Stop-Here "$Path cannot be closed to other users" 'use another -Prefix' }
    }

    # A program that runs can be renamed, not overwritten.
    function Install-Program([string]$From, [string]$To) {
        if (Test-Path -LiteralPath $To) {
            $Old = "$To.old"
            if (Test-Path -LiteralPath $Old) { Remove-Item -LiteralPath $Old -Force }
            Move-Item -LiteralPath $To -Destination $Old
        }
        Copy-Item -LiteralPath $From -Destination $To
        if (Test-Path -LiteralPath "$To.old") { Remove-Item -LiteralPath "$To.old" -Force -ErrorAction SilentlyContinue }
    }

    $Bin = Join-Path $Prefix 'bin'
    $Program = Join-Path $Bin 'cursor-ralph.exe'

    # Cursor first: its hooks must not name a program that is gone.
    if ($Uninstall) {
        if (-not (Test-Path -LiteralPath $Program)) { Stop-Here "nothing is installed in $Prefix" 'name the folder with -Prefix' }
        & $Program uninstall
        if ($LASTEXITCODE -ne 0) { Stop-Here 'cursor-ralph uninstall failed, so the programs stay' 'do what it says, then run this again' }
        foreach ($Name in $Programs) {
            $Path = Join-Path $Bin $Name
            if ((Test-Path -LiteralPath $Path) -and (Test-Ours $Path)) {
                Remove-Item -LiteralPath $Path -Force
                Say "removed $Path"
            }
        }
        Say 'loops and their records are left'
        return
    }

    if ($Archive -and $Download) { Stop-Here '-Archive and -Download exclude each other' }
    $Scratch = Join-Path ([IO.Path]::GetTempPath()) ('cursor-ralph-' + [Guid]::NewGuid())
    New-Item -ItemType Directory -Path $Scratch | Out-Null
    try {
        $Source = $Here
        if ($Download) {
            $Source = Get-Release $Scratch
        } elseif ($Archive) {
            $Sums = Join-Path (Split-Path -Parent (Resolve-Path -LiteralPath $Archive)) 'checksums.txt'
            if (Test-Path -LiteralPath $Sums) {
                Confirm-Checksum $Archive (Split-Path -Leaf $Archive) $Sums
            } else {
                Say "not verified: there is no $Sums"
            }
            $Source = Expand-Release $Archive (Join-Path $Scratch 'release')
        } elseif (-not $Here) {
            Stop-Here 'there is nothing to install beside a script that comes through a pipe' 'use -Download or -Archive FILE'
        } elseif (Test-Path -LiteralPath (Join-Path $Here 'cursor-ralph-hook.exe')) {
            Say "installing the release in $Here"
        } elseif (Test-Path -LiteralPath (Join-Path $Here 'go.mod')) {
            $Source = Join-Path $Scratch 'built'
            New-Item -ItemType Directory -Path $Source | Out-Null
            Build-Clone $Here $Source
        } else {
            Stop-Here "there is neither a clone nor a release in $Here" 'use -Download or -Archive FILE'
        }
        foreach ($Name in $Required) {
            if (-not (Test-Path -LiteralPath (Join-Path $Source $Name))) { Stop-Here "there is no $Name in it" }
        }
        $Present = @($Programs | Where-Object { Test-Path -LiteralPath (Join-Path $Source $_) })
        # Look before anything is written.
        foreach ($Name in $Present) {
            $To = Join-Path $Bin $Name
            if ((Test-Path -LiteralPath $To) -and -not (Test-Ours $To)) {
                Stop-Here "$To is there and not ours; nothing was changed" 'move it away, or use another -Prefix'
            }
        }
        New-ProgramFolder $Bin
        foreach ($Name in $Present) { Install-Program (Join-Path $Source $Name) (Join-Path $Bin $Name) }
        Say "installed $(& $Program version) into ${Bin}: $($Present -join ' ')"
    } finally {
        Remove-Item -LiteralPath $Scratch -Recurse -Force -ErrorAction SilentlyContinue
    }

    if ($NoCursor) {
        Say "now tell Cursor about it: & '$Program' install"
    } else {
        & $Program install @InstallOptions
        if ($LASTEXITCODE -ne 0) { Stop-Here 'the programs are installed, but Cursor was not told' "do what it says, then: & '$Program' install" }
    }
    if (-not (($env:Path -split ';') -contains $Bin)) {
        Say "put $Bin on your PATH, so that you and the agent's shell find cursor-ralph"
    }
}

Install-CursorRalph
