#!/usr/bin/env python3
"""page.py BROWSER PAGES PROGRAM [NAME]: the tests of the page as TAP, in chromium or firefox: those whose names contain NAME.
Firefox, which takes less of a processor for a picture, takes all of them; Chromium its smoke cases and what only it can be asked for,
and with LONG or a NAME the others, too.
PAGES is the folder of `make web`. Each test opens an address, and then does and sees what a person can: keys, mouse,
screenshots, texts, files. Nothing waits for a fixed time where a busy machine may need more."""
import base64, json, math, os, re, shutil, signal, subprocess, sys, threading, time, zlib

from browser import Failure
from cases import begin, demand, note, run_all, serve, wait_for

kind, pages, program = sys.argv[1], os.path.abspath(sys.argv[2]), os.path.abspath(sys.argv[3])
only = sys.argv[4] if len(sys.argv) > 4 else ""
here = os.path.dirname(os.path.abspath(__file__))
LONG = bool(os.environ.get("LONG"))
WIDTH, HEIGHT = 800, 480
PATIENCE = 300  # seconds, for what takes a few
cases = []


def case(name, in_each=False, only_in=None):
    """in_each: in Chromium, too: what its own driver does (pixels, sums, a lost context), its policy and files, and what only it has."""
    return lambda run: cases.append((name, run, in_each)) if only_in in (None, kind) else None


until = lambda what, condition, patience=PATIENCE: wait_for(what, condition, patience, lambda: "; the page says: " + str(said()))
served, asked = serve(pages)
SERVED = served + "index.html"
DISK = f"file://{pages}/holmberg.html"

# ---- what a person sees and does ----

said = lambda: browser.text("#message")
moment = lambda: float(browser.text("#time") or 0)
drawn = lambda: browser.ask("return +(document.querySelector('#canvas').dataset.pictures ?? 0)")  # pictures
energy_error = lambda: abs(float(re.sub("^-$", "0", browser.text("#error"))))  # nothing to compare yet
pressed = lambda selector: browser.ask(f"return document.querySelector('{selector}').ariaPressed") == "true"


def open_page(link="", page=SERVED):
    browser.is_fit = False
    browser.open(page + link)
    until("page", lambda: browser.ask("return document.readyState") == "complete")


def visit(link="", page=SERVED):
    """By following it, which costs a third of a page that is opened for it; with LONG, and where no page is left for it, it is opened.
    What is true once its run is on the screen."""
    if browser.is_fit and page == SERVED and not LONG:
        return browser.follow(link)
    open_page(link, page)
    return browser.has_followed(0)


def open_running(link="", page=SERVED):
    until("run", visit(link, page))
    until("first step", lambda: moment() > 0)
    browser.is_fit = page == SERVED


def passes(time_units):
    t = moment()
    until(f"{time_units} time units after {t}", lambda: moment() > t + time_units)


def seen():
    """The stars, without what the page writes over them."""
    x, y, width, height = browser.box("#canvas")
    return browser.picture_of((x, y + 0.15 * height, width, 0.65 * height))


def speed():
    """Time units a second, as the control has it."""
    return 10 ** float(browser.value("#speed"))


def lit_and_moving(name):
    """Without touching anything: stars are there, and after a quarter of a second of the model's they are elsewhere. Other pixels
    alone say little: resolution follows the machine."""
    first = until("lit pixels", lambda: [p for p in [seen()] if p.lit() > 30])[0]
    until("first step", lambda: moment() > 0)
    passes(0.25 * speed())
    later = lambda: [p for p in [seen()] if p.lit() > 30 and p.changed(first)]
    changed = until("other pixels", later)[0].changed(first)
    pictures = until("rate of pictures", lambda: float(browser.text("#pictures") or 0))
    note(f"{name}: {first.lit()} pixels lit, {changed} changed later, {pictures} pictures a second")


def rests():
    """Nothing is under way, and that is on the screen: the first picture of it and another one are drawn."""
    until("end of the step", lambda: browser.ask("return document.querySelector('#numbers').ariaBusy") == "false")
    last = drawn()
    until("its picture", lambda: drawn() >= last + 2)


def pause():
    if not pressed("#pause"):
        browser.click("#pause")
    until("pause", lambda: pressed("#pause"))
    rests()


def unfold(name):
    """A part of the panel, by its headline."""
    if not browser.ask(f"return document.querySelector('{name}').open"):
        browser.focus(name + " > summary")
        browser.keys("Enter")


def part_of(selector):
    """The folded part in which a control is."""
    browser.ask(f"document.querySelector('{selector}').closest('details').querySelector('summary').focus()")
    if not browser.ask(f"return document.querySelector('{selector}').closest('details').open"):
        browser.keys("Enter")


def choose(selector, value):
    """Again where the page has turned the list meanwhile, as it does to the file of the pass that runs."""
    browser.choose(selector, value)
    again = time.monotonic() + 5

    def chosen():
        nonlocal again
        if browser.value(selector) != value and time.monotonic() > again:
            browser.choose(selector, value)
            again = time.monotonic() + 5
        return browser.value(selector) == value

    until(f"{value} in {selector}", chosen)


def download(action):
    """The path of the file that comes of it; a click beside a button that has just moved is done again, as by a hand."""
    action()
    done = lambda: [f for f in os.listdir(browser.downloads) if f.startswith("holmberg_") and not f.endswith((".part", ".crdownload"))
                    and os.path.getsize(os.path.join(browser.downloads, f))]
    again = time.monotonic() + 10

    def come():
        nonlocal again
        if not done() and time.monotonic() > again:
            note("no file yet: once more")
            again += 10
            action()
        return done()
    name = until("download", come)[0]
    return shutil.move(os.path.join(browser.downloads, name), os.path.join(browser.home, name))


def snapshot():
    """t and the rows m x y z vx vy vz of the page's snapshot, and its path."""
    part_of("#snapshot")
    return read_snapshot(download(lambda: browser.click("#snapshot")))


def read_snapshot(path):
    with open(path) as file:
        text = file.read()
    rows = [[float(x) for x in line.split()] for line in text.splitlines() if line and line[0] != "#"]
    return float(re.search(r"^# t: (\S+)", text, re.M)[1]), rows, path


def energy(rows, eps=2**-8):
    potential = math.fsum(a[0] * b[0] / math.sqrt((a[1] - b[1])**2 + (a[2] - b[2])**2 + (a[3] - b[3])**2 + eps * eps)
                          for k, a in enumerate(rows) for b in rows[:k])
    return math.fsum(0.5 * r[0] * (r[4]**2 + r[5]**2 + r[6]**2) for r in rows) - potential


def holmberg(*words):
    return subprocess.run([program, *words], check=True, stdout=subprocess.PIPE, text=True, cwd=browser.home,
                          env=dict(os.environ, HB_CONTEXT="osmesa", LP_NUM_THREADS="0")).stdout


# ---- untouched ----

