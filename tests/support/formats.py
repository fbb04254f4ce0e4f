#!/usr/bin/python3
"""Snapshot formats by hand, from their descriptions, knowing nothing of ours.

formats.py make FOLDER  files of four particles: those named good_* can be read right, and have identities 10 to 13 if
                        there is `ids` in their names; the others are to be refused
formats.py same REF FORMAT FILE ...  the particles of the files are those of the HDF5 snapshot REF, to the last bit kept
formats.py seeds FOLDER  some of the same as seeds for tests/fuzz"""
import os
import re
import struct
import sys
import xml.etree.ElementTree as ET

import h5py
import numpy as np

N, T = 4, 0.5
M = np.full(N, 0.25)
X = np.arange(3.0 * N).reshape(N, 3)
V = np.array([[i / 2, 1.0 - i, 4.0] for i in range(N)])
IDS = np.arange(10, 10 + N)
PHASE = np.stack([X, V], axis=1)

# ---- NEMO: magic, type, tag, dimensions ended by 0, data; sets between ( and )

SIZES = {"c": 1, "b": 1, "a": 1, "s": 2, "h": 2, "i": 4, "f": 4, "l": 8, "d": 8}


class Nemo:
    def __init__(self, order="<", real="d"):
        self.order, self.real, self.bytes = order, real, b""

    def item(self, kind, tag, data=None, shape=None, magic=None):
        single = shape is None
        self.bytes += struct.pack(self.order + "H", magic or (0o11 << 8 if single else 0o13 << 8) + 0o222)
        self.bytes += kind.encode() + b"\0" + (b"" if tag is None else tag.encode() + b"\0")
        if not single:
            self.bytes += struct.pack(self.order + "%di" % (len(shape) + 1), *shape, 0)
        if data is not None:
            kinds = {"i": "i4", "f": "f4", "d": "f8", "s": "i2", "l": "i8", "h": "f2"}
            self.bytes += data if isinstance(data,
                                             bytes) else np.asarray(data).astype(self.order + kinds[kind]).tobytes()
        return self

    def begin(self, tag, kind="("):
        return self.item(kind, tag)

    def end(self, tag=None, kind=")"):
        return self.item(kind, tag)

    def text(self, tag, words):
        return self.item("c", tag, words.encode() + b"\0", [len(words) + 1])

    def array(self, tag, data):
        return self.item(self.real, tag, data, list(np.shape(data)))

    def header(self, t=T, n=N):
        self.begin("SnapShot").begin("Parameters").item("i", "Nobj", n).item(self.real, "Time", t).end()
        return self.begin("Particles")

    def close(self):
        return self.end().end()


def nemo(order="<", real="d"):
    return Nemo(order, real).header().array("Mass", M).array("PhaseSpace", PHASE).close().bytes


def massive(**header):
    return Nemo().header(**header).array("Mass", M)


def nemo_unknown():
    """What NEMO and others may add, and what nobody knows."""
    f = Nemo().text("Headline", "by hand").text("History", "mkplummer out 4").item("l", "Strange", 7)
    f.begin("SetOfOther").begin("Deeper").array("Mass", M).end().begin("Tale", "[").text("Line", "x").end("Tale",
                                                                                                          "]").end()
    f.begin("SnapShot").begin("Diagnostics").array("Energy", np.zeros(3)).array("CMPhaseSpace", np.zeros((2, 3)))
    f.item("d", "cputime", 1.5).end().begin("Parameters").item("i", "NBody", N).item("d", "Time", T).item("s", "Ngas",
                                                                                                          0).end()
    f.begin("Particles").item("i", "CoordSystem", 0o201402).array("Mass", M).array("Position", X).array("Velocity", V)
    f.array("Potential", -np.ones(N)).array("Acceleration", X).item("i", "Key", IDS, [N]).array("AuxVec", X)
    return f.close().bytes


