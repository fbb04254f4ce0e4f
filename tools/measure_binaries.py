#!/usr/bin/env python3
"""measure_binaries.py HOLMBERG [--seeds 1-20] [--stars 128,256,512,1024,2048] [--limit 45] [--jobs 2] [run options ...]

Clusters with primordial binaries: how many runs finish, and at what cost beside the same clusters without binaries. For each number of
stars, binary fractions 0, 0.5 and 1 and each seed, a King cluster with Kroupa masses and Kroupa 1995 orbits is made and run on one
thread. A row a run: stars, fraction, seed, exit code (124: over the limit), processor seconds, time reached, energy error over the
cluster's own energy, block steps. The last rows give, for each number of stars and fraction, the runs that finished, the median and
largest processor time over the median without binaries, and the median and largest energy error."""
import argparse
import json
import os
import resource
import statistics
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

ENDS = {64: 20, 128: 10, 256: 5, 512: 2, 1024: 1, 2048: 1}
FRACTIONS = ("0", "0.5", "1")
ENVIRONMENT = dict(os.environ, OMP_NUM_THREADS="1")


def make_cluster(holmberg, stars, fraction, seed, path):
    command = [holmberg, "ic", "king", "--w0", "6", "-n", str(stars), "--masses", "kroupa", "--mass-max", "50"]
    command += ["--length-unit", "1", "--seed", str(seed), "-o", path]
    if fraction != "0":
        command += ["--binaries", fraction, "--orbits", "kroupa1995", "--a-max", "0.01"]
    subprocess.run(command, env=ENVIRONMENT, capture_output=True, check=True)


def last_row(out):
    out.seek(0)
    rows = [json.loads(line) for line in out if line.startswith("{") and line.rstrip().endswith("}")]
    return rows[-1] if rows else {}


def run(holmberg, stars, fraction, seed, limit, options, folder):
    path = os.path.join(folder, f"{stars}_{fraction}_{seed}.txt")
    make_cluster(holmberg, stars, fraction, seed, path)
    command = [holmberg, "run", path, "--eps", "0", "--scheme", "host-simd", "--precision", "ds"]
    command += ["--t-end", str(ENDS[stars]), "--diag-every", "1/16", "--json", *options]
    with tempfile.TemporaryFile("w+") as out:
        child = subprocess.Popen(command, env=ENVIRONMENT, stdout=out, stderr=subprocess.DEVNULL,
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5)))
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        end = last_row(out)
    finished = child.returncode == 0 and end.get("t") == ENDS[stars]
    code = 0 if finished else 124 if usage.ru_utime > limit - 2 else child.returncode
    return stars, fraction, seed, code, usage.ru_utime, end.get("t"), end.get("de_cluster"), end.get("block_steps")


def summary(results, stars):
    single = statistics.median(r[4] for r in results if r[:2] == (stars, "0"))
    for fraction in FRACTIONS:
        rows = [r for r in results if r[:2] == (stars, fraction)]
        costs = [r[4] / single for r in rows]
        errors = [abs(r[6]) for r in rows if r[6] is not None]
        print(f"{stars} stars, binaries {fraction}: {sum(r[3] == 0 for r in rows)} of {len(rows)} finished; processor time over none: "
              f"median {statistics.median(costs):.1f}, largest {max(costs):.1f}; energy error: "
              f"median {statistics.median(errors):.1e}, largest {max(errors):.1e}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("holmberg")
    parser.add_argument("--seeds", default="1-20")
    parser.add_argument("--stars", default="128,256,512,1024,2048")
    parser.add_argument("--limit", type=int, default=45)
    parser.add_argument("--jobs", type=int, default=2)
    args, options = parser.parse_known_args()
    first, last = (int(s) for s in args.seeds.split("-"))
    numbers = [int(n) for n in args.stars.split(",")]
    jobs = [(n, f, s) for n in numbers for f in FRACTIONS for s in range(first, last + 1)]
    results = []
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(args.jobs) as pool:
        for r in pool.map(lambda job: run(args.holmberg, *job, args.limit, options, folder), jobs):
            results.append(r)
            print("%5d %3s %4d  %3d %8.2f s  t = %s  dE %s  block steps %s" % r, flush=True)
    for n in numbers:
        summary(results, n)


if __name__ == "__main__":
    main()