for name, link, page in [("index.html", "", SERVED), ("holmberg.html from a disk", "", DISK)]:
    @case(f"{name} shows stars that move, untouched", in_each=True)
    def _(name=name, link=link, page=page):
        begun = time.monotonic()
        open_page(link, page)
        until("lit pixels", lambda: seen().lit() > 30)
        note(f"{name}: lit after {time.monotonic() - begun:.1f} s on {browser.text('#device') or browser.ask('return device.textContent')}")
        lit_and_moving(name)


@case("index.html from a disk says which file opens there, and nothing else", in_each=True, only_in="chromium")  # a driven Firefox may read a disk
def _():
    open_page(page=f"file://{pages}/index.html")
    until("sentence", lambda: said() == "a browser loads no second file from a disk: open holmberg.html")
    numbers = browser.text("#numbers")
    demand("under way" not in numbers and "forces" not in numbers, f"and says that something runs: {numbers}")


@case("the links of the lesson show stars that move, untouched")
def _():
    guides = "".join(open(os.path.join(here, "../..", guide)).read() for guide in ("shaders/LESSON.md", "src/cli/README.md"))
    links = sorted(set(re.findall(r"index\.html(#[^`\s]*)", guides)))
    demand(len(links) >= 2, f"links: {links}")
    for link in links:
        open_running(link)
        lit_and_moving(link)
        demand(said() == "", f"{link}: {said()}")
        if "textures" in link:
            until("title of a pass", lambda: "pass 1 of 73" in (browser.text("#title") or ""))


MODELS = []  # (name, pixels lit with the first picture, what was wrong before the first forces, whether it moves), once asked for


def models():
    """Each model by its link, once for the two cases below; one of many is slow: by another link it moves with few."""
    if MODELS:
        return MODELS
    open_running("#n=16")
    looks = 0
    for model in browser.ask("return [...document.querySelector('#model').options].map(o => o.text)"):
        begun, wrong = time.monotonic(), ""
        is_there = visit(f"#model={model}")
        until("first picture", lambda: drawn() and moment() == 0 or is_there())  # the clock is set with it
        counted, lit, n = time.monotonic() - begun, seen().lit(), int(browser.value("#n"))
        note(f"{model}, N = {n}: {lit} pixels lit, first picture after {counted:.1f} s")
        if n >= 16384 and not looks:  # which takes a processor long enough for a look, and long enough for one
            waits = lambda: browser.ask("""return message.innerText.includes("stand still until their first forces") &&
                [time, what, error].map(e => e.innerText)""")
            first = until("word about it", lambda: waits() or moment() > 0)
            later, last = seen().lit(), waits()
            if first is not True and first != ["0.0000", "first forces and energies", "-"] or later <= 30:
                wrong = f"{first}, {later} pixels lit"
            looks += bool(last)
        is_few = n > 4096 and not LONG
        if is_few:  # The demonstrations' 128 stars, in place of 16384, fly apart: slowly, they stay in view on a machine with other work.
            open_running(f"#model={model}&n=128" + ("&speed=0.003" if re.match("demo[1-6]", model) else ""))
        try:
            lit_and_moving(model)
            moves = re.sub(r"The address says n=128; expected \d+: going on with the model's\.$" if is_few else "^$", "", said())
            later = re.search(r"at t = ([\d.]+): orbits may be wrong", moves)  # than what one sees in three seconds
            if later and float(later[1]) > 3 * speed():
                note(moves)
                moves = ""
        except Failure as failure:
            moves = str(failure)
        MODELS.append((model, lit, wrong, moves))
    demand(looks, "no model was looked at before its first forces")
    return MODELS


@case("each model shows stars that move, untouched")
def _():
    demand(len(models()) > 10, f"models: {models()}")
    for model, _, _, moves in models():
        demand(moves == "", f"{model}: {moves}")


@case("each model's own stars are seen before their forces and energies are known, untouched")
def _():
    for model, lit, wrong, _ in models():
        demand(lit > 30, f"{model}: {lit} pixels lit when the first picture is counted")
        demand(wrong == "", f"{model}: not seen before it moves: {wrong}")


def standing():
    """The time and the picture of a pause: of all pixels there are, once the last step is drawn."""
    pause()
    return moment(), seen()


@case("stars move, and where they stand the picture does")
def _():
    for link in ["" if LONG else "#n=128", "#model=figure8", "#model=coldsphere&n=256"]:
        open_running(link)
        t, first = standing()
        browser.click("#pause")
        passes(0.5 * speed())
        later, last = standing()
        changed = last.changed(first)
        note(f"{link or 'index.html'}: {first.lit()} pixels lit at {t}, {changed} changed at {later}")
        demand(changed > 0.2 * first.lit(), f"{link}: stars stand still from {t} to {later}")


@case("collapsing steps and lost energy are told once, with what to do")
def _():
    until("run", visit("#model=figure8&precision=single"))  # for seconds its clock shows 0
    until("sentence", lambda: re.match(r"the time steps collapse: \d+ % of them follow the rounding errors of the forces; "
                                       "choose scheme bag with precision ds, or a larger nu$", said()))
    choose("#precision", "ds")
    until("end of it", lambda: said() == "")
    passes(0.1)
    demand(said() == "", said())
    open_running("#n=64&nu=0.5&speed=5")
    told = until("sentence", lambda: [s for s in [said()] if s and "stand still" not in s])[0]  # asked once: it may come between
    demand(re.match(r"the energy error is -?\d\.\de-\d+ at t = [\d.]+: orbits may be wrong; choose scheme host, or a smaller nu, and start over$", told), told)
    note(told)
    passes(0.1)
    demand(said() == told, said())
    pause()  # else it is lost again before anybody looks
    browser.click("#over")
    until("the beginning", lambda: said() == "" and moment() == 0 and browser.text("#error") == "-")


@case("a long step: the page says so, draws, and answers")
def _():
    # without neighbors a full step is long, and by such a nu nearly every step is one; first forces and energies take twice as long
    for link in ["#scheme=host&n=8192&neighbors=0&nu=0.5"] + ["#scheme=cg2007&n=8192", "#precision=ds&n=16384&transfer=block"][:2 if LONG else 0]:
        visit(link)
        until("stars", lambda: seen().lit() > 30)
        until("long step", lambda: browser.text("#under") and browser.text("#what") == "long step under way")
        rates, drags = [], 0
        end = time.monotonic() + PATIENCE
        while drags < 1 and time.monotonic() < end:
            before, first, last = seen(), browser.text("#under"), drawn()
            browser.drag("#canvas", 100, 40)
            until("picture of it", lambda: drawn() > last)
            after = seen()
            if first and browser.text("#under"):  # during one
                rates.append(float(browser.text("#pictures")))
                drags += after.changed(before) > 100
        note(f"{link}: {drags} pictures turned during a step; pictures a second {rates}")
        demand(drags, "no picture during a long step")
        demand(min(rates) < 30, "more pictures are counted than are drawn")
        browser.enter("#n", "64")  # ends it
        until("64 stars", lambda: browser.value("#n") == "64" and "n=64" in browser.address())
        passes(0)


is_behind = lambda: "this machine reaches" in browser.text("#speed_text")


