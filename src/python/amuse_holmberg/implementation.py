"""The gravitational dynamics that AMUSE calls, on the package holmberg. It does not need AMUSE; interface.py does.

Names are AMUSE's. Results are put into .value; what is returned is 0. Calls for particles and points take arrays. What cannot
be done is raised, with a sentence that AMUSE's script gets.
"""
from __future__ import annotations

from contextlib import contextmanager
from typing import Any, Iterable, Iterator, Optional

import numpy as np

import holmberg
from holmberg._library import lib

if __package__:
    from .stopping import COLLISION, StoppingConditions
else:  # AMUSE's worker, in this folder
    from stopping import COLLISION, StoppingConditions


COLUMNS = ("index", "m", "radius", "x", "v")
ROUNDING = 1e-14  # of times whose units were converted


class HolmbergImplementation(StoppingConditions):
    """Particles by index, kept in numpy arrays; a simulation of them is begun when it is needed."""

    def __init__(self) -> None:
        super().__init__()
        self.looked_for: tuple[dict[str, str], list[str]] = {}, []
        self.eps2, self.eta, self.dt_max, self.begin_time = 0.0, 0.01, 0.125, 0.0
        self.scheme, self.precision, self.context, self.device = "auto", "", "", ""
        self.next_index = 0
        self._empty()

    def _empty(self) -> None:
        self.time, self.has_evolved = self.begin_time, False
        self.index = np.zeros(0, np.int32)  # ascending
        self.m, self.radius = np.zeros(0), np.zeros(0)
        self.x, self.v = np.zeros((0, 3)), np.zeros((0, 3))
        self.fields: dict[float, holmberg.Force] = {}
        self._changed()

    def _changed(self) -> None:
        self.sim: Optional[holmberg.Simulation] = None
        self.sent: set[float] = set()  # fields that have the particles as they are

    def _place(self) -> dict[str, Any]:
        return dict(scheme=self.scheme or None, precision=self.precision or None, context=self.context or None,
                    device=self.device or None)

    def _simulation(self) -> holmberg.Simulation:
        if self.sim is None:
            self.sim = self.begun(self._particles(slice(None), self.time), self.dt_max)
        return self.sim

    def begun(self, p: holmberg.Particles, dt_max: float) -> holmberg.Simulation:
        self.looked_for = self.looks_for()
        made, watched = self.looked_for
        sim = holmberg.Simulation(p, eps=self.eps2 ** 0.5, eta=self.eta, dt_max=dt_max, **made, **self._place())
        if watched:
            sim.watch(*watched)
        return sim

    def _particles(self, rows: slice, t: float) -> holmberg.Particles:
        x = self.x[rows] - (self.time - t) * self.v[rows]
        return holmberg.Particles.from_arrays(self.m[rows], x, self.v[rows], id=self.index[rows],
                                              radius=self.radius[rows], time=t)

    def _field(self, eps: float) -> holmberg.Force:
        """The forces of the particles as they are, with this softening."""
        if eps not in self.fields:
            self.fields[eps] = holmberg.Force(eps=eps, **self._place())
        if eps not in self.sent:
            self.fields[eps].set_sources(self.m, self.x, self.v)
            self.sent.add(eps)
        return self.fields[eps]

    def _rows(self, index: Any) -> np.ndarray:
        """Where the particles are."""
        index = np.atleast_1d(index)
        absent = ~np.isin(index, self.index)
        if absent.any():
            raise holmberg.UsageError(f"no particle has the index {index[absent][0]} (there are {len(self.index)})")
        return np.searchsorted(self.index, index)

    # ---- life ----

    def initialize_code(self) -> int:
        return 0

    def cleanup_code(self) -> int:
        self._empty()
        return 0

    def commit_parameters(self) -> int:
        self.time = self.begin_time
        return 0

    def recommit_parameters(self) -> int:
        self.fields = {}
        self._changed()
        return 0

    def commit_particles(self) -> int:  # a simulation is begun when it is needed
        return 0

    recommit_particles = commit_particles

    def synchronize_model(self) -> int:
        return 0

    def evolve_model(self, time: float) -> int:
        tick = self.dt_max / 2 ** 20  # at which there may be a block step
        near = round(time / tick) * tick
        time = near if abs(time - near) <= ROUNDING * abs(time) else time
        if time < self.time - ROUNDING * abs(self.time):
            raise holmberg.UsageError(f"time {time:.9g} has passed, the model is at {self.time:.9g}")
        time = max(time, self.time)
        self.has_evolved = True
        if len(self.index) == 0:
            self.time = time
            return 0
        if self.sim is not None and self.looked_for != self.looks_for():
            self._changed()
        sim = self.evolve(self._simulation(), time, self.index)
        p = sim.state()
        self.time, self.x, self.v = sim.time, p.x, p.v
        self.sent = set()
        if sim is not self.sim:  # in steps that were shorter: the next ones are not
            self._changed()
        return 0

    # ---- particles ----

    def new_particle(self, index_of_the_particle: Any, mass: Any, x: Any, y: Any, z: Any, vx: Any, vy: Any, vz: Any,
                     radius: Any) -> int:
        mass = np.atleast_1d(mass)
        made = np.arange(self.next_index, self.next_index + len(mass), dtype=np.int32)
        new = dict(index=made, m=mass, radius=np.broadcast_to(radius, mass.shape), x=np.column_stack([x, y, z]),
                   v=np.column_stack([vx, vy, vz]))
        with self._undone():
            for name, values in new.items():
                setattr(self, name, np.concatenate([getattr(self, name), values]))
            if self._goes_on():
                self.sim.change(add=self._particles(slice(-len(made), None), self._block_time()))
        self.next_index += len(made)
        index_of_the_particle.value = made
        return 0

    def delete_particle(self, index_of_the_particle: Any) -> int:
        rows = self._rows(index_of_the_particle)
        gone = self.index[rows]
        with self._undone():
            for name in COLUMNS:
                setattr(self, name, np.delete(getattr(self, name), rows, axis=0))
            if len(self.index) == 0:
                self._changed()
            elif self._goes_on():
                self.sim.change(remove=gone)
        return 0

    def _get(self, index: Any, *columns: tuple[np.ndarray, Any]) -> int:
        rows = self._rows(index)
        for values, result in columns:
            result.value = values[rows]
        return 0

    def _set(self, index: Any, **columns: Any) -> int:
        rows = self._rows(index)
        with self._undone():
            for name, values in columns.items():
                changed = np.array(getattr(self, name))  # those of a simulation's state are left alone
                changed[rows] = values
                setattr(self, name, changed)
            told = [name for name in columns if name != "radius" or COLLISION in self.enabled]  # radii move nothing
            if told and self._goes_on(told):
                self.sim.change(self.index[rows], **{name: getattr(self, name)[rows] for name in told})
        return 0

    def _block_time(self) -> float:
        return float(lib.hb_sim_time(self.sim._handle.address)) if self.sim is not None else self.time

    def _goes_on(self, columns: Iterable[str] = ()) -> bool:
        """Whether the simulation takes a change: then what is not touched keeps its steps, else it begins anew.

        It is made at the last block step, before the model's time by less than the shortest step: masses, and who is there,
        may change there; places and velocities have to be of that time.
        """
        self.sent = set()
        if {"x", "v"} & set(columns) and self._block_time() != self.time:
            self._changed()
        return self.sim is not None

    @contextmanager
    def _undone(self) -> Iterator[None]:
        """If it fails, the particles are what they were."""
        before = {name: getattr(self, name) for name in COLUMNS}
        try:
            yield
        except holmberg.HolmbergError:
            vars(self).update(before)
            raise

    def get_state(self, index_of_the_particle: Any, mass: Any, x: Any, y: Any, z: Any, vx: Any, vy: Any, vz: Any,
                  radius: Any) -> int:
        return self._get(index_of_the_particle, (self.m, mass), (self.radius, radius), *zip(self.x.T, (x, y, z)),
                         *zip(self.v.T, (vx, vy, vz)))

    def set_state(self, index_of_the_particle: Any, mass: Any, x: Any, y: Any, z: Any, vx: Any, vy: Any, vz: Any,
                  radius: Any) -> int:
        return self._set(index_of_the_particle, m=mass, radius=radius, x=np.column_stack([x, y, z]),
                         v=np.column_stack([vx, vy, vz]))

    def get_mass(self, index_of_the_particle: Any, mass: Any) -> int:
        return self._get(index_of_the_particle, (self.m, mass))

    def set_mass(self, index_of_the_particle: Any, mass: Any) -> int:
        return self._set(index_of_the_particle, m=mass)

    def get_radius(self, index_of_the_particle: Any, radius: Any) -> int:
        return self._get(index_of_the_particle, (self.radius, radius))

    def set_radius(self, index_of_the_particle: Any, radius: Any) -> int:
        return self._set(index_of_the_particle, radius=radius)

    def get_position(self, index_of_the_particle: Any, x: Any, y: Any, z: Any) -> int:
        return self._get(index_of_the_particle, *zip(self.x.T, (x, y, z)))

    def set_position(self, index_of_the_particle: Any, x: Any, y: Any, z: Any) -> int:
        return self._set(index_of_the_particle, x=np.column_stack([x, y, z]))

    def get_velocity(self, index_of_the_particle: Any, vx: Any, vy: Any, vz: Any) -> int:
        return self._get(index_of_the_particle, *zip(self.v.T, (vx, vy, vz)))

    def set_velocity(self, index_of_the_particle: Any, vx: Any, vy: Any, vz: Any) -> int:
        return self._set(index_of_the_particle, v=np.column_stack([vx, vy, vz]))

    def get_acceleration(self, index_of_the_particle: Any, ax: Any, ay: Any, az: Any) -> int:
        rows = self._rows(index_of_the_particle)
        ax.value, ay.value, az.value = self._field(self.eps2 ** 0.5).eval(rows)[0].T
        return 0

    def get_potential(self, index_of_the_particle: Any, potential: Any) -> int:
        rows = self._rows(index_of_the_particle)
        potential.value = self._field(self.eps2 ** 0.5).eval(rows)[2]
        return 0

    def get_number_of_particles(self, number_of_particles: Any) -> int:
        number_of_particles.value = len(self.index)
        return 0

    def get_index_of_first_particle(self, index_of_the_particle: Any) -> int:
        if len(self.index) == 0:
            index_of_the_particle.value = 0
            return 1
        index_of_the_particle.value = int(self.index[0])
        return 0

    def get_index_of_next_particle(self, index_of_the_particle: int, index_of_the_next_particle: Any) -> int:
        index_of_the_next_particle.value = 0
        row = self._rows(index_of_the_particle)
        if row[0] + 1 == len(self.index):
            return 1
        index_of_the_next_particle.value = int(self.index[row[0] + 1])
        return 0

    # ---- points ----

    def _at(self, eps: Any, x: Any, y: Any, z: Any) -> tuple[np.ndarray, np.ndarray]:
        """Acceleration and potential; where eps is 0, the softening of the particles themselves."""
        points = np.column_stack([x, y, z])
        eps = np.broadcast_to(eps, len(points))
        a, phi = np.zeros_like(points), np.zeros(len(points))
        for one in np.unique(eps) if len(self.index) else ():
            here = eps == one
            a[here], _, phi[here] = self._field(float(one) or self.eps2 ** 0.5).at(points[here])
        return a, phi

    def get_gravity_at_point(self, eps: Any, x: Any, y: Any, z: Any, ax: Any, ay: Any, az: Any,
                             npoints: int = 0) -> int:
        ax.value, ay.value, az.value = self._at(eps, x, y, z)[0].T
        return 0

    def get_potential_at_point(self, eps: Any, x: Any, y: Any, z: Any, phi: Any, npoints: int = 0) -> int:
        phi.value = self._at(eps, x, y, z)[1]
        return 0

    # ---- all particles together ----

    def get_time(self, time: Any) -> int:
        time.value = self.time
        return 0

    def get_time_step(self, time_step: Any) -> int:
        time_step.value = self._simulation().next_time - self.time if len(self.index) else self.dt_max
        return 0

    def get_kinetic_energy(self, kinetic_energy: Any) -> int:
        kinetic_energy.value = 0.5 * float(self.m @ (self.v ** 2).sum(axis=1))
        return 0

    def get_potential_energy(self, potential_energy: Any) -> int:
        potential_energy.value = self._simulation().diagnostics().e_pot if len(self.index) else 0.0
        return 0

    def get_total_mass(self, mass: Any) -> int:
        mass.value = float(self.m.sum())
        return 0

    def get_center_of_mass_position(self, x: Any, y: Any, z: Any) -> int:
        x.value, y.value, z.value = self.m @ self.x / self.m.sum()
        return 0

    def get_center_of_mass_velocity(self, vx: Any, vy: Any, vz: Any) -> int:
        vx.value, vy.value, vz.value = self.m @ self.v / self.m.sum()
        return 0

    def get_total_radius(self, radius: Any) -> int:
        center = self.m @ self.x / self.m.sum() if len(self.index) else 0.0
        radius.value = float(np.linalg.norm(self.x - center, axis=1).max(initial=0))
        return 0

    # ---- parameters ----

    def get_eps2(self, epsilon_squared: Any) -> int:
        epsilon_squared.value = self.eps2
        return 0

    def set_eps2(self, epsilon_squared: float) -> int:
        if not epsilon_squared >= 0:
            raise holmberg.UsageError(f"epsilon_squared {epsilon_squared} (expected 0 or more)")
        self.eps2 = float(epsilon_squared)
        return 0

    def get_begin_time(self, time: Any) -> int:
        time.value = self.begin_time
        return 0

    def set_begin_time(self, time: float) -> int:
        self.begin_time = float(time)
        if not self.has_evolved:  # there may be particles already
            self.time = self.begin_time
            self._changed()
        return 0

    def get_eta(self, eta: Any) -> int:
        eta.value = self.eta
        return 0

    def set_eta(self, eta: float) -> int:
        if not eta > 0:
            raise holmberg.UsageError(f"timestep_parameter {eta} (expected a number above 0)")
        self.eta = float(eta)
        return 0

    def get_dt_max(self, dt_max: Any) -> int:
        dt_max.value = self.dt_max
        return 0

    def set_dt_max(self, dt_max: float) -> int:
        """The largest power of two that is not above it."""
        if not 0 < dt_max < np.inf:
            raise holmberg.UsageError(f"max_timestep {dt_max} (expected a number above 0)")
        self.dt_max = float(2.0 ** np.floor(np.log2(dt_max)))
        return 0

    def get_scheme(self, scheme: Any) -> int:
        scheme.value = self.scheme
        return 0

    def set_scheme(self, scheme: str) -> int:
        if scheme != "auto" and scheme not in holmberg.schemes():
            raise holmberg.UsageError(f"unknown scheme '{scheme}' (expected auto, {', '.join(holmberg.schemes())})")
        self.scheme = scheme
        return 0

    def get_precision(self, precision: Any) -> int:
        precision.value = self.precision
        return 0

    def set_precision(self, precision: str) -> int:
        self.precision = precision
        return 0

    def get_context(self, context: Any) -> int:
        context.value = self.context
        return 0

    def set_context(self, context: str) -> int:
        self.context = context
        return 0

    def get_device(self, device: Any) -> int:
        device.value = self.device
        return 0

    def set_device(self, device: str) -> int:
        self.device = device
        return 0
