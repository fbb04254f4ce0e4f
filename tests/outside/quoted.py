#!/usr/bin/env python3
"""Whether the numbers that README.md and data/README.md quote are those of the files in data/: quotes.json says which row of a
table quotes which records, quotes.py how the numbers of sentences follow. quoted.py ROOT prints each number that differs, each
that nobody compares and that does not look like a size, a date or a parameter, and the count of those compared. A number is
right if that of the data, rounded to its digits, is the same."""
import csv
import json
import os
import re
import subprocess
import sys

import quotes


def records(path):
    with open(path, encoding="utf-8") as file:
        if path.endswith(".jsonl"):
            return [json.loads(line) for line in file if line.strip()]
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def find(rows, wanted, field):
    """The numbers of all records that match: of several runs one is quoted."""
    found = [row for row in rows if all(str(row.get(key)) == str(value) for key, value in wanted.items())]
    return [float(row[field]) for row in found if row.get(field) not in (None, "")]


def digits(cell):
    mantissa = cell.lower().split("e")[0].replace(".", "").lstrip("-0")
    return max(1, len(mantissa))


def is_right(cell, value):
    places = digits(cell)
    near = [f"{value:.{places - 1}e}"]
    if "." not in cell and cell.endswith("0") and "e" not in cell:  # 4068 or 4070: zeros at the end may be places or digits
        near += [f"{value:.{d}e}" for d in range(places)]
    return any(abs(float(text) - float(cell)) <= 1e-9 * abs(float(cell)) for text in near)


def check(root, quote):
    rows = records(os.path.join(root, "data", quote["data"]))
    text = open(os.path.join(root, quote["in"]), encoding="utf-8").read().split("\n")
    lines = [line for line in text if line.startswith(quote["row"])]
    bad, compared = [], 0
    if len(lines) != 1:
        return [f"{quote['in']}: {len(lines)} rows start with {quote['row']!r}"], 0
    cells = [cell.strip() for cell in lines[0][len(quote["row"]):].split("|")]
    for cell, record in zip(cells, quote["records"]):
        for number, one in zip(cell.replace("**", "").split(quote.get("separator", ", ")), record if isinstance(record, list) else [record]):
            if not number or one is None:
                continue
            values = find(rows, {**quote.get("where", {}), **one}, quote["field"])
            compared += 1
            if not any(is_right(number, value * quote.get("scale", 1)) for value in values):
                bad.append(f"{quote['in']}: {quote['row']!r}: {number} is quoted, {quote['data']} has {values}")
    return bad, compared


class Data:
    """The files in data/ of a root."""

    def __init__(self, root):
        self.root = os.path.join(root, "data")
        self.told = self.memory = None

    def rows(self, path, **wanted):
        same = lambda a, b: str(a) == str(b) or (isinstance(b, float) and float(a) == b)
        return [row for row in records(os.path.join(self.root, path)) if all(key in row and same(row[key], value) for key, value in wanted.items())]

    def column(self, path, field, scale=1, **wanted):
        found = [row[field] for row in self.rows(path, **wanted) if row.get(field) not in (None, "")]
        if not found:
            raise KeyError(f"{path} has no {field} with {wanted}")
        return [float(value) * scale for value in found] if field != "n" else found

    def one(self, path, field, **wanted):
        found = self.column(path, field, **wanted)
        if len(set(found)) != 1:
            raise KeyError(f"{path} has {len(set(found))} of {field} with {wanted}")
        return found[0]

    def said(self, path, words):
        """The number in place of {} in a notebook, of numbers that stand in no table of their own."""
        return float(numbers_in(open(os.path.join(self.root, path), encoding="utf-8").read(), words, path)[0])

    def run_info(self, *options):
        return subprocess.run([os.environ["HOLMBERG"], "info", "-n", "65536", *options], stdout=subprocess.PIPE, check=True, text=True).stdout

    def info(self, words):
        """The number in place of {} in what `holmberg info` says."""
        self.told = self.told or self.run_info()
        return float(numbers_in(self.told, words, "holmberg info")[0])

    def bytes_of(self, scheme, precision):
        """On the host, a particle."""
        self.memory = self.memory or json.loads(self.run_info("--json"))["memory"]
        return [int(row["host_particle"]) for row in self.memory if (row["scheme"], row["precision"]) == (scheme, precision)]