def shown_by(link, seconds):
    """Block steps, pictures and time units a second of an open page that goes as fast as it can."""
    open_running(link)
    until("first rates", is_behind)
    begun, t, shown = time.monotonic(), moment(), []
    while time.monotonic() < begun + seconds:
        time.sleep(0.5)
        shown.append((float(browser.text("#steps").replace(",", "") or 0), float(browser.text("#pictures") or 0)))
    clock = (moment() - t) / (time.monotonic() - begun)
    return (*(sum(each) / len(shown) for each in zip(*shown)), clock)


@case("near and far: thousands of stars take many times the block steps, and keep a clock that they did not")
def _():
    link, rates, clocks = "#n=4096&", {}, {}

    def is_faster():
        for neighbors in ("0", ""):  # none, and what a reader has who sets nothing
            rates[neighbors], pictures, clocks[neighbors] = shown_by(f"{link}speed=100&neighbors={neighbors}", 2)
            note(f"neighbors={neighbors}: {rates[neighbors]:.1f} block steps, {pictures:.1f} pictures, {clocks[neighbors]:.2g} time units a second")
        return rates[""] > 3 * rates["0"] and clocks[""] > 2 * clocks["0"]

    until("more block steps and time", is_faster, 60)  # what else runs may have come to one of them alone
    speed = max(1e-4, 1.2 * clocks["0"])
    open_running(f"{link}speed={speed:.5f}")
    passes(speed)
    until("kept clock", lambda: not is_behind())
    pairs = lambda: browser.ask("return +document.querySelector('#numbers').dataset.pairs")  # of a particle's step
    until("pairs", lambda: 0 < pairs() < 2000)
    unfold("#shader")
    choose("#file", "cg2007/acc_jerk_pot.frag")
    edit(0, 0, "// ")  # the host sums near forces by the law that it knows
    until("the same without neighbors", lambda: pairs() == 4095)
    browser.click("#revert")
    until("neighbors", lambda: 0 < pairs() < 2000)


# ---- the address ----

@case("what an address cannot mean is said in a sentence, and the page goes on")
def _():
    models = "going on with the model's."
    for link, sentences, *kept in [
            ("%&constructor=x&n=64&n=128&scheme=bag&transfer=x&eps=abc&nu=0&speed=-1&textures=anything",
             ["%; expected two digits after each %.", "constructor=x; expected one of model, n, scheme, precision, transfer, eps, nu, neighbors, speed, textures, trails, t, pause, view, race, shader, watch.",
              "n=128; expected n once: going on with the first.", "transfer=x; expected block or nothing: going on with nothing.",
              f"eps=abc; expected a number from 0 to 1: {models}", "nu=0; expected a number from 0.0001 to 0.5: going on with 0.01.",
              f"speed=-1; expected a number from 0.0001 to 100: {models}", "textures=anything; expected 1 or 0: going on with 0."], "n=64", "scheme=bag"),
            ("model=x&n=1e9", ["model=x; expected one of the list Model: going on with plummer.", f"n=1e9; expected a number from 2 to 16384: {models}"]),
            ("n=64&neighbors=5", ["neighbors=5; expected 0, nothing, or a number from 8 to 1024: going on with auto."], "n=64"),
            ("model=file&n=&speed=", ["model=file; expected a model (open the file again): going on with plummer.",
                                      f"n=; expected a number from 2 to 16384: {models}", f"speed=; expected a number from 0.0001 to 100: {models}"]),
            ("n=2.5&scheme=tile", [f"n=2.5; expected a whole number: {models}", "scheme=tile; expected one of bag, cg2007, host, matrix2004: going on with bag."]),
            ("model=holmberg1941&n=12&precision=double", [f"n=12; expected 74: {models}", "precision=double; expected one of single, compensated, ds, "
                                                          "reproducible: going on with ds."], "model=holmberg1941"),
            ("n=64&precision=ds&transfer=block&scheme=host", ["precision=ds; expected one of double, reproducible: going on with double.",
                                                              "transfer=block; expected it with scheme bag alone: going on with nothing."], "n=64", "scheme=host")]:
        sentence = " ".join("The address says " + each for each in sentences)
        open_running("#" + link)
        if "scheme=tile" in link:  # its list is the program's
            sentence = sentence.split("bag,")[0]
        until(f"sentence for #{link}: {sentence}", lambda: said().startswith(sentence))  # the one before may come once more
        words = [w for w in browser.address().partition("#")[2].split("&") if w]
        demand(sorted(words) == sorted(kept), f"#{link} became {words}")
        demand(not pressed("#inspect"), f"#{link} opens the textures")
        demand(said().startswith(sentence), f"#{link}, later: {said()}")


@case("a link carries the settings")
def _():
    link = "#model=coldsphere&n=77&precision=reproducible&eps=0.05&nu=0.02&neighbors=16&speed=0.2"
    open_running(link)
    demand(browser.address().endswith(link) and said() == "", browser.address() + said())
    values = [browser.value("#" + name) for name in ("model", "n", "scheme", "precision", "eps", "nu", "neighbors")]
    demand(values == ["coldsphere", "77", "bag", "reproducible", "0.05", "0.02", "16"] and "0.20" in browser.text("#speed_text"), f"{values}")
    choose("#precision", "ds")
    until("link", lambda: "precision=ds" in browser.address())
    for word, kept in [("", ""), ("#model=figure8", "#model=figure8"), ("#n=64&textures=0", "#n=64"), ("#n=64&eps=%200.1", "#n=64&eps=0.1")]:
        open_running(word)  # what nobody set is not in it
        demand(browser.address().endswith("index.html" + kept) and said() == "" and not pressed("#inspect"), f"{word} became {browser.address()} {said()}")
    open_running("#n=64&precision=ds&transfer=block")
    choose("#scheme", "host")
    until("word about it", lambda: said() == "scheme host has no precision ds, no transfer block: going on with double")
    until("link", lambda: browser.address().endswith("#n=64&scheme=host"))
    visit("#scheme=cg2007&n=16384")  # as many as other schemes
    until("controls", lambda: browser.value("#n") == "16384" or said())
    demand("address" not in said() and browser.value("#scheme") == "cg2007", said())


@case("a policy keeps the page from loading anything from elsewhere", in_each=True)
def _():
    other, asked_there = serve(pages)
    for page in (SERVED, DISK):
        open_running("#n=16&scheme=host", page)
        for path in ("elsewhere.png", "elsewhere.js"):
            browser.ask(f"""const e = document.createElement({json.dumps("img" if path.endswith("png") else "script")});
                e.src = "{other}{path}"; document.body.append(e)""")
        passes(0.01)
    demand(not asked_there, f"asked for {asked_there}")
    here = sorted({p.split("?")[0] for p in asked})
    demand(set(here) <= {"/" + f for f in ("index.html", "page.css", "page.js", "runner.js", "compute.js", "holmberg.js", "holmberg.wasm")}, f"{here}")


@case("the hint speaks of keys, and on a phone of fingers")
def _():
    open_page("#n=16&scheme=host")
    until("hint", lambda: browser.text("#hint"))
    demand(re.search("space: pause", browser.text("#hint")) and "finger" not in browser.text("#hint"), browser.text("#hint"))
    browser.resize(480, 800, is_phone=True)
    try:
        open_page("#n=16&scheme=host")
        hint = until("hint", lambda: browser.text("#hint"))
        demand("one finger: turn" in hint and "space" not in hint, hint)
        lit_and_moving("phone")
    finally:
        browser.resize(WIDTH, HEIGHT)


