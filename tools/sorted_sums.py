#!/usr/bin/env python3
"""[PZ07] section 6: would sorting the forces by size before adding them improve the accuracy of the GPU? Float pairs of a Plummer
sphere from `holmberg ic`, added to one float as they come, the smallest first, and in double; relative errors of the
acceleration of 256 particles against double precision. Usage: sorted_sums.py HOLMBERG >data/measured/for_claims_sums.csv"""
import subprocess
import sys
import tempfile

import numpy as np

SINKS, EPS2 = 256, np.float32(2.0**-16)


def sphere(holmberg, n, seed):
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/s.txt"
        subprocess.run([holmberg, "ic", "plummer", "-n", str(n), "--seed", str(seed), "-o", path, "--quiet"], check=True)
        rows = [line.split() for line in open(path, encoding="ascii") if line[0] not in "#\n"]
    numbers = np.array([[float(cell) for cell in row] for row in rows if len(row) >= 7])
    return numbers[:, -6:-3].astype(np.float32), np.float32(1 / n)


def pull(x, i, m, real):
    r = x.astype(real) - x[i].astype(real)
    s = 1 / np.sqrt((r * r).sum(axis=1, dtype=real) + real(EPS2))
    return (real(m) * (s * s * s))[:, None] * r


def one_float(terms):
    return np.add.accumulate(terms, axis=0, dtype=np.float32)[-1]


def errors(x, m):
    found = {"as they come": [], "the smallest first": [], "in double": []}
    for i in range(0, len(x), max(1, len(x) // SINKS)):
        exact = pull(x, i, m, np.float64).sum(axis=0)
        terms = pull(x, i, m, np.float32)
        by_size = np.take_along_axis(terms, np.argsort(np.abs(terms), axis=0), axis=0)
        sums = one_float(terms), one_float(by_size), terms.sum(axis=0, dtype=np.float64)
        for name, total in zip(found, sums):
            found[name].append(np.linalg.norm(total - exact) / np.linalg.norm(exact))
    return found


def main():
    print("# [PZ07] section 6: float pairs added to one float as they come, the smallest first, and in double: relative error of the")
    print("# acceleration of 256 particles of a Plummer sphere, seeds 1 to 3. Made by tools/sorted_sums.py.")
    print("order,n,rms,max,source")
    for n in (1024, 4096, 16384, 65536):
        found = {}
        for seed in (1, 2, 3):
            for name, values in errors(*sphere(sys.argv[1], n, seed)).items():
                found.setdefault(name, []).extend(values)
        for name, values in found.items():
            print(f"{name},{n},{np.sqrt(np.mean(np.square(values))):.3e},{max(values):.3e},[PZ07] section 6")


main()
