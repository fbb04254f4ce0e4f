"""A stand-in for AMUSE where it is not installed: what amuse_holmberg/interface.py and the guide's lines take from it.

It shows that interface.py can be imported; that the implementation has every function that is declared, there or by AMUSE,
with the names of its parameters, and answers as declared, for arrays or one by one; that every parameter has its calls; and
that lengths, masses and times go through both with their units. It does not show what AMUSE does: there is no worker, MPI or
socket, no state but a commit where AMUSE would make one, no check of dimensions, and a number in units is one in SI.
tests/outside/amuse.bats takes AMUSE itself where it can be imported, and then compares its declarations with those below.
"""
import inspect
import sys
from collections import namedtuple
from types import ModuleType, SimpleNamespace

import numpy as np

# name: in -> out; dtype float64, but where a word ends in : and the letter of another; !: for arrays only
DYNAMICS = """initialize_code: ; cleanup_code: ; commit_parameters: ; recommit_parameters: ; commit_particles: ;
recommit_particles: ; synchronize_model: ; evolve_model: time; get_time: -> time; get_time_step: -> time_step;
new_particle: mass x y z vx vy vz radius -> index_of_the_particle:i; delete_particle: index_of_the_particle:i;
get_state: index_of_the_particle:i -> mass x y z vx vy vz radius; set_state: index_of_the_particle:i mass x y z vx vy vz radius;
get_mass: index_of_the_particle:i -> mass; set_mass: index_of_the_particle:i mass;
get_radius: index_of_the_particle:i -> radius; set_radius: index_of_the_particle:i radius;
get_position: index_of_the_particle:i -> x y z; set_position: index_of_the_particle:i x y z;
get_velocity: index_of_the_particle:i -> vx vy vz; set_velocity: index_of_the_particle:i vx vy vz;
get_acceleration: index_of_the_particle:i -> ax ay az; get_potential: index_of_the_particle:i -> potential;
get_number_of_particles: -> number_of_particles:i; get_index_of_first_particle: -> index_of_the_particle:i;
get_index_of_next_particle: index_of_the_particle:i -> index_of_the_next_particle:i;
get_kinetic_energy: -> kinetic_energy; get_potential_energy: -> potential_energy; get_total_mass: -> mass;
get_total_radius: -> radius; get_center_of_mass_position: -> x y z; get_center_of_mass_velocity: -> vx vy vz;
get_eps2: -> epsilon_squared; set_eps2: epsilon_squared; get_begin_time: -> time; set_begin_time: time"""
FIELD = "!get_gravity_at_point: eps x y z -> ax ay az; !get_potential_at_point: eps x y z -> phi"
STOPPING = """has_stopping_condition: type:i -> result:i; enable_stopping_condition: type:i; disable_stopping_condition: type:i;
is_stopping_condition_enabled: type:i -> result:i; is_stopping_condition_set: type:i -> result:i;
get_number_of_stopping_conditions_set: -> result:i; get_stopping_condition_info: index:i -> type:i number_of_particles:i;
get_stopping_condition_particle_index: index:i index_of_the_column:i -> index_of_particle:i"""
VALUES = dict(timeout="", number_of_steps=":i", out_of_box="", out_of_box_use_center_of_mass=":b", minimum_density="",
              maximum_density="", minimum_internal_energy="", maximum_internal_energy="")
for name, dtype in VALUES.items():
    name = f"stopping_condition_{name}_parameter"
    STOPPING += f"; get_{name}: -> value{dtype}; set_{name}: value{dtype}"
DTYPES = {"": "float64", "i": "int32", "b": "bool"}

# ---- units: exponents of mass, length and time, and how many SI units one is ----


class Quantity(np.ndarray):
    def value_in(self, unit):
        return np.asarray(self)[()] / unit.scale

    def in_(self, unit):
        return f"{self.value_in(unit):.12g} {unit.name}"


class Unit:
    __array_ufunc__ = None  # an array leaves | to this

    def __init__(self, powers, scale=1, name=""):
        self.powers, self.scale, self.name = np.array(powers), scale, name

    def __ror__(self, number):
        number = np.asarray(number, float)
        return np.asarray(number * self.scale).view(Quantity)

    def __pow__(self, power):
        return Unit(power * self.powers, self.scale ** power)


NBODY = dict(mass=Unit((1, 0, 0)), length=Unit((0, 1, 0)), time=Unit((0, 0, 1)), speed=Unit((0, 1, -1)),
             acceleration=Unit((0, 1, -2)), potential=Unit((0, 2, -2)), energy=Unit((1, 2, -2)))
