"""The package as it is installed: what happens in a simulation, what is refused, the bits of `holmberg run`.

PYTHONPATH has the package, PROGRAM names the program; nothing else of the source tree is used.
"""
import copy
import ctypes
import json
import math
import os
import pickle
import re
import subprocess
import sys
import tempfile
import threading
import unittest
import warnings
from pathlib import Path

import numpy as np

import holmberg
from holmberg import Force, Particles, Simulation

DT = 2 ** -6


def approaching(**radius):
    """Two light bodies, 0.06 apart, that approach each other at 0.1: with radii of 0.01 they touch at t = 0.4."""
    return Particles.from_arrays([1e-9, 1e-9], [[-0.03, 0, 0], [0.03, 0, 0]], [[0.05, 0, 0], [-0.05, 0, 0]], id=[7, 2 ** 63],
                                 **radius)


def dispersing():
    return Particles.make("plummer", 64, seed=1, virial=2)


class WhatHappens(unittest.TestCase):
    def stopped(self, sim, t, kind):
        with self.assertRaises(kind) as caught:
            sim.evolve(t)
        stop = caught.exception
        self.assertIsInstance(stop, holmberg.Stopped)
        self.assertEqual(stop.particles.time, sim.time)
        self.assertTrue(0 <= sim.time - stop.event.time <= 2 ** -25)  # the first tick after a contact
        self.assertEqual(stop.particles.state_hash, sim.state().state_hash)
        return stop

    def test_a_collision(self):
        for asked in dict(collisions="stop"), dict(stop_at="collision"):
            sim = Simulation(approaching(radius=0.01), eps=0.1, dt_max=DT, scheme="host", **asked)
            stop = self.stopped(sim, 1, holmberg.Collision)
            apart = abs(np.diff(stop.particles.x[:, 0])[0])
            print(f"they touch at t = 0.4; stopped at {sim.time}, {apart:.9f} apart (radii: 0.02)")
            self.assertTrue(abs(sim.time - 0.4) < 1e-6 and abs(apart - 0.02) < 1e-8)
            self.assertLess(abs(stop.event.distance - 0.02), 1e-10)
            self.assertEqual((stop.event.kind, set(stop.event.ids)), ("collision", {7, 2 ** 63}))
            self.assertEqual(str(stop), f"collision: particles {stop.event.ids[0]}, {stop.event.ids[1]} at t = {stop.event.time:.9g}")
            again = pickle.loads(pickle.dumps(stop))  # as from another process
            self.assertEqual((type(again), again.event), (holmberg.Collision, stop.event))
            sim.evolve(1)  # on
            self.assertEqual((sim.time, sim.events), (1, []))
        sim = Simulation(approaching(radius=0.01), eps=0.1, dt_max=DT, scheme="host", collisions="merge")
        sim.evolve(1)
        self.assertEqual(([event.kind for event in sim.events], len(sim.state())), (["collision"], 1))
        for asked in dict(collisions="stop"), dict(stop_at="collision"):
            with self.assertWarnsRegex(UserWarning, "no particle has a radius, so none can collide"):
                sim = Simulation(approaching(), eps=0.1, dt_max=DT, scheme="host", **asked)
            sim.evolve(1)  # points never touch

    def test_a_fall(self):
        """Two masses of 1/2 fall from d = 2 to r = 0.1: t = sqrt(d^3 / 2) (arccos sqrt(r/d) + sqrt(r/d (1 - r/d)))."""
        touch = math.sqrt(4) * (math.acos(math.sqrt(0.05)) + math.sqrt(0.05 * 0.95))
        p = Particles.from_arrays([0.5, 0.5], [[-1, 0, 0], [1, 0, 0]], radius=[0.02, 0.08])
        for encounters in "groups", "none":
            sim = Simulation(p, eps=0, collisions="stop", scheme="host", encounters=encounters)
            stop = self.stopped(sim, 4, holmberg.Collision)
            apart = np.linalg.norm(stop.particles.x[0] - stop.particles.x[1])
            print(f"encounters={encounters}: touch at {touch:.9f}, stopped at {sim.time:.9f}, {apart:.9f} apart, radii add up to 0.1")
            self.assertLess(abs(sim.time - touch), 1e-9 if encounters == "groups" else 1e-5)
            self.assertLess(abs(apart - 0.1), 1e-9)

    def test_approaches(self):
        """Two bodies on an ellipse are nearest at its pericenter, once in each revolution; the run goes on."""
        u = math.sqrt(0.1 / 1.9)
        p = Particles.from_arrays([0.5, 0.5], [[-0.95, 0, 0], [0.95, 0, 0]], [[0, -u / 2, 0], [0, u / 2, 0]], radius=1e-3)
        for asked, count in ((dict(approach_distance=0.11), 3), (dict(approach_radii=51), 3), (dict(approach_radii=49), 0)):
            sim, events = Simulation(p, eps=0, scheme="host", **asked), []
            while sim.next_time <= 20:
                sim.step()
                events += [event for event in sim.events if event.kind == "approach"]
            print(f"{asked}: {[str(event) for event in events]}")
            self.assertEqual(len(events), count)
            for k, event in enumerate(events):
                self.assertLess(max(abs(event.distance - 0.1), abs(event.time - math.pi * (2 * k + 1))), 1e-9)

    def test_options_keep_the_orbit(self):
        """A star and two planets: the same bits with each option that only looks at them."""
        def after(**options):
            sim = Simulation(scheme="host")
            for body in dict(m=1), dict(m=1e-3, a=1, e=0.05), dict(m=1e-3, a=2.5):
                sim.add(**body)
            p = sim.state()
            p.radius = 1e-4
            sim = Simulation(p, eps=0, scheme="host", **options)
            sim.evolve(200)
            return sim.state().x

        x = after()
        for options in (dict(collisions="stop"), dict(collisions="merge"), dict(escapers="list"), dict(escapers="remove"),
                        dict(stop_at="escape", escape_radius=50), dict(approach_distance=0.5)):
            off = np.abs(after(**options) - x).max()
            print(f"{options}: off by {off:.1e}")
            self.assertLess(off, 1e-12)

    def test_each_touch_stops_once(self):
        """As many stops as an independent look at each state finds pairs that come to overlap; saved and resumed at each."""
        def overlapping(p):
            x, reach = p.x, p.radius[:, None] + p.radius
            return np.triu(np.linalg.norm(x[:, None] - x, axis=2) < reach, 1)

        p = Particles.make("plummer", 64, seed=9)
        p.radius = 0.02
        for how in dict(eps=0, encounters="groups"), dict(eps=0, encounters="none"), dict(eps=0.02):
            for resumes in False, True:
                sim, stops, told, seen, before = Simulation(p, scheme="host", stop_at="collision", **how), 0, 0, 0, False
                with tempfile.TemporaryDirectory() as folder:
                    while sim.next_time <= 1:
                        try:
                            sim.step()
                        except holmberg.Collision as stop:
                            stops += 1
                            self.assertIn(stop.event, sim.events)
                        told += len(sim.events)
                        now = overlapping(sim.state())
                        seen, before = seen + np.count_nonzero(now & ~before), now
                        if resumes and sim.events:
                            sim.save(f"{folder}/touch.ckpt")
                            sim = Simulation.resume(f"{folder}/touch.ckpt")
                print(f"{how}, {'resumed' if resumes else 'at once'}: {stops} stops, {told} told, {seen} seen by numpy")
                self.assertTrue(4 <= stops <= told == seen)
                went_on = Simulation(p, scheme="host", stop_at="collision", **how)
                for _ in range(stops):
                    with self.assertRaises(holmberg.Collision):
                        went_on.evolve(1)
                went_on.evolve(1)

    def test_encounters_and_escapes(self):
        with tempfile.TemporaryDirectory() as folder:
            for asked, kind, word, count in ((dict(stop_at="pair"), holmberg.Encounter, "encounter", 2),
                                             (dict(stop_at="escape", escape_radius=3), holmberg.Escape, "escape", 1)):
                sim = Simulation(dispersing(), eps=0, scheme="host", **asked)
                sim.save(f"{folder}/begin.ckpt")
                stop = self.stopped(sim, 8, kind)
                print(stop)
                self.assertEqual((stop.event.kind, len(stop.event.ids)), (word, count))
                resumed = Simulation.resume(f"{folder}/begin.ckpt")
                self.assertEqual(self.stopped(resumed, 8, kind).event[:3], stop.event[:3])
        distance = np.linalg.norm(stop.particles.x[stop.particles.id == stop.event.ids[0]])
        print(f"the escaper is {distance:.3f} from the center, expected more than 3 - 0.3")
        self.assertGreater(distance, 2.7)  # the density center is near the origin
        sim = Simulation(dispersing(), eps=0, scheme="host", escapers="remove", escape_radius=3)
        sim.evolve(1)
        gone = {event.ids[0] for event in sim.events}
        self.assertEqual((len(gone), set(sim.state().id)), (64 - len(sim.state()), set(range(64)) - gone))

    def test_what_is_watched(self):
        sim = Simulation(Particles.make("twobody", e=0.1), eps=0, scheme="host")
        sim.watch()
        self.assertEqual([(event.kind, event.ids) for event in sim.events], [("initial", (0, 1))])
        self.assertAlmostEqual(sim.events[0].a, 1)
        self.assertAlmostEqual(sim.events[0].e, 0.1)
        with self.assertRaisesRegex(holmberg.UsageError, "unknown event 'colision' .expected initial, formed"):
            sim.watch("colision")


