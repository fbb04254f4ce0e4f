"""The shared library: where it is, its functions, its errors, and memory that it lends to numpy."""
from __future__ import annotations

import ctypes
import difflib
import functools
import inspect
import math
import operator
import os
import re
import textwrap
import threading
import time
import weakref
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Callable, Iterable, Iterator, Mapping, Optional

import numpy as np

from . import _abi
from ._settings import Setting

Array = np.ndarray[Any, np.dtype[Any]]
SONAME = "libholmberg.so.1"
ONE = {"mass": 1.0, "length": 1.0, "time": 1.0}  # a number in these is in solar masses, pc, Myr
PATIENCE_S = 0.5  # of a thread with an object that another one uses


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


class GivenUp(HolmbergError):
    """A step was given up because of a signal. It was not done, and can be done now."""

    status = _abi.HB_ERR_STOPPED


_ERRORS = {kind.status: kind for kind in HolmbergError.__subclasses__()}


def _places() -> Iterator[str]:
    """Where the library may be: named, in the build tree, in a wheel, in a folder above an installed package, the system's."""
    if "HOLMBERG_LIBRARY" in os.environ:
        yield os.environ["HOLMBERG_LIBRARY"]
        return
    package = Path(__file__).resolve().parent
    tree = package.parents[2]
    if (tree / "src" / "python" / package.name) == package:
        yield str(tree / "build" / SONAME)
    yield str(package / "native" / SONAME)
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
for _name, _structs in _abi.SIZES.items():
    setattr(lib, _name, functools.partial(getattr(lib, f"{_name}_sized"), *map(ctypes.sizeof, _structs)))


def _is_main() -> bool:
    return threading.current_thread() is threading.main_thread()


@contextmanager
def interruptible() -> Iterator[None]:
    """In the main thread, a signal that Python handles, like Ctrl-C, also reaches into a step that takes long: see `uninterrupted`."""
    if not _is_main():
        yield
        return
    lib.hb_interrupt_with_signals(1)
    try:
        yield
    finally:
        lib.hb_interrupt_with_signals(0)
        lib.hb_interrupt_withdraw()


def uninterrupted(function: Callable[..., Any], *arguments: Any) -> Any:
    """function(*arguments), anew for as long as it is given up because of a signal whose handler raises nothing."""
    while True:
        try:
            return function(*arguments)
        except GivenUp:
            if _is_main():
                lib.hb_interrupt_withdraw()
            else:
                time.sleep(0.01)  # the main thread withdraws what it was asked


_ALSO_CALLED = {"softening": "eps", "epsilon": "eps", "nu": "eta", "colormap": "map"}


def meant(name: str, known: Iterable[str]) -> str:
    """The end of a sentence about an unknown name."""
    nearest = [_ALSO_CALLED[name]] if _ALSO_CALLED.get(name, "") in known else difflib.get_close_matches(name, known, 1)
    return f", did you mean '{nearest[0]}'?" if nearest else f" (expected {', '.join(known)})" if known else ""


def check_words(given: Mapping[str, Any], made: Callable[..., Any], *more: Callable[..., Any]) -> None:
    """Refuses what none of these, a constructor and what it hands words on to, has as a keyword."""
    parameters = [one for call in (made, *more) for one in inspect.signature(call).parameters.values()]
    known = {one.name for one in parameters if one.kind != one.VAR_KEYWORD} - {"self"}
    for name in given:
        if name not in known:
            kind = made.__qualname__.partition(".")[0]
            raise TypeError(f"{kind} has no argument '{name}'{meant(name, sorted(known))}")


class Strict:
    """Attributes that a class does not have are refused, with the name that may have been meant."""

    __slots__ = ()

    def __setattr__(self, name: str, value: Any) -> None:
        if not hasattr(type(self), name) and not hasattr(self, "__dict__"):
            kind = type(self)
            known = [key for key in dir(kind) if not key.startswith("_") and not callable(getattr(kind, key))]
            raise AttributeError(f"{kind.__name__} has no attribute '{name}'{meant(name, known)}")
        super().__setattr__(name, value)


