#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2016,SC2030,SC2031 # run sets these, each test is a subshell; backquotes are of Markdown
# Interactions of a user's: summed by `holmberg pairs`, integrated by run and view; and files that are wrong.
load common

# readme: my.glsl, the interaction that src/README.md explains.
readme() { sed -n '/^```glsl$/,/^```$/p' "$BATS_TEST_DIRNAME/../../src/README.md" | grep -v '^```' >my.glsl; }

# law LINE...: my.glsl with these lines of a declaration, and an interaction that compiles.
law() {
  printf '%s\n' "$@" '#include "common/real.glsl"' \
    'void interact(in real4 i[ALL_RECORDS], in real4 j[ALL_RECORDS], real4 parameter, inout real4 f[F_RECORDS]) {' \
    '  f[0].x += j[0].w;' '}' >my.glsl
}

# refuses SENTENCE: my.glsl, with exit code 3.
refuses() { fails_with 3 "$1" pairs --interaction my.glsl --j j.txt --context osmesa; }

setup() {
  mkdir "$BATS_TEST_TMPDIR/here" && cd "$BATS_TEST_TMPDIR/here" || return 1
  unset HB_DEVICE NO_COLOR
  export HB_CONTEXT=osmesa
  printf '%s\n' '# x y z m' '0 0 0 1' '3 0 0 2' '0 4 0 3' >j.txt
}

@test "pairs: the sums of a table, by every scheme and precision" {
  printf '%s\n' 'x y z q' '0 0 0 1' '3 0 0 -2' '0 4 0 3' >charges.txt # phi of the first: -2/3 + 3/4
  for way in 'bag single' 'bag compensated' 'bag ds' 'bag double' 'tile single' 'tile double' 'matrix2004 ds' 'matrix2004 double'; do
    accepts pairs --interaction coulomb --j charges.txt --scheme "${way% *}" --precision "${way#* }"
    [ "${#lines[@]}" -eq 4 ]
    [[ ${lines[0]} =~ ^#\ +ex\ +ey\ +ez\ +phi$ ]]
    awk 'function far(x, y) { d = x - y; return d > 2e-7 || d < -2e-7 }
      NR == 2 && (far($1, 2 / 9) || far($2, -3 / 16) || far($3, 0) || far($4, 1 / 12)) { exit 1 }' <<<"$output"
  done
}

@test "pairs: sinks of their own, parameters, forms of a table" {
  printf '%s\n' 'x,y,z,unused' '0,0,1,7' '0,0,0,7' >i.csv
  printf '%s\n' '# crc32 and other comments' '# x y z amplitude phase' '0 0 2 3 0' >j.txt
  accepts pairs --interaction hologram --parameter wavelength=4 --j j.txt --i i.csv --precision double --json
  # r = 1: a quarter of a turn; r = 2: half a turn
  awk -F '[:,}]' 'NR == 1 && ($2 > 1e-14 || $4 < 2.99999999999999) || NR == 2 && ($2 > -1.49999999999999) { exit 1 }' <<<"$output"
  accepts pairs --interaction hologram --parameter wavelength=4 --j - --i i.csv -o out.csv --quiet <j.txt
  [ "$(head -n 1 out.csv)" = re,im ]
  [ "$(wc -l <out.csv)" -eq 3 ]
  accepts pairs --interaction hologram --parameter wavelength=4 --j j.txt --i i.csv -o out.txt
  [[ $output == "wrote out.txt: 2 sinks, 1 source, bag in single on "* ]]
  accepts pairs --interaction hologram --parameter wavelength=4 --j j.txt --i i.csv -o out.jsonl --quiet
  [ "$(head -c 6 out.jsonl)" = '{"re":' ]
}

@test "pairs: a snapshot is a table" {
  accepts ic plummer -n 32 -o c.h5 --quiet
  accepts ic plummer -n 32 -o c.txt --quiet
  accepts pairs --interaction gravity_jerk --j c.h5 -o h5.csv --quiet
  accepts pairs --interaction gravity_jerk --j c.txt -o txt.csv --quiet
  cmp h5.csv txt.csv
  [ "$(wc -l <h5.csv)" -eq 33 ]
  fails_with 3 "c.h5 has no column 'q', which interaction coulomb needs" pairs --interaction coulomb --j c.h5
  fails_with 4 '*none.h5*' pairs --interaction coulomb --j none.h5
}

@test "pairs: the examples of shaders/interactions/README, as printed" {
  local readme=$BATS_TEST_DIRNAME/../../shaders/interactions/README.md
  sed -n '/^```glsl$/,/^```$/p' "$readme" | grep -v '^```' >screened.glsl
  # indented blocks: commands, and what they print
  awk '!/^    / { kind = ""; next } { sub(/^    /, "") }
    kind == "" { kind = /^(printf|awk|holmberg) / ? "commands" : /^#/ ? "printed" : "other" } { print >kind }' "$readme"
  cat commands
  ln -s "$HOLMBERG" holmberg
  PATH=$PWD:$PATH bash -e commands | tee now
  grep -c '^#' now | grep -x 3
  paste -d' ' now printed | awk '{ for (k = 1; k <= NF / 2; k++) {
    a = $k; b = $(k + NF / 2); if (a != b && !((a - b) ^ 2 < 1e-10 * b ^ 2)) { print "line", NR, a, b; exit 1 } } }'
  cmp <(wc -l <now) <(wc -l <printed)
  # by awk what the file says: phi = sum q (1 / r - 1 / R) for r < R
  awk 'FILENAME == "charges.txt" && !/#/ { x[++n] = $1; q[n] = $4 }
    FILENAME == "places.txt" && !/#/ { phi[++m] = 0; for (k = 1; k <= n; k++) {
      r = x[k] > $1 ? x[k] - $1 : $1 - x[k]; if (r < 0.8) phi[m] += q[k] * (1 / r - 1 / 0.8) } }
    FILENAME == "now" && NF == 1 && !/#/ { d = $1 - phi[++i]; print $1, phi[i]
      if (phi[i] == 0 || d > 1e-14 || d < -1e-14) exit 1 }
    END { if (i != 2) exit 1 }' charges.txt places.txt now
  # a lattice of density 1, at one of its particles
  accepts pairs --interaction sph_density --j gas.txt --i <(printf '# x y z h\n0.9 0.9 0.9 0.13\n') --precision double
  awk 'NR == 2 { d = $1 - 1; print $1, 1; exit !(d < 5e-3 && d > -5e-3) }' <<<"$output"
}