class WhatIsRefused(unittest.TestCase):
    def test_attributes(self):
        p = dispersing()
        p.radius = 0.02
        self.assertEqual(set(p.radius), {0.02})
        sim, force = Simulation(p, eps=0.1, scheme="host"), Force("host")
        coulomb = holmberg.Interaction("coulomb")
        picture = holmberg.Picture(np.zeros((2, 2, 3), np.uint8))
        for thing, name, sentence in ((p, "raduis", "did you mean 'radius'"), (p, "masses", "expected id, m, radius"),
                                      (sim, "tme", "did you mean 'time'"), (sim, "eps", "Simulation has no attribute 'eps'"),
                                      (force, "schme", "did you mean 'scheme'"), (picture, "pixel", "did you mean 'pixels'"),
                                      (coulomb, "parameter", "did you mean 'parameters'"), (sim, "time", "time"),
                                      (p, "state_hash", "state_hash"), (p, "write", "write")):
            with self.assertRaisesRegex(AttributeError, sentence):
                setattr(thing, name, 1)
        for call, sentence in ((lambda: Simulation(p, colisions="stop"), "Simulation has no argument 'colisions', did you mean "
                                "'collisions'"), (lambda: Force("host", epz=0), "Force has no argument 'epz'"),
                               (lambda: Particles.make("king", 8, mases="kroupa"), "Particles.make has no .* 'masses'")):
            with self.assertRaisesRegex(TypeError, sentence):
                call()

    def test_numbers(self):
        p, force, nan = dispersing(), Force("host", eps=0.1), float("nan")
        force.set_sources(p.m, p.x, p.v)
        whole = force.eval()[2]
        for index in [3], [3.0], np.uint64([3]), np.array([3], object), np.ma.masked_array([3], [False]):
            self.assertEqual(force.eval(index)[2], whole[3:4])
        self.assertEqual(len(force.eval([])[2]), 0)
        masked = np.ma.masked_array(p.m, p.m > 0)
        for call, sentence in ((lambda: force.eval([2 ** 32]), "index has 4294967296, expected 0 to 4294967295"),
                               (lambda: force.eval([2 ** 70]), "index has 1180591620717411303424"),
                               (lambda: force.eval([1.9]), "index has 1.9, expected whole numbers"),
                               (lambda: force.eval([-1]), "index has -1"), (lambda: force.eval([64]), "below 64"),
                               (lambda: force.eval([nan]), r"index\[0\] is nan"), (lambda: force.eval(["a"]), "expected numbers"),
                               (lambda: force.eval(p.m > 0), "numpy.flatnonzero"),
                               (lambda: force.eval(np.ma.masked_array([1, 2], [0, 1])), "index has masked elements"),
                               (lambda: force.set_sources(masked, p.x), "m has masked elements"),
                               (lambda: force.set_sources([1, nan], [[0, 0, 0], [1, 0, 0]]), r"m\[1\] is nan"),
                               (lambda: force.at([[0, math.inf, 0]]), r"x\[0, 1\] is inf"),
                               (lambda: force.at([[0, 1, 0]], own=[2 ** 32]), "own has 4294967296"),
                               (lambda: setattr(p, "time", nan), "time is nan"), (lambda: setattr(p, "m", masked), "masked"),
                               (lambda: setattr(p, "v", p.v + nan), r"v\[0, 0\] is nan"),
                               (lambda: setattr(p, "id", p.m + 1), "id has"),
                               (lambda: Particles.from_arrays([1j], [[0, 0, 0]]), "m is an array of complex128"),
                               (lambda: Particles(1.5), "n is 1.5"), (lambda: Particles(2 ** 70), "n is 1180591620717411303424"),
                               (lambda: Particles.make("plummer", 8, seed=-1), "seed is -1"),
                               (lambda: Particles.read("a\0b"), "zero byte"),
                               (lambda: Particles.read("none.h5", time=nan), "time is nan")):
            with self.assertRaisesRegex(holmberg.UsageError, sentence):
                call()
        close = Force("host-simd", precision="ds", eps=0)
        close.set_sources([1, 1], [[0, 0, 0], [1e-14, 0, 0]])
        for call, sentence in ((close.eval, "on particle 0"), (lambda: close.at([[5e-15, 0, 0]]), "at point 0")):
            with self.assertRaisesRegex(holmberg.NumericError, f"the force {sentence} is beyond the range of float: .* precision ds"):
                call()
        sim = Simulation(p, eps=0.1, scheme="host")
        for call in (sim.evolve, sim.state, sim.diagnostics, sim.structure):
            for t in nan, math.inf:
                with self.assertRaisesRegex(holmberg.UsageError, f"t is {t}, expected a finite number"):
                    call(t)

    def test_words_of_others(self):
        """Arguments that a model does not take, names from elsewhere, words where numbers belong: nothing in silence."""
        p, make, force = dispersing(), Particles.make, Force("host", eps=0.1)
        force.set_sources(p.m, p.x)
        calls = ((lambda: make("plummer", 8, w0=3), ValueError, "^model plummer does not take w0 .it takes: n, seed, r_cut, scaling"),
                 (lambda: make("plummer", 8, e=.5), ValueError, "plummer does not take e "),
                 (lambda: make("plummer", 8, spin=2), ValueError, "plummer does not take spin"),
                 (lambda: make("plummer", 8, shape="random"), ValueError, "plummer does not take shape"),
                 (lambda: make("twobody", w0=3), ValueError, "^model twobody does not take w0 .it takes: m1, m2, a, e.$"),
                 (lambda: make("twobody", masses="kroupa"), ValueError, "twobody is not a cluster"),
                 (lambda: make("plummer", 8, mass_min=1), ValueError, "^a smallest and a largest mass are for"),
                 (lambda: make("plummer", 8, a_max="0.1pc"), ValueError, "^a_max: '0.1pc' has a unit, but the particles have none .expected"),
                 (lambda: make("plummer", 8, virial=[1]), ValueError, r"^virial is \[1\], expected a number"),
                 (lambda: Simulation(p, softening=0.1), TypeError, "did you mean 'eps'"),
                 (lambda: Force("host", softening=0.1), TypeError, "did you mean 'eps'"),
                 (lambda: holmberg.Renderer(widht=3), TypeError, "Renderer has no argument 'widht', did you mean 'width'"),
                 (lambda: Force("host", eps="0.1pc"), ValueError, "^eps is '0.1pc', expected a number"),
                 (lambda: Simulation(p, eps="0.1pc"), ValueError, "^eps: '0.1pc' has a unit, but the particles have none"),
                 (lambda: Simulation(p, eta="a"), ValueError, "^eta is 'a', expected a number"),
                 (lambda: Simulation(p, field="log:v=1km/s,r=1"), ValueError, "^field: '1km/s' has a unit, but"),
                 (lambda: Simulation(p, eps=0.1, scheme="host").evolve("5Myr"), ValueError, "^t: '5Myr' has a unit, but"),
                 (lambda: force.eval([1e300]), ValueError, "^index has 1e.300, expected 0 to 4294967295$"))
        for call, kind, sentence in calls:
            with self.assertRaisesRegex(kind, sentence) as caught:
                call()
            print(caught.exception)
        for thing in Simulation(p, eps=0.1, scheme="host"), force:
            self.assertIn("host", repr(thing))
            thing.close()
            self.assertEqual(repr(thing), f"<holmberg.{type(thing).__name__}, closed>")

    def test_two_threads(self):
        """One evolves until the other has been refused what it asked for, and is none the worse."""
        sim, refused = Simulation(Particles.make("plummer", 300, seed=1), eps=1 / 64, scheme="host"), []
        interrupt = ctypes.pythonapi.PyThreadState_SetAsyncExc

        def evolve():
            try:
                sim.evolve(1e9)
            except KeyboardInterrupt:  # as Ctrl-C, between two steps
                pass

        thread = threading.Thread(target=evolve, daemon=True)
        thread.start()
        with self.assertRaises(holmberg.UsageError):
            while thread.is_alive():  # and has not begun
                sim.next_time
        for call in sim.step, lambda: sim.evolve(1e9), sim.state, sim.close:
            with self.assertRaises(holmberg.UsageError) as caught:
                call()
            refused.append(str(caught.exception))
        interrupt(ctypes.c_ulong(thread.ident), ctypes.py_object(KeyboardInterrupt))
        thread.join(300)  # before, it hung
        self.assertFalse(thread.is_alive())
        print(f"4 calls: {set(refused)}; at t = {sim.time}")
        self.assertEqual({one.partition(",")[0] for one in refused}, {"this object is in use by another thread"})
        alone = Simulation(Particles.make("plummer", 300, seed=1), eps=1 / 64, scheme="host")
        alone.evolve(sim.time)
        self.assertEqual(sim.state().state_hash, alone.state().state_hash)

    def test_copies_and_slices(self):
        p = dispersing()
        p.radius, p.time = np.linspace(0, 1, 64), 2.5
        p.set_note("observer", "Erik")
        for other in copy.copy(p), copy.deepcopy(p), pickle.loads(pickle.dumps(p)), p[:], p[np.arange(64)], p[p.m > 0]:
            self.assertEqual((other.state_hash, other.note("observer")), (p.state_hash, "Erik"))
            other.x[0] += 1
            self.assertNotEqual(other.state_hash, p.state_hash)
        some = p[[5, 3]]
        self.assertEqual((some.id.tolist(), some.x.tolist(), some.radius.tolist()),
                         ([5, 3], p.x[[5, 3]].tolist(), p.radius[[5, 3]].tolist()))
        self.assertEqual(p[1:10:4].id.tolist(), [1, 5, 9])
        for call, kind, sentence in ((lambda: p[3], TypeError, "one particle is no Particles"),
                                     (lambda: p[[1.5]], ValueError, "1.5"), (lambda: p[[64]], IndexError, "64"),
                                     (lambda: p[p.m < 0], ValueError, "number of particles is 0"),
                                     (lambda: list(p), TypeError, "not iterable")):
            with self.assertRaisesRegex(kind, sentence):
                call()
        force = Force("host")
        picture = holmberg.Picture(np.zeros((2, 2, 3), np.uint8))
        self.assertEqual(pickle.loads(pickle.dumps(picture)).png(), copy.copy(picture).png())
        for thing, sentence in ((Simulation(p, eps=0.1, scheme="host"), "Simulation objects .* save.. and resume.."),
                                (force, "Force objects are neither copied nor pickled"),
                                (holmberg.Interaction("coulomb"), "Interaction objects")):
            for call in copy.copy, copy.deepcopy, pickle.dumps:
                with self.assertRaisesRegex(TypeError, sentence):
                    call(thing)

    def test_sentences_speak_of_no_options(self):
        """None of the library's words is an option of the command line's."""
        text = Path(holmberg._library.lib._name).read_bytes()
        sentences = [one for one in re.findall(rb"[ -~]{8,}", text) if not one.startswith(b"//")]
        options = [one.decode() for one in sentences if re.search(rb"(^|[ (])--[a-z]", one) and b"--mpi=" not in one]
        self.assertGreater(len(sentences), 1000)
        self.assertEqual(options, [])
        p = Particles.from_arrays([1, 1], [[0, 0, 0], [0, 0, 0]])
        with self.assertRaisesRegex(holmberg.NumericError, "same place: eps above 0 keeps forces finite"):
            Simulation(p, eps=0, scheme="host", encounters="none")
        with self.assertRaisesRegex(holmberg.UsageError, "encounters groups needs eps 0"):
            Simulation(dispersing(), eps=0.1, scheme="host", encounters="groups")


