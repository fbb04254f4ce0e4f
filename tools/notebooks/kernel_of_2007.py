# %% [markdown]
# # The kernel of 2007, by hand
# Portegies Zwart, Belleman & Geldof (2007) sum equation 1 on the card in single precision. Here it is line by line in numpy's
# single precision, beside the same kernel on OpenGL and a sum in double.
# %%
import numpy as np
import holmberg

stars = holmberg.Particles.make("plummer", 256, seed=1)
eps2 = np.float32(1 / 64) ** 2


def by_hand(x, m, kind):
    """a = sum m rij / (rij^2 + eps^2)^(3/2); a star's own rij is 0."""
    x, m = x.astype(kind), m.astype(kind)
    rij = x[None] - x[:, None]
    r2 = (rij ** 2).sum(axis=2) + kind(eps2)
    return ((m / r2 / np.sqrt(r2))[..., None] * rij).sum(axis=1)


exact = by_hand(stars.x, stars.m, np.float64)
# %%
force = holmberg.Force(scheme="cg2007", eps=1/64)
force.set_sources(stars.m, stars.x)
size = np.linalg.norm(exact, axis=1)
for name, a in (("by hand", by_hand(stars.x, stars.m, np.float32)), ("cg2007", force.eval()[0])):
    error = np.median(np.linalg.norm(a - exact, axis=1) / size)
    print(f"{name:8} median error {error:.1e}")
    assert error < 1e-5
