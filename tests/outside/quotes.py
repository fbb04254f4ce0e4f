"""What README.md and data/README.md say in sentences, and in tables whose cells are computed: QUOTES has the words around the
numbers, and how each follows from the files in data/. quotes.json has the tables whose cells are single records."""
import math
import statistics

README, RESULTS = "README.md", "data/README.md"


def quotes(data):
    """data.column(file, field, **records), data.one(the same), data.said(file, text): see quoted.py."""
    column, one, said = data.column, data.one, data.said

    def median(*asked, **records):
        return statistics.median(abs(x) for x in column(*asked, **records))

    def power(way, field):
        """Coefficient and exponent of field = c N^b above N = 1024, and the error of b in its last two digits."""
        rows = [row for row in data.rows("measured/rounding.jsonl", record="size", step_rounding=way) if row["n"] >= 1024]
        x, y = [math.log(row["n"]) for row in rows], [math.log(row[field]) for row in rows]
        b, log_c = statistics.linear_regression(x, y)
        squares = sum((v - log_c - b * u) ** 2 for u, v in zip(x, y)) / (len(x) - 2)
        error = math.sqrt(squares / sum((u - statistics.mean(x)) ** 2 for u in x))
        return math.exp(log_c), b, 1000 * error

    def errors(way):
        all_n = column("measured/rounding.jsonl", "de_rel", record="size", step_rounding=way)
        return min(all_n), max(all_n)

    def peers(quantity, precision, ours, theirs):
        at = {"quantity": quantity, "precision": precision}
        here = dict(zip(column("measured/peers_h200.csv", "n", code="holmberg", setting=ours, **at),
                        column("measured/peers_h200.csv", "value", code="holmberg", setting=ours, **at)))
        there = dict(zip(column("measured/peers_h200.csv", "n", setting=theirs, **at),
                         column("measured/peers_h200.csv", "value", setting=theirs, **at)))
        ratios = [here[n] / there[n] for n in there]
        return sorted(1 / r if quantity == "table2_s" else r for r in ratios)

    def cuda(precision):
        n = column("measured/peers_h200.csv", "n", quantity="acc_gpairs_per_s", precision=precision, code="cuda-samples")
        ours = {k: one("measured/peers_h200.csv", "value", quantity="acc_gpairs_per_s", precision=precision, setting="tile", n=k) for k in n}
        theirs = {k: one("measured/peers_h200.csv", "value", quantity="acc_gpairs_per_s", precision=precision, code="cuda-samples", n=k) for k in n}
        return sorted(ours[k] / theirs[k] for k in n)

    def acceleration(precision, field="acc_rms"):
        return one("measured/errors_llvmpipe.jsonl", field, precision=precision)

    def near(scheme, n, neighbors, field):
        return column("measured/near_llvmpipe.csv", field, **{"scheme:precision": scheme, "n": n, "neighbors": neighbors})

    def of_plain(scheme):
        """Processor seconds with lists over those without."""
        return statistics.median(near(scheme, 16384, "auto", "cpu_s")) / statistics.median(near(scheme, 16384, "0", "cpu_s"))

    def rms_of_clusters(neighbors):
        return math.sqrt(statistics.mean(x * x for x in near("host-simd:ds", 4096, neighbors, "de_rel")))

    def force(devices, precision):
        return column("measured/devices_h200.jsonl", "ms_median", what="force", devices=devices, precision=precision, n=262144)

    def job(devices, n):
        return column("measured/devices_h200.jsonl", "wall_s", what="run", devices=devices, n=n)

    def reproducible_to_ds():
        """At N = 1024, 4096, 65536 and 262144, tile and bag."""
        ratios = []
        for scheme, n in (("tile", 4096), ("tile", 65536), ("tile", 262144), ("bag", 4096), ("bag", 65536)):
            rate = {p: statistics.median(column("measured/devices_h200.jsonl", "pairs_per_s", devices="one", what="force",
                                                scheme=scheme, n=n, precision=p)) for p in ("ds", "reproducible")}
            ratios.append(rate["reproducible"] / rate["ds"])
        return min(ratios), max(ratios)

    def rate(path, **records):
        return statistics.median(column("measured/" + path, "pairs_per_s", n=65536, ni=65536, interaction="gravity_jerk", **records)) / 1e9

    def walk(precision):
        return [column("measured/walks_h200.jsonl", "ms_median", scale=1e3, scheme="tile", n=65536, ni=ni, precision=precision,
                       interaction="gravity_jerk") for ni in (1, 16, 64, 256, 1024)]

    def few(problem, field):
        return [one("measured/few_bodies.csv", field, problem=problem, code=code) for code in ("run", "ias15", "sdar 1")]

    places = "measured/places_llvmpipe.csv"
    convergence, dt_max = "measured/convergence.csv", "measured/dt_max.csv"
    h200_near, exactness = "notebook/2026-11-26-near-and-far-h200.md", "notebook/2026-11-22-exactness.md"
    h200_block = "notebook/2026-11-26-where-a-block-goes.md"
    own = "measured/energy_plummer.csv", "de_rel_gpu"
    double = "measured/energy_plummer.csv", "de_rel"
    jerk = peers("jerk_gpairs_per_s", "ds", "tile", "best of 1 2 4 blocks")
    jobs = peers("table2_s", "ds", "tile, the better of all modes, commit fae519a", "best of 1 2 4 blocks")
    pz07 = {m: one("paper/pz07_accuracy.csv", "value", quantity="de_rel", machine=m) for m in ("GRAPE-6Af", "8800GTX")}

    yield README, "is {} in `single`, {} in `compensated`, {} in `ds` (double-single) and {} in `double`. `reproducible` has {},", [
        acceleration(p) for p in ("single", "compensated", "ds", "double", "reproducible")]
    yield README, "paper's job {} to {} times as fast as Sapporo2", [jobs[0], jobs[-1]]
    yield README, "did {} to {} times the CUDA sample's rate in `single`, and {} to {} times in `double`", [
        cuda("single")[0], cuda("single")[-1], cuda("double")[0], cuda("double")[-1]]

    yield RESULTS, "| `host` | 1024 | {} | {} |", [median(*double, scheme="host", n=1024), median(*own, scheme="host", n=1024)]
    yield RESULTS, "| `cg2007` | 1024 | {} | {} |", [median(*double, scheme="cg2007", n=1024), median(*own, scheme="cg2007", n=1024)]
    yield RESULTS, "| `cg2007` | 16384 | {} | {} |", [one("measured/energy_cg2007_16k.jsonl", "de_rel"),
                                                    one("measured/energy_cg2007_16k.jsonl", "de_rel_gpu")]
    yield RESULTS, "host and GRAPE | 256 ... 64k | | {} |", [pz07["GRAPE-6Af"]]
    yield RESULTS, "8800GTX | 256 ... 64k | | {} |", [pz07["8800GTX"]]
    yield RESULTS, "- `host`: {} at nu = 0.1, and {} (median of 40 seeds) at 0.1/2^8; with `--dt-max 2^-11` there {}.", [
        one(convergence, "de_rel", scheme="host", n=1024, nu=0.1), one(dt_max, "median", nu=0.000390625, dt_max="2^-3"),
        one(dt_max, "median", nu=0.000390625, dt_max="2^-11")]
    yield RESULTS, "`host-simd` ds: smallest error {}. `bag` ds: {}.", [
        [min(column(convergence, "de_rel", scheme="host-simd", precision="ds", n=n)) for n in (1024, 16384)],
        column(convergence, "de_rel", scheme="bag", precision="ds", n=1024)]
    yield RESULTS, "falls roughly as nu^{}.", [
        math.log(one(convergence, "de_rel", scheme="host", n=1024, nu=0.1) / one(convergence, "de_rel", scheme="host", n=1024, nu=0.000390625)) / math.log(256)]
    yield RESULTS, "follows it to {}, with block steps within {} % of the host's. `single` follows to {}; below", [
        one(convergence, "de_rel", scheme="host-simd", precision="ds", n=1024, nu=0.003125), 100 * max(
            abs(row["block_steps"] / one(convergence, "block_steps", scheme="host", n=1024, nu=float(row["nu"])) - 1)
            for row in ({**row, "block_steps": float(row["block_steps"])} for row in data.rows(convergence, precision="ds", n=1024))),
        one(convergence, "de_rel", scheme="host-simd", precision="single", n=1024, nu=0.00625)]
    for way in ("down", "nearest", "up"):
        steps, block = power(way, "n_steps"), power(way, "n_block")
        yield RESULTS, f"| {way} | {{}} N^{{}}({{}}) | {{}} N^{{}}({{}}) | {{}} ... {{}} |", [*steps, *block, *errors(way)]
    yield RESULTS, "| 247 N^0.35 | 0.20 N^0.81 | {} (GRAPE) |", [pz07["GRAPE-6Af"]]
    yield RESULTS, "{} of {} blocks are full; {} of the processor time of `host`, {} of `host-simd`, {} of `bag`", [
        near("host:double", 16384, "auto", "full_blocks"), near("host:double", 16384, "auto", "block_steps"),
        of_plain("host:double"), of_plain("host-simd:ds"), of_plain("bag:ds")]
    yield RESULTS, "The rms error of {} clusters of 4096 is {}, without lists {}.", [
        len(near("host-simd:ds", 4096, "auto", "de_rel")), rms_of_clusters("auto"), rms_of_clusters("0")]
    yield RESULTS, "| **10^5** | 570, 86 | {} | {} | {} | {} | {} | {} | 1.3 | 7.7 | **{}** |", [
        said(h200_near, "131925, {} |"), said(h200_near, "far 9.0, near {},"), said(h200_near, "near 6.6, correction {},"),
        said(h200_near, "(t = 1): groups {},"), said(h200_near, "4.0, lists {},"), said(h200_near, "prediction {} s;"),
        said(h200_near, "| {} (t = 1)")]
    near_s, correction_s, groups_s, lists_s, prediction_s, sending_s = 6.6, 4.0, 10.5, 3.3, 1.7, 7.7  # of the row above
    steps, far_steps, full = 5.7e7, 8.6e6, 2891 * 1e5
    yield RESULTS, "near sums cost {} μs a step, correction {}, groups {}, a list {}, prediction {} ns a star and full block, sending and waiting {} ns.", [
        1e6 * near_s / steps, 1e6 * correction_s / steps, 1e6 * groups_s / steps, 1e6 * lists_s / far_steps, 1e9 * prediction_s / full,
        1e9 * sending_s / full]
    yield RESULTS, "with near sums 1.7 times as dear, for the cache.", []
    yield RESULTS, "| 10^4 | 360, 58 | {} | {} | {} | {} | {} | {} | 0.01 | 0.7 | {} |", [
        1651 * 0.61**0.35 // 100 * 100 + 100, *(second * 0.61**power for second, power in ((1.0, 1.18), (0.7, 1.18), (1.3, 1.18), (0.3, 1.1), (0.2, 1.35))),
        0.6 + 0.4 + 0.7 + 0.2 + 0.1 + 0.01 + 0.7]
    yield RESULTS, "| 10^6 | {}, {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |", [
        570 * 10**0.18, 86 * 10**0.1, 2891 * 10**0.35, 1.7 * 860e6 * near_s / steps, 860e6 * correction_s / steps, 860e6 * groups_s / steps,
        108e6 * lists_s / far_steps, 6500e6 * prediction_s / full, 1.3 * 10**2.1, 6500e6 * sending_s / full, 169 + 60 + 158 + 41 + 38 + 160 + 173]
    yield RESULTS, "Later: 2048 {} to {}, 8192 {} to {}, 16384 {} to {}, 10^5 {} ({} without lists; error {}).", [
        *(said(h200_block, words) for words in (
            "the same with 128 looks | {} | 1.13", "counts apart | {}, 0.41", "looks | 0.31 | {} |", "0.42 | {}, 1.32", "1.13 | {} | 16.1", "2.59, {}, 2.63",
            "2.21 | {} for t = 1")),
        8 * said(h200_near, "100000 | {} for t = 1/8"), said(h200_block, "its dE/E is {}.")]
    yield RESULTS, "energy error in ds by at most {} %", [100 * max(
        abs(de / one(places, "de_rel", precision="ds", mode="all/host/host", nu=nu, n=1024) - 1)
        for nu in (0.01, 0.0025, 0.000625) for de in column(places, "de_rel", precision="ds", mode="block/gpu/gpu", nu=nu, n=1024))]
    yield RESULTS, "A pair takes {} float instructions. The 4 multiprocessors that run fragments could do {},", [
        said("notebook/2026-11-22-rates-h200.md", "a pair takes {} float"), said("notebook/2026-11-22-rates-h200.md", "per multiprocessor: {} on")]
    yield RESULTS, "all 132 could do {}: `bag` single reaches {} % of its limit, `tile` single about {} %.", [
        said("notebook/2026-11-22-rates-h200.md", "run fragments, {} on all"),
        100 * rate("h200.jsonl", scheme="bag", precision="single") / 37.5, 100 * rate("walks_h200.jsonl", scheme="tile", precision="single") / 1240]
    yield RESULTS, "`reproducible` runs at {} to {} of ds", list(reproducible_to_ds())
    for precision in ("single", "ds"):
        yield RESULTS, f"| {precision} | {{}} | {{}} | {{}} | {'43 to {}' if precision == 'ds' else '{}'} | {{}} |", walk(precision)
    for words, precision in (("forces of N = 262144, ds, ms", "ds"), ("the same in `reproducible`, ms", "reproducible")):
        alone, two = force("one", precision), force("0,1", precision)
        yield RESULTS, f"| {words} | {{}} | {{}} | {{}} |", [alone, two, [a / b for a, b in zip(alone, two)]]
    for words, n in (("Table 2 job, block/gpu/gpu, N = 262144, s", 262144), ("N = 65536, s", 65536), ("N = 16384, s", 16384)):
        alone, two = statistics.median(job("one", n)), statistics.median(job("0,1", n))
        yield RESULTS, f"| {words} | {{}} | {{}} | {{}} |", [alone, two, alone / two]
    model = "notebook/2026-11-23-model-and-ranks.md"
    yield RESULTS, "it expected {}, {} and {} where {}, {} and {} were measured", [
        said(model, "predicted {},"), said(model, "predicted 1.21, {}"), said(model, "1.42 and {} for"), said(model, "above it is {},"),
        said(model, "above it is 0.84, {} and"), said(model, "1.30 and {}, so")]
    yield RESULTS, "over the network, {} bytes a sink.", [one("measured/ranks_h200.jsonl", "bytes", record="message", sinks=4) / 4]
    yield RESULTS, "`tile` was {} to {} times as fast where all particles are sinks and {} to {} times in whole jobs", [
        jerk[0], jerk[-1], jobs[0], jobs[-1]]
    for words, problem in (("pair, e = 0.9, 1000 orbits", "e0.9"), ("figure-eight, 10 periods", "eight"), ("Pythagorean", "pythagorean")):
        pairs = zip(few(problem, "energy_error"), few(problem, "us_an_orbit"))
        yield RESULTS, f"| {words} | {{}}; {{}} | {{}}; {{}} | {{}}; {{}} |", [x for pair in pairs for x in pair]
    yield RESULTS, "| {}; below 1 | {}; {} | {}; {} |", [
        few("triple", "energy_error")[0], *(few("triple", f)[k] for k in (1, 2) for f in ("energy_error", "us_an_orbit"))]
    yield RESULTS, "single {}, compensated {}, ds {}, double {}, reproducible {}; float positions alone {}.", [
        *(acceleration(p) for p in ("single", "compensated", "ds", "double", "reproducible")), acceleration("single", "acc_floor")]
    yield RESULTS, "too small by a mean relative {};", [said(exactness, "mean relative {}, as")]
    yield RESULTS, "`bag`, `tile`, `matrix2004` {}; `cg2007` {}; `host-simd` {}, in ds {}; `host` {}; `grape6` {}; `gpu2007` {};", [
        data.bytes_of(*of) for of in (("bag", "single"), ("cg2007", "single"), ("host-simd", "single"), ("host-simd", "ds"), ("host", "double"),
                                      ("grape6", "grape6"), ("gpu2007", "g80"))]
    yield RESULTS, "in `reproducible` `bag` and `tile` {}, `host` {}.", [data.bytes_of("tile", "reproducible"), data.bytes_of("host", "reproducible")]
    yield RESULTS, "Diagnostics take {} more, a snapshot {} while it is written, groups {}, 64 neighbors {}.", [
        data.info(words) for words in ("--diag {}, groups", "takes {} bytes a particle more while", "groups (--eps 0) {}, and", "and 64 neighbors {}. Each")]
