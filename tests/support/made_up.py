#!/usr/bin/env python3
"""made_up.py HOLMBERG KIND COUNT [SEED]: COUNT made-up checkpoints of a kind of run, each resumed by a process of its own.
made_up.py: names of the kinds. made_up.py HOLMBERG FOLDER: the real ones as seeds of tests/fuzz/corpus/checkpoint.

A run of the program writes a real checkpoint. Numbers in it are replaced at random, and its checksums made right again. The
resumed run must end, or stop by --max-hours, and say why in one sentence of its own; whoever crashes, hangs or is silent is kept
in the current folder. Prints what became of them."""
import collections
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import zlib

HEAD, ROW, BYTES, WORDS, DOUBLES = 32, 40, 0, 1, 2
PLUMMER = ["ic plummer -n 16 --seed 3 -o in.h5"]
BINARIES = ["ic plummer -n 12 --seed 5 --binaries 0.3 -o in.h5"]
KINDS = {  # how to make the initial state in.h5, and the options of its run
    "hermite4": (PLUMMER, ""),
    "shared": (PLUMMER, "--steps shared"),
    "leapfrog": (PLUMMER, "--integrator leapfrog --dt 2^-7"),
    "groups": (BINARIES, "--eps 0"),
    "massless": (
        [
            "# m x y z vx vy vz\n0.5 0 0 0 0 0.5 0\n0.5 1 0 0 0 -0.5 0\n0.1 3 4 0 0 0.3 0\n"
            "0 1e-3 0 0 0 22.86 0\n0 1 2e-3 0 15.8 -0.5 0\n0 1e-2 0 1e-2 1 4 1\n0 -4 0 0 0 -0.4 0",
            "convert p.txt in.h5",
        ],
        "--eps 0 --dt-max 2^-9",  # one group all of it, whose step would have a thousand orbits
    ),
    "chain": (["ic pythagorean -o in.h5"], "--eps 0 --eta 0.02"),
    "events": (PLUMMER, "--eps 0 --encounters none --events e.csv"),
    "field": (["ic plummer -n 8 -o p.h5", "scale p.h5 in.h5 --at 100,0,0 --velocity 0,10,0"], "--field log:v=10,r=1"),
    "turning": (BINARIES, "--eps 0 --field hill:w=0.5,k=0.7,n=0.5"),
    "bodies": (
        ["ic plummer -n 16 --seed 3 --virial 1 --radius 0.01*m^0.3333 -o in.h5"],
        "--eps 0 --collisions merge --escapers list --escape-radius 1 --events e.csv",
    ),
}
COMMON = "--scheme host --quiet --t-end 0.5 --max-energy-error none --checkpoint first.ckpt"
T_END, LIMIT_S, HANGS_S = "0.625", float(os.environ.get("LIMIT_S", "1")), 60  # a process may wait long for a busy machine
EXITS = {0: "whole", 3: "refused", 4: "without its file", 7: "without numbers", 75: "stopped"}
ODD_DOUBLES = [float("nan"), float("inf"), -float("inf"), 1e300, -1e300, 1e160, 1e100, 1e30, 1e15, 1e-30, 1e-300, 5e-324, -1.0, 0.0, 2.0**20, 2.0**50]
ODD_WORDS = [0, 1, 2, 3, 7, 8, 9, 64, 2**31, 2**32 - 2, 2**32 - 1, 2**32, 2**52, 2**62, 2**63, 2**64 - 2, 2**64 - 1]
ODD_TEXTS = [b"0", b"-1", b"nan", b"inf", b"1e300", b"1e-300", b"18446744073709551616", b"0x1p-1074", b"2^-62", b"2^9", b"none"]


def read(path):
    """[name, type, bytes] of each section."""
    data = open(path, "rb").read()
    count = struct.unpack_from("<I", data, 24)[0]
    sections, at = [], HEAD + ROW * count
    for k in range(count):
        name, kind, _, length = struct.unpack_from("<24sIIQ", data, HEAD + ROW * k)
        length *= 1 if kind == BYTES else 8
        sections.append([name.rstrip(b"\0"), kind, bytearray(data[at : at + length])])
        at += length
    return data[:HEAD], sections


