#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031 # run sets these, each test is a subshell
# run --field where particles are corrected on the device.
load common

@test "a tide in coordinates that turn: Jacobi's energy is E, in every place of correction" {
  "$HOLMBERG" ic plummer -n 32 -o cluster.txt --quiet
  for places in host 'bag --context osmesa --precision ds --transfer block --predict gpu --correct gpu'; do
    # shellcheck disable=SC2086 # several words
    accepts run cluster.txt --scheme $places --eps 0.05 --t-end 1 --field hill:w=0.5 --diag d.csv
    python3 - <<'END'
import csv
rows = list(csv.DictReader(open("d.csv")))
for row in rows: assert row["e_jacobi"] == row["e_total"]
assert float(rows[0]["e_field"]) != 0 and abs(float(rows[-1]["e_jacobi"]) - float(rows[0]["e_jacobi"])) < 1e-5
END
    rm d.csv
  done
}