NUMBER = r"(\d+(?:\.\d+)?(?:e-?\d+)?)"


def spots(text, words, where):
    pattern = NUMBER.join(re.escape(part).replace("\\ ", "\\s+").replace("\\\n", "\\s+") for part in words.split("{}"))
    found = list(re.finditer(pattern, text))
    if len(found) != 1:
        raise KeyError(f"{where} says {len(found)} times: {words}")
    return found[0]


def numbers_in(text, words, where):
    return spots(text, words, where).groups()


def is_quoted(text, value):
    return any(is_right(text, abs(one)) for one in (value if isinstance(value, list) else [value]))


# What is no result: dates, links, code, commits, papers, sizes and parameters of a run, versions, machines.
NO_RESULT = (r"\b(?:1 / r|N - 1|H200|8800GTX|\d+ cores|from \d{4} on)\b|\b(?:8192|16384|32768|65536|262144|1048576)\b|"
             r"20\d\d-\d\d-\d\d(?: and \d\d|, \d\d)?|\]\([^)]*\)|`[^`]*`|\b[0-9a-f]{7,8}\b|\[(?:PZ07|NHP07|HI07)\][^;|~\n]*|\b\d{4}\b|10\^\d+"
             r"|\b(?:N|t|eps|nu|e|a) =\s+[\d./^e-]+(?: (?:to|\.\.\.) [\d./^]+)?|\b(?:eps|eta|section|Table|Fig\.|eqs|driver|OpenGL|OpenGL ES|Mesa) [\d./e^-]+(?: to \d+)?"
             r"|\d+ of (?:its )?\d{3,}|\b\d+ (?:periods|threads|orbits|minutes|lamps|particles|multiprocessors)|0\.1/2\^8|N\^0\.\d+|\| 1 \| 16 \| 64 \| 256 \|")


def unquoted(text, covered):
    """Lines with numbers that no quote covers."""
    text = list(text)
    for begin, end in covered:
        text[begin:end] = "~" * (end - begin)  # lines stay apart where a row is a quote
    text = re.sub(r"```.*?```|^    .*?$|^- `[^\n]*(?:\n  [^\n]*)*|## References.*", " ", "".join(text), flags=re.S | re.M)
    return [line for line in re.sub(NO_RESULT, " ", text).split("\n") if re.search(r"(?<![\w^.-])\d", line)]


def check_sentences(root, rows):
    data, texts, bad, compared, covered = Data(root), {}, [], 0, {}
    for name in (quotes.README, quotes.RESULTS):
        texts[name] = open(os.path.join(root, name), encoding="utf-8").read()
        covered[name] = [(m.start(), m.end()) for row in rows[name] for m in re.finditer("^" + re.escape(row) + ".*", texts[name], flags=re.M)]
    for name, words, values in quotes.quotes(data):
        spot = spots(texts[name], words, name)
        if len(spot.groups()) != len(values):
            raise KeyError(f"{len(values)} values for {words}")
        covered[name].append(spot.span())
        compared += len(values)
        bad += [f"{name}: {words!r}: {number} is quoted, the data have {value}" for number, value in zip(spot.groups(), values) if not is_quoted(number, value)]
    for name, text in texts.items():
        bad += [f"{name}: nobody compares the numbers of: {line.strip()}" for line in unquoted(text, covered[name])]
    return bad, compared


def main():
    root, bad, compared, rows = sys.argv[1], [], 0, {quotes.README: [], quotes.RESULTS: []}
    here = os.path.dirname(os.path.abspath(__file__))
    for quote in json.load(open(os.path.join(here, "quotes.json"), encoding="utf-8")):
        wrong, count = check(root, quote)
        bad, compared = bad + wrong, compared + count
        rows[quote["in"]].append(quote["row"])
    wrong, count = check_sentences(root, rows)
    bad, compared = bad + wrong, compared + count
    print("\n".join(bad + [f"{compared} numbers compared, {len(bad)} differ"]))
    return 1 if bad else 0


sys.exit(main())
