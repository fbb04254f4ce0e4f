#!/usr/bin/env bats
# The program for Windows (`make windows`) under Wine, whose OpenGL is that of Mesa: the same bytes as the program for Linux.
load ../cli/common
load ../support/display

setup_file() {
  export WINEPREFIX=$BATS_FILE_TMPDIR/wine WINEDEBUG=-all WINEDLLOVERRIDES='winedbg.exe=d;mscoree=d;mshtml=d'
  export LP_NUM_THREADS=0 HB_CONTEXT=
  export EXE=$(dirname "$HOLMBERG")/windows/holmberg.exe
  display_begin "$BATS_FILE_TMPDIR" 1280x800
  timeout 60 wine "$EXE" --version # makes the prefix
}

teardown_file() {
  wineserver -k 2>/dev/null || /usr/lib/wine/wineserver64 -k || true
  display_end "$BATS_FILE_TMPDIR"
}

windows() { timeout -k 5 60 wine "$EXE" "$@"; }
linux() { HB_CONTEXT=osmesa "$HOLMBERG" "$@"; }
rows() { grep -v '^#' "$1"; } # history and checksum differ: file names are words of the command

@test "initial conditions, forces and steps of every scheme have the same bytes" {
  windows ic plummer -n 64 -o w.txt --quiet
  linux ic plummer -n 64 -o l.txt --quiet
  cmp <(rows w.txt) <(rows l.txt)
  for scheme in host 'host-simd --precision ds' grape6 cg2007 'bag --precision ds --no-tune' 'bag --precision double --no-tune' \
    'matrix2004 --precision ds --no-tune' 'tile --precision ds --no-tune' 'tile --no-tune --transfer block --predict gpu --correct gpu'; do
    # shellcheck disable=SC2086 # words
    windows run l.txt --scheme $scheme --t-end 0.25 -o we.txt --quiet
    # shellcheck disable=SC2086
    linux run l.txt --scheme $scheme --t-end 0.25 -o le.txt --quiet
    echo "$scheme"
    cmp <(rows we.txt) <(rows le.txt)
    run ! cmp <(rows we.txt) <(rows l.txt)
  done
}

@test "pictures have the same pixels; the viewer shows textures" {
  linux ic holmberg1941 -o l.txt --quiet
  windows render l.txt -o w.png --size 320x200
  linux render l.txt -o l.png --size 320x200
  cmp <(ffmpeg -v error -i w.png -f rawvideo -) <(ffmpeg -v error -i l.png -f rawvideo -)
  windows view holmberg1941 --size 640x400 --script - <<<$'frames 3\nkey i\nframes 5\nscreenshot v.png\nstate' >state
  grep -q '"scheme": "cg2007"' state
  [ "$(stat -c %s v.png)" -gt 20000 ]
}

@test "a run that is stopped goes on to the same end; a second one is kept from its files" {
  linux ic plummer -n 64 -o l.txt --quiet
  windows run l.txt --scheme host --t-end 0.5 -o whole.txt --diag whole.csv --quiet
  run windows run l.txt --scheme host --t-end 0.5 -o end.txt --diag end.csv --checkpoint k --max-hours 1e-9 --quiet
  [ "$status" -eq 75 ]
  windows run --resume k --max-hours 1 --quiet
  cmp <(rows whole.txt) <(rows end.txt)
  cmp <(cut -d, -f1-40 whole.csv) <(cut -d, -f1-40 end.csv)
  [ ! -e end.txt.lock ]
  wine "$EXE" run l.txt --scheme host --t-end 1e6 --diag-every 1e6 -o busy.txt >rows 3>&- & # until it is killed
  until_true test -e busy.txt.lock
  run windows run l.txt --scheme host --t-end 0.1 -o busy.txt --quiet
  kill $!
  echo "$output"
  [ "$status" -eq 4 ]
  [[ $output == *'another run is writing it'* ]]
}

@test "what is missing is said" {
  linux ic plummer -n 16 -o l.h5 --quiet
  run windows info l.h5
  [ "$status" -eq 2 ]
  [[ $output == *'this build has no HDF5'* ]]
  linux ic plummer -n 16 -o l.txt --quiet
  run windows run l.txt --scheme host --t-end 0.1 -o e.h5
  [ "$status" -eq 2 ]
  [[ $output == *'cannot write e.h5: format hdf5 is not in this build'* ]]
  run windows reproduce
  [ "$status" -eq 2 ]
  run windows plot nothing.csv
  [ "$status" -eq 4 ]
}
