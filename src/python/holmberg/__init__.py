"""Holmberg: direct gravitational N-body integration on OpenGL.

`Particles` are numpy arrays on the library's memory, `Force` computes what they feel, `Simulation` integrates them,
`Archive` keeps what they were, `Renderer` draws them, and `AllPairs` sums an `Interaction` of your own; `models`, `formats`, `schemes` and `integrators`
list what there is. N-body units with G = 1 throughout. What cannot be done raises a `HolmbergError`.

Different objects may be used by different threads at once, the library works without Python's lock; an object that is in use
by one thread refuses another. Objects on OpenGL stay with the thread that made them, which also closes them.

>>> import holmberg
>>> sim = holmberg.Simulation(holmberg.Particles.make("plummer", 64, seed=1), eps=1/64)
>>> sim.evolve(1.0)
>>> sim.time
1.0
>>> sim.render(width=64, height=36)
<holmberg.Picture of 64 x 36>
"""
from ._library import (DeviceError, FileError, HolmbergError, InputError, InternalError, NumericError, OpenGLError,
                       UsageError, version)

from . import units
from ._models import models
from .archive import Archive
from .events import Collision, Encounter, Escape, Event, Stopped, table
from .force import NO_SOURCE, Force, auto, memory, precisions, schemes
from .pairs import AllPairs, Interaction
from .particles import Particles, formats
from .picture import Picture, Renderer
from .simulation import Simulation, integrators, lagrange_fractions

__all__ = ["AllPairs", "Archive", "Collision", "DeviceError", "Encounter", "Escape", "Event", "FileError", "Force", "HolmbergError",
           "InputError", "Interaction", "InternalError", "NO_SOURCE", "NumericError", "OpenGLError", "Particles", "Picture",
           "Renderer", "Simulation", "Stopped", "UsageError", "auto", "formats", "integrators", "lagrange_fractions", "memory",
           "models", "precisions", "schemes", "table", "units", "version"]
__version__ = version()
