#!/usr/bin/env bash
# measure_places.sh HOLMBERG [N [CONTEXT]]: the energy error of predicting and correcting on the device ([PZ07] section 6
# feared a severe penalty). A Plummer sphere, t = 0 ... 1/4, for several accuracy parameters nu, precisions and modes; energies
# are summed in double on the host. CSV on standard output; no number depends on the speed of the machine.
set -eu
holmberg=$(realpath "$1")
n=${2:-1024}
context=${3:-osmesa}
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
"$holmberg" ic plummer -n "$n" --seed 1 --quiet -o "$folder/start.h5"
echo "# |dE/E| of a Plummer sphere over t = 0 ... 1/4, eps = 1/256, by where particles are predicted and corrected"
echo "# tools/measure_places.sh holmberg $n $context, $(date +%F)"
echo "scheme,precision,mode,n,nu,de_rel,block_steps,particle_steps"
# row SCHEME PRECISION MODE NU
row() {
  local transfer predict correct
  IFS=/ read -r transfer predict correct <<<"$3"
  "$holmberg" run "$folder/start.h5" --t-end 1/4 --diag-every 1/4 --eta "$4" --scheme "$1" --precision "$2" \
    --transfer "$transfer" --predict "$predict" --correct "$correct" --context "$context" --no-tune --json |
    sed -n "s|.*\"de_rel\": \([^,]*\),.*\"block_steps\": \([0-9]*\), \"particle_steps\": \([0-9]*\),.*done.*|$1,$2,$3,$n,$4,\1,\2,\3|p"
}
for nu in 0.01 0.0025 0.000625; do
  row host double all/host/host $nu
  for precision in single compensated ds double; do
    # float noise makes the steps collapse: hours, without telling anything about the modes
    [[ $nu = 0.000625 && $precision =~ single|compensated ]] && continue
    for mode in all/host/host block/gpu/host block/gpu/gpu; do row bag $precision $mode $nu; done
  done
done