class Unique(Strict):
    """An object of the library's, of which there are no copies."""

    __slots__ = ("_handle",)
    _handle: Handle
    _instead = "make another with the same arguments"

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(f"{type(self).__name__} objects are neither copied nor pickled: {self._instead}")


class Opened(Unique):
    """One that holds a device's memory."""

    __slots__ = ()

    def close(self) -> None:
        """Gives the device's memory back; it also goes with the last reference to this object."""
        self._handle.close()

    def _told(self) -> str:
        """What it is, after its name."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<holmberg.{type(self).__name__}{self._told() if self._handle.is_open else ', closed'}>"

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


class Handle:
    """An object of the library's, destroyed with the last reference to this one, and for one thread at a time."""

    __slots__ = ("_address", "_keep", "_destroy", "_lock", "__weakref__")

    def __init__(self, address: Optional[int], destroy: Callable[..., Any], keep: Any = None):
        self._address, self._keep = ctypes.c_void_p(address), keep  # what has to outlive it
        self._destroy = weakref.finalize(self, destroy, self._address)
        self._lock = threading.RLock()

    @property
    def is_open(self) -> bool:
        return self._destroy.alive

    @property
    def address(self) -> ctypes.c_void_p:
        if not self.is_open:
            raise UsageError("this object has been closed")
        return self._address

    @contextmanager
    def used(self) -> Iterator[ctypes.c_void_p]:
        """Its address, for one or many calls by this thread. Another one waits, but not for an integration to end."""
        if not self._lock.acquire(timeout=PATIENCE_S):
            raise UsageError("this object is in use by another thread, and takes one at a time (expected an object for "
                             "each thread, or a lock around its calls)")
        try:
            yield self.address
        finally:
            self._lock.release()

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """function(address, *arguments)."""
        with self.used() as address:
            return function(address, *arguments)

    def close(self) -> None:
        if self.is_open:
            with self.used():
                self._destroy()


def made(make: Callable[..., Any], *arguments: Any, destroy: Callable[..., Any], keep: Any = None) -> Handle:
    """A handle from a function whose last argument is where it leaves one."""
    address = ctypes.c_void_p()
    make(*arguments, ctypes.byref(address))
    return Handle(address.value, destroy, keep)


class _Lent:
    """Memory of a handle's, which lives while an array of numpy refers to this."""

    def __init__(self, owner: Handle, address: int, shape: tuple[Any, ...], kind: str):
        self.owner = owner
        self.__array_interface__ = {"version": 3, "data": (address, False), "shape": shape, "typestr": kind}


def view(owner: Handle, address: int, shape: tuple[Any, ...], kind: str = "<f8") -> Array:
    """An array on the library's own memory."""
    return np.asarray(_Lent(owner, address, shape, kind))


def _check_numbers(values: Array, name: str, kind: Any) -> None:
    """Refuses what C's numbers of that kind would silently change."""
    if values.size == 0:
        return
    if values.dtype.kind not in ("iuf" if kind is not np.float64 else "biuf"):
        hint = f": numpy.flatnonzero({name}) are the numbers" if values.dtype.kind == "b" else ""
        raise UsageError(f"{name} is an array of {values.dtype}, expected numbers{hint}")
    least, most = values.min(), values.max()  # NaN if there is any
    if not (np.isfinite(least) and np.isfinite(most)):
        where = tuple(np.argwhere(~np.isfinite(values))[0])
        raise UsageError(f"{name}[{', '.join(map(str, where))}] is {values[where]}, expected finite numbers")
    if kind is np.float64:
        return
    last = int(np.iinfo(kind).max)
    if int(least) < 0 or int(most) > last:
        worst = least if least < 0 else most
        raise UsageError(f"{name} has {int(worst) if abs(worst) < 2 ** 80 else worst}, expected 0 to {last}")
    if values.dtype.kind == "f" and (values != np.floor(values)).any():
        raise UsageError(f"{name} has {values[values != np.floor(values)][0]}, expected whole numbers")


