"""Physical units: masses in solar masses, lengths in pc, velocities in km/s, times in Myr.

Every time and length of a call may be a word, "5Myr", or an astropy quantity, where astropy is installed.
"""
from __future__ import annotations

import importlib
from types import SimpleNamespace
from typing import Any

from . import _abi
from ._library import UsageError, lib

NAMES = {"m": "Msun", "x": "pc", "v": "km/s", "radius": "pc", "time": "Myr"}


def physical(particles: Any, astropy: bool = False) -> SimpleNamespace:
    """m, x, v, radius and time of particles that have units: numbers, or quantities of astropy.

    >>> p = Particles.make("plummer", 16, seed=1, mass_unit=1000, length_unit=1)
    >>> float(round(physical(p).m.sum(), 9))
    1000.0
    """
    known = particles.units
    if known is None:
        raise UsageError("these particles have no units: particles.units = {'mass': 1000, 'length': 1} sets them")
    factor = {"m": known["mass"], "x": known["length"], "radius": known["length"], "time": known["time"],
              "v": lib.hb_units_velocity(_abi.hb_units(**known))}
    values = {name: getattr(particles, name) * factor[name] for name in NAMES}
    if astropy:
        try:
            units = importlib.import_module("astropy.units")  # which has no types
        except ImportError:
            raise ImportError("quantities are astropy's, which is not installed (python3-astropy, or pip install "
                              "astropy)") from None
        values = {name: value * units.Unit(NAMES[name]) for name, value in values.items()}
    return SimpleNamespace(**values)
