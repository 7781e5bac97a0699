#!/usr/bin/env python3
"""Can every key that --json prints be explained, and is every key that the pages define printed?

    json_keys.py BINARY

Runs each verb that has --json, on inputs that bring out all it can print, and gathers the keys. The
pages are docs/metrics.md and docs/json.md, as `plimsoll list metrics` has them.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

BINARY = os.path.abspath(sys.argv[1])
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

MODEL = ["--model", "qwen/qwen3-14b"]
LIMITS = ["--slo-ttft", "1s", "--slo-itl", "1s", "--slo-e2e", "100s"]
COMMANDS = [
    ["run", *MODEL, "--rate", "5", "--num-requests", "6000", "--num-instances", "2",
     "--fitness-weights", "p99_ttft:3,throughput:1", "--detectors", "all", *LIMITS,
     "--trace-level", "decisions", "--counterfactual-k", "1"],
    ["run", *MODEL, "--workload-spec", "examples/workloads/tenants.yaml"],
    ["run", *MODEL, "--workload-spec", "examples/workloads/conversations.yaml"],
    ["replay", *MODEL, "--trace", "examples/azure.csv", "--trace-format", "azure"],
    ["compare", *MODEL, "--rate", "5", "--num-requests", "1000", "--vary", "tp=1,2",
     "--seeds", "2", "--fitness-weights", "p99_ttft:3", *LIMITS],
    ["describe", "examples/workloads/tenants.yaml"],
    ["describe", "examples/workloads/conversations.yaml"],
    ["validate", "examples/case", "tests/scenario/inputs/cases"],
    ["explain", "ttft"],
    ["list"],
]

# The members of these are called as users or other tables name them: flags, figures, tenants ...
FLAGS = {"config", "traffic"}
NAMES = FLAGS | {"per_class", "per_tenant", "targets", "components", "saturation", "metrics",
                 "slo_limits", "slo_attainment_by_dim"}
STATISTIC = re.compile("_(mean|p50|p90|p95|p99)_ms$")


def output_of(arguments):
    done = subprocess.run([BINARY, *arguments, "--json"], cwd=ROOT, capture_output=True, text=True,
                          check=False)
    if done.returncode:
        sys.exit(f"plimsoll {' '.join(arguments)} --json: {done.stderr}")
    return json.loads(done.stdout)


def keys_of(value):
    if isinstance(value, list):
        for item in value:
            yield from keys_of(item)
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            if key in NAMES and isinstance(inner, dict):
                yield from keys_of(list(inner.values()))
                yield from ("--" + flag for flag in inner if key in FLAGS)
            else:
                yield from keys_of(inner)


def main():
    topics = [topic["topic"] for topic in output_of(["list"])]
    printed = {}
    for command in COMMANDS + [["list", topic] for topic in topics]:
        for key in keys_of(output_of(command)):
            printed.setdefault(key, " ".join(command[:2]))
    defined = {row["name"] for row in output_of(["list", "metrics"])}
    # "ttft_p99_ms" is defined as "ttft".
    for key in set(printed) - defined:
        printed.setdefault(STATISTIC.sub("", key), printed.pop(key))
    flags = {key for key in printed if key.startswith("--")}
    failed = False
    for key in sorted(set(printed) - defined - flags):
        print(f"{key}: printed by {printed[key]}, in no table of docs/metrics.md and docs/json.md")
        failed = True
    for key in sorted(defined - set(printed)):
        print(f"{key}: defined in docs/metrics.md or docs/json.md, printed by no verb")
        failed = True
    for key in sorted(flags):
        if subprocess.run([BINARY, "explain", key], capture_output=True, check=False).returncode:
            print(f"{key}: plimsoll explain does not know it")
            failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main())
