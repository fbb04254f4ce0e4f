#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031,SC2016 # run sets these, each test is a subshell; names of Python are no script
# Snapshots with units: what keeps them, and tables in Myr, pc, km/s and solar masses.
load common

# note FILE: its units.
note() { "$HOLMBERG" info "$1" | sed -n 's/^units  *//p'; }

# number NAME: of the JSON in $output.
number() { python3 -c 'import json, sys; print(json.loads(sys.argv[1])[sys.argv[2]])' "${lines[${2:-0}]}" "$1"; }

# near A B: to nine digits.
near() { python3 -c 'import sys; a, b = map(float, sys.argv[1:]); sys.exit(abs(a - b) > 1e-9 * abs(b))' "$1" "$2"; }

# same A B: the same bytes.
same() { cmp "$1" "$2" && echo "$1 and $2 are the same $(wc -c <"$1") bytes"; }

# like A B PATTERN: the same lines, but for those of this pattern, checksums and history.
like() { diff <(grep -v "$3" "$1") <(grep -v "$3" "$2") && echo "$1 and $2 have the same $(grep -vc "$3" "$1") lines"; }

# unit FILE WORD: a unit of time (Myr) or length (pc) of FILE; myr FILE T: the time T of FILE in Myr
unit() {
  "$HOLMBERG" convert "$1" unit.txt --quiet
  python3 - "$(note unit.txt)" "$2" <<'END'
import sys
m, l = (float(word.split("=")[1]) for word in sys.argv[1].split())
g = 1.3271244e20 * 3.15576e13**2 / 3.0856775814913673e16**3
print(repr({"time": (l**3 / (g * m))**0.5, "length": l}[sys.argv[2]]))
END
}
myr() { python3 -c 'import sys; print(repr(float(sys.argv[1]) * float(sys.argv[2])))' "$(unit "$1" time)" "$2"; }

@test "any two units; formats with notes keep them, others say that they do not" {
  accepts ic plummer -n 32 --mass-unit 1000 --length-unit 2 -o a.h5 --quiet
  [ "$(note a.h5)" = 'mass_msun=1000 length_pc=2' ]
  for format in txt nemo dyn amuse xmf; do
    accepts convert a.h5 "b.$format" --quiet
    accepts convert "b.$format" c.h5 --quiet
    [ "$(note c.h5)" = "$(note a.h5)" ]
  done
  run -0 --separate-stderr "$HOLMBERG" convert a.h5 b.phigrape --quiet
  [ "$stderr" = 'holmberg: format phigrape keeps no units: its numbers are in N-body units' ]
  accepts ic plummer -n 32 --mass-unit 1000 --time-unit 1 -o t.h5 --quiet
  near "$(note t.h5 | sed 's/.*length_pc=//')" \
    "$(python3 -c 'print((1.3271244e20 * 1000 * 3.15576e13**2)**(1 / 3) / 3.0856775814913673e16)')"
  fails_with 2 'units need two of mass, length and time' ic plummer --length-unit 1
  fails_with 2 "the masses 'kroupa' are in solar masses, so only one unit is left, *" ic king --masses kroupa --mass-unit 1
}

@test "rows of a run in Myr, pc and km/s: the same run, and what it writes keeps the units" {
  accepts ic king -n 64 --masses kroupa --length-unit 2 -o a.h5 --quiet
  accepts run a.h5 --scheme host --t-end 0.25 --json -o n.h5
  nbody=$output
  accepts run a.h5 --scheme host --t-end "$(myr a.h5 0.25)" --json --units astro -o b.h5 --diag d.csv
  same n.h5 b.h5
  [ "$(note b.h5)" = "$(note a.h5)" ]
  [ "$(number units)" = astro ]
  astro=("$(number t 2)" "$(number e_kin 2)" "$(number r_half 2)" "$(number de_rel 2)")
  output=$nbody
  mapfile -t lines <<<"$nbody"
  run ! number units
  mapfile -t lines <<<"$nbody"
  mass=$(note a.h5 | sed 's/mass_msun=//; s/ .*//')
  time=$(python3 -c 'import sys; print((8 * 3.0856775814913673e16**3 / (1.3271244e20 * float(sys.argv[1])))**0.5 / 3.15576e13)' "$mass")
  near "${astro[0]}" "$(python3 -c "print(0.25 * $time)")"
  near "${astro[1]}" "$(python3 -c "print($(number e_kin 2) * $mass * (2 * 3.0856775814913673e16 / ($time * 3.15576e13) / 1e3)**2)")"
  near "${astro[2]}" "$(python3 -c "print(2 * $(number r_half 2))")"
  near "${astro[3]}" "$(number de_rel 2)"
  head -n 1 d.csv | grep -q ,units,
  accepts plot d.csv -o d.svg --only radii
  grep -q 'r  \[pc\]' d.svg
  grep -q 't  \[Myr\]' d.svg
  accepts info b.h5 --units astro
  grep -qx 'in units of        Myr, pc, km/s, solar masses; energies in solar masses (km/s)^2' <<<"$output"
  accepts run a.h5 --scheme host --t-end 0.125Myr --units astro
  [ "${lines[0]}" = '# t in Myr, E in solar masses (km/s)^2, r_half in pc' ]
}

