"""Particles: views on the library's memory, snapshots, errors."""
import ctypes
import os
import tempfile
import tracemalloc
import unittest
import weakref
from pathlib import Path

import numpy as np

from support import program
import holmberg
from holmberg import Particles
from holmberg._library import lib

MILLION = 10 ** 6
BYTES = 64 * MILLION  # m, x, v and id


def resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Clusters(unittest.TestCase):
    def test_options_of_clusters_and_units(self):
        particles = Particles.make("king", 300, seed=2, masses="kroupa", binaries=0.2, orbits="kroupa1995", length_unit=2)
        self.assertAlmostEqual(particles.m.sum(), 1, places=12)
        self.assertGreater(particles.m.max(), 5 * particles.m.min())
        self.assertEqual(particles.units["length"], 2)
        self.assertAlmostEqual(particles.units["mass"] * particles.m.min(), 0.08, delta=0.01)
        self.assertIsNone(Particles.make("plummer", 8).units)
        particles.units = {"mass": 10, "time": 1}
        self.assertAlmostEqual(particles.units["length"], 0.3556, places=3)
        with self.assertRaises(TypeError):
            Particles.make("plummer", 8, mases="kroupa")
        with self.assertRaises(holmberg.UsageError):
            Particles.make("cube", 8, masses="kroupa")


class AMillionParticles(unittest.TestCase):
    def test_the_arrays_are_the_librarys_memory(self):
        particles = Particles(MILLION)
        handle = particles._handle.address
        for array, function in ((particles.m, lib.hb_particles_m), (particles.x, lib.hb_particles_x),
                                (particles.v, lib.hb_particles_v), (particles.id, lib.hb_particles_id)):
            self.assertEqual(array.ctypes.data, function(handle))
            self.assertTrue(array.flags.c_contiguous and array.flags.writeable)
            self.assertEqual(len(array), MILLION)
        particles.x[MILLION - 1] = 1, 2, 3
        last = ctypes.cast(lib.hb_particles_x(handle), ctypes.POINTER(ctypes.c_double))[3 * MILLION - 1]
        self.assertEqual(last, 3)
        self.assertEqual(particles.id[MILLION - 1], MILLION - 1)

    def test_a_hash_of_all_bits(self):
        particles = Particles.from_arrays([1, 2], [[0, 0, 0], [1, 0, 0]])
        before = particles.state_hash
        self.assertRegex(before, "^[0-9a-f]{16}$")
        particles.v[1, 2] = 5e-324
        self.assertNotEqual(particles.state_hash, before)

    def test_they_cross_without_a_copy(self):
        """Neither numpy (tracemalloc) nor anything else in the process takes memory besides the library's own."""
        before = resident()
        tracemalloc.start()
        particles = Particles(MILLION)
        particles.m[:], particles.x[:], particles.v[:] = 1e-6, 1.5, 0.5  # all pages are there now
        total = particles.m.sum() + particles.x.max() + particles.v[-1, 2] + float(particles.id[-1])
        grown, (_, most) = resident() - before, tracemalloc.get_traced_memory()
        self.assertAlmostEqual(total, 1 + 1.5 + 0.5 + MILLION - 1, places=6)
        self.assertLess(most, 1 << 20)
        self.assertGreater(grown, 0.9 * BYTES)
        self.assertLess(grown, 1.1 * BYTES)
        # sources of a force: the library's copy, and none of ours
        tracemalloc.reset_peak()
        force = holmberg.Force("host")
        force.set_sources(particles.m, particles.x, particles.v)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        self.assertLess(most, 1 << 20)
        self.assertLess(resident() - before, 1.1 * (BYTES + 56 * MILLION))
        # and they go with the last reference, not before
        x, handle = particles.x, weakref.ref(particles._handle)
        del particles
        self.assertTrue((x == 1.5).all())
        del x
        self.assertIsNone(handle())


