#!/bin/sh
# install.sh: installs cursor-ralph for you, without root, and tells Cursor about it. `sh install.sh --help` says how.
# It builds what it installs from the clone that it lies in, or takes it from a release.
set -eu

module=github.com/cursor-ralph/cursor-ralph
releases=https://$module/releases

usage() {
  cat <<END
usage: install.sh [options] [-- options of cursor-ralph install]

From an unpacked release it installs the programs beside it, from a clone it builds them, which needs Go. Else name a source:

  --archive FILE     a release's .tar.gz; checked against checksums.txt beside it, if that is there
  --download         the latest release, from $releases, checked against its checksums.txt
  --version VERSION  with --download: that release
  --url URL          with --download: another place of releases, by https

  --prefix FOLDER    where to (default: \$PREFIX, else ~/.local)
  --no-cursor        the programs only; later: cursor-ralph install
  --uninstall        take all out again, from Cursor too
  --help             print this

Nothing is downloaded without --download, but for the modules that Go needs to build. What is after -- goes to
\`cursor-ralph install\`, for example: sh install.sh -- --host claude
END
}

say() { printf 'install.sh: %s\n' "$*"; }

die() {
  printf 'install.sh: %s\n' "$1" >&2
  [ $# -lt 2 ] || printf 'install.sh: hint: %s\n' "$2" >&2
  exit 1
}

misuse() {
  printf 'install.sh: %s\ninstall.sh: hint: sh install.sh --help\n' "$1" >&2
  exit 2
}

has() { command -v "$1" >/dev/null 2>&1; }

# safe_path: PATH without the folders that depend on the current one, where anybody's programs may lie.
safe_path() {
  rest=${PATH:-}: safe=''
  while [ -n "$rest" ]; do
    case $rest in /*) safe=${safe:+$safe:}${rest%%:*} ;; esac
    rest=${rest#*:}
  done
  PATH=${safe:-/usr/bin:/bin}
}

# beside: the folder of this file, empty if the script came through a pipe: then $0 is the shell.
beside() {
  case ${0##*/} in
    install.sh) [ ! -f "$0" ] || dirname "$0" ;;
  esac
}

cleanup() { [ -z "$tmp" ] || rm -rf "$tmp"; }

# uninstall: Cursor first, for its hooks must not name a program that is gone.
uninstall() {
  [ -f "$list" ] || die "nothing was installed by this script into $prefix" "name the folder with --prefix"
  if [ -x "$prefix/bin/cursor-ralph" ]; then
    "$prefix/bin/cursor-ralph" uninstall || die "cursor-ralph uninstall failed, so the programs stay" "do what it says, then run this again"
  fi
  while IFS= read -r file; do
    case $file in
      /* | *..*) die "$list names $file, which is not ours" ;;
    esac
    rm -f "$prefix/$file"
    say "removed $prefix/$file"
  done <"$list"
  rm -f "$list"
  rmdir "$prefix/share/cursor-ralph" 2>/dev/null || true
  say "loops and their records are left; a project's installation is taken out by cursor-ralph uninstall --project FOLDER, before this"
}

sha256() {
  if has sha256sum; then sha256sum <"$1"; elif has shasum; then shasum -a 256 <"$1"; elif has openssl; then openssl dgst -sha256 -r <"$1"
  else die "nothing here computes a checksum" "install sha256sum, shasum or openssl"; fi | cut -d ' ' -f 1
}

# verify ARCHIVE NAME CHECKSUMS [WHAT TO SAY OF THE CHECKSUMS]
verify() {
  want=$(awk -v name="$2" '$2 == name || $2 == "*" name { print $1 }' "$3")
  [ -n "$want" ] || die "$3 has no checksum of $2"
  got=$(sha256 "$1")
  [ "$got" = "$want" ] || die "$1 is not what was released: its checksum is $got, not $want" "get it again; if that does not help, tell the project"
  say "$2 is whole: it has the checksum in $3${4:-}"
}

# unpack ARCHIVE
unpack() {
  case $1 in
    *.zip) die "$1 is for Windows" "use install.ps1 there" ;;
  esac
  mkdir "$tmp/archive"
  tar -xzf "$1" -C "$tmp/archive" || die "$1 cannot be unpacked"
  for dir in "$tmp/archive" "$tmp/archive"/*; do
    [ ! -f "$dir/cursor-ralph-hook" ] || { take "$dir"; return; }
  done
  die "$1 has no cursor-ralph-hook in it" "give the .tar.gz of a release"
}

# take FOLDER: an unpacked release
take() {
  for name in cursor-ralph cursor-ralph-hook cursor-ralph-robotgo; do
    [ ! -f "$1/$name" ] || { mkdir -p "$stage/bin"; cp "$1/$name" "$stage/bin/"; }
  done
  [ ! -d "$1/share" ] || cp -R "$1/share" "$stage/"
}

system() {
  case $(uname -s) in
    Linux) os=linux ;;
    Darwin) os=darwin ;;
    *) die "there is no release for $(uname -s)" "on Windows use install.ps1; elsewhere build from a clone" ;;
  esac
  case $(uname -m) in
    x86_64 | amd64) arch=amd64 ;;
    aarch64 | arm64) arch=arm64 ;;
    *) die "there is no release for $(uname -m)" "build from a clone" ;;
  esac
}

# fetch URL FILE
fetch() {
  say "downloading $1"
  if has curl; then curl --proto =https -fsSL -o "$2" "$1"; elif has wget; then wget -q -O "$2" "$1"
  else die "neither curl nor wget is here" "download it yourself, then: sh install.sh --archive FILE"; fi ||
    die "$1 cannot be downloaded"
}

from_release() {
  case $releases in
    https://*) ;;
    *) die "$releases is not https: anybody on the way could change what is downloaded" "give an https URL, or download it yourself and use --archive FILE" ;;
  esac
  system
  from=$releases/latest/download
  [ -z "$version" ] || from=$releases/download/v$version
  fetch "$from/checksums.txt" "$tmp/checksums.txt"
  name=$(awk -v end="_${os}_$arch.tar.gz" 'index($2, "cursor-ralph_") == 1 && substr($2, length($2) - length(end) + 1) == end { print $2 }' "$tmp/checksums.txt")
  [ -n "$name" ] || die "$from has nothing for $os on $arch"
  fetch "$from/$name" "$tmp/$name"
  verify "$tmp/$name" "$name" "$tmp/checksums.txt" ", which came from the same place and does not prove who made it"
  unpack "$tmp/$name"
}

from_archive() {
  [ -f "$archive" ] || die "$archive is no file"
  sums=$(dirname "$archive")/checksums.txt
  if [ -f "$sums" ]; then
    verify "$archive" "$(basename "$archive")" "$sums"
  else
    say "not verified: there is no $sums"
  fi
  unpack "$archive"
}

from_clone() {
  has go || die "Go is missing, which a clone is built with" "see https://go.dev/doc/install, or use --download or --archive"
  say "building, with $(go version)"
  mkdir "$stage/bin"
  built=$(git -C "$here" describe --tags --dirty 2>/dev/null) || built=''
  (cd "$here" && CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.release=$built" -o "$stage/bin/" ./cmd/cursor-ralph ./cmd/cursor-ralph-hook) ||
    die "it does not build"
  if has bash; then
    (unset CI; cd "$here" && scripts/helper "$stage/bin/cursor-ralph-robotgo" "$built") || true # it says what it left out
    "$here/scripts/assets" "$stage/share" 2>"$tmp/log" || { rm -rf "$stage/share"; say "without completions: $(tail -n 1 "$tmp/log")"; }
  else
    say "without completions and the helper for typing: they need bash"
  fi
}

# ours FILE: whether the installer may replace it. Every file that we install has our name in it.
ours() { [ ! -L "$1" ] && [ -f "$1" ] && LC_ALL=C grep -q cursor-ralph "$1"; }

# stage_source: the programs from where the options say, in $stage.
stage_source() {
  if [ -n "$download" ]; then
    from_release
  elif [ -n "$archive" ]; then
    from_archive
  elif [ -z "$here" ]; then
    die "there is nothing to install beside a script that comes through a pipe" "use --download or --archive FILE"
  elif [ -f "$here/cursor-ralph-hook" ] && [ -f "$here/cursor-ralph" ]; then
    say "installing the release in $here"
    take "$here"
  elif grep -qsx "module $module" "$here/go.mod"; then
    from_clone
  else
    die "there is neither a clone nor a release in $here" "use --download or --archive FILE"
  fi
  rm -rf "$stage/share/powershell" # Windows's
  for name in cursor-ralph cursor-ralph-hook; do
    [ -f "$stage/bin/$name" ] || die "there is no $name in it"
  done
  chmod 755 "$stage"/bin/*
  "$stage/bin/cursor-ralph" version >/dev/null 2>&1 || die "its cursor-ralph does not run on this machine" "take the archive for $(uname -s) on $(uname -m)"
}

# is_closed FOLDER: whether it is missing, or only its owner and group may write it.
is_closed() { [ ! -d "$1" ] || [ -z "$(find "$1/" -prune -perm -0002)" ]; }

# place_files: from $stage to $prefix.
place_files() {
  for dir in "$prefix" "$prefix/bin"; do
    is_closed "$dir" || die "everybody can write $dir, and so replace the programs in it; nothing was changed" "chmod go-w '$dir', or use another --prefix"
  done
  # Look before anything is written.
  (cd "$stage" && find . -type f | sed 's,^\./,,' | sort) >"$tmp/files"
  while IFS= read -r file; do
    to=$prefix/$file
    if [ -e "$to" ] || [ -L "$to" ]; then
      ours "$to" || die "$to is there and not ours; nothing was changed" "move it away, or use another --prefix"
    fi
  done <"$tmp/files"

  # Each file at once or not at all: the old program may be running, and a hook may start at any moment.
  while IFS= read -r file; do
    to=$prefix/$file
    mkdir -p "$(dirname "$to")"
    new=$(dirname "$to")/.${to##*/}.new-$$
    if ! cp "$stage/$file" "$new" || ! mv -f "$new" "$to"; then
      rm -f "$new"
      die "$to cannot be written"
    fi
  done <"$tmp/files"
  mkdir -p "$(dirname "$list")"
  # What an older version had and this one has not.
  if [ -f "$list" ]; then
    while IFS= read -r file; do
      if ! grep -qxF "$file" "$tmp/files" && ours "$prefix/$file"; then rm -f "$prefix/$file"; fi
    done <"$list"
  fi
  cp "$tmp/files" "$list.new-$$"
  mv -f "$list.new-$$" "$list"
  say "installed $("$prefix/bin/cursor-ralph" version) into $prefix: $(tr '\n' ' ' <"$tmp/files")"
}

# tell_cursor [OPTIONS of cursor-ralph install]
tell_cursor() {
  if [ -n "$cursor" ]; then
    "$prefix/bin/cursor-ralph" install "$@" || die "the programs are installed, but Cursor was not told" "do what it says, then: $prefix/bin/cursor-ralph install"
  else
    say "now tell Cursor about it: $prefix/bin/cursor-ralph install"
  fi
  case ":${PATH:-}:" in
    *":$prefix/bin:"*) ;;
    *) say "put $prefix/bin on your PATH, so that you and the agent's shell find cursor-ralph" ;;
  esac
}

# Called on the last line, so that a download that was cut short does nothing.
main() {
  safe_path
  umask "$(printf '%04o' $((0$(umask) | 022)))" # with a umask of 0 everybody could replace the programs
  prefix=${PREFIX:-${HOME:-}/.local}
  archive='' download='' version='' cursor=yes uninstall=''

  while [ $# -gt 0 ]; do
    case $1 in
      --archive | --version | --url | --prefix)
        [ -n "${2:-}" ] || misuse "$1 needs a value"
        case $1 in
          --archive) archive=$2 ;;
          --version) version=${2#v} ;;
          --url) releases=${2%/} ;;
          --prefix) prefix=$2 ;;
        esac
        shift
        ;;
      --download) download=yes ;;
      --no-cursor) cursor='' ;;
      --uninstall) uninstall=yes ;;
      -h | --help) usage; exit 0 ;;
      --) shift; break ;;
      *) misuse "unknown option $1" ;;
    esac
    shift
  done
  [ -z "$archive" ] || [ -z "$download" ] || misuse "--archive and --download exclude each other"
  [ -z "$version" ] || [ -n "$download" ] || misuse "--version is for --download"

  case $prefix in
    /.local) die "there is no home folder" "set HOME, or use --prefix" ;;
    /*) ;;
    *) prefix=$(pwd)/$prefix ;;
  esac
  list=$prefix/share/cursor-ralph/installed
  tmp=''
  trap cleanup EXIT
  trap 'exit 1' HUP INT TERM
  if [ -n "$uninstall" ]; then
    uninstall
    return
  fi
  tmp=$(mktemp -d)
  here=$(beside)
  stage=$tmp/stage
  mkdir "$stage"
  stage_source
  place_files
  tell_cursor "$@"
}

main "$@"
