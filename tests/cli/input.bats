#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031 # run sets these, each test is a subshell
# Files that cannot be used: one sentence that names the file and the place, exit code 3 or 4, no output file.
load common

# refuses CODE SENTENCE FILE: as fails_with for a run of FILE that should have written end.h5.
refuses() {
  fails_with "$1" "$2" run "$3" --scheme host --t-end 0.125 -o end.h5
  [ ! -e end.h5 ]
}

@test "missing file" {
  refuses 4 'cannot read missing.h5: No such file or directory' missing.h5
  refuses 4 'cannot read missing.txt: No such file or directory' missing.txt
  refuses 4 'cannot read missing: No such file or directory' missing
}

@test "empty file" {
  : >empty.txt
  : >empty.h5
  refuses 3 '*empty.txt*' empty.txt
  refuses 3 '*empty.h5*' empty.h5
}

@test "N = 0: comments only" {
  printf '# m x y z vx vy vz\n' >none.txt
  refuses 3 '*none.txt*' none.txt
}

@test "NaN and Inf" {
  for word in nan NaN inf -inf 1e999; do
    two_bodies | sed "3s/-1/$word/" >bad.txt
    refuses 3 "bad.txt:3: '$word' for x*" bad.txt
  done
}

@test "negative mass" {
  two_bodies | sed '3s/^0.5/-0.5/' >bad.txt
  refuses 3 'bad.txt*-0.5*' bad.txt
}

@test "short row, long row, a word: with the line number" {
  two_bodies | sed '3s/ 0$//' >short.txt
  refuses 3 'short.txt:3: *6*7*' short.txt
  two_bodies | sed '3s/$/ 9/' >long.txt
  refuses 3 'long.txt:3: *9*7*' long.txt
  two_bodies | sed '2s/0.5/half/' >word.txt
  refuses 3 'word.txt:2: *half*' word.txt
}

@test "text named .h5" {
  two_bodies >text.h5
  refuses 3 'text.h5: *HDF5*' text.h5
}

@test "HDF5 named .txt" {
  "$HOLMBERG" ic figure8 -o ok.h5 --quiet
  cp ok.h5 binary.txt
  refuses 3 'binary.txt:1: *' binary.txt
}

@test "HDF5 without the groups" {
  # a file of HDF5 1.10 with nothing but the root group
  base64 -d >groups.h5 <<<'iUhERg0KGgoCCAgAAAAAAAAAAAD//////////7MAAAAAAAAAMAAAAAAAAACHZyooT0hEUgIAeAISAAAAAP////////////////////8KAgABAAAAWAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAMW5yKw='
  refuses 3 'groups.h5: *' groups.h5
}

@test "HDF5 cut off, at any length" {
  "$HOLMBERG" ic plummer -n 100 -o ok.h5 --quiet
  local size
  size=$(stat -c %s ok.h5)
  for length in 1 7 8 47 48 100 600 2000 $((size / 2)) $((size - 1)); do
    head -c "$length" ok.h5 >cut.h5
    refuses 3 'cut.h5: *' cut.h5
  done
}

@test "a folder" {
  mkdir folder.h5 folder.txt folder
  for name in folder.h5 folder.txt folder; do refuses 4 "cannot read $name: Is a directory" $name; done
}

@test "an extension that says nothing" {
  two_bodies >bodies.nbody
  refuses 2 '*bodies.nbody*extension*' bodies.nbody
}

@test "standard input that is no table" {
  run --separate-stderr bash -c "echo hello | '$HOLMBERG' run - --scheme host"
  [ "$status" -eq 3 ]
  [ "${#stderr_lines[@]}" -eq 1 ]
  [[ $stderr == *hello* ]]
}

@test "Windows line ends, tabs and comments are welcome" {
  two_bodies | sed 's/ /\t/g; s/$/\r/' >windows.txt
  accepts run windows.txt --scheme host --t-end 0.125 --quiet
}

# A binary, and a third body so far away that float cannot hold r^2.
far() { printf '%s\n' '0.5 -0.5 0 0 0 -0.7 0' '0.5 0.5 0 0 0 0.7 0' "1e-3 ${1:-1e20} 0 0 0 0 0" >far.txt; }

