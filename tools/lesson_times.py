#!/usr/bin/env python3
"""lesson_times.py PAGES PROGRAM >src/web/lesson_times.txt: goes through the class twice with a watch: each chapter's drags, clicks and
answers in both browsers (tests/web/guide.py), and its commands, a window until it has shown a picture."""
import os, re, subprocess, sys, time

pages, program = sys.argv[1:3]
CHAPTERS = ["lamps", "pairs", "passes", "sum", "bag", "predict", "score", "energy", "pictures"]
DISPLAY = ["xvfb-run", "-a", "-s", "-screen 0 1300x1000x24"]


def of_pages(kind):
    """Seconds of each chapter: the tests are in the order of the page; the fourth is of an error."""
    words = ([] if kind == "chromium" else DISPLAY) + ["tests/web/guide.py", kind, pages]
    text = subprocess.run(words, stdout=subprocess.PIPE, text=True).stdout
    seconds = [(name, float(s)) for s, name in re.findall(r"^# ([\d.]+) s; since.*\n(?:not )?ok \d+ (.*)", text, re.M)]
    begins = dict(zip(CHAPTERS, ("two lamps", "a pair is", "passes:", "the sum that", "a bag:", "predict and", "a score", "energy, the")))
    return {c: next(s for name, s in seconds if name.startswith(words)) for c, words in begins.items()}


def of_commands():
    found, chapter = dict.fromkeys(CHAPTERS, 0.0), ""
    with open("shaders/lesson.txt") as file:
        lines = file.read().split("\n")
    for line in lines:
        chapter = line.split()[1] if line.startswith("= ") else chapter
        if chapter in found and re.match(r"    (cp|HB_\w+=\S+|build/holmberg) ", line):
            command = re.sub(r"build/holmberg", os.path.abspath(program), re.sub(r"^cp -r", "cp -rT", line.strip()))
            if " view " in command and "--record" not in command:
                command = "echo frames 1 >build/first.txt; " + command + " --script build/first.txt"
            begun = time.monotonic()
            subprocess.run([*DISPLAY, "sh", "-c", command], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            found[chapter] += time.monotonic() - begun
    return found


if __name__ == "__main__":
    print("# chapter, then seconds, twice each: its page in Chromium, in Firefox, its commands in a terminal")
    walks = [walk for kind in ("chromium", "firefox") for walk in (of_pages(kind), of_pages(kind))] + [of_commands(), of_commands()]
    for name in CHAPTERS:
        print(name, *(f"{walk[name]:.1f}" if name in walk else "-" for walk in walks))
