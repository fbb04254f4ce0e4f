#!/usr/bin/env python3
"""guide.py BROWSER PAGES [NAME]: the tests of the guided page and its gallery as TAP, in chromium or firefox, from outside: they
open an address, wait, press, drag, type, and look. With a NAME, which may be empty, those whose names contain it; without, and
without LONG, Chromium leaves to Firefox all but smoke cases and what only it has: its processor takes three times as long there. AXE
names axe.js of axe-core; with GALLERY a folder, each link's picture is left there, as src/web/gallery has them; GOLDEN=1 writes
tests/data/web_pictures.txt anew."""
import html, os, re, subprocess, sys, time

from browser import Failure
from cases import begin, demand, note, run_all, serve, wait_for

kind, pages = sys.argv[1], os.path.abspath(sys.argv[2])
only = sys.argv[3] if len(sys.argv) > 3 else ""
cases = []
is_whole = len(sys.argv) > 3 or bool(os.environ.get("LONG"))
FIREFOX = ("chromium", "firefox") if is_whole else ("firefox",)
PATIENCE = 120


def case(name, where=("chromium", "firefox")):
    return lambda run: cases.append((name, run)) if kind in where else None


until = lambda what, condition, patience=PATIENCE: wait_for(what, condition, patience)
SERVED, asked = serve(pages)


def open_guide(page=SERVED + "guide.html"):
    browser.is_fit = False
    browser.open(page)
    until("page", lambda: browser.ask("return document.readyState") == "complete")


# ---- golden pictures: means of 32 x 20 parts, which drivers and fonts hardly change ----

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../data/web_pictures.txt")


def references():
    with open(GOLDEN) as file:
        return {name: bytes.fromhex(parts) for name, parts in map(str.split, file)}


def likeness(a, b):
    """The correlation of two pictures: 1 for the same."""
    means = sum(a) / len(a), sum(b) / len(b)
    product = lambda p, q: sum((x - means[p]) * (y - means[q]) for x, y in zip((a, b)[p], (a, b)[q]))
    return product(0, 1) / ((product(0, 0) * product(1, 1)) ** 0.5 or 1)


def as_golden(seen):
    """seen: pictures by name. Each is like its own reference, and like no other as much."""
    if os.environ.get("GOLDEN"):
        kept = {**(references() if os.path.exists(GOLDEN) else {}), **seen}
        with open(GOLDEN, "w") as file:
            file.writelines(f"{name} {kept[name].hex()}\n" for name in sorted(kept))
    golden, bad = references(), []
    for name, picture in seen.items():
        own, (other, where) = likeness(picture, golden[name]), max((likeness(picture, golden[k]), k) for k in golden if k != name)
        light = sum(picture) / len(picture), sum(golden[name]) / len(picture)
        note(f"{name}: likeness {own:.3f}, next to {where} {other:.3f}; brightness {light[0]:.1f} for {light[1]:.1f}")
        bad += [name] * (own < 0.85 or own <= other or abs(light[0] - light[1]) > 6 + 0.3 * light[1])
    demand(not bad, f"other pictures than tests/data/web_pictures.txt has: {bad}")


def media(**features):
    """What a reader's system says of itself, until the next call: colors, motion, and print for paper."""
    if kind == "chromium":
        return browser.command("Emulation.setEmulatedMedia", media=features.pop("media", ""),
                               features=[{"name": k.replace("_", "-"), "value": v} for k, v in features.items()])
    scheme = {"dark": 0, "light": 1}.get(features.get("prefers_color_scheme"), 2)
    browser.command("Marionette:SetContext", value="chrome")
    browser.ask(f"Services.prefs.setIntPref('ui.prefersReducedMotion', {int('prefers_reduced_motion' in features)}); "
                f"Services.prefs.setIntPref('layout.css.prefers-color-scheme.content-override', {scheme}); "
                f"gBrowser.selectedBrowser.browsingContext.mediumOverride = '{features.get('media', '')}'")
    return browser.command("Marionette:SetContext", value="content")


def steady(selector):
    """A small picture, once two looks are the same."""
    looks = []

    def stays():
        looks.append(browser.picture_of(browser.box(selector)).small())
        return len(looks) > 1 and looks[-1] == looks[-2] and max(looks[-1]) > min(looks[-1])

    until(f"steady picture of {selector}", stays)
    return looks[-1]