@test "without units there is nothing to convert" {
  accepts ic plummer -n 8 -o a.h5 --quiet
  fails_with 2 'option --units: the particles have no units, *' run a.h5 --units astro
  fails_with 2 'option --units: the particles have no units, *' info a.h5 --units astro
  accepts convert a.h5 a.txt --quiet
  { echo '# units: mass_msun=-1 length_pc=1' && sed 1d a.txt; } >b.txt
  fails_with 3 "the note units is 'mass_msun=-1 length_pc=1', expected like mass_msun=1000 length_pc=1" info b.txt --units astro
  accepts convert b.txt b.h5 --quiet # is someone else's note, and no reason to lose data
}

@test "a resumed run goes on in its units" {
  accepts ic plummer -n 32 --mass-unit 100 --length-unit 1 -o a.h5 --quiet
  "$HOLMBERG" run a.h5 --scheme host --t-end 0.5 --units astro --diag d.csv -o whole.h5 >whole.txt
  "$HOLMBERG" run a.h5 --scheme host --t-end 0.25 --units astro --diag e.csv --checkpoint c.ckpt -o half.h5 >half.txt
  "$HOLMBERG" run --resume c.ckpt --t-end 0.5 -o rest.h5 >rest.txt
  [ "$(note rest.h5)" = 'mass_msun=100 length_pc=1' ]
  diff <(cut -c 1-50 whole.txt | tail -n 2) <(cut -c 1-50 rest.txt | tail -n 2)
  diff <(cut -d , -f 1-20 d.csv) <(cut -d , -f 1-20 e.csv)
  fails_with 2 "option --units: 'nbody' differs from the checkpoint's run (astro); leave it out" run --resume c.ckpt --units nbody
}

@test "yt: the right units without arguments, and all particles in a plot" {
  accepts ic king -n 500 --masses kroupa --length-unit 2 -o a.h5 --quiet
  accepts run a.h5 --scheme host --t-end 0.25 --quiet -o end.h5
  cat >read.py <<'END'
import numpy
import yt
ds = yt.load("end.h5")
data = ds.all_data()
note = dict(word.split("=") for word in open("note").read().split())
def near(a, b, tolerance):
    assert abs(float(a) / float(b) - 1) < tolerance, (a, b)
mass = data["all", "particle_mass"].sum().to("Msun")
near(mass, note["mass_msun"], 1e-5)  # yt's solar mass has six digits
near(ds.quan(1, "code_length").to("kpc"), float(note["length_pc"]) / 1000, 1e-8)
near(ds.current_time.to("Myr"), open("time").read(), 1e-5)
gravity = ds.units.gravitational_constant.to("code_length**3 / code_mass / code_time**2")
near(gravity, 1, 1e-3)  # yt has another G
plot = yt.ParticlePlot(ds, ("all", "particle_position_x"), ("all", "particle_position_y"), ("all", "particle_mass"),
                       center=[0, 0, 0])
near(numpy.nansum(numpy.asarray(plot.frb["all", "particle_mass"].to("Msun"))), mass, 1e-6)
near(data["all", "particle_position"].to("pc").max(), float(open("most").read()), 1e-8)
END
  note end.h5 >note
  "$HOLMBERG" info end.h5 --units astro | awk '/^time/ { print $2 }' >time
  "$HOLMBERG" convert end.h5 - | grep -v '^#' | awk '{ for (k = 2; k < 5; k++) if ($k > m) m = $k } END { printf "%.15g\n", 2 * m }' >most
  /usr/bin/python3 read.py
}

