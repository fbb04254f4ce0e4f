"""amuse_journey.py LINES: the guide's lines for AMUSE, and what comes of them beside sums of our own, the program and, where it
is not the stand-in, AMUSE. Prints every number with what is expected; exit code 1 if one is off."""
import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np

import amuse
import holmberg

is_real = not hasattr(amuse, "DYNAMICS")
bad = 0


def same(what, got, expected, most=0.0):
    global bad
    off = float(np.max(np.abs(np.asarray(got, float) - np.asarray(expected, float))))
    shown = [f"{np.ravel(a)[0]:.15g}{' ...' if np.size(a) > 1 else ''}" for a in (got, expected)]
    print(f"{what}: {shown[0]}, expected {shown[1]}, off by at most {off:.1e}, allowed {most:.0e}", flush=True)
    bad += not off <= most


def told(what, sentence, function):
    """It fails, with that sentence."""
    global bad
    try:
        function()
        said = "nothing"
    except Exception as error:
        said = str(error)
    print(f"{what}: said {said!r}, expected {sentence!r} in it", flush=True)
    bad += sentence not in said


np.random.seed(1)  # AMUSE's models
before, after = Path(sys.argv[1]).read_text().split("code.evolve_model")
exec(before)  # the guide's names are those below
nbody = nbody_system


def number(q, unit):
    return convert_nbody.to_nbody(q).value_in(unit) if is_real else convert_nbody.to_nbody(q, unit)


def arrays(p):
    return number(p.mass, nbody.mass), number(p.position, nbody.length), number(p.velocity, nbody.speed)


def sums(m, x, v):
    """Kinetic and potential energy."""
    r = ((x[:, None] - x) ** 2).sum(axis=2)
    one_over = (r + eps ** 2) ** -0.5
    np.fill_diagonal(one_over, 0)
    return 0.5 * m @ (v ** 2).sum(axis=1), -0.5 * m @ one_over @ m


def program(file):
    """The particles of a file at the end, by the program, with the time and the softening of the lines."""
    command = ["holmberg", "run", file, "-o", "last.h5", "--t-end", repr(float(t)), "--eps", repr(float(eps)), "--quiet"]
    print("$", *command, flush=True)
    subprocess.run(command, check=True)
    return holmberg.Particles.read("last.h5")


def energies(what):
    for name, one in zip(("kinetic", "potential"), sums(*arrays(stars))):
        same(f"{name} energy, {what}", number(getattr(code, name + "_energy"), nbody.energy), one, 1e-13)


t, eps = number(1 | units.Myr, nbody.time), 0.01  # softening: that of the lines
same("particles", len(code.particles), 256)
same("softening in parsec", code.parameters.epsilon_squared.value_in(units.parsec ** 2), 1e-4, 1e-16)
energies("at the start")
m, x, v = arrays(stars)
holmberg.Particles.from_arrays(m, x, v).write("first.h5")
exec("code.evolve_model" + after.replace("code.stop()", ""))

same("time", number(code.model_time, nbody.time), t, 1e-14)
energies("at the end")
last = program("first.h5")
for name, got, expected in zip(("mass", "position", "velocity"), arrays(stars), (last.m, last.x, last.v)):
    same(f"{name} beside the program's", got, expected, 1e-12)

m, x, v = arrays(stars)
points = np.array([[0.5, 0, 0], [0, -2, 1], [0.1, 0.2, 0.3]])
words = [0 * points[:, 0] | units.parsec, *(column | units.parsec for column in points.T)]
d = x - points[:, None]
one_over = ((d ** 2).sum(axis=2) + eps ** 2) ** -0.5
a = code.get_gravity_at_point(*words)
expected = (m[:, None] * d * one_over[..., None] ** 3).sum(axis=1).T
same("gravity at points", [number(one, nbody.acceleration) for one in a], expected, 1e-12)
phi = code.get_potential_at_point(*words)
same("potential at points", number(phi, nbody.potential), -(one_over @ m), 1e-12)

size, stops = 1.5, code.stopping_conditions
distance = (x ** 2).sum(axis=1) ** 0.5
code.parameters.stopping_conditions_out_of_box_size = size | units.parsec
stops.out_of_box_detection.enable()
code.evolve_model(2 | units.Myr)
if is_real:
    outside = number(stops.out_of_box_detection.particles(0).position, nbody.length)
    same("the nearest of those is outside", (outside ** 2).sum(axis=1).min() > size ** 2, True)
here = number(code.model_time, nbody.time)
print(f"out of a box of {size}: at t = {here:.6f} of {2 * t:.6f}, after {t:.6f}; {(distance > size).sum()} were so before")
bad += not (stops.out_of_box_detection.is_set() and t < here < 2 * t)
stops.out_of_box_detection.disable()
code.parameters.stopping_conditions_number_of_steps = 3
stops.number_of_steps_detection.enable()
code.evolve_model(2 | units.Myr)
print(f"three steps: at t = {number(code.model_time, nbody.time):.6f}, after {here:.6f}")
bad += not (stops.number_of_steps_detection.is_set() and here < number(code.model_time, nbody.time) < 2 * t)
stops.number_of_steps_detection.disable()
same("supported: a collision, a pair, a timeout", [getattr(stops, name + "_detection").is_supported()
                                                   for name in ("collision", "pair", "timeout")], [1, 1, 1])


