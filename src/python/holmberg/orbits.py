"""Two bodies: orbital elements, and positions and velocities."""
from __future__ import annotations

import math
from typing import Any, Callable, Optional

import numpy as np

from ._library import Array, UsageError, finite

ORBIT = np.dtype([("id", "<u8"), *((name, "<f8") for name in ("d", "a", "e", "inc", "Omega", "omega", "f", "M", "P"))])


def _turned(inc: float, Omega: float, omega: float) -> Array:
    """The columns: toward pericenter, along the motion there, along the angular momentum."""
    def about(axis: int, angle: float) -> Array:
        c, s, (j, k) = math.cos(angle), math.sin(angle), [(1, 2), (2, 0), (0, 1)][axis]
        turn = np.eye(3)
        turn[j, j], turn[j, k], turn[k, j], turn[k, k] = c, -s, s, c
        return turn
    return about(2, Omega) @ about(0, inc) @ about(2, omega)


def true_anomaly(M: float, e: float) -> float:
    """Of the mean anomaly, by Kepler's equation.

    >>> round(true_anomaly(1.0, 0.5), 12)
    2.030806214849
    """
    value: Callable[[float], float]
    if e < 1:
        M = math.remainder(M, 2 * math.pi)
        low, high = M - e, M + e  # E - M = e sin E
        value = lambda E: E - e * math.sin(E)
    else:
        high = math.asinh(abs(M) / e) + abs(M) / (e - 1)  # H at most
        low, high = -high, high
        value = lambda E: e * math.sinh(E) - E
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if value(middle) < M else (low, middle)
    root = math.sqrt(abs((1 + e) / (1 - e)))
    return 2 * math.atan(root * (math.tan if e < 1 else math.tanh)(low / 2))


def place_of(mu: float, a: float, e: float = 0, inc: float = 0, Omega: float = 0, omega: float = 0,
             f: float = 0) -> tuple[Array, Array]:
    """Position and velocity relative to the primary; mu is G times both masses, angles are in radians.

    >>> x, v = place_of(1, a=1, e=0.5)
    >>> x.tolist()
    [0.5, 0.0, 0.0]
    """
    p = a * (1 - e * e)
    if e < 0 or e == 1 or p <= 0:
        raise UsageError(f"a = {a:g}, e = {e:g} is no orbit (expected a > 0 and 0 <= e < 1, or a < 0 and e > 1)")
    if 1 + e * math.cos(f) <= 0:
        raise UsageError(f"f = {f:g} is beyond the asymptote of e = {e:g}")
    turn, speed = _turned(inc, Omega, omega), math.sqrt(mu / p)
    x = turn @ [math.cos(f), math.sin(f), 0] * (p / (1 + e * math.cos(f)))
    return x, turn @ [-math.sin(f), e + math.cos(f), 0] * speed


def elements_of(mu: float, x: Any, v: Any) -> tuple[float, ...]:
    """d, a, e, inc, Omega, omega, f, M and the period P; of a circle f counts from the node, and Omega is 0 in the plane.

    >>> [round(k, 12) for k in elements_of(1, *place_of(1, a=2, e=0.25, inc=0.5, Omega=1, omega=2, f=0.1))[1:7]]
    [2.0, 0.25, 0.5, 1.0, 2.0, 0.1]
    """
    x, v = np.asarray(x, float), np.asarray(v, float)
    d, h = float(np.linalg.norm(x)), np.cross(x, v)
    to_pericenter = np.cross(v, h) / mu - x / d
    a, e = 1 / (2 / d - float(v @ v) / mu), float(np.linalg.norm(to_pericenter))
    inc = math.atan2(math.hypot(h[0], h[1]), h[2])
    Omega = math.atan2(h[0], -h[1]) if math.hypot(h[0], h[1]) > 1e-14 * np.linalg.norm(h) else 0.0
    in_plane = _turned(inc, Omega, 0).T
    e_x, e_y, _ = in_plane @ to_pericenter
    x_x, x_y, _ = in_plane @ x
    omega = math.atan2(e_y, e_x) if e > 1e-14 else 0.0
    f = math.remainder(math.atan2(x_y, x_x) - omega, 2 * math.pi)
    half = math.tan(f / 2) * math.sqrt(abs((1 - e) / (1 + e)))
    if e < 1:
        E = 2 * math.atan(half)
        M, P = E - e * math.sin(E), 2 * math.pi * math.sqrt(a ** 3 / mu)
    else:
        H = 2 * math.atanh(half) if abs(half) < 1 else math.copysign(math.inf, half)
        M, P = e * math.sinh(H) - H if math.isfinite(H) else H, math.inf
    return d, a, e, inc, Omega % (2 * math.pi), omega % (2 * math.pi), f, M, P


def placed(others: Any, m: float, primary: Optional[int], x: Any, v: Any, orbit: dict[str, Optional[float]]) -> tuple[Any, Any]:
    """Where a particle is that is given by x and v or by its orbit; others have m, x, v and id."""
    known = {name: finite(value, name) for name, value in orbit.items() if value is not None}
    if not known:
        return (0, 0, 0) if x is None else x, (0, 0, 0) if v is None else v
    if x is not None or v is not None or "a" not in known:
        raise UsageError("a particle is given by x and v, or by a with e, inc, Omega, omega and one of f and M")
    if "M" in known:
        if "f" in known:
            raise UsageError("f and M are two words for one thing (expected one of them)")
        known["f"] = true_anomaly(known.pop("M"), known.get("e", 0))
    mass, at, velocity = center_of(others, primary)
    dx, dv = place_of(mass + m, **known)
    return at + dx, velocity + dv


def center_of(others: Any, primary: Optional[int]) -> tuple[float, Array, Array]:
    """Mass, position and velocity of a particle by its identity; None: of all of them."""
    rows = np.arange(len(others.m)) if primary is None else np.flatnonzero(others.id == primary)
    mass = float(np.sum(others.m[rows]))
    if mass <= 0:
        raise UsageError("an orbit needs a primary with a mass" + ("" if primary is None else f", and {primary} has none"))
    return mass, others.m[rows] @ others.x[rows] / mass, others.m[rows] @ others.v[rows] / mass


def orbits_of(particles: Any, primary: Optional[int]) -> Array:
    """Of each particle about the primary, or the center of mass of those before it (Jacobi)."""
    rows = []
    for k in range(len(particles)):
        if k == 0 if primary is None else particles.id[k] == primary:
            continue
        mass, x, v = center_of(particles if primary is not None else particles[:k], primary)
        rows.append((particles.id[k], *elements_of(mass + particles.m[k], particles.x[k] - x, particles.v[k] - v)))
    return np.array(rows, ORBIT)
