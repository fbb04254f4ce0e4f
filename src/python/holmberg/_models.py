"""What models of initial conditions are given."""
from __future__ import annotations

import inspect
import math
from types import SimpleNamespace
from typing import Any, Callable, Mapping

from . import _abi
from ._library import UsageError, encoded, has_unit, lib, listing, meant, setting
from ._settings import IC

UNITS = ("mass_unit", "length_unit", "time_unit")
PLUMMER_RADIUS = 3 * math.pi / 16


def models() -> dict[str, SimpleNamespace]:
    """Models of initial conditions, by name: summary, source, options, n, n_min, n_max."""
    return listing(lib.hb_ic_models)


def _units(given: Mapping[str, Any]) -> dict[str, float]:
    """Those asked for; 0: not known."""
    units = {name.partition("_")[0]: setting(IC[name], given.get(name, 0), name, None) for name in UNITS}
    known = _abi.hb_units(**units)
    if sum(value == 0 for value in units.values()) == 1:
        lib.hb_units_complete(known)
    return {name: getattr(known, name) for name in units}


def fill_cluster(cluster: _abi.hb_ic_cluster, make: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, float]:
    """Sets what is given; returns the units, as far as they are known."""
    fields = {name for name, _ in cluster._fields_} - {"reserved", "units"}
    units = _units(given)
    for name, value in given.items():
        if name in UNITS:
            setattr(cluster.units, name.partition("_")[0], setting(IC[name], value, name, None))
        elif name in fields:
            setattr(cluster, name, encoded(value) if name == "masses" else setting(IC[name], value, name, units))
        else:
            known = [*inspect.signature(make).parameters, *sorted(fields.union(UNITS))]
            raise TypeError(f"Particles.make has no argument '{name}'{meant(name, known)}")
    return units


def fill_model(params: _abi.hb_ic_params, make: Callable[..., Any], model: str, units: Mapping[str, float], **given: Any) -> None:
    """Sets what a model takes; what differs from its default and is for others would have no effect."""
    own = models().get(model)
    for name, value in given.items():
        default = inspect.signature(make).parameters[name].default
        if own and value != default and name.replace("_", "-") not in own.options.split():
            takes = own.options.replace("-", "_").replace(" ", ", ")
            raise UsageError(f"model {model} does not take {name} (it takes: {takes or 'none of them'})")
        unit = PLUMMER_RADIUS if name == "r_cut" and has_unit(value) else 1
        value = setting(IC[name], value, name, units)
        setattr(params, name, value if IC[name].words else value / unit)
