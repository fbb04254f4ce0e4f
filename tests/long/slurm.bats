#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031 # run sets these, each test is a subshell
# The scripts of src/cli/README.md in a real queue: Slurm's three daemons on this machine. Jobs with a limit of a minute are stopped
# before it, queued again and end with the bytes of a run that was never stopped. About ten minutes on two cores.
load ../cli/common
load ../support/slurm

setup() {
  mkdir "$BATS_TEST_TMPDIR/here" && cd "$BATS_TEST_TMPDIR/here" || return 1
  export HB_CONTEXT=osmesa OMP_NUM_THREADS=1
}

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl_tcp_if_include=lo OMPI_MCA_rmaps_base_oversubscribe=1

setup_file() {
  guide=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)/src/cli/README.md
  mkdir "$BATS_FILE_TMPDIR/bin" && ln -s "$HOLMBERG" "$BATS_FILE_TMPDIR/bin/holmberg"
  export guide PATH=$BATS_FILE_TMPDIR/bin:$PATH OMPI_MCA_orte_tmpdir_base=$BATS_FILE_TMPDIR
  queue_begin "$(mktemp -d)"
}

teardown_file() {
  queue_end
}

teardown() {
  cat slurm-*.out 2>/dev/null | grep -v '^ *[0-9]' | tail -n 40
  tail -n 20 "$(dirname "$SLURM_CONF")/slurmctld.log"
}

# queued ARG...: the script of the guide in the folder, as a job of this machine's size and a minute; its number in $job. Slurm looks
# twice a minute whether it is time for a signal: TERM@20 comes 10 to 40 seconds after the start.
queued() { job=$(sbatch --parsable -N 1 --ntasks-per-node=2 --cpus-per-task=1 -t 1 "$@" job); }

# ended SECONDS: waits for the job, or all of its array
ended() {
  local late=$((SECONDS + $1))
  while [ -n "$(squeue -h -j "$job" 2>/dev/null)" ]; do
    [ $SECONDS -lt $late ] || { squeue && return 1; }
    sleep 1
  done
}

# stops OUTPUT: how often that job was stopped with a checkpoint
stops() { grep -c '^holmberg: stopped by SIGTERM at t = .*; to continue: holmberg run --resume ' "$1"; }

# rows FILE: without the time on the clock
rows() { grep '^ *[0-9]' "$1" | awk '{ $NF = ""; print }'; }

# code JOB: the exit code that Slurm has of it
code() { scontrol show job "$1" | sed -n 's/.*ExitCode=\([0-9]*\):.*/\1/p' | head -n 1; }

# far WORD...: a time that `WORD... holmberg run --t-end 100 ...` reaches in a minute and a half here, whatever else the machine does: from
# where it is after 15 s
far() {
  local t
  "$@" --t-end 100 --checkpoint far.ckpt >/dev/null 2>far.said 3>&- &
  sleep 15
  pkill -TERM -x holmberg -P $! || kill -TERM $!
  wait $! || true
  t=$(sed -n 's/^holmberg: stopped by SIGTERM at t = \([0-9.]*\);.*/\1/p' far.said)
  rm -f far.ckpt
  awk "BEGIN { t = int(48 * ${t:-17}) / 8; print (t > 100 ? 100 : t < 0.25 ? 0.25 : t) }"
}

# some_stars: cluster.h5 and $end, a time that two ranks reach in a minute or two, the same for all
some_stars() {
  local kept=$BATS_FILE_TMPDIR/cluster.h5
  if [ ! -e "$kept" ]; then
    holmberg ic plummer -n 400 --seed 1 -o "$kept" --quiet
    far mpirun -n 2 --bind-to none holmberg run "$kept" >"$BATS_FILE_TMPDIR/end"
  fi
  cp "$kept" cluster.h5
  end=$(<"$BATS_FILE_TMPDIR/end")
  echo "400 stars to t = $end"
}

# script WORD...: the guide's, to $end
script() { queue_script "$guide" "$@" | sed "s/--t-end 100 /--t-end $end /"; }

# whole_run: whole.h5 and its rows in `whole`, of two ranks that were never stopped; once for all
whole_run() {
  local kept=$BATS_FILE_TMPDIR/whole
  [ -e "$kept" ] || mpirun -n 2 --bind-to none holmberg run cluster.h5 --t-end "$end" -o "$kept.h5" >"$kept"
  cp "$kept" "$kept.h5" .
}

# same_end NAME: stopped twice at least, its end has the bytes of whole.h5, and its rows are those of `whole`
same_end() {
  echo "stopped $(stops "slurm-$job.out") times"
  [ "$(stops "slurm-$job.out")" -ge 2 ]
  [ "$(code "$job")" -eq 0 ]
  cmp end.h5 whole.h5
  diff <(rows "slurm-$job.out") <(rows whole)
}

@test "the guide's script, two ranks by srun --mpi=pmix: stopped twice, queued again, the bytes of a whole run" {
  srun --mpi=list 2>&1 | grep -qw pmix || skip 'this Slurm has no PMIx'
  some_stars
  script >job
  grep -q -- "--t-end $end " job
  queued --signal=TERM@20
  ended 1500
  whole_run
  same_end
}

@test "the same with its lines for mpirun" {
  some_stars
  script mpirun | sed 's/^mpirun --oversubscribe -n 4 /mpirun --oversubscribe -n 2 /' >job
  grep -q '^mpirun --oversubscribe -n 2 .*holmberg run' job
  queued --signal=B:TERM@20
  ended 1500
  whole_run
  same_end
}

@test "an array of a hundred seeds, one of them so long that it is stopped and queued again alone" {
  local k
  for ((k = 1; k <= 100; k++)); do holmberg ic demo1 -n 16 --seed $k -o cluster$k.h5 --quiet; done
  holmberg ic plummer -n 3000 --seed 7 -o cluster7.h5 --quiet
  end=$(far holmberg run cluster7.h5)
  echo "3000 stars to t = $end"
  script >job
  queued --signal=TERM@20 --ntasks-per-node=1 --array=1-100
  ended 2400
  for ((k = 1; k <= 100; k++)); do
    holmberg run cluster$k.h5 --t-end "$end" -o whole.h5 --quiet
    cmp end$k.h5 whole.h5
  done
  echo "the seventh was stopped $(stops slurm-"${job}_7".out) times"
  [ "$(stops slurm-"${job}_7".out)" -ge 1 ]
}

@test "exit codes: a usage error is no reason to begin again, nor is a rank that is killed" {
  queue_script "$guide" >job
  queued --signal=TERM@10 # there is no cluster.h5
  ended 120
  [ "$(code "$job")" -eq 4 ]
  holmberg ic plummer -n 512 --seed 1 -o cluster.h5 --quiet
  queued --signal=TERM@1
  until_true grep -q '^ *1 ' "slurm-$job.out"
  kill -9 "$(scontrol listpids "$job.0" | awk '$2 == "'"$job"'" { print $1 }' | tail -n 1)"
  ended 120
  echo "a rank was killed: exit code $(code "$job")"
  [ "$(code "$job")" -eq 137 ]
  [ ! -e end.h5 ]
}
