"""The field of a cluster at points between its stars, beside that of the Plummer model: M r / (r^2 + a^2)^(3/2)."""
import numpy as np

import holmberg

stars = holmberg.Particles.make("plummer", 20000, seed=1)
force = holmberg.Force(eps=1/64)
force.set_sources(stars.m, stars.x)  # numpy arrays of your own do as well

scale = 3 * np.pi / 16  # of a model whose energy is -1/4
directions = np.random.default_rng(1).normal(size=(200, 3))
directions /= np.linalg.norm(directions, axis=1)[:, None]
for r in (0.25, 0.5, 1, 2):
    a, _, _ = force.at(r * directions)
    inward = -(a * directions).sum(axis=1).mean()
    print(f"r = {r:4.2f} inward = {inward:.4f} model = {r / (r ** 2 + scale ** 2) ** 1.5:.4f}")
