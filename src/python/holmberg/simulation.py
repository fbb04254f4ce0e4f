"""Simulations: particles integrated in time."""
from __future__ import annotations

import ctypes
import os
import warnings
from types import SimpleNamespace
from typing import Any, Callable, Optional, Union

import numpy as np

from . import _abi, _run
from ._library import (Array, Opened, UsageError, address, array, check_words, default_of, encoded, interruptible, lib, listing,
                       made, quantity, setting, uninterrupted, units_of, values_of, with_settings)
from ._settings import SIM
from ._show import Shown
from .archive import add_entry
from .events import STOPS, Event, bits, bound_of, event_of, events_of, stars_of
from .force import description, force_params
from .orbits import orbits_of, placed
from .particles import Particles
from .picture import Picture, Renderer

QUANTITIES = ["speed", "acc", "energy", "step", "age", "mass", "bound"]  # by the values of hb_quantity


def integrators() -> dict[str, SimpleNamespace]:
    """Integrators, by name: summary, source, has_dt."""
    return listing(lib.hb_integrators)


def lagrange_fractions() -> Array:
    """The fractions of the mass that the radii ``r_lagrange`` of `Simulation.structure` enclose."""
    numbers = (ctypes.c_double * _abi.HB_LAGRANGE_COUNT).from_address(lib.hb_lagrange_fractions())
    return np.array(numbers)