@test "pairs: a closed double layer fills the sky inside, and no part of it outside" {
  # a sphere in 40 x 80 elements, normals inwards
  awk 'BEGIN { print "# x y z q nx ny nz mu"; pi = atan2(0, -1); n = 40
    for (a = 0; a < n; a++) for (b = 0; b < 2 * n; b++) {
      t = pi * (a + 0.5) / n; p = pi * (b + 0.5) / n; s = sin(t)
      print s * cos(p), s * sin(p), cos(t), 0, -s * cos(p), -s * sin(p), -cos(t), s * (pi / n) ^ 2 } }' >sphere.txt
  printf '%s\n' '# x y z' '0 0 0' '0.3 -0.2 0.4' '2 1 0' >i.txt
  accepts pairs --interaction boundary_element --j sphere.txt --i i.txt --precision double
  awk 'NR > 1 { right = NR < 4 ? 16 * atan2(1, 1) : 0; d = $2 - right; if (d > 5e-3 || d < -5e-3) exit 1 }' <<<"$output"
}

@test "pairs: what is wrong with a table" {
  fails_with 2 "'holmberg pairs' needs --interaction NAME" pairs --j j.txt
  fails_with 2 "'holmberg pairs' needs --j TABLE" pairs --interaction gravity
  fails_with 2 'options --i and --j cannot both read standard input' pairs --interaction gravity --j - --i -
  fails_with 2 "unknown interaction 'gravit' (expected gravity_jerk, *, or a file like my.glsl)" pairs --interaction gravit --j j.txt
  fails_with 4 'cannot read no.txt: *' pairs --interaction gravity --j no.txt
  fails_with 3 "j.txt has no column 'vx', which interaction gravity_jerk needs" pairs --interaction gravity_jerk --j j.txt
  fails_with 2 'interaction hologram needs its parameter wavelength' pairs --interaction hologram --j <(sed '1s/m/amplitude/;s/$/ 0/;1s/0/phase/' j.txt)
  fails_with 2 "interaction gravity has no parameter 'k' (expected one of: eps2)" pairs --interaction gravity --parameter k=1 --j j.txt
  fails_with 2 "parameter eps2: 'x' is not a number*" pairs --interaction gravity --parameter eps2=x --j j.txt
  fails_with 2 "unknown scheme 'host' (expected one of bag, tile, matrix2004)" pairs --interaction gravity --scheme host --j j.txt
  echo '1 2 3' >>j.txt
  fails_with 3 'j.txt:5: a row of 3 numbers, expected 4' pairs --interaction gravity --j j.txt
  sed -i '5s/.*/1 2 3 nan/' j.txt
  fails_with 3 "j.txt:5: 'nan' for m, expected a finite number" pairs --interaction gravity --j j.txt
  sed -i '5d;1s/m/x/' j.txt
  fails_with 3 "j.txt: two columns are named 'x'" pairs --interaction gravity --j j.txt
  sed -i 1d j.txt
  fails_with 3 "j.txt:1: no line before the first row names its 4 columns *" pairs --interaction gravity --j j.txt
  echo '# x y z m' >j.txt
  fails_with 3 'j.txt: no row of numbers' pairs --interaction gravity --j j.txt
  printf '%s\n' '# x y z m' '0 0 0 1' '0 0 0 1' >j.txt
  fails_with 7 'ax of sink 0 is *nan' pairs --interaction gravity --j j.txt
  files j.txt
}

