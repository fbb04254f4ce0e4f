#!/usr/bin/env python3
"""amuse_workers.py: three workers by MPI have the stars of one, with a mass that changes and a star that leaves; each, and the one
over sockets, may use all cores, fewer than workers though they be."""
import os
from pathlib import Path

import numpy as np
from amuse.ic.plummer import new_plummer_model
from amuse.units import nbody_system

from amuse_holmberg import Holmberg


def cores(code):
    """Of each process of this code."""
    folder = code.legacy_interface._folder.name
    told = ((int(p.parent.name), p.read_bytes().decode()) for p in Path("/proc").glob("[0-9]*/cmdline"))
    return [len(os.sched_getaffinity(pid)) for pid, words in told if f"{folder}/" in words]


np.random.seed(3)
stars, seen, every = new_plummer_model(64), [], len(os.sched_getaffinity(0))
for workers, channel in (1, "mpi"), (3, "mpi"), (1, "sockets"):
    code = Holmberg(number_of_workers=workers, channel_type=channel)
    code.parameters.epsilon_squared = (0.02 | nbody_system.length) ** 2
    code.particles.add_particles(stars)
    code.evolve_model(0.25 | nbody_system.time)
    code.particles[3].mass = 0.5 * code.particles[3].mass
    code.particles.remove_particle(code.particles[7])
    code.evolve_model(0.5 | nbody_system.time)
    seen.append(code.particles.position.value_in(nbody_system.length).copy())
    have = cores(code)
    code.stop()
    print(f"{workers} by {channel}: {len(seen[-1])} stars, apart {np.abs(seen[-1] - seen[0]).max()}, processes on {have} of {every} cores")
    assert len(seen[-1]) == 63 and (seen[-1] == seen[0]).all()
    assert len(have) >= workers and set(have) == {every}
