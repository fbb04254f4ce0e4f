#!/usr/bin/env bash
# roots.sh FOLDER: in FOLDER the drivers of Debian 13 for two machines (amd64, arm64), and those of Debian's unstable branch
# (sid, where amd64 has phones' and Apple's), with the libraries of mesa-drm-shim that stand for the cards. Intel's is in no
# package: Mesa's source makes it in a root of its own, 246 files of C. What is there already is kept. Needs mmdebstrap, apt's
# network, and root for the last. MIRROR=URL.
set -eu
folder=$1
mirror=${MIRROR:-http://deb.debian.org/debian}
mkdir -p "$folder"

packages=base-files,libc6,libstdc++6,mesa-drm-shim,libegl1,libegl-mesa0,libgl1,libopengl0,libgles2,libgl1-mesa-dri,libgbm1,mesa-vulkan-drivers
for machine in amd64 arm64 sid; do
  [ "$(cat "$folder/$machine/.done" 2>/dev/null)" != $packages ] || continue
  rm -rf --one-file-system "${folder:?}/$machine"
  case $machine in
  sid) dist=sid architecture=amd64 ;;
  *) dist=trixie architecture=$machine ;;
  esac
  echo "drivers: the drivers of Debian's $dist for $architecture"
  # extracted, not installed: no program of theirs runs here; a clock may be ahead of what a mirror promises
  mmdebstrap --quiet --variant=extract --architectures=$architecture --aptopt='Acquire::Check-Valid-Until "false"' \
    --include=$packages $dist "$folder/$machine" "$mirror"
  echo $packages >"$folder/$machine/.done"
done

# The library for VideoCore says that it is a Pi 4's; a Pi 5's says version 7.1 where that says 4.2: two words of its registers.
v3d=$folder/arm64/usr/lib/aarch64-linux-gnu
[ -e "$v3d/libv3d71_noop_drm_shim.so" ] || python3 - "$v3d" <<'PYTHON'
import sys
with open(f"{sys.argv[1]}/libv3d_noop_drm_shim.so", "rb") as file:
    whole = file.read()
pi4, pi5 = bytes.fromhex("5633440422140081"), bytes.fromhex("5633440721140081")
if whole.count(pi4) != 1:
    sys.exit("drivers: libv3d_noop_drm_shim.so has no registers of a Pi 4 in one place, so that none of a Pi 5 are made")
with open(f"{sys.argv[1]}/libv3d71_noop_drm_shim.so", "wb") as file:
    file.write(whole.replace(pi4, pi5))
PYTHON

shim=$folder/amd64/usr/lib/x86_64-linux-gnu/libintel_noop_drm_shim.so
[ ! -e "$shim" ] || exit 0
build=$folder/build
if [ ! -e "$build/.done" ]; then
  rm -rf --one-file-system "$build"
  echo 'drivers: a root to build in'
  # shellcheck disable=SC2016 # its own words
  mmdebstrap --quiet --variant=minbase \
    --include=gcc,g++,meson,ninja-build,python3-mako,python3-yaml,python3-packaging,pkgconf,bison,flex,dpkg-dev,libdrm-dev,libexpat1-dev,zlib1g-dev \
    --setup-hook="printf 'deb-src %s trixie main\n' '$mirror' >\"\$1/etc/apt/sources.list.d/source.list\"" \
    --customize-hook='chroot "$1" sh -c "cd /root && apt-get source -q mesa"' trixie "$build" "$mirror"
  touch "$build/.done"
fi
echo "drivers: Intel's library"
# shellcheck disable=SC2016 # its own words
unshare --mount --pid --fork --kill-child sh -c '
  mount -t proc proc "$1/proc" && exec chroot "$1" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb sh -c "$2"' sh "$build" '
  set -e
  cd /root/mesa-*/
  [ -e b/build.ninja ] || meson setup b -Dbuildtype=release -Dtools=drm-shim,intel -Dgallium-drivers= -Dvulkan-drivers= \
    -Dplatforms= -Dglx=disabled -Degl=disabled -Dgbm=disabled -Dopengl=false -Dgles1=disabled -Dgles2=disabled \
    -Dllvm=disabled -Dvideo-codecs= -Dvalgrind=disabled -Dlibunwind=disabled -Dzstd=disabled -Dxmlconfig=disabled \
    -Dshader-cache=disabled -Dintel-rt=disabled
  ninja -C b src/intel/tools/libintel_noop_drm_shim.so' >"$folder/intel.log" 2>&1 || {
  tail -20 "$folder/intel.log"
  exit 1
}
cp "$build"/root/mesa-*/b/src/intel/tools/libintel_noop_drm_shim.so "$shim"
rm -rf --one-file-system "$build"
