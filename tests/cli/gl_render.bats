#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031 # run sets these, each test is a subshell
# holmberg render: pictures and movies without a window.
load common

small=(--size 160x90 --context osmesa)

# png_text FILE: keyword=value of every text chunk.
png_text() { ffprobe -loglevel error -show_entries frame_tags "$1" | sed -n 's/^TAG://p'; }

# png_size FILE: width and height out of the header.
png_size() { od -An -tu1 -j16 -N8 "$1" | awk '{ print 16777216*$1+65536*$2+256*$3+$4, 16777216*$5+65536*$6+256*$7+$8 }'; }

@test "a picture: its size, and how it was made" {
  "$HOLMBERG" ic plummer -n 64 --seed 1 -o a.h5 --quiet
  accepts render a.h5 -o a.png "${small[@]}" --zoom 1.5
  [ "$output" = 'wrote a.png: 160 x 90' ]
  files a.h5 a.png
  [ "$(png_size a.png)" = '160 90' ]
  png_text a.png >text
  grep -x 'command=holmberg render a.h5 --size 160x90 --zoom 1.5' text
  grep -x 'snapshot=a.h5' text
  grep -x 't=0' text
  grep -x 'context=osmesa' text
  grep -E '^Software=Holmberg [0-9]' text
  grep -E '^device=.' text
}

@test "the default name, and every format that can be read" {
  "$HOLMBERG" ic figure8 -o a.h5 --quiet
  "$HOLMBERG" ic figure8 -o b.txt --quiet
  accepts render a.h5 "${small[@]}"
  accepts render b.txt "${small[@]}" --quiet
  [ -z "$output" ]
  files a.h5 a.png b.txt b.png
  accepts render - -o c.png "${small[@]}" <b.txt
}

@test "two pictures have the same bytes, another color or direction has not" {
  "$HOLMBERG" ic plummer -n 64 --seed 1 -o a.h5 --quiet
  for k in 1 2; do accepts render a.h5 -o $k.png "${small[@]}"; done
  cmp 1.png 2.png
  for other in '--map ember' '--direction 10,20' '--color-by group' '--color-by acc' '--color-by energy' \
    '--color-by step' '--color-by mass' '--color-by bound' '--point disc' '--point dot' '--glow 0' '--exposure 0.5' '--point-size 4' \
    '--trails 0.2' '--samples 1' '--center 1,0,0' '--field 60' '--color-range 0,1' '--camera orbit'; do
    # shellcheck disable=SC2086 # an option and its value
    accepts render a.h5 -o other.png "${small[@]}" $other
    run ! cmp -s 1.png other.png
  done
}

@test "a series of snapshots: a frame each, or as many as are asked for" {
  "$HOLMBERG" ic twobody -o a.h5 --quiet
  "$HOLMBERG" run a.h5 --scheme host --t-end 0.5 --snap-every 0.25 -o end.h5 --quiet
  accepts render end_000?.h5 -o f.png "${small[@]}" --trails 0.3
  [ "$output" = 'wrote f_0001.png ... f_0002.png: 160 x 90' ]
  accepts render end_000?.h5 -o g.png "${small[@]}" --frames 5
  [ "$output" = 'wrote g_0001.png ... g_0005.png: 160 x 90' ]
  [ "$(for k in 1 2 3 4 5; do png_text g_000$k.png; done | sed -n 's/^t=//p' | tr '\n' ' ')" = '0.25 0.3125 0.375 0.4375 0.5 ' ]
  run ! cmp -s g_0002.png g_0003.png
}

@test "an orbit ends where it began; the way of a camera goes from row to row" {
  "$HOLMBERG" ic pythagorean -o a.h5 --quiet
  accepts render a.h5 -o o.png "${small[@]}" --frames 4
  files a.h5 o_0001.png o_0002.png o_0003.png o_0004.png
  printf '%s\n' '# when centre azimuth elevation distance' '0 0 0 0 0 90 20' '1 0 0 0 90 30 10' >way.txt
  accepts render a.h5 -o k.png "${small[@]}" --frames 3 --camera way.txt
  accepts render a.h5 -o first.png "${small[@]}" --camera way.txt
  # the same pixels; the text tells what was asked for
  cmp <(tail -c 2000 k_0001.png) <(tail -c 2000 first.png)
  run ! cmp -s <(tail -c 2000 k_0001.png) <(tail -c 2000 k_0003.png)
}

@test "a movie by ffmpeg" {
  "$HOLMBERG" ic figure8 -o a.h5 --quiet
  for kind in mp4 mkv gif; do
    accepts render a.h5 -o m.$kind "${small[@]}" --frames 6 --fps 12
    [ "$output" = "wrote m.$kind: 6 frames of 160 x 90" ]
    [ "$(ffprobe -loglevel error -count_frames -show_entries stream=width,height,nb_read_frames -of csv=p=0 m.$kind)" = 160,90,6 ]
  done
  files a.h5 m.mp4 m.mkv m.gif
  ffprobe -loglevel error -show_entries format_tags=comment -of csv=p=0 m.mkv | grep -F 'command: holmberg render a.h5'
}

