#!/usr/bin/env python3
"""Do the published traces describe, convert and replay as a few lines of Python say they should?

Usage: real_traces_test.py PLIMSOLL SHARED_FOLDER. Passes without doing anything where the traces
are not at hand.
"""
import csv
import datetime
import gzip
import json
import math
import pathlib
import subprocess
import sys
import tempfile

BLOCK = 16


def azure(path):
    with open(path, encoding="utf-8") as rows:
        for row in csv.DictReader(rows):
            seconds, _, fraction = row["TIMESTAMP"].partition(".")
            at = datetime.datetime.fromisoformat(seconds).replace(tzinfo=datetime.timezone.utc)
            yield (at.timestamp() + float("0." + (fraction or "0")), int(row["ContextTokens"]),
                   int(row["GeneratedTokens"]), [], 1)


def blocks(path, key, per_second, tokens):
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            yield (row[key] / per_second, row["input_length"], row["output_length"],
                   row["hash_ids"], tokens)


def hits(rows):
    """Tokens that a cache without limits finds: a path of ids seen before, in blocks of 16."""
    seen = set()
    total = 0
    for _, prompt, _, ids, size in rows:
        path = []
        found = 0
        known = True
        for index, number in enumerate(ids):
            path.append(number)
            end = min((index + 1) * size, prompt)
            mark = hash(tuple(path)) if len(path) < 2 else hash((mark, number))
            known = known and (mark, end) in seen
            if known:
                found = end
            seen.add((mark, end))
        total += min(found, prompt - 1) // BLOCK * BLOCK
    return total


def percentile(values, p):
    values = sorted(values)
    rank = p / 100 * (len(values) - 1)
    low = math.floor(rank)
    high = min(low + 1, len(values) - 1)
    return values[low] + (rank - low) * (values[high] - values[low])


def close(what, got, want, tolerance=1e-6):
    assert abs(got - want) <= tolerance * max(1, abs(want)), f"{what}: {got}, expected {want}"


def check_shape(shape, rows):
    first = min(row[0] for row in rows) if rows[0][4] == 1 else 0
    times = sorted(row[0] - first for row in rows)
    gaps = [b - a for a, b in zip(times, times[1:])]
    mean = sum(gaps) / len(gaps)
    spread = math.sqrt(sum((gap - mean) ** 2 for gap in gaps) / (len(gaps) - 1))
    assert shape["requests"] == len(rows)
    close("rate", shape["arrivals"]["mean_rps"], (len(rows) - 1) / (times[-1] - times[0]))
    close("CV of the gaps", shape["arrivals"]["gap_cv"], spread / mean, 1e-4)
    for window in shape["arrivals"]["windows"]:
        width = window["width_s"]
        counts = [0] * (int(times[-1] // width) + 1)
        for time in times:
            counts[int(time // width)] += 1
        close("peak", window["peak_rps"], max(counts) / width)
        whole = counts[:int(times[-1] // width)]
        if window["index_of_dispersion"] is not None:
            m = sum(whole) / len(whole)
            variance = sum((count - m) ** 2 for count in whole) / (len(whole) - 1)
            close("dispersion", window["index_of_dispersion"], variance / m, 1e-3)
    for key, column in (("prompt_tokens", 1), ("output_tokens", 2)):
        values = [row[column] for row in rows]
        assert shape[key]["total"] == sum(values)
        assert shape[key]["max"] == max(values)
        for p in (50, 90, 95, 99):
            close(f"{key} p{p}", shape[key][f"p{p}"], percentile(values, p))
        assert sum(bin["requests"] for bin in shape[key]["histogram"]) == len(rows)
    # Ids of different blocks never stand for the same tokens, but a trace may say otherwise.
    reuse = shape["prefix_reuse"]  # null: the trace does not tell prefixes
    close("hits", reuse["hit_tokens"] if reuse else 0, hits(rows), 1e-3)


def run(plimsoll, folder, *arguments):
    return subprocess.run([plimsoll, *arguments], cwd=folder, check=True, timeout=300,
                          stdout=subprocess.PIPE).stdout


def check_trace(plimsoll, form, path, rows):
    with tempfile.TemporaryDirectory() as folder:
        check_shape(json.loads(run(plimsoll, folder, "describe", str(path), "--json")), rows)
        run(plimsoll, folder, "convert", form, "--trace", str(path), "--output", "t")
        check_shape(json.loads(run(plimsoll, folder, "describe", "t.csv", "--json")), rows)
        replay = ["replay", "--model", "qwen/qwen3-14b", "--num-instances", "8", "--quiet",
                  "--results-path"]
        run(plimsoll, folder, *replay, "a.csv", "--trace", str(path), "--trace-format", form)
        run(plimsoll, folder, *replay, "b.csv", "--trace-header", "t.yaml", "--trace-data", "t.csv")
        results = [(pathlib.Path(folder) / name).read_bytes() for name in ("a.csv", "b.csv")]
        assert results[0] == results[1], f"{path} and its conversion replay differently"
        run(plimsoll, folder, "convert", "tracev2", "--trace-header", "t.yaml", "--trace-data",
            "t.csv", "--output", "fitted.yaml")


def main():
    plimsoll, traces = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]) / "data/traces"
    if not traces.is_dir():
        print("no published traces here")
        return
    for name in ("code", "conv"):
        path = traces / f"azure-llm-2023/AzureLLMInferenceTrace_{name}.csv"
        check_trace(plimsoll, "azure", path, list(azure(path)))
    for name in ("conversation", "synthetic"):
        path = traces / f"mooncake-fast25/{name}_trace.jsonl.gz"
        check_trace(plimsoll, "mooncake", path, list(blocks(path, "timestamp", 1e3, 512)))
    for name in ("llama-3.1-8b", "qwen3-32b"):
        path = traces / f"sharegpt-llmservingsim/sharegpt-{name}-300-sps10.jsonl.gz"
        check_trace(plimsoll, "sharegpt", path, list(blocks(path, "timestamp_us", 1e6, 16)))
    print("all published traces agree")


if __name__ == "__main__":
    main()