def nemo_movie():
    """Three times, masses and keys in the first only, diagnostics alone in between; the second is the one of time T."""
    f = Nemo()
    for k, t in enumerate((0.25, T, 0.75)):
        f.header(t)
        if k == 0:
            f.array("Mass", M).item("i", "Key", IDS, [N])
        f.array("PhaseSpace", PHASE + (k != 1)).close()
        f.begin("SnapShot").begin("Parameters").item("d", "Time", t).end().begin("Diagnostics").end().end()
    return f.bytes


def nemo_mixed():
    """Float and double, both byte orders, one after another."""
    f = Nemo(">", "f").header().array("Mass", M)
    f.order, f.real = "<", "d"
    return f.array("Position", X).array("Velocity", V).close().bytes


def read_nemo(data):
    """All items as a list of (path of sets, tag, value)."""
    at, path, found = 0, [], []
    while at < len(data):
        order = "<" if data[at] == 0o222 else ">"
        magic = struct.unpack_from(order + "H", data, at)[0]
        assert magic & 0xff == 0o222 and magic >> 8 in (0o11, 0o13), magic
        kind, at = chr(data[at + 2]), at + 4
        if kind == ")":
            path.pop()
            continue
        tag = data[at:data.index(b"\0", at)].decode()
        at += len(tag) + 1
        if kind == "(":
            path.append(tag)
            continue
        shape = []
        while magic >> 8 == 0o13:
            shape.append(struct.unpack_from(order + "i", data, at)[0])
            at += 4
            if shape[-1] == 0:
                shape.pop()
                break
        size = SIZES[kind] * int(np.prod(shape, dtype=int))
        value = data[at:at + size]
        if kind not in "cba":
            kinds = {"i": "i4", "f": "f4", "d": "f8", "s": "i2", "l": "i8"}
            value = np.frombuffer(value, order + kinds[kind]).reshape(shape)
        found.append(("/".join(path), tag, value))
        at += size
    assert not path
    return found


# ---- tipsy


def tipsy(order=">", pad=True, dark=range(N), phi=-1.5, gas=(), stars=(), **header):
    h = {"n": N, "ndim": 3, "gas": len(gas), "dark": len(dark), "stars": len(stars), **header}
    out = struct.pack(order + "d5i", h.get("t", T), h["n"], h["ndim"], h["gas"], h["dark"],
                      h["stars"]) + (bytes(4) if pad else b"")
    for i in gas:
        out += struct.pack(order + "12f", M[i], *X[i], *V[i], 7, 8, 9, 10, 11)
    for i in dark:
        out += struct.pack(order + "8f", M[i], *X[i], *V[i], 0.01)
        out += struct.pack(order + "f", phi) if phi is not None else struct.pack(order + "i", IDS[i])
    for i in stars:
        out += struct.pack(order + "10f", M[i], *X[i], *V[i], 0.02, 0.5, 0.01)
        out += struct.pack(order + "f", phi) if phi is not None else struct.pack(order + "i", IDS[i])
    return out


# ---- text


def rows(first=0, row="%d %.17g %.17g %.17g %.17g %.17g %.17g %.17g\n"):
    numbers = [(first + i, M[i]) + tuple(X[i]) + tuple(V[i]) for i in range(N)]
    return "".join(row % (n if "%d" in row or "%0" in row else n[1:]) for n in numbers)


FORTRAN = "%010d%15.6E" + 2 * ("  " + 3 * "%14.6E") + "\n"


def phigrape(step="0", n=N, t=T, **more):
    return "%s\n%s\n%s\n" % (step, n, t) + rows(**more)


def fortran(text):
    return re.sub(r"(\d)E([-+])", r"\1D\2", text)


def dynamics(m, r, v, more=""):
    vector = lambda x: "  ".join("%.17g" % c for c in x)
    return "(Dynamics\n%s  m  =  %.17g\n  r  =  %s\n  v  =  %s\n)Dynamics\n(Hydro\n)Hydro\n(Star\n)Star\n" % (
        more, m, vector(r), vector(v))


def leaf(i, r=(0, 0, 0), v=(0, 0, 0), index=True):
    """Particle i, relative to r and v."""
    return "(Particle\n%s  N = 1\n(Log\n)Log\n%s)Particle\n" % (
        "  i = %d\n" % IDS[i] if index else "", dynamics(M[i], X[i] - np.array(r), V[i] - np.array(v)))