# ---- numbers ----

for scheme, precision in [("cg2007", "single"), ("bag", "single"), ("bag", "ds")]:
    @case(f"{scheme} {precision}: the energy is the program's to 1e-8", in_each=precision == "ds")
    def _(scheme=scheme, precision=precision):
        n = 1024 if LONG else 256
        open_running(f"#n={n}&scheme={scheme}&precision={precision}&speed=0.1")
        until("t = 0.03", lambda: moment() > 0.03)
        pause()
        t, rows, _ = snapshot()
        holmberg("ic", "plummer", "-n", str(n), "--seed", "1", "-o", "p.txt", "--quiet")
        tuned = [] if scheme == "cg2007" else ["--no-tune"]
        holmberg("run", "p.txt", "--scheme", scheme, "--precision", precision, *tuned, "--eps", "2^-8", "--t-end", repr(t),
                 "-o", "end.txt", "--quiet")
        t_end, expected, _ = read_snapshot(os.path.join(browser.home, "end.txt"))
        found, right = energy(rows), energy(expected)
        off = max(abs(a - b) for r, e in zip(rows, expected) for a, b in zip(r[1:4], e[1:4]))
        note(f"{scheme} {precision}, N = {n}: at t = {t} E = {found:.12f}, the program's {right:.12f}; places differ by {off:.1e} at most")
        demand(len(rows) == len(expected) == n and t == t_end, f"{len(rows)} rows at {t}")
        demand(abs(found / right - 1) < 1e-8, "energies differ by more than 1e-8")


def edit(line, column, typed):
    """In the source: letters more, where somebody has clicked."""
    browser.focus("#source")
    browser.ask("""const at = source.value.split("\\n").slice(0, %d).join("\\n").length + (%d > 0) + %d; source.setSelectionRange(at, at)""" % (line, line, column))
    browser.keys(*typed)


@case("a shader that is edited takes effect, a broken one is reported at its line")
def _():
    file = "cg2007/acc_jerk_pot.frag"
    open_running("#n=16&scheme=cg2007&speed=0.5")
    passes(0.2)
    until("measured energy", energy_error)
    right = energy_error()  # by chance as small as 1e-11
    demand(right < 1e-6, f"energy error {right}")
    unfold("#shader")
    demand(browser.value("#file") == file, browser.value("#file"))
    lines = browser.value("#source").split("\n")
    k = next(k for k, line in enumerate(lines) if re.search(r"thisAcc\s+= otherMass", line))
    edit(k, lines[k].index("otherMass"), "0.5*")
    until("compilation", lambda: re.match("compiled, in use since", browser.text("#compiler") or ""))
    until("wrong energy", lambda: energy_error() > 1e-5)
    note(f"energy errors {right} and {energy_error()}")
    k = next(k for k, line in enumerate(lines) if re.search(r"accOut\s+=", line))
    edit(k, lines[k].index("accOut"), "x")
    until("report", lambda: f"{file}:{k + 1}:" in (browser.text("#compiler") or ""))
    t = moment()
    browser.click("#revert")
    until("the first source", lambda: browser.value("#source") == "\n".join(lines))
    browser.click("#over")
    until("the beginning", lambda: moment() < t)
    passes(0.2)
    until("right energy", lambda: 0 < energy_error() < 1e-6)


@case("each exercise's solution compiles and runs; without the correction, compensated is no better than single")
def _():
    open_running("#n=1024&precision=single")
    unfold("#shader")

    forget = lambda: browser.ask("document.querySelector('#compiler').textContent = ''")

    def error():
        pause()
        forget()
        browser.click("#compare")
        return float(until("comparison", lambda: re.search(r"relative error (\S+)", browser.text("#compiler") or ""))[1])

    single = error()
    choose("#precision", "compensated")
    compensated = error()
    numbers = browser.ask("return [...document.querySelectorAll('[data-exercise]')].map(b => b.dataset.exercise)")
    demand(numbers == ["1", "2", "3", "3b"], f"exercises {numbers}")
    for number in numbers:
        button = f'[data-exercise="{number}"]'
        part_of(button)
        forget()
        browser.click(button)
        until("step of the solution", lambda: re.match("compiled", browser.text("#compiler") or "") and moment() > 0)
    careless = error()
    note(f"errors: single {single}, compensated {compensated}, careless {careless}")
    demand(single > 2 * compensated and careless > 2 * compensated, "the correction does not show")


# ---- textures ----

@case("textures: a pass, a texel under the pointer, the next pass, its line, and how many are due")
def _():
    open_running("#model=holmberg1941&scheme=cg2007&textures=1")
    until("a step of few", lambda: re.search(r"; \d+ of 74 are due in this step", browser.text("#title") or ""))
    pause()
    browser.click("#over")
    until("pass", lambda: re.match("cg2007, pass 1 of 73", browser.text("#title") or ""))
    x, y, width, height = browser.box("#passes")

    def texel():  # the answer comes a turn later
        for down in range(40, int(height), 23):
            for right in range(8, int(width), 41):
                browser.mouse([("move", x + right, y + down)])
                found = re.match(r"particle \d+, \w+ .*\(\w+, column \d+, row \d+\)", browser.text("#texel") or "")
                if found:
                    return found[0]
        return None

    note(until("texel", texel))
    if not pressed("#pause"):
        pause()
    browser.click("#forth")
    until("next pass", lambda: re.search(r"^cg2007, pass 2 of 73.*; line \d+ of .* runs with otherParticle = 2$", browser.text("#title") or ""))
    unfold("#shader")

    def runs(file, code):
        line = lambda: int(browser.ask("return source.style.getPropertyValue('--line')") or -1)
        until(f"line of {file}", lambda: browser.value("#file") == file and code in browser.value("#source").split("\n")[line()])
        until("view of the line", lambda: browser.ask("""const height = parseFloat(getComputedStyle(source).lineHeight),
            at = source.style.getPropertyValue("--line") * height - source.scrollTop; return at > 0 && at < source.clientHeight - height"""))

    runs("cg2007/acc_jerk_pot.frag", "+ otherParticle;")
    choose("#scheme", "matrix2004")
    for _ in range(2):
        browser.click("#back")
    runs("pairs/matrix_pair.frag", "origin +")
    browser.click("#forth")
    runs("pairs/matrix_sum.frag", "+ shift")


# ---- a lost context: what no person can do, and the browser may ----

