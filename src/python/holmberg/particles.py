"""Particles, initial conditions and snapshots."""
from __future__ import annotations

import ctypes
import os
from types import SimpleNamespace
from typing import Any, Optional, Union

import numpy as np

from . import _abi
from ._library import Handle, array, encoded, lib, listing, made, number_of, view
from .picture import Picture, Renderer

Path = Union[str, os.PathLike]


def models() -> dict[str, SimpleNamespace]:
    """Models of initial conditions, by name: summary, source, options, n, n_min, n_max."""
    return listing(lib.hb_ic_models)


def formats() -> dict[str, SimpleNamespace]:
    """Formats of snapshots, by name: summary, extensions."""
    return listing(lib.hb_snapshot_formats)


class Particles:
    """Particles at one time: masses, positions, velocities and identities, in N-body units (G = 1).

    The arrays are the library's own memory: reading and writing them copies nothing, and they stay valid as long as
    they are referred to, also without this object.

    Parameters
    ----------
    n : int
        Number of particles, at least 1. All values are zero, ``id`` is 0, 1, 2 ...

    Examples
    --------
    >>> p = Particles(3)
    >>> p.m[:] = 3, 4, 5
    >>> p.x[:] = [[1, 3, 0], [-2, -1, 0], [1, -1, 0]]
    """

    def __init__(self, n: int):
        self._adopt(made(lib.hb_particles_create, n, destroy=lib.hb_particles_destroy))

    def _adopt(self, handle: Handle) -> None:
        self._handle = handle
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
    def from_arrays(cls, m: Any, x: Any, v: Any = None, *, id: Any = None, time: float = 0) -> Particles:
        """Particles with these values, which are copied.

        Parameters
        ----------
        m : array_like, shape (n,)
        x, v : array_like, shape (n, 3)
            Without v they are at rest.
        id : array_like of int, shape (n,), optional
        time : float
        """
        particles = cls(len(m))
        particles.m, particles.x, particles.time = m, x, time
        if v is not None:
            particles.v = v
        if id is not None:
            particles.id = id
        return particles

    @classmethod
    def make(cls, model: str, n: int = 0, *, seed: int = 0, r_cut: float = 0, m1: float = 0, m2: float = 0,
             a: float = 0, e: float = 0, velocity: float = 0, spin: float = 0, scaling: str = "auto",
             shape: str = "shell", w0: float = 0, **cluster: Any) -> Particles:
        """Initial conditions.

        Parameters
        ----------
        model : str
            One of `models`, whose ``options`` are the words below that it reads.
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
        **cluster
            plummer, king, coldsphere: fields of ``struct hb_ic_cluster`` in holmberg.h, which are also the options of
            ``holmberg ic``: ``masses="kroupa", binaries=0.1, orbits="kroupa1995", length_unit=1``.
        """
        params = _abi.hb_ic_params(n=n, seed=seed, r_cut=r_cut, m1=m1, m2=m2, a=a, e=e, velocity=velocity, spin=spin,
                                   scaling=number_of(scaling, "scaling", "hb_ic_scaling_names"),
                                   shape=number_of(shape, "shape", "hb_ic_shape_names"), w0=w0)
        words = {"pairing", "orbits", "eccentricities"}
        units = {"mass_unit", "length_unit", "time_unit"}
        fields = {name for name, _ in _abi.hb_ic_cluster._fields_} - {"reserved", "units"}
        for name, value in cluster.items():
            if name in units:
                setattr(params.cluster.units, name[:-len("_unit")], value)
            elif name in words:
                setattr(params.cluster, name, number_of(value, name, f"hb_ic_{name}_names"))
            elif name in fields:
                setattr(params.cluster, name, encoded(value) if name == "masses" else value)
            else:
                raise TypeError(f"make() got an unexpected keyword argument {name!r}")
        return cls._of(lib.hb_ic_make, encoded(model), params)

    @classmethod
    def read(cls, path: Path, format: Optional[str] = None, time: Optional[float] = None) -> Particles:
        """A snapshot from a file.

        format: one of `formats`; None: by the extension of the path, and the content. time: the snapshot of this time, of a
        file that holds many; None: the last.
        """
        arguments = encoded(path), encoded(format), np.nan if time is None else time
        return cls._of(lambda *all_but_last: lib.hb_snapshot_read_at(*all_but_last, None), *arguments)

    def write(self, path: Path, format: Optional[str] = None) -> None:
        """Writes a snapshot, completely or not at all."""
        lib.hb_snapshot_write(encoded(path), encoded(format), self._handle.address)

    def copy(self) -> Particles:
        """The same values in memory of their own."""
        return Particles._of(lib.hb_particles_copy, self._handle.address)

    @property
    def units(self) -> Optional[dict[str, float]]:
        """What the numbers mean: ``mass`` in solar masses, ``length`` in pc, ``time`` in Myr; None: unknown. Any two can be
        set, G = 1 determines the third."""
        units, known = _abi.hb_units(), ctypes.c_int()
        lib.hb_units_get(self._handle.address, units, ctypes.byref(known))
        return {name: getattr(units, name) for name, _ in units._fields_} if known.value else None

    @units.setter
    def units(self, values: dict[str, float]) -> None:
        lib.hb_units_set(self._handle.address, _abi.hb_units(**values))

    @property
    def m(self) -> np.ndarray:
        """Masses, shape (n,)."""
        return self._m

    @m.setter
    def m(self, values: Any) -> None:
        self._m[...] = array(values, "m", self._m.shape)

    @property
    def x(self) -> np.ndarray:
        """Positions, shape (n, 3)."""
        return self._x

    @x.setter
    def x(self, values: Any) -> None:
        self._x[...] = array(values, "x", self._x.shape)

    @property
    def v(self) -> np.ndarray:
        """Velocities, shape (n, 3)."""
        return self._v

    @v.setter
    def v(self, values: Any) -> None:
        self._v[...] = array(values, "v", self._v.shape)

    @property
    def id(self) -> np.ndarray:
        """Identities, shape (n,), unsigned integers of 64 bits."""
        return self._id

    @id.setter
    def id(self, values: Any) -> None:
        self._id[...] = array(values, "id", self._id.shape, np.uint64)

    @property
    def time(self) -> float:
        """The time that the values belong to."""
        return lib.hb_particles_time(self._handle.address)

    @time.setter
    def time(self, t: float) -> None:
        lib.hb_particles_set_time(self._handle.address, t)

    @property
    def state_hash(self) -> str:
        """16 hexadecimal digits of all bits but the notes', as `holmberg run` prints them of its last state."""
        return f"{lib.hb_particles_hash(self._handle.address):016x}"

    def note(self, key: str) -> Optional[str]:
        """A note from the header of a file, such as 'eps' or 'history'; None if there is none."""
        value = lib.hb_particles_note(self._handle.address, encoded(key))
        return None if value is None else os.fsdecode(value)

    def set_note(self, key: str, value: str) -> None:
        """Sets a note that is written into files. Keys consist of letters, digits and '_'."""
        lib.hb_particles_set_note(self._handle.address, encoded(key), encoded(value))

    def add_history(self, line: str) -> None:
        """Adds a line to the note 'history', which has one for each program that processed the data."""
        lib.hb_particles_add_history(self._handle.address, encoded(line))

    def render(self, value: Any = None, **look: Any) -> Picture:
        """A picture, colored by value[n] or by speed. Keywords: those of `Renderer`."""
        return Renderer(**look).draw(self, value)

    def __len__(self) -> int:
        return len(self._m)

    def __repr__(self) -> str:
        return f"<holmberg.Particles: {len(self)} at t = {self.time:g}>"
