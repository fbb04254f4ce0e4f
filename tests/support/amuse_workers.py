#!/usr/bin/env python3
"""amuse_workers.py: two workers by MPI have the stars of one, with a mass that changes and a star that leaves. AMUSE starts one a core."""
import numpy as np
from amuse.ic.plummer import new_plummer_model
from amuse.units import nbody_system

from amuse_holmberg import Holmberg

np.random.seed(3)
stars, seen = new_plummer_model(64), []
for workers in 1, 2:
    code = Holmberg(number_of_workers=workers)
    code.parameters.epsilon_squared = (0.02 | nbody_system.length) ** 2
    code.particles.add_particles(stars)
    code.evolve_model(0.25 | nbody_system.time)
    code.particles[3].mass = 0.5 * code.particles[3].mass
    code.particles.remove_particle(code.particles[7])
    code.evolve_model(0.5 | nbody_system.time)
    seen.append(code.particles.position.value_in(nbody_system.length).copy())
    code.stop()
print(f"{len(seen[0])} stars, of two workers {len(seen[1])}, apart {np.abs(seen[1] - seen[0]).max()}")
assert len(seen[0]) == 63 and (seen[0] == seen[1]).all()
