#!/usr/bin/env python3
"""What the compilers of other people's cards make of the shaders.

drivers.py table FOLDER [DEVICE ...]   a table of every program by every driver, as data/drivers.csv has it, to the output
drivers.py compare OLD NEW             fails where NEW has more spills, or a tenth more instructions, than OLD
drivers.py judge TABLE                 fails where a default shape spills, or a device lacks one of the 16 cases of gravity_jerk
drivers.py run FOLDER DEVICE WORD...   one command with the device's driver, to look closer

FOLDER is what roots.sh made. A device is a line of devices.txt. JOBS processes at a time; CASES is what the names of cases match."""
import collections
import concurrent.futures
import csv
import os
import re
import resource
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
LONGEST = {"amd64": 20, "sid": 20, "arm64": 400}  # seconds of the processor for the programs of a case; QEMU takes twenty times as long
LATER = 2  # seconds of the processor for a first use of ds, beyond those of a device that does doubles in hardware
ASLEEP = 3600  # seconds on the clock, where a process waits for ever
MEMORY = 4 << 30  # bytes of a process, without what the driver maps and does not use
TRIPLE = {"amd64": "x86_64-linux-gnu", "sid": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu"}
SIXTEEN = [f"{scheme} {precision} gravity_jerk" for scheme in ("bag", "tile", "matrix2004")
           for precision in ("single", "compensated", "ds", "double", "reproducible")] + ["cg2007 single"]  # all that QEMU is asked for
REFUSED = "not offered: "  # in place of a program
COLUMNS = "device mesa case program instructions bytes cycles registers spills fills".split()
# What crashes within Mesa 26.2.6: the library that stands for a Mac, when a large texture of layers is made.
CRASHES = {"m1": "matrix2004"}
# What makes each driver say what it compiled, at once and in the thread that draws.
SAY = {"amdgpu": "AMD_DEBUG=mono,stats,ps,cs", "freedreno": "FD_MESA_DEBUG=shaderdb,serialc"}

Device = collections.namedtuple("Device", "name what machine library words")


def program(folder, device):
    return f"{folder}/drivers-{'arm64' if device.machine == 'arm64' else 'amd64'}"


def devices():
    rows = {}
    with open(os.path.join(HERE, "devices.txt"), encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#") and line.strip():
                words = re.split(r"  +", line.strip())
                rows[words[0]] = Device(*words[:4], [] if words[4] == "-" else words[4].split())
    return rows


def command(folder, device, words, limits="has_draws=0"):
    """The words and the environment of a program with the device's driver in place of the system's."""
    root = os.path.join(folder, device.machine)
    libraries = f"{root}/usr/lib/{TRIPLE[device.machine]}"
    inside = "" if device.machine == "arm64" else root
    shim = f"/usr/lib/{TRIPLE[device.machine]}/lib{device.library}_noop_drm_shim.so"
    environment = {key: value for key, value in os.environ.items() if key == "HB_SHADER_DIR" or not key.startswith(("HB_", "LIBGL", "MESA"))}
    environment.update(
        HB_LIMITS=limits, XDG_CACHE_HOME=f"{folder}/cache", MESA_SHADER_CACHE_DISABLE="1", HB_CONTEXT=os.environ.get("HB_CONTEXT", "auto"),
        GALLIUM_THREAD="0", __EGL_VENDOR_LIBRARY_DIRS=f"{inside}/usr/share/glvnd/egl_vendor.d", DRIRC_CONFIGDIR=f"{inside}/usr/share/drirc.d")
    for word in f"{SAY.get(device.library, '')}".split() + device.words:
        name, value = word.split("=", 1)
        environment[name] = f"{environment[name]},{value}" if name in environment else value
    if device.machine == "arm64":
        return ["qemu-aarch64", "-L", root, "-E", f"LD_PRELOAD={shim}", *words], environment
    return [f"{libraries}/ld-linux-x86-64.so.2", "--library-path", libraries, "--preload", root + shim, *words], environment


def numbers(pattern, text):
    found = re.search(pattern, text)
    return [float(word) for word in found.groups()] if found else None


def understand(text):
    """A driver's sentence: its stage and what the table says of it; None if it is about something else."""
    say = lambda **values: {key: int(value) for key, value in values.items() if value is not None}
    if found := numbers(r"VGPRS: (\d+) Code Size: (\d+) .*Spilled SGPRs: (\d+) Spilled VGPRs: (\d+)", text):
        stage = re.search(r"\((\w+), W\d+\)", text)
        return stage and stage[1], say(registers=found[0], bytes=found[1], spills=found[2] + found[3], fills=0)
    if found := numbers(r"SIMD\d+ shader: (\d+) inst\w*, \d+ loops, (\d+) cycles, (\d+):(\d+) spills:fills", text):
        return re.match(r"(\w+)", text)[1], say(instructions=found[0], cycles=found[1], spills=found[2], fills=found[3])
    if found := numbers(r"type: (\d+), local: (\d+), shared: \d+, gpr: (\d+), inst: (\d+), bytes: (\d+)", text):
        return {4: "FS", 5: "CS"}.get(found[0], "VS"), say(registers=found[2], instructions=found[3], bytes=found[4], spills=found[1] / 4, fills=0)
    if found := numbers(r"shader: (\d+) inst, \d+ nops.* (\d+) full, .* (\d+) stp, (\d+) ldp", text):
        return text.split()[0], say(instructions=found[0], registers=found[1], spills=found[2], fills=found[3])
    if found := numbers(r"shader: (\d+) instrs, .* (\d+) gprs, .* (\d+):(\d+) spills:fills", text):
        return text.split()[0], say(instructions=found[0], registers=found[1], spills=found[2], fills=found[3])
    if found := numbers(r"MESA_SHADER_\w+ shader: (\d+) inst.* (\d+):(\d+) spills:fills", text):
        cycles, registers = numbers(r", ([\d.]+) cycles", text), numbers(r" (\d+) max-temps", text)
        return re.search(r"MESA_SHADER_(\w+)", text)[1], say(
            instructions=found[0], spills=found[1], fills=found[2],
            cycles=cycles and cycles[0], registers=registers and registers[0])
    return None


PIXELS = ("FS", "CS", "PS", "FRAG", "CL", "FRAGMENT", "COMPUTE", "Fragment", "Compute", "KERNEL")


def program_of(name):
    """pairs/bag.frag:4,8,64,2,0 -> bag.frag many blocks: programs of one kind share a row, which has the largest."""
    file, _, values = name.partition(":")
    words, values = [os.path.basename(file)], values.split(",")
    if file == "common/selftest.frag":
        words.append(values[0])
    if file in ("pairs/bag.frag", "pairs/tile.comp"):
        words.append("few" if values[0] == "1" else "many")
        if file == "pairs/bag.frag" and values[3] == "2":
            words.append("blocks")
    if "SEGMENTS" in values:
        words.append("segments")
    return " ".join(words)


class Case:
    """One run of the program: what was said, and what it took."""

    def __init__(self, folder, device, name):
        self.device, self.name, self.rows = device, name, {}
        self.mesa, self.refusal, self.failure, self.longest, self.memory = "", "", "", 0, 0
        words, environment = command(folder, device, [program(folder, device), name])
        limit = 10 * LONGEST[device.machine]
        start = time.monotonic()
        process = subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)))
        end = threading.Timer(ASLEEP, process.kill)
        end.start()
        building = ""
        for line in process.stdout:
            building = self.take(line.rstrip("\n"), building)
        _, status, usage = os.wait4(process.pid, 0)
        end.cancel()
        self.seconds, self.memory = time.monotonic() - start, usage.ru_maxrss << 10
        if self.refusal:
            self.rows.setdefault(REFUSED + self.refusal, {})
        if os.WIFSIGNALED(status):
            self.failure = f"ended by signal {os.WTERMSIG(status)} after {self.seconds:.0f} s"
        elif os.WEXITSTATUS(status) and not self.refusal:
            self.failure = f"exit code {os.WEXITSTATUS(status)}"
        if self.memory > MEMORY:
            self.failure = f"took {self.memory / 2**30:.1f} GB, expected at most {MEMORY >> 30}"
        if self.longest > LONGEST[device.machine]:
            self.failure = f"compiled for {self.longest:.0f} s, expected at most {LONGEST[device.machine]}"

    def take(self, line, building):
        words = line.split("\t")
        if words[0] == "building":
            return words[1]
        if words[0] == "took":
            self.longest = float(words[2])
        elif words[0] == "device":
            self.mesa = re.search(r"Mesa ([\d.]+)", words[2])[1]
            if "llvmpipe" in words[1] or "softpipe" in words[1]:
                self.failure = f"the driver did not start, {words[1]} did"
        elif words[0] == "cannot":
            self.refusal = words[1]
        elif words[0] == "says":
            self.add(words[1] or building, words[2])
        elif line.startswith("Shader Stats:"):
            self.add(building, line)
        return building

    def add(self, name, text):
        said = understand(text)
        if not said or said[0] not in PIXELS or not name:
            return
        if name.startswith("common/") and self.name != "selftest":
            return  # it belongs to the first precision of a process that asks
        row = self.rows.setdefault(program_of(name), {})
        for key, value in said[1].items():
            row[key] = max(row.get(key, 0), value)


