#!/usr/bin/env python3
"""lesson_times.py BUILD [PART] >data/measured/lesson.csv: goes through the class twice with a watch. The program is installed, home and
environment are clean, and commands are done as LESSON.md and README.md of the installed guides print them: a window until it has
shown stars, then the keys of the questions. Each step of guide.html (tests/web/guide.py) and of the page, which stands for the
commands, is done in both browsers. PART: terminal, chromium or firefox alone."""
import contextlib, csv, os, re, shutil, signal, subprocess, sys, tempfile, time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tests/web"))
from cases import begin, serve, wait_for  # noqa: E402

SIZE = "1280x800"
KEYS = {  # of a chapter's first or second window: what the questions have one press; a name of xdotool's, and how often
    ("lamps", 0): [("h", "h"), ("+", "plus"), ("+", "plus"), ("-", "minus"), ("-", "minus"), ("]", "bracketright"), ("]", "bracketright")],
    ("passes", 0): [(".", "period")] * 3 + [("a", "a"), ("space", "space")],
    ("energy", 0): [("space", "space"), ("an error, saved", "error"), ("mended, saved", "mended")],
}
LAW = "mine/interactions/gravity_jerk.glsl"
EXERCISES = ("1. Another force", "2. Another output", "3. What `precise` is for")


class Walk:
    """Steps in their order, each with the seconds it took."""

    def __init__(self):
        self.steps = []

    def step(self, where, chapter, what, act):
        begun = time.monotonic()
        act()
        self.steps.append((where, chapter, what, time.monotonic() - begun))
        print(*self.steps[-1], sep=" | ", file=sys.stderr, flush=True)


# ---- in a terminal ----

def blocks(text):
    """Commands of code blocks: lines, without what is said about them."""
    lines = [line[4:] for line in text.split("\n") if line.startswith("    ")]
    return [re.sub(r"  +#.*|  .*", "", line) for line in lines if re.match(r"(holmberg|cp|patch) |[a-z]+=|\$[a-z]+|HB_", line)]


def chapters_of(guides):
    """(chapter, command) of LESSON.md; the exercises, each one step, stand before the window on the reader's folder."""
    with open("shaders/lesson.txt") as file:
        keys = {title.strip(): key.strip() for key, title in re.findall(r"^= (.*?) \| (.*?) \|", file.read(), re.M)}
    found = []
    with open(os.path.join(guides, "shaders/LESSON.md")) as file:
        for part in file.read().split("\n## ")[1:]:
            title = part.split("\n")[0].split(": ")[-1]
            found += [(keys[title], command) for command in blocks(part)] if title in keys else []
    with open(os.path.join(guides, "shaders/README.md")) as file:
        text = file.read()
    for k, name in enumerate(EXERCISES):
        own = text.split(f"**{name}")[1].split("\n**" if k < 2 else "\n### ")[0]
        found.append(("energy", f"exercise {k + 1}", blocks(own)))
    return sorted(found, key=lambda f: f[0] == "pictures")  # the movie last