for transfer in ["", "&transfer=block"]:
    @case(f"a lost context is told, and survived{': particles on the device' if transfer else ''}", in_each=not transfer)
    def _(transfer=transfer):
        open_running(f"#n=128&precision=ds&speed=0.5{transfer}")
        until("some time", lambda: moment() > 0.05)
        browser.ask("(window.loses = document.querySelector('#canvas').getContext('webgl2').getExtension('WEBGL_lose_context')).loseContext()")
        until("message", lambda: "taken" in said())
        t = moment()
        browser.ask("window.loses.restoreContext()")
        text = until("message", lambda: "is back: going on from t = " in said() and said())
        back = float(text.split("t = ")[1])
        note(f"lost at {t}, going on from {back}")
        demand(back >= t - (0.5 if transfer else 1e-4), "the state is an old one")
        until("time going on", lambda: moment() > back + 0.02)
        lit_and_moving("after a lost context")
        pause()
        rows = snapshot()[1]
        demand(len(rows) == 128 and abs(energy(rows) / -0.25 - 1) < 0.2 and energy_error() < 1e-4, f"{len(rows)} stars, energy {energy(rows)}, error {energy_error()}")


# ---- files ----

@case("a snapshot comes back as it was; one bad file, and the next good one runs", in_each=True)
def _():
    open_running("#n=100&scheme=host&speed=1")
    until("some time", lambda: moment() > 0.1)
    pause()
    t, rows, path = snapshot()
    demand(len(rows) == 100 and t > 0.1, f"{len(rows)} rows at {t}")
    browser.upload("#open", path)
    until("file", lambda: "100 particles" in said())
    again = snapshot()
    demand(again[:2] == (t, rows), f"t = {again[0]} for {t}")
    demand("model" not in browser.address() and "n=100" not in browser.address(), browser.address())
    browser.click("#pause")
    passes(0)
    for name, contents, sentence in [("bad.txt", b"1 2 three", "bad.txt"), ("a.h5", b"\x89HDF\r\n\x1a\n\0\0", "HDF5.*holmberg convert")]:
        bad = os.path.join(browser.home, name)
        with open(bad, "wb") as file:
            file.write(contents)
        browser.upload("#open", bad)
        until("refusal", lambda: re.search(sentence, said()))
        passes(0)
    browser.upload("#open", path)
    until("file", lambda: "100 particles" in said())
    demand(not pressed("#pause"), "paused")
    until("time going on", lambda: moment() > t)
    lit_and_moving("a file")


@case("a picture is what is seen", in_each=True)
def _():
    open_running("#n=64")
    pause()
    browser.click("#canvas")
    path = download(lambda: browser.keys("p"))
    with open(path, "rb") as file:
        lit = browser.decoded(file.read()).lit()
    note(f"{lit} pixels lit in {os.path.basename(path)}, {seen().lit()} on the screen")
    demand(lit > 30, "nothing in the picture")


# ---- changes while it runs ----

@case("scheme, precision, place and number of stars change while it runs")
def _():
    open_running("#n=512&speed=0.2&precision=single")
    until("some time", lambda: moment() > 0.02)
    for selector, option in [("#precision", "ds"), ("#transfer", "block"), ("#scheme", "matrix2004"), ("#scheme", "cg2007"), ("#scheme", "host")]:
        t = moment()
        choose(selector, option)
        demand(moment() >= t - 0.02, f"{option}: t = {moment()} after {t}")
        passes(0)
    pause()
    t, rows, _ = snapshot()
    e = energy(rows)
    for n in (1024, 300):
        browser.enter("#n", str(n))
        until("link", lambda: f"n={n}&" in browser.address())
        until("so many stars", lambda: len(snapshot()[1]) == n)
        now, rows, _ = snapshot()
        note(f"N = {n}: E = {energy(rows):.5f} after {e:.5f}")
        demand(now == t and abs(energy(rows) / e - 1) < 0.2, f"t = {now} after {t}, E = {energy(rows)} after {e}")
    browser.click("#over")
    until("the beginning", lambda: moment() == 0)
    demand(len(snapshot()[1]) == 300, "another number of stars")


@case("what is changed while a model begins is changed of that model")
def _():
    open_running("#n=512&precision=ds")
    pause()
    browser.choose("#model", "coldsphere")
    browser.enter("#eps", "0.1")
    until("coldsphere", lambda: "model=coldsphere" in browser.address() and "eps=0.1" in browser.address())
    until("the end of it", lambda: moment() == 0 and len(snapshot()[1]) == int(browser.value("#n")))
    rows = snapshot()[1]
    demand(all(row[4:] == [0, 0, 0] for row in rows), "those are other stars")


@case("what cannot be is refused in words, and the simulation goes on")
def _():
    open_running("#n=64&speed=0.2")
    for selector, value, sentence in [("#eps", "-1", "eps=-1: expected a number from 0 to 1"), ("#n", "1e9", "n=1000000000: expected a number from 2 to 16384"),
                                      ("#nu", "0", "nu=0: expected a number from 0.0001 to 0.5")]:
        before = browser.value(selector)
        browser.enter(selector, value)
        until("sentence", lambda: said().replace("1e9", "1000000000") == sentence)
        demand(browser.value(selector) == before and not pressed("#pause"), f"{selector} shows {browser.value(selector)}")
        passes(0)


# ---- time: trails, the bar, links, the race, runs elsewhere ----

def still():
    """The picture of a pause, when it stays."""
    return standing()[1]


@case("few bodies have trails, which a key takes away")
def _():
    open_running("#model=figure8&scheme=host")  # which keeps the clock that trails are as long as
    passes(0.8)
    lit = still().lit()
    browser.focus("#canvas")
    browser.keys("t")
    bare = until("no trails", lambda: [p for p in [still()] if p.lit() < 0.8 * lit])[0].lit()
    note(f"{lit} pixels lit with trails, {bare} without")
    demand("trails=0" in browser.address() and not browser.ask("return document.querySelector('#trails').checked"), browser.address())
    open_running("#n=64")
    demand(not browser.ask("return document.querySelector('#trails').checked"), "64 stars have trails")


def bar():
    return float(re.search(r"t = (\S+)", browser.text("#bar_time"))[1])


def to_the_beginning():
    browser.focus("#bar")
    browser.keys("Home")
    until("the beginning", lambda: bar() == 0)


@case("the bar goes back in time and forth; a run starts anew from there; runs are kept, and a moment saved")
def _():
    open_running("#n=32&speed=0.5&scheme=host")
    passes(0.5)
    last = still()
    t = moment()
    to_the_beginning()
    first = until("other picture", lambda: [p for p in [still()] if p.changed(last) > 30])[0]
    demand(pressed("#pause") and moment() == 0, f"t = {moment()}")
    browser.drag("#bar", 60, 0)
    until("moment between", lambda: 0 < bar() < t)
    demand(still().changed(first) > 30, "the same picture")
    at, rows, _ = snapshot()
    middle = bar()  # the drag may have gone on when it was first seen between
    note(f"{first.changed(last)} pixels from t = 0 to {t}; snapshot of {at} for {middle}")
    demand(abs(at - middle) < 6e-4 and len(rows) == 32, f"a snapshot of {at}")
    part_of("#keep")
    browser.click("#keep")
    kept = until("kept run", lambda: "kept in this browser" in said() and said())
    choose("#scheme", "bag")
    until("new run", lambda: "a new run from t = " in said() and ", by bag" in said())
    begins, there, _ = snapshot()
    note(f"{said()}; on show was {at!r}, it begins at {begins!r}")
    demand(abs(moment() - at) < 1e-4 and begins == at, f"it begins at {begins}, and shows {moment()}")
    demand(len(there) == 32 and [r[0] for r in there] == [r[0] for r in rows], "other stars")
    demand(abs(float(re.search(r"energy (\S+)$", said())[1]) + 0.25) < 1e-3, said())  # the cubic between two kept states: -0.37
    browser.click("#pause")
    passes(0.02)
    open_running("#n=16")
    part_of("#recall")
    until("list", lambda: "plummer, N = 32" in browser.ask("return document.querySelector('#kept').value"))
    browser.click("#recall")
    until("run", lambda: "the bar goes through it" in said() and bar() == 0)
    demand(len(snapshot()[1]) == 32, "other stars")
    browser.click("#pause")  # through what is kept, and on
    until("going on", lambda: moment() > t)


