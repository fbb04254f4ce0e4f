#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031 # run sets these, each test is a subshell
# Somebody who writes Python, and somebody who writes C.
load common

# As `make install` says; a prefix of one's own has to be named.
python_folder() { find "$PREFIX" -type d -path '*-packages/holmberg' -printf '%h\n'; }

@test "src/python/README's first example" {
  printed src/python/README.md '^import holmberg' >first.py
  PYTHONPATH=$(python_folder) run -0 --separate-stderr /usr/bin/python3 first.py
  echo "$output $stderr"
  [[ ${lines[0]} == 't = 0.00  r_half = 0.77'*'dE/E = 0.0e+00' ]]
  [ "$(grep -c '^t = ' <<<"$output")" -eq 5 ]
  [ "$(od -An -c -N4 cluster.png | tr -d ' ')" = '211PNG' ]
}

@test "what came with run, add and Archive, by the installed package" {
  cat >new.py <<'END'
import holmberg
sim = holmberg.Simulation(scheme="host")
star, planet = sim.add(m=1), sim.add(m=1e-3, a=1, e=0.1)
sim.run(2, every=0.5, on=lambda sim: print(f"t = {sim.time}"), archive="run")
archive = holmberg.Archive("run")
again = archive.resume(1)
again.evolve(2)
print(len(archive), again.state().state_hash == archive[-1].state_hash, f"{sim.orbits()['a'][0]:.9f}")
pair = holmberg.Particles.make("plummer", 16).combined(holmberg.Particles.make("plummer", 8), at=[5, 0, 0])
pair.scale(mass=2)
print(len(pair), f"{pair.m.sum():.9f}", holmberg.table([]).dtype.names[:2])
END
  PYTHONPATH=$(python_folder) run -0 --separate-stderr /usr/bin/python3 new.py
  echo "$output $stderr"
  [ -z "$stderr" ] # no bar where no terminal is
  [ "$(grep -c '^t = ' <<<"$output")" -eq 5 ]
  [ "${lines[5]}" = '5 True 1.000000000' ]
  [ "${lines[6]}" = "24 2.000000000 ('kind', 'time')" ]
  [ -e "$(python_folder)/holmberg/py.typed" ]
}

@test "the guide's program in C, against what was installed" {
  printed src/lib/README.md '^/[*] Particles in' >integrate.c
  done_as_printed "$(grep -o 'cc integrate.c [^`]*' "$(guide src/lib/README.md)" | head -n 1)"
  run -0 --separate-stderr ./a.out
  echo "$output"
  [ "${#lines[@]}" -eq 5 ]
  for line in "${lines[@]}"; do
    awk '{ off = $6 + 12 / 5 + 15 / 4 + 20 / 3; if (off < 0) off = -off; print "off by", off, "(1e-8)"; exit off > 1e-8 }' <<<"$line"
  done
}