MEASURES = dict(x="length", y="length", z="length", eps="length", radius="length", mass="mass",
                vx="speed", vy="speed", vz="speed", ax="acceleration", ay="acceleration", az="acceleration", phi="potential",
                potential="potential", time="time", time_step="time", kinetic_energy="energy", potential_energy="energy")


class nbody_to_si:
    def __init__(self, mass, length):
        self.scales = mass, length, (length ** 3 / (6.67428e-11 * mass)) ** 0.5

    def to_si(self, number, unit):
        return number | Unit(unit.powers, float(np.prod(np.array(self.scales, float) ** unit.powers)))

    def to_nbody(self, number, unit):
        return np.asarray(number)[()] / self.to_si(1, unit)[()]


def new_plummer_model(n, convert_nbody):
    import holmberg
    p = holmberg.Particles.make("plummer", n, seed=1)
    made = [convert_nbody.to_si(a, NBODY[u]) for a, u in ((p.m, "mass"), (0 * p.m, "length"), (p.x, "length"), (p.v, "speed"))]
    return SimpleNamespace(**dict(zip(("mass", "radius", "position", "velocity"), made)))


# ---- declarations, and calls ----


Parameter = namedtuple("Parameter", "name datatype direction")


class LegacyFunctionSpecification:
    IN, OUT, LENGTH = "in", "out", "length"

    def __init__(self):
        self.parameters, self.result_type, self.must_handle_array = [], None, False

    def addParameter(self, name, dtype, direction):
        self.parameters.append(Parameter(name, dtype, direction))


class legacy_function:
    def __init__(self, specification_function):
        self.specification_function = specification_function
        self.specification = specification_function()


def declared(table):
    functions = {}
    for line in table.replace("\n", " ").split(";"):
        name, _, words = line.strip().partition(":")
        given, _, made = words.partition("->")

        def function(given=given, made=made, array=name.startswith("!")):
            specification = LegacyFunctionSpecification()
            for words, direction in (given, "in"), (made, "out"), ("npoints:i" * array, "length"):
                for word in words.split():
                    parameter, _, letter = word.partition(":")
                    specification.addParameter(parameter, DTYPES[letter], direction)
            specification.result_type, specification.must_handle_array = "int32", array
            return specification
        function.__name__ = name.lstrip("!")
        functions[function.__name__] = legacy_function(function)
    return type("Declared", (), functions)


class PythonCodeInterface:
    def __init__(self, implementation_factory, worker, **options):
        self.implementation, self.specifications = implementation_factory(), {}
        for name in dir(type(self)):
            function = getattr(type(self), name)
            if isinstance(function, legacy_function):
                specification = self.specifications[name] = function.specification
                words = inspect.signature(getattr(self.implementation, name)).parameters
                expected = [word for word, _, _ in specification.parameters]
                if function.specification_function.__name__ != name or set(words) != set(expected):
                    raise TypeError(f"{name} has {', '.join(words)}, expected {', '.join(expected)}")

    def call(self, name, *values):
        """Keyword arguments, once for arrays or one by one; the values that come out, as they are declared."""
        specification = self.specifications[name]
        given, made = ([p for p in specification.parameters if p[2] == direction] for direction in ("in", "out"))
        values = [np.atleast_1d(np.asarray(value, None if dtype == "string" else dtype))
                  for value, (_, dtype, _) in zip(values, given, strict=True)]
        count = max(map(len, values), default=1)
        results = [np.zeros(count, object if dtype == "string" else dtype) for _, dtype, _ in made]
        for k in [slice(None)] if specification.must_handle_array else range(count):
            words = {word: SimpleNamespace() if way == "out" else count for word, _, way in specification.parameters}
            words.update((word, value[k]) for (word, _, _), value in zip(given, values))
            if getattr(self.implementation, name)(**words) != 0:
                raise RuntimeError(f"{name} failed")
            for (word, _, _), result in zip(made, results):
                result[k] = words[word].value
        return results


