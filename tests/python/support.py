"""Where things are. The environment names the program, HOLMBERG, and the library, HOLMBERG_LIBRARY; or HOLMBERG_INSTALLED says
that the package is installed, with a library of its own."""
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("HOLMBERG", ROOT / "build/holmberg")).resolve()
LIBRARY = Path(os.environ.get("HOLMBERG_LIBRARY", PROGRAM.parent / "libholmberg.so.1")).resolve()
CONTEXT = "osmesa"  # the quickest to open

if "HOLMBERG_INSTALLED" in os.environ:
    import holmberg
    assert Path(holmberg.__file__).is_relative_to(sys.prefix), f"{holmberg.__file__} is not in {sys.prefix}"
    LIBRARY = Path(holmberg.__file__).parent / "native/libholmberg.so.1"
else:
    os.environ["HOLMBERG_LIBRARY"] = str(LIBRARY)
    sys.path.insert(0, str(ROOT / "src/python"))


def program(*words: object) -> str:
    """What the program prints."""
    return subprocess.run([str(PROGRAM), *map(str, words)], check=True, stdout=subprocess.PIPE, text=True).stdout


def compiled(source: Path, into: Path) -> Path:
    """A C program linked with the library under test."""
    subprocess.run(["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", str(source), f"-I{ROOT}/src/include", str(LIBRARY),
                    f"-Wl,-rpath,{LIBRARY.parent}", "-lm", "-o", str(into)], check=True)
    return into
