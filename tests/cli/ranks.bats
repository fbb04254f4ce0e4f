#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2012,SC2016,SC2030,SC2031 # run sets these, each test is a subshell
# Several ranks do one run, started by mpirun: two processors are enough, ranks take turns there.
load common

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMP_NUM_THREADS=1
export OMPI_MCA_btl_tcp_if_include=lo # of one machine; others may have no way to each other
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe # Open MPI 5's word for it
export OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_odls_base_sigkill_timeout=0 # of ranks that have ended: mpirun waits twice as long

limit=300 # seconds, after which a job hangs

setup_file() {
  cc -std=c11 -D_GNU_SOURCE -shared -fPIC "$BATS_TEST_DIRNAME/yields.c" -o "$BATS_FILE_TMPDIR/yields.so"
  export LD_PRELOAD=$BATS_FILE_TMPDIR/yields.so
}

teardown() { [ -z "${pid:-}" ] || kill -9 "$pid" $(pgrep -P "$pid") 2>/dev/null || :; }

cluster() { "$HOLMBERG" ic plummer -n "${1:-256}" --seed 1 -o cluster.h5 --quiet; }

# ranks COUNT ARG...: the program by so many ranks; mpirun's own lines about a failure are left out of $said.
ranks() {
  local count=$1
  shift
  run --separate-stderr timeout $limit mpirun -n "$count" "$HOLMBERG" "$@"
  said=$(grep '^holmberg: \|^try ' <<<"$stderr" | grep -v '^holmberg: ranks\? [0-9, ]* of' || :)
  echo "exit code $status, standard output: $output, standard error: $stderr"
}

# begin COUNT ARG...: the same in the background: a run without an end and its checkpoint; $pid is that of mpirun, each of
# $numbers is a rank's.
begin() {
  local count=$1
  shift
  mpirun -n "$count" "$HOLMBERG" run cluster.h5 --scheme host --t-end 1e6 --diag-every 1e6 --checkpoint run.ckpt \
    --checkpoint-every 0.1s "$@" >rows 2>said 3>&- &
  pid=$!
  until_true test -e run.ckpt~
  numbers=$(pgrep -P "$pid" -x "$(basename "$HOLMBERG")")
  [ "$(wc -w <<<"$numbers")" -eq "$count" ]
}

# ended: waits for mpirun, and that none of its ranks is left; its exit code in $code.
ended() {
  local number
  code=0
  until_true eval "! kill -0 $pid 2>/dev/null"
  wait "$pid" || code=$?
  echo "exit code $code: $(cat said)"
  for number in $numbers; do
    until_true eval "! kill -0 $number 2>/dev/null || grep -q '^State:.Z' /proc/$number/status"
  done
}

# same A B: two snapshots of the same bytes, but for what their headers say.
same() {
  local file
  for file in "$1" "$2"; do "$HOLMBERG" convert "$file" "$file.txt" --quiet && grep -v '^#' "$file.txt" >"$file.rows"; done
  cmp "$1.rows" "$2.rows"
}

@test "mpirun as the guide prints it, in its tour and in full, on two cores" {
  local root=$BATS_TEST_DIRNAME/../.. line
  unset OMPI_MCA_rmaps_base_oversubscribe
  echo 'localhost slots=2' >hosts
  export OMPI_MCA_orte_default_hostfile=$PWD/hosts PATH=$PWD:$PATH
  ln -s "$HOLMBERG" holmberg
  cluster
  line=$(sed -n 's/^`\(mpirun .*holmberg run\) \.\.\.`.*/\1/p' "$root/src/cli/README.md")
  echo "$line"
  # shellcheck disable=SC2086 # words
  run -0 timeout $limit $line cluster.h5 --t-end 1/64 --scheme host -o end.h5
  line=$(sed -n '/^## Several processes/,/^## /s/^mpirun .* --scheme tile/&/p' "$root/src/cli/README.md")
  line=${line/--scheme tile --t-end 100/--scheme host --t-end 1/64}
  echo "$line"
  # shellcheck disable=SC2086 # words
  run -0 timeout $limit $line
  for file in end.h5 run.ckpt; do [ -s $file ]; done
}