def numbers(values: Any, name: str, kind: Any = np.float64) -> Array:
    """values as an array of numbers that C can have: finite, or whole where kind is, and none of them masked."""
    parts = values if isinstance(values, (list, tuple)) else (values,)
    if any(isinstance(part, np.ma.MaskedArray) and np.ma.is_masked(part) for part in parts):  # type: ignore[no-untyped-call]
        raise UsageError(f"{name} has masked elements, expected numbers: fill them, or leave them out")
    try:
        result = np.asarray(values)
        if result.dtype.kind == "O":
            result = result.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise UsageError(f"{name} is no array of numbers") from None
    _check_numbers(result, name, kind)
    return result


def array(values: Any, name: str, shape: tuple[Any, ...], kind: Any = np.float64) -> Array:
    """values as C has them, without a copy where they are so already; None in shape: any length."""
    result = np.ascontiguousarray(numbers(values, name, kind), kind)
    if result.ndim != len(shape) or any(want not in (None, have) for want, have in zip(shape, result.shape)):
        wanted = " x ".join("n" if count is None else str(count) for count in shape)
        raise UsageError(f"{name} has the shape {result.shape}, expected {wanted}")
    return result


def whole(value: Any, name: str, most: int = 2 ** 64 - 1) -> int:
    """A whole number from 0 to most, which C does not cut."""
    try:
        number = operator.index(value)
    except TypeError:
        raise UsageError(f"{name} is {value!r}, expected a whole number") from None
    if not 0 <= number <= most:
        raise UsageError(f"{name} is {number}, expected 0 to {most}")
    return number


def finite(value: Any, name: str) -> float:
    """A number that is neither NaN nor infinite."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise UsageError(f"{name} is {value!r}, expected a number") from None
    if not np.isfinite(number):
        raise UsageError(f"{name} is {number}, expected a finite number")
    return number


def units_of(ask: Callable[..., Any], *arguments: Any) -> Optional[dict[str, float]]:
    """What a function like hb_units_get knows of units."""
    units, known = _abi.hb_units(), ctypes.c_int()
    ask(*arguments, units, ctypes.byref(known))
    return {name: getattr(units, name) for name, _ in units._fields_} if known.value else None


def has_unit(value: Any) -> bool:
    """Whether it is a word like '5Myr', or a quantity."""
    return hasattr(value, "to_value") or isinstance(value, str) and value[-1:].isalpha()


_FILE = -2  # Setting.of
_UNITS = {_abi.HB_DIMENSION_TIME: "Myr", _abi.HB_DIMENSION_LENGTH: "pc", _abi.HB_DIMENSION_VELOCITY: "km/s",
          _abi.HB_DIMENSION_MASS: "Msun"}


def quantity(value: Any, name: str, of: int, units: Optional[Mapping[str, float]]) -> float:
    """A number, a word like '5Myr', or a quantity of astropy, a N-body number by units; of: an HB_DIMENSION_..."""
    if hasattr(value, "to_value"):
        value = f"{value.to_value(_UNITS[of])}{_UNITS[of]}"
    if not isinstance(value, str):
        return finite(value, name)
    number, known = ctypes.c_double(), None if units is None else _abi.hb_units(**units)
    try:
        lib.hb_units_number(known, of, encoded(value), ctypes.byref(number))
    except UsageError as error:
        raise UsageError(f"{name}: {error}") from None
    return number.value


def setting(row: Setting, value: Any, name: str, units: Optional[Mapping[str, float]]) -> Any:
    """A field of the library's params as the option of that row has it; a step with a unit becomes the next power below."""
    if row.words:
        return chosen(value, name, row.words)
    if row.is_count:
        return 0 if value == "auto" and row.is_count == 1 else whole(value, name) or -(row.is_count == 1)
    if row.of == _FILE:
        return encoded(value)
    if row.of < 0:
        return None if value is None else _field(value, name, units)
    number = quantity(value, name, row.of, ONE if row.is_astro else units) if row.of else finite(value, name)
    return 2.0 ** math.floor(math.log2(number)) if row.is_power and has_unit(value) and number > 0 else number


