#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031 # run sets these, each test is a subshell
# What a run may write to: one writer at a time, no file that is not its own, no link, and nothing left behind.
load common

# made ARG...: a finished run of a while in end.h5 and rows.csv, with both generations of its checkpoint.
made() {
  "$HOLMBERG" ic plummer -n 16 --seed 1 -o cluster.h5 --quiet
  "$HOLMBERG" run cluster.h5 --scheme host --t-end 0.25 --quiet --checkpoint run.ckpt -o end.h5 --diag rows.csv "$@"
}

# begin ARG...: a run of a long time in the background; its number in $pid.
begin() {
  set -m
  "$HOLMBERG" run cluster.h5 --scheme host --t-end 1e6 --diag-every 1e6 --quiet "$@" 2>said &
  pid=$!
  set +m
}

# until_true COMMAND...: waits for it, up to a minute.
until_true() {
  for ((k = 0; k < 1200; k++)); do
    "$@" && return
    sleep 0.05
  done
  return 1
}

# ---- a forger's tools: checkpoints that say what he likes, with checksums that are right ----

# little BYTES NUMBER: as it lies in the file.
little() {
  local k
  # shellcheck disable=SC2059
  for ((k = 0; k < $1; k++)); do printf "\\x$(printf %02x $(($2 >> 8 * k & 255)))"; done
}
crc() { gzip -c | tail -c 8 | head -c 4; }

# forge FILE SCRIPT: the strings of its run's record as `sed -zE` changes them; the format is in src/io/checkpoint.h.
forge() {
  local file=$1 head row at size more
  mapfile -t head < <(od -An -v -w1 -tu1 -N1024 "$file") # one number for each byte
  number() { echo $((head[$1] + (head[$1 + 1] << 8) + (head[$1 + 2] << 16))); }
  at=$((32 + 40 * head[24]))
  for ((row = 32; head[row] != 111 || head[row + 1] != 119 || head[row + 2] != 110; row += 40)); do # "own"
    at=$((at + $(number $((row + 32))) * (head[row + 24] ? 8 : 1)))
  done
  size=$(number $((row + 32)))
  tail -c +$((at + 1)) "$file" | head -c "$size" | sed -z -E "$2" >own
  more=$(($(wc -c <own) - size))
  { head -c 16 "$file" && little 8 $(($(number 16) + more)) && little 4 "${head[24]}"; } >start
  { head -c $((row + 28)) "$file" | tail -c +33 && crc <own && little 8 $((size + more)) &&
    head -c $((32 + 40 * head[24])) "$file" | tail -c +$((row + 41)); } >table
  { cat start && cat start table | crc && cat table && head -c $at "$file" | tail -c +$((33 + 40 * head[24])) &&
    cat own && tail -c +$((at + size + 1)) "$file"; } >made
  mv made "$file"
}

@test "a forged checkpoint replaces no file of others, and cuts none" {
  made
  echo 'the only copy' >thesis.txt
  echo 'x,y' >table.csv
  cp thesis.txt thesis.kept
  cp table.csv table.kept
  cp run.ckpt good.ckpt
  forge run.ckpt 's/.*/&/' # the tool itself changes nothing
  cmp run.ckpt good.ckpt
  forge run.ckpt 's/end.h5/thesis.txt/g'
  fails_with 4 'cannot write thesis.txt: it is there and this run did not write it; give -o anew to replace it' \
    run --resume run.ckpt
  # neither is a file that the forger has a device and an inode of
  for marks in '1 1 4 0' "$(stat -c '%i %d' table.csv) 0 0" "$(stat -c '%i %d' table.csv) 4 99"; do
    cp good.ckpt run.ckpt
    forge run.ckpt "s/rows.csv/table.csv/g; s/appended .* table.csv/appended $marks table.csv/"
    fails_with '[34]' '*table.csv*' run --resume run.ckpt
  done
  # nor what a snapshot of other particles, of another run of the same ones or of the series holds
  "$HOLMBERG" ic plummer -n 16 --seed 2 -o other.h5 --quiet
  "$HOLMBERG" run cluster.h5 --scheme host --t-end 0.25 --eta 0.02 --quiet -o eta.h5
  for name in other eta; do
    cp good.ckpt run.ckpt
    cp $name.h5 $name.kept
    forge run.ckpt "s/end.h5/$name.h5/g"
    fails_with 4 "cannot write $name.h5: it is there and this run did not write it; *" run --resume run.ckpt
    cmp $name.h5 $name.kept
    "$HOLMBERG" run cluster.h5 --scheme host --t-end 0.25 --snap-every 1/8 --quiet -o series.h5 --checkpoint s.ckpt
    cp $name.h5 series_0002.h5
    fails_with 4 'cannot write series_0002.h5: it is there and *' run --resume s.ckpt~
    cmp series_0002.h5 $name.kept
    rm s.ckpt*
  done
  cmp thesis.txt thesis.kept
  cmp table.csv table.kept
}

@test "fields that no run has, in a record with the right checksums" {
  made --snap-every 1/8
  cp run.ckpt good.ckpt
  local field value
  for field in {1..8}; do
    for value in nan -inf 0x1p+70 1.5e300 ''; do
      [[ $field == [36] && $value =~ ^[01] ]] && continue # an energy and a wall time may be what they like
      cp good.ckpt run.ckpt
      forge run.ckpt "s/^(progress( [^ ]+){$((field - 1))}) [^ ]+/\1 $value/"
      fails_with 3 'run.ckpt: the checkpoint *' run --resume run.ckpt
    done
  done
  for change in 's/^option --t-end=.*/option --help/' 's/^(option --snap-every=).*/\11e-30/' \
    's/^option --quiet/option --diag-every=1e-30/' 's/^option --t-end=.*/option --t-end=1e17/' \
    's/^option --t-end=.*/option --t-end=-1/' 's/^option --snap.*/option --damping=0.5/' 's/^operand/opera/' \
    's/^option --diag=.*/option --diag=rows.xls/'; do
    cp good.ckpt run.ckpt
    forge run.ckpt "$change"
    fails_with '[23]' '*run.ckpt*' run --resume run.ckpt
  done
}
