#!/usr/bin/env python3
"""check_exact.py SHADER...: exact arithmetic that a compiler may simplify. What a sum or a product loses to rounding is zero in
school algebra, so each of its steps is the value of a `precise` variable. Checked are

  - functions whose name says that they are exact (NAMES), or whose comment begins with `Exact`: no arithmetic of floats but in
    `precise` variables
  - as_written(), which stands for `precise` where GLSL lacks it: only there, too
  - what a conversion lost, a - dvec3(vec3(a)), anywhere

Each mistake is a line FILE:LINE: sentence."""
import pathlib, re, sys

NAMES = re.compile(r"exact_\w+|(quick_)?two_sum|low_of|halves|product_error|normal|plus|minus|times|add|carry")
FUNCTION = re.compile(r"^(?:\w+) (\w+)\([^()]*\) \{", re.M)
FLOATS = r"(?:real|float|double|vec|dvec)[234]?"
OF_INTEGERS = re.compile(r"^(u?int|[ui]vec[234]|bool)\b|^for \(int")
ARITHMETIC = re.compile(r"[\w)\]] ?[-+*/] ?[\w(.-]|\b(fma|mad|sqrt|inversesqrt|dvec[234]|double)\(")
ROUND_TRIP = re.compile(r"\b(\w+) - d?\w+\((?:d?vec[234]|float|double)\(\1\)\)")


def body_of(text, at):
    depth, end = 1, at
    while depth:
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        end += 1
    return text[at:end - 1]


def is_named_exact(name, lines, line):
    comment = []
    while line > 0 and lines[line - 1].startswith("//"):
        line -= 1
        comment.insert(0, lines[line])
    return NAMES.fullmatch(name) or (comment and comment[0].startswith("// Exact"))


def mistakes(body, is_exact):
    """The statements of a body that should be precise: (offset, what is wrong)."""
    precise, at = set(), 0
    for statement in re.split(r"[;{}]", body):
        start, text = at, " ".join(statement.split())
        at += len(statement) + 1
        name = re.match(rf"(precise )?(?:{FLOATS} )?(\w+)(\.\w+|\[\w+\])? ?([-+*]?=) ", text)
        if name and name[1]:
            precise |= set(re.findall(r"(\w+) = ", text))
        if name and (name[1] or name[2] in precise):
            continue
        adds_a_rest = name and name[4] == "+=" and re.fullmatch(r"\w+ \+= (\w+)", text) and text.split()[-1] in precise
        if adds_a_rest or OF_INTEGERS.match(text):
            continue
        if "as_written(" in text:
            yield start, "as_written() outside of a precise variable"
        elif is_exact and ARITHMETIC.search(text):
            yield start, f"a step of an exact function that is not precise: {text}"


bad = False
for file in sys.argv[1:]:
    text = pathlib.Path(file).read_text()
    lines = text.split("\n")
    bare = re.sub(r"//.*|^ *#.*", lambda found: " " * len(found[0]), text, flags=re.M)

    def say(at, what):
        global bad
        bad = True
        print(f"{file}:{bare.count(chr(10), 0, at) + 1}: {what}")

    for found in FUNCTION.finditer(bare):
        if found[1] == "as_written":
            continue
        is_exact = is_named_exact(found[1], lines, bare.count("\n", 0, found.start()))
        for at, what in mistakes(body_of(bare, found.end()), is_exact):
            at += found.end()
            say(at + len(bare[at:]) - len(bare[at:].lstrip()), what)
    for found in ROUND_TRIP.finditer(bare):
        if not bare[bare.rfind("\n", 0, found.start()):found.start()].lstrip().startswith("precise"):
            say(found.start(), f"a compiler may take this for zero: {found[0]}")
sys.exit(bad)