@test "as many ranks give the same bytes again, other numbers of ranks the same orbits" {
  cluster
  for count in 2 3; do
    ranks "$count" run cluster.h5 --scheme host --t-end 0.25 -o "end$count.h5" --quiet
    [ "$status" -eq 0 ] && [ -z "$said" ]
    ranks "$count" run cluster.h5 --scheme host --t-end 0.25 -o again.h5 --quiet
    cmp "end$count.h5" again.h5
  done
  accepts run cluster.h5 --scheme host --t-end 0.25 -o end.h5 --quiet
  accepts diff end.h5 end2.h5 --tolerance 1e-12
  accepts diff end.h5 end3.h5 --tolerance 1e-12
  run "$HOLMBERG" diff end.h5 end2.h5 # sums in another order: else the next test would show nothing
  [ "$status" -eq 1 ]
}

@test "test particles are no sources: as many pairs, and the orbits of one rank" {
  "$HOLMBERG" ic plummer -n 200 --seed 1 -o - | grep -v '^#' >stars.txt
  "$HOLMBERG" ic plummer -n 300 --seed 2 -o - | grep -v '^#' | awk '{ $1 = 0; print }' >>stars.txt
  accepts run stars.txt --scheme host --t-end 1/16 -o one.txt --quiet
  for words in sinks_from=1@3 sinks_from=all@3; do # all shared out by sinks, by sources
    ranks 3 run stars.txt --scheme host --t-end 1/16 --json -o three.txt --tuning "$words"
    [ "$status" -eq 0 ]
    tail -n 1 <<<"$output" | grep -Eo '"(particle_steps|pairs)": [0-9]+' | awk '{ n[NR] = $2 } END { exit n[2] != 200 * n[1] }'
    accepts diff one.txt three.txt --tolerance 1e-12
  done
  options=(run stars.txt --scheme host --precision reproducible --t-end 1/16 --json)
  accepts "${options[@]}"
  hash=$(grep -o '"state_hash": "[0-9a-f]*"' <<<"$output")
  ranks 3 "${options[@]}"
  [[ $output == *"$hash"* ]]
}

@test "precision reproducible: the bytes of one rank with 2, 3, 4 and 7, whatever is shared out" {
  cluster
  accepts run cluster.h5 --scheme host --precision reproducible --t-end 0.25 -o end.h5 --quiet
  for count in 2 3 4 7; do
    ranks "$count" run cluster.h5 --scheme host --precision reproducible --t-end 0.25 -o "end$count.h5" --quiet
    [ "$status" -eq 0 ]
    same end.h5 "end$count.h5"
  done
  ranks 3 run cluster.h5 --scheme host --precision reproducible --t-end 0.25 --tuning sinks_from=8 -o sinks.h5 --quiet
  same end.h5 sinks.h5
}

# A limit on the size of files refuses it; SIGXFSZ, which would end the program, is ignored.
@test "stars that age: the bytes of one rank with 2 and 3, through supernovae, and resumed by another number of them" {
  for ((k = 0; k < 64; k++)); do echo "$((k < 4 ? 25 - 3 * k : 1))"; done >masses.txt
  "$HOLMBERG" ic plummer -n 64 --masses masses.txt --length-unit 1 --seed 2 -o c.h5 --quiet
  how=(run c.h5 --stars zams --kick 5 --scheme host --precision reproducible --eps 0 --quiet)
  accepts "${how[@]}" --t-end 10Myr -o one.h5
  ranks 3 "${how[@]}" --t-end 10Myr -o three.h5
  same one.h5 three.h5
  ranks 2 "${how[@]}" --t-end 8Myr --checkpoint run.ckpt
  "$HOLMBERG" run --resume run.ckpt --t-end 10Myr -o two.h5 --quiet
  same one.h5 two.h5
  lost=$(awk '{ m += $1 } END { print 1 - m }' one.h5.rows)
  echo "mass lost: $lost"
  awk "BEGIN { exit !($lost > 0.2) }"
}

