# shellcheck shell=bash
# Sourced by kill_test.sh and fault_test.sh: runs with different integrators, schemes and places of work, snapshots in HDF5 and
# text, rows as a table, CSV and JSON lines; and the comparison of an interrupted run with an uninterrupted one.
program=$(realpath "${HOLMBERG:-$(dirname "$0")/../build/holmberg}") || exit 1
folder=$(realpath "$(mktemp -d)") || exit 1
cd "$folder" || exit 1
export HB_CONTEXT=osmesa LP_NUM_THREADS=0

# The extension of the snapshots, then the options that shape the run.
kinds=(
  'h5 --scheme host --eps 0 --events events.csv'
  'txt --scheme host-simd --steps shared --diag diag.csv'
  'h5 --scheme grape6 --step-rounding up --diag diag.jsonl'
  'txt --scheme host --integrator leapfrog --dt 1/256 --damping 0.999 --json --diag diag.csv'
  'txt --scheme host-simd --precision ds --exact-energy no --diag diag.csv'
  'h5 --scheme host --neighbors 16 --eps 0 --diag diag.jsonl'
  'h5 --scheme bag --no-tune --precision ds --transfer block --predict gpu --correct gpu --diag diag.jsonl'
)
[ -z "${HOST_ONLY:-}" ] || unset 'kinds[-1]' # drivers do not pass the sanitizers

# take KIND N OPTION...: the options of that kind of run for N particles in `options`, its input in `input`.
take() {
  local n=$2
  # shellcheck disable=SC2206 # words
  options=(${kinds[$1]})
  extension=${options[0]}
  options=("${options[@]:1}" -o "end.$extension" "${@:3}")
  # shellcheck disable=SC2034 # used by the scripts that source this
  input=../cluster_$n.$extension
  [ -e "cluster_$n.$extension" ] || "$program" ic plummer -n "$n" --seed 1 -o "cluster_$n.$extension" --quiet || exit 1
}

# rows_of FOLDER: the table and the files of --events and --diag without what the clock says.
rows_of() {
  sed -E 's/, "(phases|slow)": \{[^}]*\}//g; s/ +[^ ]+$//; s/"wall_s": [^,}]*//' "$1/rows"
  [ ! -e "$1/events.csv" ] || cat "$1/events.csv"
  [ ! -e "$1/diag.jsonl" ] || sed -E 's/"[a-z]+_s": [^,}]*//g' "$1/diag.jsonl"
  [ ! -e "$1/diag.csv" ] || awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) clock[k] = $k ~ /^[a-z]+_s$/ }
    { for (k = 1; k <= NF; k++) if (!clock[k]) printf "%s,", $k; print "" }' "$1/diag.csv"
}

# files_of FOLDER: their names, but those of the checkpoint and of what was said.
files_of() {
  local file
  for file in "$1"/*; do
    case ${file##*/} in run.ckpt | run.ckpt~ | said) ;; *) echo "${file##*/}" ;; esac
  done
}

# same_as FOLDER: the folder `part` holds the same snapshots and rows, and nothing is left over in it.
same_as() {
  local file
  for file in "$1"/end*; do cmp -s "$file" "part/${file##*/}" || return 1; done
  [ "$(files_of "$1")" = "$(files_of part)" ] || return 1
  [ "$(rows_of "$1")" = "$(rows_of part)" ]
}
