#!/usr/bin/env python3
"""amuse_cluster.py STARS MYR: with AMUSE, a cluster in a galaxy (bridge), and one whose stars age by SSE, both stopped on the way
by collisions and by stars that leave. Prints what came of it; exit code 1 if a number is off."""
import sys
import time

import numpy as np
from amuse.couple.bridge import Bridge
from amuse.datamodel import Particles
from amuse.ext.galactic_potentials import MWpotentialBovy2015
from amuse.ic.brokenimf import new_kroupa_mass_distribution
from amuse.ic.plummer import new_plummer_model
from amuse.units import nbody_system, units
from amuse_holmberg import Holmberg
from amuse_sse.interface import SSE

N, END = int(sys.argv[1]), float(sys.argv[2]) | units.Myr
DT = 0.5 | units.Myr  # a block step: the unit of time is 1 Myr
bad = 0


def told(what, number, least, most):
    global bad
    print(f"{what}: {number:.6g}, expected {least:g} to {most:g}", flush=True)
    bad += not least <= number <= most


def cluster():
    np.random.seed(28)
    masses = new_kroupa_mass_distribution(N, mass_max=50 | units.MSun)
    stars = new_plummer_model(N, nbody_system.nbody_to_si(masses.sum(), 1 | units.parsec))
    stars.mass = masses
    stars.radius = 1 | units.RSun
    stars.move_to_center()
    return stars


def begun(stars):
    code = Holmberg(nbody_system.nbody_to_si(1 | units.Myr, 1 | units.parsec))
    code.parameters.scheme = "host-simd"
    code.parameters.precision = "ds"
    code.parameters.epsilon_squared = (0 | units.parsec) ** 2
    code.particles.add_particles(stars)
    return code


def kicked(galaxy, x, v):
    """The relative error of the energy of one star there: the bridge's own, of kicks and drifts."""
    place, velocity = np.array([x.value_in(units.parsec), 0, 0]), np.array([0, v.value_in(units.parsec / units.Myr), 0])
    pull = lambda: np.array([float(a.value_in(units.parsec / units.Myr ** 2))
                             for a in galaxy.get_gravity_at_point(0 | units.m, *(place | units.parsec))])
    energy = lambda: 0.5 * velocity @ velocity + float(galaxy.get_potential_at_point(
        0 | units.m, *(place | units.parsec)).value_in((units.parsec / units.Myr) ** 2))
    first, dt = energy(), DT.value_in(units.Myr)
    for _ in range(round(END / DT)):
        velocity = velocity + dt / 2 * pull()
        place = place + dt * velocity
        velocity = velocity + dt / 2 * pull()
    return (energy() - first) / first


def in_a_galaxy():
    stars = cluster()
    galaxy = MWpotentialBovy2015()
    x = 8.5 | units.kpc
    v = galaxy.circular_velocity(x)
    stars.x += x
    stars.vy += v
    code = begun(stars)
    bridge = Bridge(use_threading=False)
    bridge.add_system(code, (galaxy,))
    bridge.timestep = DT
    energy = lambda: code.kinetic_energy + code.potential_energy + (
        code.particles.mass * galaxy.get_potential_at_point(0 | units.m, *code.particles.position.T)).sum()
    first, start = energy(), time.time()
    bridge.evolve_model(END)
    place = code.particles.center_of_mass() - ([0, 0, 0] | units.kpc)
    told("the model's time / that asked for", code.model_time / END, 1 - 1e-12, 1 + 1e-12)
    told("the cluster's distance from the galaxy's center in kpc", place.length().value_in(units.kpc), 8.3, 8.7)
    error, own = (energy() - first) / first, kicked(galaxy, x, v)
    told(f"error of the energy, {error:.6g}, without that of one star's orbit by the same kicks", abs(error - own), 0, 1e-7)
    print(f"in a galaxy: {N} stars, {END.number:g} Myr, {time.time() - start:.1f} s", flush=True)
    code.stop()


def with_aging():
    stars = cluster()
    code, sse = begun(stars), SSE()
    sse.particles.add_particles(stars)
    ages = sse.particles.new_channel_to(code.particles)
    ages.copy_attributes(["mass", "radius"])
    born = code.particles.mass.sum()
    touch, leave = code.stopping_conditions.collision_detection, code.stopping_conditions.escaper_detection
    touch.enable()
    leave.enable()
    merged, gone, start, k = 0, 0, time.time(), 0
    while code.model_time < END - 0.01 * DT:
        k += 1
        sse.evolve_model(k * DT)
        ages.copy_attributes(["mass", "radius"])
        while code.model_time < k * DT - 1e-9 * DT:
            code.evolve_model(k * DT)
            for one, other in zip(list(touch.particles(0)), list(touch.particles(1))):
                both = Particles(particles=[one, other])
                new = Particles(1)
                new.mass, new.radius = both.mass.sum(), both.radius.max()
                new.position, new.velocity = both.center_of_mass(), both.center_of_mass_velocity()
                for removed in (one, other):
                    sse.particles.remove_particle(removed) if removed in sse.particles else None
                code.particles.remove_particles(both)
                code.particles.add_particles(new)
                merged += 1
            for one in list(leave.particles(0)):
                sse.particles.remove_particle(one) if one in sse.particles else None
                code.particles.remove_particle(one)
                gone += 1
    told("the model's time / that asked for", code.model_time / END, 1 - 1e-9, 1 + 1e-9)
    told("stars left, merged once or gone", len(code.particles) + merged + gone, N, N)
    there = sse.particles.select(lambda key: True, ["key"])
    same = [abs(code.particles[code.particles.key == one.key].mass[0] / one.mass - 1) for one in there]
    told("masses in the code / those of SSE - 1", float(max(same)), 0, 1e-12)
    told("mass left / that at birth", code.particles.mass.sum() / born, 0.5, 0.95)
    print(f"with SSE: {N} stars, {END.number:g} Myr, {merged} merged, {gone} gone, {time.time() - start:.1f} s", flush=True)
    code.stop()
    sse.stop()


in_a_galaxy()
with_aging()
sys.exit(bad > 0)
