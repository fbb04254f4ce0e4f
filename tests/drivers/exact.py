#!/usr/bin/env python3
"""exact.py FOLDER [DEVICE ...]: reads the machine code of precision reproducible, which each driver's compiler made.

The same bits everywhere need that a pair is 31 sums and 29 products of floats, none fused, none left out or moved, and no root or
quotient that a device rounds as it pleases. In the straight stretch of code with the most products, the loop over the sources,
these are counted. AMD (LLVM's and Mesa's own compiler), Intel, Adreno, Apple, Mali and VideoCore are read. nouveau prints in builds
for debugging: there the self-test is all there is."""
import re
import subprocess
import sys

from drivers import command, devices, program

LOW, CARRIED = 6, (24, 0, 0, 0)  # judge_ds
ADDS, PRODUCTS = 31, 29  # of a pair, shaders/interactions/gravity_jerk.glsl and common/fixed.glsl
CASES = ["bag reproducible gravity_jerk", "tile reproducible gravity_jerk"]

# By library: what makes the driver print, where a program begins, where a straight stretch ends, and the operations. `both` is
# a product and a sum, each rounded; there LLVM may compute a product twice (navi10).
AMD = dict(
    say="AMD_DEBUG=asm", begin=r"^(Shader )?main( disassembly)?:|^Shader .*disassembly", end=r"^(BB\d|_L)|s_cbranch|s_branch",
    add=r"\bv_(dual_)?(add|sub|subrev)_f32", product=r"\bv_(dual_)?mul_f32", both=r"\bv_(mad|mac|madak|madmk)_f32",
    fused=r"\bv_(dual_)?(fma|fmac|fmaak|fmamk)_f32|v_pk_fma", other=r"\bv_(rsq|rcp|sqrt|div_\w+|exp|log)_f32")
INTEL = dict(
    say="INTEL_DEBUG=fs,cs", begin=r"^SIMD\d+ shader:", end=r"^LABEL|^(\([^)]*\) )?(while|break|if|else|endif|cont|halt)\(",
    add=r"^(\([^)]*\) )?add(\.\w+)*\(\d+\)\s+\S+<\S+>F", product=r"^(\([^)]*\) )?mul(\.\w+)*\(\d+\)\s+\S+<\S+>F", both=r"^$",
    fused=r"^(\([^)]*\) )?mad(\.\w+)*\(\d+\)\s+\S+<\S+>F", other=r"^(\([^)]*\) )?math (rsq|sqrt|inv|fdiv|exp|log)")
ADRENO = dict(
    say="IR3_SHADER_DEBUG=fs,cs,disasm", begin=r"prog \S+ \d+ instr|^; (FRAG|CL)|shader: ", end=r"^l\d+:|\b(br\w*|jump|getone|bany|ball)\b",
    add=r"\badd\.f\b", product=r"\bmul\.f\b", both=r"\bmad\.f32\b", fused=r"^$", other=r"\b(rsq|rcp|sqrt|exp2|log2)\b")
APPLE = dict(
    say="AGX_MESA_DEBUG=shaders", begin=r"^shader: ", end=r"^\s*block\d+|\b(jmp|while_|if_|else_|pop_exec|break)",
    add=r"^\s+\S+ = fadd\b", product=r"^\s+\S+ = fmul\b", both=r"^$", fused=r"^\s+\S+ = ffma\b",
    other=r"^\s+\S+ = (rsqrt|srsqrt|rcp|exp2|log2)\b")
# A product is a fused sum with a constant of -0; u256 is zero. Bundles, which say all once more, begin with a star.
MALI = dict(
    say="BIFROST_MESA_DEBUG=shaders", begin=r"^shader: |^\s*block b\d", end=r"^block\d+ \{|^\} |\b(BRANCHZ?|JUMP)\b",
    add=r"^ +\w+ = FADD(_IMM)?\.f32\b", product=r"^ +\w+ = FMA\.f32 .*(#0x0|u256)\.neg", both=r"^$",
    fused=r"^ +\w+ = FMA\.f32 (?!.*(#0x0|u256)\.neg)", other=r"\b(FRSQ|FRCP|FSQRT|FEXP|FLOG)\w*\.")
# Midgard computes up to four numbers at once: those that the destination names, R10.xyz.
MIDGARD = dict(
    say="MIDGARD_MESA_DEBUG=shaders", begin=r"^shader: ", end=r"^br|^block", lanes=r"^F(?:ADD|MUL|MA)\S* \w+\.?([xyzw]*)",
    add=r"^FADD\.", product=r"^FMUL\.", both=r"^$", fused=r"^FMA", other=r"^F(RCP|RSQRT|SQRT|EXP2?|LOG2?)\.")