watched = []  # the step under way: chapter, what it is, since when


def step(*now):
    """What a reader does from here on; how long the step before took, with what it showed, for tools/lesson_times.py."""
    if watched:
        chapter, what, begun = watched.pop()
        note(f"step: {chapter} | {what} | {time.monotonic() - begun:.2f}")
    if now:
        watched.append((*now, time.monotonic()))


class Chapter:
    """A section of the page, by what a reader sees and does there."""

    def __init__(self, name):
        step(name, "scroll there")
        self.name = "." + name
        self.canvas = self.name + " canvas"
        until("numbers", lambda: browser.box(self.canvas) and self.says())

    says = lambda self: browser.text(self.name + " output")
    compiler = lambda self: browser.text(self.name + " .said")

    def seen(self):
        return browser.picture_of(browser.box(self.canvas))

    def numbers(self, pattern):
        found = re.search(pattern, self.says())
        return [float(x.replace("\u2212", "-")) for x in found.groups()] if found else None

    def changes(self, act, least=40):
        """What is said after it, and that so many pixels are others."""
        step(self.name[1:], "drag")
        before, picture = self.says(), self.seen()
        drawn = sum(abs(x - picture.pixels[0]) >= 25 for x in picture.pixels)
        demand(drawn > 400, f"{drawn} pixels drawn")
        act()
        until("another sentence", lambda: self.says() != before)
        changed = until("other pixels", lambda: [c for c in [self.seen().changed(picture)] if c >= least])[0]
        note(f"{self.name}: {drawn} pixels drawn, {changed} changed; {self.says()}")

    def slide(self, *keys):
        browser.focus(self.name + " input[type=range]")
        browser.keys(*keys)

    def press(self, *keys):
        browser.focus(self.canvas)
        browser.keys(*keys)

    def edit(self):
        step(self.name[1:], "change the line")
        browser.click(self.name + " .try")
        until("compiled program", lambda: self.compiler() == "Compiled: it runs.")
        browser.box(self.canvas)  # off screen it would stand still

    def undo(self):
        step(self.name[1:], "undo")
        browser.click(self.name + " .undo")
        until("the file as it was", lambda: self.compiler() == "")

    def answers(self, wrong, right):
        for text, begin, kind in ((wrong, "Not yet.", "wrong"), (right, "Right.", "right")):
            step(self.name[1:], kind + " answer")
            if isinstance(text, int):
                browser.click(f"{self.name} .choice:nth-of-type({text}) input")
            else:
                browser.enter(self.name + " input[type=text]", text)
            browser.click(self.name + " .question button")
            until(begin, lambda: (browser.text(self.name + " .answer") or "").startswith(begin))
        step()


@case("the first screen has a title, a sentence, and a picture that lives")
def _():
    open_guide()
    demand(browser.text("h1") == "Gravity from pixels" and browser.text("#notice") == "", f"{browser.text('h1')}, {browser.text('#notice')}")
    bottom = browser.ask("scrollTo(0, 0); return document.querySelector('.hero canvas').getBoundingClientRect().bottom / innerHeight")
    note(f"the picture ends at {bottom:.2f} of the window")
    demand(bottom < 1.05, "the picture is below the first screen")
    hero = Chapter("hero")
    hero.changes(lambda: None)
    browser.click(".hero .play")
    hero.changes(lambda: hero.press("ArrowRight"))


@case("two lamps: half the distance, four times the light; in a flat world twice", FIREFOX)
def _():
    lamps = Chapter("lamps")
    light = lambda: lamps.numbers(r"^Distance ([\d.]+): light ([\d.]*\d)")
    lamps.changes(lambda: lamps.press(*["ArrowLeft"] * 5))
    demand(light() == [1, 1], f"{light()}")
    x, y, width, height = browser.box(lamps.canvas)
    x, y, k = x + width / 2, y + 0.31 * height, min(width, 0.62 * height) / 2 / (2.15 if width > 560 else 2.6)
    browser.mouse([("move", x + k, y), ("down",), ("move", x + 1.5 * k, y + 5), ("move", x + 2 * k, y), ("up",)])
    until("the lamp back at 2", lambda: abs(light()[0] - 2) < 0.05)
    demand(abs(light()[1] * light()[0] ** 2 - 1) < 0.02, f"{light()}")
    lamps.edit()
    demand(abs(light()[1] * light()[0] - 1) < 0.02, f"{light()} in a flat world")
    lamps.undo()
    lamps.answers("2", "4")


