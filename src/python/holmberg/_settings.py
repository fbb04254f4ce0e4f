"""The settings of simulations and models, written by the build into manual/_settings.py."""
# flake8: noqa
from typing import List, NamedTuple


class Setting(NamedTuple):
    of: int  # what a number measures, HB_DIMENSION_...; -1: words with numbers; -2: a file
    is_astro: int  # 1: it is in Myr, pc, km/s or solar masses
    is_power: int  # 1: a power of two
    words: List[str]  # of a choice, by the values of its enum
    is_count: int  # 1: 'auto', 0 for none, or a number; 2: a whole number
    fallback: float = 0  # of a number that may be 0
    help: str = ""


SIM = {
    "eta": Setting(0, 0, 0, [], 0, 0,
        "accuracy parameter of the time step, nu in the paper (default 0.01)"),
    "dt_max": Setting(1, 0, 1, [], 0, 0,
        "largest time step, a power of two (default 1/8)"),
    "dt_min": Setting(1, 0, 1, [], 0, 0,
        "smallest time step, a power of two (default: 2^-26, with eps 0 2^-40)"),
    "first_step": Setting(0, 0, 0, ["auto", "eq9", "eq2"], 0, 0,
        "the first step of hermite4: eq2, as the paper; eq9, the shorter of that and eq. 9 after a trial; auto: eq9 where eps is 0, masses differ or there are neighbors (default auto)"),
    "rounding": Setting(0, 0, 0, ["down", "nearest", "up"], 0, 0,
        "how steps are rounded to powers of two: down, nearest (in the logarithm), up (default down)"),
    "transfer": Setting(0, 0, 0, ["all", "block"], 0, 0,
        "what is sent to the device at each block step: all particles, or block, which needs @predict gpu (default all)"),
    "predict": Setting(0, 0, 0, ["host", "gpu"], 0, 0,
        "where particles are predicted: host, or gpu (schemes bag and tile) (default host)"),
    "correct": Setting(0, 0, 0, ["host", "gpu"], 0, 0,
        "where the block is corrected: host, or gpu, which needs @transfer block (default host)"),
    "encounters": Setting(0, 0, 0, ["auto", "none", "groups"], 0, 0,
        "hermite4: how binaries and stars that meet are integrated: groups, together by a regularized method, with heavy stars in shorter steps and few bodies alone as one group (needs block steps, @eps 0 and @correct host); none, by short steps; auto: groups where that is possible, but not with shaders of your own (default auto)"),
    "neighbors": Setting(0, 0, 0, [], 1, 0,
        "hermite4: about how many neighbors each particle has in a list; their forces are summed at each of its steps, those of all others at longer ones (Ahmad & Cohen 1973); 0: none, as in 2007; auto: 64 from 1000 particles with mass on, where lists can be: gravity, block steps, ds, reproducible or double, @predict host (but not in cg2007 and matrix2004) (default auto)"),
    "light_speed": Setting(3, 0, 0, [], 0, 0,
        "hermite4: pairs in a group of two, @encounters groups, feel the post-Newtonian terms of order 1, 2 and 2.5, with this speed of light, 299792.458km/s in FILE's units; what they take of the energy counts as lost"),
    "eta_far": Setting(0, 0, 0, [], 0, 0,
        "with neighbors: the accuracy parameter of the longer steps, as @eta (default: 0.75 eta)"),
    "field": Setting(-1, 0, 0, [], 0, 0,
        "forces from outside: a sum of point:m=M, plummer:m=M,a=A, disc:m=M,a=A,b=B (Miyamoto & Nagai), log:v=V,r=R,q=Q, each with x=X,y=Y,z=Z where its middle is not the origin; frame:w=W: in coordinates that turn; hill:w=W,k=K,n=N: in such coordinates, and with a galaxy's tide (Hill's approximation); omega=W: the pattern speed of the Jacobi energy in @diag, where coordinates do not turn"),
    "steps": Setting(0, 0, 0, ["block", "shared"], 0, 0,
        "hermite4: block, individual time steps (the default), or shared, the smallest of them for all"),
    "dt": Setting(1, 0, 0, [], 0, 0,
        "leapfrog: time step of all particles (default: from FILE's header; required without one)"),
    "damping": Setting(0, 0, 0, [], 0, 0,
        "leapfrog: factor on the velocities at each step (default: from FILE's header, else 1)"),
    "collisions": Setting(0, 0, 0, ["none", "stop", "merge"], 0, 0,
        "hermite4: what to do when bodies touch, by FILE's radii (see 'holmberg ic @radius'): none does not look for them; stop ends the run at the contact; merge makes one body, which keeps mass, momentum and volume; the lost energy is counted in dE/E (default none)"),
    "escapers": Setting(0, 0, 0, ["none", "list", "remove"], 0, 0,
        "hermite4: what to do with unbound particles far out, at multiples of dt-max: none; list, as events; remove, with their energy counted in dE/E (default none)"),
    "escape_radius": Setting(2, 0, 0, [], 0, 0,
        "how far out that is, from the density center, such as twice the tidal radius (default: 20 half-mass radii)"),
    "stop_at": Setting(0, 0, 0, ["none", "collision", "pair", "escape"], 0, 0,
        "end the run at the first collision, pair (a binary that forms, or with eps 0 two stars that meet) or escape (default none)"),
    "approach_distance": Setting(2, 0, 0, [], 0, 0,
        "hermite4: list as events of @events where two bodies are at their nearest, nearer than that; the run goes on"),
    "approach_radii": Setting(0, 0, 0, [], 0, 0,
        "the same, nearer than that many times the sum of their radii"),
    "stars": Setting(0, 0, 0, ["none", "zams"], 0, 0,
        "zams: FILE's masses are those of stars just born, which lose mass by winds, grow, and end as white dwarfs, neutron stars and black holes, by fits for solar composition; needs units; ends are block boundaries, to dt-max / 2^16, winds come at multiples of dt-max (default none)"),
    "kick": Setting(0, 0, 0, [], 0, 265,
        "with @stars: kicks of new neutron stars and black holes are Maxwellian, of this dispersion in km/s along each axis (Hobbs et al. 2005); 0: none (default 265)"),
    "kick_seed": Setting(0, 0, 0, [], 2, 0,
        "seed of the kicks: each is a function of it and the star's identity (default 0)"),
    "evolution": Setting(-2, 0, 0, [], 0, 0,
        "in place of @stars, a table of lines time id mass radius kick (Myr, solar masses, solar radii, km/s) made elsewhere; see holmberg-formats(5)"),
    "exact_energy": Setting(0, 0, 0, ["auto", "yes", "no"], 0, 0,
        "sum energies in double besides those of the scheme, N^2 work per row: auto (up to N = 32768), yes, no (default auto)"),
}

