#!/usr/bin/env bats
# shellcheck disable=SC2154 # run sets these
# Test particles without softening: members of groups, as bodies of mass 1e-12 are.
load common

# made WHAT: of a file with masses M, WHAT.0.txt and WHAT.12.txt, where these are 0 and 1e-12.
made() { sed "s/^M /0 /" "$1" >"$1.0.txt" && sed "s/^M /1e-12 /" "$1" >"$1.12.txt"; }

# both WHAT OPTION...: runs both, to end.0.txt and end.12.txt; their last rows go to row.0 and row.12.
both() {
  local what=$1 m
  shift
  for m in 0 12; do
    accepts run "$what.$m.txt" --eps 0 --scheme host "$@" -o "end.$m.txt"
    echo "$output" | grep -v '^#' | tail -n 1 >"row.$m"
  done
}

# near BOUND: no particle of the two ends is farther than that from the other.
near() {
  python3 - "$1" <<'END'
import math, sys
one, two = ([[float(x) for x in line.split()] for line in open(name) if line[0] != "#"] for name in ("end.0.txt", "end.12.txt"))
far = max(math.dist(p[1:4], q[1:4]) for p, q in zip(one, two))
print("distance", far, "at most", sys.argv[1])
assert len(one) == len(two) and far <= float(sys.argv[1])
END
}

# planets N A: a Plummer sphere of 64, N planets on circles of A, 1.5 A, 2 A, ... around its sixth star.
planets() {
  "$HOLMBERG" ic plummer -n 64 --seed 3 -o - --quiet | grep -v '^#' | awk -v n="$1" -v a="$2" '
    { print }
    NR == 6 { split($0, s) }
    END {
      for (k = 0; k < n; k++) {
        r = a * (1 + k / 2)
        w = sqrt(s[1] / r)
        printf "M %.17g %.17g %s %.17g %.17g %s\n", s[2] + r * cos(k), s[3] + r * sin(k), s[4], s[5] - w * sin(k), s[6] + w * cos(k), s[7]
      }
    }'
}

@test "an ellipse of e = 0.99999 for three periods, and a passage with b = 1e-4" {
  printf '%s\n' '1 0 0 0 0 0 0' 'M 0.999995 0 0 0 0.003162285565885004 0' >ellipse
  made ellipse
  both ellipse --t-end 6.664324407237551
  near 1e-9
  printf '%s\n' '1 0 0 0 0 0 0' 'M -0.5 1e-4 0 1 0 0' >passage
  made passage
  both passage --t-end 1
  near 1e-9
}

@test "a planet of a = 0.001 among 64 stars, for 160 revolutions: the orbit, and the steps" {
  planets 1 0.001 >planet
  made planet
  both planet --t-end 1/4
  near 1e-9
  cat row.0 row.12
  awk '{ steps[NR] = $7 } END { exit !(steps[1] <= 2 * steps[2]) }' row.0 row.12
}

@test "a planet around both stars of a hard pair, of mass 0, 1e-12 and 1e-6: the orbit that short steps have" {
  awk 'BEGIN { # the pair, with a = 0.01, the planet at five times that, and nine far off, since few bodies are one group
      printf "0.5 -0.005 0 0 0 -5 0\n0.5 0.005 0 0 0 5 0\nM 0.05 0 0 0 %.17g 0\n", sqrt(1 / 0.05)
      for (k = 0; k < 9; k++) printf "1e-9 %.17g %.17g 0 0 0 0\n", 20 * cos(k), 20 * sin(k)
    }' >planet
  for m in 0 1e-12 1e-6; do sed "s/^M /$m /" planet >"planet.$m.txt"; done
  accepts run planet.0.txt --eps 0 --scheme host --encounters none --eta 0.001 --t-end 1/2 --quiet -o short.txt
  for m in 0 1e-12 1e-6; do accepts run planet.$m.txt --eps 0 --scheme host --t-end 1/2 --quiet -o "end.$m.txt"; done
  python3 - <<'END'
import math
def planet(name): return [[float(x) for x in line.split()] for line in open(name) if line[0] != "#"][2][1:4]
short = planet("short.txt")
for m in ("0", "1e-12", "1e-6"):
    far = math.dist(planet(f"end.{m}.txt"), short)
    print(f"m = {m}: {far:.1e} from where short steps bring it, at most 1e-4")
    assert far < 1e-4
END
}

