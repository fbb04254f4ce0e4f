#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2086 # run sets these, options are words
# The encounters of encounters.bats with forces by OpenGL.
load common
load encounters

# gl OPTION...: fewer periods than on the host, which take as long.
gl() {
  three_encounters
  honest 0.00390625 binary.txt "$@" --no-tune --context osmesa
  honest 18 pythagorean.txt "$@" --no-tune --context osmesa
  honest 2 head_on.txt "$@" --no-tune --context osmesa
}

@test "encounters: cg2007" { gl --scheme cg2007; }
@test "encounters: bag" { gl --scheme bag; }
@test "encounters: bag, ds" { gl --scheme bag --precision ds; }
@test "encounters: matrix2004" { gl --scheme matrix2004; }
@test "encounters: tile" { gl --scheme tile; }
@test "encounters: hybrid" { gl --scheme hybrid; }

# A float holds no square of the jerk at this pericentre: the step that the device asked for was 0.
@test "encounters: bag, corrected on the device" {
  binary
  honest 0.00390625 binary.txt --scheme bag --precision ds --no-tune --context osmesa --transfer block --predict gpu --correct gpu
  [ "$(awk 'END { print ($7 > 1000 && $7 < 3000) }' <<<"$output")" = 1 ]
}

# Without mass they meet at t = 1, where the force is 0 / 0.
@test "particles that coincide on the way are named wherever they are predicted and corrected" {
  printf '%s\n' '0 -1 0 0 1 0 0' '0 1 0 0 -1 0 0' >meet.txt
  for where in '' '--transfer block --predict gpu' '--transfer block --predict gpu --correct gpu'; do
    run --separate-stderr "$HOLMBERG" run meet.txt --eps 0 --t-end 2 --quiet --scheme bag --no-tune --context osmesa $where
    [ "$status" -eq 7 ]
    echo "$where: $stderr" # where the device corrects, first that test particles are not watched
    [[ ${stderr_lines[-1]} == 'holmberg: particle 0 '*'block step 8'*'; particle 1 is at the same place: eps above 0 keeps forces finite' ]]
  done
}

@test "test particles that stay on the device are sources, too, and counted as such" {
  "$HOLMBERG" ic plummer -n 20 --seed 1 -o - | grep -v '^#' | awk '{ if (NR > 5) $1 = 0; print }' >stars.txt
  run --separate-stderr "$HOLMBERG" run stars.txt --scheme bag --no-tune --predict gpu --eps 1/64 --t-end 1/8 --json
  [ "$status" -eq 0 ]
  [ "$stderr" = 'holmberg: --predict gpu takes particles without mass (15) as sources, too: they cost as much as stars' ]
  tail -n 1 <<<"$output" | grep -Eo '"(particle_steps|pairs)": [0-9]+' | awk '{ k[NR] = $2 } END { exit k[2] != 19 * k[1] }'
}

@test "encounters are not looked for on the device, and the run says so" {
  "$HOLMBERG" ic plummer -n 20 --seed 1 -o stars.h5 --quiet
  run --separate-stderr "$HOLMBERG" run stars.h5 --scheme bag --no-tune --predict gpu --transfer block --correct gpu --eps 0 --t-end 1/8 --stop-at pair
  [ "$status" -eq 0 ]
  [ "$stderr" = 'holmberg: --stop-at pair: with --correct gpu, encounters of unbound stars are not looked for, binaries are' ]
}
