#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031 # run sets these, each test is a subshell
# Runs that are stopped within a block step: by a signal, --max-hours, and several times at random.
load common

# A pair whose block step is many revolutions: half a minute of work.
begin_long() {
  "$HOLMBERG" ic twobody --e 0.3 -o pair.txt --quiet
  rm -f run.ckpt*
  "$HOLMBERG" run pair.txt --eps 0 --scheme host --pn 300 --dt-max 2^22 --t-end 2^22 --diag-every 2^22 --quiet \
    --checkpoint run.ckpt "$@" 2>said 3>&- & pid=$!
  until [ -e run.ckpt ] || ! kill -0 $pid 2>/dev/null; do sleep 0.01; done
}

# Waits for the end of the run; its exit code in $code, after how many milliseconds in $took.
await() {
  local from
  from=$(date +%s%N) code=0
  wait $pid || code=$?
  took=$((($(date +%s%N) - from) / 1000000))
}

@test "SIGTERM and SIGHUP end a run within a block step, with a checkpoint" {
  for signal in TERM HUP; do
    begin_long
    sleep 0.5
    kill -$signal $pid
    await
    echo "SIG$signal: exit code $code after $took ms: $(cat said)"
    [ $code -eq 75 ]
    [ $took -lt 1000 ]
    grep -q "stopped by SIG$signal at t = 0; to continue: holmberg run --resume run.ckpt" said
  done
  "$HOLMBERG" run --resume run.ckpt 2>said 3>&- & pid=$!
  sleep 1
  kill -TERM $pid
  await
  [ $code -eq 75 ]
  grep -q 'stopped by SIGTERM at t = 0' said
}

# Waits until process $pid is the program, and no longer the shell that becomes it, and has a handler for SIGTERM, which is bit 14 of SigCgt.
await_handler() {
  local mask
  while kill -0 "$pid" 2>/dev/null; do
    [ "$(readlink /proc/"$pid"/exe)" = "$(readlink -f "$HOLMBERG")" ] || continue
    mask=$(sed -n 's/^SigCgt:[[:space:]]*//p' /proc/"$pid"/status)
    [ $((16#${mask:-0} & 16#4000)) -eq 0 ] || return 0
  done
}

# A file that never comes: the run is being opened for as long as it takes.
@test "signals end a run that is being opened, with one sentence" {
  mkfifo never.txt
  for signal in TERM INT HUP; do
    (trap - INT && exec "$HOLMBERG" run never.txt --quiet) >table 2>said 3>&- & pid=$!
    await_handler
    kill -$signal $pid
    await
    echo "SIG$signal: exit code $code after $took ms: $(cat said)"
    [ $code -eq 75 ]
    [ $took -lt 1000 ]
    grep -q "stopped by SIG$signal before the first step" said
    [ ! -s table ]
  done
  files never.txt said table
}

# The bag's shaders take some time to build; where a signal comes after that, the run is stopped in its first steps.
@test "a run that is stopped soon after it is resumed leaves a checkpoint that goes on" {
  "$HOLMBERG" ic plummer -n 64 -o stars.txt --quiet
  accepts run stars.txt --scheme bag --no-tune --context osmesa --t-end 1/64 --checkpoint run.ckpt --quiet
  for signal in TERM INT HUP; do
    (trap - INT && exec "$HOLMBERG" run --resume run.ckpt --t-end 1000 --quiet) >table 2>said 3>&- & pid=$!
    await_handler
    kill -$signal $pid
    await
    echo "SIG$signal: exit code $code after $took ms: $(cat said)"
    [ $code -eq 75 ]
    [ $took -lt 1000 ]
    [ ! -s table ]
  done
  accepts run --resume run.ckpt --max-hours 1e-9 --quiet || [ "$status" -eq 75 ]
}

@test "--max-hours ends a run within a block step" {
  begin_long --max-hours 0.0003
  await
  echo "exit code $code after $took ms: $(cat said)"
  [ $code -eq 75 ]
  [ $took -lt 3000 ]
  grep -q 'stopped by --max-hours at t = 0' said
}

@test "stopped by SIGTERM at random and resumed: the same bytes, each within a second" {
  run "$BATS_TEST_DIRNAME/../../tools/term_test.sh" 6
  echo "$output"
  [ "$status" -eq 0 ]
}

@test "--json: the seconds of each phase, and what takes the time" {
  "$HOLMBERG" ic plummer -n 64 --binaries 1 -o c.txt --quiet
  for options in '--neighbors 0' '--neighbors 16'; do
    # shellcheck disable=SC2086 # two words
    accepts run c.txt --eps 0 --scheme host --t-end 0.25 --json --max-energy-error none $options
    printf '%s\n' "$output" >rows.jsonl
    python3 - "$options" <<'END'
import json, sys
rows = [json.loads(line) for line in open("rows.jsonl")]
assert len(rows) > 2
for row in rows:
    phases, slow = row["phases"], row["slow"]
    assert list(phases) == ["predict", "send", "far", "receive", "near", "lists", "groups", "correct"], phases
    assert sum(phases.values()) <= 2 * row["wall_s"] + 1, phases
    assert 0 <= slow["particle"] < 64 and 0 <= slow["nearest"] < 64 and slow["nearest"] != slow["particle"]
    assert 0 < slow["distance"] < 100 and slow["at_dt_min"] is False
    assert slow["criterion"] in ("unknown", "eq9", "noise", "new", "grows", "mass", "group", "far"), slow
last = rows[-1]
assert last["phases"]["groups"] > 0 and last["phases"]["correct"] > 0
assert (last["phases"]["near"] > 0) == ("16" in sys.argv[1])
assert last["slow"]["step"] >= last["dt_least"]
members = last["slow"]["members"]
assert 2 <= len(members) == len(set(members)) <= 8 and all(0 <= one < 64 for one in members)
assert last["slow"]["evaluations"] > 0 and last["slow"]["period"] > 0 and last["slow"]["revolutions"] > 0
END
  done
}