IC = {
    "r_cut": Setting(2, 0, 0, [], 0, 0),
    "m1": Setting(0, 0, 0, [], 0, 0),
    "m2": Setting(0, 0, 0, [], 0, 0),
    "a": Setting(0, 0, 0, [], 0, 0),
    "e": Setting(0, 0, 0, [], 0, 0),
    "velocity": Setting(0, 0, 0, [], 0, 0),
    "spin": Setting(0, 0, 0, [], 0, 0),
    "scaling": Setting(0, 0, 0, ["auto", "measured", "model"], 0, 0),
    "w0": Setting(0, 0, 0, [], 0, 0),
    "shape": Setting(0, 0, 0, ["shell", "random", "expand"], 0, 0),
    "mass_min": Setting(4, 1, 0, [], 0, 0),
    "mass_max": Setting(4, 1, 0, [], 0, 0),
    "mass_ratio": Setting(0, 0, 0, [], 0, 0),
    "heavy": Setting(0, 0, 0, [], 0, 0),
    "segregation": Setting(0, 0, 0, [], 0, 0),
    "fractal": Setting(0, 0, 0, [], 0, 0),
    "rotation": Setting(0, 0, 0, [], 0, 0),
    "virial": Setting(0, 0, 0, [], 0, 0),
    "tidal_radius": Setting(2, 0, 0, [], 0, 0),
    "binaries": Setting(0, 0, 0, [], 0, 0),
    "pairing": Setting(0, 0, 0, ["random", "ordered", "uniform"], 0, 0),
    "orbits": Setting(0, 0, 0, ["opik", "kroupa1995", "duquennoy1991"], 0, 0),
    "eccentricities": Setting(0, 0, 0, ["thermal", "uniform", "circular"], 0, 0),
    "a_min": Setting(2, 0, 0, [], 0, 0),
    "a_max": Setting(2, 0, 0, [], 0, 0),
    "mass_unit": Setting(4, 1, 0, [], 0, 0),
    "length_unit": Setting(2, 1, 0, [], 0, 0),
    "time_unit": Setting(1, 1, 0, [], 0, 0),
    "color": Setting(0, 0, 0, ["auto", "always", "never"], 0, 0),
}
