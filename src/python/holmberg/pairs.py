"""Interactions of your own, summed over all pairs."""
from __future__ import annotations

import ctypes
from typing import Any, Iterable, Iterator, Mapping, Optional, Union

import numpy as np

from . import _abi
from ._library import Array, Opened, Unique, UsageError, address, array, decoded, encoded, finite, lib, made, numbers, whole


def parameter_words(parameters: Optional[Mapping[str, float]]) -> Optional[bytes]:
    """{'k': 1, 'b': 2} as the library reads it."""
    return None if parameters is None else " ".join(f"{key}={float(parameters[key])!r}" for key in parameters).encode()


class Interaction(Unique):
    """What one source does to one sink, in GLSL; shaders/interactions/README.md explains how it is written.

    Parameters
    ----------
    name : str
        One that comes with the library, like 'coulomb', or a file like 'my.glsl'.
    text : str, optional
        The text of such a file, which messages call `name`.

    Attributes
    ----------
    sources, sinks, forces : list of str
        The named numbers of a source, of a sink, and of what a sink feels.
    parameters : dict of float
        Its parameters and their values; NaN: must be given.
    flops : int
        Operations a pair; 0: not declared.
    """

    __slots__ = ("name", "sources", "sinks", "forces", "parameters", "flops")

    def __init__(self, name: str, text: Optional[str] = None):
        if text is None:
            self._handle = made(lib.hb_interaction_create, encoded(name), destroy=lib.hb_interaction_destroy)
        else:
            self._handle = made(lib.hb_interaction_create_text, encoded(name), encoded(text),
                                destroy=lib.hb_interaction_destroy)
        at = self._handle.address
        self.name = lib.hb_interaction_name(at).decode()
        self.sources = list(_names(lib.hb_interaction_of_source, at))
        self.sinks = list(_names(lib.hb_interaction_of_sink, at))
        self.forces = list(_names(lib.hb_interaction_of_force, at))
        value = ctypes.c_double()
        parameters = _names(lib.hb_interaction_of_parameter, at, ctypes.byref(value))
        self.parameters = {name: value.value for name in parameters}
        self.flops = lib.hb_interaction_flops(at)

    def __repr__(self) -> str:
        return f"<holmberg.Interaction {self.name}: {', '.join(self.sources)} -> {', '.join(self.forces)}>"


def _names(function: Any, interaction: Any, *value: Any) -> Iterator[str]:
    k = 0
    while (name := function(interaction, k, *value)) is not None:
        yield name.decode()
        k += 1