# pynbody 2.5.0 takes these four from /Header, and with Redshift 0 and HubbleParam 1 has no factors of a and h. Without Time_GYR
# its time is the age of an empty universe.
@test "pynbody: units and time in /Header" {
  accepts ic plummer -n 16 --mass-unit 1e10 --length-unit 1000 -o a.h5 --quiet
  accepts run a.h5 --scheme host --t-end 0.25 --quiet -o end.h5
  cat >read.py <<'END'
import h5py
header = h5py.File("end.h5")["Header"].attrs
def near(a, b, tolerance):
    assert abs(float(a) / float(b) - 1) < tolerance, (a, b)
near(header["UnitLength_in_cm"], 3.0856775814913673e21, 1e-15)  # kpc
near(header["UnitMass_in_g"], 1.98841e43, 1e-6)  # 10^10 solar masses
near(header["UnitVelocity_in_cm_per_s"], 207.3865e5, 1e-6)
near(header["Time_GYR"] * 1000, open("time").read(), 1e-8)
assert header["Redshift"] == 0 and header["HubbleParam"] == 1
END
  "$HOLMBERG" info end.h5 --units astro | awk '/^time/ { print $2 }' >time
  /usr/bin/python3 read.py
}

@test "Gadget's own units: masses are multiplied by its G" {
  cat >make.py <<'END'
import h5py
for name, where, hubble in ("header", "Header", 1), ("units", "Units", 1), ("parameters", "Parameters", 1), ("h", "Header", 0.7):
    with h5py.File(name + ".h5", "w") as f:
        h = f.create_group("Header")
        h.attrs["NumPart_ThisFile"] = [0, 2, 0, 0, 0, 0]
        h.attrs["HubbleParam"] = float(hubble)
        g = f.require_group(where)
        g.attrs["UnitLength_in_cm"], g.attrs["UnitMass_in_g"], g.attrs["UnitVelocity_in_cm_per_s"] = 3.085678e21, 1.989e43, 1e5
        p = f.create_group("PartType1")
        p["Coordinates"] = [[1.0, 0, 0], [-1, 0, 0]]
        p["Velocities"] = [[0.0, 1, 0], [0, -1, 0]]
        p["Masses"] = [1.0, 2]
END
  /usr/bin/python3 make.py
  for file in header units parameters; do
    accepts convert $file.h5 - --format text
    mass=$(grep -v '^#' <<<"$output" | awk 'NR == 1 { print $1 }')
    python3 -c "import sys; sys.exit(not 43000 < $mass < 43030)" # 43007.1 in Gadget, whose G is 6.672e-8
    grep -q '^# history: read from a file whose units make G = 430' <<<"$output"
    grep -q '^# units: mass_msun=2' <<<"$output"
    [ "$(grep -v '^#' <<<"$output" | awk 'NR == 1 { print $2 + 0, $6 + 0 }')" = '1 1' ]
  done
  accepts convert h.h5 - --format text # with factors of h
  [ "$(grep -v '^#' <<<"$output" | awk 'NR == 1 { print $1 + 0 }')" = 1 ]
  run ! grep -q '^# units' <<<"$output"
}

@test "times and lengths of a run by number, by --units astro, and with a unit: the same bytes" {
  accepts ic king -n 32 --masses kroupa --length-unit 2 -o a.h5 --quiet
  local end every way ways
  end=$(myr a.h5 0.5) every=$(myr a.h5 0.125)
  ways=("--t-end 0.5 --diag-every 0.125 --eps 0.0625 --dt-max 0.0625"
    "--t-end $end --diag-every $every --eps 0.125 --dt-max $(myr a.h5 0.0625)Myr --units astro" # a unit of length is 2 pc
    "--t-end ${end}Myr --diag-every ${every}Myr --eps 0.125pc --dt-max $(myr a.h5 0.0625)Myr")
  for way in 0 1 2; do
    # shellcheck disable=SC2086 # words
    accepts run a.h5 --scheme host ${ways[way]} -o $way.txt --json
    echo "${ways[way]}: ${#lines[@]} rows, state $(number state_hash $((${#lines[@]} - 1)))"
    [ "${#lines[@]}" -eq 5 ]
  done
  # what was typed for dt-max is rounded down to a power of two, and all of them are N-body numbers in the record
  same 0.txt 2.txt
  same 0.txt 1.txt
  grep -q '^# options: t-end=0.5 eta=0.01 eps=0.0625 dt-max=0.0625 ' 1.txt
}

