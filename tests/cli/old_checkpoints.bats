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
