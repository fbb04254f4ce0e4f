#!/usr/bin/env bash
# states.sh [--print] ARITHMETIC [OPTION...]: integrates the rows of known.txt that have this arithmetic with `holmberg run OPTION...`
# and says of each whether the state at the end has the known bits, or prints the rows as they come out. Rows match the pattern
# ROWS and not WITHOUT; HOLMBERG is the program, which may be words like `qemu-aarch64 build/arm/bare`, and LAUNCH goes before
# its run, like `mpirun -n 4`. Exit code 1 if any differs.
set -u
print=
if [ "${1:-}" = --print ]; then print=1 && shift; fi
[ $# -ge 1 ] || {
  sed -n '2s/^# \([^:]*\):.*/usage: \1/p' "$0" >&2
  exit 2
}
arithmetic=$1
shift
read -ra program <<<"${HOLMBERG:-$(dirname "$0")/../../build/holmberg}"
read -ra launch <<<"${LAUNCH:-}"
folder=$(mktemp -d) || exit 2
trap 'rm -r "$folder"' EXIT

# state MODEL RUN OPTION...: the hash of the end of a run, or why there is none
state() {
  local ic run said
  read -ra ic <<<"$1" && read -ra run <<<"$2"
  shift 2
  said=$("${program[@]}" ic "${ic[@]}" -o "$folder/start.txt" --quiet 2>&1 &&
    "${launch[@]}" "${program[@]}" run "$folder/start.txt" "${run[@]}" --max-energy-error none --json "$@" 2>&1)
  sed -n '/^holmberg: /p; $s/.*"state_hash": "\([0-9a-f]*\)".*/\1/p' <<<"$said" | tail -n 1
}

same=0 differ=0
while IFS= read -r row; do
  [[ $row == "$arithmetic :"* && $row =~ ${ROWS:-} && ! $row =~ ${WITHOUT:-^$} ]] || continue
  IFS=: read -r _ model options known <<<"${row//' : '/:}"
  found=$(state "$model" "$options" "$@")
  if [ -n "$print" ]; then
    echo "$arithmetic : $model : $options : $found"
  elif [ "$found" = "$known" ]; then
    same=$((same + 1))
    echo "same       $found $model : $options"
  else
    differ=$((differ + 1))
    echo "DIFFERENT  $found, not $known: $model : $options"
  fi
done <"$(dirname "$0")/known.txt"
[ -n "$print" ] && exit
echo "$same the same, $differ different"
[ $differ -eq 0 ] && [ $same -gt 0 ]
