"""Holmberg as a community code of AMUSE: gravitational dynamics on any OpenGL device, without CUDA."""
from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from amuse.community import (LegacyFunctionSpecification, LiteratureReferencesMixIn,
                             StoppingConditionInterface, StoppingConditions, legacy_function, nbody_system)
from amuse.community.interface.gd import (GravitationalDynamics, GravitationalDynamicsInterface, GravityFieldCode,
                                          GravityFieldInterface)
from amuse.rfi.core import PythonCodeInterface

if __package__:
    from .implementation import HolmbergImplementation
else:  # AMUSE's worker, in this folder
    from implementation import HolmbergImplementation


def _at_once(function):
    """The same call, but the code gets all particles of it as arrays."""
    def specification():
        result = function.specification_function()
        result.must_handle_array = True
        return result
    specification.__name__ = function.specification_function.__name__
    return legacy_function(specification)


def _parameter(name, dtype):
    """Calls get_NAME and set_NAME."""
    def access(verb, direction):
        def specification():
            result = LegacyFunctionSpecification()
            result.addParameter(name, dtype=dtype, direction=direction)
            result.result_type = "int32"
            return result
        specification.__name__ = f"{verb}_{name}"
        return legacy_function(specification)
    return access("get", LegacyFunctionSpecification.OUT), access("set", LegacyFunctionSpecification.IN)


class HolmbergInterface(PythonCodeInterface, LiteratureReferencesMixIn, GravitationalDynamicsInterface,
                        StoppingConditionInterface, GravityFieldInterface):
    """Direct N-body integration on OpenGL: fourth-order Hermite scheme with individual block time steps.

    .. [#] Portegies Zwart, S. F., Belleman, R. G., Geldof, P. M., New Astronomy 12 (2007) 641
    """

    def __init__(self, **options):
        worker = "holmberg_worker"
        if not Path(__file__).with_name(worker).exists():  # not built: AMUSE writes one now
            worker, self._folder = None, TemporaryDirectory(prefix="amuse-holmberg-")
            options.setdefault("worker_dir", self._folder.name)
        # As Open MPI's words: each of any number of workers on all cores. AMUSE's own: one a core, bound to it.
        options.setdefault("mpi_info_options", {"map_by": "slot:OVERSUBSCRIBE", "bind_to": "none"})
        if options.get("number_of_workers", 1) == 1:
            options.setdefault("initialize_mpi", False)  # over sockets no mpiexec, which binds, too
        PythonCodeInterface.__init__(self, HolmbergImplementation, worker, **options)
        LiteratureReferencesMixIn.__init__(self)

    new_particle = _at_once(GravitationalDynamicsInterface.new_particle)
    delete_particle = _at_once(GravitationalDynamicsInterface.delete_particle)
    get_state = _at_once(GravitationalDynamicsInterface.get_state)
    set_state = _at_once(GravitationalDynamicsInterface.set_state)
    get_mass = _at_once(GravitationalDynamicsInterface.get_mass)
    set_mass = _at_once(GravitationalDynamicsInterface.set_mass)
    get_radius = _at_once(GravitationalDynamicsInterface.get_radius)
    set_radius = _at_once(GravitationalDynamicsInterface.set_radius)
    get_position = _at_once(GravitationalDynamicsInterface.get_position)
    set_position = _at_once(GravitationalDynamicsInterface.set_position)
    get_velocity = _at_once(GravitationalDynamicsInterface.get_velocity)
    set_velocity = _at_once(GravitationalDynamicsInterface.set_velocity)
    get_acceleration = _at_once(GravitationalDynamicsInterface.get_acceleration)
    get_potential = _at_once(GravitationalDynamicsInterface.get_potential)

    get_eta, set_eta = _parameter("eta", "float64")
    get_dt_max, set_dt_max = _parameter("dt_max", "float64")
    get_scheme, set_scheme = _parameter("scheme", "string")
    get_precision, set_precision = _parameter("precision", "string")
    get_context, set_context = _parameter("context", "string")
    get_device, set_device = _parameter("device", "string")


class Holmberg(GravitationalDynamics, GravityFieldCode):
    """The code with units; see `parameters` for what can be set."""

    def __init__(self, convert_nbody=None, **options):
        self.stopping_conditions = StoppingConditions(self)
        GravitationalDynamics.__init__(self, HolmbergInterface(**options), convert_nbody, **options)

    def define_state(self, handler):
        GravitationalDynamics.define_state(self, handler)
        GravityFieldCode.define_state(self, handler)
        self.stopping_conditions.define_state(handler)

    def define_parameters(self, handler):
        length2 = nbody_system.length ** 2
        handler.add_method_parameter("get_eps2", "set_eps2", "epsilon_squared", "softening squared",
                                     default_value=0.0 | length2)
        handler.add_method_parameter("get_eta", "set_eta", "timestep_parameter",
                                     "accuracy of the time steps", default_value=0.01)
        handler.add_method_parameter("get_dt_max", "set_dt_max", "max_timestep",
                                     "longest time step, rounded down to a power of two",
                                     default_value=0.125 | nbody_system.time)
        handler.add_method_parameter("get_begin_time", "set_begin_time", "begin_time", "time at the start",
                                     default_value=0.0 | nbody_system.time)
        handler.add_method_parameter("get_scheme", "set_scheme", "scheme",
                                     "how forces are computed: auto, tile, bag, host, ...", default_value="auto")
        handler.add_method_parameter("get_precision", "set_precision", "precision",
                                     "one of the scheme's precisions; empty: its first", default_value="")
        handler.add_method_parameter("get_context", "set_context", "context",
                                     "how to get OpenGL: egl, osmesa, glfw, gles; empty: the best", default_value="")
        handler.add_method_parameter("get_device", "set_device", "device",
                                     "index or path of the device; empty: the best", default_value="")
        self.stopping_conditions.define_parameters(handler)

    def define_methods(self, handler):
        GravitationalDynamics.define_methods(self, handler)
        units = {"eps2": nbody_system.length ** 2, "begin_time": nbody_system.time, "dt_max": nbody_system.time,
                 "eta": handler.NO_UNIT, "scheme": handler.NO_UNIT, "precision": handler.NO_UNIT,
                 "context": handler.NO_UNIT, "device": handler.NO_UNIT}
        for name, unit in units.items():
            handler.add_method(f"get_{name}", (), (unit, handler.ERROR_CODE))
            handler.add_method(f"set_{name}", (unit,), (handler.ERROR_CODE,))
        self.stopping_conditions.define_methods(handler)

    def define_particle_sets(self, handler):
        GravitationalDynamics.define_particle_sets(self, handler)
        self.stopping_conditions.define_particle_set(handler)
