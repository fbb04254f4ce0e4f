#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031 # run sets these, each test is a subshell
# run --field: forces from outside.
load common

# orbit: a small cluster at R = 100, at the speed of a circular orbit in the halo.
orbit() {
  "$HOLMBERG" ic plummer -n 32 -o cluster.txt --quiet
  "$HOLMBERG" scale cluster.txt orbit.txt --at 100,0,0 --velocity 0,10,0 --quiet
}

@test "a cluster goes around its galaxy; energy and Jacobi's are kept, and the header says in what" {
  orbit
  accepts run orbit.txt --scheme host --t-end 16 --diag-every 8 --field 'log:v=10,r=1 omega=0.1' --diag d.csv -o end.h5
  python3 - <<'END'
import csv
rows = list(csv.DictReader(open("d.csv")))
assert len(rows) == 3
first, last = ({name: row[name] for name in row} for row in (rows[0], rows[-1]))
def change(name): return abs(float(last[name]) - float(first[name]))
assert change("e_total") < 1e-5 and change("e_jacobi") < 1e-5, (change("e_total"), change("e_jacobi"))
assert abs(float(first["e_total"]) - float(first["e_jacobi"]) - 0.1 * float(first["angular_momentum_z"])) < 1e-9
radius = (float(last["mass_centre_x"]) ** 2 + float(last["mass_centre_y"]) ** 2) ** 0.5
assert abs(radius - 100) < 0.1 and float(last["mass_centre_y"]) > 99, radius  # a quarter of a turn is 15.7
END
  h5dump -a /Holmberg/options end.h5 | grep -q 'field=log:v=10,r=1 omega=0.1'
  accepts run orbit.txt --scheme host --t-end 1 --diag e.csv # the negative control: without, it flies straight on
  run ! grep -q e_field e.csv
}

@test "a cluster far from the middle of its galaxy takes the steps that it takes alone" {
  for seed in 3 5; do
    "$HOLMBERG" ic king -n 128 --seed $seed --masses kroupa --length-unit 2 -o alone.h5 --quiet
    "$HOLMBERG" scale alone.h5 orbit.h5 --at 8.5kpc,0,0 --velocity 0,220km/s,0 --quiet
    accepts run alone.h5 --scheme host --t-end 1 --diag alone.csv
    accepts run orbit.h5 --scheme host --t-end 1 --field log:v=220km/s,r=1kpc --diag orbit.csv
    python3 - <<'END'
import csv
alone, orbit = (list(csv.DictReader(open(name)))[-1] for name in ("alone.csv", "orbit.csv"))
ratio = float(orbit["particle_steps"]) / float(alone["particle_steps"])
error = abs(float(orbit["de_cluster"]))
print(f"particle steps {ratio:.3f} of those alone (0.95 to 1.05); the cluster's energy error {error:.1e} (1e-4)")
assert 0.95 < ratio < 1.05 and error < 1e-4
END
    rm ./*.csv
  done
}

@test "what has no tide in coordinates that turn" {
  orbit
  fails_with 2 "field 'hill:w=0.5' has a force that depends on velocities (expected integrator hermite4)" \
    run orbit.txt --scheme host --field hill:w=0.5 --integrator leapfrog --dt 0.01
  fails_with 2 "*: omega is of coordinates at rest, where frame and hill turn" run orbit.txt --scheme host --field 'frame:w=1 omega=1'
}

@test "the first step by eq. 9 is shorter for some, and leapfrog has none" {
  "$HOLMBERG" ic plummer -n 128 -o cluster.txt --quiet
  accepts run cluster.txt --scheme host --t-end 0.125 -o eq2.txt --quiet
  accepts run cluster.txt --scheme host --t-end 0.125 -o eq9.txt --quiet --first-step eq9
  run ! cmp -s <(grep -v '^#' eq2.txt) <(grep -v '^#' eq9.txt)
  fails_with 2 'option --first-step: integrator leapfrog has one constant step, see --dt' \
    run cluster.txt --scheme host --integrator leapfrog --dt 0.01 --first-step eq9
}

@test "a resumed run is in the same field" {
  orbit
  accepts run orbit.txt --scheme host --t-end 1 --field point:m=10000 -o whole.h5 --quiet
  accepts run orbit.txt --scheme host --t-end 0.5 --field point:m=10000 -o half.h5 --quiet --checkpoint c.ckpt
  accepts run --resume c.ckpt --t-end 1 -o rest.h5 --quiet
  h5diff whole.h5 rest.h5 /PartType1
  accepts run orbit.txt --scheme host --t-end 1 -o none.h5 --quiet
  run ! h5diff -q whole.h5 none.h5 /PartType1
}

@test "words that are not a field, and what it cannot be combined with" {
  orbit
  fails_with 2 "'nfw:m=1' is not a field (expected point:m=M, *)" run orbit.txt --field nfw:m=1
  fails_with 2 "field 'disc:m=1,a=1': b is missing" run orbit.txt --field disc:m=1,a=1
  fails_with 2 'precision single has too few digits for orbits in a field *' run orbit.txt --field point:m=1 --scheme host-simd --precision single
}
