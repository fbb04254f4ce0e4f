"""What `Simulation.run` says while it works, and what `Simulation.plot` draws; matplotlib is looked for when it is needed."""
from __future__ import annotations

import importlib
import sys
import time
from types import TracebackType
from typing import Any, NamedTuple, Optional

import numpy as np

from ._library import Array, UsageError


FEW = 10  # bodies, fewer have no Lagrangian radii worth a picture


class Row(NamedTuple):
    """What a run notes at each interval."""

    t: float
    kept: float
    error: float
    r_lagrange: Array


class Progress:
    """A bar on stderr, in a terminal or a notebook; elsewhere nothing."""

    def __init__(self, start: float, until: float, shown: Optional[bool]):
        self._start, self._until, self._began, self._said = start, until, time.monotonic(), 0.0
        self._shown = "ipykernel" in sys.modules or sys.stderr.isatty() if shown is None else shown

    def __enter__(self) -> Progress:
        return self

    def tell(self, t: float, last: bool = False) -> None:
        """At most ten times a second."""
        now = time.monotonic()
        if not self._shown or (now - self._said < 0.1 and not last):
            return
        done = (t - self._start) / (self._until - self._start) if self._until > self._start else 1.0
        spent, self._said = now - self._began, now
        left = f"{spent / done - spent:.0f} s left" if 0 < done < 1 else f"{spent:.1f} s"
        bar = "#" * int(30 * done)
        line = f"[{bar:30}] {done:4.0%}  t = {t:g}  {left}"
        sys.stderr.write(f"\r{line:72}")  # over what stood there
        sys.stderr.flush()

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        if self._shown and self._said:
            sys.stderr.write("\n")


def plot(sim: Any, history: list[Row]) -> Any:
    """Positions; and of a run with intervals, Lagrangian radii (of more than a few bodies) and the error of the energy."""
    try:
        pyplot = importlib.import_module("matplotlib.pyplot")  # which has no types
    except ImportError:
        raise ImportError("plot() draws with matplotlib, which is not installed (python3-matplotlib, or pip install "
                          "matplotlib)") from None
    state = sim.state()
    panels = 1 if len(history) < 2 else 2 if len(state) < FEW else 3
    figure, axes = pyplot.subplots(1, panels, figsize=(4.6 * panels, 4.2), squeeze=False, constrained_layout=True)
    _positions(axes[0, 0], state)
    t = [row.t for row in history]
    if panels == 3:
        _radii(axes[0, 1], t, np.array([row.r_lagrange for row in history]))
    if panels > 1:
        axes[0, -1].plot(t, [row.error for row in history], marker="." if len(t) < 50 else "")
        axes[0, -1].set(xlabel="t", ylabel="dE / E", title="energy")
        axes[0, -1].ticklabel_format(axis="y", scilimits=(-2, 2))
    if "inline" in pyplot.get_backend():  # Jupyter shows what is returned, and once more what is open
        pyplot.close(figure)
    return figure


def _positions(axes: Any, p: Any) -> None:
    size = np.clip(2000 / len(p), 0.5, 40)
    axes.scatter(p.x[:, 0], p.x[:, 1], s=size, c="k", alpha=0.7, linewidths=0)
    middle = np.median(p.x[:, :2], axis=0)
    reach = 1.1 * np.quantile(np.abs(p.x[:, :2] - middle).max(axis=1), 1 if len(p) < 20 else 0.96) or 1
    axes.set(xlim=middle[0] + np.array([-reach, reach]), ylim=middle[1] + np.array([-reach, reach]), aspect="equal",
             xlabel="x", ylabel="y", title=f"{len(p)} particles, t = {p.time:g}")


def _radii(axes: Any, t: list[float], radii: Array) -> None:
    from .simulation import lagrange_fractions
    for fraction, r in zip(lagrange_fractions(), radii.T):
        axes.semilogy(t, r, label=f"{fraction:.0%}")
    axes.legend(title="of the mass", fontsize="small", loc="upper left", bbox_to_anchor=(1, 1))
    axes.set(xlabel="t", ylabel="r", title="Lagrangian radii")


def need_positive(every: float) -> float:
    """An interval."""
    if not every > 0:
        raise UsageError(f"every is {every:g}, expected a time above 0")
    return every
