#!/usr/bin/env python3
"""check_awake.py AWAKE SOURCE... <MODULE.wat: the patterns of AWAKE that are for functions of the module, with commas, as
Asyncify takes them. Says which functions that AWAKE lists would sleep after all, because they call hb_web_breathe, themselves
or through others. MODULE.wat is what wasm-dis has of the page, linked with names and without Asyncify. Calls by pointer are not
followed: whoever lists a function that makes some looks where they go.

What a compiler inlines everywhere is no function of the module, and each version inlines others: such a pattern is left out. One
that begins as names of ours do, and that no SOURCE has, is a mistake."""
import collections, fnmatch, pathlib, re, sys

callers, functions, of = collections.defaultdict(set), set(), None
for line in sys.stdin:
    if found := re.match(r" \(func \$(\S+)", line):
        of = found[1].rstrip(")")
        functions.add(of)
    elif found := re.match(r"\s+\(call \$([^\s)]+)", line):
        callers[found[1]].add(of)

by = {"hb_web_breathe": None}  # who sleeps, and whom it calls for that
rest = list(by)
while rest:
    called = rest.pop()
    for caller in callers[called] - by.keys():
        by[caller] = called
        rest.append(caller)

def is_ours(pattern):
    name = re.compile(r"\b" + re.escape(pattern).replace(r"\*", r"\w*") + r"\(")
    return any(name.search(pathlib.Path(source).read_text()) for source in sys.argv[2:])

failed, found = not callers["hb_web_breathe"], []
for pattern in open(sys.argv[1]).read().split():
    listed = fnmatch.filter(functions, pattern)
    if listed:
        found.append(pattern)
    elif pattern.startswith(("hb_", "page_")) and not is_ours(pattern):
        print(f"{sys.argv[1]}: no function is called {pattern}", file=sys.stderr)
        failed = True
    for function in sorted(by.keys() & set(listed)):
        way = [function]
        while by[way[-1]]:
            way.append(by[way[-1]])
        print(f"{sys.argv[1]}: {pattern} sleeps: " + " calls ".join(way), file=sys.stderr)
        failed = True
print(",".join(found))
sys.exit(failed)
