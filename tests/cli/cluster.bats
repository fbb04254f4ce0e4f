#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031 # run sets these, each test is a subshell
# A cluster in a tide: analyze --tide, and a small form of tools/cluster.sh.
load common

setup_file() { export HOUSE=$BATS_TEST_DIRNAME/../..; }

# small T FOLDER WHAT: tools/cluster.sh with 64 stars, of one cluster to t = T, and with 64 of equal masses.
small() {
  local t=$1
  shift
  CLUSTERS=64_2 T_MOST=$t PIECE=${PIECE:-1} SNAP_EVERY=1/2 N_EQUAL=64 SEEDS=1 RELAXATIONS=0.5 FORCES='--scheme host' \
    "$HOUSE/tools/cluster.sh" "$(dirname "$HOLMBERG")" "$@"
}

@test "analyze --tide: what is within the Jacobi radius, in both units" {
  "$HOLMBERG" ic king -n 256 --masses kroupa --time-unit 2 -o k.h5 --quiet
  accepts analyze k.h5 --tide 0.2 --json
  nbody=$output
  accepts analyze k.h5 --tide 0.05 --units astro --json
  python3 - "$nbody" "$output" <<'END'
import json, sys
nbody, astro = map(json.loads, sys.argv[1:])
assert 20 < nbody["n"] < 250 and nbody["n"] == astro["n"] == sum(c["n"] for c in nbody["classes"])
assert abs(nbody["m"] / (0.2 * nbody["r_jacobi"] ** 3) - 1) < 1e-9
assert abs(astro["m"] * 0.0044985 / (0.05 * astro["r_jacobi"] ** 3) - 1) < 1e-4
assert nbody["r_90"] < nbody["r_jacobi"]
END
  accepts analyze k.h5 --tide 0.2
  [[ $output == *'Jacobi radius'* ]]
  accepts analyze k.h5 --json
  [[ $output != *r_jacobi* && $output == *'"n": 256'* ]]
  fails_with 2 '*--tide*' analyze k.h5 --tide 0
  fails_with 3 'no star is within the Jacobi radius of so strong a tide' analyze k.h5 --tide 1e12
}

@test "the example, small: stopped, it goes on; its numbers are those of analyze" {
  small 1 "$PWD/a" run >a.md
  small 2 "$PWD/a" run >a.md
  PIECE=2 small 2 "$PWD/b" clusters
  accepts diff a/cluster_64_2/end.h5 b/cluster_64_2/end.h5
  [ "$(cat a/cluster_64_2/reached)" = 2 ] && [ -s a/clusters.png ]
  [ "$(grep -c . a/cluster_64_2/diag.csv)" = 6 ] # a header, and rows at 0, 1/2 ... 2
  "$HOLMBERG" analyze a/cluster_64_2/start.h5 --units astro --tide 0.00140134268 --json >start.json
  python3 - <<'END'
import json, math
start = json.load(open("start.json"))
n, m, r = start["n"], start["m"], start["r_50"]
def t_rh(gamma): return 0.138 * math.sqrt(n * r ** 3 / (0.0044985 * m / n)) / math.log(gamma * n)
tables = [[c.strip() for c in row.strip("|\n ").split("|")] for row in open("a.md") if row.startswith("|")]
cluster, equal = tables[2], tables[5]
assert cluster[:5] == [str(n), "2", "%.0f" % m, "%.2f" % r, "%.1f" % start["r_jacobi"]], cluster
assert cluster[5] == "%.0f, %.0f" % (t_rh(0.11), t_rh(0.02)), cluster
assert cluster[10].startswith("(") and equal[0] == "1", (cluster, equal)
# the run has the tide of its orbit, in the N-body units that the file keeps
import re, subprocess, os
info = subprocess.run([os.environ["HOLMBERG"], "info", "a/cluster_64_2/end.h5"], check=True, stdout=subprocess.PIPE, text=True).stdout
w, length = float(re.search("hill:w=([^,]*)", info)[1]), float(re.search("length_pc=(\\S*)", info)[1])
expected = (2 * (start["r_jacobi"] / length) ** 3) ** -0.5
print("w", w, "expected", expected)
assert abs(w / expected - 1) < 1e-5
# the model fits its orbit: King's tidal radius is the Jacobi radius
assert abs(start["r_jacobi"] / (m * 0.0044985 / 0.00140134268) ** (1 / 3) - 1) < 1e-6
END
}

@test "the example refuses what it does not know" {
  run "$HOUSE/tools/cluster.sh" "$(dirname "$HOLMBERG")" x nothing
  [ "$status" = 2 ] && [[ $output == *"'nothing', expected run, "* ]]
}