@test "ranks of one machine share memory; where it is refused to one or to all, the bytes are the same without" {
  cluster
  limit=60
  options=(run cluster.h5 --scheme host --precision reproducible --t-end 0.25 --tuning sinks_from=8 --json)
  accepts "${options[@]}"
  hash=$(grep -o '"state_hash": "[0-9a-f]*"' <<<"$output")
  ranks 3 "${options[@]}" --verbose
  [ "$status" -eq 0 ]
  [[ $stderr == *"ranks share "*" bytes of memory"* ]]
  [[ $output == *"$hash"* ]]
  for ((k = 0; k < 300; k++)); do # others' runs have theirs for a moment
    left=$(ls /dev/shm/holmberg-* 2>/dev/null) || break
    sleep 0.1
  done
  [ -z "$left" ]
  cat >start <<'END'
#!/bin/sh
trap '' XFSZ
case $REFUSED in *$OMPI_COMM_WORLD_RANK*) ulimit -f 8 ;; esac
exec "$@"
END
  chmod +x start
  export OMPI_MCA_btl=self,tcp # MPI's own files are larger
  for REFUSED in 0 012; do
    export REFUSED
    run --separate-stderr timeout $limit mpirun -n 3 ./start "$HOLMBERG" "${options[@]}" --verbose
    echo "refused to $REFUSED: exit code $status, standard output: $output, standard error: $stderr"
    [ "$status" -eq 0 ]
    [[ $stderr == *"ranks share no memory"* ]]
    [[ $output == *"$hash"* ]]
  done
}

@test "the table is printed once, and the devices, and the header says how many ranks there were" {
  cluster
  ranks 3 run cluster.h5 --scheme host --t-end 0.125 -o end.h5
  [ "$status" -eq 0 ]
  [ "${#lines[@]}" -eq 3 ]
  [[ $stderr == *"holmberg: ranks 0, 1, 2 of 3 on "*": "* ]]
  accepts info end.h5
  [[ $output == *"device"*", 3 ranks"* ]]
  [[ $output == *"sinks_from="*"@3"* ]]
  stated=$("$HOLMBERG" info -n 256 --json | grep -o '"scheme": "host", "precision": "double".[^}]*') # host + 256 host_rank
  [[ $stated =~ '"host": '([0-9.]+)', "host_rank": '([0-9.]+)$ ]]
  stated=$(awk -v host="${BASH_REMATCH[1]}" -v rank="${BASH_REMATCH[2]}" 'BEGIN { printf "%.0f", host + 256 * rank }')
  [[ $output =~ bytes_per_rank\ +$stated($'\n'|$) ]]
  "$HOLMBERG" ic plummer -n 64 --mass-unit 100 --length-unit 1 -o units.h5 --quiet # which rank 0 alone has read
  ranks 2 run units.h5 --scheme host --t-end 0.125 --units astro
  [ "$status" -eq 0 ]
  [ "${lines[0]}" = '# t in Myr, E in solar masses (km/s)^2, r_half in pc' ]
}

@test "what is wrong with the words is said once, and other commands are rank 0's alone" {
  cluster
  ranks 4 run cluster.h5 --scheme hast
  [ "$status" -eq 2 ]
  [ "$said" = "holmberg: option --scheme: unknown value 'hast'; did you mean 'host'?"$'\n'"try 'holmberg run --help'" ]
  ranks 2 run missing.h5
  [ "$status" -eq 4 ]
  [ "$said" = 'holmberg: cannot read missing.h5: No such file or directory' ]
  ranks 3 ic plummer -n 16 -o made.h5
  [ "$status" -eq 0 ]
  [ "${#lines[@]}" -eq 1 ]
  ranks 2 run cluster.h5 --scheme bag --predict gpu
  [ "$status" -eq 2 ]
  [[ $said == "holmberg: with several ranks, scheme bag keeps no particles on a device (expected predict host, or one process with device 0,1)"* ]]
  # not by two command lines of mpirun, in which that of Open MPI 5.0.7 itself crashes
  run timeout $limit mpirun -n 2 sh -c 'exec "$HOLMBERG" run cluster.h5 --eta "0.0$((OMPI_COMM_WORLD_RANK + 1))"'
  echo "exit code $status of two command lines: $output"
  [ "$status" -eq 2 ]
  [[ $output == *"rank 1 of 2: its command line differs from that of rank 0"* ]]
}

