# shellcheck shell=bash disable=SC2154 # bats sets status, output and stderr
# Journeys: what somebody meets who has installed the program and does what the guides print. Every file begins with `make
# install` into a prefix of its own, a home with nothing in it, and an environment with nothing of ours.
bats_require_minimum_version 1.5.0
load ../support/display

setup_file() {
  SOURCE=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
  BUILD=$(dirname "$HOLMBERG")
  PREFIX=$BATS_FILE_TMPDIR/usr
  export SOURCE BUILD PREFIX
  make -s -o all -C "$SOURCE" B="$BUILD" PREFIX="$PREFIX" install >"$BATS_FILE_TMPDIR/installed"
  for name in $(compgen -e); do
    case $name in HB_* | HOLMBERG* | XDG_* | PYTHONPATH | DESTDIR | MAKE*) unset "$name" ;; esac
  done
  export HOME=$BATS_FILE_TMPDIR/home PATH=$PREFIX/bin:$PATH
  export LD_LIBRARY_PATH=$PREFIX/lib PKG_CONFIG_PATH=$PREFIX/lib/pkgconfig # as for any prefix but /usr and /usr/local
  mkdir "$HOME"
}

setup() {
  mkdir "$BATS_TEST_TMPDIR/here" && cd "$BATS_TEST_TMPDIR/here" || return 1
}

# guide FILE: as it was installed, or that of the source tree where it is not
guide() {
  if [ -e "$PREFIX/share/doc/holmberg/$1" ]; then echo "$PREFIX/share/doc/holmberg/$1"; else echo "$SOURCE/$1"; fi
}

# printed FILE PATTERN: the code blocks of a guide that contain a match, without the indentation or fences
printed() {
  awk -v pattern="$2" '
    function flush() { if (block ~ pattern) printf "%s", block; block = "" }
    /^ *```/ { if (fenced) { fenced = 0; flush() } else { flush(); fenced = 1 } next }
    fenced || /^    / { line = $0; if (!fenced) sub(/^    /, "", line); block = block line "\n"; next }
    { flush() }
    END { flush() }' "$(guide "$1")"
}

# commands FILE PATTERN: of those blocks the lines that begin with a program, put together where they end with a backslash,
# without what is said about them behind two blanks
commands() {
  printed "$1" "$2" | sed -e ':a; /\\$/ { N; s/\\\n *//; ta }' -e 's/^\$ //' |
    grep -E '^(HB_[A-Z_]+=[^ ]* )?(build/)?(holmberg|mpirun|make|patch|printf|cp|cc)\b' | sed -e 's/  .*//' -e 's|\bbuild/holmberg\b|holmberg|g'
}

# done_as_printed COMMAND: as a shell takes it, with exit code 0
done_as_printed() {
  echo "\$ $1"
  run --separate-stderr bash -c "$1"
  echo "exit code $status, standard error: $stderr"
  [ "$status" -eq 0 ]
}

teardown() { display_end "$BATS_TEST_TMPDIR"; }

# lit WHAT OPTION...: how many pixels of a picture or screen are not dark
lit() {
  ffmpeg -nostdin -v error "${@:2}" -i "$1" -frames:v 1 -f rawvideo -pix_fmt gray - | LC_ALL=C tr -d '\000-\100' | wc -c
}

# a window that opens: the command runs until its picture has so many lit pixels, then the key q ends it
shows() { # shows LEAST COMMAND
  local least=$1 k seen=0
  bash -c "exec env $2" >out 2>err &
  local viewer=$!
  for ((k = 0; k < 120; k++)); do
    sleep 0.5 # a look costs as much as a dozen pictures
    kill -0 $viewer 2>/dev/null || break
    seen=$(lit "$DISPLAY" -f x11grab -video_size 1280x800 2>/dev/null)
    [ "$seen" -ge "$least" ] && break
  done
  echo "$2: $seen lit pixels, expected $least"
  xdotool search --onlyvisible --name . windowfocus key q 2>/dev/null || true
  xdotool keyup q # a window that ends between press and release leaves the key pressed, and q ends the next one
  for ((k = 0; k < 100; k++)); do
    kill -0 $viewer 2>/dev/null || break
    sleep 0.1
  done
  kill $viewer 2>/dev/null || true
  local code=0
  wait $viewer || code=$?
  echo "exit code $code, standard error: $(cat err)"
  [ "$seen" -ge "$least" ] && [ "$code" -eq 0 ]
}