@with_settings(SIM)
class Simulation(Opened):
    """Particles, a source of forces and an integrator. N-body units, G = 1.

    Where the particles have units, every time and length may be a word with one: ``evolve("5Myr")``, ``eps="0.1pc"``.

    An interrupt from the keyboard takes effect within a second, also in a block step that takes long, which is then not
    done: the simulation is at the time of the last one, its particles are valid, and it can be continued. An object with forces on OpenGL stays with the thread that
    made it.

    Parameters
    ----------
    particles : Particles, optional
        Where it starts; they are copied. None: with those that `add` is given before anything else is asked of it.
    integrator : str, optional
        One of `integrators`; None: the first.
    {settings}
    **force
        scheme, precision, eps, context, device, ...: the parameters of `Force`. Without eps, the softening is that of the
        particles' note 'eps', as in ``holmberg run``; of a file without one 1/256, with a warning; else 0.

    Examples
    --------
    >>> sim = Simulation(Particles.make("plummer", 64, seed=1), eps=1/64, scheme="host")
    >>> sim.evolve(1.0)
    >>> round(sim.diagnostics().e_total, 3)
    -0.25
    """

    __slots__ = ("_reached", "_events", "_units", "_first", "_given", "_rows", "_shown")
    _instead = "save() and resume() make another, state() has its particles"

    def __init__(self, particles: Optional[Particles] = None, *, integrator: Optional[str] = None, **force: Any):
        own = {name: force.pop(name, default_of(row)) for name, row in SIM.items()}
        check_words(force, Simulation.__init__, force_params)
        self._first: Optional[Particles] = None
        self._rows: list[_run.Row] = []
        self._shown: Optional[Shown] = None
        self._events: list[Event] = []
        self._units: Optional[dict[str, float]] = None
        self._reached = 0.0
        self._given = integrator, own, force
        if particles is not None:
            self._create(particles, *self._given)

    def __getattr__(self, name: str) -> Any:
        """The library's simulation, which begins when it is first needed."""
        if name != "_handle":
            raise AttributeError(f"Simulation has no attribute '{name}'")
        if self._first is None:
            raise UsageError("this simulation has no particles (expected Simulation(particles), or add(m=1) first)")
        self._create(self._first, *self._given)
        self._first = None
        return self._handle

    def _has_begun(self) -> bool:
        try:
            return object.__getattribute__(self, "_handle") is not None
        except AttributeError:
            return False

    def _create(self, particles: Particles, integrator: Optional[str], own: dict[str, Any], force: dict[str, Any]) -> None:
        units = particles.units
        settings = {name: setting(SIM[name], value, name, units) for name, value in own.items()}
        if force.get("eps") is None and not np.isnan(noted := particles._eps()):
            force["eps"] = noted
        elif force.get("eps") is not None:
            force["eps"] = quantity(force["eps"], "eps", _abi.HB_DIMENSION_LENGTH, units)
        params = _abi.hb_sim_params(force=force_params(**force), integrator=encoded(integrator), **settings)
        with particles._handle.used() as initial:
            self._adopt(made(lib.hb_sim_create, initial, params, destroy=lib.hb_sim_destroy,
                             keep=force.get("interaction")), units)
        if (settings["collisions"] or own["stop_at"] == "collision") and not particles.radius.any():
            warnings.warn("no particle has a radius, so none can collide: particles.radius sets them", stacklevel=4)
        told = [kind for kind, how in (("collision", "collisions"), ("escape", "escapers"), ("approach", "approach_distance"),
                                       ("approach", "approach_radii")) if settings[how]]
        if told:
            self.watch(*told)

    def close(self) -> None:
        """Gives the device's memory back; it also goes with the last reference to this object."""
        if self._shown is not None:
            self._shown.close()
        if self._has_begun():
            super().close()

    def __repr__(self) -> str:
        if self._has_begun():
            return super().__repr__()
        return f"<holmberg.Simulation, not begun, of {0 if self._first is None else len(self._first)} particles>"

    def _adopt(self, handle: Any, units: Optional[dict[str, float]]) -> None:
        self._handle, self._events, self._units, self._rows, self._shown = handle, [], units, [], None
        self._reached = lib.hb_sim_time(handle.address)

    @classmethod
    def resume(cls, path: Union[str, os.PathLike[str]], *, context: Optional[str] = None, device: Optional[str] = None,
               max_draw_s: float = 0) -> Simulation:
        """A simulation that was saved, which continues to the same bytes; context and device may move it elsewhere.

        It stops at what it stopped at, and watches what it watched.
        """
        file = made(lib.hb_checkpoint_open, encoded(path), destroy=lib.hb_checkpoint_close)
        place = force_params(context=context, device=device, max_draw_s=max_draw_s)
        sim = cls.__new__(cls)
        sim._adopt(made(lib.hb_sim_resume, file.address, place, destroy=lib.hb_sim_destroy),
                   units_of(lib.hb_checkpoint_units, file.address))
        return sim

    @staticmethod
    def saved(path: Union[str, os.PathLike[str]]) -> SimpleNamespace:
        """What a file of `save`, or of ``holmberg run --checkpoint``, is of: version, scheme, precision, tuning, context, device,
        and own, what a program has put there (of the command line the record of its run)."""
        file = made(lib.hb_checkpoint_open, encoded(path), destroy=lib.hb_checkpoint_close)
        info, size = _abi.hb_checkpoint_info(), ctypes.c_size_t()
        lib.hb_checkpoint_info(file.address, ctypes.byref(info))
        own = lib.hb_checkpoint_own(file.address, ctypes.byref(size))
        told = values_of(info)
        told.own = ctypes.string_at(own, size.value) if size.value else b""
        return told

    def save(self, path: Union[str, os.PathLike[str]], *, keep: bool = False) -> None:
        """Writes all that `resume` needs to one file; keep: the previous one is renamed to path~."""
        self._handle.call(lib.hb_sim_save, encoded(path), None, 0, _abi.HB_SAVE_KEEP if keep else 0)

    @property
    def time(self) -> float:
        """The time of the last block step, or the later one that `evolve` reached."""
        return max(self._reached, float(self._handle.call(lib.hb_sim_time)))

    def _time_of(self, t: Union[float, str, None]) -> float:
        return self.time if t is None else quantity(t, "t", _abi.HB_DIMENSION_TIME, self._units)

    @property
    def next_time(self) -> float:
        """The time that the next block step will reach."""
        return float(self._handle.call(lib.hb_sim_next_time))

    def _step(self, handle: ctypes.c_void_p) -> None:
        uninterrupted(lib.hb_sim_step, handle)
        self._events += events_of(handle)
        if self._shown is not None:
            self._shown.publish(handle, self._error())
        event = lib.hb_sim_stopped(handle)
        if event:
            told = event_of(event.contents)
            raise STOPS[told.kind](told, self.state())

    def step(self) -> float:
        """Does one block step; returns its time. Raises what `evolve` does, after the step."""
        with self._handle.used() as handle, interruptible():
            self._events = []
            self._step(handle)
            return self.time

    def evolve(self, t: Union[float, str]) -> None:
        """Does all block steps that reach t or a time before it. After a KeyboardInterrupt it can be continued.

        Raises
        ------
        Collision, Encounter, Escape
            What the simulation was asked to stop at, by collisions and stop_at, with ``event`` and ``particles``. It is at
            the contact, or at the end of the block step of another event, and the next call goes on from there.
        """
        self._evolve(self._time_of(t), lambda _: None)

    def _evolve(self, t: float, tell: Callable[[float], None]) -> None:
        with self._handle.used() as handle, interruptible():
            if t < self.time:
                raise UsageError(f"time {t:g} has passed, the simulation is at {self.time:g}")
            self._events = []
            try:
                while lib.hb_sim_next_time(handle) <= t:
                    self._step(handle)
                    tell(lib.hb_sim_time(handle))
            finally:
                self._publish(handle)
            self._reached = t

    def run(self, until: Union[float, str], every: Union[float, str, None] = None,
            on: Optional[Callable[[Simulation], Any]] = None, *, archive: Union[str, os.PathLike[str], None] = None,
            progress: Optional[bool] = None) -> None:
        """Evolves to a time, with a bar on stderr in a terminal and in Jupyter (progress: True, False).

        At its start, at every such interval and at its end it calls on(sim), adds to an `Archive`, and notes what `plot`
        draws. Raises what `evolve` does.

        >>> sim = Simulation(Particles.make("plummer", 16, seed=1), eps=0.1, scheme="host")
        >>> sim.run(0.5, every=0.25, on=lambda sim: print(sim.time))
        0.0
        0.25
        0.5
        """
        start, end = self.time, self._time_of(until)
        interval = end - start if every is None else _run.need_positive(quantity(every, "every", _abi.HB_DIMENSION_TIME,
                                                                                 self._units))
        with _run.Progress(start, end, progress) as bar:
            k, due = 0, start
            while True:
                self._evolve(due, bar.tell)
                self._note()
                if archive is not None:
                    add_entry(archive, self)
                if on is not None:
                    on(self)
                if due >= end:
                    break
                k, due = k + 1, min(end, start + (k + 1) * interval)
            bar.tell(end, last=True)
        with self._handle.used() as handle:
            self._publish(handle)

    def _note(self) -> None:
        """A row of what `plot` draws; errors are those against the first one."""
        now = self.diagnostics()
        kept = now.e_total + now.e_lost - now.e_changed
        first = self._rows[0].kept if self._rows else kept
        self._rows.append(_run.Row(now.t, kept, (kept - first) / now.e_scale, self.structure().r_lagrange))

    def _error(self) -> float:
        """Of the energy, as of the last interval of a `run`: looking at it costs a sum over all pairs. NaN: nobody has looked."""
        return self._rows[-1].error if self._rows else float("nan")

    def show(self, height: int = 480) -> Shown:
        """The simulation as it runs, in a page of this machine: in Jupyter a frame, elsewhere an address for a browser.

        It follows `evolve`, `run` and `step` ten times a second at most, and needs the page of ``make web``. ``close()`` ends it.
        From elsewhere: ssh -L PORT:127.0.0.1:PORT.
        """
        if self._shown is None:
            self._shown = Shown(height)
        with self._handle.used() as handle:
            self._publish(handle)
        return self._shown

    def _publish(self, handle: ctypes.c_void_p) -> None:
        if self._shown is not None:
            self._shown.publish(handle, self._error(), at_once=True)

    def plot(self) -> Any:
        """Positions; after a `run` with intervals, Lagrangian radii and the error of the energy, too: a figure of matplotlib."""
        return _run.plot(self, self._rows)

    def change(self, id: Any = (), *, m: Any = None, x: Any = None, v: Any = None, radius: Any = None,
               remove: Any = (), add: Optional[Particles] = None) -> None:
        """Changes particles by identity, at the time of the last block step: all of this, or with an error nothing.

        id: those that get other masses m, positions x, velocities v or radii; None: that stays. remove: identities of those
        that vanish. add: particles whose identities are new. `diagnostics` has the energy that this brings, e_changed.

        >>> sim = Simulation(Particles.make("plummer", 16, seed=1), eps=0.1, scheme="host")
        >>> sim.change([3, 5], m=[0.001, 0.002])
        >>> float(sim.state().m[5])
        0.002
        """
        who, gone = array(id, "id", (None,), np.uint64), array(remove, "remove", (None,), np.uint64)
        n = len(who)
        columns = {name: None if given is None else array(given, name, shape) for name, given, shape in
                   (("m", m, (n,)), ("x", x, (n, 3)), ("v", v, (n, 3)), ("radius", radius, (n,)))}
        change = _abi.hb_change(n=n, id=address(who), n_removed=len(gone), removed=address(gone),
                                added=None if add is None else add._handle.address,
                                **{name: address(column) for name, column in columns.items()})
        self._handle.call(lib.hb_sim_change, ctypes.byref(change))

    def add(self, m: float = 0, *, x: Any = None, v: Any = None, a: Optional[float] = None, e: Optional[float] = None,
            inc: Optional[float] = None, Omega: Optional[float] = None, omega: Optional[float] = None,
            f: Optional[float] = None, M: Optional[float] = None, primary: Optional[int] = None, radius: float = 0,
            id: Optional[int] = None) -> int:
        """Adds a particle, at x with v or by its orbit, and returns its identity. It starts at the time of the last block step.

        a, e, inc, Omega, omega, f (or M, the mean anomaly) are those of its orbit, angles in radians, about the particle with
        the identity primary; None: about the center of mass of all that are there. id: 0, 1, 2 ... if not given.

        >>> sim = Simulation(scheme="host")
        >>> star, planet = sim.add(m=1), sim.add(m=1e-3, a=1, e=0.1)
        >>> sim.evolve(10)
        >>> round(float(sim.orbits()["a"][0]), 6)
        1.0
        """
        begun = self._has_begun()
        there = self.state(self._handle.call(lib.hb_sim_time)) if begun else self._first
        new = Particles.from_arrays([m], [[0, 0, 0]], radius=radius or None)
        own = int(there.id.max()) + 1 if there is not None and id is None else id or 0
        orbit = dict(a=a, e=e, inc=inc, Omega=Omega, omega=omega, f=f, M=M)
        x, v = placed(there if there is not None else Particles(1), m, primary, x, v, orbit)
        new.x, new.v, new.id = np.reshape(x, (1, 3)), np.reshape(v, (1, 3)), np.array([own], np.uint64)
        if begun:
            self.change(add=new)
        elif there is None:
            self._first = new
        else:
            if own in there.id:
                raise UsageError(f"a particle has the identity {own} already")
            columns = ("m", "x", "v", "id", "radius")
            self._first = Particles.from_arrays(**{name: np.concatenate([getattr(there, name), getattr(new, name)])
                                                   for name in columns})
        return own

    def orbits(self, primary: Optional[int] = None) -> Array:
        """The orbits now, a structured array: id, d (distance), a, e, inc, Omega, omega, f, M and P (period).

        About the particle with the identity primary; None: each about the center of mass of those before it.
        """
        return orbits_of(self.state(), primary)

    def watch(self, *kinds: str) -> None:
        """Looks for such events from now on, besides those that it looks for already; none named: for all.

        'initial', 'formed', 'hardened', 'exchanged' and 'broken' are those of binaries, 'initial' tells those that there
        are now; 'encounter'; 'collision', 'escape' and 'approach', which the parameters collisions, escapers, approach_distance and
        approach_radii ask for, too.
        """
        with self._handle.used() as handle:
            lib.hb_sim_watch(handle, bits(kinds) or (1 << _abi.HB_EVENT_KINDS) - 1)
            self._events = events_of(handle)

    @property
    def events(self) -> list[Event]:
        """What happened in the last call of `evolve`, `step` or `watch`, of what is watched."""
        return list(self._events)

    def state(self, t: Union[float, str, None] = None) -> Particles:
        """The particles at a time from that of the last block step to `next_time`; None: now.

        They are predicted from their own times, exact for those whose own time is t, so for all at multiples of dt_max.
        """
        with self._handle.used() as handle:
            return Particles._of(lib.hb_sim_state, handle, self._time_of(t))

    def _ask(self, function: Any, answer: ctypes.Structure, *arguments: Any) -> SimpleNamespace:
        self._handle.call(function, *arguments, ctypes.byref(answer))
        return values_of(answer)

    def diagnostics(self, t: Union[float, str, None] = None) -> SimpleNamespace:
        """Energies in the frame of the center of mass.

        t, e_total, e_kin, e_pot, e_bulk (of the center of mass), e_gpu (total, by the potentials of the source of
        forces), virial_ratio (with binaries as points: 0.5 in equilibrium), r_half, and exact_energy: 1 if e_total and
        e_pot are summed in double. e_total by part: e_cluster (with binaries as points), binaries (count, energy, a_hardest,
        hard_above) and e_orbit (of the center of mass in a field). Errors are relative to e_scale, of the start: |E| of the
        cluster, or its kinetic energy if larger.
        """
        return self._ask(lib.hb_sim_diagnose, _abi.hb_diagnostics(), self._time_of(t))

    def bound(self, t: Union[float, str, None] = None) -> Array:
        """Binaries and multiple stars, inner pairs before those that they are part of: a structured array.

        id (of both parts; of a pair that of its heaviest star), part (which row a part is; -1: a star), stars, outer (the row
        that it is part of; -1: none), m, a, e, E, period, inclination, node, pericenter, anomaly, and x, v of the center of
        mass.
        """
        with self._handle.used() as handle:
            return bound_of(handle, self._time_of(t))

    def stars(self) -> Array:
        """What became of the stars that age (parameters stars, evolution), also of those that have left: a structured array.

        id, type ('dwarf', 'giant', 'white dwarf', 'neutron star', 'black hole'; 'unknown' by a table), m_birth and m in solar
        masses, radius in solar radii, t_birth in Myr, kick (that it got) in km/s.

        >>> p = Particles.make("plummer", 16, seed=1, mass_unit=16 * 20, length_unit=1)
        >>> sim = Simulation(p, stars="zams", kick=0, scheme="host", eps=0.1)
        >>> sim.evolve("10Myr")
        >>> set(sim.stars()["type"].tolist()), int(sim.stars()["m"].sum())
        ({'neutron star'}, 25)
        """
        with self._handle.used() as handle:
            return stars_of(handle)

    def structure(self, t: Union[float, str, None] = None) -> SimpleNamespace:
        """The shape of the system.

        t, momentum, angular_momentum, x_mass and v_mass (center of mass), x_density (density center), r_core,
        r_lagrange (at `lagrange_fractions`), binaries (count, energy, a_hardest, hard_above).
        """
        return self._ask(lib.hb_sim_structure, _abi.hb_structure(), self._time_of(t))

    def counts(self) -> SimpleNamespace:
        """The work so far.

        n, block_steps, particle_steps, pairs, sources, noisy_steps, at_dt_min, dt_least (the shortest step so far), merged,
        escaped, e_lost, cut: steps that dt_min cut off, and massless: the largest error of a test particle's own energy
        (error, t, particle). With neighbors near: full_blocks (block steps in which far forces were due), far_steps,
        near_pairs, full_pairs, listed (far_steps times the mean length of a list), longest, changes, and by_reach and
        by_noise, what limited far steps; else these are 0.
        """
        return self._ask(lib.hb_sim_counts, _abi.hb_sim_counts())

    def phases(self) -> SimpleNamespace:
        """Seconds of wall time of all steps so far: predict_s, send_s, force_s, receive_s, correct_s, groups_s.

        With neighbors force_s is of far forces, and there are near_s and lists_s.
        """
        return self._ask(lib.hb_sim_phases, _abi.hb_phases())

    def settings(self) -> SimpleNamespace:
        """What it runs with, as the library took it: what was 'auto' or left out is filled in, choices are numbers."""
        taken = values_of(self._handle.call(lib.hb_sim_taken).contents)
        return SimpleNamespace(integrator=taken.integrator, **{name: getattr(taken, name) for name in SIM})

    def block_sizes(self) -> Array:
        """Its entry k: block steps so far with 2^k ... 2^(k + 1) - 1 particles."""
        return self._sizes(lib.hb_sim_block_sizes)

    def full_block_sizes(self) -> Array:
        """The same of block steps in which far forces were due, by the particles whose were."""
        return self._sizes(lib.hb_sim_full_block_sizes)

    def _sizes(self, function: Any) -> Array:
        sizes = np.zeros(_abi.HB_BLOCK_SIZES, np.uint64)
        self._handle.call(function, address(sizes))
        return sizes

    def step_trouble(self) -> Optional[SimpleNamespace]:
        """Whether the steps have collapsed under rounding errors since this was last asked.

        None if not, else noisy (the fraction of steps set by rounding), n_steps and n_steps_usual (block steps in a
        unit of time) and at_dt_min.
        """
        trouble = _abi.hb_step_trouble()
        return values_of(trouble) if self._handle.call(lib.hb_sim_step_trouble, ctypes.byref(trouble)) else None

    def quantity(self, name: str) -> Array:
        """Of all particles as of the last block step: 'speed', 'acc', 'energy', 'step' or 'age' (of the step)."""
        if name not in QUANTITIES:
            raise UsageError(f"unknown quantity '{name}' (expected {', '.join(QUANTITIES)})")
        value = np.empty(self.counts().n)
        self._handle.call(lib.hb_sim_quantity, QUANTITIES.index(name), address(value))
        return value

    def render(self, color: str = "speed", **look: Any) -> Picture:
        """A picture of the particles now.

        Parameters
        ----------
        color : str
            What to color by: a name of `quantity`; 'acc' and 'step' by their logarithms.
        **look
            The parameters of `Renderer`, which is better for many pictures. It draws in a context of the same kind.
        """
        value = None if color == "speed" else self.quantity(color)
        if value is not None and color in ("acc", "step"):
            value = np.log10(np.maximum(value, 1e-300))
        force = self._handle.call(lib.hb_sim_force)
        if lib.hb_force_context(force) != b"none":
            look.setdefault("context", lib.hb_force_context(force).decode())
        return Renderer(**look).draw(self.state(), value)

    def _told(self) -> str:
        force = self._handle.call(lib.hb_sim_force)
        return f" of {self.counts().n} particles at t = {self.time:g}: {description(force)}"
