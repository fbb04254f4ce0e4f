#!/usr/bin/env bash
# run.sh BUILD [DEVICE ...]: every program of the engine by the drivers of cards that are not here (devices.txt): none may fail to
# build, take more than 20 s or 4 GB, spill in a default shape, fuse what precision reproducible needs apart, or be worse than in
# data/drivers.csv. BUILD/drivers.csv is then the table of today; it replaces the other where a change that is worse is meant.
set -eu
here=$(dirname "$0")
build=$1
shift
folder=$(cd "$build" && pwd)/drivers.d
"$here/roots.sh" "$folder"
cp "$build/drivers" "$folder/drivers-amd64"
cp "$build/arm64/drivers" "$folder/drivers-arm64"
failed=0
"$here/drivers.py" table "$folder" "$@" >"$build/drivers.csv" || failed=1
"$here/drivers.py" judge "$build/drivers.csv" || failed=1
"$here/exact.py" "$folder" "$@" || failed=1
"$here/drivers.py" compare "$here/../../data/drivers.csv" "$build/drivers.csv" || failed=1
[ $failed = 0 ] || {
  echo "drivers: failed; $build/drivers.csv has the table of today" >&2
  exit 1
}
echo "drivers: $(($(wc -l <"$build/drivers.csv") - 1)) programs as good as those of data/drivers.csv"
