#!/usr/bin/env bash
# cluster.sh BUILD FOLDER [run|clusters|equal|figures|publish]: star clusters in the galaxy's tide until half of each is dissolved, and
# isolated clusters of equal masses until their cores have collapsed: data/cluster/README.md. Stopped at any time, the same command
# goes on. run does all; figures shows what there is so far, publish puts numbers and figures into data/cluster. Needs gnuplot.
set -eu

holmberg=$(realpath "$1")/holmberg
folder=$2
what=${3:-run}
house=$(realpath "$(dirname "$0")/..")

clusters=${CLUSTERS:-1024_50 1024_1 2048_50 4096_50} # stars and their largest mass
t_most=${T_MOST:-2000}         # N-body units; half dissolved is sooner
piece=${PIECE:-25}             # after each the mass is looked at
n_equal=${N_EQUAL:-1024}       # stars of equal masses
seeds=${SEEDS:-1 2 3}          # of these
relaxations=${RELAXATIONS:-22} # how long, in half-mass relaxation times
forces=${FORCES:---scheme host-simd --precision ds}
aging=${STARS:+--stars $STARS --kick ${KICK:-0}} # STARS=zams: stars lose mass; Baumgardt and Makino have no kicks
w0=${W0:-6} mass_min=${MASS_MIN:-0.08} binaries=${BINARIES:-0.1} seed=${SEED:-0} # Baumgardt and Makino: 5 or 7, 0.1 to 15, 0
orbit_r=8.5 # kpc
orbit_v=220 # km/s, at any radius

# of EXPRESSION: awk's number.
of() { awk "BEGIN { printf \"%.9g\", $1 }"; }

# ---- runs ----

# exactly EXPRESSION: the same with all digits.
exactly() { awk "BEGIN { printf \"%.17g\", $1 }"; }

# advance FOLDER T OPTIONS...: a run to T, from its checkpoint if there is one; its times are given in units of unit_t.
# shellcheck disable=SC2086 # options are words
advance() {
  local at=$1 t=$2 t_end
  shift 2
  t_end=$(exactly "$t * $unit_t")
  if [ -e "$at/run.ckpt" ]; then
    "$holmberg" run --resume "$at/run.ckpt" --t-end "$t_end" --quiet
  else
    "$holmberg" run "$at/start.h5" --eps 0 $forces --t-end "$t_end" --diag "$at/diag.csv" --events "$at/events.csv" \
      --checkpoint "$at/run.ckpt" --checkpoint-every 1min -o "$at/end.h5" --quiet "$@"
  fi
  echo "$t" >"$at/reached"
}

reached() { if [ -e "$1/reached" ]; then cat "$1/reached"; else echo 0; fi; }

# Spitzer's (1987) half-mass relaxation time 0.138 N r_h^3/2 / (G M)^1/2 / ln (gamma N) of a Plummer sphere.
equal_t_rh() { of "0.138 * $n_equal * 0.7686 ^ 1.5 / log(0.11 * $n_equal)"; }

run_equal() {
  local seed at t_end unit_t=1
  t_end=$(of "int($relaxations * $(equal_t_rh)) + 1")
  for seed in $seeds; do
    at=$folder/equal_$seed
    mkdir -p "$at"
    [ -e "$at/start.h5" ] || "$holmberg" ic plummer -n "$n_equal" --seed "$seed" -o "$at/start.h5" --quiet
    [ "$(reached "$at")" = "$t_end" ] || advance "$at" "$t_end" --diag-every 1/2
  done
}

# The orbit's angular speed, 1 / Myr. Where speeds are the same at all radii, the epicyclic frequency is 2^1/2 of it.
omega=$(of "$orbit_v / $orbit_r / 1000 * 3.15576e13 / 3.0856775814913673e13")
tide=$(of "2 * $omega ^ 2") # 4 omega^2 - kappa^2

