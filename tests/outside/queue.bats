#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031,SC2016 # run sets these, each test is a subshell; a pattern with a dollar
# Somebody whose cluster has a queue: the scripts that src/cli/README.md prints, word for word but for the time, by stand-ins for
# Slurm. A job gets SIGTERM before its limit of time, in its shell only (--signal=B:), and is queued again where it asks for it.
load common

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

# sbatch: the script until it ends, with SIGTERM after a row or two the first time; its exit code
sbatch() {
  local code=0 before k
  before=$(rows)
  bash script >>job.out 2>&1 3>&- &
  local job=$!
  if [ "$1" = short ]; then
    for ((k = 0; k < 6000 && $(rows) < before + 2; k++)); do sleep 0.01; done
    kill -TERM $job 2>/dev/null || true
  fi
  wait $job || code=$?
  cat job.out
  echo "exit code $code"
  return $code
}

# goes_on PATTERN N: a script of the guide, killed once with a checkpoint, and done again until its end, t_end. How fast it runs,
# nobody knows, alone on the machine or not: one that ends before the signal is done again, to a later time.
goes_on() {
  local code
  holmberg ic plummer -n "$2" --seed 5 -o cluster.h5 --quiet
  for t_end in 1 4 16 64 256 1024; do
    printed src/cli/README.md "$1" | sed "s/--t-end [0-9]*/--t-end $t_end/" >script
    grep -q -e "--t-end $t_end" script
    rm -f job.out end.h5 run.ckpt*
    code=0
    sbatch short || code=$?
    [ $code -eq 0 ] || break
  done
  [ $code -eq 75 ]
  [ -s run.ckpt ] && [ ! -e end.h5 ] # in the middle of it
  sbatch whole
  [ "$(grep -c "^ *$t_end " job.out)" -eq 1 ]
  [ -s end.h5 ]
}

@test "Slurm's script ends with a checkpoint, is queued again, and goes on to the same end" {
  goes_on '#SBATCH' 256
  [ -e again ]
  holmberg run cluster.h5 --t-end "$t_end" -o whole.h5 --quiet
  holmberg diff end.h5 whole.h5
}

@test "the script for Open MPI alone goes on, too" {
  goes_on 'pkill -TERM' 32
}