@test "five planets of one star, in a galaxy, too; with the same bits when resumed" {
  planets 5 0.001 | sed 's/^M/0/' >planets.txt
  "$HOLMBERG" scale planets.txt turning.txt --at 100,0,0 --velocity 0,0,0 --quiet
  for how in planets.txt 'turning.txt --field point:m=10000/frame:w=0.1'; do
    read -ra words <<<"$how"
    words=("${words[@]//\// }") # of a field
    accepts run "${words[@]}" --eps 0 --scheme host --t-end 1/8 --quiet -o once.txt
    accepts run "${words[@]}" --eps 0 --scheme host --t-end 0.0617 --quiet -o part.txt --checkpoint run.ckpt
    accepts run --resume run.ckpt --t-end 1/8 --quiet -o end.txt
    cmp <(grep -v '^#' once.txt) <(grep -v '^#' end.txt)
    # circles are left as they were, within the pulls of other stars
    grep -v '^#' once.txt | awk '
      NR == 6 { split($0, s) }
      NR > 64 {
        r = sqrt(($2 - s[2]) ^ 2 + ($3 - s[3]) ^ 2 + ($4 - s[4]) ^ 2) / (0.001 * (1 + (NR - 65) / 2))
        print "planet", NR - 64, "r / a =", r
        if (!(r > 0.999 && r < 1.001)) bad = 1
      }
      END { exit bad || NR != 69 }'
    rm -f once.txt part.txt end.txt run.ckpt*
  done
}

# error: of the last particle's own energy around the first, relative to v^2 / 2 + m / r, of end.txt against the file.
error() {
  python3 - "$1" end.txt <<'END'
import math, sys
def energy(name):
    star, p = [[float(x) for x in line.split()] for line in open(name) if line[0] != "#"][:2]
    kinetic, depth = sum(v * v for v in p[4:]) / 2, star[0] / math.dist(star[1:4], p[1:4])
    return kinetic - depth, kinetic + depth
before, after = energy(sys.argv[1]), energy(sys.argv[2])
print(abs(after[0] - before[0]) / after[1])
END
}

@test "an orbit that goes wrong without groups is told, one that does not is not" {
  printf '%s\n' '1 0 0 0 0 0 0' '0 0.999995 0 0 0 0.003162285565885004 0' >ellipse.txt
  accepts run ellipse.txt --eps 0 --scheme host --encounters none --t-end 1 --quiet -o end.txt
  echo "at t = 1: error $(error ellipse.txt), at most 1e-4"
  awk '{ exit !($1 < 1e-4) }' < <(error ellipse.txt)
  rm end.txt
  run --separate-stderr "$HOLMBERG" run ellipse.txt --eps 0 --scheme host --encounters none --t-end 2 --quiet -o end.txt
  echo "at t = 2: error $(error ellipse.txt), at least 1e-4; $stderr"
  awk '{ exit !($1 > 1e-4) }' < <(error ellipse.txt)
  [[ $stderr == *'the energy of test particle 1 is off by '* ]]
  rm end.txt
  accepts run ellipse.txt --eps 0 --scheme host --t-end 2 --quiet -o end.txt
  awk '{ exit !($1 < 1e-11) }' < <(error ellipse.txt)
}

@test "a disk of a thousand is no group: as many steps as without" {
  planets 1000 0.002 | awk 'NR <= 64 { print; next } { $1 = 0; print }' >disk.txt
  for how in none groups; do
    accepts run disk.txt --eps 0 --scheme host --encounters $how --t-end 1/64
    echo "$output" | grep -v '^#' | tail -n 1 >row.$how
    cat row.$how
  done
  awk '{ steps[NR] = $8 } END { exit !(steps[1] > 1000 && steps[2] <= 1.01 * steps[1]) }' row.none row.groups
}

@test "where test particles are not watched, that is said once" {
  printf '%s\n' '1 0 0 0 0 0 0' '0 1 0 0 0 1 0' >orbit.txt
  run -0 --separate-stderr "$HOLMBERG" run orbit.txt --eps 0.01 --scheme host --t-end 1/8 --quiet --integrator leapfrog --dt 1/16
  echo "$stderr"
  [ "$(grep -c 'the energies of particles without mass (1) are not watched' <<<"$stderr")" -eq 1 ]
  accepts run orbit.txt --eps 0.01 --scheme host --t-end 1/8 --quiet
}