def root(inside, t="  system_time  =  0.5\n", n=N, r=(0, 0, 0), v=(0, 0, 0)):
    log = "(Log\n ===>  Sat Apr 12 1997\n       Starlab 4.4 : makenode (of an i = 3)\n)Log\n"
    return "(Particle\n  N = %d\n%s%s%s)Particle\n" % (n, log, dynamics(1, r, v, t), inside)


def nested():
    """((0, 1), 2), 3 and a root that is neither at rest nor at the origin."""
    far, pair, triple = ([1, 2, 3], [0.5, 0, -1]), ([8, 0, 0], [1, 1, 1]), ([0, -4, 0], [0, 2, 0])
    at = lambda *frames: [np.sum([f[k] for f in frames], axis=0) for k in (0, 1)]
    node = lambda frame, inside: "(Particle\n  name = cm\n  N = 2\n%s%s)Particle\n" % (dynamics(0.5, *frame), inside)
    inner = node(pair, "".join(leaf(i, *at(far, triple, pair)) for i in (0, 1)))
    return root(node(triple, inner + leaf(2, *at(far, triple))) + leaf(3, *at(far)), r=far[0], v=far[1])


# ---- AMUSE

UNITS = {"mass": "system.get('generic').base('mass')", "length": "system.get('generic').base('length')",
         "time": "system.get('generic').base('time')"}
UNITS["speed"] = "(%s * (%s**-1))" % (UNITS["length"], UNITS["time"])


def amuse(path, times=(T,), units=None, change=lambda f: None, with_time=True):
    units = units or UNITS
    with h5py.File(path, "w", libver="latest") as f:
        f.create_group("AMUSE_INF").attrs["version"] = "2.0"
        for k, t in enumerate(times):
            g = f.create_group("data/%010d" % (k + 1))
            g.attrs["type"] = b"particles"
            g.attrs["number_of_particles"] = N
            g.attrs["class_of_the_particles"] = np.void(b"camuse.datamodel.particles\nParticles\np0\n.")
            if with_time:
                g.attrs["timestamp"], g.attrs["timestamp_unit"] = t, units["time"].encode()
            g["keys"] = IDS.astype("u8")
            a = g.create_group("attributes")
            for name, data, unit in [("mass", M, "mass")] + [
                    (c, X[:, i] + (t != T), "length") for i, c in enumerate("xyz")] + [
                    ("v" + c, V[:, i], "speed") for i, c in enumerate("xyz")]:
                a[name] = data
                a[name].attrs["units"] = units[unit].encode()
        change(f)


MSUN, PC, YEAR = 1.3271244e20 / 6.67430e-11, 648000 / np.pi * 149597870700.0, 31557600.0  # kg, m, s


def series(path, count):
    """A file of AMUSE whose sets are all the first one, by links."""

    def link(f):
        for k in range(2, int(count) + 1):
            f["data/%010d" % k] = f["data/0000000001"]

    amuse(path, change=link)


def si(folder):
    """A file in SI units, times in years; with a radius; and one that mixes systems."""
    unit = lambda of: "system.get('S.I.').base('%s')" % of
    units = {"mass": unit("mass"), "length": unit("length"), "time": "(%r * %s)" % (YEAR, unit("time")),
             "speed": "(1000.0 * (%s * (%s**-1)))" % (unit("length"), unit("time"))}

    def change(f):
        a = f["data/0000000001/attributes"]
        for name in a:
            a[name][...] *= {"m": MSUN, "v": 1}.get(name[0], PC)
        a["radius"] = 1e9 * np.arange(1.0, N + 1)
        a["radius"].attrs["units"] = unit("length")

    def mix(f):
        change(f)
        f["data/0000000001/attributes/y"].attrs["units"] = UNITS["length"]

    amuse(os.path.join(folder, "si.amuse"), (1e6 * T,), units, change)
    amuse(os.path.join(folder, "mixed.amuse"), (1e6 * T,), units, mix)


