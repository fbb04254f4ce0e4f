"""What models of initial conditions are given."""
from __future__ import annotations

import inspect
import math
from types import SimpleNamespace
from typing import Any, Callable, Mapping

from . import _abi
from ._library import UsageError, encoded, finite, has_unit, lib, listing, meant, number_of, quantity

ONE = {"mass": 1.0, "length": 1.0, "time": 1.0}  # a number in these is in solar masses, pc, Myr
UNITS = {"mass_unit": _abi.HB_DIMENSION_MASS, "length_unit": _abi.HB_DIMENSION_LENGTH, "time_unit": _abi.HB_DIMENSION_TIME}
LENGTHS = {"a_min", "a_max", "tidal_radius"}
SOLAR = {"mass_min", "mass_max"}
CHOICES = {"pairing", "orbits", "eccentricities"}
PLUMMER_RADIUS = 3 * math.pi / 16


def models() -> dict[str, SimpleNamespace]:
    """Models of initial conditions, by name: summary, source, options, n, n_min, n_max."""
    return listing(lib.hb_ic_models)


def _units(given: Mapping[str, Any]) -> dict[str, float]:
    """Those asked for; 0: not known."""
    units = {name.partition("_")[0]: quantity(given.get(name, 0), name, of, ONE) for name, of in UNITS.items()}
    known = _abi.hb_units(**units)
    if sum(value == 0 for value in units.values()) == 1:
        lib.hb_units_complete(known)
    return {name: getattr(known, name) for name in units}


def _cluster_value(name: str, value: Any, units: Mapping[str, float]) -> Any:
    if name == "masses":
        return encoded(value)
    if name in CHOICES:
        return number_of(value, name, f"hb_ic_{name}_names")
    if name in LENGTHS:
        return quantity(value, name, _abi.HB_DIMENSION_LENGTH, units)
    return quantity(value, name, _abi.HB_DIMENSION_MASS, ONE) if name in SOLAR else finite(value, name)


def fill_cluster(cluster: _abi.hb_ic_cluster, make: Callable, given: Mapping[str, Any]) -> dict[str, float]:
    """Sets what is given; returns the units, as far as they are known."""
    fields = {name for name, _ in cluster._fields_} - {"reserved", "units"}
    units = _units(given)
    for name, value in given.items():
        if name in UNITS:
            setattr(cluster.units, name.partition("_")[0], quantity(value, name, UNITS[name], ONE))
        elif name in fields:
            setattr(cluster, name, _cluster_value(name, value, units))
        else:
            known = [*inspect.signature(make).parameters, *sorted(fields | set(UNITS))]
            raise TypeError(f"Particles.make has no argument '{name}'{meant(name, known)}")
    return units


def fill_model(params: _abi.hb_ic_params, make: Callable, model: str, units: Mapping[str, float], **given: Any) -> None:
    """Sets what a model takes; what differs from its default and is for others would have no effect."""
    own = models().get(model)
    for name, value in given.items():
        default = inspect.signature(make).parameters[name].default
        if own and value != default and name.replace("_", "-") not in own.options.split():
            takes = own.options.replace("-", "_").replace(" ", ", ")
            raise UsageError(f"model {model} does not take {name} (it takes: {takes or 'none of them'})")
        if isinstance(default, str):
            value = number_of(value, name, f"hb_ic_{name}_names")
        elif name == "r_cut" and has_unit(value):
            value = quantity(value, name, _abi.HB_DIMENSION_LENGTH, units) / PLUMMER_RADIUS
        else:
            value = finite(value, name)
        setattr(params, name, value)
