"""Is a timeline what a viewer can show, and does it agree with the results of the same run?

    check_timeline.py TIMELINE.json RESULTS.csv

Steps of an instance must not overlap; the phases of a request must follow each other without a gap
from its arrival to its end; and of completed requests they must be what the results say.
"""
import collections
import csv
import json
import sys

events = json.load(open(sys.argv[1]))["traceEvents"]
results = {row["request_id"]: row for row in csv.DictReader(open(sys.argv[2]))}


def same(a, b):
    return abs(a - b) < 1e-3


steps = collections.defaultdict(list)
for e in events:
    if e["ph"] == "X":
        steps[e["pid"]].append((e["ts"], e["dur"]))
for spans in steps.values():
    for (begin, duration), (following, _) in zip(spans, spans[1:]):
        assert begin + duration <= following + 1e-3, (begin, duration, following)

lives, open_spans, phases = {}, collections.defaultdict(list), collections.defaultdict(list)
for e in (e for e in events if e["ph"] in "be"):
    stack = open_spans[e["id"]]
    if e["ph"] == "b":
        stack.append(e)
        continue
    begin = stack.pop()
    assert begin["name"] == e["name"] and begin["ts"] <= e["ts"] and begin["pid"] == e["pid"]
    if stack:
        phases[e["id"]].append((e["name"], begin["ts"], e["ts"]))
    else:
        lives[e["id"]] = (e["name"], begin["ts"], e["ts"], e["args"]["outcome"])
assert not any(open_spans.values())

compared = 0
for number, (name, begin, end, outcome) in lives.items():
    now, parts = begin, collections.Counter()
    for phase, since, until in phases[number]:
        assert same(since, now), (name, phase)
        now = until
        parts[phase] += until - since
    assert same(now, end), name
    row = results[name]
    assert same(float(row["arrival_ms"]) * 1000, begin)
    if outcome not in ("completed", "length_capped"):
        continue
    us = {key[:-3]: float(value) * 1000 for key, value in row.items() if key.endswith("_ms")}
    assert same(us["e2e"], end - begin), name
    assert same(us["gateway"], parts["gateway"]) and same(us["queue"], parts["queue"]), name
    if "preempted" not in parts:
        assert same(us["prefill"], parts["prefill"]), name
        assert same(us["decode"] + us["prefill_stall"], parts["decode"]), name
    compared += 1
assert steps
print(f"{len(lives)} requests, {compared} like the results")
