#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031 # run sets these, each test is a subshell
# The viewer, driven by scripts under an X server without a screen: each key does its thing, nothing is complained of by
# the driver (--gl-debug makes that a failure), and the window closes cleanly.
load common
load ../support/display

setup_file() {
  cc -std=c11 -D_GNU_SOURCE -shared -fPIC "$BATS_TEST_DIRNAME/ticks.c" -o "$BATS_FILE_TMPDIR/ticks.so"
  [ -n "${DISPLAY:-}" ] || display_begin "$BATS_FILE_TMPDIR" 640x480
}

teardown_file() { display_end "$BATS_FILE_TMPDIR"; }

teardown() { [ -z "${viewer:-}" ] || kill "$viewer" 2>/dev/null || true; }

# view ARG...: the viewer with standard input as its script, with what `with` sets in the environment; a small window
# and few particles, for speed
with=()
view() {
  run --separate-stderr env "${with[@]}" "$HOLMBERG" view --size 320x240 --gl-debug --no-tune --script - "$@"
  echo "exit code $status, standard error: $stderr"
  [ "$status" -eq 0 ]
  [ -z "$stderr" ]
}

# ticks MICROSECONDS: from here on each look at the clock takes so long and waiting none, see ticks.c; what the viewer does in a
# time is the same on every machine. No other threads look at the clock while they wait for work.
ticks() {
  with=(LD_PRELOAD="$BATS_FILE_TMPDIR/ticks.so" TICK_US="$1" OMP_NUM_THREADS=1 LP_NUM_THREADS=0
    ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0")
}

# value LINE KEY: what the state of that line (from 0) says
value() { sed -n 's/.*"'"$2"'": \(\[[^]]*\]\|"[^"]*"\|[^,}]*\).*/\1/p' <<<"${lines[$1]}"; }

# slider LINE NAME: its x y length value
slider() {
  sed -n 's/.*{"name": "'"$2"'", "x": \([^,]*\), "y": \([^,]*\), "length": \([^,]*\), "value": \([^}]*\)}.*/\1 \2 \3 \4/p' \
    <<<"${lines[$1]}"
}

# says LINE KEY VALUE
says() {
  echo "line $1: $2 is $(value "$1" "$2"), expected $3"
  [ "$(value "$1" "$2")" = "$3" ]
}

# holds EXPRESSION: of awk
holds() {
  echo "expected: $1"
  awk "BEGIN { exit !($1) }"
}

# pixels FILE: size of a PNG, from its header
pixels() { echo "$(od -An -tu1 -j18 -N2 "$1" | awk '{ print 256 * $1 + $2 }')x$(od -An -tu1 -j22 -N2 "$1" | awk '{ print 256 * $1 + $2 }')"; }

@test "space pauses, right makes one block step, r begins anew" {
  view plummer -n 64 --scheme host <<'END'
frames 3
state
key space
frames 3
state
key right
state
key space
frames 2
state
key r
state
END
  says 0 paused false
  says 0 block_steps 3
  says 0 title '"plummer"'
  says 1 paused true
  says 1 block_steps 3
  says 1 t "$(value 0 t)"
  says 2 paused true
  says 2 block_steps 4
  holds "$(value 2 t) > $(value 1 t)"
  says 3 block_steps 6
  says 4 t 0
  says 4 block_steps 0
}

@test "h, t, g, l, p, o, d: what is drawn; each picture is another one" {
  view plummer -n 64 --scheme host --paused <<'END'
frames 1
screenshot 0.png
key h
state
screenshot h.png
key h
key t
state
screenshot t.png
key t
key g
state
screenshot g.png
key g
key p
state
screenshot p.png
key p
key p
key o
state
screenshot o.png
key o
key o
key o
key o
key o
key o
key o
key l
key right
key right
state
screenshot l.png
key d
frames 3
state
key d
state
END
  says 0 help true
  says 1 hud false
  says 1 help false
  says 2 sliders '[]'
  says 3 point '"disc"'
  says 4 color '"acc"'
  says 4 point '"star"'
  says 5 trails true
  says 5 color '"speed"'
  says 6 drawing false
  says 7 drawing true
  holds "$(value 6 pictures) == $(value 5 pictures) + 1" # which says that there will be no more
  for k in h t g p o l; do
    [ "$(pixels $k.png)" = 320x240 ]
    [ "$(cmp -l 0.png $k.png 2>/dev/null | head -n 50 | wc -l)" -eq 50 ]
  done
}

@test "the help fits its window, or says where the rest is" {
  local size read=$BATS_TEST_DIRNAME/../support/reads.py
  for size in 1920x1080 900x600 640x480 320x240; do
    "$HOLMBERG" view plummer -n 64 --scheme host --paused --plain --size $size --no-tune --script - >/dev/null <<END
key h
screenshot $size.png
END
    [ "$(pixels $size.png)" = $size ]
    mapfile -t lines < <("$read" $size.png 'pause, resume' 'show these keys' 'center on what is there' '--help')
    echo "$size: the first key ${lines[0]}, one in the middle ${lines[1]}, the last one ${lines[2]}, the sentence ${lines[3]}"
    [ "${lines[0]}" -eq 1 ]
    [ $((lines[2] + lines[3])) -eq 1 ]
    [ $size != 900x600 ] || [ "${lines[1]}${lines[2]}" -eq 11 ]
  done
}

@test "a script gives the same pixels twice" {
  for k in 1 2; do
    view plummer -n 64 --scheme host --trails --color-by age <<END
frames 5
drag 100 100 140 120
energy
screenshot $k.png
END
  done
  cmp 1.png 2.png
}

@test "README's picture is what the viewer shows now, to the last word" {
  local root=$BATS_TEST_DIRNAME/../..
  words() { # FILE: the two lines over the textures of its first frame, wrapped to three
    ffmpeg -loglevel error -f apng -i "$1" -frames:v 1 -vf "crop=576:56:384:0,format=gray,lutyuv=y='if(gt(val,128),1,0)'" \
      -f rawvideo -pix_fmt gray -
  }
  PLAY=0.5 "$root/tools/figures.sh" "$(dirname "$HOLMBERG")" viewer "$PWD"
  words viewer.png >now
  words "$root/data/figures/viewer.png" >printed
  echo "$(cmp -l now printed | wc -l) of $(wc -c <now) pixels differ"
  cmp now printed
  [ "$(tail -c $((576 * 18)) now | od -An -v -tu1 -w1 | grep -c 1)" -gt 100 ] # "massTexture" has a line of its own
}

@test "a signal while a movie is recorded ends it: exit code 75, and a movie that can be played" {
  local signal kind frames
  for how in 'TERM mp4' 'INT mkv' 'HUP webm'; do
    signal=${how% *} kind=${how#* }
    # in a group of its own, which gets the signal as from a terminal
    setsid env --default-signal "$HOLMBERG" view plummer -n 64 --scheme host --no-tune --size 320x240 --record m.$kind --seconds 10000 >out 2>said 3>&- &
    viewer=$!
    until_true compgen -G "m.$kind.*.tmp"
    until_true xdotool search --name '^plummer - Holmberg$'
    kill -$signal -- -$viewer
    wait $viewer && code=0 || code=$?
    cat said
    [ "$code" -eq 75 ]
    [ ! -s out ]
    frames=$(sed -n "s/^holmberg: stopped by SIG$signal: wrote m.$kind: \([0-9]*\) pictures*$/\1/p" said)
    [ "$(ffprobe -loglevel error -count_frames -show_entries stream=nb_read_frames -of csv=p=0 m.$kind)" = "$frames" ]
    [ "$frames" -gt 0 ]
    rm out said
    files m.$kind
    rm m.$kind
  done
}

@test "models: 1 2 3 and [ ]" {
  view plummer -n 64 --scheme host --paused <<'END'
key 2
state
key 3
state
key 1
state
key ]
state
key [
key [
state
END
  says 0 title '"holmberg1941"'
  says 0 n 74
  says 1 title '"coldsphere"'
  says 2 title '"plummer"'
  says 2 n 64
  says 3 title '"coldsphere"' # the next one that holmberg ic lists
  last=$("$HOLMBERG" ic --help | sed -n '/^models:/,/^example/p' | grep -o '^  [a-z0-9]*' | tail -n 2 | head -n 1)
  says 4 title "\"${last#  }\""
}

@test "steps are those of the model that is shown, by whatever computes its forces" {
  view plummer -n 64 --scheme host --paused <<'END'
key right
key right
key m
state
key 3
state
key right
state
key r
state
END
  says 0 block_steps 2
  says 1 title '"coldsphere"'
  says 1 block_steps 0
  says 2 block_steps 1
  says 3 block_steps 0
}

@test "the mouse: drag rotates, shift or right drag moves, the wheel zooms, a double click and c centre" {
  view plummer -n 64 --scheme host --paused <<'END'
state
drag 200 120 260 120
state
drag 200 120 260 120 shift
state
drag 200 120 140 120 right
state
wheel 5
state
double 220 90
state
key c
state
click 200 120
state
END
  says 1 centre "$(value 0 centre)"
  [ "$(value 1 sight)" != "$(value 0 sight)" ]
  says 1 distance "$(value 0 distance)"
  says 2 sight "$(value 1 sight)"
  [ "$(value 2 centre)" != "$(value 1 centre)" ]
  distance=$(value 0 distance)
  # and back, within rounding
  for k in 1 2 3; do
    a=$(value 3 centre | tr -d '[],' | cut -d' ' -f $k) b=$(value 1 centre | tr -d '[],' | cut -d' ' -f $k)
    holds "($a) - ($b) < 1e-9 * $distance && ($b) - ($a) < 1e-9 * $distance"
  done
  holds "$(value 4 distance) < 0.6 * $distance && $(value 4 distance) > 0.4 * $distance"
  [ "$(value 5 centre)" != "$(value 4 centre)" ]
  says 5 sight "$(value 4 sight)"
  says 6 centre "$(value 0 centre)"
  says 6 distance "$distance"
  says 7 sight "$(value 6 sight)" # a click alone moves nothing
  says 7 centre "$(value 6 centre)"
}

@test "sliders: softening and nu begin anew at the same state, point size needs not; the camera stays" {
  view plummer -n 64 --scheme host --eps 1/32 <<'END' || false
frames 9
key space
state
END
  read -r x y length eps <<<"$(slider 0 softening)"
  holds "$eps == 1 / 32"
  read -r xp yp _ size <<<"$(slider 0 'point size')"
  view plummer -n 64 --scheme host --eps 1/32 --paused <<END
frames 1
state
drag $((x + length / 2)) $y $((x + length)) $y
state
drag $((x + length / 2)) $y $x $y
state
drag $xp $yp $((xp + 20)) $yp
state
END
  says 1 eps 1
  says 2 eps 0
  says 2 t "$(value 0 t)"
  says 2 sight "$(value 0 sight)"
  holds "$(value 3 point_size) < $size"
  says 3 eps 0
  view demo1 -n 64 --integrator leapfrog --scheme host --paused <<'END'
state
END
  [ -n "$(slider 0 damping)" ]
  [ -z "$(slider 0 nu)" ]
}

@test "resize, f and back: framebuffer and picture follow" {
  view plummer -n 64 --scheme host <<'END'
resize 400 300
state
screenshot a.png
key f
await 640 480
state
screenshot b.png
key f
await 400 300
state
resize 97 65
frames 2
END
  says 0 width 400
  says 0 height 300
  [ "$(pixels a.png)" = 400x300 ]
  says 1 full_screen true
  [ "$(pixels b.png)" = 640x480 ]
  says 2 full_screen false
}

# bright FILE X Y WIDTH HEIGHT: how many of these pixels are as bright as letters
bright() {
  ffmpeg -v error -i "$1" -vf "crop=$4:$5:$2:$3,format=gray" -f rawvideo - | LC_ALL=C tr -d '\000-\276' | wc -c
}

# changed FILE FILE X Y WIDTH HEIGHT: pixels of another brightness in a part of two pictures
changed() {
  ffmpeg -v error -i "$1" -i "$2" -filter_complex "[0][1]blend=all_mode=difference,crop=$5:$6:$3:$4,format=gray" -f rawvideo - |
    LC_ALL=C tr -d '\000-\037' | wc -c
}

@test "dE/E is - until there are two energies to compare" {
  view plummer -n 64 --scheme host --size 640x480 <<<$'energy\nstate\nscreenshot a.png\nframes 20\nenergy\nstate\nscreenshot b.png'
  says 0 de_cluster 0
  [ "$(value 1 de_cluster)" != 0 ]
  local of_dash of_number
  of_dash=$(bright a.png 150 106 180 28)
  of_number=$(bright b.png 150 106 180 28)
  echo "$of_dash pixels of -, $of_number of a number"
  [ "$of_dash" -gt 4 ]
  [ "$of_dash" -lt 40 ]
  [ "$of_number" -gt 100 ]
}

@test "text is as large as --scale says" {
  view plummer -n 64 --scheme host --paused --scale 2 <<'END'
state
END
  says 0 text_scale 2
}

@test "s writes pictures side by side and says where; they tell what they show" {
  view plummer -n 64 --scheme host --paused <<'END'
key s
state
key s
state
END
  files holmberg_0001.png holmberg_0002.png
  says 0 message '"wrote holmberg_0001.png: 320 x 240"'
  grep -a -q 'plummer: N = 64, t = 0' holmberg_0001.png
}

@test "v records a movie, or pictures where there is no ffmpeg" {
  script() {
    printf '%s\n' 'key v' state 'frames 3' 'key v' state
  }
  view plummer -n 64 --scheme host < <(script)
  says 0 recording true
  says 1 recording false
  files holmberg_0001.mp4
  says 1 message '"wrote holmberg_0001.mp4: 4 pictures"'
  rm holmberg_0001.mp4
  with=(PATH=/nowhere)
  view plummer -n 64 --scheme host < <(script)
  files holmberg_0001_000{1,2,3,4}.png
  [[ $(value 1 message) == *'ffmpeg is not installed: wrote 4 pictures'* ]]
}

@test "q, Esc and the window's frame close it: what follows is not done" {
  for line in 'key q' 'key escape' close quit; do
    view plummer -n 64 --scheme host < <(printf '%s\nstate\n' "$line")
    [ -z "$output" ]
  done
}

@test "particles are drawn from where each scheme keeps them, and drawing reads nothing back" {
  local kept schemes=('bag' 'tile' 'matrix2004' 'cg2007' 'bag --transfer block --predict gpu --correct gpu')
  for scheme in "${schemes[@]}"; do
    # shellcheck disable=SC2086
    view plummer -n 128 --scheme $scheme <<'END'
frames 10
state
key r
key d
frames 10
state
key r
key d
frames 10
state
screenshot a.png
state
END
    says 0 scheme "\"${scheme%% *}\""
    says 0 on_device true
    says 1 drawing false
    says 1 block_steps 10
    says 2 drawing true
    says 2 block_steps 10
    # the same ten steps from the start again, not drawn and drawn; what a device corrects, the bar keeps: 128 bytes a particle and picture
    kept=0
    case $scheme in *'--correct gpu') kept='10 * 128 * 128' ;; esac
    holds "$(value 1 readback_bytes) - $(value 0 readback_bytes) + $kept == $(value 2 readback_bytes) - $(value 1 readback_bytes)"
    holds "$(value 1 readback_bytes) > $(value 0 readback_bytes)"
    holds "$(value 3 readback_bytes) == $(value 2 readback_bytes) + 4 * 320 * 240" # the counter does count
  done
}

@test "i inspects: . and , go through the passes, a plays them, the mouse finds a particle's texel" {
  view holmberg1941 --scheme matrix2004 --size 640x400 --inspect --paused <<'END'
state
key .
key .
key ,
state
move 300 80
state
key a
key space
frames 3
state
key i
state
screenshot without.png
key i
frames 1
screenshot with.png
END
  [[ $(value 0 pass) == '"matrix2004, pass 1 of 9: '* ]]
  [[ $(value 1 pass) == '"matrix2004, pass 2 of 9: '* ]]
  [[ $(value 2 texel) == '"particle '* ]]
  [[ $(value 3 pass) == '"matrix2004, pass 5 of 9: '* ]]
  says 4 inspects false
  [ "$(cmp -l without.png with.png 2>/dev/null | head -n 50 | wc -l)" -eq 50 ]
}

@test "i where the processor computes: OpenGL does until it closes, few particles by the kernel of 2007, many by bag" {
  view holmberg1941 --paused <<<$'key i\nstate\nkey n\nstate\nkey i\nstate'
  says 0 inspects true
  says 0 scheme '"cg2007"'
  [[ $(value 0 pass) == '"cg2007, pass 1 of 73: '* ]]
  [[ $(value 0 message) == *' has no textures: cg2007 computes until i closes them"' ]]
  [[ $(value 1 message) == *'holmberg1941 has 74 particles and no other number'* ]]
  says 2 inspects false
  [[ $(value 2 scheme) == '"host'* ]]
  # an empty image says why: acceleration x in the first pass, position z of lamps in a plane; position x is not empty
  view holmberg1941 --inspect --paused --size 1280x720 <<<$'move 560 180\nstate\nmove 740 320\nstate\nmove 560 320\nstate'
  [[ $(value 0 texel) == *'(accTexture, column '*'): nothing summed yet"' ]]
  [[ $(value 1 texel) == *'(posTexture, column '*'): all zero: flat"' ]]
  [[ $(value 2 texel) == *'(posTexture, column '*')"' ]]
  view plummer -n 300 --inspect --paused <<<$'state\nkey 2\nstate\nkey 1\nstate'
  says 0 scheme '"bag"'
  says 1 scheme '"cg2007"' # another model, other textures
  says 2 scheme '"bag"'
  "$HOLMBERG" ic plummer -n 20 -o a.h5 --quiet
  cp a.h5 b.h5
  view a.h5 b.h5 --paused <<<$'key i\nstate'
  says 0 inspects false
  [[ $(value 0 message) == *'there are no textures to inspect: snapshots have no forces'* ]]
}

@test "m and x: another scheme and precision from the state that is there; n and b: another number" {
  view plummer -n 64 --scheme host <<'END'
frames 5
key space
state
key m
state
key m
key m
state
key x
state
key right
state
key n
state
key b
key b
state
key right
key r
state
END
  [ "$(value 1 scheme)" != "$(value 0 scheme)" ]
  for k in 1 2 3; do says $k t "$(value 0 t)"; done
  says 3 scheme "$(value 2 scheme)"
  [ "$(value 3 precision)" != "$(value 2 precision)" ]
  says 3 block_steps 5
  says 4 block_steps 6
  holds "$(value 4 t) > $(value 0 t)"
  says 5 n 128
  says 5 t "$(value 4 t)"
  holds "$(value 5 block_steps) == 6"
  says 5 scheme "$(value 3 scheme)"
  says 6 n 32
  says 6 t "$(value 4 t)"
  says 7 n 32
  says 7 t 0
}

@test "models change by themselves, by --cycle or k, and those whose steps take long are left out" {
  ticks 100
  view holmberg1941 --size 64x64 --speed 0.1 --cycle 1s <<<$'play 0.9\nstate\nplay 0.2\nstate\nplay 1\nstate\nkey k\nplay 2\nstate'
  says 0 title '"holmberg1941"'
  [ "$(value 1 title)" != '"holmberg1941"' ]
  [ "$(value 2 title)" != "$(value 1 title)" ]
  says 3 title "$(value 2 title)"
  view plummer -n 64 --size 64x64 --fps 2 <<<$'key k\nplay 19.8\nstate\nplay 0.4\nstate'
  says 0 title '"plummer"'
  says 1 title '"coldsphere"'
}

@test "models that come with a step for all are shown by the leapfrog unless something else is asked for" {
  view disc -n 512 --paused <<<$'state\nkey 1\nstate'
  says 0 integrator '"leapfrog"'
  says 0 eps 0.10000000000000001
  says 1 integrator '"hermite4"'
  [ "$(value 1 scheme)" != '"host-simd"' ]
  view disc -n 512 --eta 0.02 --paused <<<state
  says 0 integrator '"hermite4"'
  view demo1 -n 64 --scheme host --paused <<<state
  says 0 integrator '"leapfrog"'
  says 0 scheme '"host"'
}

@test "pictures that take too long lose detail, by themselves; what is kept has all of it; e takes the glow away" {
  ticks 100
  view plummer -n 64 --size 320x180 <<<$'run 0.6\nstate'
  says 0 coarse 1
  holds "$(value 0 pictures_per_s) > 25"
  ticks 10000
  view plummer -n 64 --size 320x180 <<<$'run 3\nstate\nkey e\nstate\nkey e\nscreenshot a.png\nstate'
  holds "$(value 0 coarse) > 1"
  says 1 coarse 1
  says 1 glow false
  says 2 coarse 1
  says 2 glow true
  [ "$(pixels a.png)" = 320x180 ]
}

@test "a model whose steps take longer than 0.2 s asks before it starts" {
  local model=(plummer -n 600 --scheme cg2007 --speed 1e-6)
  ticks 100
  view "${model[@]}" <<<$'run 0.2\nstate'
  says 0 asks '""'
  says 0 paused false
  ticks 100000
  view "${model[@]}" <<<$'run 0.2\nstate\nkey space\nstate'
  [[ $(value 0 asks) == '"a step of all 600 particles takes '*' s here: space starts it, b halves N"' ]]
  says 0 paused true
  says 0 block_steps 0
  says 1 paused false
  says 1 asks '""'
}

@test "an interaction of a file's moves particles, and its own potential is their energy" {
  sed -n '/^```glsl$/,/^```$/p' "$BATS_TEST_DIRNAME/../../src/README.md" | grep -v '^```' >my.glsl
  view twobody --interaction my.glsl --parameter h=0.1 --eps 0 --precision double <<<$'frames 30\nstate'
  says 0 scheme '"bag"'
  says 0 block_steps 30
  says 0 error '""'
  run -2 --separate-stderr "$HOLMBERG" view twobody --interaction coulomb --script - <<<state
  [[ $stderr == *'interaction coulomb cannot be integrated: '* ]]
}

@test "the bar at the bottom: back through a run and forth, and from any moment a new one, kept by w" {
  local from=(p.h5 --scheme host --eps 1/64 --speed 0.1 --size 640x480 --plain)
  kept() { # NUMBER TIME ARG...: the snapshot that w wrote, and what the command has at that time
    "$HOLMBERG" run p.h5 --scheme host --eps 1/64 --t-end "$2" -o ran.h5 --quiet
    "$HOLMBERG" diff ran.h5 "holmberg_000$1.h5" "${@:3}"
  }
  "$HOLMBERG" ic plummer -n 64 -o p.h5 --quiet
  view "${from[@]}" <<<$'frames 40\nstate\nkey space\nkey left\nkey left\nkey left\nstate\nkey w'
  read -r x y length _ <<<"$(slider 0 time)"
  holds "$(value 1 at) < $(value 0 t)"
  says 1 t "$(value 0 t)"
  kept 1 "$(value 1 at)" # bit by bit
  view "${from[@]}" <<END
frames 40
key space
screenshot present.png
drag $((x + length)) $y $((x + length * 2 / 5)) $y
screenshot past.png
state
key w
key space
play 0.1
state
key end
key space
screenshot again.png
state
drag $((x + length)) $y $((x + length * 2 / 5)) $y
key m
state
frames 1
key space
frames 9
key left
key home
state
END
  local at
  at=$(value 0 at)
  holds "$at > 0.39 * $(value 0 t) && $at < 0.41 * $(value 0 t)"
  kept 2 "$at" --tolerance 1e-5
  if kept 2 "$at"; then false; fi # but of the cubic between two states
  says 1 paused false
  holds "$(value 1 at) > $at + 0.0099 && $(value 1 at) < $at + 0.0101"
  says 2 at "$(value 0 t)"
  local of_past of_again
  of_past=$(changed present.png past.png 340 150 280 250) of_again=$(changed present.png again.png 340 150 280 250)
  echo "pixels that are others: in the past $of_past, and back $of_again"
  ((of_past > 100 && 10 * of_again < of_past))
  says 3 t "$at" # what was later is forgotten
  says 3 block_steps 0
  [[ $(value 3 message) == '"a new run from t = 0.018715: forces by '* ]]
  [ "$(value 3 scheme)" != '"host"' ]
  says 4 block_steps 9
  says 4 at 0
  # what a device corrects is read back for that
  view p.h5 --eps 1/64 --scheme bag --precision ds --transfer block --predict gpu --correct gpu <<<$'frames 9\nkey left\nkey left\nstate\nkey m\nstate'
  holds "$(value 0 at) > 0 && $(value 0 at) < $(value 0 t)"
  says 1 t "$(value 0 at)"
  says 1 block_steps 0
}

# racer LINE NUMBER KEY: of a race's state
racer() { grep -o '"scheme": "[^"]*", "t": [^}]*"seconds"[^}]*' <<<"${lines[$1]}" | sed -n "$2p" | sed -n 's/.*"'"$3"'": "*\([^",]*\).*/\1/p'; }

@test "a race: schemes side by side from one state, each as alone; the machine's time is shared" {
  local from=(p.h5 --eps 1/64)
  "$HOLMBERG" ic plummer -n 256 -o p.h5 --quiet
  view "${from[@]}" --race host,bag --size 640x480 <<<$'screenshot a.png\nenergy\nkey d\nframes 400\nkey d\nenergy\nstate\nscreenshot b.png\nkey m\nstate\nkey z\nstate'
  for k in 1 2; do
    "$HOLMBERG" run "${from[@]}" --scheme "$(racer 0 $k scheme)" --no-tune --context glfw --t-end "$(racer 0 $k t)" --json --quiet >ran
    alone() { tail -n 1 ran | sed -n 's/.*"'"$1"'": \([^,}]*\).*/\1/p'; }
    for what in block_steps pairs de_cluster; do
      echo "$(racer 0 $k scheme): $what $(racer 0 $k $what), alone $(alone $what)"
      [ "$(racer 0 $k $what)" = "$(alone $what)" ]
    done
    [ "$(alone block_steps)" -eq 400 ]
  done
  for x in 0 320; do
    moved=$(changed a.png b.png $x 0 320 370)
    echo "$moved pixels are others"
    [ "$moved" -gt 200 ]
  done
  [[ $(value 1 message) == *'not in a race: z ends it"' ]]
  [[ ${lines[2]} != *'"race"'* ]]
  says 2 t 0
  ticks 100
  view plummer -n 64 --size 96x64 --race cg2007,host,tile <<<$'run 2\nstate'
  echo "seconds: $(racer 0 1 seconds), $(racer 0 2 seconds), $(racer 0 3 seconds)"
  for k in 1 2; do holds "$(racer 0 $k seconds) / $(racer 0 3 seconds) > 0.98 && $(racer 0 $k seconds) / $(racer 0 3 seconds) < 1.02"; done
  fails_with 2 'option --race: bag is there twice' view --race bag,bag
  fails_with 2 "option --race: one scheme (expected two to four schemes, such as cg2007,host)" view --race bag
  fails_with 2 "option --race: unknown scheme 'hots'*" view --race bag,hots
}

@test "a series plays: right, left, the time bar, and through it by the clock" {
  "$HOLMBERG" ic coldsphere -n 50 -o c.h5 --quiet
  "$HOLMBERG" run c.h5 --t-end 0.5 --snap-every 1/8 -o end.txt --scheme host --quiet
  view end_000?.txt --paused <<'END'
state
key right
state
key left
key left
state
END
  says 0 snapshot 1
  says 0 snapshots 4
  says 0 t 0.125
  says 1 snapshot 2
  says 1 title '"end_0002.txt"'
  says 2 snapshot 4
  read -r x y length _ <<<"$(slider 0 time)"
  view end_000?.txt --rate 1000 <<END
drag $x $y $((x + length)) $y
state
key r
state
run 0.2
state
key 1
frames 1
state
END
  says 0 snapshot 4
  says 1 snapshot 1
  holds "$(value 2 pictures) > $(value 1 pictures)"
  says 3 title '"plummer"'
  # between two snapshots, by the cubic; a new run begins there
  view end_000?.txt --paused --scheme host <<END
drag $x $y $((x + length / 2)) $y
state
key w
key left
state
drag $x $y $((x + length / 2)) $y
key u
state
key space
frames 2
state
END
  holds "$(value 0 t) == 0.25"
  says 1 snapshot 2
  holds "$(value 2 t) > 0.312 && $(value 2 t) < 0.313"
  [[ $(value 2 message) == *'a new run from t = 0.31'*': forces by host, double"' ]]
  says 3 block_steps 2
  "$HOLMBERG" run c.h5 --t-end 0.3125 -o middle.h5 --scheme host --quiet
  "$HOLMBERG" diff middle.h5 holmberg_0001.h5 --tolerance 0.3 # falling through each other
  fails_with 2 'option --color-by: a series of snapshots cannot be colored by acc *' view end_000?.txt --color-by acc
}

@test "a person's clock: many block steps for each picture, and the energy is measured on the way" {
  ticks 10
  view plummer -n 64 --scheme host <<'END'
run 0.5
state
key d
run 0.1
state
END
  holds "$(value 0 block_steps) > $(value 0 pictures)"
  [ -n "$(value 0 de_rel)" ]
  holds "$(value 1 block_steps) > $(value 0 block_steps)"
  holds "$(value 1 pictures) <= $(value 0 pictures) + 1"
}

@test "time is kept: figure8 draws its eight in six seconds, and no step is done before it is due" {
  ticks 100
  view figure8 --size 64x64 <<<$'run 2\nstate\nkey +\nkey +\nrun 1\nstate\nkey -\nkey space\nrun 0.5\nstate'
  holds "$(value 0 at) <= 2.02 * 6.3259 / 6 && $(value 0 at) > 1.98 * 6.3259 / 6"
  holds "$(value 0 t) <= $(value 0 at)"
  holds "$(value 1 speed) / $(value 0 speed) > 1.999 && $(value 1 speed) / $(value 0 speed) < 2.001"
  holds "$(value 1 at) - $(value 0 at) <= 1.02 * 2 * 6.3259 / 6"
  holds "$(value 1 at) - $(value 0 at) > 0.98 * 2 * 6.3259 / 6"
  says 2 at "$(value 1 at)"
  view figure8 --size 64x64 --speed 0.25 <<<$'play 2\nstate'
  holds "$(value 0 at) > 0.4999 && $(value 0 at) < 0.5001"
  # a model that starts anew starts its clock anew
  view figure8 --size 64x64 <<<$'play 6\nstate\nkey r\nplay 0.1\nstate'
  holds "$(value 0 at) > 6.3259 - 0.036 && $(value 0 at) < 6.3260" # less than a picture before
  holds "$(value 1 at) < 0.11"
  # the encounter, from the start to the same distance after it, t = 7.54, takes 20 to 40 s
  view holmberg1941 --paused <<<'state'
  holds "7.54 / $(value 0 speed) < 20 && 12 / $(value 0 speed) < 40 && 8 / $(value 0 speed) >= 20"
}

@test "what this machine cannot do in time it says, and the speed slider changes it" {
  ticks 1000
  view plummer -n 2000 --scheme host --speed 1000 <<<$'run 1.5\nstate\nscreenshot late.png\nkey -\nstate'
  holds "$(value 0 speed_reached) > 0 && $(value 0 speed_reached) < 0.9"
  read -r x y length speed <<<"$(slider 1 speed)"
  holds "$speed > 700 && $speed < 710"
  view plummer -n 64 --scheme host --paused <<END
drag $((x + length / 2)) $y $((x + length / 2 + 20)) $y
state
END
  holds "$(value 0 speed) > 0.5"
  says 0 block_steps 0
  "$HOLMBERG" ic plummer -n 64 -o p.h5 --quiet
  view p.h5 --scheme host --paused <<<state
  holds "$(value 0 speed) >= 0.1 && $(value 0 speed) <= 1" # by its dynamics
}

@test "near and far: how many block steps were full, and none without neighbors" {
  "$HOLMBERG" ic plummer -n 1024 --masses kroupa -o k.h5 --quiet
  ticks 100
  view k.h5 --scheme host --speed 10 <<<$'run 0.3\nstate\nscreenshot near.png'
  echo "$(value 0 full_blocks) of $(value 0 block_steps) block steps are full"
  holds "$(value 0 full_blocks) > 0 && 4 * $(value 0 full_blocks) < $(value 0 block_steps)"
  view k.h5 --scheme host --speed 10 --neighbors 0 <<<$'run 0.1\nstate'
  [[ $output != *full_blocks* ]]
  view demo1 -n 1024 --scheme host --neighbors 16 <<<$'run 0.3\nstate' # asked for, so that steps are not shared
  holds "$(value 0 full_blocks) > 0"
}

@test "a movie goes by the clock of the simulation: the same pictures whatever else the machine does" {
  view() { run -0 "$HOLMBERG" view --size 320x240 "$@"; }
  view holmberg1941 --record a.png --seconds 0.5 --fps 10 --speed 2
  sh -c 'while :; do :; done' 3>&- &
  viewer=$! # teardown ends it if nothing else does
  view holmberg1941 --record b.png --seconds 0.5 --fps 10 --speed 2
  kill "$viewer"
  [ "$(find . -name '?_*.png' | wc -l)" -eq 10 ]
  for k in 1 2 3 4 5; do cmp a_000$k.png b_000$k.png; done
  run ! cmp -s a_0004.png a_0005.png
  view figure8 --record c.apng --seconds 0.5 --fps 10
  [ "$(grep -a -o fcTL c.apng | wc -l)" -eq 5 ]
}

# expect_soon PATTERN: the viewer, which reads what is written to 8 and writes to `out`, says so within a while; it is asked
# again when it has answered
expect_soon() {
  local k answers
  for ((k = 0; k < 200; k++)); do
    answers=$(wc -l <out)
    printf 'run 0.05\nstate\n' >&8
    until_true eval '[ "$(wc -l <out)" -gt "$answers" ]'
    # shellcheck disable=SC2053
    [[ $(tail -n 1 out) == $1 ]] && return 0
  done
  echo "never said $1: $(tail -n 1 out)"
  return 1
}

# last KEY: what the viewer has said last; changes_soon KEY VALUE: it says another value within a while
last() {
  lines=("$(tail -n 1 out)")
  value 0 "$1"
}
changes_soon() {
  local k
  for ((k = 0; k < 100; k++)); do
    expect_soon '{*'
    [ "$(last "$1")" = "$2" ] || return 0
  done
  echo "$1 stays $2"
  return 1
}

@test "keyboard and mouse of the window system do what scripts do" {
  mkfifo script
  "$HOLMBERG" view plummer -n 64 --scheme host --size 320x240 --gl-debug --paused --script script >out 2>err 3>&- &
  viewer=$!
  exec 8>script
  expect_soon '{*'
  window=$(xdotool search --name '^plummer - Holmberg$')
  xdotool windowfocus "$window" key h
  expect_soon '*"help": true*'
  xdotool key h key o key bracketright
  expect_soon '*"title": "coldsphere"*"color": "acc"*"help": false*'
  xdotool key Right
  expect_soon '*"block_steps": 1,*'
  sight=$(last sight)
  xdotool mousemove --window "$window" 200 90 mousedown 1 mousemove --window "$window" 230 100 mouseup 1
  changes_soon sight "$sight"
  centre=$(last centre) sight=$(last sight)
  xdotool keydown shift mousedown 1 mousemove --window "$window" 250 110 mouseup 1 keyup shift
  changes_soon centre "$centre"
  [ "$(last sight)" = "$sight" ]
  distance=$(last distance)
  xdotool click 4
  changes_soon distance "$distance"
  holds "$(last distance) < 0.9 * $distance && $(last distance) > 0.8 * $distance"
  echo 'run 600' >&8
  exec 8>&-
  xdotool key Escape
  until_true eval '! kill -0 $viewer 2>/dev/null'
  wait $viewer
  [ ! -s err ]
}

@test "what cannot be had is said over the picture, and what is there stays" {
  view demo1 -n 64 --integrator leapfrog --scheme host --paused <<'END'
key 1
state
END
  says 0 title '"demo1"'
  [[ $(value 0 message) == *'needs --dt'* ]]
}

@test "a shader that is saved while it runs, and does not compile, is told with its place; the last one goes on" {
  cp -r "$BATS_TEST_DIRNAME/../../shaders" shaders
  sed 's/vec4(ofColor.rgb/vec4(ofColour.rgb/' shaders/view/paint.frag >broken
  mkfifo script
  {
    printf '%s\n' 'frames 1' state 'screenshot there.png'
    until_true test -e there.png
    cp shaders/view/paint.frag whole
    mv broken shaders/view/paint.frag
    printf '%s\n' 'frames 1' state 'screenshot broken.png'
    until_true test -e broken.png
    mv whole shaders/view/paint.frag
    printf '%s\n' 'frames 1' state
  } >script &
  with=(HB_SHADER_DIR="$PWD/shaders")
  view plummer -n 64 --scheme host <script
  line=$(grep -n ofColor.rgb shaders/view/paint.frag | cut -d: -f1)
  says 0 error '""'
  [[ $(value 1 error) == *"shaders/view/paint.frag:$line: "* ]]
  says 2 error '""'
  says 2 block_steps 3
}

@test "a shader that is broken when forces need it first is reported once; when it is mended, the run goes on by itself" {
  cp -r "$BATS_TEST_DIRNAME/../../shaders" shaders
  sed 's/ walked = token/ walkd = token/' shaders/pairs/bag.frag >broken
  mkfifo script
  {
    printf '%s\n' 'screenshot there.png'
    until_true test -e there.png
    cp shaders/pairs/bag.frag whole
    mv broken shaders/pairs/bag.frag
    printf '%s\n' 'frames 2' state 'screenshot broken.png'
    until_true test -e broken.png
    mv whole shaders/pairs/bag.frag
    printf '%s\n' 'frames 2' state
  } >script &
  with=(HB_SHADER_DIR="$PWD/shaders")
  view plummer -n 512 --scheme bag <script
  says 0 block_steps 0
  says 0 paused true
  says 0 message '""'
  [[ $(value 0 error) == *"shaders/pairs/bag.frag:"* ]]
  says 1 error '""'
  says 1 paused false
  says 1 block_steps 1
}

@test "what a script cannot do is named with its line; options are checked before a window opens" {
  printf '%s\n' 'frames 1' 'kez space' >a.txt
  fails_with 3 "a.txt: line 2: unknown command 'kez'; did you mean 'key'?" view plummer -n 64 --scheme host --script a.txt
  echo 'key nonsense' >a.txt
  fails_with 3 "a.txt: line 1: unknown key 'nonsense'" view plummer -n 64 --scheme host --script a.txt
  echo 'drag 1 2 3' >a.txt
  fails_with 3 "a.txt: line 1: 'drag' takes 'X Y X Y \[HOW\]'" view plummer -n 64 --scheme host --script a.txt
  fails_with 2 "option --size: '12' is not a size*" view --size 12
  DISPLAY='' fails_with 5 'GLFW found no window system*' view
  fails_with 4 '*none.h5*' view none.h5
  fails_with 2 "option -n applies to a model*" view -n 5 none.h5
}
