"""The figures of the lesson's slides (lesson.py): a chapter's idea as SVG, 1680 wide, its numbers computed here."""
import math, struct

TEAL, AMBER, WHITE, GRAY, RED = "#4ac0b0", "#f0a030", "#e6e6ec", "#a0a0b0", "#ff7a66"


def tinted(q):
    s = abs(q) ** 0.5
    mix = lambda low, high: round(low + (high - low) * s)
    return f"rgb({mix(24, 120)} {mix(28, 200)} {mix(44, 255)})" if q < 0 else f"rgb({mix(28, 255)} {mix(26, 190)} {mix(34, 90)})"


# ---- SVG ----

def text(x, y, what, color=WHITE, size=30, at="middle"):
    return f'<text x="{x:.0f}" y="{y:.0f}" fill="{color}" font-size="{size}" text-anchor="{at}">{what}</text>'


def box(x, y, width, height, fill, line=""):
    stroke = f' stroke="{line}" stroke-width="4"' if line else ""
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{fill}"{stroke}/>'


def dot(x, y, r, fill, line=""):
    stroke = f' stroke="{line}" stroke-width="4"' if line else ""
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r}" fill="{fill}"{stroke}/>'


def path(points, color, width=5, dash=""):
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return f'<polyline points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}" fill="none" stroke="{color}" stroke-width="{width}"{dashed}/>'


def whole(height, parts):
    return f'<svg width="1680" height="{height}" viewBox="-20 0 1680 {height}">{"".join(parts)}</svg>'


class Axes:
    """A diagram; an axis that is logarithmic has bounds and ticks in powers of ten."""

    def __init__(self, left, top, width, height, x, y, is_log_x=False, is_log_y=False):
        self.box, self.bounds, self.logs, self.out = (left, top, width, height), (x, y), (is_log_x, is_log_y), []
        self.out.append(path([(left, top), (left, top + height), (left + width, top + height)], GRAY, 3))

    def at(self, x, y):
        (left, top, width, height), ((x0, x1), (y0, y1)) = self.box, self.bounds
        u, v = (math.log10(max(q, 1e-30)) if is_log else q for q, is_log in zip((x, y), self.logs))
        return left + width * (u - x0) / (x1 - x0), top + height * (1 - (min(max(v, y0), y1) - y0) / (y1 - y0))

    def ticks(self, xs, ys, x_name, y_name):
        left, top, width, height = self.box
        shown = lambda q, is_log: (f'10<tspan dy="-10" font-size="24">{str(round(math.log10(q))).replace("-", "−")}</tspan>' if is_log and q != 1 else f"{q:g}")
        self.out += [text(self.at(x, 0)[0], top + height + 40, shown(x, self.logs[0]), size=28) for x in xs]
        self.out += [text(left - 14, self.at(1, y)[1] + 10, shown(y, self.logs[1]), size=28, at="end") for y in ys]
        self.out += [text(left + width + 14, top + height + 10, x_name, GRAY, 28, "start"), text(left, top - 16, y_name, GRAY, 28, "start")]

    def line(self, points, color, label="", dy=0, dash=""):
        self.out.append(path([self.at(*p) for p in points], color, dash=dash))
        if label:
            x, y = self.at(*points[-1])
            self.out.append(text(x + 14, y + 10 + dy, label, color, 28, "start"))


# ---- a chapter each ----

def sums(passes):
    """A and B after so many passes of seven stars, where number k pulls with k - 3, and the scale."""
    cell, n, most, out = 96, 7, 6, []
    both = [[sum((k + p) % n - 3 for p in range(1, passes + more)) for k in range(n)] for more in (0, 1)]
    for row, values in enumerate(both):
        name = "AB"[(row + passes + 1) % 2]
        color, y = (TEAL if name == "A" else AMBER), 20 + row * 150
        out.append(text(0, y + 58, f'{name}, {"written" if row else "read"}', color, 40, "start"))
        for k, value in enumerate(values):
            out += [box(300 + k * cell, y, cell - 4, cell - 4, tinted(value / most), color),
                    text(300 + k * cell + cell / 2 - 2, y + 56, value, "#000" if abs(value) > 2 else "#fff")]
    out += [box(1080 + 8 * k, 40, 8, 30, tinted((k - 30) / 30)) for k in range(61)]
    out += [text(x, 110, label, size=28) for x, label in ((1080, f"-{most}"), (1324, "0"), (1568, most))]
    return whole(300, out)


