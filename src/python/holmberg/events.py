"""What happens in a simulation, and what stops it."""
from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Iterable, NamedTuple

import numpy as np

from . import _abi
from ._library import Array, UsageError, lib, words

if TYPE_CHECKING:
    from .particles import Particles


class Event(NamedTuple):
    """Something that happened, at its own time ('collision', 'approach') or at the end of a block step.

    kind: 'formed', 'hardened', 'exchanged' and 'broken' (binaries), 'initial' (one that was there before), 'encounter',
    'collision', 'escape', 'approach' (two are at their nearest). ids: who, by identity; the first of a collision remains, if one
    does. a, e, energy: their relative orbit (a < 0: unbound); of an escape energy alone, the rest is NaN. distance: of a collision
    and an approach, else NaN.
    """

    kind: str
    time: float
    ids: tuple[int, ...]
    a: float
    e: float
    energy: float
    distance: float = float("nan")

    def __str__(self) -> str:
        who = f"particle {self.ids[0]}" if len(self.ids) == 1 else f"particles {', '.join(map(str, self.ids))}"
        return f"{self.kind}: {who} at t = {self.time:.9g}"


class Stopped(Exception):
    """A simulation has come to what it was asked to stop at: the contact, or the end of that block step; `Simulation.evolve` goes on.

    Attributes
    ----------
    event : Event
        What happened, to whom, when.
    particles : Particles
        The state at that time.
    """

    def __init__(self, event: Event, particles: Particles):
        super().__init__(event, particles)
        self.event, self.particles = event, particles

    def __str__(self) -> str:
        return str(self.event)


class Collision(Stopped):
    """Two bodies touch (``collisions="stop"``)."""


class Encounter(Stopped):
    """Two stars meet, or form a binary (``stop_at="pair"``)."""


class Escape(Stopped):
    """A particle leaves (``stop_at="escape"``)."""


STOPS = {"collision": Collision, "encounter": Encounter, "formed": Encounter, "escape": Escape}
_KINDS = words("hb_event_names")
_TYPES = words("hb_star_type_names")


def event_of(row: _abi.hb_event) -> Event:
    """As the library has it."""
    return Event(_KINDS[row.kind], row.t, tuple(row.id[:row.n]), row.a, row.e, row.E, row.r)


def events_of(simulation: ctypes.c_void_p) -> list[Event]:
    """Those of the last block step."""
    count = ctypes.c_size_t()
    rows = lib.hb_sim_events(simulation, ctypes.byref(count))
    return [event_of(rows[k]) for k in range(count.value)]


def table(events: Iterable[Event]) -> Array:
    """Events as a structured array: kind, time, ids (0 behind the n first), n, a, e, energy, distance.

    >>> rows = table([Event("collision", 0.5, (7, 9), 1.0, 0.0, -0.5)])
    >>> rows["time"].tolist(), rows["ids"][0, :2].tolist()
    ([0.5], [7, 9])
    """
    columns = [("kind", "U10"), ("time", "f8"), ("n", "u8"), ("ids", "u8", _abi.HB_EVENT_MOST), ("a", "f8"), ("e", "f8"),
               ("energy", "f8"), ("distance", "f8")]
    rows = [(event.kind, event.time, len(event.ids), event.ids + (0,) * (_abi.HB_EVENT_MOST - len(event.ids)), event.a,
             event.e, event.energy, event.distance) for event in events]
    return np.array(rows, columns)


def bound_of(simulation: ctypes.c_void_p, t: float) -> Array:
    """Rows of hb_sim_bound, with its names, as a structured array of their own memory."""
    count, rows = ctypes.c_size_t(), ctypes.c_void_p()
    lib.hb_sim_bound(simulation, t, ctypes.byref(count), ctypes.byref(rows))
    if not count.value:
        return np.zeros(0, np.dtype(_abi.hb_bound))
    return np.array(np.ctypeslib.as_array((_abi.hb_bound * count.value).from_address(rows.value or 0)))


def stars_of(simulation: ctypes.c_void_p) -> Array:
    """Rows of hb_sim_stars, the type as a word."""
    count, rows = ctypes.c_size_t(), ctypes.c_void_p()
    lib.hb_sim_stars(simulation, ctypes.byref(count), ctypes.byref(rows))
    columns = [("id", "u8"), ("type", "U12"), *((name, "f8") for name in ("m_birth", "m", "radius", "t_birth", "kick"))]
    table = np.zeros(count.value, columns)
    if count.value:
        told = np.ctypeslib.as_array((_abi.hb_sim_star * count.value).from_address(rows.value or 0))
        for name, _ in columns:
            table[name] = np.array(_TYPES)[told[name]] if name == "type" else told[name]
    return table


def bits(kinds: Iterable[str]) -> int:
    """Kinds by name, as the library has them."""
    result = 0
    for kind in kinds:
        if kind not in _KINDS:
            raise UsageError(f"unknown event '{kind}' (expected {', '.join(_KINDS)})")
        result |= 1 << _KINDS.index(kind)
    return result