@test "beyond float: refused with the particle, and computed right in double" {
  far
  for scheme in 'host-simd --precision single' 'host-simd --precision ds'; do
    # shellcheck disable=SC2086
    fails_with 3 "particle 2 is at x = 1e+20 from the center, expected within 4.61e+18: *" run far.txt --scheme $scheme --t-end 2^-6
  done
  fails_with 7 "the farthest particle is at 1e+20 from the center: in 64-bit fixed point 2 of 3 *" run far.txt --scheme grape6 --t-end 2^-6
  accepts run far.txt --scheme host --t-end 2^-6
  far 1e18
  accepts run far.txt --scheme host-simd --precision single --t-end 2^-6
}

@test "units too large for float: refused, not without forces" {
  printf '%s\n' '1e-9 1e14 0 0 0 0 0' '1e-9 -1e14 0 0 0 0 0' >large.txt
  fails_with 3 "the mean mass is 1e-09 and the mean distance 1e+14: *" run large.txt --scheme host-simd --precision ds --t-end 2^-6
  accepts run large.txt --scheme host --t-end 2^-6
}

@test "a text snapshot that somebody edited is one: a note, and its numbers count; a wrong number of rows is refused" {
  "$HOLMBERG" ic plummer -n 8 -o a.txt --quiet
  sed '$s/^[^ ]*/0.5/' a.txt >edited.txt
  run --separate-stderr "$HOLMBERG" run edited.txt --scheme host --t-end 1/8 --eps 1/8 -o end.txt
  [ "$status" -eq 0 ]
  [[ $stderr == "holmberg: edited.txt was changed since it was written: its checksum is '"????????"', that of its lines "???????? ]]
  [[ $(tail -n 1 end.txt) == '0.5 '* ]]
  sed '$d' a.txt >fewer.txt
  refuses 3 "fewer.txt:2: the header says n = '8', but the file has 7 rows of particles" fewer.txt
  truncate -s -3 a.txt
  refuses 3 'a.txt: the last line has no line break, and the checksum is *: the file was cut' a.txt
}

@test "files without an end, and files that wait for their other end" {
  mkfifo fifo
  fails_with 4 'cannot read fifo: it is not a regular file' ic plummer --masses fifo
  fails_with 4 'cannot read /dev/zero: it is not a regular file' ic plummer --masses /dev/zero
  two_bodies >ok.txt
  mkfifo fifo.glsl
  fails_with 4 'cannot read ./fifo.glsl: it is not a regular file' run ok.txt --scheme bag --interaction ./fifo.glsl --t-end 1
  ln -s /dev/zero zero.txt
  refuses 4 'cannot read zero.txt: an endless device, expected a file' zero.txt
}

@test "info spares the terminal what a note contains" {
  { printf '# note: a\033]0;owned\007b\033[31m\n' && two_bodies; } >note.txt
  accepts info note.txt
  [[ $output == *'note               a?]0;owned?b?[31m'* ]]
  run ! grep -q $'\033' <<<"$output"
}

@test "diff compares what is in other units" {
  accepts ic plummer -n 16 --mass-unit 1000 --length-unit 2 -o a.txt --quiet
  python3 - <<'END'
import math
for line in open("a.txt"):
    if line.startswith("# units:"):
        m, l = (float(w.split("=")[1]) for w in line.split()[2:])
rows = [[float(w) for w in line.split()] for line in open("a.txt") if line[0] != "#"]
with open("b.txt", "w") as out:  # masses in solar masses, lengths in pc
    out.write("# units: mass_msun=1 length_pc=1\n# t: 0\n")
    for m_, *q in rows:
        speed = math.sqrt(m / l)
        out.write(" ".join(repr(w) for w in [m_ * m] + [w * l for w in q[:3]] + [w * speed for w in q[3:]]) + "\n")
END
  accepts diff a.txt b.txt --tolerance 1e-12
  [[ $output == "b.txt in the units of a.txt"* ]]
  run --separate-stderr "$HOLMBERG" diff a.txt b.txt --tolerance 1e-12 --json
  [[ $output == *'"units": "converted"'*'"same": true, "same_bits": false'* ]]
  grep -v '^# units' a.txt >bare.txt # the same numbers, of something else
  run --separate-stderr "$HOLMBERG" diff a.txt bare.txt
  [ "$status" -eq 1 ]
  [[ $stderr == *'only a.txt has units' ]]
}