def same_si(path):
    """That file in N-body units: the mass of all, 1 pc, G = 1. And where it is the same to 1e-14."""
    time = (PC ** 3 / (6.67430e-11 * MSUN * M.sum())) ** 0.5
    with h5py.File(path, "r") as f:
        p = f["PartType1"]
        wrong = 0
        for name, found, right in (("mass", p["Masses"][:], M / M.sum()), ("x", p["Coordinates"][:], X + 1),
                                   ("v", p["Velocities"][:], V * 1000 * time / PC),
                                   ("radius", p["Radius"][:], 1e9 * np.arange(1.0, N + 1) / PC),
                                   ("t", f["Header"].attrs["Time"], 1e6 * T * YEAR / time)):
            off = np.max(np.abs(found - right) / np.max(np.abs(right)))
            print("%s: off by %.1e, at most 1e-14" % (name, off))
            wrong += not off < 1e-14
    sys.exit(wrong > 0)


# ---- make


def text_files():
    good = {
        "phigrape_ids.dat": phigrape(first=10), "one.inp": phigrape(first=1), "zero.in": phigrape(),
        "crlf.phigrape": phigrape().replace("\n", "\r\n"), "banana.init": "0.5\n4\n" + rows(first=1),
        "fortran.dat": fortran("%10d\n%10d\n%15.6E\n" % (0, N, T) + rows(row=FORTRAN)),
        "blank_end.phigrape": phigrape() + "\n  \n", "one_index.phigrape": phigrape(row="7" + " %.17g" * 7 + "\n"),
        "flat_ids.dyn": root("".join(leaf(i) for i in range(N))),
        "nested_ids.dyn": nested(), "no_index.dyn": root("".join(leaf(i, index=False) for i in range(N))),
        "two_roots_ids.dyn": root(leaf(0), "", 1) + root("".join(leaf(i) for i in range(N))),
        "xreal.dyn": root("".join(leaf(i) for i in range(N)),
                          "  real_system_time  =  0.5\n  system_time  =  0 8000000000000000\n"),
    }
    bad = {
        "n_more.phigrape": phigrape(n=5), "n_less.phigrape": phigrape(n=3), "n_huge.phigrape": phigrape(n=4000000000),
        "n_half.phigrape": phigrape(n="3.5"), "n_none.phigrape": phigrape(n=0), "n_negative.phigrape": phigrape(n=-4),
        "word.phigrape": phigrape().replace("0.25", "heavy", 1), "t_nan.phigrape": phigrape(t="nan"),
        "t_inf.phigrape": phigrape(t="1e999"),
        "short.phigrape": phigrape().replace(" 4\n", "\n", 1), "long.phigrape": phigrape().replace(" 4\n", " 4 5\n", 1),
        "index.phigrape": phigrape().replace("\n1 ", "\n1.5 "), "minus.phigrape": phigrape().replace("\n1 ", "\n-1 "),
        "empty.phigrape": "", "header.phigrape": "0\n", "columns.phigrape": rows(),
        "no_end.dyn": root(leaf(0), n=1)[:-11], "no_m.dyn": root(leaf(0).replace("  m  =", "  M  ="), n=1),
        "no_r.dyn": root(leaf(0).replace("  r  =", "  R  ="), n=1),
        "no_v.dyn": root(leaf(0).replace("  v  =", "  V  ="), n=1),
        "n.dyn": root(leaf(0), n=2), "two_numbers.dyn": root(leaf(0).replace("0  1  2", "0  1"), n=1),
        "four_numbers.dyn": root(leaf(0).replace("0  1  2", "0  1  2 3"), n=1),
        "word.dyn": root(leaf(0).replace("0.25", "heavy"), n=1),
        "nan.dyn": root(leaf(0).replace("0.25", "nan"), n=1),
        "index.dyn": root(leaf(0).replace("i = 10", "i = -3"), n=1),
        "brackets.dyn": root(leaf(0).replace(")Dynamics", "(Dynamics"), n=1),
        "cross.dyn": root(leaf(0).replace(")Hydro", ")Star", 1), n=1),
        "behind.dyn": root(leaf(0), n=1) + "and so on\n", "outside.dyn": "0 0.25 0 1 2 0 1 4\n", "empty.dyn": "",
        "bare.dyn": "(Particle\n)Particle\n",
        "binary.dyn": root(leaf(0).replace("  m  =", "tmpv =\n  m  ="), n=1),
        "deep.dyn": "(Particle\n" * 2000 + ")Particle\n" * 2000,
    }
    return good, bad


