#!/usr/bin/env python3
"""sheet.py TEACHER LESSON LESSON_CSV: the teacher's sheet prints the seconds that were measured, all of them, and the class fits."""
import csv, html, html.parser, re, sys

PLACES = ("terminal", "chromium", "firefox")
STEPS = ["scroll there", "drag", "change the line", "undo", "wrong answer", "right answer"]


class Tables(html.parser.HTMLParser):
    """Rows of cells of each table, below the heading before it."""

    def __init__(self, text):
        super().__init__()
        self.heading, self.found, self.cell = "", [], None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        if tag == "table":
            self.found.append((self.heading, dict(attributes).get("class"), []))
        elif tag == "tr":
            self.found[-1][2].append([])
        if tag in ("td", "h2"):
            self.cell = ""

    def handle_data(self, data):
        if self.cell is not None:
            self.cell += data

    def handle_endtag(self, tag):
        if tag == "h2":
            self.heading = self.cell.split(": ", 1)[1]
        elif tag == "td":
            self.found[-1][2][-1].append(self.cell)
        if tag in ("td", "h2"):
            self.cell = None


def twice(rows):
    return f"{sum(float(r[3]) for r in rows):.1f} s, {sum(float(r[4]) for r in rows):.1f} s" if rows else "-"


def wrong(text, rows, titles):
    """What the sheet says otherwise than the data."""
    tables, found = Tables(text).found, []
    _, kind, plan = tables[0]
    for (key, title), row in zip(titles.items(), plan[1:]):
        sums = [twice([r for r in rows if r[:2] == [place, key]]) for place in PLACES]
        if kind != "plan" or row[1] != title or row[4:7] != sums:
            found.append(f"{title}: {row[1:7]} for {sums}")
        own = {kind: cells[1:] for heading, kind, cells in tables[1:] if heading == title}
        of = lambda place: [(r[2], twice([r])) for r in rows if r[:2] == [place, key]]
        expected = {"commands": [list(r) for r in of("terminal")], "page": [[*a, b[1]] for a, b in zip(of("chromium"), of("firefox"))]}
        found += [f"{title}, {kind}: {own.get(kind, [])} for {cells}" for kind, cells in expected.items() if own.get(kind, []) != cells]
    return found


def main():
    sheet, lesson, data = (open(name, encoding="utf-8").read() for name in sys.argv[1:])
    titles = {key: title for key, title, minutes in re.findall(r"^= (\w+) \| (.*) \| (.*)$", lesson, re.M) if key != "hero"}
    head, *lines = data.split("\n")
    rows = list(csv.reader(lines[1:]))[:-1] if not lines[-1] else list(csv.reader(lines[1:]))
    rows = [r for r in rows if r]
    bad = wrong(sheet, rows, titles)
    about = head.split("; ", 1)[1]
    if about not in html.unescape(sheet):
        bad.append(f"the machine is not named: {about}")
    number = next(r[3] for r in rows if r[0] == "firefox")  # what the test would miss, if it looked at nothing
    if not wrong(sheet.replace(f"{number} s", f"{float(number) + 1:.1f} s", 1), rows, titles):
        bad.append("a changed number is not found")

    # All that the lesson has was done: each command, and each step of each chapter of the page.
    done = {place: [(r[1], r[2]) for r in rows if r[0] == place] for place in PLACES}
    for key, part in re.findall(r"^= (\w+) \|.*\n((?:(?!= ).*\n)*)", lesson, re.M):
        commands = re.findall(r"^    ((?:cp|HB_\w+=\S+|build/holmberg) .*)", part, re.M)
        as_installed = lambda c: re.sub(r"^cp -r shaders ", "cp -r /usr/share/doc/holmberg/shaders ", c).replace("build/", "")
        bad += [f"{key}: nobody did {c}" for c in commands if (key, as_installed(c)) not in done["terminal"]]
        for place in ("chromium", "firefox"):
            steps = [what for chapter, what in done[place] if chapter == key]
            if key != "hero" and "\nedit:" in part:
                bad += [f"{key}: {place} without {what}" for what in STEPS if what not in steps]
    bad += [f"no exercise {k}" for k in (1, 2, 3) if ("energy", f"exercise {k}") not in done["terminal"]]

    # And it fits.
    plan = Tables(sheet).found[0][2][1:]
    end = 0
    for row in plan:
        begins, ends = map(int, row[0].split(" - "))
        left = float(row[7].split()[0])
        print(f"# {row[0]} {row[1]}: commands {row[4]}; Chromium {row[5]}; Firefox {row[6]}; left {left} min")
        if begins != end or left < 0:
            bad.append(f"{row[1]} does not fit: {row}")
        end = ends
    if end != 90 or len(plan) != len(titles):
        bad.append(f"{len(plan)} chapters to minute {end}")
    print(f"# {len(rows)} steps, each twice")
    print("\n".join(bad), end="")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