# King's model ends at the Jacobi radius, r_t^3 = 1 / (4 w^2 - k^2) where G = M = 1: that is w, and w / omega is the unit of time. With
# --units astro the field's numbers are in 1 / Myr, too.
# shellcheck disable=SC2086 # options are words
make_cluster() {
  local at=$2 model="king --w0 $w0 -n ${1%_*} --masses kroupa --mass-min $mass_min --mass-max ${1#*_} --seed $seed"
  [ "$binaries" = 0 ] || model+=" --binaries $binaries"
  mkdir -p "$at"
  [ -e "$at/model.h5" ] || "$holmberg" ic $model -o "$at/model.h5" --quiet
  r_t=$("$holmberg" info "$at/model.h5" | awk '$1 == "initial_tidal_radius" { print $2 }')
  w=$(of "1 / sqrt(2 * $r_t ^ 3)")
  [ -e "$at/start.h5" ] || "$holmberg" ic $model --time-unit "$(of "$w / $omega")" -o "$at/start.h5" --quiet
}

# look SNAPSHOT: what is within the Jacobi radius, as a line of JSON.
look() { "$holmberg" analyze "$1" --units astro --tide "$tide" --classes 0.5,2 --shells 1 --json; }

# is_dissolved FOLDER: whether less than half of the mass is left.
is_dissolved() {
  { look "$1/start.h5" && look "$1/end.h5"; } | bound | awk -F, '{ m[NR] = $3 } END { exit !(m[3] < m[2] / 2) }'
}

run_clusters() {
  local cluster at t unit_t unit_r
  for cluster in $clusters; do
    at=$folder/cluster_$cluster
    make_cluster "$cluster" "$at"
    unit_t=$(of "$w / $omega") # Myr, since --units astro asks for it
    unit_r=$("$holmberg" info "$at/start.h5" | sed -n 's/^units .*length_pc=//p')
    t=$(reached "$at")
    while [ "$(of "$t < $t_most")" = 1 ] && { [ "$t" = 0 ] || ! is_dissolved "$at"; }; do
      t=$(of "$t + $piece")
      # shellcheck disable=SC2086 # options are words
      advance "$at" "$t" $aging --field "hill:w=$omega,k=$(of "sqrt(2) * $omega"),n=$omega" --escapers remove \
        --escape-radius "$(exactly "2 * $r_t * $unit_r")" --diag-every "$(exactly "$unit_t / 2")" \
        --snap-every "$(exactly "${SNAP_EVERY:-5} * $unit_t")" --units astro
    done
  done
}

# ---- numbers ----

# bound: lines of JSON to columns, in Myr, pc, solar masses and km/s; of classes of mass the half-mass radius; rho is the mean
# density within the core radius.
bound() {
  awk '
    # The k-th number of that name in the line; "" where there is none.
    function number(name, k,  rest, i) {
      rest = $0
      while (k-- > 0) {
        if (!(i = index(rest, "\"" name "\": "))) return ""
        rest = substr(rest, i + length(name) + 4)
      }
      return rest ~ /^null/ ? "" : rest + 0
    }
    BEGIN {
      OFS = ","
      print "t,n,m,r_jacobi,r_core,r_10,r_50,r_90,r_50_light,r_50_middle,r_50_heavy,binaries,sigma,rho"
    }
    {
      rho = number("m_core", 1) / (4.18879 * number("r_core", 1) ^ 3)
      print number("t", 1), number("n", 1), number("m", 1), number("r_jacobi", 1), number("r_core", 1), number("r_10", 1),
        number("r_50", 1), number("r_90", 1), number("r_50", 2), number("r_50", 3), number("r_50", 4),
        gsub(/"stars": 2,/, "&"), number("sigma", 1), rho
    }'
}

# core WIDTH: of diagnostics t, the core radius, its mean over WIDTH of time around, energy error.
core() {
  awk -F, -v width="$1" '
    NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; print "t,r_core,mean,error"; next }
    { t[++n] = $at["t"]; r[n] = $at["r_core"]; e[n] = $at["de_rel"] }
    END {
      for (i = 1; i <= n; i++) {
        while (t[i] - t[first + 1] > width / 2) sum -= r[++first]
        while (last < n && t[last + 1] - t[i] <= width / 2) sum += r[++last]
        printf "%.6g,%.6g,%.6g,%.2g\n", t[i], r[i], sum / (last - first), e[i]
      }
    }'
}

