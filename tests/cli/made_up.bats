#!/usr/bin/env bats
# shellcheck disable=SC2154 # run sets these
# Made-up checkpoints, right in their checksums and wrong in a number: refused by name, or run; tests/long has more.
load common

@test "a member of a group far away: the section, the value, what was expected" {
  python3 - "$BATS_TEST_DIRNAME/../support" "$HOLMBERG" <<'END_OF_PYTHON'
import struct, sys
sys.path.insert(0, sys.argv[1])
import made_up
head, sections = made_up.make(sys.argv[2], "groups", ".")
x = next(data for name, _, data in sections if name == b"x")
parked = next(k for k in range(len(x) // 8) if struct.unpack_from("<d", x, 8 * k)[0] == 2.0**20)
for name, value in (("far", 1e300), ("near", 0.5)):
    struct.pack_into("<d", x, 8 * parked, value)
    made_up.write(name + ".ckpt", head, sections)
END_OF_PYTHON
  fails_with 3 "far.ckpt: section 'x' has 1e+300 at +([0-9]), expected finite and at most 1e+150" run --resume far.ckpt
  fails_with 3 "near.ckpt: section 'x' has 0.5 for member +([0-9]) of a group, expected a corner *" run --resume near.ckpt
}

@test "what groups found at the start, and the masses of nodes, against the particles" {
  python3 - "$BATS_TEST_DIRNAME/../support" "$HOLMBERG" <<'END_OF_PYTHON'
import struct, sys
sys.path.insert(0, sys.argv[1])
import made_up
head, sections = made_up.make(sys.argv[2], "groups", ".")
for name, section, k, value in (
    ("r_zero", b"groups.r_close", 0, 0.0),
    ("r_tiny", b"groups.r_close", 0, 5e-324),
    ("r_huge", b"groups.r_close", 0, 1e30),
    ("m_mean", b"groups.m_mean", 0, 2.0**-10),
    ("stars", b"groups.stars", 0, 7.0),
    ("mass", b"groups.m", 10, 2.0**20),
    ("member", b"groups.masses", 0, 0.25),
):
    data = next(s[2] for s in sections if s[0] == section)
    old = bytes(data)
    struct.pack_into("<d", data, 8 * k, value)
    made_up.write(name + ".ckpt", head, sections)
    data[:] = old
made_up.write("good.ckpt", head, sections)
END_OF_PYTHON
  local name
  for name in r_zero r_tiny r_huge; do
    fails_with 3 "$name.ckpt: section 'groups.r_close' has a distance of *, expected about 0.+([0-9])" run --resume $name.ckpt
  done
  for name in m_mean stars; do
    fails_with 3 "$name.ckpt: section 'groups.stars' has * stars with a mean mass of *, expected those of a system of mass 1" \
      run --resume $name.ckpt
  done
  fails_with 3 "mass.ckpt: section 'groups.m' has 1048576 for particle 10, expected 0" run --resume mass.ckpt
  fails_with 3 "member.ckpt: group 0 of section 'groups' has *" run --resume member.ckpt
  accepts run --resume good.ckpt --quiet
}

@test "marks of rows that no run can make: the checkpoint is named, not the rows alone" {
  python3 - "$BATS_TEST_DIRNAME/../support" "$HOLMBERG" <<'END_OF_PYTHON'
import re, sys
sys.path.insert(0, sys.argv[1])
import made_up
head, sections = made_up.make(sys.argv[2], "events", ".")
own = next(section for section in sections if section[0] == b"own")
whole = bytes(own[2])
mark = re.search(rb"events (\d+ \d+) (\d+) (\d+) e.csv", whole)
for name, words in (
    ("length", mark[1] + b" 18446744073709551616 " + mark[3]),
    ("long", mark[1] + b" 4000000 " + mark[3]),
    ("other", mark[1] + b" " + mark[2] + b" 7"),
    ("words", mark[1] + b" nan " + mark[3]),
):
    own[2] = bytearray(whole[: mark.start()] + b"events " + words + b" e.csv" + whole[mark.end() :])
    made_up.write(name + ".ckpt", head, sections)
END_OF_PYTHON
  cp e.csv kept.csv
  fails_with 3 "length.ckpt: the checkpoint has ' * 18446744073709551616 *' of a file of rows, *" run --resume length.ckpt
  fails_with 3 "words.ckpt: the checkpoint has ' * nan *' of a file of rows, *" run --resume words.ckpt
  fails_with 3 "long.ckpt: e.csv has +([0-9]) bytes, the checkpoint expects at least 4000000" run --resume long.ckpt
  fails_with 3 "other.ckpt: e.csv does not begin with the +([0-9]) bytes *" run --resume other.ckpt
  cmp e.csv kept.csv
}

@test "twenty of each kind of run: no crash, no hang, no silence" {
  for kind in $(python3 "$BATS_TEST_DIRNAME/../support/made_up.py"); do
    LIMIT_S=0.2 python3 "$BATS_TEST_DIRNAME/../support/made_up.py" "$HOLMBERG" "$kind" 20 # tests/long: 1 s
  done
}
