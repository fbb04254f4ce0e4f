"""Forces between particles: accelerations, jerks and potentials."""
from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import Any, Mapping, Optional, Union

import numpy as np

from . import _abi
from ._library import (Array, Opened, UsageError, address, array, check_words, decoded, encoded, finite, lib, listing, made,
                       values_of, whole, words)
from .pairs import Interaction, parameter_words

NO_SOURCE = _abi.HB_NO_SOURCE  # in `own`: no source is left out


def schemes() -> dict[str, SimpleNamespace]:
    """Ways to compute forces, by name: summary, source, precisions (the default first), modes, ..."""
    return listing(lib.hb_force_schemes)


def precisions() -> dict[str, SimpleNamespace]:
    """Arithmetics of all schemes, by name: position_bits (significant bits of a position), reproducible (1: the same bits everywhere).

    >>> precisions()["double"].position_bits
    53
    """
    return {name: SimpleNamespace(position_bits=lib.hb_force_position_bits(name.encode()),
                                  reproducible=lib.hb_force_is_reproducible(name.encode()))
            for name in words("hb_precision_names")}


def auto() -> str:
    """What scheme 'auto', the default, chooses."""
    return decoded(lib.hb_force_auto_summary())


def memory(n: int, scheme: str, precision: str) -> SimpleNamespace:
    """Bytes that a run of n particles needs: ``device`` and ``host``, and what they consist of."""
    need = _abi.hb_force_need()
    lib.hb_force_memory(force_params(scheme=scheme, precision=precision), whole(n, "n"), ctypes.byref(need))
    return values_of(need)


def force_params(scheme: Optional[str] = None, precision: Optional[str] = None, eps: Optional[float] = None, *,
                 interaction: Union[Interaction, str, None] = None, parameters: Optional[Mapping[str, float]] = None,
                 context: Optional[str] = None, device: Optional[str] = None, tuning: Optional[str] = None,
                 max_draw_s: float = 0, flags: int = 0) -> _abi.hb_force_params:
    """The keywords of `Force`, for the library."""
    flags = whole(flags, "flags", 2 ** 31)
    eps = None if eps is None else finite(eps, "eps")
    if eps == 0:
        flags |= _abi.HB_FORCE_UNSOFTENED  # asked for, whatever the particles note
    custom = interaction._handle.address if isinstance(interaction, Interaction) else None
    return _abi.hb_force_params(encoded(scheme), encoded(precision), None if custom else encoded(interaction), custom,
                                parameter_words(parameters), encoded(context), encoded(device), encoded(tuning),
                                finite(max_draw_s, "max_draw_s"), eps or 0.0, flags)


def description(force: Any) -> str:
    """'tile, ds on NVIDIA H200' of a handle of forces."""
    scheme = lib.hb_force_scheme(force).contents.name
    return f"{scheme.decode()}, {lib.hb_force_precision(force).decode()} on {lib.hb_force_device(force).decode()}"