def default_of(row: Setting) -> Any:
    """What a keyword is that nobody has set."""
    return row.words[0] if row.words else "auto" if row.is_count == 1 else None if row.of < 0 else row.fallback


def _told(name: str, row: Setting) -> str:
    """Its lines in the documentation of its class, where options are keywords."""
    kind = ["'auto', 0 or int", "int"][row.is_count - 1] if row.is_count else "str" if row.of < 0 else "float"
    if row.words:
        kind = "{" + ", ".join(map(repr, row.words)) + "}"
    text = re.sub("@([a-z-]+)", lambda other: other[1].replace("-", "_"), row.help)
    text = text.replace("FILE's header", "the particles' notes").replace("FILE's", "the particles'")
    return f"{name} : {kind}\n" + textwrap.fill(text, 112, initial_indent=" " * 8, subsequent_indent=" " * 8)


def with_settings(rows: Mapping[str, Setting]) -> Callable[..., Any]:
    """Gives a class, whose __init__ hands the keywords that it does not name on, those of the rows, and their help."""
    def decorated(kind: type) -> type:
        *own, more = inspect.signature(kind.__init__).parameters.values()  # type: ignore[misc]
        own += [inspect.Parameter(name, more.KEYWORD_ONLY, default=default_of(row)) for name, row in rows.items()]
        kind.__init__.__signature__ = inspect.Signature([*own, more])  # type: ignore[misc]
        if kind.__doc__:
            kind.__doc__ = kind.__doc__.replace("{settings}", "\n    ".join(_told(*item) for item in rows.items()))
        return kind
    return decorated


def _field(words: str, name: str, units: Optional[Mapping[str, float]]) -> bytes:
    """Its numbers in N-body units."""
    text = ctypes.create_string_buffer(4096)
    try:
        lib.hb_units_field(None if units is None else _abi.hb_units(**units), encoded(words), text, len(text))
    except UsageError as error:
        raise UsageError(f"{name}: {error}") from None
    return text.value


def address(values: Optional[Array]) -> Optional[int]:
    """Where an array's memory is; the array must be kept as long as the library uses it."""
    return None if values is None else values.ctypes.data


def decoded(text: bytes) -> str:
    """A word of the library's."""
    return text.decode()


def encoded(text: Any) -> Optional[bytes]:
    """A word or a path as C has it."""
    result = None if text is None else os.fsencode(text)
    if result and b"\0" in result:
        raise UsageError(f"{text!r} has a zero byte, at which C would cut it")
    return result


def _python(value: Any) -> Any:
    if isinstance(value, bytes):
        return os.fsdecode(value)
    if isinstance(value, ctypes.Structure):
        return values_of(value)
    return np.array(value) if isinstance(value, ctypes.Array) else value


def values_of(struct: ctypes.Structure) -> SimpleNamespace:
    """A struct's fields as Python's own values."""
    return SimpleNamespace(**{name: _python(getattr(struct, name)) for name, _ in struct._fields_})


def listing(function: Callable[..., Any]) -> dict[str, SimpleNamespace]:
    """What a function lists, by name."""
    count = ctypes.c_size_t()
    rows = function(ctypes.byref(count))
    return {row.name: row for row in (values_of(rows[k]) for k in range(count.value))}


def words(name: str) -> list[str]:
    """The words for an enum's values, as in hb_rounding_names."""
    pointers = (ctypes.c_char_p * 64).in_dll(lib, name)
    result: list[str] = []
    while (word := pointers[len(result)]) is not None:
        result.append(word.decode())
    return result


def chosen(word: str, what: str, known: list[str]) -> int:
    """The value of an enum that a word stands for."""
    if word not in known:
        raise UsageError(f"unknown {what} '{word}' (expected {', '.join(known)})")
    return known.index(word)


def version() -> str:
    """The version of the library, like '1.2.3'."""
    return decoded(lib.hb_library_version())