@case("a series of snapshots opens in the bar")
def _():
    holmberg("ic", "plummer", "-n", "64", "-o", "p.txt", "--quiet")
    holmberg("run", "p.txt", "--scheme", "host", "--t-end", "0.5", "--snap-every", "0.125", "-o", "s.txt", "--quiet")
    paths = sorted(os.path.join(browser.home, f) for f in os.listdir(browser.home) if re.match(r"s_\d+\.txt", f))
    open_running("#n=16")
    part_of("#open")
    browser.upload("#open", *paths)
    until("sentence", lambda: f"{len(paths)} snapshots from t = " in said())
    demand(len(paths) >= 4, f"{paths}")
    until("the first of them", lambda: bar() == read_snapshot(paths[0])[0])
    first = still()
    browser.focus("#bar")
    browser.keys(*["ArrowRight"] * 3)
    demand(len(snapshot()[1]) == 64, "other stars")
    browser.click("#pause")
    until("going on from the last", lambda: moment() > 0.5)
    demand(still().changed(first) > 30, "stars that do not move")
    for path in paths[:2]:
        holmberg("convert", path, path.replace(".txt", ".h5"))
    t = moment()
    browser.upload("#open", *[path.replace(".txt", ".h5") for path in paths[:2]])
    note(until("word about HDF5", lambda: re.search("HDF5.*holmberg convert", said()) and said()))
    demand(moment() >= t, "what there was is gone")


@case("a link is a state: time, pause, camera, trails and an edited shader")
def _():
    file = "cg2007/acc_jerk_pot.frag"
    open_running("#model=holmberg1941&scheme=cg2007&trails=0&speed=2")
    browser.click("#pause")
    unfold("#shader")
    choose("#file", file)
    edit(0, 0, "// mine\n")
    until("edit in the address", lambda: "shader=" in browser.address())
    browser.click("#over")
    until("the beginning", lambda: moment() == 0)
    browser.click("#pause")
    passes(0.3)
    pause()
    browser.drag("#canvas", 60, 30)
    seen_here, source = still(), browser.value("#source")
    part_of("#link")
    browser.click("#link")
    link = until("link", lambda: re.search(r"https?:\S+", said()))[0]
    note(f"{len(link)} letters")
    t = float(re.search(r"[#&]t=([0-9.]+)", link)[1])
    open_page(link[link.index("#"):])
    until("the time", lambda: abs(moment() - t) < 1e-4 and pressed("#pause"))
    seen_there = still()
    off = seen_there.changed(seen_here)
    note(f"t = {t}: {off} pixels differ of {seen_here.lit()} lit")
    demand(browser.value("#source") == source and "trails=0" in browser.address(), "another source, or trails")
    demand(off < 0.1 * seen_here.lit(), "another picture")
    demand(f"with a shader of the address: {file}" == said(), said())


@case("a link is of its own run and time, whatever runs when it is followed")
def _():
    few = "#n=16&scheme=host&speed="
    open_running("#n=32&race=bag,host&speed=1")
    until("race", lambda: "racing" in browser.ask("return document.body.className"))
    until("another run", visit(few + "1&t=0.5&pause=1"))
    until("its time", lambda: pressed("#pause"))
    rests()
    demand(browser.value("#n") == "16" and abs(moment() - 0.5) < 0.1, f"{browser.value('#n')} stars, paused at {moment()}")
    until("another run", visit(few + "1&t=100000"))  # as fast as it can
    until("word about it", lambda: said() == "running up to t = 100000")
    open_running(few + "0.1")
    t, begun = moment(), time.monotonic()
    passes(0.05)
    note(f"from {t} to {moment()} within {time.monotonic() - begun:.1f} s, for 0.1 a second")
    demand(moment() < 0.2 * (time.monotonic() - begun) + 0.1 and said() == "", f"at {moment()}, {said()}")
    # One that is followed before the page has heard that the run reached the last one's time, where it is held.
    before = browser.ask("""const go = link => { history.replaceState(null, "", link); dispatchEvent(new HashChangeEvent("hashchange")); };
        (function late() {
          if (document.querySelector("#message").textContent !== "running up to t = 2") return setTimeout(late);
          for (const end = performance.now() + 2000; performance.now() < end;);
          go("%s1");
        })(go("%s1&t=2&pause=1"));
        return +document.querySelector("#canvas").dataset.links""" % (few, few))
    until("the last run", browser.has_followed(before + 1))
    passes(0.05)


def deflated(text):
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return base64.urlsafe_b64encode(packer.compress(text.encode()) + packer.flush()).decode().rstrip("=")


def inflated(word):
    return json.loads(zlib.decompress(base64.urlsafe_b64decode(word + "=" * (-len(word) % 4)), -15))["cg2007/acc_jerk_pot.frag"]


@case("links are packed and unpacked, and runs kept, by this browser", in_each=True, only_in="chromium")  # in short: Firefox has the whole cases
def _():
    file = "cg2007/acc_jerk_pot.frag"
    with open(os.path.join(here, "../../shaders", file)) as shader:
        text = shader.read()
    open_running("#n=16&scheme=cg2007&shader=" + deflated(json.dumps({file: "// mine\n" + text})))
    demand(said() == f"with a shader of the address: {file}", said())
    unfold("#shader")
    choose("#file", file)
    demand(browser.value("#source") == "// mine\n" + text, browser.value("#source")[:200])
    edit(0, 0, "// too ")
    until("both in the address", lambda: "// too // mine\n" in inflated(re.search("shader=([^&]*)", browser.address())[1]))
    part_of("#keep")
    browser.click("#keep")
    until("kept run", lambda: "kept in this browser" in said())
    open_running("#n=32&scheme=host")
    part_of("#recall")
    until("list", lambda: "N = 16" in browser.ask("return document.querySelector('#kept').value"))


@case("a hostile or damaged link ends in a sentence and the default")
def _():
    own = "expected files of this page's shaders, as its links have them: going on with the page's own."
    for word, sentence in [("shader=%21%21", own), ("shader=AAAA", own), ("shader=" + deflated('{"../x":"y"}'), own), ("shader=" + deflated("[" * 10000000), own),
                           ("view=1,2", "expected a camera's seven numbers: going on without it."), ("t=1e9", "expected a number from 0 to 100000: going on from the beginning."),
                           ("race=bag", "expected two to four of "), ("pause=yes", "expected 1 or 0: going on without it."),
                           ("shader=" + deflated(json.dumps({"cg2007/acc_jerk_pot.frag": "nothing"})), "The shader of the address does not compile: going on with the page's own."),
                           ("watch=x", "nothing that could be watched is served here")]:
        note(word[:40])
        (visit if word == "watch=x" else open_running)(f"#n=32&scheme=cg2007&{word}")
        until("sentence", lambda: sentence in said())
    browser.is_fit = False  # it watches