class Force(Opened):
    """A source of forces on one device.

    Of every sink i, over the sources j, with rij = xj - xi and G = 1 ([PZ07] eq. 1):

    - acceleration ``a = sum m rij / (rij^2 + eps^2)^(3/2)``
    - its time derivative ``j``, the jerk
    - potential ``phi = -sum m / (rij^2 + eps^2)^(1/2)``

    An object with forces on OpenGL stays with the thread that made it.

    Parameters
    ----------
    scheme : str, optional
        One of `schemes`; None or 'auto': the best for this machine.
    precision : str, optional
        One of the scheme's precisions; None: its first.
    eps : float
        Plummer softening.
    interaction : Interaction or str, optional
        Another interaction than gravity_jerk, which gives acceleration, jerk and potential; for bag, tile and
        matrix2004.
    parameters : mapping of float, optional
        Values of its parameters that differ from those in its file; eps2 is set by eps.
    context : {'egl', 'osmesa', 'glfw', 'gles', 'auto'}, optional
        How to get OpenGL; None: the environment's HB_CONTEXT, or auto.
    device : str, optional
        Index, '/dev/dri/...' or 'software'; None: the environment's HB_DEVICE, or the best.
    tuning : str, optional
        Words like 'i_each=4 unroll=8'; None: measured or safe.
    max_draw_s : float
        Upper limit for the time of a draw in seconds; 0: 0.05.
    flags : int
        A sum of 1: cg2007 with rectangle textures, 2: the driver's debug messages are errors, 4: no tuning is measured,
        8: phases are timed one by one.

    Examples
    --------
    >>> p = Particles.make("plummer", 64, seed=1)
    >>> force = Force("host", eps=1/256)
    >>> force.set_sources(p.m, p.x, p.v)
    >>> a, j, phi = force.eval()
    """

    __slots__ = ("_sources", "_under_way")

    def __init__(self, scheme: Optional[str] = None, precision: Optional[str] = None, eps: float = 0, **params: Any):
        check_words(params, Force.__init__, force_params)
        self._handle = made(lib.hb_force_open, force_params(scheme, precision, eps, **params),
                            destroy=lib.hb_force_close, keep=params.get("interaction"))
        self._sources = 0
        self._under_way: Optional[tuple[Any, ...]] = None  # arrays that belong to the call

    def set_sources(self, m: Any, x: Any, v: Any = None) -> None:
        """The particles that act: m[n], x[n, 3], v[n, 3] (None: at rest)."""
        x = array(x, "x", (None, 3))
        m = array(m, "m", x.shape[:1])
        v = np.zeros_like(x) if v is None else array(v, "v", x.shape)
        self._handle.call(lib.hb_force_set_j, len(x), address(m), address(x), address(v))
        self._sources = len(x)

    def _results(self, ni: int, out: Optional[tuple[Any, ...]]) -> tuple[Array, ...]:
        shapes = ((ni, 3), (ni, 3), (ni,))
        if out is None:
            return tuple(np.empty(shape) for shape in shapes)
        for one, shape in zip(out, shapes):
            if one.shape != shape or one.dtype != np.float64 or not one.flags.c_contiguous or not one.flags.writeable:
                raise UsageError(f"an array of out is not one of contiguous doubles of the shape {shape}")
        return out

    def _sinks(self, index: Any, out: Optional[tuple[Any, ...]]) -> tuple[Any, ...]:
        sinks = np.arange(self._sources) if index is None else index
        sinks = array(sinks, "index", (None,), np.uint32)
        return (sinks, *self._results(len(sinks), out))

    def _points(self, x: Any, v: Any, own: Any, out: Optional[tuple[Any, ...]]) -> tuple[Any, ...]:
        x = array(x, "x", (None, 3))
        v = None if v is None else array(v, "v", x.shape)
        own = None if own is None else array(own, "own", x.shape[:1], np.uint32)
        return (x, v, own, *self._results(len(x), out))

    def eval(self, index: Any = None, out: Optional[tuple[Any, ...]] = None) -> tuple[Array, ...]:
        """Forces on sources.

        Parameters
        ----------
        index : array_like of int, optional
            Their numbers, none twice; None: all. A particle never feels itself.
        out : tuple of three arrays, optional
            Where to put the results.

        Returns
        -------
        a, j, phi : ndarray
            Shapes (ni, 3), (ni, 3) and (ni,).
        """
        arrays = self._sinks(index, out)
        self._handle.call(lib.hb_force_eval, len(arrays[0]), *map(address, arrays))
        return arrays[-3:]

    def at(self, x: Any, v: Any = None, own: Any = None,
           out: Optional[tuple[Any, ...]] = None) -> tuple[Array, ...]:
        """Forces at points.

        Parameters
        ----------
        x, v : array_like, shape (ni, 3)
            Positions and velocities (None: at rest), which need not be those of sources.
        own : array_like of int, shape (ni,), optional
            The source that a point does not feel, or `NO_SOURCE`; None: every point feels every source.
        out : tuple of three arrays, optional
            Where to put the results.

        Returns
        -------
        a, j, phi : ndarray
        """
        arrays = self._points(x, v, own, out)
        self._handle.call(lib.hb_force_at, len(arrays[0]), *map(address, arrays))
        return arrays[-3:]

    def begin(self, index: Any = None, out: Optional[tuple[Any, ...]] = None) -> None:
        """Begins `eval` and returns while the device works. Until `finish` this object takes no other call."""
        arrays = self._sinks(index, out)
        self._handle.call(lib.hb_force_begin, len(arrays[0]), *map(address, arrays))
        self._under_way = arrays

    def begin_at(self, x: Any, v: Any = None, own: Any = None, out: Optional[tuple[Any, ...]] = None) -> None:
        """Begins `at` and returns while the device works."""
        arrays = self._points(x, v, own, out)
        self._handle.call(lib.hb_force_begin_at, len(arrays[0]), *map(address, arrays))
        self._under_way = arrays

    def finish(self) -> tuple[Array, ...]:
        """Waits for what was begun, and returns a, j and phi."""
        if self._under_way is None:
            raise UsageError("no call was begun")
        arrays = self._under_way
        self._handle.call(lib.hb_force_finish)
        self._under_way = None
        return arrays[-3:]

    @property
    def scheme(self) -> str:
        """Its name."""
        return decoded(self._handle.call(lib.hb_force_scheme).contents.name)

    @property
    def precision(self) -> str:
        """Its name."""
        return decoded(self._handle.call(lib.hb_force_precision))

    @property
    def tuning(self) -> str:
        """Words, as the argument; '' where there are none."""
        return decoded(self._handle.call(lib.hb_force_tuning))

    @property
    def context(self) -> str:
        """'egl', 'osmesa', 'glfw', 'gles', or 'none' on the host."""
        return decoded(self._handle.call(lib.hb_force_context))

    @property
    def device(self) -> str:
        """What the driver calls it."""
        return decoded(self._handle.call(lib.hb_force_device))

    def _told(self) -> str:
        return f": {self._handle.call(description)}, {self._sources} sources"