# Each snapshot once: they are many.
look_at_all() {
  local at=$1 snapshot
  touch "$at/looks.jsonl"
  for snapshot in "$at/start.h5" "$at"/end_[0-9]*.h5; do
    [ ! -e "$snapshot" ] || grep -qF "\"file\": \"$snapshot\"" "$at/looks.jsonl" || look "$snapshot" >>"$at/looks.jsonl"
  done
}

# Spitzer's (1987) eq. 2-63 for the first line of such columns, in Myr, with G in pc^3 / (Myr^2 solar mass).
t_rh() { awk -F, -v gamma="$2" 'NR == 2 { print 0.138 * sqrt($2 * $7 ^ 3 / (0.0044985 * $3 / $2)) / log(gamma * $2) }' "$1"; }

# Those that have begun.
each_cluster() { for c in $clusters; do [ ! -e "$folder/cluster_$c/diag.csv" ] || echo "$c"; done; }
each_seed() { for s in $seeds; do [ ! -e "$folder/equal_$s/diag.csv" ] || echo "$s"; done; }

write_columns() {
  local at seed
  for at in $(each_cluster); do
    look_at_all "$folder/cluster_$at"
    bound <"$folder/cluster_$at/looks.jsonl" >"$folder/cluster_$at.csv"
    core "$(of "$(t_rh "$folder/cluster_$at.csv" 0.11) / 10")" <"$folder/cluster_$at/diag.csv" >"$folder/core_$at.csv"
  done
  for seed in $(each_seed); do
    core "$(of "$(equal_t_rh) / 2")" <"$folder/equal_$seed/diag.csv" >"$folder/core_equal_$seed.csv"
  done
}

# collapse FILE: when the mean core radius was at its first minimum below 2/3 of its beginning, after which it grew by a third.
collapse() {
  awk -F, '
    NR == 2 { first = least = $3 }
    NR > 1 && $3 < least { least = $3; t = $1 }
    NR > 1 && least < 2 / 3 * first && $3 > 4 / 3 * least { print t; exit }' "$1"
}

# A line of the first table: of the largest mass of a cluster, and its two files of columns.
cluster_line() {
  awk -F, -v collapse="$(collapse "$3")" -v t_rh="$(t_rh "$2" 0.11)" -v t_rh_02="$(t_rh "$2" 0.02)" -v most="$1" -v ages="${aging:+1}" -v R="$orbit_r" -v V="$orbit_v" '
    function absolute(a) { return a < 0 ? -a : a }
    # Spitzer 1987 eq. 2-62: 0.065 <v^2>^3/2 / (G^2 rho m ln (gamma N)); velocities in pc / Myr are 1.02271 of those in km/s.
    function t_rc(gamma) { return 0.065 * (3 * (1.02271 * sigma) ^ 2) ^ 1.5 / (0.0044985 ^ 2 * rho * m / n * log(gamma * n)) }
    # Baumgardt & Makino 2003 eq. 7
    function t_end(beta, x) { return beta * (n / log(0.02 * n)) ^ x * R * 220 / V }
    FNR == 1 { file++; next }
    file == 1 && FNR == 2 { n = $2; m = $3; r_j = $4; r_h = $7; sigma = $13; rho = $14 }
    file == 1 && !half && $3 < m / 2 { half = t + ($1 - t) * (left - m / 2) / (left - $3) }
    file == 1 { t = $1; left = $3 }
    file == 2 && absolute($4) > error { error = absolute($4) }
    END {
      printf "| %d | %d | %.0f | %.2f | %.1f | %.0f, %.0f | %.1f | ", n, most, m, r_h, r_j, t_rh, t_rh_02, t_rc(0.11)
      if (collapse) printf "%.1f | %.2f, %.2f | %.2f | ", collapse, collapse / t_rh, collapse / t_rh_02, collapse / t_rc(0.11)
      else printf " | | | "
      if (half) printf "%.0f", half
      else printf "(%.0f %% left at %.0f)", 100 * left / m, t
      # Of a cluster whose stars age, M = 0.7 M(0) (1 - t / T_diss), their eq. 12; else all of it falls linearly.
      share = ages ? 1 - 0.5 / 0.7 : 0.5
      a = t_end(1.91, 0.75) * share; b = t_end(1.03, 0.82) * share
      printf " | %.0f ... %.0f | %.0e |\n", a < b ? a : b, a < b ? b : a, error
    }' "$2" "$3"
}

