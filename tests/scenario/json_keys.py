#!/usr/bin/env python3
"""Can every key that --json prints be explained, and is every key that the pages define printed?

    json_keys.py BINARY SERVER

Runs each verb that has --json, on inputs that bring out all it can print, and gathers the keys. The
pages are metrics*.md and json*.md of docs/reference/, as `plimsoll list metrics` has them. SERVER is the
step_law_server, for `observe`.
"""
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

BINARY, SERVER = map(os.path.abspath, sys.argv[1:])
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

MODEL = ["--model", "qwen/qwen3-14b"]
LIMITS = ["--slo-ttft", "1s", "--slo-itl", "1s", "--slo-e2e", "100s"]
COMMANDS = [
    ["run", *MODEL, "--rate", "5", "--num-requests", "6000", "--num-instances", "2",
     "--fitness-weights", "p99_ttft:3,throughput:1", "--detectors", "all", *LIMITS,
     "--trace-level", "decisions", "--counterfactual-k", "1"],
    ["run", *MODEL, "--workload-spec", "examples/workloads/tenants.yaml"],
    ["run", *MODEL, "--workload-spec", "examples/workloads/conversations.yaml"],
    ["run", *MODEL, "--concurrency", "2", "--num-requests", "10"],
    ["replay", *MODEL, "--trace", "examples/azure.csv", "--trace-format", "azure"],
    ["compare", *MODEL, "--rate", "5", "--num-requests", "1000", "--vary", "tp=1,2",
     "--seeds", "2", "--fitness-weights", "p99_ttft:3", *LIMITS],
    ["capacity", *MODEL, "--num-instances", "2", "--slo", "ttft_mean<300ms"],
    ["capacity", *MODEL, "--rate", "20", "--slo", "ttft_mean<300ms", "--no-model-error"],
    ["capacity", *MODEL, "--slo", "ttft_mean<1ms"],
    ["plan", *MODEL, "--rate", "20", "--slo", "ttft_p90<500ms,itl_p90<100ms,e2e_p90<60s",
     "--gpu-types", "H100,L4", "--duration", "60", "--api-price", "1,4"],
    ["plan", *MODEL, "--rate", "20", "--slo", "ttft_p90<1ms", "--gpu-types", "H100", "--duration",
     "60", "--diff", "tests/scenario/inputs/plan_old.json", "--no-prefix-caching"],
    ["plan", *MODEL, "--rate", "5", "--slo", "ttft_p90<500ms", "--gpu-types", "MI300X", "--duration",
     "60"],
    ["plan", "examples/plan/fleet.yaml", "--max-gpus", "4"],
    ["forecast", "examples/launch-week.yaml", "--actuals", "examples/launch-week-came.csv"],
    ["forecast", "tests/scenario/inputs/forecast.yaml", "--levers"],
    ["forecast", "examples/by-route.yaml"],
    ["describe", "examples/workloads/tenants.yaml"],
    ["describe", "examples/workloads/conversations.yaml"],
    ["validate", "examples/case", "tests/scenario/inputs/cases"],
    ["observe", "--model", "law", "--rate", "100", "--num-requests", "20", "--prompt-tokens", "20",
     "--output-tokens", "4", "--server-url", "URL", "--output", "OUTPUT"],
    ["observe", "--model", "law", "--rate", "100", "--num-requests", "2", "--server-url", "URL",
     "--request-timeout", "1ms", "--output", "OUTPUT"],
    ["calibrate", "--model", "llama-3.1-8b-instruct", "--trace-header", "examples/observed.yaml",
     "--trace-data", "examples/observed.csv"],
    ["explain", "ttft"],
    ["list"],
]

# The members of these are called as users or other tables name them: flags, figures, tenants ...
FLAGS = {"config", "traffic", "flags"}
NAMES = FLAGS | {"per_class", "per_tenant", "targets", "components", "saturation", "metrics",
                 "slo_limits", "slo_attainment_by_dim", "parameters", "files"}
STATISTIC = re.compile("_(mean|p50|p90|p95|p99)_ms$")


def output_of(arguments):
    with tempfile.TemporaryDirectory() as folder:
        words = [BINARY, *arguments, "--json"]
        if "OUTPUT" in words:
            words[words.index("OUTPUT")] = os.path.join(folder, "observed")
        if "URL" in words:
            line = " ".join('"$SERVER_URL"' if w == "URL" else shlex.quote(w) for w in words)
            words = [SERVER, "--base-ms", "1", "--", "sh", "-c", line]
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    if not done.stdout:
        sys.exit(f"plimsoll {' '.join(arguments)} --json: {done.stderr}")
    return json.loads(done.stdout)


def verbs_with_json():
    for verb in output_of(["list", "verbs"]):
        page = subprocess.run([BINARY, "help", *verb["name"].split()], capture_output=True,
                              text=True, check=True).stdout
        if "--json" in page:
            yield verb["name"]


def keys_of(value):
    if isinstance(value, list):
        for item in value:
            yield from keys_of(item)
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            is_candidate = key == "config" and "gpu_type" in inner  # of a plan: no settings
            if key in NAMES and isinstance(inner, dict) and not is_candidate:
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
    for verb in sorted(set(verbs_with_json()) - {command[0] for command in COMMANDS}):
        print(f"{verb}: has --json, and no command here that shows its keys")
        failed = True
    for key in sorted(set(printed) - defined - flags):
        print(f"{key}: printed by {printed[key]}, in no table of docs/reference/")
        failed = True
    for key in sorted(defined - set(printed)):
        print(f"{key}: defined in docs/reference/, printed by no verb")
        failed = True
    for key in sorted(flags):
        if subprocess.run([BINARY, "explain", key], capture_output=True, check=False).returncode:
            print(f"{key}: plimsoll explain does not know it")
            failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main())
