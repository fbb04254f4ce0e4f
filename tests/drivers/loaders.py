#!/usr/bin/env python3
"""loaders.py BUILD [NAME ...]: the tests that need OpenGL by other versions of Mesa and its other renderers, as a table.

NAME: what a row's first two columns have; TESTS: other tests. The test programs of this machine run by the libraries of roots.sh
(`make drivers` makes them), linker included: Debian 13's Mesa (amd64) and the unstable branch's (sid), beside this machine's own.
Each row is a context of a renderer: how many cases passed, failed, or were left out by name, since the device lacks what they need.
What fails and is in EXCEPTIONS is named with its reason, and what cannot start with what it said; anything else that fails makes the
exit code 1. arm64: the program for Arm by QEMU, its end state in precision reproducible."""
import csv
import glob
import os
import re
import resource
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
EVERY = sorted(os.path.basename(name)[8:-2] for name in glob.glob(f"{HERE}/../unit/test_gl_*.c"))
NEEDS = {"foreign"}  # a window, which tests/run.sh has
ASKED = os.environ.get("TESTS", "").split()
TESTS = ASKED or "arithmetic context near timed modes resident reproducible".split()
SHORT = ASKED or "arithmetic near".split()  # where a processor's renderer takes minutes
LONGEST = int(os.environ.get("LONGEST", "600"))  # seconds of the processor for a program of tests
ASLEEP = 10  # times as long on the clock: where it waits for ever, not for a busy machine
LIBRARIES = "usr/lib/x86_64-linux-gnu"
COLUMNS = "renderer root mesa device context tests passed failed lacking note".split()
SPHERE, END = "plummer -n 64 --seed 1".split(), "--t-end 1/64".split()
EMULATED = 6 * LONGEST  # QEMU needs 200 s of a processor for it, which are LLVM's

# (name, root "": this machine's, environment, contexts, tests)
SOFT, ZINK, VIRGL = {}, {"GALLIUM_DRIVER": "zink", "MESA_LOADER_DRIVER_OVERRIDE": "zink", "LIBGL_ALWAYS_SOFTWARE": "1"}, {"GALLIUM_DRIVER": "virpipe"}
ROWS = [(name, root, environment, contexts, tests)
        for root in ("", "amd64", "sid")
        for name, environment, contexts, tests in (
            ("llvmpipe", SOFT, ("egl",), TESTS),
            ("llvmpipe", SOFT, ("gles",), TESTS if root or ASKED else [test for test in EVERY if test not in NEEDS]),
            ("softpipe", {"GALLIUM_DRIVER": "softpipe"}, ("egl",), SHORT),
            ("zink", ZINK, ("egl",), SHORT),
            ("virgl", VIRGL, ("egl",), SHORT))]

# (renderer or "", root or context or "", what the case's name matches): why
EXCEPTIONS = {
    ("virgl", "", "test_sums|test_round_trip"):
        "Mesa's virgl crashes in glLinkProgram on this test's program in double; those of the engine it builds",
}


def prepare(build, root):
    """In BUILD/loaders.d the libraries that the tests need and the root lacks, and a child program that runs by the root, too."""
    folder, libraries = f"{build}/loaders.d/{os.path.basename(root)}", f"{root}/{LIBRARIES}"
    os.makedirs(folder, exist_ok=True)
    said = subprocess.run(["ldd", f"{build}/tests/runner"], stdout=subprocess.PIPE, check=True, text=True).stdout
    for name, path in re.findall(r"(\S+) => (/\S+)", said):
        if not os.path.exists(f"{libraries}/{name}") and not os.path.exists(f"{folder}/{name}"):
            os.symlink(path, f"{folder}/{name}")
    with open(f"{folder}/child", "w", encoding="utf-8") as file:
        file.write(f"#!/bin/sh\nexec {libraries}/ld-linux-x86-64.so.2 --library-path {libraries}:{folder} {build}/holmberg-child \"$@\"\n")
    os.chmod(f"{folder}/child", 0o755)
    return folder


def environment_of(build, root, more, context):
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("HB_", "LIBGL", "MESA", "GALLIUM"))}
    kept.update(HB_CONTEXT=context, EGL_PLATFORM="surfaceless", LP_NUM_THREADS="0", CMOCKA_MESSAGE_OUTPUT="TAP",
                MESA_SHADER_CACHE_DISABLE="1", XDG_CACHE_HOME=os.path.join(build, "loaders.cache"), **more)
    if root:
        kept.update(__EGL_VENDOR_LIBRARY_DIRS=f"{root}/usr/share/glvnd/egl_vendor.d", DRIRC_CONFIGDIR=f"{root}/usr/share/drirc.d",
                    LIBGL_DRIVERS_PATH=f"{root}/{LIBRARIES}/dri", HB_CHILD=f"{prepare(build, root)}/child")
    pattern = f"{root}/usr/share/vulkan/icd.d/lvp_icd*.json"
    if more.get("GALLIUM_DRIVER") == "zink" and (found := glob.glob(pattern)):
        kept["VK_ICD_FILENAMES"] = found[0]
    return kept


def run(words, environment, limit=LONGEST):
    try:
        done = subprocess.run(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                              timeout=ASLEEP * limit, check=False, text=True, errors="replace",
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1)))
        return 124 if done.returncode == -signal.SIGXCPU else done.returncode, done.stdout
    except subprocess.TimeoutExpired as late:
        return 124, (late.stdout or b"").decode(errors="replace")


