#!/usr/bin/env python3
"""Runs one recorded case through the binary and compares every request and every total.

usage: run_case.py PLIMSOLL CASE.json [--record]

A case is a JSON file with `name`, `arguments`, `expected` (cluster totals) and, beside it,
NAME.requests.csv.gz or NAME.requests.csv with one row per request; paths in the arguments are
relative to its folder. Times must be equal to the microsecond. A case whose routing draws random
ties (`deterministic_inputs` false) is compared by the ranges in random_ties.json instead.
--record writes what the binary says now as the expectation.
"""
import csv
import gzip
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TIMES = ("ttft_ms", "e2e_ms", "scheduling_delay_ms")
REFUSED = ("dropped", "rejected", "shed")
RELATIVE = 1e-9


def run(binary, case, folder):
    with tempfile.TemporaryDirectory() as scratch:
        results = os.path.join(scratch, "results.csv")
        command = [binary, *case["arguments"], "--semantics", "blis", "--json",
                   "--results-path", results]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"exit code {done.returncode}\n{done.stderr}")
        with open(results, newline="") as file:
            return json.loads(done.stdout), list(csv.DictReader(file))


def rows_path(folder, name):
    for path in (os.path.join(folder, name + ".requests.csv.gz"),
                 os.path.join(folder, name + ".requests.csv")):
        if os.path.exists(path):
            return path
    return None


def read_rows(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", newline="") as file:
        return list(csv.DictReader(file))


def differing_totals(expected, totals):
    for key, value in expected.items():
        got = totals.get(key, 0)
        same = got == value if isinstance(value, str) else (
            abs(got - value) <= RELATIVE * max(1.0, abs(value)))
        if not same:
            yield f"{key}: expected {value}, got {got}"


def differing_rows(expected, rows):
    ours = {row["request_id"]: row for row in rows}
    for row in expected:
        got = ours.pop(row["request_id"], None)
        if got is None:
            yield f"{row['request_id']}: no row"
            continue
        for key in TIMES:
            if round(float(row[key]) * 1000) != round(float(got[key]) * 1000):
                yield f"{row['request_id']} {key}: expected {row[key]}, got {got[key]}"
        if abs(float(row["itl_ms"]) - float(got["itl_ms"])) > 1e-6:
            yield f"{row['request_id']} itl_ms: expected {row['itl_ms']}, got {got['itl_ms']}"
        if row["handled_by"] != got["handled_by"]:
            yield (f"{row['request_id']} handled_by: expected {row['handled_by']}, "
                   f"got {got['handled_by']}")
    for row in ours.values():
        if row["status"] not in REFUSED:
            yield f"{row['request_id']}: a row of ours that the reference has not"


def outside_ranges(name, totals):
    with open(os.path.join(HERE, "random_ties.json")) as file:
        outcomes = json.load(file).get(name)
    if outcomes is None:
        return [f"{name} draws random ties and has no range in random_ties.json"]
    for ranges in outcomes:
        if all(low <= totals[key] <= high for key, (low, high) in ranges.items()):
            return []
    return [f"outside every known range: { {key: totals[key] for key in outcomes[0]} }"]


def record(path, case, folder, totals, rows):
    case["expected"] = {key: totals.get(key, 0) for key in case["expected"]}
    with open(path, "w") as file:
        json.dump(case, file, indent=1)
        file.write("\n")
    columns = ("request_id", *TIMES, "itl_ms", "handled_by")
    with open(os.path.join(folder, case["name"] + ".requests.csv"), "w", newline="") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(row for row in rows if row["status"] not in REFUSED)


def main():
    binary, path = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    folder = os.path.dirname(path)
    with open(path) as file:
        case = json.load(file)
    totals, rows = run(binary, case, folder)
    if "--record" in sys.argv[3:]:
        record(path, case, folder, totals, rows)
        return
    if case.get("deterministic_inputs", True):
        problems = list(differing_totals(case["expected"], totals))
        expected_rows = rows_path(folder, case["name"])
        if expected_rows is not None:
            problems += differing_rows(read_rows(expected_rows), rows)
    else:
        problems = outside_ranges(case["name"], totals)
    for problem in problems[:20]:
        print(problem)
    if problems:
        sys.exit(f"{case['name']}: {len(problems)} differences")
    print(f"{case['name']}: {len(rows)} requests equal")


if __name__ == "__main__":
    main()
