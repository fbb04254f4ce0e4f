#!/usr/bin/env python3
"""check_awake.py AWAKE <MODULE.wat: says which functions that AWAKE lists would sleep after all, because they call
hb_web_breathe, themselves or through others, and which of its patterns are for no function. MODULE.wat is what wasm-dis has of
the page, linked with names and without Asyncify. Calls by pointer are not followed: whoever lists a function that makes some
looks where they go."""
import collections, fnmatch, re, sys

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

failed = not callers["hb_web_breathe"]
for pattern in open(sys.argv[1]).read().split():
    listed = fnmatch.filter(functions, pattern)
    if not listed:
        print(f"{sys.argv[1]}: no function is called {pattern}")
        failed = True
    for function in sorted(by.keys() & set(listed)):
        way = [function]
        while by[way[-1]]:
            way.append(by[way[-1]])
        print(f"{sys.argv[1]}: {pattern} sleeps: " + " calls ".join(way))
        failed = True
sys.exit(failed)