def cases(folder, device):
    words, environment = command(folder, device, [program(folder, device)])
    words = subprocess.run(words, env=environment, stdout=subprocess.PIPE, check=True, text=True).stdout
    usual = f"^({'|'.join(SIXTEEN)})$" if device.machine == "arm64" else ""
    return [name for name in words.splitlines() if re.search(os.environ.get("CASES") or usual, name)]


def first_uses(seconds):
    """The first use of ds by those who emulate doubles, (device, seconds), beside those who do not: seconds is of True and False."""
    slow, others = seconds[True], seconds[False]
    if not slow or not others:
        return 0
    worst, least = max(slow, key=lambda row: row[1]), min(others, key=lambda row: row[1])
    good = worst[1] <= least[1] + LATER
    print(f"drivers: ds takes at most {worst[1]:.2f} s the first time ({worst[0]}) where doubles are emulated, {least[1]:.2f} s "
          f"({least[0]}) where they are the hardware's{'' if good else f', expected at most {LATER} s more'}", file=sys.stderr)
    return not good


def table(folder, names):
    every, failures, seconds = devices(), 0, {True: [], False: []}
    chosen = [every[name] for name in names or every]
    pool = concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", "2")))
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(COLUMNS)
    for device in chosen:
        found = list(pool.map(lambda name, device=device: Case(folder, device, name), cases(folder, device)))
        for case in found:
            for program, row in sorted(case.rows.items()):
                writer.writerow([device.name, case.mesa, case.name, program] + [row.get(key, "") for key in COLUMNS[4:]])
            if case.failure:
                is_known = device.name in CRASHES and re.match(CRASHES[device.name], case.name)
                failures += not is_known
                print(f"drivers: {device.name}: {case.name}: {case.failure}{', as is known' if is_known else ''}", file=sys.stderr)
        sys.stdout.flush()
        print(f"drivers: {device.name} ({device.what}): {sum(len(case.rows) for case in found if not case.refusal)} programs in "
              f"{sum(not case.refusal for case in found)} cases, {sum(bool(case.refusal) for case in found)} refused, "
              f"the longest took {max(case.longest for case in found):.1f} s, the largest process "
              f"{max(case.memory for case in found) / 2**20:.0f} MB", file=sys.stderr)
        by_name = {case.name: case for case in found}
        ds, double = by_name.get("bag ds gravity_jerk"), by_name.get("bag double gravity_jerk")
        if ds and double and device.machine != "arm64" and " lacks " not in double.refusal:
            seconds[" emulates " in double.refusal].append((device.name, ds.longest))
    return failures + first_uses(seconds)


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        return {(row["device"], row["case"], row["program"].partition(REFUSED)[0]): row for row in csv.DictReader(
            line for line in file if not line.startswith("#"))}


