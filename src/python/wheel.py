"""What pip calls to build a wheel (PEP 517): the package, the shared library that make built, its helper program, and the
libraries that both need, so that it works where there is neither compiler nor source tree.

By the rules of manylinux (PEP 600): libraries that every desktop has (ALWAYS_THERE) stay outside, all others go along, found
by an RPATH of $ORIGIN; the tag is the C library of the machine that builds, 2.36 for Debian 12.
"""
from __future__ import annotations

import base64
import hashlib
import os
import re
import shutil
import subprocess
import sysconfig
import tempfile
import zipfile
from pathlib import Path
from typing import Any, Iterator, Optional

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ALWAYS_THERE = re.compile(r"(ld-linux.*|linux-vdso|lib(c|m|dl|rt|pthread|resolv|util|gcc_s|stdc[+][+]|X11|Xext|xcb|Xau|Xdmcp|bsd|md|GL|EGL))\.so")


def _version() -> str:
    return re.search(r"^VERSION := (\S+)", (ROOT / "Makefile").read_text(), re.M)[1]


def _tag() -> str:
    """Like py3-none-manylinux_2_36_x86_64: it is loaded by ctypes, so any Python 3 will do."""
    platform = re.sub("[-.]", "_", sysconfig.get_platform())
    if platform.startswith("linux_") and "CS_GNU_LIBC_VERSION" in os.confstr_names:
        libc = os.confstr("CS_GNU_LIBC_VERSION").split()[1].replace(".", "_")
        platform = platform.replace("linux", f"manylinux_{libc}", 1)
    return f"py3-none-{platform}"


def _metadata() -> str:
    requires = re.findall(r'^(requires-python|description) = "(.*)"', (HERE / "pyproject.toml").read_text(), re.M)
    known = dict(requires)
    return (f"Metadata-Version: 2.1\nName: holmberg\nVersion: {_version()}\nSummary: {known['description']}\n"
            f"License: MIT\nRequires-Python: {known['requires-python']}\nRequires-Dist: numpy\n"
            f"Description-Content-Type: text/markdown\n\n{(HERE / 'README.md').read_text()}")


def _built(folder: str) -> list[Path]:
    """The library and its helper, linked to look beside themselves."""
    jobs = f"-j{os.cpu_count() or 1}"
    wanted = [f"{folder}/wheel/libholmberg.so.1", f"{folder}/wheel/holmberg-child"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    subprocess.run(["make", "-C", str(ROOT), jobs, f"B={folder}", *wanted], check=True, env=environment)
    return [ROOT / name for name in wanted]


def _needed(files: list[Path]) -> dict[str, Path]:
    """The libraries that go along, by the names that the loader looks for."""
    found: dict[str, Path] = {}
    left = list(files)
    while left:
        one = left.pop()
        direct = re.findall(r"NEEDED.*\[(.*)\]", subprocess.check_output(["readelf", "-d", str(one)], text=True))
        where = dict(re.findall(r"^\s*(\S+) => (/\S+)", subprocess.check_output(["ldd", str(one)], text=True), re.M))
        for name in direct:
            if name in found or ALWAYS_THERE.match(name):
                continue
            if name not in where:
                raise SystemExit(f"holmberg: {one} needs {name}, which is not on this machine")
            found[name] = Path(where[name]).resolve()
            left.append(found[name])
    return found


def _license_of(library: Path) -> Optional[tuple[str, Path]]:
    """Debian's file of the license of a library that goes along."""
    for name in (str(library), str(library).removeprefix("/usr")):
        asked = subprocess.run(["dpkg", "-S", name], capture_output=True, text=True) if shutil.which("dpkg") else None
        if asked and asked.returncode == 0:
            package = asked.stdout.split(":")[0]
            path = Path("/usr/share/doc", package, "copyright")
            return (package, path) if path.exists() else None
    return None


def _contents() -> Iterator[tuple[str, bytes, int]]:
    for source in sorted([*HERE.glob("*/*.py"), *HERE.glob("*/py.typed")]):
        yield str(source.relative_to(HERE)), source.read_bytes(), 0o644
    info = f"holmberg-{_version()}.dist-info"
    built = _built(os.environ.get("HOLMBERG_BUILD", "build"))
    along, page = _needed(built), built[0].parents[1] / "web/holmberg.html"
    with tempfile.TemporaryDirectory() as folder:
        for source in built:
            bare = Path(folder, source.name)
            subprocess.run(["strip", "--strip-unneeded", "-o", str(bare), str(source)], check=True)
            yield f"holmberg/native/{source.name}", bare.read_bytes(), 0o755
    if page.exists():  # Simulation.show serves it; make web builds it
        yield "holmberg/native/web/holmberg.html", page.read_bytes(), 0o644
    for name, source in sorted(along.items()):
        yield f"holmberg/native/{name}", source.read_bytes(), 0o755
    licenses = dict(filter(None, map(_license_of, along.values())))
    for package, path in sorted(licenses.items()):
        yield f"{info}/licenses/{package}", path.read_bytes(), 0o644
    yield f"{info}/licenses/LICENSE", (ROOT / "LICENSE").read_bytes(), 0o644
    yield f"{info}/METADATA", _metadata().encode(), 0o644
    yield f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: holmberg\nRoot-Is-Purelib: false\nTag: {_tag()}\n".encode(), 0o644


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: Any = None) -> str:
    """PEP 517's: returns the name of the wheel that it wrote into the folder."""
    name, record = f"holmberg-{_version()}-{_tag()}.whl", ""
    with zipfile.ZipFile(Path(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        def put(path: str, data: bytes, mode: int) -> None:
            entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))  # the same bytes each time
            entry.external_attr, entry.compress_type = (0o100000 | mode) << 16, zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)
        for path, data, mode in _contents():
            put(path, data, mode)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record += f"{path},sha256={digest},{len(data)}\n"
        path = f"holmberg-{_version()}.dist-info/RECORD"
        put(path, (record + f"{path},,\n").encode(), 0o644)
    return name


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    """There is one archive of the sources, for all languages."""
    raise SystemExit("holmberg: the source archive is that of `make dist`, at the top of the tree")