def binary_files():
    good = {"nemo_%s_%s.nemo" % (o, r): nemo(b, r) for o, b in (("little", "<"), ("big", ">")) for r in "fd"}
    good.update({"unknown_ids.snap": nemo_unknown(), "mixed.nemo": nemo_mixed(), "no_extension": nemo(),
                 "nemo.dat": nemo(">"),
                 "zero_keys.nemo": massive().array("PhaseSpace", PHASE).item("i", "Key", 0 * IDS, [N]).close().bytes,
                 "long_key_ids.nemo": massive().array("PhaseSpace", PHASE).item("l", "Key", IDS, [N]).close().bytes})
    for pad in (False, True):
        for name, order in (("standard", ">"), ("native", "=")):
            good["%s_%d.tipsy" % (name, 28 + 4 * pad)] = tipsy(order, pad)
    good.update({"mixture.std": tipsy(gas=[0], dark=[1, 2], stars=[3]), "cuda_ids.bin": tipsy("=", phi=None),
                 "bonsai_ids.tipsy": tipsy("=", phi=None, dark=[0, 1], stars=[2, 3]),
                 "no_phi.bin": tipsy("=", phi=0.0)})
    whole, big = nemo(), Nemo()
    bad = {
        "nemo_magic.nemo": b"\x92\x0a" + whole[2:], "nemo_type.nemo": whole.replace(b"d\0Mass", b"q\0Mass"),
        "nemo_none.nemo": Nemo().text("History", "x").bytes, "nemo_open.nemo": whole[:-4],
        "nemo_close.nemo": whole + Nemo().end().bytes,
        "nemo_behind.nemo": whole + b"\x92", "nemo_empty.nemo": b"",
        "nemo_deep.nemo": Nemo().bytes + b"".join([Nemo().begin("A").bytes] * 40),
        "nemo_tag.nemo": big.begin("x" * 100).end().bytes, "nemo_tag_bytes.nemo": whole.replace(b"Mass", b"Ma\ns"),
        "nemo_negative.nemo": Nemo().header().item("d", "Mass", M, [-4]).bytes,
        "nemo_endless.nemo": Nemo().header().item("d", "Mass", M, [2**31 - 1] * 8).bytes,
        "nemo_dimensions.nemo": Nemo().header().item("d", "Mass", M, [1] * 30).bytes,
        "nemo_no_n.nemo": Nemo().begin("SnapShot").begin("Particles").array("PhaseSpace", PHASE).close().bytes,
        "nemo_n.nemo": massive(n=5).array("PhaseSpace", PHASE).close().bytes,
        "nemo_n_huge.nemo": massive(n=2**31 - 1).array("PhaseSpace", PHASE).close().bytes,
        "nemo_n_0.nemo": massive(n=0).array("PhaseSpace", PHASE).close().bytes,
        "nemo_no_mass.nemo": Nemo().header().array("PhaseSpace", PHASE).close().bytes,
        "nemo_no_v.nemo": massive().array("Position", X).close().bytes,
        "nemo_int.nemo": massive().item("i", "PhaseSpace", PHASE, [N, 2, 3]).close().bytes,
        "nemo_shape.nemo": massive().array("PhaseSpace", PHASE.reshape(N, 6)).close().bytes,
        "nemo_system.nemo": massive().item("i", "CoordSystem", 2 << 16).array("PhaseSpace", PHASE).close().bytes,
        "nemo_key.nemo": massive().array("PhaseSpace", PHASE).item("i", "Key", IDS - 12, [N]).close().bytes,
        "nemo_nan.nemo": massive().array("PhaseSpace", PHASE * np.nan).close().bytes,
        "nemo_minus.nemo": Nemo().header().array("Mass", -M).array("PhaseSpace", PHASE).close().bytes,
        "nemo_time.nemo": massive(t=np.inf).array("PhaseSpace", PHASE).close().bytes,
        "tipsy_empty.tipsy": b"", "tipsy_short.tipsy": tipsy()[:20], "tipsy_cut.tipsy": tipsy()[:-1],
        "tipsy_longer.tipsy": tipsy() + b"\0",
        "tipsy_ndim.tipsy": tipsy(ndim=2), "tipsy_n.tipsy": tipsy(n=5),
        "tipsy_nan.tipsy": tipsy(t=np.nan), "tipsy_header.tipsy": tipsy()[:32],
    }
    bad["tipsy_negative.tipsy"] = tipsy()[:16] + struct.pack(">3i", -1, 5, 0) + tipsy()[28:]
    bad["tipsy_none.tipsy"] = struct.pack(">d5i", T, 0, 3, 0, 0, 0)
    for name, counts in (("huge", (2**31 - 1, 0, 2**31 - 1, 0)), ("overflow", (4, 2**31 - 1, 2**31 - 1, 6))):
        bad["tipsy_%s.tipsy" % name] = struct.pack(">d5i", T, counts[0], 3, *counts[1:]) + tipsy()[28:]
    for length in (1, 3, 17, 40, 60, 100, len(whole) - 30, len(whole) - 1):
        bad["nemo_cut_%d.nemo" % length] = whole[:length]
    return good, bad