@test "steps beside --units astro become the next power of two below; without units they are one" {
  accepts ic king -n 32 --masses kroupa --length-unit 2 -o a.h5 --quiet
  local way dt_max dt_min is words
  dt_max=$(python3 -c "import math; print(2.0 ** math.floor(math.log2(0.1 / $(unit a.h5 time))))")
  dt_min=$(python3 -c "import math; print(f'{2.0 ** math.floor(math.log2(0.0001 / $(unit a.h5 time))):.9g}')")
  for way in '--units astro --dt-max 0.1 --dt-min 0.0001' '--dt-max 0.1 --dt-min 0.0001 --units astro' \
    '--dt-max 0.1Myr --dt-min 0.0001Myr'; do
    words="--t-end 0Myr $way"
    # shellcheck disable=SC2086 # words
    accepts run a.h5 --scheme host $words -o end.txt --quiet
    is=$(grep -o 'dt-max=[^ ]* dt-min=[^ ]*' end.txt)
    echo "$way: $is, expected $dt_max and $dt_min"
    near "$(sed 's/dt-max=\([^ ]*\).*/\1/' <<<"$is")" "$dt_max"
    near "${is##*=}" "$dt_min"
  done
  fails_with 2 "option --dt-min: '0.0001' is not a power of two (expected like 1/8 or 2^-26)" run a.h5 --dt-min 0.0001
  fails_with 2 "option --dt-max: '0.1' is not a power of two *" run a.h5 --dt-max 0.1 --units nbody
  fails_with 2 "option --dt-max: '-1' is out of range (expected a number > 0)" run a.h5 --units astro --dt-max=-1
  accepts run --help
  [[ $(tr -s ' \n' ' ' <<<"$output") == *'dt-max and dt-min become the next power of two below'* ]]
}

@test "a run in Myr is resumed to a time in Myr" {
  accepts ic king -n 32 --masses kroupa --length-unit 2 -o a.h5 --quiet
  accepts run a.h5 --scheme host --t-end 0.5 -o whole.h5 --quiet
  accepts run a.h5 --scheme host --t-end "$(myr a.h5 0.25)" --units astro --checkpoint c.ckpt -o half.h5 --quiet
  accepts run --resume c.ckpt --t-end "$(myr a.h5 0.5)" -o rest.h5 --quiet
  same whole.h5 rest.h5
  accepts run a.h5 --scheme host --t-end 0.25 --checkpoint d.ckpt -o half.h5 --quiet
  accepts run --resume d.ckpt --t-end "$(myr a.h5 0.5)Myr" -o rest.h5 --quiet
  same whole.h5 rest.h5
}

@test "lengths, velocities and masses with units, wherever an option takes one" {
  accepts ic king -n 32 --masses kroupa --length-unit 2 --binaries 0.5 --a-max 400AU --a-min 2AU -o a.h5 --quiet
  near "$("$HOLMBERG" convert a.h5 a.txt --quiet && sed -n 's/^# options: .* a-max=\([^ ]*\).*/\1/p' a.txt)" \
    "$(python3 -c 'print(400 * 149597870700.0 / 3.0856775814913673e16 / 2)')"
  accepts scale a.h5 b.h5 --at 8.5kpc,0,0 --velocity 0,220km/s,0 --mass 100Msun --quiet
  accepts info b.h5 --units astro --json
  for pair in mass_centre_x:8500 mass_centre_v_y:220 m:100; do
    echo "$pair: $(number "${pair%:*}")"
    near "$(number "${pair%:*}")" "${pair#*:}"
  done
  accepts ic combine a.h5 a.h5 --at 5pc,0,0 --velocity 0,1km/s,0 -o c.h5 --quiet
  accepts info c.h5 --units astro --json
  near "$(number mass_centre_x)" 2.5
  accepts run a.h5 --scheme host --t-end 1/64 -o end.nemo --quiet
  accepts info end.nemo --time "$(myr a.h5 0.015625)Myr" --json
  accepts info end.nemo --units astro --time "$(myr a.h5 0.015625)" --json
  near "$(number t)" "$(myr a.h5 0.015625)"
}

