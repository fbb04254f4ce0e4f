"""All of the package: each public C function and the name that reaches it, docstrings' examples, runs, archives, pictures."""
import ast
import contextlib
import doctest
import importlib
import io
import os
import re
import sys
import tempfile
import time
import unittest
import unittest.mock
import weakref
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import numpy as np

from support import ROOT
import holmberg
from holmberg import Archive, Particles, Simulation, _abi

PACKAGE = Path(holmberg.__file__).parent
WHY_NOT = {
    "hb_device_use": "OpenGL of a program's own, in C",
    "hb_device_release": "OpenGL of a program's own, in C",
    "hb_sim_on_device": "OpenGL of a program's own, in C",
    "hb_force_scheme_find": "schemes()[name]",
    "hb_interrupt_request": "signals do it, see _library.interruptible",
    "hb_ic_scaling_for": "what scaling='auto' is",
    "hb_integrator_named": "integrators()[name]",
    "hb_sim_call": "step() returns between two block steps, and there change() and all else may be called",
    "hb_sim_default_dt_min": "what 0 and auto mean before there is a simulation; Simulation(...).settings() says what they have become",
    "hb_sim_default_encounters": "what 0 and auto mean before there is a simulation; Simulation(...).settings() says what they have become",
    "hb_sim_default_first_step": "what 0 and auto mean before there is a simulation; Simulation(...).settings() says what they have become",
    "hb_sim_default_neighbors": "what 0 and auto mean before there is a simulation; Simulation(...).settings() says what they have become",
    "hb_sim_integrate": "evolve() steps itself, so that Ctrl-C is handled after each",
    "hb_sim_take": "Simulation() copies, arrays stay the caller's",
    "hb_snapshot_read": "hb_snapshot_read_at with a time that is NaN",
}


def reached():
    """The functions of the library that code of the package calls, but for those that only lists name."""
    for file in PACKAGE.glob("[!_]*.py"), PACKAGE.glob("_[!a]*.py"):
        for one in file:
            for node in ast.walk(ast.parse(one.read_text())):
                is_call = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "lib"
                if is_call and node.attr.startswith("hb_"):
                    yield node.attr


def declared():
    """Of the headers, without the forms that take sizes."""
    sys.path.insert(0, str(ROOT / "tools"))
    from python_abi import HEADERS, Declarations
    headers = "\n".join((ROOT / "src/include/holmberg" / name).read_text() for name in HEADERS)
    return {name.removesuffix("_sized") for name, _, _ in Declarations(headers).functions}