class InUnits(unittest.TestCase):
    """Words with units, beside the same in numbers."""

    def stars(self, **more):
        return Particles.make("king", 64, seed=1, masses="kroupa", length_unit=2, **more)

    def test_of_a_simulation(self):
        p = self.stars()
        length, time = p.units["length"], p.units["time"]
        velocity = length * 648000 / math.pi * 149597870.7 / (time * 3.15576e13)  # km/s
        words = dict(eps="0.1pc", dt_max="0.1Myr", field="log:v=220km/s,r=1pc")
        numbers = dict(eps=0.1 / length, dt_max=2.0 ** math.floor(math.log2(0.1 / time)),
                       field=f"log:v={220 / velocity!r},r={1 / length!r}")
        a, b = (Simulation(p, scheme="host", **keys) for keys in (words, numbers))
        a.evolve("0.5Myr")
        b.evolve(0.5 / time)
        there, also = a.state("0.5Myr"), b.state()
        print(f"t = {a.time:.9g}, expected {0.5 / time:.9g}; x differs by {abs(there.x - also.x).max():.1e}")
        self.assertAlmostEqual(a.time, 0.5 / time, delta=1e-14)
        self.assertEqual((a.diagnostics("0.5Myr").t, a.structure("0.5Myr").t), (a.time, a.time))
        self.assertLess(abs(there.x - also.x).max(), 1e-10)
        with tempfile.TemporaryDirectory() as folder:
            a.save(f"{folder}/a.ckpt")
            resumed = Simulation.resume(f"{folder}/a.ckpt")
            resumed.evolve("0.6Myr")
            self.assertAlmostEqual(resumed.time, 0.6 / time, delta=1e-14)
            there.write(f"{folder}/a.h5")
            self.assertEqual(Particles.read(f"{folder}/a.h5", time="0.5Myr").state_hash, there.state_hash)
        with self.assertRaisesRegex(holmberg.UsageError, "^t: '5pc' is a length .expected a time"):
            b.evolve("5pc")

    def test_the_field_of_the_program(self):
        p, words = self.stars(), "log:v=220km/s,r=1pc"
        with tempfile.TemporaryDirectory() as folder:
            p.write(f"{folder}/a.h5")
            rows = subprocess.run([os.environ["PROGRAM"], "run", f"{folder}/a.h5", "--scheme", "host", "--t-end", "0.125",
                                   "--json", "--field", words, "--eps", "0.1pc", "--max-energy-error", "none"],
                                  check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
        sim = Simulation(p, scheme="host", field=words, eps="0.1pc")
        sim.evolve(0.125)
        theirs, ours = json.loads(rows[-1])["state_hash"], sim.state().state_hash
        print(f"{theirs} by the program, {ours} by the package: {words}")
        self.assertEqual(theirs, ours)

    def test_of_models(self):
        binaries = dict(binaries=0.5, mass_min="0.2Msun", mass_max="5Msun", a_max="100AU", a_min="1AU")
        pc = 648000 / math.pi
        a = self.stars(**binaries)
        b = self.stars(binaries=0.5, mass_min=0.2, mass_max=5, a_max=100 / pc / 2, a_min=1 / pc / 2)
        print(f"{a.state_hash} by words, {b.state_hash} by numbers")
        self.assertEqual(a.state_hash, b.state_hash)
        a = Particles.make("plummer", 16, length_unit="2kpc", mass_unit="5Msun", r_cut="5kpc")
        b = Particles.make("plummer", 16, length_unit=2000, mass_unit=5, r_cut=2.5 / (3 * math.pi / 16))
        self.assertEqual((a.state_hash, a.units), (b.state_hash, b.units))
        for radius, expected in ((0.02, 0.02), ("1AU", 1 / pc / 2), ("0.02", 0.02)):
            p = self.stars(radius=radius)
            print(f"radius={radius!r}: {p.radius[0]:.9g}, expected {expected:.9g}")
            self.assertLess(abs(p.radius / expected - 1).max(), 1e-12)


class TheSameFile(unittest.TestCase):
    """The last state's hash by `holmberg run` and by the package, which knows nothing but the file."""

    def compare(self, made, words=(), **keys):
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/a.txt"
            if isinstance(made, str):
                Path(path).write_text(made)
            else:
                made.write(path)
            rows = subprocess.run([os.environ["PROGRAM"], "run", path, "--scheme", "host", "--t-end", "0.25", "--json", *words],
                                  check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
            sim = Simulation(Particles.read(path), scheme="host", **keys)
            sim.evolve(0.25)
            theirs, ours = json.loads(rows[-1])["state_hash"], sim.state().state_hash
            print(f"{theirs} by the program, {ours} by the package: {made!r} {words}"[:100])
            self.assertEqual(theirs, ours)
            return sim

    def test_what_models_note(self):
        for model, keys in (("demo1", dict(n=64)), ("plummer", dict(n=64)), ("disc", dict(n=64)), ("twobody", {}),
                            ("king", dict(n=64, masses="kroupa")), ("plummer", dict(n=64, binaries=0.2))):
            self.compare(Particles.make(model, seed=1, **keys))

    def test_what_files_note(self):
        pair = "# {}\n# m x y z vx vy vz\n0.5 0.5 0 0 0 0.5 0\n0.5 -0.5 0 0 0 -0.5 0\n"
        self.compare(pair.format("eps: 0.25"))
        self.compare(pair.format("eps: 0"))
        self.compare(pair.format("eps: 0.25"), ["--eps", "0"], eps=0)
        self.compare(pair.format("eps: 0.25"), ["--eps", "1/8"], eps=1 / 8)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            self.compare(pair.format("by: hand"))
        self.assertEqual(len(told), 1)
        self.assertRegex(str(told[0].message), "^eps = 1/256, the default for a file: it notes no softening")
        with self.assertRaisesRegex(holmberg.InputError, "soft"):
            self.compare(pair.format("eps: soft"), ["--eps", "0.1"])

    def test_of_a_leapfrog(self):
        demo = Particles.make("demo1", 64, seed=1)
        demo.set_note("damping", "0.75")
        words = ["--integrator", "leapfrog"]
        self.compare(demo, words, integrator="leapfrog")
        sim = self.compare(demo, [*words, "--dt", "1/64", "--damping", "1"], integrator="leapfrog", dt=1 / 64, damping=1)
        self.assertEqual((float(sim.state().note("dt")), float(sim.state().note("damping"))), (1 / 64, 1))
        for note, sentence in (("fast", "note dt is 'fast'"), ("-1", "note dt is '-1'")):
            demo.set_note("dt", note)
            with self.assertRaisesRegex(holmberg.InputError, sentence):
                Simulation(demo, integrator="leapfrog", scheme="host")


if __name__ == "__main__":
    print(f"Python {sys.version.split()[0]}, numpy {np.__version__}, {holmberg.__file__}")
    unittest.main()
