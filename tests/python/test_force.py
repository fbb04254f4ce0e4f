"""Forces: the bits of a C program, beside sums of our own."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np

from support import CONTEXT, compiled
import holmberg
from holmberg import Force, Particles

EPS = 1 / 64


def sums(p, x, skip=None):
    """Acceleration and potential at points by numpy, [PZ07] eq. 1."""
    r = p.x[None] - x[:, None]
    one_over = ((r ** 2).sum(axis=2) + EPS ** 2) ** -0.5
    if skip is not None:
        one_over[np.arange(len(x)), skip] = 0
    return (p.m[None, :, None] * r * one_over[..., None] ** 3).sum(axis=1), -(p.m * one_over).sum(axis=1)


class Forces(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.p = Particles.make("plummer", 200, seed=3)
        cls.bag = Force("bag", "ds", EPS, context=CONTEXT)
        cls.bag.set_sources(cls.p.m, cls.p.x, cls.p.v)

    def test_the_bits_of_a_c_program(self):
        with tempfile.TemporaryDirectory() as folder:
            forces = compiled(Path(__file__).with_name("forces.c"), Path(folder, "forces"))
            self.p.write(Path(folder, "p.h5"))
            for scheme, precision in (("host", "double"), ("host-simd", "single"), ("bag", "ds")):
                raw = subprocess.run([str(forces), f"{folder}/p.h5", scheme, precision], check=True,
                                     stdout=subprocess.PIPE, env={**os.environ, "HB_CONTEXT": CONTEXT}).stdout
                force = Force(scheme, precision, EPS, context=CONTEXT)
                force.set_sources(self.p.m, self.p.x, self.p.v)
                self.assertEqual(b"".join(array.tobytes() for array in force.eval()), raw, scheme)

    def test_sums_of_our_own(self):
        index = [5, 0, 199]
        a, j, phi = self.bag.eval(index)
        own_a, own_phi = sums(self.p, self.p.x[index], index)
        np.testing.assert_allclose(a, own_a, rtol=2e-6, atol=2e-6)
        np.testing.assert_allclose(phi, own_phi, rtol=2e-6)
        # the jerk is the change of a along the motion
        host, h = Force("host", eps=EPS), 1e-4
        before, after = (self.p.x + sign * h * self.p.v for sign in (-1, 1))
        host.set_sources(self.p.m, after, self.p.v)
        later = host.eval(index)[0]
        host.set_sources(self.p.m, before, self.p.v)
        np.testing.assert_allclose(j, (later - host.eval(index)[0]) / (2 * h), rtol=1e-3, atol=1e-3)

    def test_points(self):
        x = np.array([[0.1, 0.2, 0.3], [-2, 0, 1]])
        for force in (self.bag, Force("host", eps=EPS)):
            force.set_sources(self.p.m, self.p.x, self.p.v)
            a, _, phi = force.at(x)
            own_a, own_phi = sums(self.p, x)
            np.testing.assert_allclose(a, own_a, rtol=2e-6, atol=2e-6)
            np.testing.assert_allclose(phi, own_phi, rtol=2e-6)
            a, _, phi = force.at(self.p.x[:2], self.p.v[:2], own=[0, holmberg.NO_SOURCE])
            self.assertAlmostEqual(phi[0], force.eval([0])[2][0], places=6)
            self.assertAlmostEqual(phi[1], force.eval([1])[2][0] - self.p.m[1] / EPS, places=6)

    def test_a_call_in_two_halves(self):
        whole = self.bag.eval([3, 2, 1])
        out = np.zeros((3, 3)), np.zeros((3, 3)), np.zeros(3)
        self.bag.begin([3, 2, 1], out=out)
        with self.assertRaises(holmberg.UsageError):
            self.bag.eval()
        for one, here, other in zip(self.bag.finish(), out, whole):
            self.assertIs(one, here)
            self.assertEqual(one.tobytes(), other.tobytes())
        self.bag.begin_at(self.p.x[:3], self.p.v[:3], own=[0, 1, 2])
        at = self.bag.finish()
        self.assertEqual(at[0].tobytes(), self.bag.at(self.p.x[:3], self.p.v[:3], [0, 1, 2])[0].tobytes())
        with self.assertRaisesRegex(holmberg.UsageError, "no call was begun"):
            self.bag.finish()

    def test_two_that_are_too_near(self):
        x = [[0.3, 0, 0], [0.3 + 1e-14, 0, 0], [5, 0, 0]]
        for scheme, precision in (("bag", "ds"), ("host-simd", "ds"), ("host-simd", "single")):
            force = Force(scheme, precision, 0, context=CONTEXT if scheme == "bag" else None)
            force.set_sources([0.5, 0.5, 0.5], x, np.zeros((3, 3)))
            with self.assertRaisesRegex(holmberg.NumericError, "force on particle 0 is beyond .* too close for precision"):
                force.eval()
            force.eval([2])  # is far from both
            with self.assertRaisesRegex(holmberg.NumericError, "the force at point 0 is beyond .* a source is too close for"):
                force.at([[5, 0, 0]])  # at a source
            force.begin([1])
            with self.assertRaisesRegex(holmberg.NumericError, "force on particle 1 is beyond"):
                force.finish()
        force = Force("host", eps=0)
        force.set_sources([0.5, 0.5, 0.5], x, np.zeros((3, 3)))
        self.assertAlmostEqual(force.eval([0])[0][0, 0] * 9.99e-15**2 / 0.5, 1, places=3)

    def test_arrays_as_they_come(self):
        """Lists, floats and slices are converted, results are not."""
        p, force = self.p, Force("host", eps=EPS)
        force.set_sources(p.m.tolist(), np.asfortranarray(p.x), p.v[:, ::-1][:, ::-1])
        want = Force("host", eps=EPS)
        want.set_sources(p.m, p.x, p.v)
        self.assertEqual(force.eval()[1].tobytes(), want.eval()[1].tobytes())
        for out in ((np.empty((1, 3), np.float32), np.empty((1, 3)), np.empty(1)),
                    (np.empty((1, 3)), np.empty((2, 3)), np.empty(1))):
            with self.assertRaisesRegex(holmberg.UsageError, "contiguous doubles"):
                force.eval([0], out=out)
        for wrong in ([200], [0, 0]):
            with self.assertRaises(holmberg.UsageError):
                force.eval(wrong)
        with self.assertRaisesRegex(holmberg.UsageError, "m has the shape"):
            force.set_sources(p.m[:5], p.x)

    def test_what_it_says(self):
        self.assertRegex(repr(self.bag), r"^<holmberg.Force: bag, ds on llvmpipe.*, 200 sources>$")
        self.assertEqual((self.bag.scheme, self.bag.precision, self.bag.context), ("bag", "ds", CONTEXT))
        with Force("host") as force:
            self.assertEqual((force.context, force.tuning), ("none", ""))
        with self.assertRaisesRegex(holmberg.UsageError, "closed"):
            force.eval([0])


if __name__ == "__main__":
    unittest.main()
