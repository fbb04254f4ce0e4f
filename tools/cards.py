#!/usr/bin/env python3
"""cards.py check FILE...     whether each file has one whole row of `holmberg card`; says what is wrong in a sentence a file
cards.py table FILE...     the table of them, as CSV: data/cards/cards.csv is `tools/cards.py table data/cards/*.json`
cards.py name FILE         what to call it in data/cards: its device and driver

A row is refused where a number is missing or out of its range, where two numbers that hang together do not, where an end state or an
error that is the same bits on every device is another, and where its sum is not that of its bytes.

The table has what data/cards/predicted.csv says from the instructions a pair that Mesa's compiler makes: 0.8 of what the card can
issue, as on an H200 by its own rates in long runs. A rate that is off by two is named: the card, or the prediction, has a defect.
Predictions without a row come last."""
import csv, json, math, os, re, sys

FORMAT = 1
N = 1024  # particles of the errors
PRECISIONS = ["single", "compensated", "ds", "double", "reproducible"]
KNOWN = "tests/states/known.txt"
PREDICTED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../data/cards/predicted.csv")

# Relative errors of the accelerations of N particles: at least and at most, with a margin of three on both sides of what any device
# here has. Those of `reproducible` are the same bits everywhere, and so is the error of positions in float.
ERRORS = {"single": (2e-8, 5e-6), "compensated": (2e-8, 2e-6), "ds": (5e-9, 1e-6), "double": (1e-17, 1e-13)}
REPRODUCIBLE = {"acc_rms": 9.7033252288335038e-08, "acc_max": 9.9390404302494732e-07,
                "jerk_rms": 2.8085114261018956e-07, "pot_rms": 2.8339584555011821e-08}
FLOOR = 1.6825354510453102e-07
MOST, WALK_S = 131072, 0.03  # particles of a rate: so many that twice as many would be too many, or take longer
FLOPS = 20  # of a pair, at the very least, in float


class Wrong(Exception):
    pass


def want(true, sentence):
    if not true:
        raise Wrong(sentence)


def number(row, name, least, most, where=""):
    value = row.get(name)
    want(name in row, f"{where}{name} is missing")
    want(isinstance(value, (int, float)) and not isinstance(value, bool) and least <= value <= most,
         f"{where}{name} is {json.dumps(value)}, expected a number from {least:g} to {most:g}")
    return value


def text(row, name, most=200):
    value = row.get(name)
    want(isinstance(value, str) and 0 < len(value) <= most, f"{name} is {json.dumps(value)}, expected a text")
    return value