@test "a declaration that is wrong" {
  local particle='// particle: (x, y, z, m)' force='// force: (fx, fy, fz, -)'
  law "$particle"
  refuses "my.glsl: no line like '// force: (ax, ay, az, -)' says what a particle feels"
  law "$force"
  refuses "my.glsl: no line like '// particle: (x, y, z, m)' says what a particle consists of"
  law '// particle: (x, y, z)' "$force"
  refuses "my.glsl:1: the record '(x, y, z)' has not 4 components *"
  law '// particle: (x, y, z, m, n)' "$force"
  refuses "my.glsl:1: the record '(x, y, z, m, n)' has more than 4 components *"
  law "$force" '// particle: (x, y, 2z, m)'
  refuses "my.glsl:2: '2z, m)' where a name or - is expected*"
  law "$force" '// particle: (x, y, x, m)'
  refuses "my.glsl:2: the name 'x' is given twice"
  law "$particle (a, b, c, d) (e, f, g, h) (k, -, -, -)" "$force"
  refuses 'my.glsl:1: more than 3 records'
  law "$particle" '// force: (fx, fy, fz, u)'
  refuses "my.glsl:2: the last component of the last record is 'u', but the engine needs it (expected -)"
  law "$particle" "$force" "$particle"
  refuses "my.glsl:3: a second line 'particle:', the first is line 1"
  law "$particle" "$force" '// sink: (y, -, -, -)'
  refuses "my.glsl:3: 'y' of a sink is not at this place of a particle"
  law "$particle" "$force" '// parameter: (k = one, -, -, -)'
  refuses "my.glsl:3: 'one' is not a number *"
  law "$particle" "$force" '// flops: many'
  refuses "my.glsl:3: 'many' is not a whole number *"
  law "$particle" "$force" '#define RECORDS 2'
  refuses "my.glsl:3: RECORDS is 1 by the line 'particle:' (leave this one out)"
}

@test "code that is wrong" {
  local particle='// particle: (x, y, z, m)' force='// force: (fx, fy, fz, -)'
  printf '%s\n' "$particle" "$force" '#include "common/real.glsl"' 'float interact;' >my.glsl
  refuses 'my.glsl: no function `void interact(in real4 i*'
  printf '%s\n' "$particle" "$force" 'void interact() {}' >my.glsl
  refuses 'my.glsl: no line #include "common/real.glsl", *'
  law "$particle" "$force" '#version 330'
  refuses 'my.glsl:3: the loader adds #version itself*'
  for name in INTERACTION my.glsl ../my.glsl /etc/passwd pairs/bag.frag; do
    law "$particle" "$force" "#include \"$name\""
    refuses "my.glsl:3: cannot include '$name' *"
  done
  law "$particle" "$force"
  sed -i 's/j\[0\].w/j[0].w * wrong/' my.glsl # line 5
  refuses 'my.glsl:5: *wrong*'
  law "$particle" "$force"
  sed -i 's/, real4 parameter//' my.glsl
  refuses 'my.glsl does not fit where it is used: shaders/pairs/check.frag:*interact*'
  law "$particle" "$force" 'int token; vec4 sinks, source;'
  refuses 'my.glsl does not fit where it is used: shaders/*' # names of a scheme's
  { law "$particle" "$force"; head -c 70000 /dev/zero | tr '\0' ' ' >>my.glsl; }
  refuses 'my.glsl: 70* bytes are too many for an interaction*'
  printf 'a\0b' >my.glsl
  refuses 'my.glsl is not a text: it has a NUL byte'
  law "$particle" '// force: (a, b, c, d) (e, f, g, -)'
  for ((k = 0; k < 40; k++)); do sed -i '/f\[0\].x/i for (int a = 0; a < F_RECORDS; a++)' my.glsl; done # 2^40 copies
  refuses '*the loops of a shader, written out, take more than * bytes'
  law "$particle" "$force"
  echo '/* a comment' >>my.glsl
  refuses "my.glsl: a comment '/*' is never closed"
  : >my.glsl
  refuses 'my.glsl: no line *'
}

