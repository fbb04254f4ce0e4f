# shellcheck shell=bash disable=SC2154 # run sets these
# Encounters without softening, for encounters.bats, gl_encounters.bats and tests/long/encounters.bats.

# binary: an orbit with 1 - e = 5e-4; its pericentre, 2.5e-6, is passed at t = 0.00111 first.
binary() { "$HOLMBERG" ic twobody --a 0.005 --e 0.9995 -o binary.txt --quiet; }

# honest T FILE OPTION...: by short steps alone, exit code 7 and a sentence, or |dE/E| <= 1e-3 at T.
honest() {
  local t=$1 file=$2
  shift 2
  run --separate-stderr "$HOLMBERG" run "$file" --eps 0 --encounters none --t-end "$t" --diag-every 1 "$@"
  echo "$file $*: exit code $status, $output, $stderr"
  case $status in
    0) awk -v t="$t" 'END { exit !($1 == t && $4 <= 1e-3 && $4 >= -1e-3) }' <<<"$output" ;;
    7) [[ ${stderr_lines[-1]} =~ 'energy error'|'expected finite' ]] ;;
    *) false ;;
  esac
}

# three_encounters: binary.txt, three bodies that meet again and again, and two that fall upon each other.
three_encounters() {
  binary
  "$HOLMBERG" ic pythagorean -o pythagorean.txt --quiet
  printf '%s\n' '0.5 -0.25 0 0 0 0 0' '0.5 0.25 0 0 0 0 0' >head_on.txt
}
