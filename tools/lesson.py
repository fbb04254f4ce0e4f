#!/usr/bin/env python3
"""lesson.py KIND: prints what is made of shaders/lesson.txt: lesson (shaders/LESSON.md), guide, student, teacher or slides (HTML).
Runs in the repository's root."""
import base64, csv, hashlib, html, json, pathlib, re, sys

from slides import FIGURES, sums

MARKS = ("page", "class", "canvas", "do", "learn", "edit", "ask", "value", "choice", "why", "hint", "q", "a", "wrong", "slide")
GLSL = """fullscreen.vert cg2007/acc_jerk_pot.frag common/outputs.glsl common/layout.glsl common/sources.glsl common/real.glsl common/wide.glsl
interactions/gravity_jerk.glsl pairs/bag.frag pairs/matrix_pair.frag hermite/particle.glsl hermite/predict.glsl hermite/predict.frag
hermite/correct.glsl hermite/correct.frag""".split()


def refuse(number, why):
    sys.exit(f"shaders/lesson.txt:{number}: {why}")


def shader(name):
    return pathlib.Path("shaders", name).read_text()


def cut(file, first, last, number):
    """The lines of a file from the one that begins with `first` to the one that has `last`."""
    lines = shader(file).split("\n")
    begin = [k for k, line in enumerate(lines) if line.strip().startswith(first.strip())]
    end = [k for k, line in enumerate(lines) if begin and k >= begin[-1] and last.strip() in line]
    if not end:
        refuse(number, f"{file} has no lines from {first!r} to {last!r}")
    return begin[-1] + 1, "\n".join(lines[begin[-1]:end[0] + 1])


class Chapter:
    def __init__(self, number, text):
        self.number, parts = number, [part.strip() for part in text.split("|")]
        if len(parts) != 3:
            refuse(number, f"`= {text}`; expected key | title | from - to")
        self.key, self.title, self.minutes = parts
        self.parts = []  # (mark or "text" or "command", text, line)

    def all(self, *marks):
        return [text for mark, text, _ in self.parts if mark in marks]

    def one(self, mark):
        return (self.all(mark) or [""])[0]


def read():
    chapters = []
    for number, line in enumerate(pathlib.Path("shaders/lesson.txt").read_text().split("\n"), 1):
        mark, colon, rest = line.partition(":")
        if line.startswith("= "):
            chapters.append(Chapter(number, line[2:]))
        elif not chapters:
            continue
        elif line.startswith("    "):
            chapters[-1].parts.append(("command", line, number))
        elif colon and mark in MARKS:
            chapters[-1].parts.append((mark, rest.strip(), number))
        elif line.strip():
            chapters[-1].parts.append(("text", line, number))
        else:
            chapters[-1].parts.append(("gap", "", number))
    return chapters


# ---- Markdown ----

def lesson(chapters):
    """Questions without answers: those are on the teacher's sheet."""
    out = ["# A lesson of 90 minutes: how pixels became a parallel computer", "",
           "For a class that knows C and Newton's law, and no graphics. Each pair of students needs a computer with the program built (`make`), or "
           "`build/web/guide.html` of `make web`, where every chapter has a picture to drag and a line to change; no GPU. `make web` also "
           "makes `student.html` (questions), `teacher.html` (answers, times, common mistakes) and `slides.html` beside it. "
           "[README.md](README.md) explains what is asked. `tools/lesson.py` makes this of `lesson.txt`.", ""]
    for c in chapters:
        out += [f"## {c.minutes}: {c.title}" if c.key != "hero" else f"## {c.title}", ""]
        before = "gap"
        for mark, text, _ in c.parts:
            if mark in ("text", "class", "command"):
                is_table = text.startswith("|")
                as_before = before == ("table" if is_table else mark) and mark != "class" or is_table and before == "table"
                if out[-1] and not as_before:
                    out.append("")
                out.append(text)
                before = "table" if is_table else mark
            elif mark == "gap" and out[-1]:
                out.append("")
        questions = [c.one("ask")] * bool(c.one("ask")) + c.all("q")
        if questions and out[-1]:
            out.append("")
        out += [f"{k}. *{text}*" for k, text in enumerate(questions, 1)]
        if out[-1]:
            out.append("")
    out += ["## With the page", "",
            "In [the page](../src/cli/README.md#in-a-browser), for the commands:", "",
            "- `view holmberg1941`: `index.html#model=holmberg1941`",
            "- `--inspect --paused`: `index.html#model=holmberg1941&scheme=cg2007&textures=1`, and `o` after *Start over*",
            "- `]`: *Model*; `a`: *Play passes*; `--record`: *Movie*",
            "- an editor, `HB_SHADER_DIR`: *Shader*; `patch`: *Exercises*; `bench force --check`: *Compare with double*"]
    return wrap("\n".join(out)) + "\n"


