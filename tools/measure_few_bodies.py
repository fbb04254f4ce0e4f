#!/usr/bin/env python3
"""measure_few_bodies.py HOLMBERG [--seeds 1-180] [--kinds line,near,...] [--limit 10] [--jobs 2] [--worst 3] [--keep FOLDER] [run options ...]

Random systems of few bodies, in eleven kinds: how many runs finish, and how exact they are. Each system follows from its kind and seed
alone and is run on one thread without softening, for at most --limit seconds of processor time. The kinds are three bodies at rest on a
line (`line`), nearly on a line (`near`), in a flat isosceles triangle (`flat`) and anywhere in a plane (`rest`); rings of 3 to 100 bodies,
with and without a body in the middle (`rings`); cubic lattices (`lattices`); pairs mirrored at a body in the middle (`mirrored`); a star
with planets (`planets`), and with planets whose orbits are so close that they pass each other (`passing`); cold spheres of 8 to 64 bodies
(`cold`); and binaries whose members are binaries (`nested`). A row a kind: runs that finished, median and largest |dE/E| of these, the
share of all runs that end below 1e-9 and below 1e-6, median and largest processor time. After it come the worst runs, with their seeds.
--keep writes the systems as FOLDER/KIND_SEED.txt."""
import argparse
import json
import math
import os
import random
import resource
import statistics
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

ENVIRONMENT = dict(os.environ, OMP_NUM_THREADS="1")


def at_rest(m, x):
    return [(mass, *place, 0.0, 0.0, 0.0) for mass, place in zip(m, x)]


def line(r):
    return at_rest([r.uniform(0.1, 1) for _ in range(3)], [(x, 0.0, 0.0) for x in sorted(r.uniform(-1, 1) for _ in range(3))]), 4


def near(r):
    height = 10 ** r.uniform(-6, -2)
    return at_rest([r.uniform(0.1, 1) for _ in range(3)], [(x, r.gauss(0, height), 0.0) for x in sorted(r.uniform(-1, 1) for _ in range(3))]), 4


def flat(r):
    return at_rest([0.5, r.uniform(0.1, 1), 0.5], [(-1.0, 0.0, 0.0), (0.0, r.uniform(0.01, 0.2), 0.0), (1.0, 0.0, 0.0)]), 4


def rest(r):
    return at_rest([r.uniform(0.1, 1) for _ in range(3)], [(r.uniform(-1, 1), r.uniform(-1, 1), 0.0) for _ in range(3)]), 4


def rings(r):
    """A ring of n bodies that turns. Half of them have a body in the middle, of their own mass to a million times as much, and a third are typed with six digits."""
    n, m = r.randint(3, 100), 10 ** r.uniform(-7, -2)
    middle = r.choice((0, 1))
    pull = sum(m / (4 * math.sin(math.pi * k / n)) for k in range(1, n)) + middle
    v = math.sqrt(pull)
    digits = r.choice((6, 17, 17))
    bodies = [(1.0, 0, 0, 0, 0, 0, 0)] if middle else []
    for k in range(n):
        c, s = math.cos(2 * math.pi * k / n), math.sin(2 * math.pi * k / n)
        bodies.append((m, *(float(f"{q:.{digits}g}") for q in (c, s, 0, -v * s, v * c, 0))))
    return bodies, min(10, 2 * math.pi / v)


def lattices(r):
    """A cube of side 2 and mass 1, at rest or with small random velocities, until half of the time in which it would fall together."""
    n, jitter = r.randint(2, 5), r.choice((0, 0, 1e-10, 1e-4))
    v = r.choice((0, 0, 0.1))
    places = [2 * k / (n - 1) - 1 for k in range(n)]
    bodies = [[1 / n**3, x + r.gauss(0, jitter), y, z, *(r.gauss(0, v) for _ in range(3))] for x in places for y in places for z in places]
    if n % 2 == 0:
        bodies.append([1 / n**3, 0, 0, 0, 0, 0, 0])
    return bodies, 1


def mirrored(r):
    n, middle = r.randint(2, 50), 10 ** r.uniform(-2, 1)
    bodies = [(middle, 0, 0, 0, 0, 0, 0)]
    for _ in range(n):
        x, v = [r.gauss(0, 1) for _ in range(3)], [r.gauss(0, 0.5) for _ in range(3)]
        bodies += [(0.5 / n, *(s * q for q in x + v)) for s in (1, -1)]
    return bodies, 1


def orbit(M, a, e, inclination, node, pericenter, anomaly):
    """Position and velocity on a Kepler orbit, by its eccentric anomaly."""
    c, s = math.cos(anomaly), math.sin(anomaly)
    r, b = a * (1 - e * c), a * math.sqrt(1 - e * e)
    rate = math.sqrt(M / a**3) / (1 - e * c)
    plane = [(a * (c - e), b * s), (-a * s * rate, b * c * rate)]
    result = []
    for x, y in plane:
        x, y = x * math.cos(pericenter) - y * math.sin(pericenter), x * math.sin(pericenter) + y * math.cos(pericenter)
        y, z = y * math.cos(inclination), y * math.sin(inclination)
        result += [x * math.cos(node) - y * math.sin(node), x * math.sin(node) + y * math.cos(node), z]
    return result


def angle(r):
    return r.uniform(0, 2 * math.pi)


