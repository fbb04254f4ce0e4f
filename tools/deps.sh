#!/bin/sh
# deps.sh run|docs|web|windows|test|long|drivers|bare-test|fuzz|deb|lint: makes sure that this machine has what the target needs.
# Missing packages are announced and installed where apt works as root or with password-less sudo; otherwise the command to type is
# printed. DEPS=manual forbids installing.
set -eu
target=$1

# One requirement per line: its targets, how to probe for it, then its package for apt, dnf, pacman, brew ("-" if there is
# none or if it comes with another; with a "?" before it, it is installed along with others where apt has it, and not missed).
needs='
run,docs,test,lint c:stdio.h                 build-essential      gcc                  base-devel   gcc
run,docs,test,lint cmd:pkg-config            pkg-config           pkgconf-pkg-config   pkgconf      pkg-config
run,docs,test,lint pc:glew                   libglew-dev          glew-devel           glew         glew
run,docs,test,lint pc:glfw3                  libglfw3-dev         glfw-devel           glfw         glfw
run,docs,test,lint pc:egl                    libegl-dev           libglvnd-devel       libglvnd     -
run,docs,test,lint pc:hdf5                   libhdf5-dev          hdf5-devel           hdf5         hdf5
run,docs,test,lint pc:libpng                 libpng-dev           libpng-devel         libpng       libpng
run,docs,test,lint pc:zlib                   zlib1g-dev           zlib-devel           zlib         -
run,docs,test,lint pc:libcjson               libcjson-dev         cjson-devel          cjson        cjson
run,docs,test,lint,web,windows c:Random123/philox.h librandom123-dev  Random123-devel      random123    random123
run,docs,test      lib:libEGL.so.1           libegl1              libglvnd-egl         libglvnd     -
run,docs,test      lib:libEGL_mesa.so.0      libegl-mesa0         mesa-libEGL          mesa         -
run,docs,test      lib:dri/swrast_dri.so     libgl1-mesa-dri      mesa-dri-drivers     mesa         -
test          lib:libOSMesa.so.8        ?libosmesa6          -                    -            -
test          pc:cmocka                 libcmocka-dev        libcmocka-devel      cmocka       cmocka
test,deb      cmd:mpicc                 libopenmpi-dev       openmpi-devel        openmpi      open-mpi
test          cmd:mpirun                openmpi-bin          openmpi              openmpi      open-mpi
test          cmd:bats                  bats                 bats                 bash-bats    bats-core
test          cmd:Xvfb                  xvfb                 xorg-x11-server-Xvfb xorg-server-xvfb -
test          cmd:xauth               xauth                xorg-x11-xauth       xorg-xauth   -
test          cmd:xdotool               xdotool              xdotool              xdotool      -
test          cmd:pkill                 procps               procps-ng            procps-ng    -
test          cmd:virgl_test_server     virgl-server         virglrenderer-test-server virglrenderer -
test          cmd:curl                  curl                 curl                 curl         curl
test          cmd:script                bsdutils             util-linux           util-linux   -
test          cmd:patch                 patch                patch                patch        gpatch
test          cmd:h5dump                hdf5-tools           hdf5                 hdf5         hdf5
test          lib:python3/dist-packages/yt python3-yt        -                    -            -
run,docs,test,lint pc:libmicrohttpd        ?libmicrohttpd-dev   libmicrohttpd-devel  libmicrohttpd libmicrohttpd
run,docs,test      cmd:gnuplot               gnuplot-nox          gnuplot-minimal      gnuplot      gnuplot
test          cmd:ffmpeg                ffmpeg               ffmpeg-free          ffmpeg       ffmpeg
test          cmd:chromium              chromium             chromium             chromium     chromium
test          file:/usr/share/i18n/locales/de_DE locales    glibc-locale-source  glibc        -
test          cmd:man                  man-db               man-db               man-db       -
test          cmd:mandoc               mandoc               mandoc               mandoc       mandoc
test          cmd:zsh                  zsh                  zsh                  zsh          zsh
test          cmd:g++                  g++                  gcc-c++              gcc          gcc
test          lib:python3/dist-packages/numpy python3-numpy python3-numpy   python-numpy numpy
test          file:/usr/share/python-wheels python3-venv python3          python       python
long          cmd:ruby                  ruby                 ruby                 ruby         ruby
test          lib:python3/dist-packages/scipy ?python3-scipy - - -
test          lib:python3/dist-packages/matplotlib ?python3-matplotlib - - -
test          lib:python3/dist-packages/astropy ?python3-astropy - - -
test,docs     lib:python3/dist-packages/yaml python3-yaml python3-pyyaml python-yaml pyyaml
test,docs     cmd:mkdocs                mkdocs               mkdocs               mkdocs       -
docs          cmd:mandoc                mandoc               mandoc               mandoc       mandoc
docs          lib:python3/dist-packages/numpy python3-numpy python3-numpy   python-numpy numpy
test          cmd:gfortran             gfortran             gcc-gfortran         gcc-fortran  gcc
test          cmd:readelf              binutils             binutils             binutils     binutils
web           cmd:emcc                  emscripten           emscripten           emscripten   emscripten
web           cmd:wasm-dis              binaryen             binaryen             binaryen     binaryen
test          cmd:firefox-esr           firefox-esr          firefox              firefox      firefox
windows       cmd:x86_64-w64-mingw32-gcc gcc-mingw-w64-x86-64 mingw64-gcc   mingw-w64-gcc mingw-w64
windows       file:/usr/x86_64-w64-mingw32/include/zlib.h libz-mingw-w64-dev mingw64-zlib - -
windows       cmd:dpkg-source          dpkg-dev             -                    -            -
web,windows   c:GL/glew.h              libglew-dev          glew-devel           glew         glew
deb           cmd:dpkg-buildpackage    dpkg-dev             -                    -            -
deb           cmd:dh                   debhelper            -                    -            -
deb           cmd:dh_python3           dh-python            -                    -            -
deb           cmd:lintian              lintian              -                    -            -
long          cmd:strace                strace               strace               strace       -
long          cmd:valgrind             valgrind             valgrind             valgrind     -
long          lib:python3/dist-packages/mpi4py python3-mpi4py - - -
long          lib:python3/dist-packages/docutils python3-docutils - - -
long          lib:python3/dist-packages/h5py python3-h5py - - -
long          cmd:slurmctld             slurm-wlm            -                    -            -
long          cmd:munged                munge                munge                munge        -
long          cmd:wine                 wine                 wine                 wine         wine-stable
long          cmd:clang                 clang                clang                clang        llvm
long,drivers  cmd:aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu -                   -            -
long          cmd:arm-linux-gnueabihf-gcc gcc-arm-linux-gnueabihf -               -            -
long          cmd:i686-linux-gnu-gcc    gcc-i686-linux-gnu   -                    -            -
long          cmd:s390x-linux-gnu-gcc   gcc-s390x-linux-gnu  -                    -            -
long,drivers  cmd:qemu-aarch64          qemu-user            qemu-user            qemu-user    -
drivers,bare-test cmd:mmdebstrap      mmdebstrap           -                    -            -
drivers       cmd:python3             python3              python3              python       python
long,drivers  file:/usr/aarch64-linux-gnu/include/stdio.h libc6-dev-arm64-cross - -          -
fuzz          cmd:clang                 clang                clang                clang        llvm
fuzz          clang:sanitizer/asan_interface.h libclang-rt-dev compiler-rt     compiler-rt  -
lint          cmd:g++                   g++                  gcc-c++              gcc          gcc
lint          cmd:clang                 clang                clang                clang        llvm
lint          cmd:clang-format          clang-format         clang-tools-extra    clang        clang-format
lint          cmd:shellcheck            shellcheck           ShellCheck           shellcheck   shellcheck
lint          cmd:cppcheck              cppcheck             cppcheck             cppcheck     cppcheck
lint          cmd:glslangValidator      glslang-tools        glslang              glslang      glslang
lint          pc:cmocka                 libcmocka-dev        libcmocka-devel      cmocka       cmocka
'