@test "a movie's name is that of a file, whatever it begins with and holds" {
  local name
  "$HOLMBERG" ic figure8 -o a.h5 --quiet
  for name in 12:30.mp4 -dash.mp4 'pipe:1.gif' "x'\$(touch pwned)\`touch pwned\`\".mp4" '|touch pwned.gif' $'a\nb.gif' '%d.gif'; do
    accepts render a.h5 "-o$name" "${small[@]}" --frames 2
    files a.h5 "$name"
    rm -- "$name"
    accepts render a.h5 "-o${name%.*}.png" "${small[@]}"
    files a.h5 "${name%.*}.png"
    rm -- "${name%.*}.png"
  done
}

@test "a caller that ignores its children's ends changes nothing" {
  "$HOLMBERG" ic figure8 -o a.h5 --quiet
  run bash -c "trap '' CHLD; exec '$HOLMBERG' render a.h5 -o m.mp4 ${small[*]} --frames 2"
  [ "$status" -eq 0 ]
  files a.h5 m.mp4
}

@test "no ffmpeg: a sentence and the frames" {
  "$HOLMBERG" ic figure8 -o a.h5 --quiet
  run --separate-stderr env PATH="$PWD" "$HOLMBERG" render a.h5 -o m.mp4 "${small[@]}" --frames 2
  [ "$status" -eq 0 ]
  [ "$stderr" = 'holmberg: ffmpeg is not installed: instead of m.mp4 its frames were written' ]
  [ "$output" = 'wrote m_0001.png ... m_0002.png: 160 x 90' ]
  files a.h5 m_0001.png m_0002.png
}

@test "an ffmpeg that fails leaves nothing" {
  "$HOLMBERG" ic figure8 -o a.h5 --quiet
  printf '#!/bin/sh\ncat >/dev/null\nexit 3\n' >ffmpeg
  chmod +x ffmpeg
  PATH=$PWD:$PATH fails_with 4 'cannot draw m.mp4: ffmpeg failed*' render a.h5 -o m.mp4 "${small[@]}" --frames 2
  printf '#!/bin/sh\nexit 3\n' >ffmpeg # closes its input at once
  PATH=$PWD:$PATH fails_with 4 'cannot draw m.mp4: ffmpeg failed*' render a.h5 -o m.mp4 --size 1280x720 --context osmesa --frames 3
  files a.h5 ffmpeg
}

@test "a movie on a full disk: exit code 4, a sentence and no file" {
  cc -std=c11 -D_GNU_SOURCE -shared -fPIC "$BATS_TEST_DIRNAME/full.c" -o full.so -ldl
  "$HOLMBERG" ic plummer -n 64 --seed 1 -o a.h5 --quiet
  printf '#!/bin/sh\nLD_PRELOAD=%s exec %s "$@"\n' "$PWD/full.so" "$(command -v ffmpeg)" >ffmpeg
  chmod +x ffmpeg
  export FULL_AT
  for kind in mp4 mkv webm; do
    for FULL_AT in 0 2048 8192; do
      PATH=$PWD:$PATH run --separate-stderr "$HOLMBERG" render a.h5 -o m.$kind --size 160x120 --context osmesa --frames 16
      echo "$kind, $FULL_AT bytes: exit code $status, $stderr"
      [ "$status" -eq 4 ]
      [ -z "$output" ]
      [[ ${stderr_lines[-1]} == "holmberg: cannot draw m.$kind: ffmpeg failed, see above" ]]
      [[ $stderr == *'No space left on device'* ]]
      files a.h5 ffmpeg full.so
    done
    FULL_AT=1000000 PATH=$PWD:$PATH accepts render a.h5 -o m.$kind --size 160x120 --context osmesa --frames 16
    rm m.$kind
  done
}

@test "an ffmpeg that says nothing of what it lost" {
  "$HOLMBERG" ic plummer -n 64 --seed 1 -o a.h5 --quiet
  printf '%s\n' '#!/bin/bash' "$(command -v ffmpeg) \"\$@\"; code=\$?" '[[ $* == *progress* ]] && exit $code' \
    'file=${*: -1:1}; truncate -s 4096 "${file#file:}"; exit 0' >ffmpeg
  chmod +x ffmpeg
  for kind in mp4 mkv webm; do
    PATH=$PWD:$PATH run --separate-stderr "$HOLMBERG" render a.h5 -o m.$kind --size 160x120 --context osmesa --frames 16
    echo "$kind: exit code $status, $stderr"
    [ "$status" -eq 4 ]
    [[ ${stderr_lines[-1]} == "holmberg: cannot draw m.$kind: only "*' of its 16 frames can be read again' ]]
    files a.h5 ffmpeg
  done
}

