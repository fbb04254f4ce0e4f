"""Particles, initial conditions and snapshots."""
from __future__ import annotations

import ctypes
import os
import warnings
from types import SimpleNamespace
from typing import Any, Optional, Union

import numpy as np

from . import _abi
from ._library import (Array, Handle, Strict, address, array, encoded, finite, has_unit, lib, listing, made, numbers, quantity, units_of,
                       view, whole)
from ._models import fill_cluster, fill_model
from .picture import Picture, Renderer

Path = Union[str, os.PathLike[str]]


def formats() -> dict[str, SimpleNamespace]:
    """Formats of snapshots, by name: summary, extensions."""
    return listing(lib.hb_snapshot_formats)


class Particles(Strict):
    """Particles at one time: masses, positions, velocities and identities, in N-body units (G = 1).

    The arrays are the library's own memory: reading and writing them copies nothing, and they stay valid as long as
    they are referred to, also without this object.

    ``p[2:5]``, ``p[p.m > 0.1]`` and ``p[[3, 1]]`` are copies of some of them; ``copy`` and ``pickle`` work.

    Parameters
    ----------
    n : int
        Number of particles, at least 1. All values are zero, ``id`` is 0, 1, 2 ...

    Examples
    --------
    >>> p = Particles(3)
    >>> p.m[:] = 3, 4, 5
    >>> p.x[:] = [[1, 3, 0], [-2, -1, 0], [1, -1, 0]]
    >>> p
    <holmberg.Particles: 3 at t = 0>
    """

    __slots__ = ("_handle", "_m", "_x", "_v", "_id", "_is_read")
    __iter__ = None  # one particle is no Particles

    def __init__(self, n: int):
        self._adopt(made(lib.hb_particles_create, whole(n, "n"), destroy=lib.hb_particles_destroy))

    def _adopt(self, handle: Handle) -> None:
        self._handle, self._is_read = handle, False
        n = lib.hb_particles_n(handle.address)
        self._m = view(handle, lib.hb_particles_m(handle.address), (n,))
        self._x = view(handle, lib.hb_particles_x(handle.address), (n, 3))
        self._v = view(handle, lib.hb_particles_v(handle.address), (n, 3))
        self._id = view(handle, lib.hb_particles_id(handle.address), (n,), "<u8")

    @classmethod
    def _of(cls, make: Any, *arguments: Any) -> Particles:
        """What a function of the library makes."""
        particles = cls.__new__(cls)
        particles._adopt(made(make, *arguments, destroy=lib.hb_particles_destroy))
        return particles

    @classmethod
    def from_arrays(cls, m: Any, x: Any, v: Any = None, *, id: Any = None, radius: Any = None,
                    time: float = 0) -> Particles:
        """Particles with these values, which are copied.

        Parameters
        ----------
        m : array_like, shape (n,)
        x, v : array_like, shape (n, 3)
            Without v they are at rest.
        id : array_like of int, shape (n,), optional
        radius : float or array_like, shape (n,), optional
        time : float
        """
        m = array(m, "m", (None,))
        particles = cls(len(m))
        particles.m, particles.x, particles.time = m, x, time
        if v is not None:
            particles.v = v
        if id is not None:
            particles.id = id
        if radius is not None:
            particles.radius = radius
        return particles

    @classmethod
    def make(cls, model: str, n: int = 0, *, seed: int = 0, r_cut: float = 0, m1: float = 0, m2: float = 0,
             a: float = 0, e: float = 0, velocity: float = 0, spin: float = 0, scaling: str = "auto",
             shape: str = "shell", w0: float = 0, radius: Any = None, **cluster: Any) -> Particles:
        """Initial conditions.

        Parameters
        ----------
        model : str
            One of `models`, whose ``options`` are the words below that it reads; others are refused, but n and seed.
        n : int
            Number of particles; 0: the model's own.
        seed : int
            The same model, n and seed give the same bytes on every machine.
        r_cut : float
            plummer: no particle beyond this radius, in units of the Plummer radius; 0: no cut-off.
        m1, m2, a, e : float
            twobody: masses (0: 0.5 each), semi-major axis (0: 1) and eccentricity; it starts at apocenter.
        velocity, spin : float
            holmberg1941: velocity at infinity of the encounter; rotation of both disks in units of the circular one,
            < 0 retrograde (0: 1).
        scaling : {'auto', 'measured', 'model'}
            plummer: to its units by sums over its own particles, N^2 work, or by those of the model.
        shape : {'shell', 'random', 'expand'}
            demo1 ... demo7.
        w0 : float
            king: depth of its potential; 0: 6.
        radius : float, array_like or str
            As `Particles.radius`.
        **cluster
            plummer, king, coldsphere: fields of ``struct hb_ic_cluster`` in holmberg.h, which are also the options of
            ``holmberg ic``: ``masses="kroupa", binaries=0.1, orbits="kroupa1995", length_unit=1``. Lengths may have
            a unit where there are units, ``a_max="0.1pc"``; masses and units always, ``mass_max="5Msun"``.
        """
        params = _abi.hb_ic_params(n=whole(n, "n"), seed=whole(seed, "seed"))
        units = fill_cluster(params.cluster, cls.make, cluster)
        fill_model(params, cls.make, model, units, r_cut=r_cut, m1=m1, m2=m2, a=a, e=e, velocity=velocity, spin=spin,
                   scaling=scaling, shape=shape, w0=w0)
        particles = cls._of(lib.hb_ic_make, encoded(model), params)
        if radius is not None:
            particles.radius = radius
        return particles

    @classmethod
    def read(cls, path: Path, format: Optional[str] = None, time: Union[float, str, None] = None) -> Particles:
        """A snapshot from a file.

        format: one of `formats`; None: by the extension of the path, and the content. time: the snapshot of this time, of a
        file that holds many, a number or a word like "5Myr"; None: the last.
        """
        if has_unit(time):
            time = quantity(time, "time", _abi.HB_DIMENSION_TIME, cls.read(path, format).units)
        arguments = encoded(path), encoded(format), np.nan if time is None else finite(time, "time")
        particles = cls._of(lambda *all_but_last: lib.hb_snapshot_read_at(*all_but_last, None), *arguments)
        particles._is_read = True
        return particles

    def write(self, path: Path, format: Optional[str] = None) -> None:
        """Writes a snapshot, completely or not at all."""
        with self._handle.used() as handle:
            lib.hb_snapshot_write(encoded(path), encoded(format), handle)

    def copy(self) -> Particles:
        """The same values in memory of their own."""
        with self._handle.used() as handle:
            particles = Particles._of(lib.hb_particles_copy, handle)
        particles._is_read = self._is_read
        return particles

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> Particles:
        return self.copy()

    def __getitem__(self, which: Any) -> Particles:
        if np.ndim(which) == 0 and not isinstance(which, slice):
            raise TypeError(f"particles[{which!r}]: one particle is no Particles (expected a slice, numbers or a mask; "
                            "its values are m[i], x[i], v[i] and id[i])")
        if not isinstance(which, slice):
            which = np.asarray(which)
            which = which if which.dtype.kind == "b" else numbers(which, "index", np.uint32).astype(np.int64)
        rows = np.arange(len(self))[which]
        return _made_of(self.m[rows], self.x[rows], self.v[rows], self.id[rows], self.radius[rows], *self._rest())

    def __reduce__(self) -> Any:
        return _made_of, (self.m, self.x, self.v, self.id, self.radius, *self._rest())

    @property
    def units(self) -> Optional[dict[str, float]]:
        """What the numbers mean: ``mass`` in solar masses, ``length`` in pc, ``time`` in Myr; None: unknown. Any two can be
        set, G = 1 determines the third."""
        return units_of(self._handle.call, lib.hb_units_get)

    @units.setter
    def units(self, values: dict[str, float]) -> None:
        self._handle.call(lib.hb_units_set, _abi.hb_units(**values))

    @property
    def m(self) -> Array:
        """Masses, shape (n,)."""
        return self._m

    @m.setter
    def m(self, values: Any) -> None:
        self._m[...] = array(values, "m", self._m.shape)

    @property
    def x(self) -> Array:
        """Positions, shape (n, 3)."""
        return self._x

    @x.setter
    def x(self, values: Any) -> None:
        self._x[...] = array(values, "x", self._x.shape)

    @property
    def v(self) -> Array:
        """Velocities, shape (n, 3)."""
        return self._v

    @v.setter
    def v(self, values: Any) -> None:
        self._v[...] = array(values, "v", self._v.shape)

    @property
    def id(self) -> Array:
        """Identities, shape (n,), unsigned integers of 64 bits."""
        return self._id

    @id.setter
    def id(self, values: Any) -> None:
        self._id[...] = array(values, "id", self._id.shape, np.uint64)

    @property
    def radius(self) -> Array:
        """Radii, shape (n,), which only collisions need; all 0 at first. One number sets all of them, and so does a formula of
        ``holmberg ic --radius``: "1e-4*m^0.8", "1AU", "sun*m^0.8"."""
        address = self._handle.call(lib.hb_particles_radius)
        if address is None:
            raise MemoryError("no memory for radii")
        return view(self._handle, address, (len(self),))

    @radius.setter
    def radius(self, values: Any) -> None:
        if isinstance(values, str):
            self._handle.call(lib.hb_particles_set_radii, encoded(values))
            return
        self.radius[...] = finite(values, "radius") if np.ndim(values) == 0 else array(values, "radius", (len(self),))

    @property
    def time(self) -> float:
        """The time that the values belong to."""
        return float(self._handle.call(lib.hb_particles_time))

    @time.setter
    def time(self, t: float) -> None:
        self._handle.call(lib.hb_particles_set_time, finite(t, "time"))

    @property
    def state_hash(self) -> str:
        """16 hexadecimal digits of all bits but the notes', as `holmberg run` prints them of its last state."""
        return f"{self._handle.call(lib.hb_particles_hash):016x}"

    def note(self, key: str) -> Optional[str]:
        """A note from the header of a file, such as 'eps' or 'history'; None if there is none."""
        value = self._handle.call(lib.hb_particles_note, encoded(key))
        return None if value is None else os.fsdecode(value)

    def _rest(self) -> tuple[float, bool, dict[str, str]]:
        """What is not an array."""
        notes: dict[str, str] = {}
        while (key := self._handle.call(lib.hb_particles_note_key, len(notes))) is not None:
            notes[key.decode()] = self.note(key) or ""
        return self.time, self._is_read, notes

    def _eps(self) -> float:
        """The softening that they say, with that of `holmberg run` for files that say none; NaN: none."""
        eps = ctypes.c_double()
        self._handle.call(lib.hb_particles_eps, ctypes.byref(eps))
        if np.isnan(eps.value) and self._is_read:
            warnings.warn("eps = 1/256, the default for a file: it notes no softening, and no argument gives one",
                          stacklevel=3)
            return 1 / 256
        return eps.value

    def set_note(self, key: str, value: str) -> None:
        """Sets a note that is written into files. Keys consist of letters, digits and '_'."""
        self._handle.call(lib.hb_particles_set_note, encoded(key), encoded(value))

    def add_history(self, line: str) -> None:
        """Adds a line to the note 'history', which has one for each program that processed the data."""
        self._handle.call(lib.hb_particles_add_history, encoded(line))

    def combined(self, other: Particles, at: Any = (0, 0, 0), velocity: Any = (0, 0, 0)) -> Particles:
        """Both systems in one, the other displaced by at and moving with velocity; its identities follow the largest here.

        >>> pair = Particles.make("plummer", 16).combined(Particles.make("plummer", 8), at=[5, 0, 0])
        >>> len(pair), int(pair.id.max())
        (24, 23)
        """
        at, velocity = array(at, "at", (3,)), array(velocity, "velocity", (3,))
        with self._handle.used() as first, other._handle.used() as second:
            return Particles._of(lib.hb_combine_particles, first, second, address(at), address(velocity))

    def scale(self, *, mass: float = 0, radius: float = 0, virial: float = 0) -> None:
        """Changes the total mass, the virial radius and the virial ratio T / |U|; 0: stays. Orbits stay similar without virial.

        >>> p = Particles.make("plummer", 64, seed=1)
        >>> p.scale(mass=2)
        >>> float(round(p.m.sum(), 12))
        2.0
        """
        self._handle.call(lib.hb_scale_particles, _abi.hb_scale(mass=finite(mass, "mass"), radius=finite(radius, "radius"),
                                                                virial=finite(virial, "virial")))

    def scale_to_standard(self) -> None:
        """Changes units and numbers so that M = 1 and the virial radius is 1, the center of mass at rest at the origin."""
        self._handle.call(lib.hb_scale_to_standard)

    def scale_from_astro(self) -> None:
        """Takes the numbers as solar masses, pc, km/s and Myr, and makes them values with G = 1 and units."""
        self._handle.call(lib.hb_scale_from_astro)

    def render(self, value: Any = None, **look: Any) -> Picture:
        """A picture, colored by value[n] or by speed. Keywords: those of `Renderer`."""
        return Renderer(**look).draw(self, value)

    def __len__(self) -> int:
        return len(self._m)

    def __repr__(self) -> str:
        return f"<holmberg.Particles: {len(self)} at t = {self.time:g}>"


def _made_of(m: Any, x: Any, v: Any, id: Any, radius: Any, time: float, is_read: bool, notes: dict[str, str]) -> Particles:
    """What a pickle has, and a part of others."""
    particles = Particles.from_arrays(m, x, v, id=id, time=time, radius=radius if radius.any() else None)
    particles._is_read = is_read
    for key, value in notes.items():
        particles.set_note(key, value)
    return particles
