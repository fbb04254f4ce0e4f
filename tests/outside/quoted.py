#!/usr/bin/env python3
"""Whether the numbers that README.md and data/README.md quote in tables are those of the files in data/: quotes.json says which
row quotes which records. quoted.py ROOT prints each number that differs, and the count of those compared. A cell is right if
the record's number, rounded to the cell's digits, is the cell."""
import csv
import json
import os
import sys


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


def main():
    root, bad, compared = sys.argv[1], [], 0
    here = os.path.dirname(os.path.abspath(__file__))
    for quote in json.load(open(os.path.join(here, "quotes.json"), encoding="utf-8")):
        wrong, count = check(root, quote)
        bad, compared = bad + wrong, compared + count
    print("\n".join(bad + [f"{compared} numbers compared, {len(bad)} differ"]))
    return 1 if bad else 0


sys.exit(main())