class Values(unittest.TestCase):
    def test_from_arrays(self):
        x = np.arange(12.0).reshape(4, 3)
        p = Particles.from_arrays([1, 2, 3, 4], x, id=[7, 8, 9, 2 ** 63], time=2.5)
        self.assertEqual((p.m.tolist(), p.x.tolist(), p.v.tolist()), ([1, 2, 3, 4], x.tolist(), np.zeros((4, 3)).tolist()))
        self.assertEqual((p.id.tolist(), p.time, len(p)), ([7, 8, 9, 2 ** 63], 2.5, 4))
        self.assertEqual(repr(p), "<holmberg.Particles: 4 at t = 2.5>")
        q = p.copy()
        q.v += 1
        q.x *= 2
        self.assertEqual((p.v.sum(), q.v.sum(), q.x[3, 2]), (0, 12, 22))
        with self.assertRaisesRegex(holmberg.UsageError, r"^x has the shape \(3, 3\), expected 4 x 3$"):
            p.x = x[:3]

    def test_initial_conditions_and_snapshots_are_the_programs(self):
        with tempfile.TemporaryDirectory() as folder:
            for model, words, keys in (("plummer", ["-n", 300, "--seed", 5, "--r-cut", 4], dict(n=300, seed=5, r_cut=4)),
                                       ("twobody", ["--e", 0.5, "--m1", 0.25], dict(e=0.5, m1=0.25)),
                                       ("demo2", ["-n", 64, "--shape", "expand"], dict(n=64, shape="expand"))):
                for format in "hdf5", "text", "nemo", "dyn", "amuse", "xdmf":  # those that keep digits and notes
                    path = Path(folder, "a." + holmberg.formats()[format].extensions.split()[0])
                    program("ic", model, *words, "-o", path, "--quiet")
                    theirs, ours = Particles.read(path), Particles.make(model, **keys)
                    for name in ("m", "x", "v", "id"):
                        self.assertEqual(getattr(ours, name).tobytes(), getattr(theirs, name).tobytes(), (model, name))
                    self.assertEqual(theirs.note("options").split()[0], f"model={model}")
                    ours.set_note("observer", "Erik")
                    ours.add_history("a test")
                    ours.write(path)
                    again = Particles.read(path)
                    self.assertEqual(again.x.tobytes(), ours.x.tobytes())
                    self.assertEqual((again.note("observer"), again.note("nobody")), ("Erik", None))
                    self.assertIn("a test", again.note("history"))

    def test_a_snapshot_of_many(self):
        with tempfile.TemporaryDirectory() as folder:
            movie = b""
            for time in 1, 2, 3:
                p, path = Particles(2), Path(folder, "movie.nemo")
                p.time, p.x = time, np.full((2, 3), time)
                p.write(path)
                movie += path.read_bytes()
            path.write_bytes(movie)
            self.assertEqual((Particles.read(path).time, Particles.read(path, time=2).x[1, 2]), (3, 2))
            with self.assertRaisesRegex(holmberg.InputError, "no snapshot of t = 2.5; the nearest of 3 from t = 1 to 3"):
                Particles.read(path, time=2.5)

    def test_listings(self):
        models = holmberg.models()
        self.assertEqual(models["figure8"].n_max, 3)
        self.assertIn("seed", models["plummer"].options.split())
        self.assertEqual(holmberg.schemes()["host"].precisions, "double reproducible")
        self.assertIn("leapfrog", holmberg.integrators())
        self.assertAlmostEqual(holmberg.lagrange_fractions()[5], 0.5)
        self.assertGreater(holmberg.memory(1024, "tile", "ds").device, 1024 * 40)

    def test_errors(self):
        for kind, also, words, call in (
                (holmberg.UsageError, ValueError, "the number of particles is 0", lambda: Particles(0)),
                (holmberg.UsageError, ValueError, "unknown model 'plumer', did you mean 'plummer'",
                 lambda: Particles.make("plumer")),
                (holmberg.UsageError, ValueError, "unknown shape 'x' \\(expected shell, random, expand\\)",
                 lambda: Particles.make("demo1", shape="x")),
                (holmberg.FileError, OSError, "cannot read none.txt: No such file", lambda: Particles.read("none.txt")),
                (holmberg.InputError, ValueError, "is not finite|nan", self.integrate_nan),
                (holmberg.OpenGLError, holmberg.HolmbergError, "device",
                 lambda: holmberg.Force("bag", context="egl", device="/dev/dri/none"))):
            with self.assertRaisesRegex(kind, words) as caught:
                call()
            self.assertIsInstance(caught.exception, also)
            self.assertIsInstance(caught.exception, holmberg.HolmbergError)
        self.assertEqual(holmberg.InputError.status, 3)
        with self.assertRaisesRegex(holmberg.FileError, "cannot read n\udcf6ne.txt"):  # a name that is not UTF-8
            Particles.read(b"n\xf6ne.txt")

    @staticmethod
    def integrate_nan():
        p = Particles(2)
        p.x[1, 0] = np.nan
        holmberg.Simulation(p)


if __name__ == "__main__":
    unittest.main()