@case("the race: several schemes side by side, and the machines of 2007")
def _():
    schemes = ["cg2007", "matrix2004", "bag"]
    open_page("#n=64&race=" + ",".join(schemes))
    texts = lambda: browser.ask("return [...document.querySelectorAll('.pane')].map(p => p.innerText)")
    clocks = lambda: [float(re.search(r"t = (\S+)", text)[1]) for text in texts()]
    until("three clocks", lambda: len(texts()) == 3 and all("t = " in t for t in texts()) and min(clocks()) > 0)
    boxes = [browser.ask(f"const b = document.querySelectorAll('.pane')[{k}].getBoundingClientRect(); return [b.left, b.top + 0.3 * b.height, b.width, 0.35 * b.height]") for k in range(3)]
    png = browser.screenshot()
    before, lit = clocks(), [browser.decoded(png, box).lit() for box in boxes]
    until("all of them going on", lambda: all(b > a for a, b in zip(before, clocks())))
    boxed = browser.ask("return [...document.querySelectorAll('[name=racer]:checked')].map(b => b.value)")
    demand(boxed == schemes, f"chosen: {boxed}")
    until("energy errors", lambda: all(re.search(r"energy error -?\d\S+ at t = \d", text) for text in texts()))
    measured = [float(re.search(r"error \S+ at t = (\S+)", text)[1]) for text in texts()]
    demand(all(0 < a <= b for a, b in zip(measured, clocks())), f"measured at {measured}, clocks {clocks()}")
    demand(min(lit) > 10 and all(text.startswith(s) for text, s in zip(texts(), schemes)), f"{lit} pixels lit, {texts()}")
    box = browser.ask("const b = document.querySelector('.pane canvas').getBoundingClientRect(); return [b.left + 50, b.top, b.width - 50, b.height]")
    line = until("line", lambda: [lit for lit in [browser.picture_of(box).lit(100)] if lit > 20])[0]
    tracks = browser.ask("return [...document.querySelectorAll('#tracks li')].map(t => t.innerText.replace(/\\s+/g, ' '))")
    note(f"{lit} pixels lit, {line} of a line; {tracks}")
    demand([t.split(",")[0] for t in tracks[3:]] == ["GRAPE-6Af", "8800GTX", "FX1400", "Xeon"], f"{tracks}")
    browser.click("#pause")
    until("standing clocks", lambda: (lambda a: (time.sleep(1), a == clocks())[1])(clocks()))
    browser.click("#race")
    until("one run", lambda: not texts())
    rests()
    demand(seen().lit() > 30, "no stars after the race")
    browser.click("#race")
    until("three panes", lambda: len(texts()) == 3 and "racing" in browser.ask("return document.body.className"))
    box = browser.ask("const b = document.querySelector('#canvas').getBoundingClientRect(); return [b.left + b.width / 2 + 4, b.top + b.height / 2 + 4, b.width / 2 - 8, 0.35 * b.height]")
    until("pictures of the three", lambda: seen().lit() > 30)
    demand(browser.picture_of(box).lit() == 0, f"where no run is drawn {browser.picture_of(box).lit()} pixels of the one before are lit")
    browser.click("#race")
    browser.click("#pause")
    passes(0)


@case("a run elsewhere is watched, and not changed by that")
def _():
    holmberg("ic", "plummer", "-n", "256", "-o", "w.txt", "--quiet")
    words = [program, "run", "w.txt", "--scheme", "host", "--snap-every", "2", "--t-end"]
    here = dict(os.environ, HB_CONTEXT="osmesa", HB_PAGE=os.path.join(pages, "holmberg.html"))
    subprocess.run([*words, "2", "-o", "alone.txt"], check=True, stdout=subprocess.DEVNULL, cwd=browser.home, env=here)
    run = subprocess.Popen([*words, "400", "-o", "watched.txt", "--watch"], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, cwd=browser.home, env=here)
    try:
        address = re.search(r"http://127\.0\.0\.1:\d+/\w{32}/#watch=w\.txt", run.stderr.readline())[0]
        browser.open(address)
        until("run", lambda: moment() > 0)
        demand(said() == "watching w.txt", said())
        heads = browser.ask("return [...document.querySelectorAll('aside summary')].filter(e => e.getClientRects().length).map(e => e.textContent)")
        demand(heads == ["Files", "Help"], f"what cannot be done is offered: {heads}")
        first, t = seen(), moment()
        until("other pixels", lambda: moment() > t and seen().lit() > 30 and seen().changed(first) > 30)
        until("a snapshot", lambda: moment() > 2 and os.path.exists(os.path.join(browser.home, "watched_0001.txt")))
        until("steps a second", lambda: browser.text("#steps") != "0")
        os.kill(run.pid, signal.SIGSTOP)  # so that its states come seldom
        rates = set()
        for _ in range(15):
            time.sleep(0.1)
            rates.add(browser.text("#steps"))
        os.kill(run.pid, signal.SIGCONT)
        demand("0" not in rates, f"steps a second of a run that goes on: {rates}")
        token = re.search(r"\w{32}", address)[0]
        for wrong in (address.replace(token, token[::-1]), address.replace(token, token[:31]), address.replace("/#", "#"), address.replace(token + "/", "")):
            if wrong != address:
                browser.open(wrong)
                until("sentence", lambda: "nothing here: open the whole printed address" in (browser.text("body") or ""))
        browser.open(address)
        until("the run again", lambda: moment() > 2 and said() == "watching w.txt")
    finally:
        run.kill()
        run.wait()
    until("word about its end", lambda: "w.txt does not answer any more; what was seen is in the bar" in said())
    rows = lambda path: [line for line in open(os.path.join(browser.home, path)) if line[0] != "#"]
    demand(rows("alone_0001.txt") == rows("watched_0001.txt") and len(rows("alone_0001.txt")) == 256, "other stars")
    note(f"watched from t = {t} to {moment()}")


# ---- what a browser may lack ----

@case("without WebGL 2 the host computes, and stars are dots")
def _():
    again = browser.without("webgl2")
    try:
        open_page("#n=64")
        until("sentence", lambda: re.search("WebGL 2.*: the host computes, and stars are dots", said()))
        until("dots", lambda: seen().lit() > 30 and moment() > 0)
        first = still()
        browser.click("#pause")
        passes(0.1)
        demand(still().changed(first) > 30, "dots that do not move")
    finally:
        again()


@case("without textures of floats, too", in_each=True, only_in="chromium")  # which has a switch for it
def _():
    again = browser.without("float targets")
    try:
        open_page("#n=64")
        until("sentence", lambda: re.search("float.*: the host computes, and stars are dots", said()))
        until("dots", lambda: seen().lit() > 30 and moment() > 0)
        passes(0.1)
    finally:
        again()


