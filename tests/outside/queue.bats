#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031,SC2016 # run sets these, each test is a subshell; a pattern with a dollar
# Somebody whose cluster has a queue: the scripts that src/cli/README.md prints, word for word but for the time, by stand-ins for
# Slurm. Before its limit of time a job's ranks get SIGTERM, or its shell alone (--signal=B:), and it is queued again where it asks for
# it. tests/long/slurm.bats has a real Slurm.
load common
load ../support/slurm

setup() {
  mkdir "$BATS_TEST_TMPDIR/here" "$BATS_TEST_TMPDIR/bin" && cd "$BATS_TEST_TMPDIR/here" || return 1
  export PATH=$BATS_TEST_TMPDIR/bin:$PATH SLURM_JOB_ID=12
  if [ "$(id -u)" -eq 0 ]; then export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; fi # root's
  cat >"$BATS_TEST_TMPDIR/bin/srun" <<'END'
#!/bin/bash
while [[ $1 == -* ]]; do shift; done
exec "$@"
END
  printf '#!/bin/sh\n[ "$*" = "requeue 12" ] && touch again\n' >"$BATS_TEST_TMPDIR/bin/scontrol"
  chmod +x "$BATS_TEST_TMPDIR/bin/"*
}

rows() { if [ -e job.out ]; then grep -c "^ *[0-9]" job.out; else echo 0; fi || true; }

# job WHOM: the script until it ends; with WHOM, ranks or shell, SIGTERM to them after a row or two; its exit code
job() {
  local code=0 before k
  before=$(rows)
  bash script >>job.out 2>&1 3>&- &
  local job=$!
  if [ $# -gt 0 ]; then
    for ((k = 0; k < 6000 && $(rows) < before + 2; k++)); do sleep 0.01; done
    if [ "$1" = shell ]; then kill -TERM $job; else pkill -TERM -P $job; fi 2>/dev/null || true
  fi
  wait $job || code=$?
  cat job.out
  echo "exit code $code"
  return $code
}

# goes_on LAUNCHER WHOM N: the script of the guide, stopped once with a checkpoint, and done again until its end, t_end. How fast it
# runs, nobody knows, alone on the machine or not: one that ends before the signal is done again, to a later time.
goes_on() {
  local code
  holmberg ic plummer -n "$3" --seed 5 -o cluster.h5 --quiet
  for t_end in 1 4 16 64 256 1024; do
    queue_script "$(guide src/cli/README.md)" "$1" | sed "s/--t-end [0-9]*/--t-end $t_end/" >script
    grep -q -e "--t-end $t_end" script
    grep -q "^$1 .*holmberg run" script
    rm -f again job.out end.h5 run.ckpt*
    code=0
    job "$2" || code=$?
    [ $code -eq 0 ] || break
  done
  [ $code -eq 75 ]
  [ -e again ]
  [ -s run.ckpt ] && [ ! -e end.h5 ] # in the middle of it
  job
  [ "$(grep -c "^ *$t_end " job.out)" -eq 1 ]
  [ -s end.h5 ]
}

@test "Slurm's script ends with a checkpoint, is queued again, and goes on to the same end" {
  goes_on srun ranks 256
  holmberg run cluster.h5 --t-end "$t_end" -o whole.h5 --quiet
  holmberg diff end.h5 whole.h5
}

@test "the same with the lines for mpirun" {
  goes_on mpirun shell 32
}
