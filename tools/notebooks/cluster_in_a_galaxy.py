# %% [markdown]
# # A cluster in a galaxy
# A Plummer model of 128 stars goes around a point of a thousand of its masses, 50 lengths away.
# %%
import numpy as np
import holmberg

stars = holmberg.Particles.make("plummer", 128, seed=1)
stars.x += np.array([50, 0, 0])
stars.v += np.array([0, (1000 / 50) ** 0.5, 0])
sim = holmberg.Simulation(stars, scheme="host", eps=1/64, field="point:m=1000")
start = sim.diagnostics()
# %% [markdown]
# Its middle follows the circle; its energy, with that of the orbit, stays.
# %%
for t in range(1, 5):
    sim.evolve(t)
    x, y, _ = sim.structure().x_mass
    now = sim.diagnostics()
    print(f"t = {t}  R = {np.hypot(x, y):.3f}  r_half = {now.r_half:.3f}  dE/E = {(now.e_total - start.e_total) / start.e_scale:.1e}")
assert abs(np.hypot(x, y) - 50) < 0.05
assert abs(now.e_total - start.e_total) / start.e_scale < 1e-4