@contextlib.contextmanager
def display_of(size):
    reads, writes = os.pipe()
    server = subprocess.Popen(["Xvfb", "-displayfd", str(writes), "-screen", "0", size + "x24", "-nolisten", "tcp", "-noreset"], pass_fds=[writes],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield ":" + os.read(reads, 10).decode().strip()
    finally:
        server.terminate()
        server.wait()


def screen(display):
    return subprocess.run(["ffmpeg", "-v", "error", "-f", "x11grab", "-video_size", SIZE, "-i", display, "-frames:v", "1", "-f", "rawvideo", "-pix_fmt",
                           "gray", "-"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE).stdout


def others(a, b):
    return sum(abs(x - y) > 40 for x, y in zip(a, b))


def save(path, how):
    with open(path) as file:
        text = file.read()
    with open(path, "w") as file:
        file.write(text.replace("real mrinv =", "reel mrinv =") if how == "error" else text.replace("reel mrinv =", "real mrinv ="))


def window(walk, chapter, command, keys, display, environment, folder):
    lit = lambda: sum(x > 64 for x in screen(display)) > 200
    viewer = subprocess.Popen(["bash", "-c", f"exec env {command}"], env=environment, cwd=folder, stdin=subprocess.DEVNULL)
    walk.step("terminal", chapter, command, lambda: wait_for("stars", lit, 120))
    focus = lambda *words: subprocess.run(["xdotool", "search", "--onlyvisible", "--name", ".", "windowfocus", *words], env=environment, stderr=subprocess.DEVNULL)
    for name, key in keys:
        before = screen(display)
        least = 0
        if key in ("error", "mended"):  # the stars stand still: what changes, but for the rate of pictures, is what the viewer says
            least = 400
            what, act = name, lambda: save(os.path.join(folder, LAW), key)
        else:
            what, act = f"key {name}", lambda: focus("key", key)
        walk.step("terminal", chapter, what, lambda: (act(), wait_for("another picture", lambda: others(screen(display), before) > least, 60)))
    walk.step("terminal", chapter, "key q", lambda: (focus("key", "q"), viewer.wait(60)))
    subprocess.run(["xdotool", "keyup", "q"], env=environment)  # a window that ends between press and release leaves it pressed, for the next one
    if viewer.returncode:
        sys.exit(f"{command}: exit code {viewer.returncode}")


def terminal(walk, build):
    home = tempfile.mkdtemp(prefix="holmberg_class.")
    prefix, folder = os.path.join(home, "usr"), os.path.join(home, "here")
    os.mkdir(folder)
    subprocess.run(["make", "-s", "-o", "all", f"B={build}", f"PREFIX={prefix}", "install"], check=True, stdout=subprocess.DEVNULL)
    kept = {k: v for k, v in os.environ.items() if not re.match("HB_|HOLMBERG|XDG_|PYTHONPATH|MAKE", k)}
    environment = {**kept, "HOME": home, "PATH": f"{prefix}/bin:{kept['PATH']}", "LD_LIBRARY_PATH": f"{prefix}/lib"}
    windows = {}
    with display_of(SIZE) as display:
        environment["DISPLAY"] = display
        for chapter, command, *lines in chapters_of(os.path.join(prefix, "share/doc/holmberg")):
            if " view " in command and "--record" not in command:
                window(walk, chapter, command, KEYS.get((chapter, windows.get(chapter, 0)), []), display, environment, folder)
                windows[chapter] = windows.get(chapter, 0) + 1
                continue
            run = lambda: subprocess.run(["bash", "-e", "-c", "\n".join(lines[0] if lines else [command])], env=environment, cwd=folder, check=True,
                                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
            walk.step("terminal", chapter, command.replace(prefix, "/usr"), run)
    shutil.rmtree(home)


# ---- in a browser ----

def guide(walk, kind, pages):
    run = subprocess.Popen(["tests/web/guide.py", kind, pages, ""], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    for line in run.stdout:
        step = re.match(r"# step: (\w+) \| (.*) \| ([\d.]+)$", line)
        if step:
            walk.steps.append((kind, step[1], step[2], float(step[3])))
        if re.match(r"ok \d+ energy, the judge", line):
            break
    else:
        sys.exit(f"{kind}: the last chapter has not ended well")
    run.send_signal(signal.SIGINT)  # which closes the browser
    run.communicate()


def workbench(walk, kind, pages):
    """The page in place of the commands, as the end of LESSON.md has it."""
    served, _ = serve(pages)
    browser = begin(kind, 1100, 760)
    text = lambda selector: browser.text(selector) or ""
    until = lambda what, condition: wait_for(what, condition, 120, lambda: "; the page says: " + text("#message"))
    lit = lambda: browser.picture_of(browser.box("#view")).lit() > 20

    def opens(link):
        browser.open(served + "index.html#" + link)
        until("page", lambda: browser.ask("return document.readyState === 'complete' && !!document.querySelector('#view')"))
        until("stars", lit)
        until("first step", lambda: float(text("#time") or 0) > 0)

    def unfold(selector):
        browser.ask(f"document.querySelector('{selector}').closest('details').open = true")

    def solution(number):
        unfold(f'[data-exercise="{number}"]')
        browser.click(f'[data-exercise="{number}"]')
        until("compiled solution", lambda: text("#compiler").startswith("compiled") and float(text("#time") or 0) > 0)

    def compare():
        browser.ask("document.querySelector('#compiler').textContent = ''")
        browser.click("#compare")
        until("comparison", lambda: "relative error" in text("#compiler"))

    def movie():
        unfold("#movie")
        browser.click("#movie")
        until("recording", lambda: text("#movie") == "End movie")
        time.sleep(20)  # of the class
        browser.click("#movie")
        until("file", lambda: any(f.endswith((".webm", ".mp4")) for f in os.listdir(browser.downloads)))

    try:
        for chapter, what, act in (
                ("lamps", "index.html#model=holmberg1941", lambda: opens("model=holmberg1941")),
                ("lamps", "Model", lambda: (browser.choose("#model", "merger"), until("stars", lit))),
                ("passes", "index.html#model=holmberg1941&scheme=cg2007&textures=1", lambda: opens("model=holmberg1941&scheme=cg2007&textures=1")),
                ("passes", "Start over, o", lambda: (browser.click("#over"), browser.focus("#canvas"), browser.keys("o"), until("pass", lambda: "pass 1 of 73" in text("#title")))),
                ("passes", "Play passes", lambda: (unfold("#play"), browser.click("#play"), until("other passes", lambda: re.search(r"pass ([2-9]|\d\d) of", text("#title"))))),
                *(("energy", f"Exercises: {k}", lambda k=k: solution(k)) for k in ("1", "2", "3")),
                ("energy", "Compare with double", compare),
                ("energy", "Exercises: 3b", lambda: solution("3b")),
                ("pictures", "Movie, 20 s", lambda: (opens("model=holmberg1941"), movie()))):
            walk.step(kind, chapter, what, act)
    finally:
        browser.close()


def machine():
    def said(*words):
        return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    model = re.search(r"Model name: *(.*)", said("lscpu"))[1]
    versions = ", ".join(re.search(r"(Chromium|Firefox) \d+", said(program, "--version"))[0].replace("Mozilla ", "") for program in ("chromium", "firefox-esr"))
    return f"{model}, {os.cpu_count()} cores shared with other work (load {os.getloadavg()[0]:.0f}), no graphics card; Mesa's llvmpipe, {versions}"


def main():
    build, part = os.path.abspath(sys.argv[1]), sys.argv[2:]
    pages, walks, about = os.path.join(build, "web"), [], machine()
    for _ in range(2):
        walk = Walk()
        if part in ([], ["terminal"]):
            terminal(walk, build)
        for kind in ("chromium", "firefox"):
            if part in ([], [kind]):
                with display_of("1300x1000") as os.environ["DISPLAY"]:
                    guide(walk, kind, pages)
                    workbench(walk, kind, pages)
        walks.append(walk.steps)
    if [w[:3] for w in walks[0]] != [w[:3] for w in walks[1]]:
        sys.exit("the second walk had other steps")
    print(f"# {time.strftime('%Y-%m-%d')}, tools/lesson_times.py; {about}")
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["where", "chapter", "step", "first_s", "second_s"])
    out.writerows([*a[:3], f"{a[3]:.1f}", f"{b[3]:.1f}"] for a, b in zip(*walks))


if __name__ == "__main__":
    main()
