"""The shared library: where it is, its functions, its errors, and memory that it lends to numpy."""
from __future__ import annotations

import ctypes
import os
import weakref
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Callable, Iterator, Optional

import numpy as np

from . import _abi

SONAME = "libholmberg.so.1"


class HolmbergError(Exception):
    """What the library could not do, in its own sentence.

    Attributes
    ----------
    status : int
        The status of the C library, which is also the exit code of the program.
    """

    status = _abi.HB_ERR_INTERNAL


class InternalError(HolmbergError):
    """A bug, or out of memory."""


class UsageError(HolmbergError, ValueError):
    """An argument that makes no sense."""

    status = _abi.HB_ERR_USAGE


class InputError(HolmbergError, ValueError):
    """A file or particles that cannot be used."""

    status = _abi.HB_ERR_INPUT


class FileError(HolmbergError, OSError):
    """Reading or writing failed: no such file, disk full, no permission."""

    status = _abi.HB_ERR_IO


class OpenGLError(HolmbergError):
    """No OpenGL device, or one that lacks what is needed."""

    status = _abi.HB_ERR_GL


class DeviceError(HolmbergError):
    """The device failed while working."""

    status = _abi.HB_ERR_DEVICE


class NumericError(HolmbergError, ArithmeticError):
    """NaN or infinity."""

    status = _abi.HB_ERR_NUMERIC


_ERRORS = {kind.status: kind for kind in HolmbergError.__subclasses__()}


def _places() -> Iterator[str]:
    """Where the library may be: named, in the build tree, in a folder above an installed package, the system's."""
    if "HOLMBERG_LIBRARY" in os.environ:
        yield os.environ["HOLMBERG_LIBRARY"]
        return
    package = Path(__file__).resolve().parent
    tree = package.parents[2]
    if (tree / "src" / "python" / package.name) == package:
        yield str(tree / "build" / SONAME)
    for folder in package.parents:
        if folder.name in ("lib", "lib64"):
            yield str(folder / SONAME)
    yield SONAME


def _load() -> ctypes.CDLL:
    for place in _places():
        if place == SONAME or Path(place).exists():
            try:
                return ctypes.CDLL(place)
            except OSError as error:
                raise ImportError(f"{error} (HOLMBERG_LIBRARY can name the library)") from None
    raise ImportError(f"HOLMBERG_LIBRARY names {os.environ['HOLMBERG_LIBRARY']}, which does not exist")


def _check(status: _abi.Status, *_: Any) -> None:
    if status.value != _abi.HB_OK:
        raise _ERRORS.get(status.value, HolmbergError)(os.fsdecode(lib.hb_error()))


lib = _load()
for _name, (_result, _arguments) in _abi.FUNCTIONS.items():
    _function = getattr(lib, _name)
    _function.restype, _function.argtypes = _result, _arguments
    if _result is _abi.Status:
        _function.errcheck = _check


class Handle:
    """An object of the library's, destroyed with the last reference to this one."""

    def __init__(self, address: Optional[int], destroy: Callable, keep: Any = None):
        self._address, self._keep = ctypes.c_void_p(address), keep  # what has to outlive it
        self._destroy = weakref.finalize(self, destroy, self._address)

    @property
    def address(self) -> ctypes.c_void_p:
        if not self._destroy.alive:
            raise UsageError("this object has been closed")
        return self._address

    def close(self) -> None:
        self._destroy()


def made(make: Callable, *arguments: Any, destroy: Callable, keep: Any = None) -> Handle:
    """A handle from a function whose last argument is where it leaves one."""
    address = ctypes.c_void_p()
    make(*arguments, ctypes.byref(address))
    return Handle(address.value, destroy, keep)


class _Lent:
    """Memory of a handle's, which lives while an array of numpy refers to this."""

    def __init__(self, owner: Handle, address: int, shape: tuple, kind: str):
        self.owner = owner
        self.__array_interface__ = {"version": 3, "data": (address, False), "shape": shape, "typestr": kind}


def view(owner: Handle, address: int, shape: tuple, kind: str = "<f8") -> np.ndarray:
    """An array on the library's own memory."""
    return np.asarray(_Lent(owner, address, shape, kind))


def array(values: Any, name: str, shape: tuple, kind: Any = np.float64) -> np.ndarray:
    """values as C has them, without a copy where they are so already; None in shape: any length."""
    result = np.ascontiguousarray(values, kind)
    if result.ndim != len(shape) or any(want not in (None, have) for want, have in zip(shape, result.shape)):
        wanted = " x ".join("n" if count is None else str(count) for count in shape)
        raise UsageError(f"{name} has the shape {result.shape}, expected {wanted}")
    return result


def address(values: Optional[np.ndarray]) -> Optional[int]:
    """Where an array's memory is; the array must be kept as long as the library uses it."""
    return None if values is None else values.ctypes.data


def encoded(text: Any) -> Optional[bytes]:
    """A word or a path as C has it."""
    return None if text is None else os.fsencode(text)


def _python(value: Any) -> Any:
    if isinstance(value, bytes):
        return os.fsdecode(value)
    if isinstance(value, ctypes.Structure):
        return values_of(value)
    return np.array(value) if isinstance(value, ctypes.Array) else value


def values_of(struct: ctypes.Structure) -> SimpleNamespace:
    """A struct's fields as Python's own values."""
    return SimpleNamespace(**{name: _python(getattr(struct, name)) for name, _ in struct._fields_})


def listing(function: Callable) -> dict[str, SimpleNamespace]:
    """What a function lists, by name."""
    count = ctypes.c_size_t()
    rows = function(ctypes.byref(count))
    return {row.name: row for row in (values_of(rows[k]) for k in range(count.value))}


def words(name: str) -> list[str]:
    """The words for an enum's values, as in hb_rounding_names."""
    pointers = (ctypes.c_char_p * 64).in_dll(lib, name)
    result: list[str] = []
    while pointers[len(result)] is not None:
        result.append(pointers[len(result)].decode())
    return result


def number_of(word: str, what: str, name: str) -> int:
    """The value of an enum that a word stands for."""
    known = words(name)
    if word not in known:
        raise UsageError(f"unknown {what} '{word}' (expected {', '.join(known)})")
    return known.index(word)


def version() -> str:
    """The version of the library, like '0.1.0'."""
    return lib.hb_library_version().decode()