class AllPairs(Opened):
    """Sums an interaction over all sources, for every sink.

    An object on OpenGL stays with the thread that made it.

    Parameters
    ----------
    interaction : Interaction or str
        A str as for `Interaction`.
    scheme : {'bag', 'tile', 'matrix2004'}, optional
        None: tile where the device can, else bag.
    precision : {'single', 'compensated', 'ds', 'double'}, optional
        None: single.
    parameters : mapping of float, optional
        Values of its parameters that differ from those in the file.
    context, device, tuning, max_draw_s, flags
        As for `Force`.

    Examples
    --------
    >>> pairs = AllPairs("coulomb", precision="ds")
    >>> x, q = np.array([[0.0, 0, 0], [2, 0, 0]]), [1, -1]
    >>> pairs.set_sources({"x": x[:, 0], "y": x[:, 1], "z": x[:, 2], "q": q})
    >>> pairs.eval()["ex"].tolist()
    [0.25, 0.25]
    """

    __slots__ = ("interaction", "_sources")

    def __init__(self, interaction: Union[Interaction, str], scheme: Optional[str] = None,
                 precision: Optional[str] = None, *, parameters: Optional[Mapping[str, float]] = None,
                 context: Optional[str] = None, device: Optional[str] = None, tuning: Optional[str] = None,
                 max_draw_s: float = 0, flags: int = 0):
        self.interaction = Interaction(interaction) if isinstance(interaction, str) else interaction
        params = _abi.hb_all_pairs_params(encoded(scheme), encoded(precision), parameter_words(parameters),
                                          encoded(context), encoded(device), encoded(tuning), max_draw_s,
                                          whole(flags, "flags", 2 ** 31))
        self._handle = made(lib.hb_all_pairs_open, self.interaction._handle.address, params,
                            destroy=lib.hb_all_pairs_close, keep=self.interaction)
        self._sources = 0

    def set_parameter(self, name: str, value: float) -> None:
        """From the next evaluation on."""
        self._handle.call(lib.hb_all_pairs_set_parameter, encoded(name), finite(value, name))

    def set_sources(self, numbers: Mapping[str, Any]) -> None:
        """The sources: an array of n for each name in ``interaction.sources``."""
        count, inputs, _arrays = _inputs(numbers)
        self._handle.call(lib.hb_all_pairs_set_sources, count, len(inputs), inputs)
        self._sources = count

    def eval(self, index: Any = None, names: Optional[Iterable[str]] = None) -> dict[str, Array]:
        """What sources feel, each without itself.

        Parameters
        ----------
        index : array_like of int, optional
            Their numbers; None: all.
        names : list of str, optional
            Which results; None: all of ``interaction.forces``.

        Returns
        -------
        dict of ndarray, shape (ni,)
        """
        index = None if index is None else array(index, "index", (None,), np.uint32)
        ni = self._sources if index is None else len(index)
        results, outputs = self._outputs(ni, names)
        self._handle.call(lib.hb_all_pairs_eval, ni, address(index), len(outputs), outputs)
        return results

    def at(self, numbers: Mapping[str, Any], own: Any = None,
           names: Optional[Iterable[str]] = None) -> dict[str, Array]:
        """What sinks of their own feel: an array of ni for each name in ``interaction.sinks``.

        own : the source that a sink does not feel, or `NO_SOURCE`; None: each feels every source.
        """
        ni, inputs, _arrays = _inputs(numbers)
        own = None if own is None else array(own, "own", (ni,), np.uint32)
        results, outputs = self._outputs(ni, names)
        self._handle.call(lib.hb_all_pairs_eval_at, ni, len(inputs), inputs, address(own), len(outputs), outputs)
        return results

    def _outputs(self, ni: int, names: Optional[Iterable[str]]) -> tuple[dict[str, Array], ctypes.Array[Any]]:
        results = {name: np.empty(ni) for name in (self.interaction.forces if names is None else names)}
        outputs = [_abi.hb_output(encoded(name), address(values), 1) for name, values in results.items()]
        return results, (_abi.hb_output * len(outputs))(*outputs)

    @property
    def scheme(self) -> str:
        """Its name."""
        return decoded(self._handle.call(lib.hb_all_pairs_scheme))

    @property
    def precision(self) -> str:
        """Its name."""
        return decoded(self._handle.call(lib.hb_all_pairs_precision))

    @property
    def context(self) -> str:
        """'egl', 'osmesa', 'glfw' or 'gles'."""
        return decoded(self._handle.call(lib.hb_all_pairs_context))

    @property
    def device(self) -> str:
        """What the driver calls it."""
        return decoded(self._handle.call(lib.hb_all_pairs_device))

    def _told(self) -> str:
        return f" of {self.interaction.name}: {self.scheme}, {self.precision} on {self.device}"


def _inputs(given: Mapping[str, Any]) -> tuple[int, ctypes.Array[Any], list[Array]]:
    """Columns of doubles, copied only where their stride is not one of the library's."""
    columns = {}
    for name, values in given.items():
        values = np.asarray(numbers(values, name), np.float64)
        as_it_is = values.ndim == 1 and values.strides[0] >= 8 and values.strides[0] % 8 == 0
        columns[name] = values if as_it_is else array(values, name, (None,))
    count = len(next(iter(columns.values()), ()))
    for name, values in columns.items():
        if len(values) != count:
            raise UsageError(f"{name} has {len(values)} numbers, expected {count} as the first one")
    inputs = [_abi.hb_input(encoded(name), address(values), values.strides[0] // 8) for name, values in columns.items()]
    return count, (_abi.hb_input * len(inputs))(*inputs), list(columns.values())