@test "what is in solar masses, pc or Myr by itself takes its unit and others of the same kind" {
  local way note other
  for way in '--length-unit 2000 --mass-unit 500' '--length-unit 2kpc --mass-unit 500Msun' '--length-unit=2000pc --mass-unit=500'; do
    # shellcheck disable=SC2086 # words
    accepts ic plummer -n 16 $way -o a.txt --quiet
    echo "$way: $(note a.txt)"
    [ "$(note a.txt)" = 'mass_msun=500 length_pc=2000' ]
    grep -q '^# options: .* mass-unit=500 length-unit=2000$' a.txt
  done
  accepts ic plummer -n 16 --mass-unit 500 --time-unit 2 -o a.txt --quiet
  accepts ic plummer -n 16 --mass-unit 500 --time-unit 0.002Gyr -o b.txt --quiet
  like a.txt b.txt '^# [ch]'
  accepts ic king -n 200 --masses kroupa --mass-min 0.5 --mass-max 5 --length-unit 1 -o a.txt --quiet
  accepts ic king -n 200 --masses kroupa --mass-min 0.5Msun --mass-max 5Msun --length-unit 1pc -o b.txt --quiet
  like a.txt b.txt '^# [ch]'
  fails_with 2 "option --mass-max: '5pc' is a length (expected a mass)" ic king --masses kroupa --mass-max 5pc
  fails_with 2 "option --time-unit: '1pc' is a length (expected a time)" ic plummer --mass-unit 1 --time-unit 1pc
}

@test "a cut-off in pc, of a sphere whose Plummer radius is 3 pi / 16" {
  accepts ic plummer -n 64 --mass-unit 500 --length-unit 2 --r-cut 5pc -o a.txt --quiet
  local is
  is=$(sed -n 's/^# options: .* r-cut=\([^ ]*\).*/\1/p' a.txt)
  echo "$is Plummer radii, expected $(python3 -c 'import math; print(5 / 2 / (3 * math.pi / 16))')"
  near "$is" "$(python3 -c 'import math; print(5 / 2 / (3 * math.pi / 16))')"
  accepts ic plummer -n 64 --mass-unit 500 --length-unit 2 --r-cut "$is" -o b.txt --quiet
  like a.txt b.txt '^# [cho]'
  fails_with 2 "option --r-cut: '5pc' has a unit, but the particles have none*" ic plummer --r-cut 5pc
}

@test "radii with a unit of length, and classes with one of mass" {
  accepts ic king -n 32 --masses kroupa --length-unit 2 --radius 1AU -o a.h5 --quiet
  accepts scale a.h5 b.h5 --radius 0.005AU*m^0.8 --quiet
  accepts scale a.h5 c.h5 --radius sun*m^0.8 --quiet
  /usr/bin/python3 - "$(note a.h5)" <<'END'
import h5py, sys
mass = float(sys.argv[1].split()[0].split("=")[1])
au, sun = (x / 3.0856775814913673e16 / 2 for x in (149597870700.0, 6.957e8))
for name, R, P in ("a", au, 0), ("b", 0.005 * au, 0.8), ("c", sun, 0.8):
    file = h5py.File(f"{name}.h5")["PartType1"]
    worst = max(abs(r / (R * (m * mass) ** P) - 1) for r, m in zip(file["Radius"][:], file["Masses"][:]))
    print(f"{name}: {file['Radius'][0]:.6e} at first, worst {worst:.1e}")
    assert worst < 1e-12
END
  accepts analyze a.h5 --classes 0.2Msun,1Msun --json
  printf '%s\n' "$output" >typed
  accepts analyze a.h5 --classes 0.2,1 --json --units astro
  python3 - typed "$output" <<'END'
import json, sys
typed, astro = (([c["n"] for c in json.loads(text)["classes"]]) for text in (open(sys.argv[1]).read(), sys.argv[2]))
print(typed, astro)
assert typed == astro and len(typed) == 3 and sum(typed) == 32 and min(typed) > 0
END
  fails_with 2 "option --classes: '1pc' is a length (expected a mass)" analyze a.h5 --classes 1pc
  fails_with 2 "option --classes: '2Msun,1Msun', expected up to 7 ascending masses > 0" analyze a.h5 --classes 2Msun,1Msun
  accepts ic plummer -n 8 -o none.h5 --quiet
  fails_with 2 "option --classes: '1Msun' has a unit, but the particles have none*" analyze none.h5 --classes 1Msun
  fails_with 2 'radii in pc or AU need units of mass and length' scale none.h5 d.h5 --radius 1AU
  fails_with 2 "the radius '1Myr', expected *" scale a.h5 d.h5 --radius 1Myr
}