@case("a pair is a texel: a star is dragged, and the diagonal meets itself")
def _():
    pairs = Chapter("pairs")
    pairs.changes(lambda: pairs.press(*["ArrowDown"] * 8))
    before = pairs.seen()
    pairs.edit()
    until("NaN on the diagonal", lambda: pairs.seen().changed(before) > 200)
    pairs.undo()
    pairs.answers("37", "1332")


@case("passes: the reader's pace, A and B in turn, and a loop that looks one place on is wrong", FIREFOX)
def _():
    passes = Chapter("passes")
    demand(passes.says().startswith("Pass 1: texel 5 reads its sum from A, feels number 6"), passes.says())
    passes.changes(lambda: passes.slide("ArrowRight"))
    demand(passes.says().startswith("Pass 2: texel 5 reads its sum from B, feels number 7"), passes.says())
    passes.slide(*["ArrowRight"] * 34)
    until("pass 36", lambda: "Pass 36: texel 5 reads its sum from B, feels number 4," in passes.says())
    demand(passes.says().endswith("the sums are right."), passes.says())
    passes.edit()
    until("wrong sums", lambda: "the sums are wrong by" in passes.says())
    passes.undo()
    passes.answers("5", "4")


@case("an error is named with its file and line, and what ran before goes on", FIREFOX)
def _():
    passes = Chapter("passes")
    said = passes.says()
    browser.focus(".passes textarea")
    browser.keys("a", "b", "c", " ")
    until("error", lambda: re.match(r"cg2007/acc_jerk_pot\.frag:\d+: ", passes.compiler()))
    note(passes.compiler())
    demand(passes.says() == said, passes.says())
    passes.undo()


@case("the sum that grows: N is dragged, and the correction saves what is lost", FIREFOX)
def _():
    sums = Chapter("sum")
    error = lambda: sums.numbers(r"N = (\d+): one float sum ([\de.\u2212]+), .*compensated ([\de.\u2212]+)\.$")
    sums.changes(lambda: sums.slide("ArrowRight", "ArrowRight"))
    n, single, saved = error()
    demand(n == 4096 and single > 5 * saved, f"{error()}")
    sums.edit()
    until("a loss", lambda: error()[2] > 5 * saved)
    note(f"single {single}, compensated {saved}, without the correction {error()[2]}")
    sums.undo()
    sums.answers("65536", "2^24")


@case("a bag: fewer, longer passes; a wrong count is noticed", FIREFOX)
def _():
    bag = Chapter("bag")
    bag.changes(lambda: bag.slide("ArrowLeft"))
    demand(bag.says().startswith("16 passes for 1024 sources") and bag.says().endswith("complete."), bag.says())
    bag.edit()
    until("count", lambda: "the driver has dropped a draw" in bag.says())
    bag.undo()
    bag.answers("64", "16")


@case("predict and correct: half the step, a sixteenth of the error", FIREFOX)
def _():
    predict = Chapter("predict")
    errors = lambda: predict.numbers(r"^Step ([\d.]+)\..* off by ([\de.\u2212]+), the corrected place by ([\de.\u2212]*\d)")
    predict.changes(lambda: predict.slide(*["ArrowLeft"] * 4))
    one = errors()
    predict.slide(*["ArrowLeft"] * 4)
    until("half the step", lambda: errors()[0] == one[0] / 2)
    two = errors()
    note(f"{one}, {two}: {one[1] / two[1]:.1f} times")
    demand(abs(one[1] / two[1] - 16) < 2, "another order")
    predict.edit()
    demand(errors()[1] > 10 * two[1], f"without the jerk {errors()}")
    predict.undo()
    predict.answers("2", f"{one[1] / two[1]:.1f}")


