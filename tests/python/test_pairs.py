"""Interactions of one's own, beside numpy."""
import math
import unittest

import numpy as np

from support import CONTEXT, ROOT
import holmberg
from holmberg import AllPairs, Force, Interaction, Particles, Simulation

SCREENED = """
//   particle:  (x, y, z, q)
//   sink:      (x, y, z, -)
//   force:     (phi, -, -, -)
//   parameter: (R, -, -, -)
#include "common/real.glsl"
void interact(in real4 i[ALL_RECORDS], in real4 j[ALL_RECORDS], real4 parameter, inout real4 f[F_RECORDS]) {
  real3 rij = separation(i, j);
  real r = sqrt(dot_plus(rij, rij, real(0.0)));
  f[0].x += r < parameter.x ? j[0].w * (ONE / r - ONE / parameter.x) : real(0.0);
}
"""


class OfOnesOwn(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        rng = np.random.default_rng(1)
        cls.x, cls.q = rng.uniform(-1, 1, (90, 3)), rng.uniform(-1, 1, 90)
        cls.charges = {"x": cls.x[:, 0], "y": cls.x[:, 1], "z": cls.x[:, 2], "q": cls.q}
        cls.coulomb = AllPairs("coulomb", "bag", "double", context=CONTEXT)
        cls.coulomb.set_sources(cls.charges)

    def field(self, x):
        """By numpy, toward x; nothing from a charge in the same place."""
        r = x[:, None] - self.x[None]
        r2 = (r ** 2).sum(axis=2)
        one_over = np.where(r2 > 0, r2, np.inf) ** -0.5
        return (self.q[None, :, None] * r * one_over[..., None] ** 3).sum(axis=1), (self.q * one_over).sum(axis=1)

    def test_one_that_comes_with_the_library(self):
        e, phi = self.field(self.x)
        here = self.coulomb.eval()
        self.assertEqual(list(here), ["ex", "ey", "ez", "phi"])
        for k, name in enumerate(("ex", "ey", "ez")):
            np.testing.assert_allclose(here[name], e[:, k], rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(here["phi"], phi, rtol=1e-10, atol=1e-12)
        some = self.coulomb.eval([5, 2], ["phi"])
        self.assertEqual((list(some), some["phi"].tolist()), (["phi"], here["phi"][[5, 2]].tolist()))
        points = np.array([[2.0, 0, 0], [0, 3, 0]])
        sinks = dict(zip("xyz", points.T))
        np.testing.assert_allclose(self.coulomb.at(sinks)["phi"], self.field(points)[1], rtol=1e-10)
        without = self.coulomb.at({name: self.charges[name] for name in "xyz"}, own=np.arange(90))
        self.assertEqual(without["phi"].tobytes(), here["phi"].tobytes())
        self.assertRegex(repr(self.coulomb), "^<holmberg.AllPairs of coulomb: bag, double on llvmpipe")

    def test_from_a_text(self):
        law = Interaction("screened.glsl", SCREENED)
        self.assertEqual((law.name, law.sources, law.forces), ("screened", list("xyzq"), ["phi"]))
        self.assertEqual(law.sinks, list("xyz"))
        self.assertTrue(math.isnan(law.parameters["R"]))
        with self.assertRaisesRegex(holmberg.UsageError, "R"):
            AllPairs(law, "bag", context=CONTEXT)
        pairs = AllPairs(law, "bag", "double", parameters={"R": 0.5}, context=CONTEXT)
        pairs.set_sources(self.charges)
        for radius in (0.5, 0.25):
            pairs.set_parameter("R", radius)
            r = np.linalg.norm(self.x[:, None] - self.x[None], axis=2)
            np.fill_diagonal(r, np.inf)
            phi = (self.q * np.where(r < radius, 1 / r - 1 / radius, 0)).sum(axis=1)
            np.testing.assert_allclose(pairs.eval()["phi"], phi, rtol=1e-10, atol=1e-12)

    def test_one_that_is_integrated(self):
        text = (ROOT / "shaders/interactions/gravity_jerk.glsl").read_text()
        p, states = Particles.make("plummer", 50, seed=1), []
        where = dict(scheme="bag", precision="ds", context=CONTEXT, eps=1 / 64)
        for keys in ({}, dict(interaction=Interaction("my.glsl", text)), dict(interaction="gravity_jerk")):
            sim = Simulation(p, **where, **keys)
            sim.evolve(0.125)
            states.append(sim.state().x.tobytes())
            force = Force(**where, **keys)
            force.set_sources(p.m, p.x, p.v)
            states[-1] += force.eval()[0].tobytes()
        self.assertEqual(states[1:], states[:1] * 2)

    def test_mistakes(self):
        wrong = Interaction("my.glsl", SCREENED.replace("f[0].x +=", "g +="))
        unlike = {"x": self.x[:, 0], "y": self.q[:5]}
        for kind, words, call in (
                (holmberg.UsageError, "unknown interaction 'nothing'", lambda: Interaction("nothing")),
                (holmberg.InputError, "my.glsl", lambda: Interaction("my.glsl", "void main() {}")),
                (holmberg.InputError, r"my.glsl:\d+",
                 lambda: AllPairs(wrong, "bag", parameters={"R": 1}, context=CONTEXT)),
                (holmberg.UsageError, "q", lambda: self.coulomb.set_sources(dict(zip("xyz", self.x.T)))),
                (holmberg.UsageError, "y has 5 numbers, expected 90", lambda: self.coulomb.set_sources(unlike)),
                (holmberg.UsageError, "curl", lambda: self.coulomb.eval(names=["curl"]))):
            with self.assertRaisesRegex(kind, words):
                call()


if __name__ == "__main__":
    unittest.main()
