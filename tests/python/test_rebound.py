"""The scripts of src/python/REBOUND.md, against DOP853 of scipy at 1e-13."""
import contextlib
import io
import re
import unittest

import numpy as np

from support import ROOT

SCRIPTS = re.findall(r"```python\n(.*?)```", (ROOT / "src/python/REBOUND.md").read_text(), re.S)


def integrated(p, t):
    """x of the particles at t by an integrator and a force that know nothing of ours."""
    from scipy.integrate import solve_ivp
    n = len(p)

    def slope(_, y):
        x, v = y.reshape(2, n, 3)
        d = x[None] - x[:, None]
        r3 = (d ** 2).sum(axis=2) ** 1.5 + np.eye(n)
        return np.concatenate([v.ravel(), ((p.m / r3)[:, :, None] * d).sum(axis=1).ravel()])

    y = solve_ivp(slope, (0, t), np.concatenate([p.x.ravel(), p.v.ravel()]), "DOP853", rtol=1e-13, atol=1e-15).y[:, -1]
    return y.reshape(2, n, 3)[0]


class Rebound(unittest.TestCase):
    def test_scripts(self):
        try:
            import scipy  # noqa: F401
        except ImportError:
            self.skipTest("no scipy")
        self.assertEqual(len(SCRIPTS), 4)
        for script in SCRIPTS[:3]:
            begin, after = re.split(r"^sim.evolve.*$", script, flags=re.M)
            given: dict = {}
            with contextlib.redirect_stdout(io.StringIO()) as said:
                exec(begin, given)
                start = given["sim"].state()
                exec(re.search(r"^sim.evolve.*$", script, re.M)[0] + after, given)
            sim = given["sim"]
            off = np.abs(sim.state().x - integrated(start, sim.time)).max()
            print(f"{len(start)} bodies to t = {sim.time:g}: off by {off:.1e} (1e-8); {said.getvalue()[:60]!r}")
            self.assertLess(off, 1e-8)

    def test_a_collision(self):
        """REBOUND 5.0.0 with IAS15 stops at t = 498.2."""
        given: dict = {}
        with contextlib.redirect_stdout(io.StringIO()) as said:
            exec(SCRIPTS[3], given)
        self.assertRegex(said.getvalue(), r"^collision: particles 1, 2 at t = 498\.2")
        x = given["planets"].x  # as they were; now they touch
        now = given["sim"].state().x
        self.assertGreater(np.linalg.norm(x[1] - x[2]), 0.9)
        self.assertLess(abs(np.linalg.norm(now[1] - now[2]) - 2e-3), 2e-6)


if __name__ == "__main__":
    unittest.main()
