#!/usr/bin/python3
"""hdf5_faults.py FOLDER: well-formed HDF5 files that are odd as snapshots. Those named good_* hold four particles that
can be read right, the others are to be refused."""
import os
import sys

import h5py
import numpy as np

N = 4
folder = sys.argv[1]
made = 0


def base(name, libver="earliest", without=(), **changed):
    """A file of four particles of type 1; changed: data sets and attributes that have other values."""
    global made
    made += 1
    f = h5py.File(os.path.join(folder, name + ".h5"), "w", libver=libver)
    header = {"NumPart_ThisFile": np.array([0, N, 0, 0, 0, 0], "u4"), "MassTable": np.zeros(6), "Time": 0.5,
              "NumFilesPerSnapshot": 1}
    data = {"Coordinates": np.arange(3.0 * N).reshape(N, 3), "Velocities": np.zeros((N, 3)), "Masses": np.full(N, 0.25),
            "ParticleIDs": np.arange(N, dtype="u8")}
    if "Header" not in without:
        h = f.create_group("Header")
        for key, value in header.items():
            if key not in without:
                h.attrs[key] = changed.get(key, value)
    if "PartType1" not in without:
        g = f.create_group("PartType1")
        for key, value in data.items():
            if key not in without:
                g[key] = changed.get(key, value)
    if "Holmberg" not in without:
        f.create_group("Holmberg").attrs["history"] = np.bytes_("made by hand")
    return f


def low_level(f, name, type_id, shape=(N,)):
    """A data set of a type that h5py's upper half does not make."""
    h5py.h5d.create(f["PartType1"].id, name.encode(), type_id, h5py.h5s.create_simple(shape))


DATA = ("Coordinates", "Velocities", "Masses", "ParticleIDs")
SHAPE = {"Coordinates": (N, 3), "Velocities": (N, 3), "Masses": (N,), "ParticleIDs": (N,)}

# what can be read
for libver in ("earliest", "v108", "v110", "latest"):
    base("good_" + libver, libver).close()
for kind in ("<f4", ">f4", ">f8", "<f2", "i1", "<i4", ">u8"):
    base("good_type_" + kind.replace("<", "le_").replace(">", "be_"),
         Coordinates=np.arange(3 * N).reshape(N, 3).astype(kind)).close()
for name, options in {"gzip": {"compression": "gzip", "shuffle": True}, "checksum": {"fletcher32": True},
                      "scaled": {"scaleoffset": 3}, "growing": {"maxshape": (None, 3), "chunks": (3, 3)}}.items():
    f = base("good_" + name, without=("Coordinates",))
    f["PartType1"].create_dataset("Coordinates", data=np.arange(3.0 * N).reshape(N, 3), **options)
    f.close()
f = base("good_soft", without=("Masses",))
f["elsewhere"] = np.full(N, 0.25)
f["PartType1/Masses"] = h5py.SoftLink("/elsewhere")
f.close()
f = base("good_loop")
f["PartType1/again"] = f["PartType1"]
f["round"] = h5py.SoftLink("/round")
f.close()
f = base("good_committed", without=("Masses",))
f["type"] = np.dtype("f8")
f["PartType1"].create_dataset("Masses", data=np.full(N, 0.25), dtype=f["type"])
f.close()
base("good_column", Masses=np.full((N, 1), 0.25)).close()
base("good_float_counts", NumPart_ThisFile=np.array([0, N, 0, 0, 0, 0], "f8")).close()
f = base("good_notes")
f["Holmberg"].attrs["vlen"] = "a string of any length"
f["Holmberg"].attrs["number"] = 7
f["Holmberg"].attrs["numbers"] = np.arange(3)
f["Holmberg"].attrs["no key!"] = np.bytes_("x")
f["Holmberg"].create_group("deeper")
f.close()
f = h5py.File(os.path.join(folder, "good_user_block.h5"), "w", userblock_size=1024)
with h5py.File(os.path.join(folder, "good_earliest.h5"), "r") as old:
    for key in old:
        old.copy(key, f)
f.close()
made += 1

# links and storage that lead to other files
f = h5py.File(os.path.join(folder, "good_earliest.h5"), "a")
f.close()
for what in ("Header", "PartType1", "Holmberg"):
    f = base("external_link_" + what, without=(what,))
    f[what] = h5py.ExternalLink("good_earliest.h5", what)
    f.close()
for what in DATA:
    f = base("external_link_" + what, without=(what,))
    f["PartType1/" + what] = h5py.ExternalLink("good_earliest.h5", "PartType1/" + what)
    f.close()
    f = base("soft_to_external_" + what, without=(what,))
    f["out"] = h5py.ExternalLink("good_earliest.h5", "/")
    f["PartType1/" + what] = h5py.SoftLink("/out/PartType1/" + what)
    f.close()
    f = base("external_storage_" + what, without=(what,))
    f["PartType1"].create_dataset(what, SHAPE[what], dtype="u8" if what == "ParticleIDs" else "f8",
                                  external=[("good_earliest.h5", 0, h5py.h5f.UNLIMITED)])
    f.close()
    f = base("virtual_" + what, "v110", without=(what,))
    layout = h5py.VirtualLayout(SHAPE[what], dtype="f8")
    layout[...] = h5py.VirtualSource("good_earliest.h5", "PartType1/" + what, shape=SHAPE[what])
    f["PartType1"].create_virtual_dataset(what, layout)
    f.close()

# what is not there, or is something else
for what in ("Header", "NumPart_ThisFile", "PartType1", "Coordinates", "Velocities", "Masses"):
    base("without_" + what, without=(what,)).close()
