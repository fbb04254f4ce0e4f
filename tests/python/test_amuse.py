"""What AMUSE calls, without AMUSE: against the package and against sums of our own."""
import sys
import unittest
from types import SimpleNamespace

import numpy as np

from support import ROOT
import holmberg

sys.path.insert(0, str(ROOT / "src/python/amuse_holmberg"))
from implementation import HolmbergImplementation  # noqa: E402

EPS = 1 / 64


def asked(function, *arguments, results=1):
    """The results of a call, like AMUSE's worker; None if it returns a failure."""
    holders = [SimpleNamespace(value=None) for _ in range(results)]
    if function(*arguments, *holders) != 0:
        return None
    return holders[0].value if results == 1 else [holder.value for holder in holders]


class WhatAmuseCalls(unittest.TestCase):
    def setUp(self):
        self.p = holmberg.Particles.make("plummer", 60, seed=1)
        self.code = HolmbergImplementation()
        for done in (self.code.initialize_code(), self.code.set_scheme("host"), self.code.set_eps2(EPS ** 2),
                     self.code.set_begin_time(0.5), self.code.commit_parameters()):
            self.assertEqual(done, 0)
        index = SimpleNamespace()
        self.code.new_particle(index, self.p.m, *self.p.x.T, *self.p.v.T, np.full(60, 0.01))
        self.index = index.value
        self.assertEqual(self.code.commit_particles(), 0)

    def test_a_run_is_that_of_the_package(self):
        self.p.time = 0.5
        sim = holmberg.Simulation(self.p, scheme="host", eps=EPS)
        energy = asked(self.code.get_kinetic_energy) + asked(self.code.get_potential_energy)
        self.assertAlmostEqual(energy, sim.diagnostics().e_total, places=14)
        sim.evolve(0.8)
        self.assertEqual(self.code.evolve_model(0.8), 0)
        m, *xv, radius = asked(self.code.get_state, self.index, results=8)
        p = sim.state()
        self.assertEqual((m.tobytes(), np.column_stack(xv).tobytes()), (p.m.tobytes(), np.hstack([p.x, p.v]).tobytes()))
        self.assertEqual((set(radius), asked(self.code.get_time)), ({0.01}, 0.8))
        self.assertEqual(asked(self.code.get_time_step), sim.next_time - 0.8)
        with self.assertRaisesRegex(holmberg.UsageError, "time 0.7 has passed, the model is at 0.8"):
            self.code.evolve_model(0.7)
        self.assertAlmostEqual(asked(self.code.get_kinetic_energy) + asked(self.code.get_potential_energy), energy, 6)

    def test_particles_come_and_go(self):
        self.code.evolve_model(0.75)
        self.assertEqual(self.code.delete_particle(self.index[[3, 0]]), 0)
        for call in (lambda: self.code.delete_particle(3), lambda: asked(self.code.get_mass, [1, 3])):
            with self.assertRaisesRegex(holmberg.UsageError, "no particle has the index 3 .there are 58."):
                call()
        index = SimpleNamespace()
        self.code.new_particle(index, [0.5, 0.25], [5, 6], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0])
        self.assertEqual(index.value.tolist(), [60, 61])
        self.assertEqual(self.code.set_position([61], [7], [8], [9]), 0)
        self.assertEqual(self.code.set_mass([61, 1], [0.125, 0]), 0)
        self.assertEqual([float(x[0]) for x in asked(self.code.get_position, [61], results=3)], [7, 8, 9])
        self.assertAlmostEqual(asked(self.code.get_total_mass), 57 / 60 + 0.5 + 0.125)
        seen, one = [], asked(self.code.get_index_of_first_particle)
        while one is not None:
            seen.append(one)
            one = asked(self.code.get_index_of_next_particle, one)
        self.assertEqual(len(seen), asked(self.code.get_number_of_particles))
        self.assertEqual((seen[:3], seen[-2:]), ([1, 2, 4], [60, 61]))
        self.assertEqual(self.code.recommit_particles(), 0)
        self.assertEqual((self.code.evolve_model(1.0), asked(self.code.get_time)), (0, 1))

    def test_a_star_that_loses_mass_begins_no_other_simulation(self):
        self.code.evolve_model(0.625)
        sim, mass = self.code.sim, asked(self.code.get_mass, self.index[[5]])[0]
        for k in range(8):
            self.assertEqual(self.code.evolve_model(0.625 + k / 8), 0)
            self.assertEqual(self.code.set_mass(self.index[[5]], [mass * 0.9 ** (k + 1)]), 0)
            self.assertEqual(self.code.set_radius(self.index[[5]], [0.5]), 0)
        with self.assertRaisesRegex(holmberg.InputError, "mass"):
            self.code.set_mass(self.index[[5]], [-1])
        self.assertAlmostEqual(asked(self.code.get_mass, self.index[[5]])[0], mass * 0.9 ** 8, places=16)
        self.assertIs(self.code.sim, sim)
        self.assertEqual(sim.counts().changes, 8)
        self.assertAlmostEqual(sim.state().m[5], mass * 0.9 ** 8, places=16)
        self.assertEqual(self.code.evolve_model(1.6), 0)  # between two block steps it begins anew
        self.code.set_velocity(self.index[[5]], [0], [0], [0])
        self.assertIsNot(self.code.sim, sim)
        self.assertEqual(self.code.evolve_model(1.7), 0)
        sim = self.code.sim
        self.code.set_mass(self.index[[5]], [0.001])  # masses and who is there change at the last block step
        made = SimpleNamespace()
        self.code.new_particle(made, [0.001], [3], [4], [5], [6], [7], [8], [0.1])
        self.code.delete_particle(self.index[[6]])
        self.assertIs(self.code.sim, sim)
        self.assertEqual((sim.counts().n, sim.counts().changes), (60, 3))
        i = list(sim.state(1.7).id).index(60)
        np.testing.assert_allclose(sim.state(1.7).x[i], [3, 4, 5], atol=1e-9)
        self.assertEqual((self.code.evolve_model(2), asked(self.code.get_time)), (0, 2))

    def test_nothing_has_no_gravity_and_no_size(self):
        self.assertEqual(self.code.delete_particle(self.index), 0)
        self.assertEqual(np.ravel(asked(self.code.get_gravity_at_point, [0, 0.5], [1, 2], [0, 0], [0, 0], results=3)).tolist(), [0] * 6)
        self.assertEqual(asked(self.code.get_potential_at_point, [0], [1], [0], [0]).tolist(), [0])
        self.assertEqual(asked(self.code.get_total_radius), 0)

    def test_it_begins_when_it_is_told(self):
        self.assertEqual((self.code.set_begin_time(5), asked(self.code.get_time)), (0, 5))  # there are particles
        self.code.evolve_model(5.25)
        self.assertEqual((self.code.set_begin_time(7), asked(self.code.get_time)), (0, 5.25))  # too late

    def test_fields(self):
        points = np.array([[0.5, 0, 0], [0, -1, 2], [0.1, 0.1, 0.1]])
        eps = np.array([0, 0.5, 0])
        r = self.p.x[None] - points[:, None]
        one_over = ((r ** 2).sum(axis=2) + np.where(eps > 0, eps, EPS)[:, None] ** 2) ** -0.5
        a = (self.p.m[:, None] * r * one_over[..., None] ** 3).sum(axis=1)
        np.testing.assert_allclose(np.transpose(asked(self.code.get_gravity_at_point, eps, *points.T, results=3)), a)
        phi = asked(self.code.get_potential_at_point, eps, *points.T)
        np.testing.assert_allclose(phi, -(self.p.m * one_over).sum(axis=1))
        phi = asked(self.code.get_potential, self.index)
        self.assertAlmostEqual(0.5 * self.p.m @ phi, asked(self.code.get_potential_energy))
        acceleration = np.transpose(asked(self.code.get_acceleration, self.index, results=3))
        np.testing.assert_allclose(self.p.m @ acceleration, 0, atol=1e-12)
        x = np.array(asked(self.code.get_center_of_mass_position, results=3))
        np.testing.assert_allclose(x, self.p.m @ self.p.x, atol=1e-15)
        self.assertAlmostEqual(asked(self.code.get_total_radius), np.linalg.norm(self.p.x - x, axis=1).max())
        # the field moves with the particles
        self.code.evolve_model(1.5)
        self.assertGreater(abs(asked(self.code.get_potential, self.index) - phi).max(), 0.01)

    def test_conditions_that_stop_it(self):
        steps, box, timeout, density = 4, 5, 3, 6
        self.assertEqual(asked(self.code.has_stopping_condition, steps), 1)
        self.assertEqual(asked(self.code.has_stopping_condition, density), 0)
        with self.assertRaisesRegex(holmberg.UsageError, "no stopping condition 6 .expected 0 to 5: collision, pair"):
            self.code.enable_stopping_condition(density)
        self.code.enable_stopping_condition(steps)
        self.code.set_stopping_condition_number_of_steps_parameter(7)
        self.code.evolve_model(5)
        self.assertEqual(self.code.sim.counts().block_steps, 7)
        self.assertEqual((asked(self.code.is_stopping_condition_set, steps), asked(self.code.get_time)),
                         (1, self.code.sim.time))
        self.code.disable_stopping_condition(steps)
        self.code.enable_stopping_condition(timeout)
        self.code.set_stopping_condition_timeout_parameter(0)
        self.code.evolve_model(5)
        self.assertEqual(self.code.sim.counts().block_steps, 8)
        self.code.disable_stopping_condition(timeout)
        self.code.set_velocity([9], [100], [0], [0])
        self.code.enable_stopping_condition(box)
        self.code.set_stopping_condition_out_of_box_parameter(50)
        self.code.evolve_model(5)
        self.assertEqual(asked(self.code.get_stopping_condition_info, 0, results=2), [box, 1])
        self.assertEqual(asked(self.code.get_stopping_condition_particle_index, 0, 0), 9)
        with self.assertRaisesRegex(holmberg.UsageError, "no condition 1 is met .of 1."):
            asked(self.code.get_stopping_condition_particle_index, 1, 0)
        self.assertLess(asked(self.code.get_time), 2)

    def begin(self, m, x, v, radius):
        self.code.delete_particle(self.code.index)
        index = SimpleNamespace()
        self.code.new_particle(index, m, *np.transpose(x), *np.transpose(v), radius)
        return index.value.tolist()

    def stopped_by(self, kind, t):
        """Who met this condition before t."""
        self.code.enable_stopping_condition(kind)
        self.code.evolve_model(t)
        met = asked(self.code.get_number_of_stopping_conditions_set)
        who = [[asked(self.code.get_stopping_condition_particle_index, k, i) for i in
                range(asked(self.code.get_stopping_condition_info, k, results=2)[1])] for k in range(met)]
        self.assertLess(asked(self.code.get_time), t)
        return who

    def test_stars_that_touch_pair_and_leave(self):
        self.code.set_eps2(0)
        a, b, _ = self.begin([0.5, 0.5, 0.1], [[-1, 0, 0], [1, 0, 0], [50, 0, 0]], [[0, 0, 0], [0, 0, 0], [0, 0, 0]], 0.1)
        self.assertEqual(sorted(self.stopped_by(0, 9)[0]), [a, b])
        x = np.transpose(asked(self.code.get_position, [a, b], results=3))
        self.assertLess(abs(x[0] - x[1]).max(), 0.3)
        made = SimpleNamespace()
        self.code.delete_particle([a, b])  # what a script makes of them
        self.code.new_particle(made, [1.0], [0], [0], [0], [0], [0], [0], [0.1])
        self.assertEqual(self.code.evolve_model(9), 0)
        self.assertEqual(asked(self.code.get_time), 9)
        self.code.disable_stopping_condition(0)
        p = holmberg.Particles.make("plummer", 60, seed=1)
        self.begin(p.m, p.x, p.v, 0)
        who = self.stopped_by(1, 20)[0]
        x = np.transpose(asked(self.code.get_position, who, results=3))
        print("an encounter: at a distance of", np.linalg.norm(x[0] - x[1]), "expected below 0.1")
        self.assertLess(np.linalg.norm(x[0] - x[1]), 0.1)
        self.code.disable_stopping_condition(1)
        index = self.begin(p.m, p.x + 30 * (np.arange(60) == 7)[:, None], p.v + 9 * (np.arange(60) == 7)[:, None], 0)
        self.assertEqual(self.stopped_by(2, 200), [[index[7]]])

    def test_what_passes_within_a_block_step_is_told_where_it_is(self):
        self.code.set_eps2(0)
        a, b, _ = self.begin([1e-6] * 3, [[-0.5, 0, 0], [0.5, 0, 0], [0, 9, 0]], [[2, 0, 0], [-2, 0, 0], [0, 0, 0]], 0.01)
        self.assertEqual(sorted(self.stopped_by(0, 2)[0]), [a, b])  # in 0.005, of steps of 0.125
        x = np.transpose(asked(self.code.get_position, [a, b], results=3))
        print("apart", np.linalg.norm(x[0] - x[1]), "expected 0.02; at", asked(self.code.get_time), "expected 0.245 later, 1e-6 less by their pulls")
        self.assertTrue(abs(np.linalg.norm(x[0] - x[1]) - 0.02) < 1e-8 and abs(asked(self.code.get_time) - 0.745) < 1e-6)
        self.code.disable_stopping_condition(0)
        self.code.set_stopping_condition_out_of_box_parameter(1)
        a, _ = self.begin([1e-6] * 2, [[0, 0, 0], [0, 0.5, 0]], [[10, 0, 0], [0, 0, 0]], 0)
        start = asked(self.code.get_time)
        self.assertEqual(self.stopped_by(5, 2), [[a]])
        x = asked(self.code.get_position, [a], results=3)[0][0]
        print("outside of 1 at", x, "expected 1 to 1.1; after", asked(self.code.get_time) - start, "expected 0.1 to 0.11")
        self.assertTrue(1 < x < 1.1)

    def test_masses_of_zero_are_test_particles(self):
        begun = self.begin([1, 0, 0], [[0, 0, 0], [1, 0, 0], [0, 2, 0]], [[0, 0, 0], [0, 1, 0], [-2 ** -0.5, 0, 0]], 0)
        self.code.set_eps2(0)
        self.code.evolve_model(0.5 + 2 * np.pi)
        x = np.transpose(asked(self.code.get_position, begun, results=3))
        np.testing.assert_allclose(x[:2], [[0, 0, 0], [1, 0, 0]], atol=1e-5)  # a circle of radius 1, once around
        self.assertAlmostEqual(np.linalg.norm(x[2]), 2, 5)

    def test_parameters(self):
        for name, value, wrong in (("eta", 0.02, -1), ("eps2", 0.5, -1), ("scheme", "bag", "none of ours")):
            with self.assertRaises(holmberg.UsageError):
                getattr(self.code, f"set_{name}")(wrong)
            self.assertEqual(getattr(self.code, f"set_{name}")(value), 0)
            self.assertEqual(asked(getattr(self.code, f"get_{name}")), value)
        self.code.set_dt_max(0.1)
        self.assertEqual(asked(self.code.get_dt_max), 0.0625)
        self.code.set_scheme("host")
        self.code.set_eps2(0)
        self.code.recommit_parameters()
        self.code.set_position(self.index, *np.zeros((3, 60)))
        with self.assertRaisesRegex(holmberg.NumericError, "same place"):
            self.code.evolve_model(1)
        self.code.cleanup_code()
        self.assertEqual(asked(self.code.get_number_of_particles), 0)
        self.assertEqual(self.code.evolve_model(1), 0)


if __name__ == "__main__":
    unittest.main()