@test "run: an interaction of src/README turns an ellipse as Newton computed" {
  readme
  accepts ic twobody --e 0.5 -o pair.txt --quiet
  # From apocenter: E and L of the relative orbit, its radial period, and the angle of the next apocenter
  t=$(awk -v h=0.05 'BEGIN { pi = atan2(0, -1); r = 1.5; v2 = 1 / 3; E = v2 / 2 - 1 / r - h / (2 * r * r)
    a = -1 / (2 * E); printf "%.15g", 2 * pi * a ^ 1.5 }')
  for scheme in bag tile; do
    accepts run pair.txt --interaction my.glsl --eps 0 --scheme $scheme --precision double --eta 0.002 --t-end "$t" -o end.txt --json
    tail -n 1 <<<"$output" | grep -q '"de_rel": -\?[0-9.]*e-\(0[89]\|[1-9][0-9]\)'
    grep -v '^#' end.txt | awk -v h=0.05 'NR == 1 { x = $2; y = $3 } NR == 2 { x -= $2; y -= $3; pi = atan2(0, -1)
      angle = 2 * pi / sqrt(1 - h / 0.75) - 2 * pi; d = atan2(y, x) - angle; if (d > pi / 2) d -= pi; if (d < -pi / 2) d += pi
      r = sqrt(x * x + y * y); print d, r; exit !(d < 1e-6 && d > -1e-6 && r > 1.499999 && r < 1.500001) }'
  done
  # without the term it is gravity, whose energy is exact
  accepts run pair.txt --interaction my.glsl --parameter h=0 --eps 0 --scheme bag --precision double --t-end 1 -o mine.txt --quiet
  accepts run pair.txt --encounters none --eps 0 --scheme bag --precision double --t-end 1 -o newton.txt --quiet
  paste <(grep -v '^#' mine.txt) <(grep -v '^#' newton.txt) |
    awk '{ for (k = 1; k <= 7; k++) { d = $k - $(k + 7); if (d > 1e-13 || d < -1e-13) exit 1 } }'
}

@test "run: leapfrog needs no jerk" {
  readme
  sed -i 's/(jx, jy, jz, -)/(-, -, -, -)/; s/ (vx, vy, vz, -)//; /f\[1\]/d; /real turn/d; s/, vij = .*;/;/' my.glsl
  accepts ic twobody --e 0.5 -o pair.txt --quiet
  fails_with 2 'interaction my gives no jerk (jx, jy, jz), which integrator hermite4 needs; leapfrog does not' \
    run pair.txt --interaction my.glsl
  accepts run pair.txt --interaction my.glsl --integrator leapfrog --dt 0.001 --eps 0 --precision double --diag-every 1 --json
  tail -n 1 <<<"$output" | grep -q '"de_rel": -\?[0-9.]*e-\(0[6-9]\|[1-9][0-9]\)'
}

@test "run: a checkpoint knows its interaction" {
  readme
  accepts ic plummer -n 16 -o c.txt --quiet
  local run='run c.txt --interaction my.glsl --parameter h=0.1 --scheme bag --no-tune --quiet'
  # shellcheck disable=SC2086
  accepts $run --t-end 0.5 -o whole.txt
  # shellcheck disable=SC2086
  accepts $run --t-end 0.25 --checkpoint c.ckpt
  sed -i '1s/.*/\/\/ Another comment/' my.glsl
  accepts run --resume c.ckpt --t-end 0.5 -o end.txt --quiet
  diff <(grep -v '^#' whole.txt) <(grep -v '^#' end.txt)
  sed -i 's/0.5 \* h/0.25 * h/' my.glsl
  # shellcheck disable=SC2086
  fails_with 3 'c.ckpt: the code of interaction my.glsl has changed since the checkpoint was written' run --resume c.ckpt --t-end 1
  fails_with 2 'option --parameter: *differs from the checkpoint*' run --resume c.ckpt --t-end 1 --parameter h=0.2
  rm my.glsl
  fails_with 4 'cannot read my.glsl: *' run --resume c.ckpt --t-end 1
}

@test "run: what an interaction cannot do" {
  readme
  two_bodies >a.txt
  fails_with 2 'interaction coulomb cannot be integrated: *' run a.txt --interaction coulomb
  fails_with 2 'scheme host computes gravity_jerk only, not my' run a.txt --interaction my.glsl --scheme host
  fails_with 2 'exact energies are those of gravity: *' run a.txt --interaction my.glsl --exact-energy yes
  fails_with 2 'parameter eps2 is the softening squared (expected eps in its place)' run a.txt --interaction my.glsl --parameter eps2=1
  fails_with 2 "parameter 'h' has no value (expected like k=1.5)" run a.txt --interaction my.glsl --parameter h
  fails_with 4 'cannot read no.glsl: *' run a.txt --interaction no.glsl
}