def with_parameters(**values):
    for name, value in values.items():
        setattr(code.parameters, name, value)
    code.evolve_model(2 | units.Myr)


told("a precision that is none", "has no precision 'half' (expected one of: ",
     lambda: with_parameters(scheme="host", precision="half"))
told("a context that is none", "unknown context 'dos' (expected ",
     lambda: with_parameters(scheme="tile", precision="", context="dos"))




def declarations(owner, ways):
    """Of its functions: whether they are for arrays alone; names, types and directions of what goes in and what comes out."""
    specifications = {name: one.specification for name, one in ((name, getattr(owner, name)) for name in dir(owner))
                      if hasattr(one, "specification_function")}
    return {name: (one.must_handle_array,
                   sorted(((p.name, p.datatype, ways[p.direction]) for p in one.parameters), key=lambda p: p[2]))
            for name, one in specifications.items()}


def the_stand_in_declares_what_amuse_does():
    from amuse.community import LegacyFunctionSpecification, StoppingConditionInterface
    from amuse.community.interface.gd import GravitationalDynamicsInterface, GravityFieldInterface
    found = importlib.util.spec_from_file_location("stand_in", Path(__file__).parent / "stand_in/amuse/__init__.py")
    stand_in = importlib.util.module_from_spec(found)
    found.loader.exec_module(stand_in)
    ways = {getattr(LegacyFunctionSpecification, way.upper()): way for way in ("in", "out", "length")}
    for owner, table in ((GravitationalDynamicsInterface, stand_in.DYNAMICS), (GravityFieldInterface, stand_in.FIELD),
                         (StoppingConditionInterface, stand_in.STOPPING)):
        theirs, ours = declarations(owner, ways), declarations(stand_in.declared(table), {way: way for way in ways.values()})
        differ = sorted(name for name in {*theirs, *ours} if theirs.get(name) != ours.get(name))
        same(f"declarations of {owner.__name__}, {differ} differ", len(ours) - len(differ), len(theirs))


def more_of_amuse():
    """Its energies, its files in the program, particles that go and come, a bridge."""
    from amuse.couple.bridge import Bridge
    from amuse.io import write_set_to_file

    def begun(particles, **parameters):
        one = Holmberg(channel_type=code.channel_type)
        one.particles.add_particles(particles)
        for name, value in dict(epsilon_squared=eps ** 2 | nbody.length ** 2, **parameters).items():
            setattr(one.parameters, name, value)
        return one

    p = new_plummer_model(100)
    one = begun(p)
    same("kinetic energy / AMUSE's", one.kinetic_energy / p.kinetic_energy(), 1, 1e-13)
    theirs = p.potential_energy(smoothing_length_squared=eps ** 2 | nbody.length ** 2, G=nbody.G)
    same("potential energy / AMUSE's", one.potential_energy / theirs, 1, 1e-13)
    write_set_to_file(p, "first.amuse", "amuse", close_file=True)
    one.evolve_model(t | nbody.time)
    last = program("first.amuse")
    same("position beside the program's, from AMUSE's file", one.particles.position.value_in(nbody.length), last.x)
    same("velocity", one.particles.velocity.value_in(nbody.speed), last.v)

    one.particles.remove_particles(p[:3])
    p.remove_particles(p[:3])
    p.add_particles(new_plummer_model(2))
    p.synchronize_to(one.particles)
    same("particles after 3 left and 2 came", len(one.particles), 99)
    same("their mass", one.total_mass.value_in(nbody.mass), 97 / 100 + 1, 1e-14)
    one.evolve_model(t + 0.25 | nbody.time)
    one.particles[0].mass = 0.5 | nbody.mass
    same("with a mass that was changed", one.total_mass.value_in(nbody.mass), 97 / 100 + 1.5 - 0.01, 1e-14)
    one.particles.remove_particles(one.particles)
    field = one.get_gravity_at_point(*[1 | nbody.length] * 4)
    same("gravity of nothing", [a.value_in(nbody.acceleration) for a in field], 0)
    same("radius of nothing", one.total_radius.value_in(nbody.length), 0)
    one.stop()

    one = begun(new_plummer_model(10), begin_time=5 | nbody.time)
    same("begin_time, set after the particles", one.model_time.value_in(nbody.time), 5)
    one.stop()

    q = new_plummer_model(50)
    q.x += 3 | nbody.length
    pair = begun(new_plummer_model(100)), begun(q)
    bridge = Bridge(use_threading=False)
    bridge.add_system(pair[0], (pair[1],))
    bridge.add_system(pair[1], (pair[0],))
    bridge.timestep = 1 / 64 | nbody.time
    start = bridge.kinetic_energy + bridge.potential_energy
    bridge.evolve_model(1 | nbody.time)
    same("time of a bridge", [one.model_time.value_in(nbody.time) for one in pair], 1, 1e-12)
    same("its energy / that at the start", (bridge.kinetic_energy + bridge.potential_energy) / start, 1, 1e-4)
    bridge.stop()


if is_real:
    the_stand_in_declares_what_amuse_does()
    more_of_amuse()
    print(f"with AMUSE, {code.channel_type}")
else:
    print("with a stand-in for AMUSE, which was not found")
code.stop()
sys.exit(bad > 0)