def number(row, key):
    return int(row[key] or 0)


def compare(old_path, new_path):
    old, new, failures, compared = read(old_path), read(new_path), 0, 0
    tried, others = {key[0] for key in new}, set()
    for key, before in old.items():
        if key[0] not in tried:
            continue
        now = new.get(key)
        if not now:
            failures += 1
            print(f"{', '.join(key)}: is not built any more")
            continue
        if before["mesa"] != now["mesa"]:
            others.add((before["mesa"], now["mesa"]))
            continue
        compared += 1
        size = "instructions" if before["instructions"] else "bytes"
        for what, most in (("spills", number(before, "spills")), ("fills", number(before, "fills")), (size, 1.1 * number(before, size))):
            if number(now, what) > most:
                failures += 1
                print(f"{', '.join(key)}: {number(now, what)} {what}, before {number(before, what)}")
    for was, is_now in sorted(others):
        print(f"rows of Mesa {was} are not compared with those of {is_now}")
    print(f"{compared} rows compared, {len(set(new) - set(old))} new, {failures} worse")
    return failures


def judge(path):
    """No spills in what a user gets who tunes nothing, and no device without a row for each of the 16."""
    failures, seen, table = 0, 0, read(path)
    for device in {key[0] for key in table}:
        lacking = set(SIXTEEN) - {key[1] for key in table if key[0] == device}
        is_known = device in CRASHES and all(re.match(CRASHES[device], case) for case in lacking)
        failures += 0 if is_known else len(lacking)
        if lacking:
            print(f"{device}: nothing is known of {', '.join(sorted(lacking))}{', as is known' if is_known else ''}")
    for (device, case, program), row in table.items():
        words = case.split()
        if words[0] not in ("bag", "tile") or words[-1] != "gravity_jerk" or words[1] not in ("single", "ds", "reproducible"):
            continue
        seen += 1
        if number(row, "spills") or number(row, "fills"):
            failures += 1
            print(f"{device}: {case}: {program} spills {row['spills']} and fills {row['fills']}")
    print(f"{seen} programs of default shapes, {failures} that spill and should not, or of which nothing is known")
    return failures


def main(words):
    if words[:1] == ["table"] and len(words) > 1:
        return table(words[1], words[2:])
    if words[:1] == ["compare"] and len(words) == 3:
        return compare(*words[1:])
    if words[:1] == ["judge"] and len(words) == 2:
        return judge(words[1])
    if words[:1] == ["run"] and len(words) > 3:
        line, environment = command(words[1], devices()[words[2]], words[3:])
        return subprocess.run(line, env=environment, check=False).returncode
    print(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(1 if main(sys.argv[1:]) else 0)