@test "a field in which nothing moves on circles" {
  two_bodies >ok.txt
  fails_with 2 "field 'hill:w=1,k=3': k is 3, expected below 2 w = 2: *" run ok.txt --scheme host --t-end 1 --field hill:w=1,k=3
  # whose square is 0 or infinite
  for field in hill:w=1e-200 hill:w=-1e200 frame:w=1e-200 hill:w=1e-200,k=1; do
    w=${field#*w=} w=${w%,*} w=${w#-}
    fails_with 2 "field '$field': |w| is ${w/1e200/1e+200}, expected 1e-150 to 1e+150" \
      run ok.txt --scheme host --t-end 1 --field "$field"
  done
}

@test "a limit of the shell's that ends the reader is not blamed on the file" {
  "$HOLMBERG" ic plummer -n 100 -o ok.h5 --quiet
  printf '#!/bin/sh\nwhile :; do :; done\n' >slow
  printf '#!/bin/sh\nprintf HBchild1\nexit 1\n' >small
  chmod +x slow small
  run --separate-stderr env HB_CHILD="$PWD/slow" bash -c "ulimit -t 1; exec '$HOLMBERG' info ok.h5"
  echo "$status $stderr"
  [ "$status" -eq 4 ]
  [[ $stderr == 'holmberg: cannot read ok.h5: the limit of processor time (ulimit -t) ended '* ]]
  HB_CHILD=$PWD/small fails_with 3 'ok.h5: the HDF5 library gave up on it, the file is damaged' info ok.h5 # the negative control
}

# commands FILE: how many characters in it a terminal obeys: escapes, U+009B and its like, what turns writing around
commands() {
  python3 - "$1" <<'PYTHON'
import re, sys
text = open(sys.argv[1], "rb").read().decode("utf-8", "surrogateescape")
print(len(re.findall("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\udc80-\udc9f]", text)))
PYTHON
}

@test "notes and file names command no terminal, as bytes, as C1 or from right to left; letters are as they were" {
  local evil=$'\e[31m\xc2\x9b31m\xe2\x80\xaeabc\xe2\x81\xa6\x9b1m\x7f' good=$'caf\xc3\xa9 \xe6\x98\x9f\xe5\xa1\x94'
  two_bodies >two.txt
  printf '# note: %s %s\n' "$evil" "$good" | cat - two.txt >a.txt
  sed -i "1s/^# note: /# history: /" a.txt
  local name=$'na\e[31m\xc2\x9bme\xe2\x80\xae'"$good"$'\nx'
  cp a.txt "$name.txt"
  "$HOLMBERG" convert two.txt "$name.h5" >convert.out
  "$HOLMBERG" ic plummer -n 4 -o "$name.2.h5" >ic.out
  "$HOLMBERG" scale "$name.2.h5" "$name.3.h5" --mass 2 >scale.out
  "$HOLMBERG" ic combine "$name.2.h5" "$name.3.h5" --at 1,0,0 -o "$name.4.h5" >combine.out
  "$HOLMBERG" diff "$name.txt" "$name.4.h5" >diff.out 2>&1 || true
  "$HOLMBERG" info "$name.txt" >info.out
  "$HOLMBERG" analyze "$name.2.h5" >analyze.out 2>&1 || true
  "$HOLMBERG" info "$name.none" 2>missing.out || true
  "$HOLMBERG" info "$name.txt" --json >json.out
  for file in *.out; do
    echo "$file: $(commands "$file") commands, expected 0; $(wc -l <"$file") lines"
    [ "$(commands "$file")" -eq 0 ]
    [ -s "$file" ]
    grep -q "$good" "$file"
  done
  for file in convert ic scale combine missing; do
    [ "$(wc -l <$file.out)" -eq 1 ]
  done
  python3 - "$name.txt" "$good" <<'PYTHON'
import json, sys
row = json.load(open("json.out", encoding="utf-8"))
print(ascii(row["file"]), ascii(row["notes"]["history"]))
assert row["file"] == sys.argv[1] and "\u009b31m\u202eabc\u2066\ufffd" in row["notes"]["history"]
assert sys.argv[2] in row["notes"]["history"]
PYTHON
}
