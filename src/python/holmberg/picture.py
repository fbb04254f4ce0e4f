"""Pictures of particles, drawn as stars by the library's renderer."""
from __future__ import annotations

import ctypes
import os
import struct
import zlib
from typing import Any, Optional, Sequence, Union

import numpy as np

from . import _abi
from ._library import Array, Opened, Strict, address, array, check_words, chosen, encoded, finite, lib, made, version, whole, words


class Picture(Strict):
    """A picture, which a notebook shows.

    Attributes
    ----------
    pixels : ndarray of uint8, shape (height, width, 3)
        Red, green and blue (sRGB), the top row first.
    """

    __slots__ = ("pixels",)

    def __init__(self, pixels: Array):
        self.pixels = pixels

    def png(self) -> bytes:
        """The picture as a PNG file."""
        height, width, _ = self.pixels.shape
        rows = np.zeros((height, 1 + 3 * width), np.uint8)  # each begins with its filter, 0: none
        rows[:, 1:] = self.pixels.reshape(height, 3 * width)
        parts = {b"IHDR": struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0), b"sRGB": b"\0",
                 b"tEXt": b"Software\0Holmberg " + version().encode(), b"IDAT": zlib.compress(rows.tobytes()),
                 b"IEND": b""}
        return b"\x89PNG\r\n\x1a\n" + b"".join(
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
            for kind, data in parts.items())

    _repr_png_ = png

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes a PNG file."""
        with open(path, "wb") as file:
            file.write(self.png())

    def __repr__(self) -> str:
        return f"<holmberg.Picture of {self.pixels.shape[1]} x {self.pixels.shape[0]}>"


class Renderer(Opened):
    """Draws pictures, one or many with the same look. Angles are in degrees.

    What is not given is found from the first picture and kept for the following ones.

    Parameters
    ----------
    width, height : int
        Pixels.
    map : {'stars', 'ember', 'ice', 'gray'}
        Colors from the smallest to the largest value.
    range : (float, float), optional
        Values of the first and the last color; None: enclosing 96 % of the particles.
    center : (float, float, float), optional
        What the camera looks at, with radius; None: the median of the particles.
    radius : float
        Around center, fits into the picture; 0: that of nine tenths of the particles.
    inclination, azimuth : float
        Of the camera from the z axis (0: x to the right and y up), and around it.
    point_size : float
        Sigma of a star in thousandths of the height; 0: 1 to 10, by the number of particles.
    glow : float
        Of bright places, 0 to 1.
    exposure : float
        Brightness of a single star, below 1.
    context, device : str, optional
        Where to draw, as for `Force`.
    """

    __slots__ = ("_shape",)

    def __init__(self, width: int = 960, height: int = 540, *, map: str = "stars", range: Optional[Sequence[Any]] = None,
                 center: Optional[Sequence[Any]] = None, radius: float = 0, inclination: float = 0, azimuth: float = 0,
                 point_size: float = 0, glow: float = 0.5, exposure: float = 0.8, context: Optional[str] = None,
                 device: Optional[str] = None, **unknown: Any):
        check_words(unknown, Renderer.__init__)
        params = _abi.hb_picture_params(
            context=encoded(context), device=encoded(device), width=whole(width, "width", 2 ** 31 - 1),
            height=whole(height, "height", 2 ** 31 - 1), map=chosen("gray" if map == "grey" else map, "color map", words("hb_colormap_names")),
            radius=finite(radius, "radius"), inclination=finite(inclination, "inclination"),
            azimuth=finite(azimuth, "azimuth"), point_size=finite(point_size, "point_size"),
            glow=finite(glow, "glow") or -1, exposure=finite(exposure, "exposure"))
        params.range[:] = array((0, 0) if range is None else range, "range", (2,))
        params.center[:] = array((0, 0, 0) if center is None else center, "center", (3,))
        self._shape = (height, width, 3)
        self._handle = made(lib.hb_picture_open, ctypes.byref(params), destroy=lib.hb_picture_close)

    def draw(self, particles: Any, value: Any = None) -> Picture:
        """A picture of particles, colored by value[n], or by speed.

        particles may be anything with arrays ``m``, ``x`` and ``v``.
        """
        x = array(particles.x, "x", (None, 3))
        n = len(x)
        m, v = array(particles.m, "m", (n,)), array(particles.v, "v", (n, 3))
        value = None if value is None else array(value, "value", (n,))
        pixels = np.empty(self._shape, np.uint8)
        self._handle.call(lib.hb_picture_draw, n, address(m), address(x), address(v), address(value), address(pixels))
        return Picture(pixels)

    def _told(self) -> str:
        return f" on {self._handle.call(lib.hb_picture_device).decode()}"