def write(path, head, sections):
    rows = b"".join(
        struct.pack("<24sIIQ", name, kind, zlib.crc32(data), len(data) // (1 if kind == BYTES else 8))
        for name, kind, data in sections
    )
    body = b"".join(bytes(section[2]) for section in sections)
    start = head[:16] + struct.pack("<QI", HEAD + len(rows) + len(body), len(sections))
    with open(path, "wb") as file:
        file.write(start + struct.pack("<I", zlib.crc32(rows, zlib.crc32(start))) + rows + body)


def change_number(dice, kind, data):
    """One number of a section: odd, another one of the section, a little different, or with a bit changed."""
    form = "<d" if kind == DOUBLES else "<Q"
    at, other = 8 * dice.randrange(len(data) // 8), 8 * dice.randrange(len(data) // 8)
    value = struct.unpack_from(form, data, at)[0]
    way = dice.randrange(6)
    if way == 0:
        data[at : at + 8], data[other : other + 8] = data[other : other + 8], data[at : at + 8]
    elif way == 1:
        data[at + dice.randrange(8)] ^= 1 << dice.randrange(8)
    elif kind == DOUBLES:
        small = value * dice.choice([-1, 2, 0.5, 1.001, 1e-6, 1e6])
        struct.pack_into(form, data, at, small if way == 2 else dice.choice(ODD_DOUBLES))
    else:
        small = value + dice.choice([-2, -1, 1, 2])
        struct.pack_into(form, data, at, (small if way == 2 else dice.choice(ODD_WORDS)) % 2**64)


def change(dice, sections):
    section = dice.choice(sections)
    name, kind, data = section
    numbers = list(re.finditer(rb"-?(0x)?[0-9][-+0-9a-fp.]*", data)) if name in (b"own", b"sim.tuning", b"sim.field") else []
    if dice.randrange(40) == 0:  # a section is gone, or shorter
        if dice.randrange(2):
            sections.remove(section)
        elif data:
            del data[-(1 if kind == BYTES else 8) :]
    elif numbers:
        which = dice.choice(numbers)
        data[which.start() : which.end()] = dice.choice(ODD_TEXTS)
    elif kind != BYTES and data:
        change_number(dice, kind, data)
    elif data:
        data[dice.randrange(len(data))] = dice.choice([0, 1, 2, 10, 62, 63, 64, 128, 255, dice.randrange(256)])


def resume(holmberg, folder):
    """The exit code and what was said; None if it did not stop."""
    words = [holmberg, "run", "--resume", "in.ckpt", "--t-end", T_END, "--max-hours", str(LIMIT_S / 3600)]
    try:
        done = subprocess.run(words, cwd=folder, capture_output=True, timeout=HANGS_S, check=False)
    except subprocess.TimeoutExpired:
        return None, "it does not stop"
    return done.returncode, done.stderr.decode(errors="replace").strip()


def verdict(code, said):
    """What is wrong; nothing: None. Notes may come before the sentence that ends a run."""
    if code not in EXITS:
        return f"exit code {code}"
    lines = said.splitlines()
    if any(not line.startswith("holmberg: ") for line in lines):
        return "what it says is no sentence of the program"
    if code != 0 and not lines:
        return "it ends without a sentence"
    if code == 3 and "in.ckpt" not in said:
        return "it refuses the file without its name"
    return None


def make(holmberg, kind, folder):
    commands, options = KINDS[kind]
    for line in [*commands, f"run in.h5 {options} {COMMON}"]:
        if line[0] == "#":  # a snapshot as text
            with open(os.path.join(folder, "p.txt"), "w", encoding="ascii") as file:
                file.write(line + "\n")
            continue
        subprocess.run([holmberg, *line.split()], cwd=folder, check=True, capture_output=True)
    return read(os.path.join(folder, "first.ckpt"))


def seeds(holmberg, to):
    for kind in KINDS:
        with tempfile.TemporaryDirectory() as folder:
            write(os.path.join(to, f"good-run_{kind}"), *make(holmberg, kind, folder))


def main(holmberg, kind, count, seed=1):
    dice, ends, bad = random.Random(f"{kind} {seed}"), collections.Counter(), 0
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        head, first = make(holmberg, kind, folder)
        log = os.path.join(folder, "e.csv")
        events = open(log, "rb").read() if os.path.exists(log) else b""
        for k in range(count):
            sections = [[name, kind, bytearray(data)] for name, kind, data in first]
            for _ in range(dice.choice([1, 1, 1, 2, 3])):
                change(dice, sections)
            path = os.path.join(folder, "in.ckpt")
            for old in {"in.ckpt", "in.ckpt~"} & set(os.listdir(folder)):
                os.remove(os.path.join(folder, old))
            with open(log, "wb") as file:  # the same file: a resumed run knows its inode
                file.write(events)
            write(path, head, sections)
            made = open(path, "rb").read()
            code, said = resume(holmberg, folder)
            wrong = verdict(code, said)
            ends["bad" if wrong else EXITS[code]] += 1
            bad += bool(wrong)
            if os.environ.get("VERBOSE") or wrong:
                print(f"{kind} {k}: {wrong or EXITS[code]}: {said}", flush=True)
            if wrong or code == 75 and os.environ.get("KEEP_SLOW"):
                with open(f"{kind}-{seed}-{k}.ckpt", "wb") as file:
                    file.write(made)
    print(f"{kind}: {count} made up, " + ", ".join(f"{ends[end]} {end}" for end in [*EXITS.values(), "bad"]))
    return bad > 0


if __name__ == "__main__":
    if not sys.argv[1:]:
        sys.exit(print(*KINDS))
    PROGRAM = os.path.abspath(sys.argv[1])
    sys.exit(main(PROGRAM, sys.argv[2], *map(int, sys.argv[3:])) if sys.argv[3:] else seeds(PROGRAM, sys.argv[2]))