@test "stopped, and resumed by another number of ranks: the bytes of a run that is not" {
  cluster
  options=(--scheme host --precision reproducible --t-end 0.25)
  accepts run cluster.h5 "${options[@]}" -o whole.h5 --quiet
  ranks 3 run cluster.h5 "${options[@]}" -o end.h5 --checkpoint run.ckpt --max-hours 1e-9
  [ "$status" -eq 75 ]
  [[ $said == 'holmberg: stopped by --max-hours at t = '*'; to continue: holmberg run --resume run.ckpt' ]]
  ranks 2 run --resume run.ckpt --max-hours 1e-9
  [ "$status" -eq 75 ]
  ranks 4 run --resume run.ckpt --max-hours 9
  [ "$status" -eq 0 ]
  same whole.h5 end.h5
}

@test "SIGTERM to one rank: all stop after the same step, exit code 75" {
  cluster
  begin 3
  kill -TERM "$(tail -n 1 <<<"$numbers")"
  ended
  [ "$code" -eq 75 ]
  grep -q 'stopped by SIGTERM at t = .*; to continue: holmberg run --resume run.ckpt' said
  [ "$(grep -c stopped said)" -eq 1 ]
  ranks 2 run --resume run.ckpt --max-hours 1e-9
  [ "$status" -eq 75 ]
}

@test "kill -9 of a rank ends the others, and the run resumes to the bytes of one that was not killed" {
  cluster
  begin 3 --precision reproducible
  kill -9 "$(sed -n 2p <<<"$numbers")"
  ended
  [ "$code" -eq 137 ]
  t=$("$HOLMBERG" run --resume run.ckpt --max-hours 1e-9 2>&1 | sed -n 's/.*stopped by .* at t = \([0-9.]*\);.*/\1/p')
  end=$(awk -v t="$t" 'BEGIN { print int(t) + 1 }')
  ranks 2 run --resume run.ckpt --t-end "$end" --max-hours 9 -o end.h5
  [ "$status" -eq 0 ]
  accepts run cluster.h5 --scheme host --precision reproducible --t-end "$end" -o whole.h5 --quiet
  same whole.h5 end.h5
}

# One of them is told to use a device that there is not.
@test "a rank that fails ends all with its sentence, its number and its exit code" {
  cluster 64
  cat >start <<'END'
#!/bin/sh
[ "$OMPI_COMM_WORLD_RANK" -ne 2 ] || export HB_CONTEXT=osmesa HB_DEVICE=7
exec "$@"
END
  chmod +x start
  run --separate-stderr timeout $limit env HB_CONTEXT=osmesa LP_NUM_THREADS=0 mpirun -n 3 ./start "$HOLMBERG" run cluster.h5 \
    --scheme bag --checkpoint run.ckpt
  echo "exit code $status: $stderr"
  [ "$status" -eq 2 ]
  [ "$(grep -c '^holmberg: rank 2 of 3: ' <<<"$stderr")" -eq 1 ]
  [ "$(grep -c '^holmberg: ' <<<"$stderr")" -eq 1 ]
}

@test "a rank that fails alone while the others work says so itself, and ends them" {
  cluster
  begin 2
  until rm -f run.ckpt && mkdir run.ckpt; do :; done # rank 0 cannot write its checkpoint any more
  ended
  [ "$code" -eq 4 ]
  [ "$(grep -c '^holmberg: .*run.ckpt' said)" -eq 1 ]
}

