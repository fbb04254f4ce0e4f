# %% [markdown]
# # Your own force
# What one particle does to another is a few lines of GLSL, which the library sums over all pairs. Here each mass pulls like
# a spring, F = k m r; a sum by numpy is beside it.
# %%
import numpy as np
import holmberg

spring = holmberg.Interaction("spring.glsl", """
//   particle:  (x, y, z, m)
//   sink:      (x, y, z, -)
//   force:     (ax, ay, az, -)
//   parameter: (k = 0.5, -, -, -)

#include "common/real.glsl"

void interact(in real4 i[ALL_RECORDS], in real4 j[ALL_RECORDS], real4 parameter, inout real4 f[F_RECORDS]) {
  real3 rij = separation(i, j);
  f[0].xyz = mad(parameter.x * j[0].w, rij, f[0].xyz);
}
""")
print(spring)
# %%
rng = np.random.default_rng(1)
x, m = rng.normal(size=(100, 3)), rng.random(100)
pairs = holmberg.AllPairs(spring, precision="single")
pairs.set_sources({"x": x[:, 0], "y": x[:, 1], "z": x[:, 2], "m": m})
felt = pairs.eval()
expected = 0.5 * (m @ x - m.sum() * x)
off = np.abs(np.column_stack([felt["ax"], felt["ay"], felt["az"]]) - expected).max()
print(f"largest error {off:.1e} of {np.abs(expected).max():.1f}")
assert off < 1e-4
