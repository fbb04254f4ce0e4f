#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031 # run sets these, each test is a subshell
# What is other, or the same, where particles are corrected on the device.
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

@test "a cluster far from the middle of its galaxy takes the same steps, wherever they are computed" {
  "$HOLMBERG" ic king -n 128 --seed 7 --masses kroupa --length-unit 2 -o alone.h5 --quiet
  "$HOLMBERG" scale alone.h5 orbit.h5 --at 8.5kpc,0,0 --velocity 0,220km/s,0 --quiet
  local places
  for places in host 'bag --context osmesa --precision ds --transfer block --predict gpu --correct gpu'; do
    # shellcheck disable=SC2086 # several words
    accepts run orbit.h5 --scheme $places --eps 0.01 --t-end 0.5 --field log:v=220km/s,r=1kpc --diag "${places%% *}.csv"
  done
  python3 - <<'END'
import csv
host, bag = (list(csv.DictReader(open(name)))[-1] for name in ("host.csv", "bag.csv"))
ratio = float(bag["particle_steps"]) / float(host["particle_steps"])
errors = [abs(float(row["de_cluster"])) for row in (host, bag)]
print(f"particle steps of the device {ratio:.3f} of the host's (0.98 to 1.02); the cluster's energy errors {errors} (1e-4)")
assert 0.98 < ratio < 1.02 and max(errors) < 1e-4
END
}

@test "test particles are not watched where the device corrects them: that is said once" {
  printf '%s\n' '1 0 0 0 0 0 0' '0 1 0 0 0 1 0' >orbit.txt
  run -0 --separate-stderr "$HOLMBERG" run orbit.txt --eps 0.01 --t-end 1/8 --quiet --context osmesa --scheme bag --precision ds \
    --transfer block --predict gpu --correct gpu
  echo "$stderr"
  [ "$(grep -c 'with --correct gpu the energies of particles without mass (1) are not watched' <<<"$stderr")" -eq 1 ]
}
