#!/usr/bin/env bash
# bare.sh DIST [COMMAND]: makes a Debian DIST (bookworm, trixie, ...) in a temporary folder, with nothing but make and git, clones
# what is committed here, and runs COMMAND there as root; without one, the two commands of README. Needs root, mmdebstrap and
# apt's network. MIRROR=URL; ROOT=TARBALL is made, or taken where it is there already.
set -eu
dist=$1
command=${2:-make run && make test}
here=$(cd "$(dirname "$0")/.." && pwd)
fail() {
  echo "bare.sh: $1" >&2
  exit 1
}
[ "$(id -u)" = 0 ] || fail 'needs root, to change the root folder'
tarball=${ROOT:-}
[ -e "$tarball" ] || command -v mmdebstrap >/dev/null || fail "mmdebstrap is not installed; apt-get install mmdebstrap"
folder=$(mktemp -d)
trap 'rm -rf --one-file-system "$folder"' EXIT
tarball=${tarball:-$folder/root.tar}
[ -e "$tarball" ] || mmdebstrap --quiet --variant=minbase --include=make,git "$dist" "$tarball" "${MIRROR:-http://deb.debian.org/debian}"
mkdir "$folder/root"
tar -C "$folder/root" -xf "$tarball"
git clone -q --no-hardlinks "$here" "$folder/root/root/holmberg"
cp /etc/resolv.conf "$folder/root/etc"
# The Debian runs in mount and process name spaces of its own, which end with it. It has a devpts of its own: four tests run
# programs at a terminal, and this machine may have no devpts mounted.
# shellcheck disable=SC2016 # its own words
unshare --mount --pid --fork --kill-child sh -c '
  mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && mount --rbind /sys "$1/sys" &&
    mkdir -p "$1/dev/pts" && mount -t devpts -o mode=620,ptmxmode=666 devpts "$1/dev/pts" &&
    exec chroot "$1" env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb \
      sh -c "cd /root/holmberg && $2"' sh "$folder/root" "$command"
