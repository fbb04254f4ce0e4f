"""Simulations: the bits of the program's runs, checkpoints, interrupts, pictures."""
import io
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from support import CONTEXT, ROOT, program
import holmberg
from holmberg import Particles, Renderer, Simulation

INTERRUPTED = """
import sys, holmberg
sim = holmberg.Simulation(holmberg.Particles.make("plummer", 400, seed=1), eps=1/64, scheme="host")
for _ in range(100):
    sim.step()
try:
    print("begun", flush=True)
    sim.evolve(1e6)
except KeyboardInterrupt:
    t = sim.time
    state, counts = sim.state(), sim.counts()
    assert 0 < t < 1e6 and counts.block_steps >= 100, (t, counts)
    state.write(sys.argv[1])
    sim.evolve(int(t) + 1)
    sim.state().write(sys.argv[2])
    print(repr(t), int(t) + 1)
"""


def arrays(p):
    return b"".join(array.tobytes() for array in (p.m, p.x, p.v, p.id))


class Runs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_stars_that_age_as_in_the_program(self):
        p = Particles.make("plummer", 48, seed=2, masses="salpeter", mass_min=8, mass_max=60, length_unit=1)
        p.write(self.folder / "c.h5")
        program("run", self.folder / "c.h5", "--stars", "zams", "--kick", 5, "--scheme", "host", "--eps", "1/64", "--t-end",
                "8Myr", "--quiet", "-o", self.folder / "end.h5")
        expected = Particles.read(self.folder / "end.h5")
        sim = Simulation(p, stars="zams", kick=5, scheme="host", eps=1 / 64)
        self.assertEqual(len(Simulation(p, scheme="host", eps=1 / 64).stars()), 0)
        sim.evolve("4Myr")
        sim.save(self.folder / "half.ckpt")
        again = Simulation.resume(self.folder / "half.ckpt")
        for one in sim, again:
            one.evolve("8Myr")
            self.assertEqual(arrays(one.state()), arrays(expected))
            stars = one.stars()
            dead = np.isin(stars["type"], ["neutron star", "black hole"])
            print(f"{dead.sum()} of {len(stars)} have exploded, {stars['m_birth'].sum() - stars['m'].sum():.1f} Msun lost")
            self.assertTrue(0 < dead.sum() < 48 and (stars["kick"] > 0).tolist() == dead.tolist())
            self.assertLess(abs(one.state().m.sum() * p.units["mass"] / stars["m"].sum() - 1), 1e-4)
        with self.assertRaisesRegex(holmberg.UsageError, "the particles have no units"):
            Simulation(Particles.make("plummer", 4), stars="zams", scheme="host")

    def test_a_star_ends_at_the_first_block_step_after_its_time(self):
        p = Particles.make("plummer", 48, seed=2, mass_unit=48, length_unit=1)
        end, unit = 1.2345, p.units["time"]
        (self.folder / "table").write_text(f"0.3 5 0.995 1 0\n{end} 7 0.5 1e-5 3\n")
        sim = Simulation(p, evolution=self.folder / "table", scheme="host", eps=1 / 256)
        before = 0.0
        while sim.next_time * unit < end:
            before = sim.step()
        self.assertEqual(sim.state(before).m[7], p.m[7])
        sim.save(self.folder / "before.ckpt")
        after = sim.step()
        late = after * unit - end
        print(f"a mass changed {late:.2g} Myr after its time, {late / unit / 0.125:.2g} of dt_max: within its block step")
        self.assertTrue(before * unit < end <= after * unit and (after * 8) % 1)
        self.assertAlmostEqual(sim.state(after).m[7] / p.m[7], 0.5)
        again = Simulation.resume(self.folder / "before.ckpt")
        for one in sim, again:
            one.evolve("2Myr")
        self.assertEqual(arrays(sim.state()), arrays(again.state()))
        self.assertAlmostEqual(sim.state().m[5] / p.m[5], 0.995)
        self.assertEqual(sim.stars()["kick"].tolist(), [3.0 * (k == 7) for k in range(48)])

    def test_change_books_its_energy(self):
        sim = Simulation(Particles.make("plummer", 128, seed=1, binaries=0.1), scheme="host")
        sim.evolve(0.125)
        before, pair = sim.diagnostics(), sim.bound()[0]
        star = int(pair["id"][0])
        sim.change([star], m=[0.5 * pair["m"][0]], remove=[int(sim.bound()[-1]["id"][1])])
        after = sim.diagnostics()
        self.assertEqual(sim.counts().n, 127)
        self.assertNotEqual(after.e_changed, 0)
        self.assertAlmostEqual((after.e_total - after.e_changed) / before.e_total, 1, places=11)
        with self.assertRaisesRegex(holmberg.UsageError, "names particle 1000, which does not exist"):
            sim.change([1000], m=[1])
        self.assertEqual(pair["stars"], 2)
        self.assertAlmostEqual(pair["period"], 2 * np.pi * (pair["a"] ** 3 / pair["m"].sum()) ** 0.5)

    def test_the_bits_of_the_program(self):
        start, end = self.folder / "start.h5", self.folder / "end.h5"
        Particles.make("plummer", 150, seed=2).write(start)
        for words, keys in ((["--scheme", "host"], dict(scheme="host")),
                            (["--scheme", "bag", "--precision", "ds", "--predict", "gpu", "--context", CONTEXT],
                             dict(scheme="bag", precision="ds", predict="gpu", context=CONTEXT)),
                            (["--integrator", "leapfrog", "--dt", "1/64", "--scheme", "host-simd"],
                             dict(integrator="leapfrog", dt=1 / 64, scheme="host-simd"))):
            program("run", start, "--t-end", 0.25, "--eps", "1/64", *words, "-o", end, "--quiet")
            sim = Simulation(Particles.read(start), eps=1 / 64, **keys)
            sim.evolve(0.25)
            theirs, ours = Particles.read(end), sim.state()
            self.assertEqual(arrays(ours), arrays(theirs), words)
            self.assertEqual((ours.time, sim.time), (0.25, 0.25))

    def test_neighbors(self):
        """The settings as the command line has them; what is counted is 0 without."""
        stars = Particles.make("plummer", 64, seed=1)
        for value in ("auto", 0, 16):
            sim = Simulation(stars, scheme="host", neighbors=value, eta_far=0.008 if value == 16 else 0)
            sim.evolve(1 / 8)
            near = sim.counts().near
            self.assertEqual(sim.full_block_sizes().sum(), near.full_blocks)
            self.assertEqual(near.full_blocks > 0, value == 16, near)
        for words, value in (("neighbors is 'many'", "many"), ("neighbors is 7, expected 0 .auto., -1", 7),
                             ("neighbors is -2, expected 0 to", -2), ("64 neighbors need more particles", 64)):
            with self.assertRaisesRegex(holmberg.UsageError, words):
                Simulation(stars, scheme="host", neighbors=value)

    def test_two_bodies(self):
        """An eccentric orbit after one period, 2 pi for a = 1 and M = 1."""
        sim = Simulation(Particles.make("twobody", e=0.5), eta=0.001, scheme="host", encounters="none")
        start, e = sim.state(), sim.diagnostics()
        self.assertAlmostEqual(e.e_total, -0.125, places=14)
        sim.evolve(2 * np.pi)
        np.testing.assert_allclose(sim.state().x, start.x, atol=1e-4)
        self.assertAlmostEqual(sim.diagnostics().e_total, e.e_total, places=9)
        structure = sim.structure()
        np.testing.assert_allclose(structure.x_mass, 0, atol=1e-12)
        self.assertAlmostEqual(structure.angular_momentum[2], 0.25 * np.sqrt(0.75), places=9)
        self.assertEqual((structure.binaries.count, structure.r_lagrange.shape), (1, (8,)))

    def test_energy_by_part(self):
        """A model made at a virial ratio of 0.5 with binaries as points; in a field the parts add up, too."""
        for field in (None, "log:v=10,r=1 omega=0.1"):
            sim = Simulation(Particles.make("king", 64, binaries=0.2, seed=1), eps=0, scheme="host", field=field)
            d = sim.diagnostics()
            self.assertAlmostEqual(d.virial_ratio, 0.5, places=5)
            self.assertGreater(d.binaries.count, 3)
            self.assertAlmostEqual(d.e_scale, 0.25, places=3)
            self.assertLess(d.binaries.energy, d.e_cluster)
            self.assertAlmostEqual(d.e_cluster + d.binaries.energy + d.e_orbit, d.e_total, places=12)

    def test_steps_and_what_they_count(self):
        sim = Simulation(Particles.make("plummer", 64, seed=1), eps=1 / 64, scheme="host")
        self.assertEqual((sim.time, sim.counts().block_steps), (0, 0))
        following = sim.next_time
        self.assertEqual(sim.step(), following)
        self.assertEqual((sim.time, sim.counts().block_steps), (following, 1))
        sim.evolve(0.5)
        counts = sim.counts()
        self.assertEqual(sim.block_sizes().sum(), counts.block_steps)
        self.assertEqual(counts.pairs, 63 * counts.particle_steps)
        self.assertGreater(sim.phases().force_s, 0)
        self.assertIsNone(sim.step_trouble())
        p = sim.state()
        np.testing.assert_allclose(sim.quantity("speed"), np.sqrt((p.v ** 2).sum(axis=1)))
        log_step = np.log2(sim.quantity("step"))
        np.testing.assert_array_equal(log_step, np.round(log_step))
        self.assertRegex(repr(sim), r"^<holmberg.Simulation of 64 particles at t = 0.5: host, double on .+>$")
        for words, call in (("unknown quantity 'color'", lambda: sim.quantity("color")),
                            ("time 0.25 has passed", lambda: sim.evolve(0.25)),
                            ("t is nan", lambda: sim.evolve(float("nan"))),
                            ("unknown rounding 'sideways'", lambda: Simulation(p, rounding="sideways"))):
            with self.assertRaisesRegex(holmberg.UsageError, words):
                call()
        with sim:
            pass
        with self.assertRaisesRegex(holmberg.UsageError, "closed"):
            sim.step()

    def test_threads(self):
        """Two at once, each in a context of its own, give the bits of one after the other."""
        def run(seed, scheme):
            with Simulation(Particles.make("plummer", 80, seed=seed), eps=1 / 64, scheme=scheme, context=CONTEXT) as sim:
                sim.evolve(0.125)
                return arrays(sim.state())
        jobs = [(1, "bag"), (2, "bag"), (3, "host"), (4, "bag")]
        with ThreadPoolExecutor(2) as pool:
            together = list(pool.map(lambda job: run(*job), jobs))
        self.assertEqual(together, [run(*job) for job in jobs])
        self.assertEqual(len(set(together)), 4)

    def test_a_checkpoint(self):
        path = self.folder / "half.ckpt"
        sim = Simulation(Particles.make("plummer", 100, seed=4), eps=1 / 64, scheme="host", steps="shared")
        sim.save(path)
        self.assertEqual(Simulation.resume(path).time, 0)
        sim.evolve(0.25)
        sim.save(path, keep=True)
        self.assertTrue(Path(str(path) + "~").exists())
        sim.evolve(0.5)
        again = Simulation.resume(path)
        self.assertEqual(again.time, 0.25)
        again.evolve(0.5)
        self.assertEqual(arrays(again.state()), arrays(sim.state()))
        path.write_bytes(b"nothing")
        with self.assertRaises(holmberg.InputError):
            Simulation.resume(path)

    def test_an_interrupt_comes_between_block_steps(self):
        """Ctrl-C in a child: its particles are those of a run that was not interrupted, then and later."""
        first, second = self.folder / "first.h5", self.folder / "second.h5"
        child = subprocess.Popen([sys.executable, "-c", INTERRUPTED, str(first), str(second)], text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 env={**os.environ, "PYTHONPATH": str(ROOT / "src/python")},
                                 preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.assertEqual(child.stdout.readline(), "begun\n")
        child.send_signal(signal.SIGINT)
        out, error = child.communicate(timeout=120)
        self.assertEqual((child.returncode, error), (0, ""))
        t, later = map(float, out.split())
        sim = Simulation(Particles.make("plummer", 400, seed=1), eps=1 / 64, scheme="host")
        sim.evolve(t)
        self.assertEqual(sim.time, t)
        self.assertEqual(arrays(sim.state()), arrays(Particles.read(first)))
        sim.evolve(later)
        self.assertEqual(arrays(sim.state()), arrays(Particles.read(second)))

    def test_an_interrupt_within_a_long_step(self):
        """A pair whose block step is many revolutions: the step is given up, and done later with the same bits."""
        def begin():
            return Simulation(Particles.make("twobody", 2, e=0.3), eps=0, scheme="host", light_speed=300, dt_max=2**17)

        sim, whole = begin(), begin()
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        from_s = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            sim.evolve(2**24)
        took = time.monotonic() - from_s
        print(f"interrupted after {took:.2f} s at t = {sim.time}")
        self.assertLess(took, 1.3)
        end = sim.time + 2**17
        calls = []
        before = signal.signal(signal.SIGINT, lambda *_: calls.append(1))  # a handler that does not raise: the step is done anew
        try:
            threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
            sim.evolve(end)
        finally:
            signal.signal(signal.SIGINT, before)
        self.assertEqual(calls, [1])
        whole.evolve(end)
        self.assertEqual(arrays(sim.state()), arrays(whole.state()))


class Pictures(unittest.TestCase):
    def test_the_pixels_of_the_program(self):
        from matplotlib.image import imread
        with tempfile.TemporaryDirectory() as folder:
            p = Particles.make("plummer", 300, seed=1)
            p.write(f"{folder}/p.h5")
            for words, look in (([], {}), (["--direction", "30,20", "--map", "ember", "--glow", 0, "--exposure", 0.5],
                                           dict(azimuth=30, inclination=70, map="ember", glow=0, exposure=0.5))):
                program("render", f"{folder}/p.h5", "-o", f"{folder}/p.png", "--size", "128x72", "--quiet", "--context",
                        CONTEXT, *words)
                picture = p.render(width=128, height=72, context=CONTEXT, **look)
                picture.save(f"{folder}/ours.png")
                theirs = (imread(f"{folder}/p.png")[..., :3] * 255).round().astype(np.uint8)
                ours = (imread(io.BytesIO(picture._repr_png_()))[..., :3] * 255).round().astype(np.uint8)
                self.assertGreater(theirs.max(), 100)
                self.assertTrue((picture.pixels == theirs).all())
                self.assertTrue((ours == theirs).all())
                self.assertEqual(Path(folder, "ours.png").read_bytes(), picture.png())

    def test_of_a_simulation(self):
        sim = Simulation(Particles.make("plummer", 100, seed=1), eps=1 / 64, scheme="bag", context=CONTEXT)
        sim.evolve(0.125)
        pictures = {color: sim.render(color, width=64, height=36).pixels for color in ("speed", "acc", "energy")}
        self.assertTrue((pictures["speed"] != pictures["acc"]).any())
        self.assertTrue((pictures["energy"] != pictures["acc"]).any())
        sim.evolve(0.25)  # the context of the picture has left the simulation's alone
        other = Simulation(Particles.make("plummer", 100, seed=1), eps=1 / 64, scheme="bag", context=CONTEXT)
        other.evolve(0.25)
        self.assertEqual(arrays(sim.state()), arrays(other.state()))

    def test_where_the_camera_looks(self):
        p = Particles.from_arrays([1, 1], [[0, 0, 0], [1, 0, 0]])
        for azimuth, inclination, row, column in ((0, 0, 32, 48), (90, 0, 48, 32), (0, 90, 32, 48), (90, 90, 32, 32)):
            renderer = Renderer(64, 64, center=(0, 0, 0), radius=2, glow=0, context=CONTEXT, azimuth=azimuth,
                                inclination=inclination)
            light = renderer.draw(p, [0, 1]).pixels.sum(axis=2)  # the second star is much the brighter one
            brightest = np.unravel_index(light.argmax(), light.shape)
            np.testing.assert_allclose(brightest, (row, column), atol=1)
        self.assertRegex(repr(renderer), "^<holmberg.Renderer on llvmpipe")
        for kind, words, look in ((holmberg.UsageError, "unknown color map 'pink'", dict(map="pink")),
                                  (holmberg.UsageError, "exposure 1", dict(exposure=1)),
                                  (holmberg.UsageError, "radius -1", dict(radius=-1)),
                                  (holmberg.UsageError, "width is -1, expected 0 to", dict(width=-1)),
                                  (holmberg.OpenGLError, "pixels|limit", dict(width=10 ** 6)),
                                  (holmberg.OpenGLError, "/dev/dri/none", dict(context="egl", device="/dev/dri/none"))):
            with self.assertRaisesRegex(kind, words):
                Renderer(**{"context": CONTEXT, **look})


if __name__ == "__main__":
    unittest.main()