@test "without MPI: one sentence under a launcher, and nothing else changes" {
  cp "$HOLMBERG" "$(dirname "$HOLMBERG")/holmberg-child" .
  cluster
  HOLMBERG=$PWD/holmberg
  accepts run cluster.h5 --scheme host --t-end 0.125 --quiet
  ranks 2 run cluster.h5 --scheme host --t-end 0.125
  [ "$status" -eq 2 ]
  [[ $said == 'holmberg: 2 ranks were started, but this build has no MPI: holmberg-mpi.so is not in '*$'\n'"try 'holmberg run --help'" ]]
  HB_RANKS=off ranks 2 run cluster.h5 --scheme host --t-end 0.125 --quiet
  [ "$status" -eq 0 ] && [ -z "$said" ]
}

@test "started alone, the program loads no MPI" {
  cluster 16
  run ldd "$HOLMBERG"
  [[ $output != *libmpi* ]]
  run env HB_MPI=/nonexistent "$HOLMBERG" run cluster.h5 --scheme host --t-end 0.125 --quiet
  [ "$status" -eq 0 ] && [ -z "$output" ]
}

# As in src/cli/README.md; this shell is the queue. A run that ends before the signal finds it is made longer.
@test "a job is queued again on exit code 75 until it is done: the bytes of one that was never stopped" {
  cluster
  cat >job <<'END'
[ -e run.ckpt ] && run=(--resume run.ckpt) || run=(cluster.h5 --scheme host --precision reproducible --t-end $t_end --checkpoint run.ckpt -o end.h5)
trap 'pkill -TERM -P $pid' TERM
mpirun -n 2 --bind-to none "$HOLMBERG" run "${run[@]}" >>rows 2>>said & pid=$!
wait $pid; wait $pid; exit $?
END
  for t_end in 2 8 32; do
    rm -f run.ckpt* end.h5 rows
    t_end=$t_end bash job 3>&- &
    pid=$!
    # the second row: by then each rank has begun, and heeds signals
    until_true eval "[ -e rows ] && [ \$(grep -vc '^#' rows) -ge 2 ] || ! kill -0 $pid 2>/dev/null"
    kill -TERM "$pid" || :
    code=0
    wait "$pid" || code=$?
    [ "$code" -eq 0 ] || break
  done
  [ "$code" -eq 75 ]
  bash job 3>&-
  accepts run cluster.h5 --scheme host --precision reproducible --t-end "$t_end" -o whole.h5 --quiet
  same whole.h5 end.h5
}

@test "bench messages and model predict --ranks" {
  ranks 2 bench messages --json
  [ "$status" -eq 0 ]
  [ "${#lines[@]}" -eq 10 ]
  [[ ${lines[9]} == '{"record": "network", "ranks": 2, "t_message": '*', "t_byte": '*'}' ]]
  printf '%s\n' "${lines[@]}" >net.jsonl
  accepts model predict --machine Xeon --n 65536 --ranks 1,2,256 --network net.jsonl --json
  [ "${#lines[@]}" -eq 3 ]
  [[ ${lines[0]} == *'"ranks": 1, '*'"speedup": 1, "efficiency": 1, "most": "t_force"}' ]]
  ranks 2 bench run --n 64 --scheme host --mode all/host/host --precision double --checkpoint job.ckpt
  [ "$status" -eq 2 ] && [[ $said == 'holmberg: a measured run by several ranks has no checkpoint; leave it out'* ]]
  fails_with 2 'messages need two ranks: mpirun -n 2 holmberg bench messages' bench messages
  run "$HOLMBERG" model predict --ranks 2
  [ "$status" -eq 2 ] && [ "${lines[0]}" = 'holmberg: option --ranks needs --network FILE' ]
  echo '{"record": "message"}' >none.jsonl
  fails_with 3 "none.jsonl: no network of 'holmberg bench messages --json'" model predict --ranks 2 --network none.jsonl
  echo '{"record": "network", "ranks": 2, "t_message": -1, "t_byte": 0}' >none.jsonl
  fails_with 3 'none.jsonl, line 1: a network needs ranks > 1, *' model predict --ranks 2 --network none.jsonl
}
