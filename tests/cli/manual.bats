# The pages of the manual and the completion of shells, as the build made them from its tables.
load common

setup_file() {
  MANUAL=$(dirname "$HOLMBERG")/manual
  export MANUAL
}

@test "pages are clean roff" {
  cd "$MANUAL"
  run -0 mandoc -T lint -W warning holmberg*.[135]
  [ -z "$output" ]
  for page in holmberg.1 holmberg-run.1 holmberg-view.1 holmberg.3 holmberg-formats.5 holmberg-interactions.5; do
    LC_ALL=C.UTF-8 man --warnings -E UTF-8 -l -Tutf8 "$page" 2>said >/dev/null
    [ ! -s said ]
  done
}

@test "each command has its page, with the options of --help" {
  for command in ic run view 'bench run' 'model predict'; do
    page=$MANUAL/holmberg-${command// /-}.1
    mandoc -T ascii "$page" | col -b >read
    # shellcheck disable=SC2086 # words
    "$HOLMBERG" $command --help | sed -n 's/^  [- ][a-zA-Z ][, ] *\(--[a-z0-9-]*\).*/\1/p' >options
    [ "$(wc -l <options)" -gt 5 ]
    while read -r option; do grep -q -- "^ *\(-., \)\?$option\b" read; done <options
    grep -q "holmberg $command" read
  done
  mandoc -T ascii "$MANUAL/holmberg-run.1" | col -b | grep -q '^       leapfrog$'
  mandoc -T ascii "$MANUAL/holmberg.1" | col -b | grep -A 1 '^       75' | grep -q 'stopped before the end'
}

@test "exit codes are those of the program, each once" {
  local root=$BATS_TEST_DIRNAME/../..
  mandoc -T ascii "$MANUAL/holmberg.1" | col -b | sed -n '/^EXIT STATUS/,/^ENVIRONMENT/s/^ *\([0-9][0-9]*\)  .*/\1/p' | tee manual
  sed -n '/^enum hb_status {/,/^}/s/^  HB_[A-Z_]* = \([0-9]*\).*/\1/p' "$root/src/include/holmberg/holmberg.h" | diff - manual
  sed -n '/^| exit code/,/^$/p' "$root/src/cli/README.md" | tr '|' '\n' | sed -n 's/^ *\([0-9][0-9]*\) *$/\1/p' | sort -n | diff - manual
}

@test "each public function leads to a page that declares it" {
  cat "$BATS_TEST_DIRNAME"/../api/*symbols.txt >names
  while read -r name; do
    # arrays of words, names for Fortran, and plain ones, which would take the place of others' pages
    [[ $name != *_names && $name == *_* && $name != *_ ]] || continue
    page=$(sed 's/.so man3//' "$MANUAL/$name.3")
    grep -q "\b$name(" "$MANUAL/$page"
  done <names
}

# completes WORD...: what bash offers for the last word of this line
completes() {
  bash --norc -c 'source "$0"; COMP_WORDS=(holmberg "$@"); COMP_CWORD=$#; _holmberg; echo "${COMPREPLY[*]}"' \
    "$MANUAL/holmberg.bash" "$@"
}

@test "bash completes commands, options and their values" {
  [ "$(completes re)" = 'render reproduce' ]
  [ "$(completes run --sch)" = --scheme ]
  [ "$(completes run --scheme ho)" = 'host host-simd' ]
  [ "$(completes run --scheme = ti)" = tile ]
  [ "$(completes bench f)" = 'force frames' ]
  [ "$(completes bench force --scheme bag,ma)" = bag,matrix2004 ]
  [ "$(completes bench run --ph)" = --phases ]
  [ "$(completes ic plum)" = plummer ]
  [ -z "$(completes run --eta 0.)" ]
}

@test "zsh reads its completion" {
  has_terminal
  zsh -n "$MANUAL/_holmberg"
  # typed at a terminal
  cat >.zshrc <<EOF
fpath=($PWD \$fpath)
autoload -Uz compinit && compinit -u -d $PWD/dump
PS1='> '
EOF
  cp "$MANUAL/_holmberg" .
  printf 'holmberg ic figu\t\nholmberg run --scheme matr\t\nexit\n' |
    ZDOTDIR=$PWD TERM=dumb timeout 120 script -qec 'zsh -i' /dev/null >shown || true
  cat -v shown
  grep -q figure8 shown
  grep -q matrix2004 shown
}
