#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031 # run sets these, each test is a subshell
# What a person meets first: help, version, and sentences for what they mistyped.
load common

@test "--version" {
  accepts --version
  [[ $output =~ ^holmberg\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
}

@test "--help lists the commands and the exit codes" {
  accepts --help
  [ "${lines[0]}" = 'usage: holmberg COMMAND [options]' ]
  for command in ic run plot view render trace convert diff pairs bench model reproduce tune info; do [[ $output == *$'\n'"  $command "* ]]; done
  [[ $output == *'exit codes: 0 done, 1 internal, 2 usage, 3 bad input, 4 reading or writing failed'* ]]
  [[ $output == *'example:'* ]]
}

@test "every command explains itself, with an example that starts with its name" {
  for command in ic run plot view render trace convert diff pairs bench model reproduce tune info; do
    accepts "$command" --help
    [[ ${lines[0]} == "usage: holmberg $command"* ]]
    [[ $output == *$'\nexample:\n  holmberg '"$command"* ]]
    [[ $output == *'-h, --help'* ]]
  done
}

@test "--help wins over whatever else is wrong" {
  accepts run --eta -h --nonsense
  [ "${lines[0]}" = 'usage: holmberg run FILE [options]' ]
}

@test "no line of a help text is wider than 100 columns" {
  for command in '' ic run plot bench model 'model fit' 'model predict' info; do
    # shellcheck disable=SC2086
    accepts $command --help
    for line in "${lines[@]}"; do [ "${#line}" -le 100 ]; done
  done
}

@test "ic --help lists the models" {
  accepts ic --help
  for model in plummer twobody figure8 pythagorean coldsphere cube holmberg1941 disc merger demo1 demo7; do
    [[ $output == *$'\n'"  $model "* ]]
  done
}

@test "defaults stand in run --help" {
  accepts run --help
  [[ $output == *'--eta NU '*'(default 0.01)'* ]]
  [[ $output == *'--eps EPS '*'(default 1/256)'* ]]
  [[ $output == *'--dt-max DT '*'(default 1/8)'* ]]
  [[ $output == *'--dt-min DT '*'(default: 2^-26, with eps 0'*'2^-40)'* ]]
}

@test "run --help lists integrators and schemes" {
  accepts run --help
  for name in hermite4 leapfrog cg2007 tile; do [[ $output == *$'\n'"  $name "* ]]; done
}

@test "help and the version, however they are asked for" {
  "$HOLMBERG" --help >help
  "$HOLMBERG" run --help >run
  "$HOLMBERG" bench run --help >bench_run
  for words in help -h; do accepts $words && [ "$output" = "$(cat help)" ]; done
  accepts help run
  [ "$output" = "$(cat run)" ]
  accepts help bench run
  [ "$output" = "$(cat bench_run)" ]
  fails_with 2 "unknown command 'rnu'; did you mean 'run'[?]" help rnu
  local version
  version=$("$HOLMBERG" --version)
  for words in -v 'run --version' 'run -v' 'ic --nonsense --version' 'bench run -v'; do
    # shellcheck disable=SC2086
    accepts $words
    [ "$output" = "$version" ]
  done
  fails_with 4 'cannot read --version: *' run -- --version
}

@test "no command" { fails_with 2 'no command given'; }
@test "unknown command, near one" { fails_with 2 "unknown command 'rnu'; did you mean 'run'[?]" rnu; }
@test "unknown command, near none" {
  fails_with 2 "unknown command 'simulate' (expected one of ic, run, plot, analyze, view, render, trace, convert, scale, diff, pairs, bench, model, *info, card)" simulate
}
@test "unknown option before a command" {
  fails_with 2 "unknown option '--vresion'; did you mean '--version'[?]" --vresion
}
@test "unknown option, near one" {
  fails_with 2 "unknown option '--ete'; did you mean '--eta'[?]" run a.h5 --ete 1
}
@test "one dash too few" { fails_with 2 "unknown option '-eta'; did you mean '--eta'[?]" run a.h5 -eta 1; }
@test "unknown option, near none" { fails_with 2 "unknown option '--frobnicate'" run a.h5 --frobnicate=1; }
@test "unknown letter" { fails_with 2 "unknown option '-x'" run a.h5 -x; }
@test "missing value at the end" { fails_with 2 'option --eta needs a value (NU)' run a.h5 --eta; }
@test "missing value before an option" {
  fails_with 2 'option --eta needs a value (NU)' run a.h5 --eta --eps 0
}
@test "missing value of a letter" { fails_with 2 'option -o needs a value (FILE)' run a.h5 -o; }
@test "empty value" { fails_with 2 'option -o: the value is empty (expected FILE)' run a.h5 -o ''; }
@test "value for a flag" { fails_with 2 "option --json takes no value, but got '3'" run a.h5 --json=3; }
@test "no file" { fails_with 2 "'holmberg run' needs a FILE" run; }
@test "no model" { fails_with 2 "'holmberg ic' needs a MODEL (one of plummer, *, demo7)" ic; }
@test "no measurement, no part" {
  fails_with 2 "'holmberg bench' needs a WHAT (one of force, draws, ceiling, messages, run, frames)" bench
  fails_with 2 "'holmberg model' needs a PART (one of fit, predict)" model
}
@test "a model mistyped where a file could be" {
  for command in view trace; do
    fails_with 2 "unknown model 'plumer'; did you mean 'plummer'[?]" $command plumer
  done
}
@test "what fails before its first row prints no head of a table" {
  fails_with 2 "unknown scheme 'hots'; did you mean 'host'[?]" bench force --scheme hots
  fails_with 2 "unknown precision 'quad' *" bench force --scheme host --precision double,quad --n 64
  fails_with 2 "unknown interaction 'gravit'; did you mean 'gravity'[?]" bench force --interaction gravit
  fails_with 2 "option --n: 'x' is not a whole number*" bench force --scheme host --n 64,x
  fails_with 2 'there is nothing to measure: *' bench draws --scheme host --n 64 --ni 128
  fails_with 2 'there is nothing to measure: *' bench force --scheme host --precision single --n 64
  run --separate-stderr "$HOLMBERG" bench run --scheme host --n 64 --t-end 0.1
  [[ $status -eq 2 && -z $output && $stderr == 'holmberg: the times are 0.25 to 0.1, '* ]]
  fails_with 4 'cannot read nosuch.jsonl: *' model predict --machine nosuch.jsonl
}
@test "two files" { fails_with 2 "'holmberg run' takes one FILE, but got 'a.h5' and 'b.h5'" run a.h5 b.h5; }
@test "an operand for tune" { fails_with 2 "'holmberg tune' takes options only, but got 'x'" tune x; }
@test "not a number" {
  fails_with 2 "option --eta: 'fast' is not a number (expected like 0.01, 1e-3, 2^-8 or 1/256)" run a.h5 --eta fast
}
@test "a number with a tail" { fails_with 2 "option --eta: '0.01x' is not a number*" run a.h5 --eta=0.01x; }
@test "no number is infinite" {
  fails_with 2 "option --t-end: 'inf' is not a number*" run a.h5 --t-end inf
  fails_with 2 "option --t-end: '1e999' is not a number*" run a.h5 --t-end 1e999
  fails_with 2 "option --t-end: '1/0' is not a number*" run a.h5 --t-end 1/0
}
@test "not positive" {
  fails_with 2 "option --eta: '0' is out of range (expected a number > 0)" run a.h5 --eta 0
  fails_with 2 "option --eps: '-1' is out of range (expected a number >= 0)" run a.h5 --eps -1
}
@test "not a power of two" {
  fails_with 2 "option --dt-max: '0.1' is not a power of two (expected like 1/8 or 2^-26)" run a.h5 --dt-max 0.1
}
@test "not a whole number" { fails_with 2 "option -n: '1.5' is not a whole number*" ic plummer -n 1.5; }
@test "not one of the words" {
  fails_with 2 "option --step-rounding: unknown value 'dwon'; did you mean 'down'[?]" run a.h5 --step-rounding dwon
  fails_with 2 "option --scheme: unknown value 'hots'; did you mean 'host'[?]" run a.h5 --scheme hots
  fails_with 2 "option --context: unknown value 'vulkan' (expected one of auto, egl, osmesa, glfw, gles)" \
    run a.h5 --context vulkan
  fails_with 2 "option --format: unknown value 'hfd5'; did you mean 'hdf5'[?]" ic plummer --format hfd5
}
@test "no name of a file is run, nor taken for anything else" {
  local name
  "$HOLMBERG" ic plummer -n 16 -o p.h5 --quiet
  # shellcheck disable=SC2016
  for name in "x'.system('touch pwned').'\$(touch pwned)\`touch pwned\`" '|touch pwned' '<touch pwned' '";touch pwned;"\' \
    '-e' '%s%n @x' 'file:END'; do
    mkdir here
    cd here
    accepts run ../p.h5 --scheme host --t-end 0.125 --quiet "-o$name.h5" "--diag=$name.csv" "--checkpoint=$name.ckpt"
    accepts plot "-o$name.svg" --quiet -- "$name.csv"
    accepts bench force --scheme host --n 16 --repeat 1 "--plot=$name.pdf"
    accepts ic figure8 "-o$name.txt" --quiet
    accepts run --scheme host --t-end 0.125 --json -- "$name.txt"
    rm -f ./*~
    files "$name".{h5,csv,ckpt,svg,pdf,txt}
    cd ..
    rm -r here
  done
}

@test "control letters of a file name do not reach the terminal" {
  fails_with 4 'cannot read a[?]b[?]c.h5: *' run $'a\nb\ec.h5'
}

@test "color only when asked for, or at a terminal" {
  run --separate-stderr "$HOLMBERG" run missing.h5
  [[ $stderr == 'holmberg: cannot read'* ]]
  run --separate-stderr "$HOLMBERG" run missing.h5 --color always
  [[ $stderr == $'\e[1;31mholmberg:\e[0m cannot read'* ]]
}

# announces PATTERN ARG...: work that does not end by itself says first how long it takes; it is stopped then.
announces() {
  local pattern=$1
  shift
  rm -f said
  "$HOLMBERG" "$@" >rows 2>said &
  until_true test -s said || :
  kill -KILL $!
  wait $! || true
  # shellcheck disable=SC2053
  [[ $(head -n 1 said) == 'holmberg: this takes '$pattern'; Ctrl-C stops it'* ]]
}

@test "a number that makes endless work: how long it takes is announced before the first step" {
  "$HOLMBERG" ic plummer -n 16 -o p.h5 --quiet
  "$HOLMBERG" ic demo1 -n 16 -o d.h5 --quiet
  local leapfrog=(run d.h5 --scheme host --integrator leapfrog)
  announces 'about * years' run p.h5 --scheme host --t-end 1e12
  announces 'at least 27.8 hours' "${leapfrog[@]}" --t-end 1 --dt 1e-12
  announces 'at least 9 days' bench run --scheme host --n 16 --t-end 1e12
  announces 'at least * years' model fit --scheme host --n 16,24,32 --t-end 2^70
  announces 'about *' ic plummer -n 2^21 --scaling measured -o q.h5
  grep -q -- '--scaling model takes seconds' said
  [ ! -e q.h5 ]
}

@test "a number that cannot be counted is refused with what is allowed" {
  "$HOLMBERG" ic plummer -n 16 -o p.h5 --quiet
  "$HOLMBERG" ic demo1 -n 16 -o d.h5 --quiet
  local leapfrog=(run d.h5 --scheme host --integrator leapfrog) n
  for n in 1e18 2^70 1e300; do
    fails_with 2 'option --t-end: * steps of 0.125 (expected fewer than 2^53 *' run p.h5 --scheme host --t-end $n
  done
  for n in 1e-300 2^-70; do
    fails_with 2 'option --t-end: * steps of * (expected fewer than 2^53 *' "${leapfrog[@]}" --dt $n
  done
  fails_with 2 'option --t-end: * rows every * (expected fewer than 2^53 *' run p.h5 --dt-min 2^-62 --diag-every 2^-61
  fails_with 2 'option --t-end: * snapshots every * (expected fewer than 2^53 *' \
    run p.h5 --dt-min 2^-62 --snap-every 2^-61 -o e.h5
  fails_with 2 "option -n: '1e300' is out of range (expected a whole number below 2^63)" ic plummer -n 1e300
  fails_with 2 "option --repeat: '1e12' is out of range (expected at most 1000)" bench force --repeat 1e12
  fails_with 2 "option --seconds: '1e300' is out of range (expected at most 3600)" tune --seconds 1e300
  fails_with 2 "option --frames: '1e12' is out of range (expected at most 1000000)" render p.h5 --frames 1e12
  for n in --seeds --repeat; do
    run -2 --separate-stderr "$HOLMBERG" model fit $n 1e12
    [[ ${stderr_lines[0]} == "holmberg: option $n: '1e12' is out of range (expected at most 1000)" ]]
  done
}

# at_terminal COMMAND: its output when standard error is a terminal.
at_terminal() { TERM=xterm script -qec "$1" /dev/null </dev/null; }

@test "at a terminal: color, none with NO_COLOR or --color=never, --color=always wins" {
  has_terminal
  [[ $(at_terminal "$HOLMBERG run missing.h5") == *$'\e['* ]]
  [[ $(NO_COLOR=1 at_terminal "$HOLMBERG run missing.h5") != *$'\e['* ]]
  [[ $(at_terminal "$HOLMBERG run missing.h5 --color=never") != *$'\e['* ]]
  [[ $(NO_COLOR=1 at_terminal "$HOLMBERG run missing.h5 --color=always") == *$'\e['* ]]
}

# bars TERM COMMAND: how many progress bars it draws until it has done its work
bars() {
  TERM=$1 script -qec "$2" shown </dev/null >/dev/null || return
  tr '\r' '\n' <shown | grep -ac '% .* left' || [ $? -eq 1 ]
}

@test "ic: a progress bar for the N^2 sums of a large sphere" {
  has_terminal
  quick_clock 1000000 # these sums are done in two parts; a second after the first one a bar is due
  local count
  count=$(bars xterm "$HOLMBERG ic plummer -n 20000 --scaling measured")
  echo "$count bars"
  [ "$count" -ge 1 ]
  files plummer.h5 shown
}

@test "a progress bar at a terminal, none with --quiet, --json or a dumb one" {
  has_terminal
  quick_clock # the bar is due after some looks at it, and again after each ten
  "$HOLMBERG" ic plummer -n 64 --quiet
  local run="$HOLMBERG run plummer.h5 --scheme host --t-end 1" count quiet json dumb
  count=$(bars xterm "$run") quiet=$(bars xterm "$run --quiet") json=$(bars xterm "$run --json") dumb=$(bars dumb "$run")
  echo "$count bars, with --quiet $quiet, with --json $json, at a dumb terminal $dumb"
  [ "$count" -ge 100 ]
  [ "$quiet $json $dumb" = '0 0 0' ]
}

@test "other spellings are accepted, and not shown" {
  for name in analyze analyse; do "$HOLMBERG" "$name" --help >"$name"; done
  cmp analyze analyse
  run ! grep -i 'analyse\|centre\|grey' analyze
  "$HOLMBERG" render --help >render
  run ! grep -i 'centre\|grey' render
  fails_with 2 "option --center: '1,2' is not valid (expected X,Y,Z)" render a.h5 --map grey --centre 1,2
  fails_with 2 "option --center: '1,2' is not valid (expected X,Y,Z)" render a.h5 --map=gray --centre=1,2
  fails_with 2 "unknown option '--centr'; did you mean '--center'?" render a.h5 --centr 1,2
  fails_with 2 "option --map: unknown value 'greys'*" render a.h5 --map greys
}