def lamps():
    """The same lamp at distances 2 and 1 from the photocell, and the light of each distance."""
    out, unit, y = [], 260, 190
    for distance, fill in ((2, "#8a6a3a"), (1, AMBER)):
        x = 60 + unit * distance
        out += [f'<circle cx="60" cy="{y}" r="{unit * distance}" fill="none" stroke="{GRAY}" stroke-width="2" stroke-dasharray="6 10" clip-path="inset(0)"/>',
                dot(x, y, 24, fill), text(x, y + 70, f"{distance}"), path([(60, y - 60 + 22 * distance), (60 + 200 / distance ** 2, y - 60 + 22 * distance)], fill, 12)]
    out += [box(36, y - 24, 48, 48, "#2a2a34", TEAL), text(60, y + 70, "cell", TEAL)]
    chart = Axes(900, 50, 560, 290, (0, 3), (0, 4.4))
    chart.ticks((1, 2, 3), (1, 4), "distance", "light")
    chart.line([(k / 20, (20 / k) ** 2) for k in range(10, 60)], WHITE)
    for distance, light, label in ((2, 0.25, "1/4"), (1, 1, "1"), (0.5, 4, "4")):
        x, at = chart.at(distance, light)
        chart.out += [dot(x, at, 12, AMBER), text(x + 22, at - 12, label, AMBER, 30, "start")]
    return whole(400, out + chart.out)


def pairs():
    """The potentials of eight stars, as the matrix of their pairs."""
    stars = [(0.1, 0.2), (0.3, 0.8), (0.45, 0.4), (0.5, 0.5), (0.62, 0.15), (0.7, 0.75), (0.85, 0.45), (0.95, 0.9)]
    cell, left, top, out, me, other = 46, 860, 50, [], 2, 5
    for k, (x, y) in enumerate(stars):
        marked = k in (me, other)
        out += [dot(60 + 560 * x, 30 + 380 * y, 14, AMBER if marked else WHITE), text(60 + 560 * x + 36, 40 + 380 * y, k, AMBER if marked else GRAY)]
    (ax, ay), (bx, by) = stars[me], stars[other]
    out.append(path([(60 + 560 * ax, 30 + 380 * ay), (60 + 560 * bx, 30 + 380 * by)], AMBER, 3, "8 8"))
    for row, (xj, yj) in enumerate(stars):
        out += [text(left - 26, top + row * cell + 34, row, AMBER if row == other else GRAY, 26), text(left + row * cell + 21, top - 14, row, AMBER if row == me else GRAY, 26)]
        for column, (xi, yi) in enumerate(stars):
            r = math.hypot(xi - xj, yi - yj)
            out.append(box(left + column * cell, top + row * cell, cell - 4, cell - 4, tinted(-0.14 / r) if r else "none", AMBER if (column, row) == (me, other) else ""))
    out += [text(left + 400, top + 5 * cell + 34, "star 2 feels star 5", AMBER, 30, "start"), text(left + 400, top + 34, "nobody on the diagonal", GRAY, 28, "start")]
    return whole(440, out)