# A line of the second: of a cluster of equal masses.
equal_line() {
  awk -F, -v seed="$1" -v collapse="$(collapse "$2")" -v t_rh="$(equal_t_rh)" '
    function absolute(a) { return a < 0 ? -a : a }
    NR == 1 { next }
    absolute($4) > error { error = absolute($4) }
    { t = $1 }
    END {
      if (collapse) collapse = sprintf("%.0f | %.1f", collapse, collapse / t_rh)
      else collapse = " | "
      printf "| %d | %s | %.0f | %.0e |\n", seed, collapse, t, error
    }' "$2"
}

# A line of the third: the same run, T_RH, and WIDTH of the means that the others are of.
widths_line() {
  local factor
  printf '| %s |' "$1"
  for factor in 1/2 1 2; do
    core "$(of "$4 * $factor")" <"$2" | collapse - | awk -v t_rh="$3" '{ printf " %.2f", $1 / t_rh }'
    printf ' |'
  done
  echo
}

write_measured() {
  local at seed t
  echo "| N | to, M_sun | M, M_sun | r_h, pc | r_J, pc | t_rh, Myr | t_rc, Myr | collapse, Myr | in t_rh | in t_rc | half left, Myr | by eq. 7 | \\|dE/E\\| |"
  echo '|---|---|---|---|---|---|---|---|---|---|---|---|---|'
  for at in $(each_cluster); do cluster_line "${at#*_}" "$folder/cluster_$at.csv" "$folder/core_$at.csv"; done
  printf '\n| seed | collapse | in t_rh of %.1f | followed to | \\|dE/E\\| |\n|---|---|---|---|---|\n' "$(equal_t_rh)"
  for seed in $(each_seed); do equal_line "$seed" "$folder/core_equal_$seed.csv"; done
  printf '\n| collapse in t_rh, by the width of the means | half of it | as above | twice |\n|---|---|---|---|\n'
  for at in $(each_cluster); do
    t=$(t_rh "$folder/cluster_$at.csv" 0.11)
    widths_line "N = ${at%_*}, to ${at#*_}" "$folder/cluster_$at/diag.csv" "$t" "$(of "$t / 10")"
  done
  for seed in $(each_seed); do
    widths_line "equal masses, seed $seed" "$folder/equal_$seed/diag.csv" "$(equal_t_rh)" "$(of "$(equal_t_rh) / 2")"
  done
}

figures() {
  write_columns
  write_measured >"$folder/measured.md"
  (cd "$folder" && gnuplot --default-settings \
    -e "clusters = '$(each_cluster | xargs)'; seeds = '$(each_seed | xargs)'; equal_t_rh = $(equal_t_rh)" "$house/tools/cluster.gp")
  cat "$folder/measured.md"
}

# The part of README.md between two comments.
publish() {
  local into=$house/data/cluster
  figures
  cp "$folder"/cluster_[0-9]*.csv "$folder"/core_*.csv "$folder"/clusters.png "$into"
  awk -v file="$folder/measured.md" '
    /<!-- end -->/ { skip = 0 }
    !skip
    /<!-- measured/ { skip = 1; print ""; while ((getline line <file) > 0) print line; print "" }' "$into/README.md" >"$folder/README.md"
  cp "$folder/README.md" "$into/README.md"
}

case $what in
  run)
    run_equal
    run_clusters
    figures
    ;;
  clusters | equal) "run_$what" ;;
  figures | publish) "$what" ;;
  *)
    echo "cluster.sh: '$what', expected run, clusters, equal, figures or publish" >&2
    exit 2
    ;;
esac
