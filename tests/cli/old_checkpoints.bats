#!/usr/bin/env bats
# shellcheck disable=SC2154 # run sets these
# Checkpoints of earlier versions, kept for ever in tests/data/checkpoints: each ends in the state in which its own version ended.
load common

@test "a checkpoint of each kind from an earlier version: the bits that it would have reached" {
  local name hash again kept=$BATS_TEST_DIRNAME/../data/checkpoints count=0
  while read -r name hash; do
    [ "$name" != '#' ] || continue
    cp "$kept/$name.ckpt" run.ckpt
    again=()
    case $name in list | passages) again=(--events "$name.csv") ;; esac # a file of events goes on only where it lies
    run --separate-stderr "$HOLMBERG" run --resume run.ckpt --max-hours 9 "${again[@]}"
    echo "$name: exit code $status, expected $hash, found ${lines[-1]}, standard error: $stderr"
    [ "$status" -eq 0 ]
    [[ ${lines[-1]} == *"\"state_hash\": \"$hash\""* ]]
    count=$((count + 1))
  done <"$kept/known.txt"
  [ "$count" -eq "$(find "$kept" -name '*.ckpt' | wc -l)" ]
}

@test "a section that this version does not know is refused by its name" {
  cp "$BATS_TEST_DIRNAME/../data/checkpoints/plain.ckpt" run.ckpt
  accepts run --resume run.ckpt --max-hours 1e-9 --quiet || [ "$status" -eq 75 ]
  python3 - "$BATS_TEST_DIRNAME/../support" <<'END_OF_PYTHON'
import struct, sys
sys.path.insert(0, sys.argv[1])
import made_up
head, sections = made_up.read("run.ckpt")
without = [section for section in sections if section[0] != b"sim.stop_at"]
assert len(without) == len(sections) - 1
made_up.write("less.ckpt", head, without)
made_up.write("more.ckpt", head, sections + [[b"sim.warp", made_up.DOUBLES, bytearray(struct.pack("<d", 9.0))]])
END_OF_PYTHON
  fails_with 3 "more.ckpt: section 'sim.warp' is not known to holmberg *; the file was written by holmberg *" run --resume more.ckpt
  run --separate-stderr "$HOLMBERG" run --resume less.ckpt --max-hours 9
  [ "$status" -eq 0 ]
  [[ ${lines[-1]} == *"\"state_hash\": \"$(sed -n 's/^plain //p' "$BATS_TEST_DIRNAME/../data/checkpoints/known.txt")\""* ]]
}
