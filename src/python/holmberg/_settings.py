"""What the options of holmberg run and ic are, written by the build into manual/_settings.py."""
# flake8: noqa
from typing import List, NamedTuple


class Setting(NamedTuple):
    of: int  # what a number measures, HB_DIMENSION_...; -1: words with numbers
    is_astro: int  # 1: it is in Myr, pc, km/s or solar masses
    is_power: int  # 1: a power of two
    words: List[str]  # of a choice, by the values of its enum
    is_auto_count: int = 0  # 1: 'auto', 0 for none, or a number


RUN = {
    "t_end": Setting(1, 0, 0, []),
    "eta": Setting(0, 0, 0, []),
    "eps": Setting(2, 0, 0, []),
    "dt_max": Setting(1, 0, 1, []),
    "dt_min": Setting(1, 0, 1, []),
    "first_step": Setting(0, 0, 0, ["auto", "eq9", "eq2"]),
    "step_rounding": Setting(0, 0, 0, ["down", "nearest", "up"]),
    "transfer": Setting(0, 0, 0, ["all", "block"]),
    "predict": Setting(0, 0, 0, ["host", "gpu"]),
    "correct": Setting(0, 0, 0, ["host", "gpu"]),
    "encounters": Setting(0, 0, 0, ["auto", "none", "groups"]),
    "neighbors": Setting(0, 0, 0, [], 1),
    "eta_far": Setting(0, 0, 0, []),
    "field": Setting(-1, 0, 0, []),
    "steps": Setting(0, 0, 0, ["block", "shared"]),
    "dt": Setting(1, 0, 0, []),
    "damping": Setting(0, 0, 0, []),
    "collisions": Setting(0, 0, 0, ["none", "stop", "merge"]),
    "escapers": Setting(0, 0, 0, ["none", "list", "remove"]),
    "escape_radius": Setting(2, 0, 0, []),
    "stop_at": Setting(0, 0, 0, ["none", "collision", "pair", "escape"]),
    "diag_every": Setting(1, 0, 0, []),
    "units": Setting(0, 0, 0, ["nbody", "astro"]),
    "exact_energy": Setting(0, 0, 0, ["auto", "yes", "no"]),
    "snap_every": Setting(1, 0, 0, []),
    "max_energy_error": Setting(0, 0, 0, []),
    "color": Setting(0, 0, 0, ["auto", "always", "never"]),
}

IC = {
    "r_cut": Setting(2, 0, 0, []),
    "m1": Setting(0, 0, 0, []),
    "m2": Setting(0, 0, 0, []),
    "a": Setting(0, 0, 0, []),
    "e": Setting(0, 0, 0, []),
    "velocity": Setting(0, 0, 0, []),
    "spin": Setting(0, 0, 0, []),
    "scaling": Setting(0, 0, 0, ["auto", "measured", "model"]),
    "w0": Setting(0, 0, 0, []),
    "shape": Setting(0, 0, 0, ["shell", "random", "expand"]),
    "mass_min": Setting(4, 1, 0, []),
    "mass_max": Setting(4, 1, 0, []),
    "mass_ratio": Setting(0, 0, 0, []),
    "heavy": Setting(0, 0, 0, []),
    "segregation": Setting(0, 0, 0, []),
    "fractal": Setting(0, 0, 0, []),
    "rotation": Setting(0, 0, 0, []),
    "virial": Setting(0, 0, 0, []),
    "tidal_radius": Setting(2, 0, 0, []),
    "binaries": Setting(0, 0, 0, []),
    "pairing": Setting(0, 0, 0, ["random", "ordered", "uniform"]),
    "orbits": Setting(0, 0, 0, ["opik", "kroupa1995", "duquennoy1991"]),
    "eccentricities": Setting(0, 0, 0, ["thermal", "uniform", "circular"]),
    "a_min": Setting(2, 0, 0, []),
    "a_max": Setting(2, 0, 0, []),
    "mass_unit": Setting(4, 1, 0, []),
    "length_unit": Setting(2, 1, 0, []),
    "time_unit": Setting(1, 1, 0, []),
    "color": Setting(0, 0, 0, ["auto", "always", "never"]),
}
