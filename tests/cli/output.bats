#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031 # run sets these, each test is a subshell
# Output that cannot be written: said before the work where that is possible, and never half a file.
load common

@test "a folder that does not exist, before the input is read" {
  fails_with 4 'cannot write no/end.h5: folder no/: No such file or directory' run missing.h5 -o no/end.h5
  fails_with 4 'cannot write no/a.h5: folder no/: No such file or directory' ic plummer -o no/a.h5
}

@test "a file where a folder should be" {
  : >file
  fails_with 4 'cannot write file/end.h5: folder file/: Not a directory' run missing.h5 -o file/end.h5
}

@test "a folder where the file should be" {
  mkdir end.h5
  fails_with 4 'cannot write end.h5: it exists and is not a regular file' run missing.h5 -o end.h5
  fails_with 4 'cannot write end.h5: it exists and is not a regular file' ic plummer -o end.h5
  files end.h5
}

@test "an extension that names no format, before the input is read" {
  fails_with 2 "cannot tell the format of 'end.foo' from its extension (known: h5 *); use --format" \
    run missing.h5 -o end.foo
  fails_with 2 "cannot tell the format of 'end' from its extension *" ic plummer -o end
}

@test "a place where nobody can write" {
  fails_with 4 'cannot write /proc/end.h5: *' ic figure8 -o /proc/end.h5
}

@test "an old file is replaced whole" {
  "$HOLMBERG" ic plummer -n 100 -o a.h5 --quiet
  "$HOLMBERG" ic figure8 -o b.h5 --quiet
  "$HOLMBERG" ic figure8 -o a.h5 --quiet
  cmp a.h5 b.h5
  files a.h5 b.h5
}

# on_full_disk COMMAND: runs it in ./disk, a file system of 64 kB of its own that ends with the command; what it
# held at the end is in ./kept. Where a container forbids mounts the disk is a folder whose files may not grow beyond
# 64 kB and which holds a folder in the way of the fifth snapshot. Leaves in $reasons the sentences that may come.
on_full_disk() {
  local space=() make='mount -t tmpfs -o size=64k tmpfs disk || exit 99'
  reasons='No space left on device'
  if unshare -rm true 2>/dev/null; then
    space=(unshare -rm)
  elif unshare -m --propagation unchanged true 2>/dev/null; then # root in a chroot
    space=(unshare -m --propagation unchanged)
  else
    make="trap '' XFSZ; ulimit -f 64; mkdir disk/end_0005.txt"
    reasons='(File too large|it exists and is not a regular file)'
  fi
  mkdir disk kept
  run --separate-stderr "${space[@]}" bash -c "
    $make
    cp old.* disk/ && cd disk || exit 99
    $1
    code=\$?
    rmdir end_0005.txt 2>/dev/null
    cp -a . ../kept
    exit \$code"
  echo "exit code $status, standard error: $stderr"
}

@test "a full disk: exit code 4, one sentence, the old file intact, no other file" {
  for format in h5 txt; do
    rm -rf disk kept old.*
    "$HOLMBERG" ic plummer -n 8 -o old.$format --quiet
    on_full_disk "'$HOLMBERG' ic plummer -n 10000 -o old.$format"
    [ "$status" -eq 4 ]
    [[ $stderr =~ ^"holmberg: cannot write old.$format: "$reasons$ ]]
    cmp old.$format kept/old.$format
    [ "$(ls -A kept)" = "old.$format" ]
  done
}

@test "a disk that fills up during a run: the snapshots before stay, nothing is half written" {
  "$HOLMBERG" ic plummer -n 100 -o old.txt --quiet
  on_full_disk "'$HOLMBERG' run old.txt --scheme host --t-end 1 --snap-every 1/16 -o end.txt --quiet"
  [ "$status" -eq 4 ]
  [[ $stderr =~ ^'holmberg: cannot write end_00'..'.txt: '$reasons$ ]]
  [ -e kept/end_0001.txt ]
  [ ! -e kept/end.txt ]
  for file in kept/*; do
    [[ $file == kept/end_*.txt || $file == kept/old.txt ]]
    [ "$(grep -vc '^#' "$file")" -eq 100 ]
  done
}

@test "standard output that is full" {
  "$HOLMBERG" ic figure8 -o a.h5 --quiet
  for command in --help --version 'run --help' 'ic figure8 -o b.h5' 'run a.h5 --scheme host' 'ic figure8 -o -'; do
    run --separate-stderr bash -c "'$HOLMBERG' $command >/dev/full"
    echo "$command: $status, $stderr"
    [ "$status" -eq 4 ]
    [ "$stderr" = 'holmberg: cannot write standard output: No space left on device' ]
  done
}

@test "a table that nobody takes does not cost the result" {
  "$HOLMBERG" ic figure8 -o a.h5 --quiet
  run bash -c "'$HOLMBERG' run a.h5 --scheme host --t-end 0.25 -o end.h5 >/dev/full"
  [ "$status" -eq 4 ]
  [ -e end.h5 ]
}

@test "a reader that has seen enough: the run ends, without a word" {
  "$HOLMBERG" ic plummer -n 64 -o a.h5 --quiet
  run --separate-stderr bash -c "'$HOLMBERG' run a.h5 --scheme host --t-end 1e4 | head -n 2; exit \${PIPESTATUS[0]}"
  [ "$status" -eq 4 ]
  [ -z "$stderr" ]
  [ "${#lines[@]}" -eq 2 ]
}

@test "the same when the data itself goes through the pipe" {
  run --separate-stderr bash -c "'$HOLMBERG' ic plummer -n 5000 -o - | head -n 2; exit \${PIPESTATUS[0]}"
  [ "$status" -eq 4 ]
  [ -z "$stderr" ]
}

@test "one of a thing is singular" {
  export ASAN_OPTIONS=detect_leaks=0 # drivers leak
  export HB_CONTEXT=osmesa OMP_NUM_THREADS=1
  printf '1 0 0 0 0 0 0\n' >one.txt
  printf '# x y z q\n0 0 0 1\n' >charge.txt
  printf '# x y z\n1 0 0\n' >point.txt
  "$HOLMBERG" ic twobody -o two.h5 --quiet
  {
    "$HOLMBERG" convert one.txt one.h5
    "$HOLMBERG" info one.h5
    "$HOLMBERG" info -n 1
    "$HOLMBERG" diff one.txt one.h5
    "$HOLMBERG" analyze two.h5
    "$HOLMBERG" pairs --interaction coulomb --j charge.txt --i point.txt -o field.csv
    "$HOLMBERG" render two.h5 -o a.mp4 --frames 1 --size 64x64
    "$HOLMBERG" trace -n 2 --scheme cg2007,bag,matrix2004,tile -o pages
    "$HOLMBERG" run one.txt --scheme host --t-end 0.125 -o end.txt
    cat end.txt
    "$HOLMBERG" plot one.txt 2>&1 || :
    printf '# n: 2\n1 0 0 0 0 0 0\n' | "$HOLMBERG" info - 2>&1 || :
    printf '1\n' | "$HOLMBERG" info - 2>&1 || :
    "$HOLMBERG" trace two.h5 -n 1 2>&1 || :
  } >said
  cat said
  grep 'bound: 1 orbit ' said
  grep ', 1 thread$' said
  run ! grep -v 'N - 1 passes' <(grep -E '\b1 [a-z]+s\b' said)
}