@case("a score of steps: blocks, and what they save; notes half as long", FIREFOX)
def _():
    score = Chapter("score")
    steps = lambda: score.numbers(r"^t = ([\d.e\u2212]+): (\d+) blocks with (\d+) steps of stars.*shortest step, (\d+)\.")
    score.changes(lambda: score.slide("ArrowRight"))
    until("blocks", lambda: steps()[0] > 0.05)
    before = steps()
    score.edit()
    until("blocks", lambda: steps()[0] > before[0])
    note(f"{before}, with half as long steps {steps()}")
    demand(before[3] > 2 * before[2] and steps()[2] > 1.3 * before[2], "no difference")
    score.undo()
    score.answers(1, 2)


@case("energy, the judge: it stays for a law of its own potential, and goes for another", FIREFOX)
def _():
    judge = Chapter("energy")
    judge.changes(lambda: judge.slide("ArrowLeft"))
    until("some time", lambda: judge.numbers(r"^t = ([\d.]+)")[0] > 1)
    demand("force and potential agree" in judge.says(), judge.says())
    judge.edit()
    until("the verdict", lambda: "do not agree" in judge.says())
    note(judge.says())
    judge.undo()
    judge.answers(1, 3)


@case("each chapter's picture is the golden one", FIREFOX)
def _():
    media(prefers_color_scheme="dark", prefers_reduced_motion="reduce")
    try:
        open_guide()
        names = browser.ask("return [...document.querySelectorAll('[data-chapter]')].map(s => s.className)")
        demand(len(names) == 9, f"{names}")
        as_golden({name: steady(f".{name} canvas") for name in names})
    finally:
        media()


@case("a picture off screen stands still", FIREFOX)
def _():
    open_guide()
    score = Chapter("score")
    browser.box("footer")
    time.sleep(0.5)
    before = score.says()
    time.sleep(1.5)
    demand(score.says() == before, f"{before}, later {score.says()}")