def rounded(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def sum_errors(n, marks):
    """Relative errors in float, after as many terms as each mark: one after the other, by 256, and with what is lost carried along."""
    plain = part = parts = high = low = truth = 0.0
    seed, out = 1, []
    for k in range(1, n + 1):
        seed = (1103515245 * seed + 12345) % 2 ** 31
        term = rounded(0.5 + seed / 2 ** 31)
        truth += term
        plain, part = rounded(plain + term), rounded(part + term)
        if k % 256 == 0:
            parts, part = rounded(parts + part), 0.0
        above = rounded(high + term)
        low = rounded(low + rounded(term - rounded(above - high)))
        high = above
        if k in marks:
            out.append([max(abs(s / truth - 1), 1e-9) for s in (plain, rounded(parts + part), rounded(high + low))])
    return out


def sum_lost():
    marks = [2 ** k for k in range(4, 18)]
    errors = sum_errors(marks[-1], set(marks))
    chart = Axes(140, 50, 1020, 290, (1, 5.2), (-9, -4), True, True)
    chart.ticks((10, 100, 1000, 10000, 100000), (1e-4, 1e-6, 1e-8), "terms", "relative error")
    for k, (color, label) in enumerate(((RED, "one after the other"), (AMBER, "256 at a time"), (TEAL, "carried along"))):
        worst = [max(e[k] for e in errors[max(0, i - 1):i + 2]) for i in range(len(marks))]
        chart.line(list(zip(marks, worst)), color, label, (0, -16, 16)[k])
    return whole(400, chart.out)


def bag():
    """Bytes of a pair, and who walks what: a fragment a column, its sources from above."""
    out, bands = [], (TEAL, AMBER, "#7a9cff", "#c08adf")
    for k in range(5):
        for p, color in enumerate(bands):
            out.append(box(20 + 70 * k, 20 + 66 * p, 58, 56, color if p < 2 else "none", color))
        out.append(box(20 + 70 * k, 300, 58, 44, "#2a2a34", WHITE))
    out += [text(390, 20 + 66 * p + 40, f"pass {p + 1}", color, 30, "start") for p, color in enumerate(bands)]
    out += [text(390, 334, "totals", WHITE, 30, "start"), path([(49, 350), (49, 374), (329, 374), (329, 350)], GRAY, 3)]
    for row, (name, read, written) in enumerate((("matrix2004", 135.5, 67.46), ("cg2007", 108.1, 34.59), ("bag", 19.45, 5.61), ("tile", 12.72, 0.8649))):
        y, scale = 50 + 84 * row, 2.8
        out += [text(840, y + 34, name, WHITE, 30, "end"), box(860, y, scale * read, 44, TEAL), box(860 + scale * read, y, scale * written, 44, AMBER),
                text(876 + scale * (read + written), y + 34, f"{read + written:.0f} bytes", GRAY, 28, "start")]
    out += [text(860, 24, "read", TEAL, 28, "start"), text(945, 24, "and written for a pair of 37 stars", AMBER, 28, "start")]
    return whole(390, out)


def pull(x, power=3.0, strength=1.0):
    r = math.hypot(*x)
    return [-strength * c / r ** power for c in x]


def jerk(x, v, strength=1.0):
    r2, rv = x[0] ** 2 + x[1] ** 2, x[0] * v[0] + x[1] * v[1]
    return [-strength * (b - 3 * rv / r2 * a) / r2 ** 1.5 for a, b in zip(x, v)]


def hermite(x, v, dt, strength=1.0):
    """One step about a mass at 0, eqs 3 to 8 of the paper: what was predicted, then place and velocity."""
    a, j = pull(x, strength=strength), jerk(x, v, strength)
    xp = [x[c] + dt * (v[c] + dt / 2 * (a[c] + dt / 3 * j[c])) for c in (0, 1)]
    vp = [v[c] + dt * (a[c] + dt / 2 * j[c]) for c in (0, 1)]
    b, k = pull(xp, strength=strength), jerk(xp, vp, strength)
    v1 = [v[c] + dt / 2 * (a[c] + b[c]) + dt * dt / 12 * (j[c] - k[c]) for c in (0, 1)]
    x1 = [x[c] + dt / 2 * (v[c] + v1[c]) + dt * dt / 12 * (a[c] - b[c]) for c in (0, 1)]
    return xp, x1, v1


ECCENTRICITY = 0.5
START = [1 + ECCENTRICITY, 0.0], [0.0, math.sqrt((1 - ECCENTRICITY) / (1 + ECCENTRICITY))]


def predict():
    out, b = [], math.sqrt(1 - ECCENTRICITY ** 2)
    for column, dt in enumerate((0.25, 0.5)):
        place = lambda x: (290 + 800 * column + 165 * (x[0] - 0.5), 200 - 165 * x[1])
        out += [path([place((math.cos(u / 20) + 0.5, b * math.sin(u / 20))) for u in range(126)], GRAY, 3, "4 10"), dot(*place((0, 0)), 12, WHITE)]
        x, v = START
        out.append(dot(*place(x), 11, AMBER))
        for _ in range(round(4.5 / dt)):
            guess, x, v = hermite(x, v, dt)
            out += [dot(*place(guess), 15, "none", TEAL), dot(*place(x), 10, AMBER)]
        out.append(text(290 + 800 * column, 385, f"step {dt}", WHITE, 32))
    out += [text(560, 190, "predicted", TEAL, 30, "start"), text(560, 234, "corrected", AMBER, 30, "start")]
    return whole(400, out)


def score():
    """Steps of eight stars, the closest to the center last: each halves where it has to, and doubles where the longer beat begins."""
    out, beats, width = [], 64, 1280
    for star in range(8):
        wish = [2 ** (5 - star // 2) / (1 + 3 * (star > 2) * math.exp(-((t - 20 - 3 * star) / 6) ** 2)) for t in range(beats + 1)]
        y, t, step = 20 + star * 40, 0, 32
        out.append(text(150, y + 22, f"star {star}", GRAY, 26, "end"))
        while t < beats:
            if 2 * step <= wish[t] and t % (2 * step) == 0:
                step *= 2
            while step > max(1, wish[t]):
                step //= 2
            out.append(box(180 + width * t / beats, y, width * step / beats - 3, 26, (RED, RED, AMBER, "#d8c05a", TEAL, "#7a9cff")[step.bit_length() - 1]))
            t += step
    out += [path([(180 + width * t / beats, 16), (180 + width * t / beats, 340)], GRAY, 2, "6 8") for t in range(0, beats + 1, 16)]
    out += [text(180 + width * k / 4, 376, label, size=28) for k, label in enumerate(("0", "1/4", "1/2", "3/4", "1"))]
    return whole(390, out)


def energy():
    """Of a pair whose pull is the slope of its potential, and of one that pulls 10 % harder than that."""
    chart = Axes(160, 50, 1020, 290, (0, 12), (-10, 0), False, True)
    chart.ticks((0, 4, 8, 12), (1, 1e-5, 1e-10), "time", "energy error")
    for strength, color, label in ((1.1, RED, "pull 1.1 times"), (1.0, TEAL, "its own potential")):
        (x, v), line, dt = START, [], 0.02
        total = lambda: (v[0] ** 2 + v[1] ** 2) / 2 - 1 / math.hypot(*x)
        first = total()
        for k in range(1, 601):
            _, x, v = hermite(x, v, dt, strength)
            if k % 6 == 0:
                line.append((k * dt, abs(total() / first - 1)))
        chart.line(line, color, label)
    return whole(400, chart.out)


FIGURES = {"hero": lambda: sums(3), "lamps": lamps, "pairs": pairs, "passes": lambda: sums(3), "sum": sum_lost, "bag": bag, "predict": predict,
           "score": score, "energy": energy}