@case("where no worker can draw the page computes itself", in_each=True, only_in="chromium")  # which has a switch for it
def _():
    again = browser.without("workers that draw")
    try:
        open_page("#n=256&speed=0.2")
        lit_and_moving("in the page")
    finally:
        again()


@case("what the browser does not keep is said", in_each=True, only_in="chromium")  # which has a switch for it
def _():
    again = browser.without("storage")
    try:
        open_running("#n=32")
        part_of("#keep")
        browser.click("#keep")
        until("sentence", lambda: re.match(r"this browser keeps nothing for this page \(.*\): Snapshot saves a state as a file instead$", said()))
        passes(0)
    finally:
        again()


AWAY = float(os.environ.get("AWAY", 8))  # seconds in the background


def clocks():
    """Of what is on show: one run, or the racers and the machines of 2007."""
    texts = browser.ask("return [...document.querySelectorAll('.pane')].map(p => p.innerText)")
    tracks = browser.ask("return [...document.querySelectorAll('#tracks span')].map(t => t.textContent)")
    return [float(re.search(r"t = (\S+)", text)[1]) for text in texts + tracks[len(texts):]] or [moment()]


AWAY = float(os.environ.get("AWAY", 8))  # seconds in the background


def goes_away(link, what, clocks, **how):
    """For a while: the clocks stand still, which is said, and go on."""
    open_page(link)
    until("some time", lambda: min(clocks()) > 0.1)
    t, begun = clocks(), time.monotonic()
    browser.in_background(AWAY, **how)
    pattern = rf"the page was in the background for (\d+) (s|minutes): the {what} stood still, and goes on$"
    away, unit = until("sentence", lambda: re.match(pattern, said())).groups()
    away = int(away) * (60 if unit == "minutes" else 1)
    back, took = clocks(), time.monotonic() - begun
    note(f"t = {t}, and {back} after {took:.1f} s at 1 a second, {away} of them in the background")
    demand(away > 0.6 * AWAY and all(b - a < took - away + 2 for a, b in zip(t, back)), "it has run")
    until("clocks that go on", lambda: all(b > a + 0.1 for a, b in zip(back, clocks())))


racers = lambda: [float(t) for t in re.findall(r"t = ([0-9.]+)\n", browser.ask("return [...document.querySelectorAll('.pane p')].map(p => p.innerText).join()"))] or [0]


@case("a page in the background stands still, and says so")
def _():
    goes_away("#n=32&speed=1&scheme=host", "run", lambda: [moment()])
    pause()
    words = said()
    browser.in_background(6)
    demand(said() == words, f"of a run that stood still anyway: {said()}")


@case("a race in the background, too")
def _():
    goes_away("#n=32&race=bag,host&speed=1", "race", racers)


@case("a page that is frozen goes on where it was", in_each=True, only_in="chromium")  # which has a switch for it
def _():
    goes_away("#n=32&speed=1&scheme=host", "run", lambda: [moment()], freezes=True)


@case("a page that the browser had closed says that its run begins again", in_each=True, only_in="chromium")  # which has a switch for it
def _():
    again = browser.without("memory for it in the background")
    try:
        open_running("#n=32")
        until("sentence", lambda: said().startswith("the browser had closed this page in the background, to have its memory: the run begins again"))
    finally:
        again()


# ---- for everybody ----

@case("controls have names, the order of focus is that of the page, and text has contrast")
def _():
    open_running("#n=16")
    for name in ("#textures", "#shader", "#help"):
        unfold(name)
    nameless = browser.ask("""return [...document.querySelectorAll("button, input, select, textarea")].filter(c =>
        !(c.getAttribute("aria-label") || c.textContent.trim() || [...c.labels].map(l => l.textContent.trim()).join(""))).map(c => c.outerHTML)""")
    demand(not nameless, f"no names: {nameless}")
    browser.focus("#canvas")
    where, order = """const all = [...document.querySelectorAll("*")]; return all.indexOf(document.activeElement)""", []
    for _ in range(25):
        order.append(browser.ask(where))
        browser.keys("Tab")
    note(f"order of focus: {order}")
    demand(order == sorted(set(order)), "an order of its own")
    low = browser.ask("""const numbers = color => color.match(/\\d+/g).slice(0, 3).map(Number);
        const light = c => c.map(x => x / 255).map(x => x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
        const luminance = c => light(c).reduce((s, x, k) => s + x * [0.2126, 0.7152, 0.0722][k], 0);
        const ground = luminance(numbers(getComputedStyle(document.body).backgroundColor));
        return [...document.querySelectorAll("aside p, aside dd, aside dt, aside label, aside summary, aside button:not([aria-pressed=true])")].filter(e => {
          const ink = luminance(numbers(getComputedStyle(e).color));
          return (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05) < 4.5; }).map(e => e.outerHTML.slice(0, 80))""")
    demand(not low, f"less than 4.5: {low}")


@case("the device is measured: a whole row, seen before it is copied, and the stars go on")
def _():
    open_running("#n=64")
    unfold("#help")
    demand(browser.ask("return document.querySelector('#row').hidden && document.querySelector('#copy').disabled"), "a row of nothing")
    browser.click("#card")
    until("line about it", lambda: "measuring bag in" in said())
    row = until("row", lambda: browser.value("#row"), 6 * PATIENCE)
    path = os.path.join(browser.home, "row.json")
    with open(path, "w") as file:
        file.write(row)
    checked = subprocess.run([os.path.join(here, "../../tools/cards.py"), "check", path], capture_output=True, text=True)
    note(f"{len(row)} bytes: {row[:300]}")
    demand(checked.returncode == 0, checked.stderr)
    demand('"hash": "59e93d9221cb359f"' in row, "the known end state is not in it")
    if "CARD" in os.environ:
        shutil.copy(path, os.environ["CARD"])
    browser.click("#copy")
    until("copied row", lambda: said().startswith(("copied", "selected")))
    browser.click("#pause")
    passes(0.01)


def grows(what, settle, seconds):
    time.sleep(settle)
    before = browser.cost()[0]
    time.sleep(seconds)
    after = browser.cost()[0]
    note(f"{what}: {before / 1e6:.0f} MB, after {seconds} s {after / 1e6:.0f} MB")
    return after / before


@case("memory does not grow")
def _():
    open_running("#n=512&precision=ds&speed=10")
    until("measured energy", energy_error)
    demand(grows("one run", 2, 60 if LONG else 3) < 1.3, "it grows")
    if LONG:  # pages once fell behind their racers, whose messages piled up
        open_page("#n=256&race=cg2007,bag,host")
        demand(grows("a race", 300, 1500) < 1.05, "it grows")


# ---- all of them ----

def main():
    global browser
    everything = kind == "firefox" or LONG or only
    browser = begin(kind, WIDTH, HEIGHT)
    try:
        return run_all(browser, [(name, run) for name, run, in_each in cases if only in name and (everything or in_each)],
                       os.path.join(pages, kind + "_{}.png"))
    finally:
        browser.close()


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    sys.exit(main())
