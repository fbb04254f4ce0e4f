#!/usr/bin/env python3
"""A table for 'holmberg run --evolution', made with AMUSE's SSE.

    evolution_table.py cluster.h5 100 >table.txt        # to 100 Myr
    holmberg run cluster.h5 --evolution table.txt --t-end 100Myr

The masses are those of the snapshot, which needs units, in solar masses. A row is written where a mass has changed by 1e-4,
a radius by a tenth, or the type. SSE draws no kicks for AMUSE: those of neutron stars and black holes are Maxwellian, 265
km/s along each axis."""

import random
import sys

import numpy as np
from amuse.datamodel import Particles
from amuse.units import units
from amuse.community.sse.interface import SSE

import holmberg

STEP = 0.1  # Myr
REMNANTS = 13, 14  # neutron star, black hole


def masses(path):
    """Identities, and masses in solar masses."""
    stars = holmberg.Particles.read(path)
    if not stars.units:
        sys.exit(f"{path} has no units, see 'holmberg scale --help'")
    return np.array(stars.id), np.array(stars.m) * stars.units["mass"]


def kick(identity, sigma=265.0):
    """A speed that depends on the star alone."""
    draw = random.Random(int(identity))
    return sum(draw.gauss(0, sigma) ** 2 for _ in range(3)) ** 0.5


def rows(identities, zams, t_end):
    """(t, id, m, radius, kick) for each change."""
    code = SSE()
    stars = code.particles.add_particles(Particles(mass=zams | units.MSun))
    last = {}
    for step in range(round(t_end / STEP) + 1):
        t = step * STEP
        code.evolve_model(t | units.Myr)
        m, radius = stars.mass.value_in(units.MSun), stars.radius.value_in(units.RSun)
        for i, kind in enumerate(stars.stellar_type.value_in(units.stellar_type)):
            was = last.get(i)
            if was and abs(m[i] / was[0] - 1) < 1e-4 and abs(radius[i] / was[1] - 1) < 0.1 and kind == was[2]:
                continue
            born = was and kind in REMNANTS and was[2] not in REMNANTS
            yield t, identities[i], m[i], radius[i], kick(identities[i]) if born else 0
            last[i] = m[i], radius[i], kind
    code.stop()


def main(path, t_end):
    stars = masses(path)
    print("# t id m radius kick")
    for row in rows(*stars, float(t_end)):
        print("%.10g %d %.10g %.6g %.6g" % row)


if __name__ == "__main__":
    main(*sys.argv[1:])
