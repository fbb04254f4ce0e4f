"""Holmberg: direct gravitational N-body integration on OpenGL.

`Particles` are numpy arrays on the library's memory, `Force` computes what they feel, `Simulation` integrates them,
`Renderer` draws them, and `AllPairs` sums an `Interaction` of your own; `models`, `formats`, `schemes` and `integrators`
list what there is. N-body units with G = 1 throughout. What cannot be done raises a `HolmbergError`.

Different objects may be used by different threads at once, the library works without Python's lock; an object that is in use
by one thread refuses another. Objects on OpenGL stay with the thread that made them, which also closes them.

>>> import holmberg
>>> sim = holmberg.Simulation(holmberg.Particles.make("plummer", 1024, seed=1), eps=1/256)
>>> sim.evolve(1.0)
>>> sim.diagnostics().e_total
>>> sim.render()
"""
from ._library import (DeviceError, FileError, HolmbergError, InputError, InternalError, NumericError, OpenGLError,
                       UsageError, version)
from ._models import models
from .events import Collision, Encounter, Escape, Event, Stopped
from .force import NO_SOURCE, Force, memory, schemes
from .pairs import AllPairs, Interaction
from .particles import Particles, formats
from .picture import Picture, Renderer
from .simulation import Simulation, integrators, lagrange_fractions

__all__ = ["AllPairs", "Collision", "DeviceError", "Encounter", "Escape", "Event", "FileError", "Force", "HolmbergError",
           "InputError", "Interaction", "InternalError", "NO_SOURCE", "NumericError", "OpenGLError", "Particles", "Picture",
           "Renderer", "Simulation", "Stopped", "UsageError", "formats", "integrators", "lagrange_fractions", "memory",
           "models", "schemes", "version"]
__version__ = version()