class Complete(unittest.TestCase):
    def test_every_function_is_reached(self):
        have, want = set(reached()), declared()
        self.assertEqual(want, {name.removesuffix("_sized") for name in _abi.FUNCTIONS})
        print(f"{len(want)} functions in headers, {len(have & want)} reached, {len(WHY_NOT)} not for a reason")
        self.assertEqual(want - have, set(WHY_NOT))
        self.assertEqual(have - want, set())

    def test_examples_of_docstrings(self):
        failed = tried = 0
        with tempfile.TemporaryDirectory() as folder:
            for file in sorted(PACKAGE.glob("*.py")):
                module = importlib.import_module(f"holmberg.{file.stem}" if file.stem != "__init__" else "holmberg")
                result = doctest.testmod(module, extraglobs={**vars(holmberg), "np": np, "folder": folder})
                failed, tried = failed + result.failed, tried + result.attempted
        print(f"{tried} lines of examples, {failed} failed")
        self.assertEqual(failed, 0)
        self.assertGreater(tried, 30)

    def test_orbits_there_and_back(self):
        from holmberg.orbits import elements_of, place_of
        random, worst = np.random.default_rng(1), 0.0
        for k in range(300):
            e = random.uniform(0.01, 0.95) if k % 2 else random.uniform(1.05, 3)
            given = (random.uniform(0.1, 9) * (1 if k % 2 else -1), e, random.uniform(0.1, 3), *random.uniform(0, 6, 2),
                     random.uniform(-1.5, 1.5))
            back = elements_of(2, *place_of(2, *given))[1:7]
            worst = max(worst, np.abs(np.subtract(back, given)).max())
        print(f"elements there and back: off by {worst:.1e} (1e-10)")
        self.assertLess(worst, 1e-10)

    def test_added_while_it_runs(self):
        sim = Simulation(scheme="host")
        self.assertEqual(repr(sim), "<holmberg.Simulation, not begun, of 0 particles>")
        star, planet = sim.add(m=1), sim.add(m=1e-3, a=1)
        self.assertEqual(repr(sim), "<holmberg.Simulation, not begun, of 2 particles>")
        sim.evolve(4)
        late = sim.add(m=1e-6, a=4, e=0.3, f=1, primary=star)
        row = sim.orbits(primary=star)[-1]
        print(f"added at t = 4: a = {row['a']}, e = {row['e']}")
        self.assertEqual((star, planet, late, row["id"]), (0, 1, 2, 2))
        self.assertLess(abs(row["a"] - 4) + abs(row["e"] - 0.3), 1e-12)
        sim.evolve(8)
        self.assertEqual(len(sim.state()), 3)
        handle = weakref.ref(sim._handle)
        other, sim = sim, Simulation(scheme="host")
        del other
        self.assertIsNone(handle(), "a device's memory goes with the last reference")
        sim.add(m=1)
        for wrong, said in (dict(a=1, e=1.5), "no orbit"), (dict(a=1, f=0, M=0), "two words"), (dict(e=0.5), "given by"):
            with self.assertRaisesRegex(holmberg.UsageError, said):
                sim.add(m=1, **wrong)
        with self.assertRaisesRegex(holmberg.UsageError, "no particles"):
            Simulation(scheme="host").step()

    def test_an_archive_goes_on_from_any_entry(self):
        p = Particles.make("plummer", 32, seed=3)
        with tempfile.TemporaryDirectory() as folder:
            sim = Simulation(p, eps=1 / 32, scheme="host")
            sim.run(1, every=0.23, archive=f"{folder}/run")
            archive = Archive(f"{folder}/run")
            self.assertEqual([one.time for one in archive], list(archive.times))
            self.assertEqual(list(archive[0.2:0.7].times), list(archive.times[1:4]))
            for k in range(len(archive)):
                again = archive.resume(k)
                self.assertEqual(again.state().state_hash, archive[k].state_hash)
                again.evolve(1)
                self.assertEqual(again.state().state_hash, sim.state().state_hash)
            print(f"{archive}: each goes on to {sim.state().state_hash}")

    def test_a_bar(self):
        sim = Simulation(Particles.make("plummer", 16, seed=1), eps=0.1, scheme="host")
        for shown in True, False:
            with contextlib.redirect_stderr(io.StringIO()) as said:
                sim.run(sim.time + 1, every=0.5, progress=shown)
            self.assertEqual("100%" in said.getvalue(), shown)
            self.assertEqual(said.getvalue().endswith("\n"), shown)
        with contextlib.redirect_stderr(io.StringIO()) as said:
            bar = holmberg._run.Progress(0, 1, True)
            bar.tell(0.1234567, last=True)
            bar.tell(1, last=True)
        before, line = said.getvalue().split("\r")[1:]
        print(f"of {before!r} nothing is left by {line!r}")
        self.assertRegex(line + before[len(line):], r"^\[#{30}\] 100%  t = 1  0.0 s *$")

    def test_astropy(self):
        try:
            from astropy import units
        except ImportError:
            self.skipTest("no astropy")
        p = Particles.make("plummer", 16, seed=1, mass_unit=1000, length_unit=1)
        self.assertEqual(holmberg.units.physical(p, astropy=True).m.unit, units.Msun)
        one, other = (Simulation(p, eps=eps, scheme="host") for eps in ("0.1pc", 0.1 * units.pc))
        one.evolve("0.5Myr")
        other.evolve(0.5 * units.Myr)
        print(f"a word: {one.time!r}, a quantity: {other.time!r}")
        self.assertEqual((one.time, one.state().state_hash), (other.time, other.state().state_hash))

    def test_a_run_is_shown_in_a_frame(self):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder, "page.html")
            page.write_text("<title>the page</title>")
            with unittest.mock.patch.dict(os.environ, HB_PAGE=str(page)), \
                    Simulation(Particles.make("plummer", 16, seed=1), eps=0.1, scheme="host") as sim:
                frame = sim.show()._repr_html_()
                url, _, name = re.search('src="([^"]*)"', frame)[1].partition("#")
                self.assertRegex(url, r"^http://127\.0\.0\.1:\d+/[0-9a-f]{32}/$")
                self.assertEqual((urlopen(url).read(), name), (page.read_bytes(), "watch=python"))
                first = urlopen(url + "state")
                sim.step()
                time.sleep(0.12)
                while sim.time < 0.5:
                    sim.step()
                    time.sleep(0.02)
                state = urlopen(url + "state").read()
                head, now = np.frombuffer(state[:80]), sim.state(sim.time)
                print(f"shown: n, t, block steps {head[1:4]}, {len(state)} bytes")
                self.assertEqual(head[[0, 1]].tolist(), [1, 16])
                self.assertTrue(0 < head[2] <= sim.time and head[3] > 0 and np.frombuffer(first.read()[:80])[2] == 0)
                self.assertEqual(np.frombuffer(state[80:144], np.float32).tolist(), now.m.astype(np.float32).tolist())
                sim.run(1, every=0.25)  # which nobody has looked at: where it rests is seen
                head = np.frombuffer(urlopen(url + "state").read()[:80])
                print(f"at rest: t {head[2]}, dE/E {head[6]:.1e}, expected 1 and {sim._error():.1e}")
                self.assertEqual(head[[2, 6]].tolist(), [1, sim._error()])
                for path, said in ("state", 304), ("../state", 404), ("else", 404):
                    with self.assertRaises(HTTPError) as refused:
                        tag = urlopen(url + "state").headers["ETag"]
                        urlopen(Request(url + path if path != "../state" else re.sub("[0-9a-f]{32}/", "", url) + "state",
                                        headers={"If-None-Match": tag}))
                    self.assertEqual(refused.exception.code, said)
            with self.assertRaises(URLError):
                urlopen(url)
            with unittest.mock.patch.dict(os.environ, HB_PAGE=folder + "/none"):
                with self.assertRaisesRegex(holmberg.FileError, "needs the page"):
                    Simulation(Particles.make("plummer", 16), eps=0.1, scheme="host").show()

    def test_plots(self):
        try:
            import matplotlib
        except ImportError:
            self.skipTest("no matplotlib")
        matplotlib.use("Agg")
        sim = Simulation(Particles.make("plummer", 64, seed=1), eps=1 / 64, scheme="host")
        self.assertEqual(len(sim.plot().axes), 1)
        sim.run(1, every=0.125)
        figure = sim.plot()
        error = figure.axes[2].lines[0].get_ydata()
        self.assertEqual([len(line.get_xdata()) for line in figure.axes[1].lines][:1] + [len(error)], [9, 9])
        print(f"largest |dE/E| drawn: {np.abs(error).max():.1e}")
        self.assertTrue(0 < np.abs(error).max() < 1e-3)
        from matplotlib import pyplot
        pyplot.close("all")
        with unittest.mock.patch.object(pyplot, "get_backend", lambda: "module://matplotlib_inline.backend_inline"):
            sim.plot()
        self.assertEqual(pyplot.get_fignums(), [])


if __name__ == "__main__":
    unittest.main()