@test "a signal while a movie is drawn: exit code 75, and nothing left" {
  "$HOLMBERG" ic plummer -n 64 --seed 1 -o a.h5 --quiet
  for signal in TERM INT HUP; do
    setsid env --default-signal "$HOLMBERG" render a.h5 -o m.mp4 "${small[@]}" --frames 100000 >out 2>said 3>&- &
    until_true compgen -G 'm.mp4.*.tmp'
    kill -$signal -- -$! # to its group, as a terminal does
    wait $! && code=0 || code=$?
    cat said
    [ "$code" -eq 75 ]
    [[ $(<said) == "holmberg: stopped by SIG$signal in frame "*' of 100000: m.mp4 was not written' ]]
    rm out said
    files a.h5
  done
}

@test "dark matter is not drawn, and moves neither the camera nor the colors" {
  "$HOLMBERG" ic disc -n 640 -o all.h5 --quiet
  "$HOLMBERG" convert all.h5 all.txt --quiet
  grep -v '^#' all.txt | head -n 360 >stars.txt # 320 of the disc, 40 of the bulge
  for name in all.h5 stars.txt; do
    accepts render $name --size 320x200 --point-size 4 -o "$name.png"
    ffmpeg -loglevel error -i "$name.png" -f rawvideo -pix_fmt rgb24 "$name.raw"
  done
  cmp all.h5.raw stars.txt.raw
}

@test "what cannot be drawn" {
  "$HOLMBERG" ic figure8 -o a.h5 --quiet
  "$HOLMBERG" ic twobody -o b.h5 --quiet
  fails_with 2 "option --size: '160' is not a size (expected WIDTHxHEIGHT*" render a.h5 --size 160
  fails_with 2 "option --size: '0x90' *" render a.h5 --size 0x90
  fails_with 2 "option --size: '99999x90' *" render a.h5 --size 99999x90
  fails_with 2 "option --center: '1,2' is not valid (expected X,Y,Z)" render a.h5 --center 1,2
  fails_with 2 "option --direction: 'up' *" render a.h5 --direction up
  fails_with 2 "option --field: '170' *" render a.h5 --field 170
  fails_with 2 "option --exposure: '1' *" render a.h5 --exposure 1
  fails_with 2 "9 x 9 samples per pixel (expected 1 to 8)" render a.h5 --samples 9 --context osmesa
  fails_with 2 "cannot draw 'a.jpg': unknown extension (expected png, mp4, mkv, webm, apng or gif)" render a.h5 -o a.jpg
  fails_with 2 'a movie of 161 x 90 pixels (expected even numbers)' render a.h5 -o a.mp4 --size 161x90
  fails_with 4 'cannot write none/a.png: *' render a.h5 -o none/a.png
  fails_with 4 'cannot read none.h5: *' render none.h5 "${small[@]}"
  fails_with 4 '*none.txt*' render a.h5 --camera none.txt
  fails_with 3 'b.h5 holds 2 particles, expected 3 as in a.h5' render a.h5 b.h5 -o m.png "${small[@]}"
  fails_with 3 'a.h5 is at t = 0, expected later than 0, the time of a.h5' render a.h5 a.h5 -o m.png "${small[@]}"
  printf '0 0 0 0 0 0\n' >way.txt
  fails_with 3 'way.txt:1: 6 columns, expected 7: *' render a.h5 --camera way.txt
  fails_with 5 '*' render a.h5 --context egl --device 99
  files a.h5 b.h5 m_0001.png way.txt
}

@test "--color-by speed needs no forces, the others agree with a run's beginning" {
  printf '%s\n' '1 0 0 0 0 0 0' '1 1 0 0 0 0 0' '1 5 0 0 0 0 0' >a.txt
  accepts render a.txt -o a.png "${small[@]}" --color-by acc --color-range -1,0
  accepts render a.txt -o b.png "${small[@]}" --color-by acc --color-range -1,0 --eps 2
  run ! cmp -s <(tail -c 1000 a.png) <(tail -c 1000 b.png)
}

@test "--eps goes before the snapshot's note, and that before the default" {
  "$HOLMBERG" ic demo1 -n 64 -o a.txt --quiet
  eps=$(sed -n 's/^# eps: //p' a.txt)
  accepts render a.txt -o noted.png "${small[@]}" --color-by acc
  accepts render a.txt -o given.png "${small[@]}" --color-by acc --eps "$eps"
  accepts render a.txt -o other.png "${small[@]}" --color-by acc --eps 1/256
  cmp <(tail -c 1000 noted.png) <(tail -c 1000 given.png)
  run ! cmp -s <(tail -c 1000 noted.png) <(tail -c 1000 other.png)
}

@test "a picture's file name commands no terminal" {
  local name=$'na\e[31m\xc2\x9bm caf\xc3\xa9'
  "$HOLMBERG" ic plummer -n 4 -o "$name.h5" --quiet
  "$HOLMBERG" render "$name.h5" -o "$name.png" --size 64x48 >said
  [ -s "$name.png" ]
  cat -v said
  [ "$(cat said)" = $'wrote na?[31m?m caf\xc3\xa9.png: 64 x 48' ]
}