@test "the numbers of a field with units, with --units astro, and as N-body numbers are one field" {
  accepts ic king -n 32 --masses kroupa --length-unit 2 -o a.h5 --quiet
  accepts scale a.h5 start.h5 --at 8.5kpc,0,0 --velocity 0,220km/s,0 --quiet
  cat >nbody.py <<'END'
import math, sys
mass = float(sys.argv[1].split()[0].split("=")[1])
pc, gm_sun = 3.0856775814913673e16, 1.3271244e20
velocity = math.sqrt(gm_sun * mass / (2 * pc)) / 1e3  # km/s
time = 2 * pc / (velocity * 1e3) / 3.15576e13  # Myr
print(f"log:v={220 / velocity!r},r={1000 / 2!r} plummer:m={5e6 / mass!r},a={100 / 2!r} omega={0.03 * time!r}")
print(mass * velocity**2)
END
  python3 nbody.py "$(note start.h5)" >nbody
  accepts run start.h5 --scheme host --t-end 1/4 --field "$(sed -n 1p nbody)" -o nbody.txt --quiet
  accepts run start.h5 --scheme host --t-end 1/4 --field 'log:v=220km/s,r=1kpc plummer:m=5e6Msun,a=0.1kpc omega=0.03/Myr' -o typed.txt --quiet
  accepts run start.h5 --scheme host --t-end "$(myr start.h5 0.25)" --units astro \
    --field 'log:v=220,r=1000 plummer:m=5e6,a=100 omega=0.03' -o astro.txt --quiet
  accepts run start.h5 --scheme host --t-end 1/4 --field 'log:v=221km/s,r=1kpc' -o other.txt --quiet
  for file in typed astro other; do
    run "$HOLMBERG" diff nbody.txt $file.txt --tolerance 1e-9
    echo "$file: $status $output"
    [ "$status" -eq "$([ $file = other ] && echo 1 || echo 0)" ]
  done
  accepts info start.h5 --field 'log:v=220km/s,r=1kpc' --json
  local energy
  energy=$(number e_orbit)
  accepts info start.h5 --units astro --field 'log:v=220,r=1000' --json
  near "$(python3 -c "print($(number e_orbit) / $energy)")" "$(sed -n 2p nbody)"
  fails_with 2 "option --field: '220Msun' is a mass (expected a velocity)" run start.h5 --t-end 1 --field 'log:v=220Msun,r=1'
  accepts ic plummer -n 8 -o none.h5 --quiet
  fails_with 2 "option --field: '1kpc' has a unit, but the particles have none*" run none.h5 --t-end 1 --field 'log:v=1,r=1kpc'
}

@test "a unit where none is known, of the wrong kind, or for a part of the numbers" {
  accepts ic plummer -n 8 -o a.h5 --quiet
  local none="has a unit, but the particles have none, see 'holmberg ic --help' and 'holmberg scale --help'"
  fails_with 2 "option --t-end: '5Myr' $none" run a.h5 --t-end 5Myr
  fails_with 2 "option --at: '1pc,0,0' $none" scale a.h5 b.h5 --at 1pc,0,0
  fails_with 2 "option --a-max: '10AU' $none" ic plummer -n 8 --binaries 1 --a-max 10AU
  fails_with 2 "option --t-end: '5pc' is a length (expected a time)" run a.h5 --t-end 5pc
  fails_with 2 "option --eta: '5Myr' is a time (expected a plain number)" run a.h5 --eta 5Myr
  for words in '--t-end 5Myr' '--eps 1pc'; do # the paper's runs have no units
    # shellcheck disable=SC2086 # words
    run -2 "$HOLMBERG" bench run $words
  done
  [ "${lines[0]}" = "holmberg: option --eps: '1pc' $none" ]
  fails_with 2 "option --at: '1pc,2,0' has numbers with and without a unit (expected one or the other)" scale a.h5 b.h5 --at 1pc,2,0
  accepts run --help
  [[ $(tr -s ' \n' ' ' <<<"$output") == *'times, lengths, velocities and masses may have one: 5Myr, 3kyr, 0.1pc, 200AU, 2km/s, 10Msun. Numbers of --field may be 0.03/Myr or 30km/s/kpc, too.'* ]]
}