def wrap(text, width=130):
    lines = []
    for line in text.split("\n"):
        if len(line) > width and not line.startswith(("    ", "|", "#")):
            words, row, hang = line.split(" "), "", "   " if re.match(r"\d+\. ", line) else ""
            for word in words:
                if row.strip() and len(row) + 1 + len(word) > width:
                    lines.append(row)
                    row = hang + word
                else:
                    row = f"{row} {word}" if row else word
            lines.append(row)
        else:
            lines.append(line)
    return "\n".join(lines)


# ---- HTML ----

def inline(text):
    text = html.escape(text, quote=False)
    text = re.sub(r"`([^`]*)`", r"<code>\1</code>", text)
    text = re.sub(r"\*\*([^*]*)\*\*", r"<strong>\1</strong>", text)
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)


def element(name, text):
    return f"<{name}>{text}</{name}>"


def question(c):
    value, choices = c.one("value"), c.all("choice")
    number, within = (value.split() + ["0"])[:2] if not choices else (value, "0")
    body = "".join(f'<label class="choice"><input type="radio" name="{c.key}" value="{html.escape(x)}"> {inline(x)}</label>' for x in choices)
    legend = inline(c.one("ask"))
    field = body or f'<label>Your answer <input type="text" inputmode="decimal" autocomplete="off" size="9"></label>'
    return (f'<form class="question" data-value="{html.escape(number)}" data-within="{within}" data-why="{html.escape(c.one("why"))}" '
            f'data-hint="{html.escape(c.one("hint"))}"><fieldset><legend>{legend}</legend>{field} <button>Check</button>'
            f'<p class="answer" role="status" aria-live="polite"></p></fieldset></form>')


def editor(c):
    edits = [(text, number) for mark, text, number in c.parts if mark == "edit"]
    if not edits:
        return "", ""
    parts = [part.strip() for part in edits[0][0].split(" | ")]
    if len(parts) != 6:
        refuse(edits[0][1], "expected edit: file | first | last | line | better | why")
    file, first, last, line, better, why = parts
    start, text = cut(file, first, last, edits[0][1])
    if line not in text:
        refuse(edits[0][1], f"{file}: no line {line!r} between the two")
    data = f' data-file="{file}" data-line="{html.escape(line)}" data-better="{html.escape(better)}"'
    rows = text.count("\n") + 1
    ids = f"code_{c.key}"
    return data, (f'<div class="editor"><p>{inline(why)}</p><label for="{ids}"><code>{file}</code>, from line {start}</label>'
                  f'<textarea id="{ids}" spellcheck="false" autocapitalize="off" autocomplete="off" rows="{rows}" wrap="off">{html.escape(text)}</textarea>'
                  f'<p class="said" role="status" aria-live="polite"></p>'
                  f'<div class="row"><button type="button" class="try">Change the line for me</button> <button type="button" class="undo">Undo</button></div></div>')