class GravitationalDynamics:
    """With units: those that add_method names, or else those that parameters of that name have."""
    ERROR_CODE = NO_UNIT = INDEX = None  # it is the handler, too

    def __init__(self, interface, converter, **options):
        self.interface, self.converter, self.units, self.accesses = interface, converter, {}, {}
        self.call("initialize_code")
        for define in "parameters", "methods", "particle_sets", "state":
            getattr(self, "define_" + define)(self)
        for _, set_, default in self.accesses.values():
            interface.call(set_, default)
        self.particles, self.parameters = CodeParticles(self), Parameters(self)
        self.call("commit_parameters")

    def define_parameters(self, handler): pass
    define_methods = define_particle_sets = define_state = define_parameters

    def add_method_parameter(self, get, set_, name, description, default_value):
        self.accesses[name] = get, set_, default_value

    def add_method(self, name, given, made):
        self.units[name] = given, made

    def call(self, name, *values):
        parameters = self.interface.specifications[name].parameters
        given, made = self.units.get(name) or ([NBODY.get(MEASURES.get(word)) for word, _, way in parameters if way == one]
                                               for one in ("in", "out"))
        values = [value if unit is None else self.converter.to_nbody(value, unit)
                  for value, unit in zip(values, given, strict=True)]
        k = slice(None) if any(map(np.ndim, values)) else 0
        results = [result[k] for result in self.interface.call(name, *values)]
        results = [result if unit is None else self.converter.to_si(result, unit) for result, unit in zip(results, made)]
        return results[0] if len(results) == 1 else results

    def __getattr__(self, name):  # the calls that are methods, and what has a get_ and no parameters
        if name in self.interface.specifications:
            return lambda *values: self.call(name, *values)
        name = {"model_time": "get_time"}.get(name, "get_" + name)
        if name in self.interface.specifications:
            return self.call(name)
        raise AttributeError(name)

    def stop(self):
        self.call("cleanup_code")


class Parameters:
    def __init__(self, code):
        self.__dict__["code"] = code

    def __getattr__(self, name):
        return self.code.call(self.code.accesses[name][0])

    def __setattr__(self, name, value):
        self.code.call(self.code.accesses[name][1], value), self.code.call("recommit_parameters")


class CodeParticles:
    def __init__(self, code):
        self.code, self.index = code, np.zeros(0, int)

    def add_particles(self, p):
        made = self.code.call("new_particle", p.mass, *p.position.T, *p.velocity.T, p.radius)
        self.index = np.append(self.index, made)
        self.code.call("commit_particles")

    def __len__(self):
        return len(self.index)

    def new_channel_to(self, other):
        def copy():
            other.mass, x, y, z, vx, vy, vz, other.radius = self.code.call("get_state", self.index)
            other.position[:], other.velocity[:] = np.column_stack([x, y, z]), np.column_stack([vx, vy, vz])
        return SimpleNamespace(copy=copy)


class StoppingConditions:
    def __init__(self, code):
        for number, name in {0: "collision", 1: "pair", 3: "timeout", 4: "number_of_steps", 5: "out_of_box"}.items():
            def ask(what, number=number):
                return lambda: code.call(what + "_condition" + ("_set" if what == "is_stopping" else ""), number)
            setattr(self, name + "_detection", SimpleNamespace(
                is_supported=ask("has_stopping"), enable=ask("enable_stopping"), disable=ask("disable_stopping"),
                is_set=ask("is_stopping")))

    def define_parameters(self, handler):
        for name, value in dict(timeout=4.0, number_of_steps=1, out_of_box=0.0).items():
            calls = (f"{verb}_stopping_condition_{name}_parameter" for verb in ("get", "set"))
            handler.add_method_parameter(*calls, "stopping_conditions_" + name + "_size" * (name == "out_of_box"), "", value)

    def define_methods(self, handler):
        handler.add_method("get_stopping_condition_out_of_box_parameter", (), (NBODY["length"], None))
        handler.add_method("set_stopping_condition_out_of_box_parameter", (NBODY["length"],), (None,))

    def define_state(self, handler): pass
    define_particle_set = define_state


def _modules():
    gd = dict(GravitationalDynamics=GravitationalDynamics, GravitationalDynamicsInterface=declared(DYNAMICS),
              GravityFieldCode=type("GravityFieldCode", (), dict(define_state=lambda self, handler: None)),
              GravityFieldInterface=declared(FIELD))
    nbody_system = SimpleNamespace(nbody_to_si=nbody_to_si, **NBODY)
    units = SimpleNamespace(parsec=Unit((0, 1, 0), 3.0856775814913673e16, "parsec"), MSun=Unit((1, 0, 0), 1.98892e30, "MSun"),
                            Myr=Unit((0, 0, 1), 3.15576e13, "Myr"))
    community = dict(LegacyFunctionSpecification=LegacyFunctionSpecification, legacy_function=legacy_function,
                     LiteratureReferencesMixIn=type("LiteratureReferencesMixIn", (), {}), nbody_system=nbody_system,
                     StoppingConditions=StoppingConditions, StoppingConditionInterface=declared(STOPPING))
    return {"community": community, "community.interface": {}, "community.interface.gd": gd, "rfi": {}, "ic": {},
            "rfi.core": dict(PythonCodeInterface=PythonCodeInterface), "units": dict(nbody_system=nbody_system, units=units),
            "ic.plummer": dict(new_plummer_model=new_plummer_model)}


if __name__ == "amuse":  # and not read for its declarations
    for name, names in _modules().items():
        module = sys.modules["amuse." + name] = ModuleType("amuse." + name)
        module.__dict__.update(names)