def amuse_files(folder):
    def edit(f, path, name=None, value=None):
        if name:
            f[path].attrs[name] = value
        else:
            del f[path]
            if value is not None:
                f[path] = value

    first = "data/0000000001"
    none = {key: "none" for key in UNITS}
    turned = dict(UNITS, speed="%s / %s" % (UNITS["length"], UNITS["time"]))
    good = {"plain_ids.amuse": {}, "last_ids.h5": {"times": (0.25, T)}, "unitless_ids.hdf5": {"units": none},
            "turned_ids.amuse": {"units": turned}}
    for name, options in good.items():
        amuse(os.path.join(folder, "good_" + name), **options)
    bad = {
        "kg": dict(units=dict(UNITS, mass="system.get('S.I.').base('mass')")),
        "scaled": dict(units=dict(UNITS, length="(2.0 * %s)" % UNITS["length"])),
        "years": dict(units=dict(UNITS, time="(31557600.0 * system.get('S.I.').base('time'))")),
        "grid": dict(change=lambda f: edit(f, first, "type", b"grid")), "no_set": dict(times=()),
        "no_keys": dict(change=lambda f: edit(f, first + "/keys")),
        "no_mass": dict(change=lambda f: edit(f, first + "/attributes/mass")),
        "no_attributes": dict(change=lambda f: edit(f, first + "/attributes")),
        "no_data": dict(change=lambda f: edit(f, "data")),
        "n": dict(change=lambda f: edit(f, first, "number_of_particles", 5)),
        "n_0": dict(change=lambda f: edit(f, first, "number_of_particles", 0)),
        "n_huge": dict(change=lambda f: edit(f, first, "number_of_particles", 2**40)),
        "n_text": dict(change=lambda f: edit(f, first, "number_of_particles", b"4")),
        "flat": dict(change=lambda f: edit(f, first + "/attributes/x", value=np.zeros((N, 3)))),
        "no_unit": dict(change=lambda f: edit(f, first + "/attributes/x", value=np.zeros(N))),
        "link": dict(change=lambda f: edit(f, first + "/attributes/x",
                                           value=h5py.ExternalLink("good_plain_ids.amuse", "/" + first + "/keys"))),
        "number_unit": dict(change=lambda f: edit(f, first + "/attributes/x", "units", 7)),
        "nan": dict(change=lambda f: edit(f, first, "timestamp", np.nan)),
        "no_time_unit": dict(change=lambda f: f[first].attrs.__delitem__("timestamp_unit")),
    }
    for name, options in bad.items():
        amuse(os.path.join(folder, "amuse_" + name + ".amuse"), **options)
    return len(good) + len(bad)