VIDEOCORE = dict(
    say="V3D_DEBUG=fs,cs,qpu", begin=r"prog \d+/\d+ QPU", end=r"^0x[0-9a-f]{16} (b\.|bu|b )",
    add=r"^0x[0-9a-f]{16} .*\bf(add|addnf|sub)\b", product=r"^0x[0-9a-f]{16} .*\bfmul\b", both=r"^$", fused=r"^$",
    other=r"^0x[0-9a-f]{16} .*\b(rsqrt2?|recip|exp|log)\b")
READ = {"t860": MIDGARD, "panfrost": MALI, "v3d": VIDEOCORE, "v3d71": VIDEOCORE, "asahi": APPLE, "amdgpu": AMD, "intel": INTEL, "freedreno": ADRENO}


def stretches(text, how):
    """Lines of machine code without a branch, as often as they compute something: rpt3 of an Adreno repeats three times more."""
    lines = []
    for line in text.splitlines():
        line = re.sub(r"^(MESA: info: |says\t[^\t]*\t)", "", line)
        if re.search(how["begin"], line) or re.search(how["end"], line):
            yield lines
            lines = []
            continue
        again = re.search(r"\(rpt(\d)\)", line)
        at_once = re.search(how.get("lanes", "(?!)"), line)
        lines += [line] * (1 + int(again[1]) if again else len(at_once[1]) or 4 if at_once else 1)
    yield lines


def count(lines, pattern):
    return sum(len(re.findall(pattern, line)) if pattern != "^$" else 0 for line in lines)


def printed(folder, device, case, how):
    """What the driver prints of the programs of a case; and why it does not, or ""."""
    words, environment = command(folder, device, [program(folder, device), case])
    name, value = how["say"].split("=")
    kept = environment.get(name, "")
    environment[name] = f"{value},{kept}" if kept else value
    text = subprocess.run(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          text=True, errors="replace").stdout
    refused = re.search(r"^cannot\t(.*)", text, re.M)
    return text, refused[1] if refused else ""


def counted(text, how):
    """Of each stretch that differs: sums, products, fused ones, roots and quotients; and how many of the first two are one operation."""
    rows = {}
    for lines in stretches(text, how):
        both = count(lines, how["both"])
        row = (count(lines, how["add"]) + both, count(lines, how["product"]) + both, count(lines, how["fused"]), count(lines, how["other"]))
        rows[row] = rows.get(row, 0) or both
    return rows


def judge_ds(folder, device, how):
    """A pair of ds has six sums more than one of compensated, which subtract low parts and add them to the high ones;
    what rounding lost of eight numbers takes three sums each in both. Of these a compiler that reorders sums would leave out some."""
    rows = []
    for precision in ("ds", "compensated"):
        text, refused = printed(folder, device, f"bag {precision} gravity_jerk", how)
        if refused:
            print(f"{device.name}: bag {precision}: {refused}")
            return 0
        rows.append(counted(text, how))
    ds, compensated = ([row for row in of if row[3] and row[0] > LOW and row[1] + row[2] >= 16] for of in rows)
    known = {(row[0], row[3]) for row in compensated}  # a Mali G610 fuses one product more in one of its loops
    pairs = [next((k for k in (4, 1) if (row[0] - LOW * k, row[3]) in known and row[0] >= (LOW + 1) * k), 0) for row in ds]
    carried = [CARRIED in of for of in rows]
    good = pairs and all(pairs) and all(carried)
    print(f"{device.name}: bag ds: pairs with {LOW} sums more than compensated: {pairs}; {CARRIED[0]} sums of what is lost: {carried}"
          f"{'' if good else f', expected some, and both; loops {ds} and {compensated}'}")
    return not good


def judge(folder, device, case):
    how = READ.get(device.name) or READ[device.library]
    text, refused = printed(folder, device, case, how)
    if refused:
        print(f"{device.name}: {case}: {refused}")
        return 0
    wrong = found = 0
    for (adds, products, fused, other), both in counted(text, how).items():
        pairs = adds // ADDS
        if pairs < 1 or products < 25:
            continue
        found += 1
        twice = products - PRODUCTS * pairs
        good = 0 <= twice <= (pairs if both else 0) and adds == ADDS * pairs and not fused and not other
        wrong += not good
        print(f"{device.name}: {case}: {pairs} pairs: {adds} sums, {products} products, {fused} fused, {other} roots and "
              f"quotients{'' if good else f', expected {ADDS * pairs}, {PRODUCTS * pairs}, 0, 0'}")
    if not found:
        print(f"{device.name}: {case}: no loop was found")
    return wrong + (not found)


def main(words):
    every = devices()
    chosen = [every[name] for name in words[1:] or every]
    failures = 0
    for device in chosen:
        if device.library in READ:
            failures += sum(judge(words[0], device, case) for case in CASES)
            failures += judge_ds(words[0], device, READ.get(device.name) or READ[device.library])
        else:
            print(f"{device.name}: its driver prints no machine code in a build for users")
    print(f"{failures} loops are not as written")
    return failures


if __name__ == "__main__":
    sys.exit(1 if main(sys.argv[1:]) else 0)
