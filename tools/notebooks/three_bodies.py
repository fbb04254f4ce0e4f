# %% [markdown]
# # Three bodies
# Three equal masses follow each other on a figure of eight, found by Moore (1993) and by Chenciner and Montgomery (2000).
# %%
import numpy as np
import holmberg

x1, v3 = np.array([0.97000436, -0.24308753, 0]), np.array([-0.93240737, -0.86473146, 0])
bodies = holmberg.Particles.from_arrays([1, 1, 1], [x1, -x1, 0 * x1], [-v3 / 2, -v3 / 2, v3])
sim = holmberg.Simulation(bodies, scheme="host", eps=0, eta=0.002)
# %% [markdown]
# After one period, 6.32591398, each is where it began, but for the error of the steps.
# %%
start = sim.diagnostics()
path = []
for t in np.linspace(0, 6.32591398, 41):
    sim.evolve(t)
    path.append(sim.state(t).x[0, :2])
off = np.abs(path[-1] - x1[:2]).max()
error = abs(sim.diagnostics().e_total - start.e_total) / start.e_scale
print(f"off by {off:.1e}, dE/E = {error:.1e}")
assert off < 1e-4 and error < 1e-8