for what in DATA:
    f = base("dangling_" + what, without=(what,))
    f["PartType1/" + what] = h5py.SoftLink("/nowhere")
    f.close()
    f = base("turning_" + what, without=(what,))
    f["PartType1/" + what] = h5py.SoftLink("/PartType1/" + what)
    f.close()
    f = base("group_" + what, without=(what,))
    f["PartType1"].create_group(what)
    f.close()
    f = base("type_" + what, without=(what,))
    f["PartType1/" + what] = np.dtype("f8")
    f.close()
    f = base("unwritten_" + what, without=(what,))
    f["PartType1"].create_dataset(what, SHAPE[what])
    f.close()
    f = base("filter_" + what, without=(what,))
    f["PartType1"].create_dataset(what, data=np.zeros(SHAPE[what], "u8"), compression="lzf", chunks=True)
    f.close()
    base("no_rows_" + what, **{what: np.zeros((0, 3))}).close()
    base("cube_" + what, **{what: np.zeros((N, 3, 1))}).close()
    base("scalar_" + what, **{what: 1.0}).close()
    base("null_" + what, **{what: h5py.Empty("f8")}).close()
    base("text_" + what, **{what: np.full(SHAPE[what], b"1.5")}).close()
    base("compound_" + what, **{what: np.zeros(SHAPE[what], [("a", "f8"), ("b", "i4")])}).close()
f = base("data_set_PartType1", without=("PartType1",))
f["PartType1"] = np.zeros((N, 3))
f.close()
f = base("data_set_Holmberg", without=("Holmberg",))
f["Holmberg"] = np.zeros(3)
f.close()
for name, kind in {"enum": h5py.enum_dtype({"A": 0, "B": 1}), "vlen": h5py.vlen_dtype("f8"), "string": h5py.string_dtype(),
                   "reference": h5py.ref_dtype, "region": h5py.regionref_dtype, "opaque": np.dtype("V8"),
                   "array": np.dtype(("f8", (3,))), "complex": np.dtype("c16")}.items():
    f = base("masses_" + name, without=("Masses",))
    f["PartType1"].create_dataset("Masses", (N,), dtype=kind)
    f.close()
f = base("masses_bits", without=("Masses",))
low_level(f, "Masses", h5py.h5t.STD_B64LE)
f.close()
f = base("masses_time", without=("Masses",))
low_level(f, "Masses", h5py.h5t.UNIX_D64LE)
f.close()

# numbers that make no sense
for name, counts in {"negative": [0, -4, 0, 0, 0, 0], "half": [0, 3.5, 0, 0, 0, 0], "nan": [0, np.nan, 0, 0, 0, 0],
                     "none": [0] * 6, "five": [0, N, 0, 0, 0], "seven": [0, N, 0, 0, 0, 0, 0], "less": [0, 3, 0, 0, 0, 0],
                     "more": [0, 5, 0, 0, 0, 0], "elsewhere": [N, 0, 0, 0, 0, 0], "huge": [0, 2**31, 0, 0, 0, 0],
                     "endless": [0, 2**63, 0, 0, 0, 0], "all": [2**32 - 1] * 6}.items():
    base("counts_" + name, NumPart_ThisFile=np.array(counts)).close()
base("counts_text", NumPart_ThisFile=np.bytes_("040000")).close()
base("counts_empty", NumPart_ThisFile=h5py.Empty("i4")).close()
for value in ("nan", "inf", "-inf", "-1e300", "1e17"):
    base("time_" + value, Time=float(value)).close()
base("time_text", Time="noon").close()
base("time_two", Time=[0.5, 0.5]).close()
base("time_compound", Time=np.zeros((), [("a", "f8")])).close()
base("table_short", MassTable=np.zeros(5)).close()
base("table_negative", MassTable=np.array([0, -1, 0, 0, 0, 0.0])).close()
base("files_many", NumFilesPerSnapshot=8).close()
base("files_nan", NumFilesPerSnapshot=np.nan).close()
for value in (np.nan, np.inf):
    base("coordinates_%g" % value, Coordinates=np.full((N, 3), value)).close()
base("ids_negative", ParticleIDs=np.arange(N) - 2).close()
base("ids_fraction", ParticleIDs=np.arange(N) + 0.5).close()
base("ids_nan", ParticleIDs=np.full(N, np.nan)).close()

# notes that are no single string
for name, value in {"array": np.array([b"one", b"two"] * 500), "vlens": np.array(["one", "two"], h5py.string_dtype()),
                    "table": np.full((3, 3), b"x"), "empty": h5py.Empty("S4"), "zero": np.zeros(0, "S4")}.items():
    f = base("notes_" + name)
    f["Holmberg"].attrs["history"] = value
    f.close()

# small files that ask for much memory
for name, options in {"unwritten": {}, "packed": {"compression": "gzip", "chunks": (2**16, 3)},
                      "chunk": {"chunks": (2**27, 3), "compression": "gzip"}}.items():
    f = base("memory_" + name, without=("PartType1",), NumPart_ThisFile=np.array([0, 2**28, 0, 0, 0, 0], "u4"))
    for what, columns in {"Coordinates": 3, "Velocities": 3}.items():
        f.create_dataset("PartType1/" + what, (2**28, columns), dtype="f8", **options)
    f.close()
f = base("memory_wide_chunk", without=("Coordinates",))
f["PartType1"].create_dataset("Coordinates", (N, 3), maxshape=(None, 3), chunks=(2**27, 3), dtype="f8", compression="gzip")
f["PartType1/Coordinates"].id.write_direct_chunk((0, 0), bytes(100))
f.close()
print(made)
