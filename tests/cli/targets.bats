#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2016,SC2030,SC2031 # run sets these, each test is a subshell
# What a run may write to: one writer at a time, no file that is not its own, no link, and nothing left behind.
load common

# A run without an end would keep bats waiting for it.
teardown() { [ -z "${pids[*]}" ] || kill -9 "${pids[@]}" 2>/dev/null || :; }

# made ARG...: a finished run of a while in end.h5 and rows.csv, with both generations of its checkpoint.
made() {
  "$HOLMBERG" ic plummer -n 16 --seed 1 -o cluster.h5 --quiet
  "$HOLMBERG" run cluster.h5 --scheme host --t-end 0.25 --quiet --checkpoint run.ckpt -o end.h5 --diag rows.csv "$@"
}

# ---- a forger's tool: checkpoints that say what he likes, with checksums that are right ----

# forge FILE SCRIPT: the strings of its run's record as `sed -zE` changes them.
forge() {
  python3 - "$BATS_TEST_DIRNAME/../support" "$@" <<'END_OF_PYTHON'
import subprocess, sys
sys.path.insert(0, sys.argv[1])
import made_up
head, sections = made_up.read(sys.argv[2])
own = next(section for section in sections if section[0] == b"own")
own[2] = subprocess.run(["sed", "-z", "-E", sys.argv[3]], input=own[2], stdout=subprocess.PIPE, check=True).stdout
made_up.write(sys.argv[2], head, sections)
END_OF_PYTHON
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
  fails_with 4 'cannot write thesis.txt: it exists and this run did not write it; give -o again to replace it' \
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
    fails_with 4 "cannot write $name.h5: it exists and this run did not write it; *" run --resume run.ckpt
    cmp $name.h5 $name.kept
    "$HOLMBERG" run cluster.h5 --scheme host --t-end 0.25 --snap-every 1/8 --quiet -o series.h5 --checkpoint s.ckpt
    cp $name.h5 series_0002.h5
    fails_with 4 'cannot write series_0002.h5: it exists and *' run --resume s.ckpt~
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

@test "killed after its first snapshot with another --t-end: known as its own all the same" {
  made --snap-every 1/8
  accepts run --resume run.ckpt --t-end 0.5
  mkdir whole
  cp end*.h5 whole
  # as a kill behind end_0003.h5 leaves it: the first checkpoint of the second process is run.ckpt~ by now
  rm end.h5 end_0004.h5
  mv run.ckpt~ run.ckpt
  accepts run --resume run.ckpt
  for file in end.h5 end_000{1..4}.h5; do cmp "$file" "whole/$file"; done
}

@test "a checkpoint of the version before, which does not say what -o found" {
  made --snap-every 1/8
  cp end.h5 end.kept
  grep -aq 'found ' run.ckpt
  forge run.ckpt '/^found /d'
  grep -aq 'found ' run.ckpt && return 1
  accepts run --resume run.ckpt # its own end.h5 is known by what is in it
  cmp end.h5 end.kept
}

@test "times and intervals that no double can count: one sentence, no endless run" {
  printf '%s\n' '# t: 1e15' '0.5 1 0 0 0 0.5 0' '0.5 -1 0 0 0 -0.5 0' >late.txt
  fails_with 3 'late.txt: t = 1e+15 is too late for steps of 0.0625 (expected fewer than 2^53 from t = 0 on)' \
    run late.txt --scheme host --t-end 2e15 --dt-max 1/16
  fails_with 3 'late.txt: t = 1e+15 is too late for steps of 0.1 (*' \
    run late.txt --scheme host --t-end 2e15 --integrator leapfrog --dt 0.1
  two_bodies >two.txt
  fails_with 2 'option --t-end: 1e17 is too late for steps of 0.125 (expected fewer than 2^53 from t = 0 on)' \
    run two.txt --scheme host --t-end 1e17
  fails_with 2 'option --t-end: 1e3 is too late for rows every 1e-13 (expected fewer than 2^53 from t = 0 on)' \
    run two.txt --scheme host --dt-min 2^-60 --t-end 1e3 --diag-every 1e-13
  fails_with 2 'option --t-end: 1e3 is too late for snapshots every 1e-13 (expected fewer than 2^53 from t = 0 on)' \
    run two.txt --scheme host --dt-min 2^-60 --t-end 1e3 --snap-every 1e-13 -o a.txt
}

@test "many rows to a step do not keep SIGTERM waiting" {
  two_bodies >cluster.h5.txt
  "$HOLMBERG" run cluster.h5.txt --scheme host --dt-min 2^-40 --t-end 1e3 --diag-every 1e-9 >rows 2>said &
  pids=($!)
  until_true [ -s rows ]
  kill -TERM "${pids[0]}"
  until_true eval "! kill -0 ${pids[0]} 2>/dev/null"
}

@test "-o and --diag beside --resume: another name, or the same one anew" {
  made --snap-every 1/8
  cp end.h5 end.kept
  accepts run --resume run.ckpt~ -o other.h5 --diag other.csv
  cmp other.h5 end.kept
  cmp other_0002.h5 end_0002.h5
  [ "$(grep -c . other.csv)" -eq 3 ] # header and the rows from the checkpoint on
  [ "$(grep -c . rows.csv)" -eq 4 ]
  echo foreign >end.h5
  fails_with 4 'cannot write end.h5: it exists and this run did not write it; give -o again to replace it' \
    run --resume run.ckpt~
  accepts run --resume run.ckpt~ -o end.h5
  cmp end.h5 end.kept
}

@test "a file of rows that was moved or copied, is gone or is another's" {
  made
  cp rows.csv kept.csv
  mv rows.csv moved.csv
  fails_with 4 'rows.csv no longer exists; give --diag again to start a new one' run --resume run.ckpt
  cp kept.csv rows.csv # another inode
  fails_with 4 'cannot write rows.csv: it is not the file that the run wrote; give --diag again to continue it' \
    run --resume run.ckpt
  accepts run --resume run.ckpt --diag rows.csv # a copy will do when it is named
  cmp <(cut -d , -f 1-40 rows.csv) <(cut -d , -f 1-40 kept.csv)
  mv rows.csv moved.csv
  accepts run --resume run.ckpt --diag moved.csv # the file of its rows under another name
  cmp <(cut -d , -f 1-40 moved.csv) <(cut -d , -f 1-40 kept.csv)
  echo 't,n' >moved.csv
  fails_with 3 'run.ckpt: moved.csv has 4 bytes, the checkpoint expects at least *' run --resume run.ckpt --diag moved.csv
}

# stopped FOLDER/ ARG...: a run that stopped at once, with all its files in the folder, and a copy of that in kept.
stopped() {
  mkdir old
  "$HOLMBERG" ic plummer -n 16 --seed 1 -o cluster.h5 --quiet
  run "$HOLMBERG" run cluster.h5 --scheme host --t-end 0.25 --quiet --checkpoint old/run.ckpt --max-hours 1e-9 \
    -o "$1end.h5" --diag "$1rows.csv" "${@:2}"
  [ "$status" -eq 75 ]
  cp -r old kept
}

@test "a copied folder: its run goes on there, and leaves the old one alone" {
  mkdir here
  cd here || return
  stopped '' --events events.jsonl --follow 1 --follow-out steps.csv
  mv old/run.ckpt .
  cd ..
  for copy in new longer kept; do cp -r here $copy; done
  (cd new && accepts run --resume run.ckpt --max-hours 1)
  diff -r here kept
  (cd here && accepts run --resume run.ckpt --max-hours 1)
  for file in end.h5 events.jsonl steps.csv; do cmp here/$file new/$file; done
  cmp <(cut -d , -f 1-40 here/rows.csv) <(cut -d , -f 1-40 new/rows.csv)
  echo 'not in the checkpoint' >>longer/rows.csv # would be lost
  cd longer || return
  fails_with 4 'cannot write rows.csv: it is not the file that the run wrote; give --diag again to continue it' \
    run --resume run.ckpt
  [ "$(tail -n 1 rows.csv)" = 'not in the checkpoint' ]
}

@test "a copied folder whose names lead to the old one: nothing is written there unasked" {
  stopped "$PWD/old/"
  cp -r old new
  fails_with 4 "cannot tell $PWD/old/rows.csv from new/rows.csv; give --diag again with the one to write" \
    run --resume new/run.ckpt --max-hours 1
  diff -r old kept
  accepts run --resume new/run.ckpt --max-hours 1 --diag new/rows.csv -o new/end.h5
  diff -r old kept
  accepts run --resume old/run.ckpt --max-hours 1 # by these names its own
  rm -r new kept
  cp -r old new
  cp -r old kept
  fails_with 4 "cannot tell $PWD/old/end.h5 from new/end.h5; give -o again with the one to write" \
    run --resume new/run.ckpt --t-end 0.5 --diag new/rows.csv
  diff -r old kept
}

@test "what -o found when the run began, a resumed one may replace, unless it was changed since" {
  "$HOLMBERG" ic plummer -n 16 --seed 1 -o cluster.h5 --quiet
  for change in 0 1; do
    rm -f run.ckpt*
    "$HOLMBERG" ic figure8 -o end.h5 --quiet
    run "$HOLMBERG" run cluster.h5 --scheme host --t-end 0.25 --quiet --checkpoint run.ckpt --max-hours 1e-9 -o end.h5
    [ "$status" -eq 75 ]
    if [ $change -eq 0 ]; then
      accepts run --resume run.ckpt --max-hours 1
    else
      printf x >>end.h5
      fails_with 4 'cannot write end.h5: it exists and this run did not write it; *' run --resume run.ckpt
      accepts run --resume run.ckpt --max-hours 1 -o end.h5
    fi
  done
}

# catches_sigterm PID: a run does once it holds all its locks, and then gives them up.
catches_sigterm() { grep -qE 'SigCgt:.*[4-7c-f][0-9a-f]{3}$' "/proc/$1/status"; }

@test "three equal runs at once: one goes on, two say why not" {
  "$HOLMBERG" ic plummer -n 16 --seed 1 -o cluster.h5 --quiet
  local option k alive
  for option in '--checkpoint run.ckpt' '-o end.h5' '--diag rows.csv' '--checkpoint run.ckpt -o end.h5 --diag rows.csv'; do
    for k in 1 2 3; do
      # shellcheck disable=SC2086
      "$HOLMBERG" run cluster.h5 --scheme host --t-end 1e6 --diag-every 1e6 --quiet $option 2>said.$k &
      pids[k]=$!
    done
    until_true eval '[ "$(cat said.? | grep -c .)" -eq 2 ]'
    alive=0
    for k in 1 2 3; do
      if kill -0 "${pids[k]}" 2>/dev/null && [ ! -s said.$k ]; then
        alive=$((alive + 1))
        until_true catches_sigterm "${pids[k]}"
        kill -TERM "${pids[k]}"
      else
        [[ $(cat said.$k) == 'holmberg: cannot write '*': another run is writing it (it holds '*.lock')' ]]
        code=0
        wait "${pids[k]}" || code=$?
        [ $code -eq 4 ]
      fi
    done
    for k in 1 2 3; do wait "${pids[k]}" || true; done # not for the clock that bats has running
    [ $alive -eq 1 ]
    rm -f said.? run.ckpt* end.h5 rows.csv
    files cluster.h5
  done
  # so do those that are resumed
  made
  "$HOLMBERG" run --resume run.ckpt --t-end 1e6 2>said &
  pids=($!)
  until_true catches_sigterm "${pids[0]}"
  fails_with 4 'cannot write run.ckpt: another run is writing it (it holds run.ckpt.lock)' run --resume run.ckpt
  fails_with 4 'cannot write end.h5: another run is writing it (it holds end.h5.lock)' run --resume run.ckpt~ --checkpoint b
  kill -TERM "${pids[0]}"
  wait "${pids[0]}" || true
}

@test "a symbolic link as output is refused, and what it points to stays" {
  made
  echo precious >precious
  local name
  for name in link.h5 link.csv link.ckpt link.txt; do ln -s precious $name; done
  ln -s nothing dangling.h5
  fails_with 4 'cannot write link.h5: it is a symbolic link; name the file that it points to' run cluster.h5 -o link.h5
  fails_with 4 'cannot write link.csv: it is a symbolic link; *' run cluster.h5 --diag link.csv
  fails_with 4 'cannot write link.ckpt: it is a symbolic link; *' run cluster.h5 --checkpoint link.ckpt
  fails_with 4 'cannot write dangling.h5: it is a symbolic link; *' run cluster.h5 -o dangling.h5
  fails_with 4 'cannot write link.txt: it is a symbolic link; *' ic figure8 -o link.txt
  [ "$(cat precious)" = precious ]
  [ ! -e nothing ]
  rm link.ckpt
  ln -s run.ckpt link.ckpt
  fails_with 4 'cannot write link.ckpt: it is a symbolic link; *' run --resume link.ckpt
}

@test "leftovers of killed runs go when one of them is resumed" {
  made --snap-every 1/8
  local name
  for name in end.h5 end_0001.h5 run.ckpt; do : >$name.0123456789abcdef.tmp; done
  for name in end.h5 run.ckpt rows.csv; do : >$name.lock; done
  : >end2.h5.0123456789abcdef.tmp
  accepts run --resume run.ckpt
  files cluster.h5 end.h5 end_0001.h5 end_0002.h5 rows.csv run.ckpt run.ckpt~ end2.h5.0123456789abcdef.tmp
}

@test "a replaced file keeps its mode" {
  "$HOLMBERG" ic figure8 -o a.h5 --quiet
  chmod 600 a.h5
  "$HOLMBERG" ic figure8 -o a.h5 --quiet
  [ "$(stat -c %a a.h5)" = 600 ]
}

@test "a closed standard output: a run with -o goes on for its file, and no file takes the table" {
  made
  rm run.ckpt*
  cp end.h5 good.h5
  cp rows.csv good.csv
  for option in '' '--json' '--checkpoint run.ckpt'; do
    rm end.h5
    # shellcheck disable=SC2086
    run --separate-stderr bash -c '"$@" >&-' - "$HOLMBERG" run cluster.h5 --scheme host --t-end 0.25 -o end.h5 \
      --diag rows.csv $option
    [ "$status" -eq 4 ]
    [ "$stderr" = 'holmberg: cannot write standard output: Bad file descriptor' ]
    cmp end.h5 good.h5
    cmp <(cut -d , -f 1-40 rows.csv) <(cut -d , -f 1-40 good.csv)
  done
}