def chapter_html(k, c):
    data, code = editor(c)
    text = "".join(element("p", inline(t)) for t in c.all("text", "page"))
    heading = f"<h1>{inline(c.title)}</h1>" if c.key == "hero" else f'<h2 id="{c.key}"><span class="number">{k}</span> {inline(c.title)}</h2>'
    ask = question(c) if c.one("ask") else ""
    return (f'<section data-chapter="{c.key}" class="{c.key}"{data}>{heading}{text}<p class="do">{inline(c.one("do"))}</p>'
            f'<figure><canvas role="img" tabindex="0" aria-label="{html.escape(c.one("canvas"))} Arrow keys move it."></canvas>'
            f'<div class="controls"></div><output></output></figure>{ask}{code}</section>\n')


def bare(name, chapters):
    """A shader as the page compiles it: lines of comments are empty but where a chapter shows them, so that all keep their numbers."""
    lines, shown = shader(name).split("\n"), set()
    for c in chapters:
        parts = [part.strip() for part in c.one("edit").split(" | ")]
        if parts[0] == name:
            first, text = cut(*parts[:3], c.number)
            shown.update(range(first - 1, first + text.count("\n")))
    return "\n".join(line if k in shown or not line.lstrip().startswith("//") else "" for k, line in enumerate(lines))


def policy(scripts, style):
    digest = lambda text: "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"
    return (f"default-src 'none'; script-src {' '.join(map(digest, scripts))}; style-src {digest(style)}; img-src 'self' data:; "
            "base-uri 'none'; form-action 'none'")


def gallery():
    path = pathlib.Path("src/web/gallery.txt")
    rows = [[part.strip() for part in line.split("|")] for line in path.read_text().split("\n") if line.count("|") == 2 and not line.startswith("#")]
    tiles = "".join(f'<li><a href="index.html#{html.escape(link)}"><img src="gallery/{name}.webp" alt="" width="240" height="150" loading="lazy">{inline(title)}</a></li>'
                    for name, title, link in rows)
    return f'<section id="gallery"><h2>Ten links to go on with</h2><p>Each opens the workbench. What you change there becomes part of its address: send it on.</p><ul class="gallery">{tiles}</ul></section>'