def words_of(build, root, name, program):
    if not root:
        return [program] if name == os.path.basename(program) else ["bash", "-c", f'exec -a {name} "$0"', program]
    libraries = f"{root}/{LIBRARIES}"
    return [f"{libraries}/ld-linux-x86-64.so.2", "--library-path", f"{libraries}:{prepare(build, root)}", "--argv0", name, program]


def row_of(build, row, context):
    """The row, and how many cases failed without a reason."""
    name, root, more, _, tests = row
    folder = f"{build}/drivers.d/{root}" if root else ""
    if root and not os.path.exists(f"{folder}/.done"):
        return [name, root, "", "", context, "", 0, 0, 0, "roots.sh has not made this root"], 0
    environment = environment_of(build, folder, more, context)
    code, said = run(words_of(build, folder, "holmberg", f"{build}/holmberg") + ["info", "--json"], environment)
    found = re.search(rf'"name": "{context}", "usable": true.*?"renderer": "([^"]*)", "version": "([^"]*)"', said)
    mesa = found and re.search(r"Mesa ([\d.]+)", found[2])
    where = [name, root or "system", mesa[1] if mesa else "", found[1] if found else "", context]
    if not found or name not in found[1].lower().replace("virpipe", "virgl"):
        why = found and f"{found[1]} answered in its place" or (re.search(rf'"name": "{context}".*?"reason": "([^"]*)"', said) or ["", f"exit code {code}"])[1]
        return where + ["", 0, 0, 0, f"did not start: {why}"], 0
    passed, failed, lacking, notes, unknown = 0, 0, 0, [], 0
    for test in tests:
        code, said = run(words_of(build, folder, f"test_gl_{test}", f"{build}/tests/runner"), environment)
        good = [line for line in said.splitlines() if line.startswith("ok ")]
        bad = re.findall(r"^not ok \d+ - (?!.*# SKIP)(\w+)", said, re.M)
        if code == 124:
            bad.append(f"{test}:longer_than_{LONGEST}_s")
        elif code and not bad:
            bad.append(f"{test}:exit_code_{code}")
        passed, failed, lacking = passed + len(good), failed + len(bad), lacking + len(re.findall(r"^not ok .*# SKIP", said, re.M))
        for case in bad:
            reason = next((why for (who, where_, what), why in EXCEPTIONS.items()
                           if who in (name, "") and where_ in (root or "system", context, "") and re.match(what, case)), None)
            unknown += reason is None
            notes.append(f"{case}: {reason or 'not known'}")
    return where + [" ".join(tests), passed, failed, lacking, "; ".join(notes)], unknown


def end_state(program, scheme, start, environment):
    """The hash, and all that was said."""
    words = ["run", start, "--scheme", scheme, "--precision", "reproducible", "--no-tune", "--json"]
    code, said = run(program + words + END, environment, EMULATED)
    found = re.search(r'"state_hash": "(\w+)"', said)
    return found[1] if found else f"exit code {code}: {said.strip().splitlines()[-1:]}", said


def arm(build):
    """The row of the program for Arm, which has no cmocka there: a run by `bag` in llvmpipe ends as one by `host` on this machine."""
    root = f"{build}/drivers.d/arm64"
    program = ["qemu-aarch64", "-L", root, f"{build}/arm64/bare"]
    environment = dict(os.environ, HB_CONTEXT="egl", EGL_PLATFORM="surfaceless", LP_NUM_THREADS="0", MESA_SHADER_CACHE_DISABLE="1",
                       XDG_CACHE_HOME=f"{build}/loaders.cache", DRIRC_CONFIGDIR="/usr/share/drirc.d",
                       __EGL_VENDOR_LIBRARY_DIRS="/usr/share/glvnd/egl_vendor.d")
    where = ["llvmpipe", "arm64"]
    if not os.path.exists(f"{root}/.done") or not os.path.exists(program[-1]):
        return where + ["", "", "egl", "", 0, 0, 0, "make drivers has not made this root, or make bare its program"], 0
    start = f"{build}/loaders.txt"
    run([f"{build}/holmberg", "ic"] + SPHERE + ["-o", start, "--quiet"], environment)
    expected, _ = end_state([f"{build}/holmberg"], "host", start, environment)
    got, said = end_state(program, "bag", start, environment)
    device, is_same = re.search(r'"device": "([^"]*)"', said), got == expected
    where += ["25.0.7" if device else "", device[1] if device else "", "egl", "end state of " + " ".join(SPHERE + END)]
    return where + [int(is_same), int(not is_same), 0, "" if is_same else f"{got}, expected {expected}"], int(not is_same)


def serve():
    """virgl's other half: this machine's virgl_test_server, which draws by its llvmpipe; None where it is not."""
    try:
        return subprocess.Popen(["virgl_test_server", "--use-egl-surfaceless", "--multi-clients"], stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    except OSError:
        return None


def main(words):
    server = serve()
    try:
        return table(os.path.abspath(words[0]), words[1:])
    finally:
        if server:
            server.terminate()


def table(build, names):
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(COLUMNS)
    unknown = 0
    for row in ROWS:
        if names and row[0] not in names and (row[1] or "system") not in names:
            continue
        for context in row[3]:
            start = time.monotonic()
            found, wrong = row_of(build, row, context)
            unknown += wrong
            writer.writerow(found)
            sys.stdout.flush()
            print(f"loaders: {' '.join(map(str, found[:5]))}: {found[6]} passed, {found[7]} failed, {found[8]} lacking, "
                  f"{time.monotonic() - start:.0f} s", file=sys.stderr)
    if not names or "arm64" in names:
        found, wrong = arm(build)
        unknown += wrong
        writer.writerow(found)
    return unknown


if __name__ == "__main__":
    sys.exit(1 if main(sys.argv[1:]) else 0)