def around_star(r, masses, axes, eccentricity):
    bodies = [(1.0, 0, 0, 0, 0, 0, 0)]
    for m, a in zip(masses, axes):
        bodies.append((m, *orbit(1 + m, a, r.uniform(0, eccentricity), abs(r.gauss(0, 0.02)), angle(r), angle(r), angle(r))))
    return bodies


def planets(r):
    n, scale = r.randint(2, 12), r.choice((1e-6, 1e-5, 1e-4, 3e-4))
    axes = [1.0]
    while len(axes) < n:
        axes.append(axes[-1] * r.uniform(1.35, 1.9))
    return around_star(r, [scale * 10 ** r.uniform(-1, 0) for _ in range(n)], axes, 0.08), 200 * math.pi


def passing(r):
    m = 10 ** r.uniform(-6, -3)
    axes = [1.0, 1 + r.uniform(1, 4) * m ** (1 / 3)]
    if r.random() < 0.3:
        axes.append(axes[-1] * (1 + r.uniform(1, 4) * m ** (1 / 3)))
    return around_star(r, [m] * len(axes), axes, 0.01), 1000


def cold(r):
    n, bodies = r.randint(8, 64), []
    while len(bodies) < n:
        x = [r.uniform(-1, 1) for _ in range(3)]
        if sum(q * q for q in x) < 1:
            bodies.append((1 / n, *x, 0, 0, 0))
    return bodies, 2


def nested(r):
    """A binary of mass 1 and semi-major axis 1, each body of which may be a smaller binary, and so on."""

    def add(m, center, a, depth):
        if depth == 0 or (depth < 3 and r.random() < 0.3):
            bodies.append((m, *center))
            return
        share = r.uniform(0.1, 0.5)
        x = orbit(m, a, r.uniform(0, 0.8), angle(r), angle(r), angle(r), angle(r))
        inner = a * 10 ** r.uniform(-2.5, -1)
        add(m * share, [c + (1 - share) * q for c, q in zip(center, x)], inner, depth - 1)
        add(m * (1 - share), [c - share * q for c, q in zip(center, x)], inner, depth - 1)

    bodies = []
    add(1.0, [0.0] * 6, 1.0, 3)
    return bodies, 20


KINDS = {f.__name__: f for f in (line, near, flat, rest, rings, lattices, mirrored, planets, passing, cold, nested)}


def last_row(out):
    out.seek(0)
    rows = [json.loads(row) for row in out if row.startswith("{") and row.rstrip().endswith("}")]
    return rows[-1] if rows else {}


def run(holmberg, kind, seed, limit, options, folder):
    bodies, end = KINDS[kind](random.Random(f"{kind} {seed}"))
    path = os.path.join(folder, f"{kind}_{seed}.txt")
    with open(path, "w") as f:
        f.writelines(" ".join(repr(float(q)) for q in body) + "\n" for body in bodies)
    command = [holmberg, "run", path, "--eps", "0", "--scheme", "host", "--t-end", repr(float(end)), "--diag-every", repr(float(end)), "--json", *options]
    with tempfile.TemporaryFile("w+") as out:
        child = subprocess.Popen(command, env=ENVIRONMENT, stdout=out, stderr=subprocess.DEVNULL,
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5)))
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        row = last_row(out)
    finished = row.get("t") == end and child.returncode in (0, 7)  # 7: the run ended, with an energy error that it says is too large
    code = child.returncode if finished or usage.ru_utime < limit - 1 else 124
    return {"kind": kind, "seed": seed, "n": len(bodies), "code": code, "finished": finished, "cpu": usage.ru_utime,
            "error": abs(row["de_rel"]) if finished and row.get("de_rel") is not None else math.inf, "t": row.get("t"), "end": end}


def summary(kind, rows, worst):
    errors = [r["error"] for r in rows if r["finished"]] or [math.inf]
    share = [sum(r["error"] < least for r in rows) / len(rows) for least in (1e-9, 1e-6)]
    cpu = [r["cpu"] for r in rows]
    print(f"{kind:9s} {sum(r['finished'] for r in rows):4d} of {len(rows):4d} finished; |dE/E| median {statistics.median(errors):.1e}, largest {max(errors):.1e}; "
          f"below 1e-9: {100 * share[0]:.0f} %, 1e-6: {100 * share[1]:.0f} %; processor time median {statistics.median(cpu):.2f} s, largest {max(cpu):.2f} s")
    for r in sorted(rows, key=lambda r: (-r["error"], -r["cpu"]))[:worst]:
        print(f"          seed {r['seed']}: {r['n']} bodies, exit code {r['code']}, t = {r['t']} of {r['end']:.4g}, |dE/E| {r['error']:.1e}, {r['cpu']:.2f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("holmberg")
    parser.add_argument("--seeds", default="1-180")
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--limit", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--worst", type=int, default=3)
    parser.add_argument("--keep")
    args, options = parser.parse_known_args()
    first, last = (int(s) for s in args.seeds.split("-"))
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(args.jobs) as pool:
        folder = args.keep or scratch
        os.makedirs(folder, exist_ok=True)
        for kind in args.kinds.split(","):
            jobs = range(first, last + 1)
            rows = list(pool.map(lambda seed, kind=kind: run(args.holmberg, kind, seed, args.limit, options, folder), jobs))
            summary(kind, rows, args.worst)


if __name__ == "__main__":
    main()
