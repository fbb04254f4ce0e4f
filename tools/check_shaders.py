#!/usr/bin/env python3
"""check_shaders.py: every shader in every variant through the reference compiler, many files to a process. Prints how
many, or exit 1 and what the compiler says about each that is wrong.

A scheme of pairs/ is compiled with every interaction in every precision, and with every way to fetch a source; as 4.30, because
the reference compiler knows only half of GL_ARB_gpu_shader5, by which 3.30 does the same. Each is compiled for OpenGL ES, too,
unless it needs doubles, rectangles, or the loader, which writes out the loops over outputs of near/."""
import concurrent.futures, glob, os, re, subprocess, sys, tempfile

from expand import expand

PAIR = """#define I_EACH 2
#define UNROLL 2
#define PARTIAL 16
#define BLOCK_TEXELS 4096
#define ROWS 2
#define WORKGROUP 64
#define THREADS_PER_BODY 2
#define IN_WORDS WORDS
"""
NO_ES = re.compile(r"PRECISION 3|FMA_IS_FUSED|RECTANGLE|SOURCE 1\b|/bench/|/near/|NUMBER double")
ES_31 = re.compile(r"\.comp\b|J_SOURCE 3")
EACH = 16  # files to a process


def read(path):
    with open(path) as file:
        return file.read()


def defined(name, values):
    return [f"#define {name} {value}" for value in values]


def variants_of(file):
    """(version, interaction, defines)"""
    text = read(file)
    if file.startswith("shaders/hermite/"):
        for each in defined("PRECISION", [0, 1, 2, 3, "2\n#define FMA_IS_FUSED"]):
            yield "430", "", each
        if "/correct." in file:
            for each in defined("PRECISION", ["2\n#define FIELD", "3\n#define FIELD"]):
                yield "430", "", each
    elif '"view/places.glsl"' in text:  # where particles lie
        for each in defined("LAYOUT", [1, 2, 3, "3\n#define RECTANGLE"]):
            yield "330", "", each
    elif file.startswith("shaders/pairs/"):
        exact = "matrix_block" in file
        for interaction in sorted(glob.glob("shaders/interactions/*.glsl")):
            # what has precision reproducible says so, and what is for that alone has no other
            for precision in range(4 if exact else 0, 5 if "PRECISION == REPRODUCIBLE" in read(interaction) else 4):
                yield "430", interaction.removeprefix("shaders/"), f"{PAIR}#define PRECISION {precision}\n#define J_SOURCE 0"
        for source in () if exact else (1, 2, 3):
            yield "430", "interactions/gravity_jerk.glsl", f"{PAIR}#define PRECISION 0\n#define J_SOURCE {source}"
    elif file == "shaders/common/doubles.frag":
        for each in defined("NUMBER", ["float", "double"]):
            yield "430", "", each
    else:
        if file == "shaders/view/texels.frag":  # what an array is made of
            for each in defined("SOURCE", [1, 2, 3, 4]):
                yield "330", "", each
        version = "430" if file.endswith(".comp") or file.startswith("shaders/common/") else "330"
        yield version, "", "#define PRECISION 0\n#define ROUNDS 2"


def all_variants():
    for file in sorted(path for kind in ("frag", "vert", "comp") for path in glob.glob(f"shaders/**/*.{kind}", recursive=True)):
        for version, interaction, defines in variants_of(file):
            yield file, version, interaction, defines
            if not NO_ES.search(file + " " + defines):
                yield file, "310es" if ES_31.search(file + " " + defines) else "300es", interaction, defines


def compiles(batch):
    """What the compiler says about the files (variant, path): it names a file, and then what is wrong with it."""
    done = subprocess.run(["glslangValidator", *(path for _, path in batch)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode == 0:
        return ""
    parts = re.split(r"^(\S+)$\n", done.stdout, flags=re.M)
    said = {path: text for path, text in zip(parts[1::2], parts[2::2])}
    wrong = "".join(f"== {file} {version} {interaction}\n{defines}\n{said[path]}"
                    for (file, version, interaction, defines), path in batch if "ERROR" in said.get(path, ""))
    return wrong or f"glslangValidator: exit {done.returncode}\n{done.stdout}"


os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
with tempfile.TemporaryDirectory() as folder:
    files = []
    for k, variant in enumerate(all_variants()):
        path = f"{folder}/{k}{os.path.splitext(variant[0])[1]}"
        with open(path, "w") as out:
            out.write(expand(*variant))
        files.append((variant, path))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = "".join(pool.map(compiles, [files[k:k + EACH] for k in range(0, len(files), EACH)]))
print(wrong if wrong else f"{len(files)} variants")
sys.exit(bool(wrong))
