# shellcheck shell=bash
# display_begin FOLDER SIZE: an X server without a screen, on a display number that is free; DISPLAY is its, FOLDER remembers it
display_begin() {
  rm -f "$1/display"
  Xvfb -displayfd 3 -screen 0 "$2x24" -nolisten tcp -noreset 3>"$1/display" >/dev/null 2>&1 &
  echo $! >"$1/xvfb"
  local k
  for ((k = 0; k < 600; k++)); do
    [ -s "$1/display" ] && break
    sleep 0.1
  done
  DISPLAY=:$(cat "$1/display")
  export DISPLAY
}

# display_end FOLDER: nothing, if none was begun
display_end() { [ ! -e "$1/xvfb" ] || kill "$(cat "$1/xvfb")" 2>/dev/null || true; }