@case("beside a wide window's text the picture stays in view: a line is marked, changed there, and seen to work", FIREFOX)
def _():
    browser.resize(1280, 800)
    open_guide()
    sums = Chapter("sum")
    code, picture = browser.box(".sum .try"), browser.ask("const b = document.querySelector('.sum canvas').getBoundingClientRect(); return [b.top, b.bottom, innerHeight]")
    note(f"the button at {code[1]:.0f}, the picture from {picture[0]:.0f} to {picture[1]:.0f} of {picture[2]}")
    demand(0 <= picture[0] and picture[1] <= picture[2], "the picture is out of view")
    area = browser.box(".sum textarea")
    column = browser.picture_of((area[0] + 2, area[1] + 14, 8, 21 * 5)).pixels
    lines = [sum(column[8 * 21 * k:8 * (21 * k + 16)]) // 128 for k in range(5)]
    note(f"brightness of the lines {lines}; the third is the one to change")
    demand(abs(lines[2] - lines[0]) > 8 and len(set(lines)) == 2 and lines.count(lines[2]) == 1, "the line is not marked")
    before = sums.says()
    browser.click(".sum .try")
    until("another error", lambda: sums.says() != before)
    browser.resize(*browser.size)


@case("nothing was asked from elsewhere, and all answers were found")
def _():
    note(f"asked: {sorted(set(asked))}")
    elsewhere = browser.ask("return performance.getEntriesByType('resource').map(e => e.name).filter(n => !n.startsWith(location.origin) && !n.startsWith('data:'))")
    demand(not elsewhere, f"{elsewhere}")


@case("on a phone: nothing is wider than the screen, and a finger drags", ["chromium"])
def _():
    browser.resize(390, 780, True)
    open_guide()
    wide = browser.ask("return document.documentElement.scrollWidth")
    demand(wide <= 390, f"{wide} pixels wide")
    lamps = Chapter("lamps")
    x, y, width, height = browser.box(lamps.canvas)
    x, y, k = x + width / 2, y + 0.31 * height, min(width, 0.62 * height) / 2 / 2.6
    before = lamps.says()
    touch = lambda what, *at: browser.command("Input.dispatchTouchEvent", type=what, touchPoints=[{"x": at[0], "y": at[1]}] if at else [])
    touch("touchStart", x + 1.25 * k, y), touch("touchMove", x + 1.1 * k, y + 4), touch("touchMove", x + k, y), touch("touchEnd")
    until("moved lamp", lambda: lamps.says() != before)
    note(lamps.says())
    browser.resize(*browser.size)


@case("with reduced motion nothing moves by itself", FIREFOX)
def _():
    media(prefers_reduced_motion="reduce")
    open_guide()
    hero = Chapter("hero")
    before = hero.seen()
    time.sleep(1)
    demand(hero.seen().changed(before) == 0 and browser.text(".hero .play") == "Play", "it moves")
    browser.click(".hero .play")
    until("motion", lambda: hero.seen().changed(before) > 20)
    media()


@case("on paper there are text and pictures, and no buttons", FIREFOX)
def _():
    open_guide()
    Chapter("pairs")
    pdf = browser.printed()
    media(media="print")
    buttons = browser.ask("return [...document.querySelectorAll('button')].filter(b => b.offsetParent).length")
    media()
    note(f"{len(pdf) * 3 // 4} bytes of PDF, {buttons} buttons")
    demand(len(pdf) > 100000 and buttons == 0, "not for paper")


# What WCAG 2.2 AA asks of what is on these pages, by criterion; a list of what is wrong.
WCAG = """
    const wrong = [], say = (rule, e) => wrong.push(rule + ": " + e.outerHTML.slice(0, 90)), all = q => [...document.querySelectorAll(q)];
    document.querySelectorAll("details").forEach(d => d.open = true);
    const seen = e => e.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }) && e.getClientRects().length;
    const ink = color => color.match(/[\\d.]+/g).map(Number), over = (a, b) => [0, 1, 2].map(k => a[k] * (a[3] ?? 1) + b[k] * (1 - (a[3] ?? 1)));
    const ground = e => { const own = e ? ink(getComputedStyle(e).backgroundColor) : [255, 255, 255]; return e && (own[3] ?? 1) < 1 ? over(own, ground(e.parentElement)) : own; };
    const light = c => [0.2126, 0.7152, 0.0722].reduce((s, w, k) => s + w * ((x => x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4)(c[k] / 255)), 0);
    const contrast = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
    let texts = 0;
    for (const e of all("body *")) {
      const style = getComputedStyle(e), svg = e.closest("svg");
      if (!seen(e) || e.disabled || e.closest("#stage, #hint, script, style") || /range|radio|checkbox|file/.test(e.type)
        || ![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()) && !/INPUT|TEXTAREA|SELECT/.test(e.tagName)) continue;
      const box = e.getBoundingClientRect(), rect = svg && e.previousElementSibling?.tagName === "rect" ? e.previousElementSibling : null, around = rect?.getBoundingClientRect();
      const isWithin = rect && getComputedStyle(rect).fill !== "none" && around.bottom > box.bottom && around.right > box.right;
      const below = isWithin ? ink(getComputedStyle(rect).fill) : ground(svg ?? e);
      const size = parseFloat(style.fontSize), least = size >= 24 || size >= 18.66 && style.fontWeight >= 700 ? 3 : 4.5, has = contrast(over(ink(svg ? style.fill : style.color), below), below);
      texts++;
      if (has < least) say("1.4.3 contrast " + has.toFixed(2), e);
    }
    for (const e of all("button, input, select, textarea, a[href], summary, [role=img]"))
      if (!(e.getAttribute("aria-label") || e.textContent.trim() && e.tagName !== "TEXTAREA" && e.tagName !== "SELECT" || [...(e.labels ?? [])].some(l => l.textContent.trim()))) say("4.1.2 no name", e);
    for (const e of all("img:not([alt])")) say("1.1.1 no alternative", e);
    for (const e of all("button, input, select, textarea").filter(seen)) {
      const b = (e.labels?.[0] && /radio|checkbox/.test(e.type) ? e.labels[0] : e).getBoundingClientRect();
      if (b.width && Math.min(b.width, b.height) < 23.5) say("2.5.8 target of " + Math.min(b.width, b.height).toFixed(0), e);
    }
    const heads = all("h1, h2, h3, h4, h5, h6").map(h => +h.tagName[1]);
    if (heads[0] !== 1 || heads.filter(h => h === 1).length !== 1 || heads.some((h, k) => h > heads[k - 1] + 1)) wrong.push("1.3.1 order of headings: " + heads);
    for (const e of all("[tabindex]")) if (e.tabIndex > 0) say("2.4.3 order of focus", e);
    const ids = all("[id]").map(e => e.id);
    if (new Set(ids).size !== ids.length) wrong.push("ids twice: " + ids.filter((x, k) => ids.indexOf(x) !== k));
    if (!document.documentElement.lang || !document.title || all("main").length !== 1) wrong.push("3.1.1, 2.4.2, main");
    return { texts, controls: all("button, input, select, textarea, a[href]").length, heads: heads.length, wrong };
"""
THEMES = [(page, theme) for page in ("guide.html", "index.html", "student.html", "teacher.html", "slides.html")
          for theme in (("dark", "light") if page in ("guide.html", "index.html") else ("light",))]


@case("contrast, names, targets and headings as WCAG 2.2 AA asks, in dark and in light", FIREFOX)
def _():
    for page, theme in THEMES:
        media(prefers_color_scheme=theme)
        open_guide(SERVED + page + ("#n=16&scheme=host" if page == "index.html" else ""))
        found = browser.ask(WCAG)
        note(f"{page}, {theme}: {found['texts']} texts, {found['controls']} controls, {found['heads']} headings, {len(found['wrong'])} wrong")
        demand(not found["wrong"], f"{page}, {theme}: {found['wrong']}")
        demand(found["texts"] >= found["heads"] > 0, "nothing was looked at")
    browser.ask("document.querySelector('h2').style.color = '#333'; document.querySelector('main').append(document.createElement('button'), document.createElement('h5'))")
    found = " ".join(browser.ask(WCAG)["wrong"])
    demand(all(rule in found for rule in ("1.3.1", "4.1.2", "1.4.3")), f"what is wrong is not found: {found}")
    media()


@case("a slide fits a small window, with all of its words and its figure", FIREFOX)
def _():
    open_guide(SERVED + "slides.html")
    right, bottom, width, height = browser.ask("""
        const range = document.createRange(), boxes = [];
        for (const e of document.querySelectorAll("section li, section h2, section svg")) {
            range.selectNodeContents(e);
            boxes.push(e.tagName === "svg" ? e.getBoundingClientRect() : range.getBoundingClientRect());
        }
        const one = document.querySelector("section").getBoundingClientRect();
        return [Math.max(...boxes.map(b => b.right)), one.height, innerWidth, innerHeight];""")
    note(f"words and figures end at {right:.0f} of {width} pixels, a slide has {bottom:.0f} of {height}")
    demand(width < 1920 and 0 < right <= width and 0 < bottom <= height, "it is cut off")


@case("the same by axe-core", ["chromium"] if os.environ.get("LONG") else [])
def _():
    with open(os.environ["AXE"]) as file:
        code = file.read()
    for page, theme in THEMES:
        media(prefers_color_scheme=theme)
        open_guide(SERVED + page)
        browser.command("Runtime.evaluate", expression=code)
        found = browser.command("Runtime.evaluate", awaitPromise=True, returnByValue=True, expression="""axe.run(document, {runOnly: ["wcag2a",
            "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}).then(r => ({passes: r.passes.length, bad: r.violations.map(v =>
            `${v.id}: ${v.nodes.slice(0, 3).map(n => n.html.slice(0, 90)).join(" and ")}`)}))""")["result"]["value"]
        note(f"{page}, {theme}: {found['passes']} rules hold")
        demand(not found["bad"], f"{page}, {theme}: {found['bad']}")
    media()


def hindered(code):
    """The page in a browser that lacks something."""
    added = browser.command("Page.addScriptToEvaluateOnNewDocument", source=code)["identifier"]
    open_guide()
    browser.command("Page.removeScriptToEvaluateOnNewDocument", identifier=added)


@case("without WebGL 2: one sentence, and the questions go on", ["chromium"])
def _():
    hindered("const get = HTMLCanvasElement.prototype.getContext; HTMLCanvasElement.prototype.getContext = function (kind, ...more) { return kind === 'webgl2' ? null : get.call(this, kind, ...more); };")
    said = until("sentence", lambda: browser.text("#notice"))
    note(said)
    demand("no WebGL 2" in said, said)
    browser.enter(".lamps input[type=text]", "4")
    until("answer", lambda: (browser.text(".lamps .answer") or "").startswith("Right."))


@case("without float targets: one sentence, and the chapters with integers run", ["chromium"])
def _():
    hindered("const get = WebGL2RenderingContext.prototype.getExtension; WebGL2RenderingContext.prototype.getExtension = function (name) { return name === 'EXT_color_buffer_float' ? null : get.call(this, name); };")
    said = until("sentence", lambda: browser.text("#notice"))
    note(said)
    demand("no float targets" in said, said)
    Chapter("pairs").changes(lambda: Chapter("pairs").press(*["ArrowDown"] * 8))


@case("a lost context is told, and survived", ["chromium"])
def _():
    hindered("const get = HTMLCanvasElement.prototype.getContext; window.made = []; HTMLCanvasElement.prototype.getContext = function (kind, ...more) { const c = get.call(this, kind, ...more); if (kind === 'webgl2') made.push(c); return c; };")
    pairs = Chapter("pairs")
    browser.ask("(window.loses = made[0].getExtension('WEBGL_lose_context')).loseContext()")
    note(until("sentence", lambda: "taken away" in browser.text("#notice") and browser.text("#notice")))
    browser.ask("loses.restoreContext()")
    note(until("sentence", lambda: "is back" in browser.text("#notice") and browser.text("#notice")))
    pairs.changes(lambda: pairs.press(*["ArrowDown"] * 8))


# ---- the gallery ----

LONG = os.environ.get("LONG")
MAKES = os.environ.get("GALLERY", "")  # where its pictures are kept: `make gallery`, by a browser whose screenshots show what workers draw


def gallery():
    with open(os.path.join(pages, "guide.html")) as file:
        return [(html.unescape(link), name, title) for link, name, title in
                re.findall(r'<a href="(index\.html#[^"]+)"><img src="gallery/(\w+)\.webp"[^>]*>([^<]*)', file.read())]


def opens(link):
    """What it shows once its time has come, and where that is."""
    if browser.is_fit and not (MAKES or LONG):
        until("run", browser.follow(link.partition("#")[2]))
    else:
        open_guide(SERVED + link)
    browser.is_fit = True
    until("lit pixels", lambda: browser.picture_of(browser.box("#view")).lit() > 20)
    time_of = re.search(r"[#&]t=([\d.]+)", link)
    until("its time", lambda: not time_of or float(browser.text("#time") or 0) >= float(time_of[1]) - 0.05)
    if MAKES:
        speed = re.search(r"[#&]speed=([\d.]+)", link)  # for trails, and stars that have left their beginning
        until("five seconds of its clock", lambda: not speed or float(browser.text("#time") or 0) >= 5.4 * float(speed[1]))
        time.sleep(0 if speed else 8)
    demand("The address says" not in (browser.text("#message") or ""), f"{link}: {browser.text('#message')}")
    box = browser.box("#stage")
    return browser.screenshot(), box


@case("each link of the gallery has a picture, and opens what it says", ["firefox"] + ["chromium"] * bool(MAKES or LONG))
def _():
    links, seen = gallery(), {}
    demand(len(links) == 10, f"{len(links)} links")
    for link, name, title in links:
        if MAKES or LONG:
            png, (x, y, width, height) = opens(link)
            note(f"{title}: {browser.decoded(png, (x, y, width, height)).lit()} pixels lit")
        if MAKES:
            subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "png_pipe", "-i", "-", "-vf", f"crop={int(width)}:{int(height)}:{int(x)}:{int(y)},scale=240:-1",
                            "-quality", "60", os.path.join(MAKES, name + ".webp")], input=png, check=True)
            continue
        demand(os.path.getsize(os.path.join(pages, "gallery", name + ".webp")) > 300, f"no picture of {name}")
        if name == "tail" and not LONG:  # which takes as long as all others
            name, link = "tail_few", link.replace("n=1024", "n=256")
        opens("&".join([w for w in link.split("&") if not re.match("(pause|trails)=", w)] + ["pause=1", "trails=0"]))
        until("pause", lambda: browser.text("#pause") == "Go on")
        browser.ask("document.querySelector('#hint').style.display = 'none'")  # it goes after some seconds
        seen["gallery_" + name] = steady("#stars")
    if not MAKES:
        as_golden(seen)


def main():
    global browser
    browser = begin(kind, 1100, 760)
    try:
        open_guide()
        return run_all(browser, [c for c in cases if only in c[0]], os.path.join(pages, kind + "_guide_{}.png"))
    finally:
        browser.close()


if __name__ == "__main__":
    sys.exit(main())
