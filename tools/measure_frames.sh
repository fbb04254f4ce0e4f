#!/bin/sh
# measure_frames.sh HOLMBERG SCHEME...: block steps and energy errors of a Plummer sphere of 1024 stars that is displaced or
# moves as a whole, t = 0 to 1/4, in single and ds, as CSV on standard output.
set -eu
holmberg=$(realpath "$1")
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$holmberg" ic plummer -n 1024 --seed 1 -o "$folder/cluster.txt" --quiet

number() { sed -n "\$s/.*\"$1\": \([^,}]*\).*/\1/p" "$folder/rows"; }
device() { sed -n '$s/.*"device": \("[^"]*"\).*/\1/p' "$folder/rows"; }

printf '# %s, tools/measure_frames.sh holmberg %s\n' "$(date -u +%Y-%m-%d)" "$*"
echo scheme,precision,device,shift,boost,block_steps,de_rel
for scheme in "$@"; do
  for precision in single ds; do
    case $scheme$precision in cg2007ds) continue ;; esac
    for frame in '0 0' '1 0' '1000 0' '1e6 0' '0 1' '0 1000'; do
      echo "$frame" | while read -r x v; do
        awk -v x="$x" -v v="$v" '!/^#/ { printf "%s %.17g %.17g %.17g %.17g %.17g %.17g\n",
          $1, $2 + x, $3 + x, $4 + x, $5 + v, $6 + v, $7 + v }' "$folder/cluster.txt" >"$folder/moved.txt"
        "$holmberg" run "$folder/moved.txt" --scheme "$scheme" --precision "$precision" --t-end 0.25 --json >"$folder/rows"
        echo "$scheme,$precision,$(device),$x,$v,$(number block_steps),$(number de_rel)"
      done
    done
  done
done