def guide(chapters):
    style = pathlib.Path("src/web/guide.css").read_text()
    shown = [c for c in chapters if c.one("canvas")]
    files = "const FILES = " + json.dumps({name: bare(name, chapters) for name in GLSL}, ensure_ascii=False).replace("</", "<\\/") + ";\n"
    code = pathlib.Path("src/web/guide.js").read_text()
    contents = "".join(f'<li><a href="#{c.key}">{inline(c.title)}</a> <span>{inline(c.one("learn"))}</span></li>' for c in shown[1:])
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="dark light">
<meta http-equiv="Content-Security-Policy" content="{policy([files, code], style)}">
<title>Gravity from pixels</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
<main>
<p id="notice" role="status" aria-live="polite"></p>
{chapter_html(0, shown[0])}<nav aria-label="Chapters"><ol>{contents}</ol></nav>
{''.join(chapter_html(k, c) for k, c in enumerate(shown) if k)}{gallery()}
<footer><p>Every number on this page was computed by the shaders that it shows. <a href="index.html">The workbench</a> has all of them.</p></footer>
</main>
<script>{files}</script>
<script>{code}</script>
</body>
</html>
"""


SHEET = """body{max-width:48rem;margin:2rem auto;padding:0 1rem;font:17px/1.5 Georgia,serif;color:#111;background:#fff}h1,h2{line-height:1.2}
code,pre{font:0.9em ui-monospace,monospace}pre{background:#f2f2f2;padding:.5rem;overflow-x:auto}.line{border-bottom:1px solid #777;height:2.2rem}
.wrong{color:#8a1f00}table{border-collapse:collapse;margin-bottom:1rem;display:block;overflow-x:auto;font-size:.8rem}.plan td,.plan th{padding:.2rem .35rem}td,th{border:1px solid #999;padding:.2rem .6rem;text-align:left}
@media print{h2{break-after:avoid}li,tr{break-inside:avoid}table{display:table}}"""


def sheet(title, body):
    return (f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
            f'<title>{title}</title><style>{SHEET}</style></head><body><main><h1>{title}</h1>\n{body}</main></body></html>\n')


def asked(c):
    """Questions with their answers, the page's own first."""
    pairs, answers = [], iter(c.all("a"))
    if c.one("ask"):
        value = c.one("value").split()[0] if not c.all("choice") else c.one("value")
        pairs.append((c.one("ask") + "".join(f" ({x})" for x in c.all("choice")), f"{value}. {c.one('why')}"))
    return pairs + [(q, next(answers)) for q in c.all("q")]


def student(chapters):
    body = ""
    for c in chapters:
        if asked(c):
            body += element("h2", inline(c.title)) + "<ol>" + "".join(f'<li>{inline(q)}<div class="line"></div></li>' for q, _ in asked(c)) + "</ol>"
    return sheet("Gravity from pixels: questions", body)


def times():
    """The head of data/measured/lesson.csv, without its mark, and its rows: where, chapter, step, seconds of the first walk, of the second."""
    head, *lines = pathlib.Path("data/measured/lesson.csv").read_text().split("\n")
    return head[2:], [(*row[:3], float(row[3]), float(row[4])) for row in csv.reader(lines[1:]) if row]


def reading(c):
    """Minutes at 200 words a minute: what a student reads of a chapter, its questions, and the teacher's part with the answers."""
    marks = ("text", "page", "class", "do", "edit", "ask", "choice", "why", "q", "a", "wrong")
    return sum(len(text.split()) for mark, text, _ in c.parts if mark in marks and not text.startswith("|")) / 200


def typing(c):
    """Minutes at three characters a second: the commands, as they are printed."""
    return sum(len(line.strip()) for line in c.all("command") if re.match(r" +(cp|HB_\w+=\S+|build/holmberg) ", line)) / 3 / 60


PLACES = {"terminal": "Commands", "chromium": "Chromium", "firefox": "Firefox"}


def walked(chapter, rows):
    """What was done in a chapter, a row a step: seconds of both walks, in each browser and in the terminal."""
    own = [row for row in rows if row[1] == chapter]
    line = lambda cells: "<tr>" + "".join(element("td", x) for x in cells) + "</tr>"
    cell = lambda a, b: f"{a:.1f} s, {b:.1f} s"
    commands = "".join(line([f"<code>{html.escape(what)}</code>", cell(a, b)]) for where, _, what, a, b in own if where == "terminal")
    pages = {}
    for where, _, what, a, b in own:
        if where != "terminal":
            kept = pages.setdefault(where, [])
            kept.append((what, cell(a, b)))
    steps = "".join(line([html.escape(what), one, other]) for (what, one), (_, other) in zip(pages.get("chromium", []), pages.get("firefox", [])))
    head = lambda *names: "<tr>" + "".join(element("th", name) for name in names) + "</tr>"
    return ((f'<table class="commands">{head("in a terminal", "twice")}{commands}</table>' if commands else "")
            + (f'<table class="page">{head("on the page", "Chromium, twice", "Firefox, twice")}{steps}</table>' if steps else ""))


def teacher(chapters):
    (about, rows), shown = times(), [c for c in chapters if c.key != "hero"]
    body = ("<p>Minutes are planned. Reading and typing are <em>estimated</em>, 200 words a minute and three characters a second, answers and mistakes "
            "included. Waiting is <em>measured</em>: a script went through the class twice with a watch, every command, key, drag, click and answer, the "
            "sum of a chapter's steps by the slower browser and the slower walk. What is left of the plan is for thinking and talk.</p>"
            f"<p>Measured {html.escape(about)}.</p>"
            "<table class=\"plan\"><tr><th>minutes</th><th>chapter</th><th>reading</th><th>typing</th><th>commands, twice</th><th>Chromium, twice</th>"
            "<th>Firefox, twice</th><th>left</th></tr>")
    total = [0, 0, 0, 0]
    for c in shown:
        begin, end = map(int, c.minutes.split(" - "))
        sums = {place: [sum(row[walk] for row in rows if row[:2] == (place, c.key)) for walk in (3, 4)] for place in PLACES}
        machine = (max(sums["terminal"]) + max(sums["chromium"] + sums["firefox"])) / 60
        left = end - begin - reading(c) - typing(c) - machine
        total = [a + b for a, b in zip(total, (reading(c), typing(c), machine, left))]
        body += (f"<tr><td>{c.minutes}</td><td>{inline(c.title)}</td><td>{reading(c):.1f} min</td><td>{typing(c):.1f} min</td>"
                 + "".join(f"<td>{a:.1f} s, {b:.1f} s</td>" if a else "<td>-</td>" for a, b in sums.values()) + f"<td>{left:.1f} min</td></tr>")
    body += (f"</table><p>In all {total[0]:.0f} minutes of reading, {total[1]:.0f} of typing, at most {total[2]:.0f} of waiting for the machine if everything "
             f"is done both in a terminal and on the page, and {total[3]:.0f} for thinking and talk.</p>")
    for c in shown:
        body += element("h2", f"{c.minutes}: {inline(c.title)}")
        commands = "\n".join(line.strip() for line in c.all("command"))
        body += "".join(element("p", inline(t)) for t in c.all("class") if not t.startswith("|"))
        if commands:
            body += f"<pre tabindex='0'>{html.escape(commands)}</pre>"
        if c.one("edit"):
            parts = c.one("edit").split(" | ")
            body += f"<p>On the page: {inline(parts[5])} In <code>{parts[0]}</code>: <code>{html.escape(parts[4].strip())}</code></p>"
        body += "<ol>" + "".join(f"<li>{inline(q)}<br><strong>{inline(a)}</strong></li>" for q, a in asked(c)) + "</ol>"
        body += "".join(f'<p class="wrong">Common mistake: {inline(t)}</p>' for t in c.all("wrong"))
        body += walked(c.key, rows)
    return sheet("Gravity from pixels: for the teacher", body)


SLIDES = """:root{--u:calc(min(100vw,100vh*16/9)/1920)}*{box-sizing:border-box}body{margin:0;overflow-x:hidden;background:#121218;color:#e6e6ec;font:calc(40*var(--u))/1.4 system-ui,sans-serif}
section{width:calc(1920*var(--u));height:calc(1080*var(--u));padding:calc(90*var(--u)) calc(120*var(--u));margin:auto;break-after:page;
position:relative;overflow:hidden}h2{font-size:calc(76*var(--u));margin:0 0 calc(40*var(--u))}li{margin-bottom:calc(18*var(--u))}
svg{position:absolute;left:calc(120*var(--u));bottom:calc(60*var(--u));width:calc(1680*var(--u));height:auto;font:26px ui-monospace,monospace}
.q{color:#ffd27a}@media print{:root{--u:1px}}
@page{size:1920px 1080px;margin:0}"""
def slides(chapters):
    body = ""
    for c in chapters:
        if c.all("slide"):
            ask = f'<p class="q">{inline(c.one("ask"))}</p>' if c.one("ask") else ""
            picture = FIGURES[c.key]() if c.key in FIGURES else ""
            body += f'<section><h2>{inline(c.title)}</h2><ul>{"".join(element("li", inline(t)) for t in c.all("slide"))}</ul>{ask}{picture}</section>\n'
            if c.key == "passes":
                body += "".join(f"<section><h2>Pass {p} of 6</h2><p>Star k feels star k + {p}; the color is the sum so far.</p>{sums(p)}</section>\n" for p in (1, 2, 6))
    return (f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Gravity from pixels: slides</title><style>{SLIDES}</style></head>'
            f"<body><main><h1 hidden>Gravity from pixels</h1>\n{body}</main></body></html>\n")


KINDS = {"lesson": lesson, "guide": guide, "student": student, "teacher": teacher, "slides": slides}

if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in KINDS:
        sys.exit("usage: lesson.py " + "|".join(KINDS))
    sys.stdout.write(KINDS[sys.argv[1]](read()))