def make(folder):
    made = amuse_files(folder)
    for files in (text_files(), binary_files()):
        for prefix, group in zip(("good_", ""), files):
            for name, content in group.items():
                with open(os.path.join(folder, prefix + name), "wb") as f:
                    f.write(content if isinstance(content, bytes) else content.encode())
                made += 1
    with open(os.path.join(folder, "movie.nemo"), "wb") as f:
        f.write(nemo_movie())
    with h5py.File(os.path.join(folder, "reference.h5"), "w") as f:
        f.create_group("Header").attrs.update({"NumPart_ThisFile": np.array([0, N, 0, 0, 0, 0], "u4"), "Time": T})
        f.create_group("PartType1").update({"Coordinates": X, "Velocities": V, "Masses": M, "ParticleIDs": IDS})
    print(made)


def seeds(folder):
    def put(target, name, content):
        with open(os.path.join(folder, target, name), "wb") as f:
            f.write(content if isinstance(content, bytes) else content.encode())

    good, _ = binary_files()
    for name in ("unknown_ids.snap", "nemo_big_f.nemo", "mixed.nemo"):
        put("nemo", "good-" + name.split(".")[0], good[name])
    put("nemo", "good-movie", nemo_movie())
    for name in ("standard_28.tipsy", "native_32.tipsy", "mixture.std", "cuda_ids.bin"):
        put("tipsy", "good-" + name.split(".")[0], good[name])
    good, _ = text_files()
    for name in ("phigrape_ids.dat", "banana.init", "fortran.dat"):
        put("phigrape", "good-" + name.split(".")[0], good[name])
    for name in ("flat_ids.dyn", "nested_ids.dyn", "two_roots_ids.dyn", "xreal.dyn"):
        put("dyn", "good-" + name.split(".")[0], good[name])


# ---- same


def get_nemo(path):
    with open(path, "rb") as f:
        items = read_nemo(f.read())
    value = {(path, tag): data for path, tag, data in items}
    particles, parameters = "SnapShot/Particles", "SnapShot/Parameters"
    phase = value[particles, "PhaseSpace"]
    n = int(value[parameters, "Nobj"])
    assert value[particles, "CoordSystem"] == 66306 and phase.shape == (n, 2, 3) and phase.dtype == "<f8"
    assert [tag for path, tag, _ in items if path == ""] == ["History"] * sum(path == "" for path, _, _ in items)
    return value[parameters, "Time"], value[particles, "Key"], value[particles, "Mass"], phase[:, 0], phase[:, 1]


def get_tipsy(path, order, phi):
    with open(path, "rb") as f:
        t, n, ndim, gas, dark, stars, pad = struct.unpack(order + "d6i", f.read(32))
        data = np.frombuffer(f.read(), order + "f4").reshape(n, 9)
    assert (ndim, gas, dark, stars, pad) == (3, 0, n, 0, 0)
    ids = np.frombuffer(data[:, 8].tobytes(), order + "i4")
    assert phi or not ids.any()
    return t, ids if phi else None, data[:, 0], data[:, 1:4], data[:, 4:7]


def get_phigrape(path):
    with open(path) as f:
        lines = f.read().splitlines()
    data = np.array([[float(w) for w in line.split()] for line in lines[3:]])
    assert lines[0].split() == ["0"] and int(lines[1]) == len(data)
    return float(lines[2]), data[:, 0], data[:, 1], data[:, 2:5], data[:, 5:]


def get_dyn(path):
    """A recursive reader of Starlab's stories."""
    with open(path) as f:
        lines = iter(f.read().splitlines())

    def story(name):
        values, children = {}, []
        for line in lines:
            if line == ")" + name:
                return values, children
            if line.startswith("("):
                children.append((line[1:], story(line[1:])))
            elif name != "Log":
                key, value = line.split("=")
                values[key.strip()] = value.split()
        raise ValueError("no end of " + name)

    assert next(lines) == "(Particle"
    values, children = story("Particle")
    top = dict(children)["Dynamics"][0]
    assert not any(float(c) for c in top["r"] + top["v"])
    particles = [(v, dict(inside)["Dynamics"][0]) for kind, (v, inside) in children if kind == "Particle"]
    assert int(values["N"][0]) == len(particles)
    column = lambda key: np.array([[float(w) for w in d[key]] for _, d in particles])
    ids = np.array([int(v["i"][0]) for v, _ in particles])
    return float(top["system_time"][0]), ids, column("m")[:, 0], column("r"), column("v")


