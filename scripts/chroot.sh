# shellcheck shell=bash
# Sourced, not run. A fresh Debian (or what this machine is) in a folder, for tests of packages. Root only.

# fresh_root FOLDER [PACKAGE...]: unpacks one with git, make and these, which debootstrap makes when it is not in the cache.
fresh_root() {
  local base suite mirror packages
  packages=$(tr ' ' , <<<"git make ${*:2}") packages=${packages%,}
  suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
  # A machine has one of the two.
  mirror=$({ cat /etc/apt/sources.list.d/*.sources /etc/apt/sources.list 2>/dev/null || true; } |
    awk '/^URIs:/ { print $2; exit } /^deb / { for (i = 2; i <= NF; i++) if ($i ~ /^http/) { print $i; exit } }')
  base=${XDG_CACHE_HOME:-$HOME/.cache}/cursor-ralph-test/debootstrap-$suite-$packages.tar
  if [ ! -e "$base" ]; then
    debootstrap --variant=minbase --include="$packages" "$suite" "$1" "$mirror" >"$1.log" 2>&1 || { tail -n 20 "$1.log"; return 1; }
    mkdir -p "${base%/*}"
    tar -C "$1" --exclude=./var/cache/apt/archives/*.deb -cf "$base.new-$$" . && mv "$base.new-$$" "$base" || return 1
    rm -rf "$1"
  fi
  mkdir -p "$1" && tar -C "$1" -xf "$base"
}

# in_root FOLDER COMMAND...: runs it there as the user ralph (made when first asked for) in a login shell's environment, or as
# root with AS_ROOT=1. BIND is a list of FROM:TO, folders of this machine. What is mounted goes with the namespace.
in_root() {
  local root=$1
  shift
  [ -d "$root/home/ralph" ] || chroot "$root" useradd -m -s /bin/bash ralph || return 1
  # shellcheck disable=SC2016
  ROOT=$root BIND=${BIND:-} unshare --mount --propagation private bash -euc '
    mount --bind "$ROOT" "$ROOT"
    mount --bind /proc "$ROOT/proc"
    mount -t devpts -o newinstance,ptmxmode=0666 devpts "$ROOT/dev/pts"
    ln -sf pts/ptmx "$ROOT/dev/ptmx"
    mount -t tmpfs -o mode=1777 tmpfs "$ROOT/dev/shm"
    for pair in $BIND; do
      mkdir -p "$ROOT${pair#*:}"
      mount --bind "${pair%%:*}" "$ROOT${pair#*:}"
      mount -o remount,bind,ro "$ROOT${pair#*:}"
    done
    user=ralph home=/home/ralph
    [ -z "${AS_ROOT:-}" ] || { user=root; home=/root; }
    umask 022
    cd /
    exec chroot --userspec="$user" "$ROOT" env -i HOME="$home" USER="$user" SHELL=/bin/bash TERM=dumb "CI=${CI:-}" PATH=/usr/local/go/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin "$@"
  ' bash "$@"
}