def fnv(data):
    h = 0xCBF29CE484222325
    for byte in data:
        h = (h ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{h:016x}"


def whole(line):
    """The row, whose sum is that of all before it."""
    found = re.fullmatch(rb'(\{.*), "sum": "([0-9a-f]{16})"\}', line)
    want(found, "the row is cut: it does not end with its sum")
    want(fnv(found[1]) == found[2].decode(), f"the sum is {found[2].decode()}, but that of these bytes is {fnv(found[1])}: "
         "the row was changed after it was measured")
    try:
        return json.loads(line)
    except ValueError as error:
        raise Wrong(f"no JSON: {error}")


def known_states():
    states = {}
    for line in open(KNOWN):
        if line.startswith("reproducible : "):
            _, state, options, value = line.strip().split(" : ")
            states[f"{state} : {options}"] = value
    return states


def check_forces(row):
    rates = {}
    for forces in row["forces"]:
        name = f"{forces.get('scheme')} in {forces.get('precision')}: "
        if forces.keys() & {"refused", "failed"}:
            continue
        number(forces, "compile_ms", 0, 1e7, name)
        n, ms = number(forces, "n", N, 1 << 20, name), number(forces, "ms", 1e-4, 1e6, name)
        rate = number(forces, "pairs_per_s", 1e3, 1e14, name)
        want(abs(rate * ms / (1e3 * n * (n - 1)) - 1) < 1e-9, f"{name}{rate:g} pairs a second are not {n} particles in {ms:g} ms")
        walk, cycle = (number(forces, x, 0, 1e6, name) for x in ("walk_ms", "cycle_ms"))
        want(ms == (cycle if walk < cycle / 2 else walk), f"{name}{ms:g} ms are neither a walk's {walk:g} nor a cycle's {cycle:g}")
        want(n >= MOST or 4 * n * n > WALK_S * rate, f"{name}a walk of {n} is too short for {rate:g} pairs a second: measure it again with this version")
        compute = forces["scheme"] == "tile"
        ceiling = row.get("ceiling_computed" if compute else "ceiling_drawn")
        if ceiling and forces["precision"] != "double":
            want(rate * FLOPS < 3 * ceiling, f"{name}{rate:g} pairs a second are beyond the device's {ceiling:g} operations")
        if forces["precision"] in ERRORS:
            rms = number(forces, "acc_rms", *ERRORS[forces["precision"]], name)
            want(number(forces, "acc_max", rms, 1e3 * rms, name) >= rms, "")
        else:
            for error, value in REPRODUCIBLE.items():
                want(forces.get(error) == value, f"{name}{error} is {forces.get(error)}, on every other device {value}")
        want(forces.get("acc_floor") == FLOOR, f"{name}acc_floor is {forces.get('acc_floor')}, everywhere else {FLOOR}")
        rates[forces["scheme"], forces["precision"]] = rate
    want({("cg2007", "single"), ("bag", "single")} <= {(f.get("scheme"), f.get("precision")) for f in row["forces"]},
         "there are no rates of cg2007 and bag")
    want(rates, "no scheme worked")
    return rates


def check_states(row):
    states = known_states()
    want(row["states"], "there is no end state")
    for state in row["states"]:
        if state.keys() & {"refused", "failed"}:
            continue
        want(state.get("state") in states, f"{json.dumps(state.get('state'))} is no state of {KNOWN}")
        want(state.get("hash") == states[state["state"]],
             f"the end of {state['state']} has hash {state.get('hash')}, on every other device {states[state['state']]}")


def check_selftest(row):
    test = row["selftest"]
    number(test, "cases", 1, 1 << 20, "self-test: ")
    for name in ["two_sum_wrong", "two_sum_precise_wrong", "carry_precise_wrong", "two_product_wrong"]:
        number(test, name, 0, test["cases"], "self-test: ")
    number(test, "rsqrt_ulp", 0.25, 1e4, "self-test: ")


def check_draws(row, rates):
    last = 0
    for draw in row["draws"]:
        if draw.keys() & {"refused", "failed"}:
            continue
        ms, n = number(draw, "ms", 1, 1e5, "draws: "), number(draw, "n", 64, 1 << 20, "draws: ")
        number(draw, "draws", 1, 1 << 24, "draws: ")
        rate = 1e3 * n * (n - 1) / ms
        best = max(rate for (_, precision), rate in rates.items() if precision == "single")
        want(best / 30 < rate < best * 30, f"a walk of {n} took {ms:g} ms, but the rate is {best:g} pairs a second")
        want(n > last, "draws do not become longer")
        last = n


def check(path):
    lines = open(path, "rb").read().strip().split(b"\n")
    want(len(lines) == 1 and lines[0].startswith(b"{"), "expected one row, a line of JSON")
    row = whole(lines[0])
    want(row.get("card") == FORMAT, f"card is {row.get('card')}, expected {FORMAT}: measure it again with this version")
    for name in ["holmberg", "system", "name", "vendor", "renderer", "version"]:
        text(row, name)
    for name, kind in {"limits": dict, "selftest": dict, "forces": list, "block": dict, "states": list, "draws": list}.items():
        want(isinstance(row.get(name), kind), f"{name} is missing")
    number(row, "major", 3, 9)
    number(row["limits"], "max_texture_size", 1024, 1 << 20, "limits: ")
    number(row, "seconds", 1, 1e5)
    check_selftest(row)
    rates = check_forces(row)
    check_states(row)
    if not row["block"].keys() & {"refused", "failed"}:
        cycle = number(row["block"], "cycle_ms", 1e-3, 1e5, "block: ")
        want(cycle > 0.2 * number(row["block"], "draw_ms", 1e-4, 1e5, "block: "), "block: a cycle is shorter than its draw")
    check_draws(row, rates)
    return row


# ---- the table ----

def name_of(row):
    words = re.sub(r"\(.*?\)", "", row["renderer"]) + " " + row["name"] + " " + re.sub(r"\(.*?\)", "", row["version"])
    return re.sub(r"[^a-z0-9.]+", "-", words.lower()).strip("-") + ".json"


def longest(row):
    """Of the draws that came back, in seconds: a walk's time shared among its draws."""
    times = [draw["ms"] / draw["draws"] for draw in row["draws"] if "ms" in draw]
    return f"{max(times) / 1e3:.2g}" if times else ""


def predictions():
    with open(PREDICTED, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def predicted_of(row):
    """None for what no compiler was asked about, and for software that bears a card's name."""
    return next((p for p in predictions() if not row["software"] and re.search(p["renderer"], row["renderer"], re.I)), None)


def predicted_cells(predicted, rate=lambda precision: 0):
    """rate(precision): the best measured, 10^9 pairs a second; 0: none."""
    off = []
    for precision in ("single", "ds", "reproducible"):
        value = float((predicted or {}).get(precision) or 0)
        yield f"predicted {precision}", f"{value:g}" if value else ""
        if value and rate(precision) and not 0.5 <= rate(precision) / value <= 2:
            off.append(f"{precision} {rate(precision) / value:.2g}")
    yield "off by two", ", ".join(off)


def cells(row):
    force = {(f["scheme"], f["precision"]): f for f in row["forces"] if "pairs_per_s" in f}
    giga = lambda *key: f"{force[key]['pairs_per_s'] / 1e9:.3g}" if key in force else ""
    error = lambda precision: next((f"{force[s, precision]['acc_rms']:.1e}" for s in ("tile", "bag") if (s, precision) in force), "")
    yield "device", row["renderer"]
    yield "context", row["name"]
    yield "driver", row["version"]
    yield "system", row["system"]
    yield "cg2007 single", giga("cg2007", "single")
    for scheme in ("bag", "tile"):
        for precision in PRECISIONS:
            yield f"{scheme} {precision}", giga(scheme, precision)
    for precision in PRECISIONS:
        yield f"error {precision}", error(precision)
    yield "block of 64 (ms)", f"{row['block']['cycle_ms']:.3g}" if "cycle_ms" in row["block"] else ""
    yield "longest draw (s)", longest(row)
    yield "slowest compile (s)", f"{max(f['compile_ms'] for f in force.values()) / 1e3:.2g}"
    yield "end states", "same" if any("hash" in s for s in row["states"]) else "none"
    yield from predicted_cells(predicted_of(row), lambda precision: max(
        (force[s, precision]["pairs_per_s"] / 1e9 for s in ("bag", "tile") if (s, precision) in force), default=0))


def main(command, paths):
    rows, failed = [], 0
    for path in paths:
        try:
            rows.append(check(path))
        except (Wrong, OSError, KeyError, TypeError) as error:
            failed += 1
            print(f"{path}: {error}", file=sys.stderr)
    if command == "name" and rows:
        print(name_of(rows[0]))
    elif command == "table" and not failed:
        rows.sort(key=lambda row: (row["software"], row["renderer"], row["name"], row["version"]))
        out = csv.writer(sys.stdout, lineterminator="\n")
        for k, row in enumerate(rows):
            columns = list(cells(row))
            if k == 0:
                out.writerow(name for name, _ in columns)
            out.writerow(value for _, value in columns)
        known = [predicted_of(row) for row in rows]
        for predicted in (p for p in predictions() if p not in known):
            tail = list(predicted_cells(predicted))
            out.writerow([predicted["device"], "", "no row yet"] + [""] * (len(columns) - len(tail) - 3) + [value for _, value in tail])
    elif command == "check" and not failed:
        print(f"{len(rows)} {'row is' if len(rows) == 1 else 'rows are'} whole")
    return failed > 0


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in ("check", "table", "name"):
        sys.exit(__doc__)
    KNOWN = re.sub(r"tools/[^/]*$", KNOWN, sys.argv[0]) if "/" in sys.argv[0] else "../" + KNOWN
    sys.exit(main(sys.argv[1], sys.argv[2:]))
