#!/bin/sh
# windows.sh FOLDER CC: libraries that the program for Windows is linked with and that Debian has no MinGW packages of: GLFW,
# libpng, cJSON, from Debian's source packages, which its deb-src archive need not be set up for. Into FOLDER/lib and
# FOLDER/include. Does nothing where they are.
set -eu
folder=$1
cc=$2
[ -e "$folder/lib/libpng.a" ] && exit 0
command -v apt-get >/dev/null || {
  echo "holmberg: make windows takes the sources of GLFW, libpng and cJSON from Debian, by apt-get" >&2
  exit 1
}
mkdir -p "$folder/source" "$folder/apt/lists/partial" "$folder/lib" "$folder/include/GL" "$folder/include/GLFW"
folder=$(cd "$folder" && pwd)

# Debian's archive of binaries, as apt knows it, is also one of sources.
awk -v RS= -v ORS='\n\n' '!/-security/ { sub(/Types: deb( deb-src)?/, "Types: deb-src"); print }' \
  /etc/apt/sources.list.d/debian.sources >"$folder/apt/main.sources" 2>/dev/null || true
awk '/^deb / && !/security/ { sub(/^deb/, "deb-src"); print }' /etc/apt/sources.list >"$folder/apt/main.list" 2>/dev/null || true
apt() {
  apt-get -q -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$folder/apt" -o Dir::State::Lists="$folder/apt/lists" "$@"
}
echo "holmberg: fetching the sources of GLFW, libpng and cJSON from Debian"
log=$folder/source.log
if ! (cd "$folder/source" && apt update && apt source glfw3 libpng1.6 cjson) >"$log" 2>&1; then
  cat "$log" >&2
  exit 1
fi

# compile LIBRARY FLAGS... -- FILE...
compile() {
  library=$1
  flags=
  shift
  while [ "$1" != -- ]; do flags="$flags $1" && shift; done
  shift
  echo "  MINGW lib$library.a"
  for file; do
    # shellcheck disable=SC2086 # flags are words
    "$cc" -O2 $flags -c -o "$folder/source/$(basename "$file" .c).o" "$file" && echo "$folder/source/$(basename "$file" .c).o"
  done >"$folder/objects"
  xargs "${cc%gcc}ar" rcs "$folder/lib/lib$library.a" <"$folder/objects"
}

cd "$folder/source"
glfw=$(echo glfw3-*/src)
# Without joysticks: Wine's XInput has a thread that survives glfwTerminate, and the library it runs in does not.
cat >"$glfw/win32_joystick.c" <<'END'
#include "internal.h"
void _glfwInitJoysticksWin32(void) {}
void _glfwTerminateJoysticksWin32(void) {}
void _glfwDetectJoystickConnectionWin32(void) {}
void _glfwDetectJoystickDisconnectionWin32(void) {}
int _glfwPlatformPollJoystick(_GLFWjoystick *stick, int mode) { return (void)stick, (void)mode, GLFW_FALSE; }
void _glfwPlatformUpdateGamepadGUID(char *guid) { (void)guid; }
END
compile glfw3 -D_GLFW_WIN32 -- "$glfw/context.c" "$glfw/init.c" "$glfw/input.c" "$glfw/monitor.c" "$glfw/vulkan.c" "$glfw/window.c" \
  "$glfw"/win32_*.c "$glfw/wgl_context.c" "$glfw/egl_context.c" "$glfw/osmesa_context.c"
cp glfw3-*/include/GLFW/*.h "$folder/include/GLFW"
compile cjson -DCJSON_HIDE_SYMBOLS -- cjson-*/cJSON.c
cp cjson-*/cJSON.h "$folder/include"
png=$(echo libpng1.6-*)
cp "$png/scripts/pnglibconf.h.prebuilt" "$png/pnglibconf.h"
cp "$png"/png.h "$png"/pngconf.h "$png"/pnglibconf.h "$folder/include"
ln -sf /usr/include/GL/glew.h "$folder/include/GL"
ln -sfn /usr/include/Random123 "$folder/include/Random123"
compile png -DPNG_INTEL_SSE_OPT=0 -- "$png/png.c" "$png"/png[a-su-z]*.c "$png/pngtrans.c"