def get_amuse(path):
    with h5py.File(path, "r") as f:
        assert f["AMUSE_INF"].attrs["version"] in ("2.0", b"2.0") and list(f["data"]) == ["0000000001"]
        g = f["data/0000000001"]
        assert g.attrs["type"] == b"particles" and g.attrs["number_of_particles"] == len(g["keys"])
        assert g.attrs["class_of_the_particles"].tobytes() == b"camuse.datamodel.particles\nParticles\np0\n."
        a = g["attributes"]
        units = {name: a[name].attrs["units"].decode() for name in a}
        assert units == dict({"mass": UNITS["mass"]}, **{c: UNITS["length"] for c in "xyz"},
                             **{"v" + c: UNITS["speed"] for c in "xyz"})
        assert g.attrs["timestamp_unit"].decode() == UNITS["time"]
        vector = lambda names: np.stack([a[name][:] for name in names], axis=1)
        return g.attrs["timestamp"], g["keys"][:], a["mass"][:], vector("xyz"), vector(("vx", "vy", "vz"))


def get_xdmf(path):
    """What ParaView follows: each item names a file beside the description, a data set in it, its type and shape."""
    grid = ET.parse(path).getroot().find("Domain/Grid")
    n = int(grid.find("Topology").get("NumberOfElements"))
    assert grid.find("Topology").get("TopologyType") == "Polyvertex"
    assert grid.find("Geometry").get("GeometryType") == "XYZ"
    found = {}
    for item in grid.iter("DataItem"):
        name, data = item.text.split(":")
        with h5py.File(os.path.join(os.path.dirname(path), name), "r") as f:
            found[data] = f[data][:]
        kind = {"Float": "f", "UInt": "u"}[item.get("NumberType")]
        assert found[data].dtype == kind + item.get("Precision") and item.get("Format") == "HDF"
        assert found[data].shape == tuple(int(w) for w in item.get("Dimensions").split()) and len(found[data]) == n
    assert {a.get("Name"): a.get("AttributeType") for a in grid.iter("Attribute")} == {
        "Velocities": "Vector", "Masses": "Scalar", "ParticleIDs": "Scalar"}
    part = lambda name: found["/PartType1/" + name]
    rows = grid.find("Topology/DataItem")  # where there are any
    assert (rows is not None) == np.array_equal(part("ParticleIDs"), np.arange(n))
    t = float(grid.find("Time").get("Value"))
    return t, part("ParticleIDs"), part("Masses"), part("Coordinates"), part("Velocities")


READERS = {"nemo": get_nemo, "phigrape": get_phigrape, "dyn": get_dyn, "amuse": get_amuse, "xdmf": get_xdmf,
           "tipsy": lambda path: get_tipsy(path, ">", False), "tipsy-native": lambda path: get_tipsy(path, "=", False),
           "tipsy-cuda": lambda path: get_tipsy(path, "=", True)}


def same(reference, *files):
    with h5py.File(reference, "r") as f:
        time, part = f["Header"].attrs["Time"], {name: data[:] for name, data in f["PartType1"].items()}
    for name, path in zip(files[::2], files[1::2]):
        t, ids, m, x, v = READERS[name](path)
        kept = "f4" if name.startswith("tipsy") else "f8"
        assert t == time, (name, t)
        assert ids is None or np.array_equal(ids, part["ParticleIDs"]), name
        for ours, theirs in ((m, "Masses"), (x, "Coordinates"), (v, "Velocities")):
            assert np.array_equal(ours, part[theirs].astype(kept)), (name, theirs)
        print(name, len(m))


{"make": make, "same": same, "seeds": seeds, "si": si, "same_si": same_si, "series": series}[sys.argv[1]](*sys.argv[2:])