present() {
  name=${1#*:}
  case $1 in
  cmd:*) command -v "$name" >/dev/null 2>&1 ;;
  pc:hdf5) pkg-config --exists hdf5-serial 2>/dev/null || pkg-config --exists hdf5 2>/dev/null ;;
  pc:*) pkg-config --exists "$name" 2>/dev/null ;;
  c:*) echo "#include <$name>" | "${CC:-cc}" -E -o /dev/null - >/dev/null 2>&1 ;;
  clang:*) [ -e "$(clang -print-file-name="include/$name" 2>/dev/null)" ] ;;
  file:*) [ -e "$name" ] ;;
  lib:*)
    for folder in /usr/lib /usr/lib64 /usr/lib/*-linux-gnu* /usr/local/lib /opt/homebrew/lib; do
      [ -e "$folder/$name" ] && return 0
    done
    return 1
    ;;
  esac
}

# missing COLUMN [also]: the packages that are missing, for the package manager whose column is given, each once; or those that
# may be missing and that apt has.
missing() {
  echo "$needs" | while read -r targets probe apt dnf pacman brew; do
    case ",$targets," in *",$target,"*) ;; *) continue ;; esac
    present "$probe" && continue
    case $1 in apt) package=$apt ;; dnf) package=$dnf ;; pacman) package=$pacman ;; brew) package=$brew ;; esac
    case $package in
    -) ;;
    '?'*) [ -z "${2:-}" ] || apt-cache show "${package#?}" 2>/dev/null | sed -n 's/^Package: //p' ;;
    *) [ -n "${2:-}" ] || echo "$package" ;;
    esac
  done | sort -u | tr '\n' ' ' | sed 's/ $//'
}

manager=none
for candidate in apt dnf pacman brew; do
  program=$candidate
  [ $candidate = apt ] && program="apt-get"
  if command -v $program >/dev/null 2>&1; then
    manager=$candidate
    break
  fi
done
[ "$manager" = none ] && column=apt || column=$manager
packages=$(missing "$column")
[ -n "$packages" ] || exit 0

sudo=
[ "$(id -u)" = 0 ] || sudo='sudo '
if [ $manager = apt ] && [ "${DEPS:-}" != manual ] && { [ -z "$sudo" ] || sudo -n true 2>/dev/null; }; then
  echo "holmberg: installing for make $target: $packages"
  log=$(mktemp)
  # shellcheck disable=SC2046,SC2086 # the lists are words
  if ! { ${sudo}apt-get update -q && ${sudo}env DEBIAN_FRONTEND=noninteractive apt-get install -y -q \
    --no-install-recommends $packages $(missing apt also); } >"$log" 2>&1; then
    cat "$log" >&2
    echo "holmberg: installing failed, see above" >&2
    exit 1
  fi
  rm -f "$log"
  packages=$(missing "$column")
  [ -n "$packages" ] || exit 0
  echo "holmberg: still missing after the installation: $packages" >&2
  exit 1
fi

case $manager in
apt) command="${sudo}apt-get install $packages" ;;
dnf) command="${sudo}dnf install $packages" ;;
pacman) command="${sudo}pacman -S --needed $packages" ;;
brew) command="brew install $packages" ;;
none)
  echo "holmberg: make $target needs these packages (Debian's names): $packages" >&2
  exit 1
  ;;
esac
echo "holmberg: make $target needs packages that are missing. Type:" >&2
echo "  $command" >&2
exit 1
