#!/usr/bin/env python3
"""Does every command that a report prints give the figures beside it?

    printed_commands.py BINARY

Asks each verb, in its text, its JSON and its page, takes the commands out of the answers and runs
them in a shell. What is asked has what is easily lost on the way: folders with spaces, switches on
and off, profiles, calibrations, policy bundles, data-parallel ranks.
"""
import html
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

BINARY = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
SHORT = ["--prompt-tokens", "60", "--output-tokens", "8"]
DENSE = ["--model", "llama-3.1-8b-instruct", "--hardware", "H100", *SHORT]
MOE = ["--model", "gpt-oss-20b", "--tp", "1", "--dp", "2", "--enable-expert-parallel",
       "--no-prefix-caching", "--no-chunked-prefill=false", *SHORT]
LIMIT = ["--slo", "ttft_p90<1s"]
PLANNED = ["--gpu-types", "H100", "--duration", "10", "--no-model-error", "--no-timing"]
REQUEST = """
profile: measured here
workload: {rate: 10, prompt_length: {mean: 60, std: 10}, output_length: {mean: 8, std: 2}}
constraints: {slo: "ttft_p90<500ms"}
config_space: {gpu_types: [A100-80], tp_sizes: [1]}
simulation: {duration: 10}
"""
FLEET = """
models:
- {name: one, model: llama-3.1-8b-instruct, constraints: {slo: "ttft_p90<1s"},
   workload: {rate: 4, prompt_length: {mean: 60}, output_length: {mean: 8}}}
- {name: two, model: qwen/qwen3-14b, constraints: {slo: "ttft_p90<1s"},
   workload: {rate: 2, prompt_length: {mean: 60}, output_length: {mean: 8}}}
config_space: {gpu_types: [H100], tensor_parallel: [1]}
simulation: {duration: 10}
"""
BUNDLE = "admission: {policy: always-admit}\nrouting: {policy: least-loaded}\n"


class Shell:
    """Runs in a folder that holds the inputs."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        shutil.copytree(ROOT / "examples" / "profile", self.folder / "measured here")
        shutil.copytree(ROOT / "examples", self.folder / "examples")
        shutil.copy(ROOT / "examples" / "clients.yaml", self.folder / "the clients.yaml")
        for name, text in (("plan.yaml", REQUEST), ("fleet.yaml", FLEET), ("bundle.yaml", BUNDLE)):
            (self.folder / name).write_text(text)

    def run(self, command):
        path = {"PATH": f"{BINARY.parent}:{os.environ['PATH']}", "SOURCE_DATE_EPOCH": "0"}
        done = subprocess.run(["sh", "-c", command], cwd=self.folder, text=True, check=False,
                              env={**os.environ, **path}, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
        assert done.returncode in (0, 1) and done.stdout, f"{command}\n{done.stderr}"
        return done.stdout

    def text(self, words, *more):
        return self.run(shlex.join(["plimsoll", *words, *more]))

    def json(self, words, *more):
        return json.loads(self.text(words, *more, "--json"))

    def figures(self, command, *more):
        return json.loads(self.run(f"{command} --json {shlex.join(more)}"))


def next_commands(text):
    """Those below `next`, each on one line."""
    _, _, rest = text.partition("\n  next ")
    lines = re.sub(r" \\\n +", " ", rest).splitlines()
    return [line.strip() for line in lines if line.strip().startswith("plimsoll ")]


def page_commands(page):
    blocks = re.findall(r"<pre[^>]*>(.*?)</pre>", page, re.S)
    texts = [html.unescape(re.sub("<[^>]*>", "", block)) for block in blocks]
    return [text for text in texts if text.startswith("plimsoll ")]


def expect_same(expected, figures, command):
    for key, value in expected.items():
        assert figures[key] == value, f"{key}: {value} beside a command that gives {figures[key]}\n" \
                                      f"{command}"


def of_plan(best):
    shown = best["performance"]
    return {"ttft_p95_ms": shown["p95_ttft_ms"], "ttft_p99_ms": shown["p99_ttft_ms"],
            "itl_p99_ms": shown["p99_tbt_ms"], "e2e_p95_ms": shown["p95_latency_ms"]}


# Of a plan that was made with --journal: the same question has its tests already.
AGAIN = ["--resume", "the journal"]


def check_plan(shell, words):
    answer = shell.json(words, "--html", "plan page.html", "--emit", "vllm", "--output-dir", "deploy",
                        "--journal", AGAIN[1])
    best = answer["best_configuration"]
    assert next_commands(shell.text(words, *AGAIN)) == [best["run"]], "the text has another command"
    expect_same(of_plan(best), shell.figures(best["run"], "--no-model-error"), best["run"])
    emitted = (shell.folder / "deploy" / "simulate.sh").read_text()
    if "$HERE/" in emitted:
        expect_same(of_plan(best), shell.figures("sh deploy/simulate.sh"), emitted)
    else:
        assert f"exec {best['run']} " in emitted.replace(" \\\n  ", " "), emitted
    repeated, *others, alone = page_commands((shell.folder / "plan page.html").read_text())
    assert alone == best["run"], "the page has another command"
    files = f"{repeated} --emit vllm --output-dir deployment"
    assert files in others, others
    doubled = [command for command in others if command != files]
    for command in doubled:  # the same plan for twice the rate
        said, again = set(shlex.split(command)), set(shlex.split(repeated))
        assert len(said ^ again) <= 3, f"{command} beside {repeated}"
        assert shell.figures(command, "--no-timing")["best_configuration"], command
    assert shell.figures(repeated, "--no-timing", *AGAIN) == answer, repeated


def check_fleet(shell, words):
    answer = shell.json(words, "--html", "fleet.html", "--journal", AGAIN[1])
    commands = next_commands(shell.text(words, *AGAIN))
    planned = [model["configuration"] for model in answer["models"]]
    assert commands == [best["run"] for best in planned]
    for best in planned:
        expect_same(of_plan(best), shell.figures(best["run"], "--no-model-error"), best["run"])
    repeated, *alone = page_commands((shell.folder / "fleet.html").read_text())
    assert alone == commands
    assert shell.figures(repeated, "--no-timing", *AGAIN) == answer, repeated


def check_capacity(shell, words):
    answer = shell.json(words)
    [command] = next_commands(shell.text(words))
    figures = shell.figures(command, "--no-model-error")
    said = dict(zip(shlex.split(command), shlex.split(command)[1:]))
    [test] = [t for t in answer["evidence"] if t["rate_rps"] == float(said["--rate"]) and
              t["instances"] == int(said["--num-instances"])]
    assert test["answer"] == "holds", command
    expect_same({k: test[k] for k in ("ttft_p99_ms", "tpot_mean_ms", "e2e_p99_ms")}, figures, command)


def check_compare(shell, words):
    answer = shell.json(words)
    *again, best = next_commands(shell.text(words))
    [variant] = [v for v in answer["variants"] if v["name"] == answer["leading"]]
    figures = shell.figures(best, "--no-model-error")
    expect_same({key: figure["by_seed"][0] for key, figure in variant["figures"].items()
                 if key in figures}, figures, best)
    for command in again:
        shell.run(command)


def check_forecast(shell, words):
    answer = shell.json(words, "--html", "forecast.html")
    assert json.loads(shell.run(answer["command"] + " --json")) == answer
    assert page_commands((shell.folder / "forecast.html").read_text()) == [answer["command"]]


def check_run(shell, words):
    """What is worth a run next is the same but for one flag."""
    before = shell.json(words)["config"]
    for command in next_commands(shell.text(words)):
        after = shell.figures(command)["config"]
        changed = {k for k in after if before.get(k) != after[k]} - {"num-requests"}
        assert len(changed) <= 1, f"{command} changes {changed}"


def check_runs(shell, words):
    for command in next_commands(shell.text(words)):
        shell.run(command)


CASES = [
    (check_plan, ["plan", "plan.yaml", "--no-model-error", "--no-timing"]),
    (check_plan, ["plan", "plan.yaml", "--no-model-error", "--no-timing", "--profile", "measured here", "--telemetry",
                  "examples/telemetry.json"]),
    (check_plan, ["plan", *MOE, *LIMIT, "--rate", "20", *PLANNED]),
    (check_plan, ["plan", "--model", "llama-3.1-8b-instruct", *LIMIT, "--tp", "1", "--rate", "4",
                  "--workload-spec", "the clients.yaml", *PLANNED, "--policy-config", "bundle.yaml"]),
    (check_plan, ["plan", *DENSE[:2], *SHORT, *LIMIT, "--tp", "1", *PLANNED]),
    (check_fleet, ["plan", "fleet.yaml", "--no-model-error", "--no-timing"]),
    (check_capacity, ["capacity", *DENSE, *LIMIT, "--rate", "60", "--no-model-error"]),
    (check_capacity, ["capacity", *MOE, "--hardware", "H100", *LIMIT, "--no-model-error"]),
    (check_capacity, ["capacity", "--profile", "measured here", "--model", "meta-llama/llama-2-7b-hf",
                      "--hardware", "A100-80", *SHORT, *LIMIT, "--rate", "12",
                      "--no-model-error", "--policy-config", "bundle.yaml"]),
    (check_compare, ["compare", *DENSE, "--rate", "4", "--num-requests", "400", "--seeds", "2",
                     "--no-prefix-caching", "--variant", "few: --max-num-seqs 8",
                     "--variant", "many: --no-prefix-caching=false"]),
    (check_forecast, ["forecast", "examples/launch-week.yaml"]),
    (check_run, ["run", *DENSE, "--rate", "4", "--num-requests", "3000", "--no-prefix-caching"]),
    (check_run, ["run", "--profile", "measured here", "--model", "meta-llama/llama-2-7b-hf", "--hardware",
                 "A100-80", "--rate", "4", "--num-requests", "2000", *SHORT]),
    (check_run, ["run", *MOE, "--hardware", "H100", "--rate", "900", "--num-requests", "2000"]),
    (check_runs, ["replay", "--model", "llama-3.1-8b-instruct", "--trace", "examples/azure.csv",
                  "--trace-format", "azure"]),
    (check_runs, ["describe", "--rate", "4", "--num-requests", "50"]),
    (check_runs, ["describe", "the clients.yaml"]),
    (check_runs, ["calibrate", "--profile", "measured here", "--output", "found it.yaml"]),
]


def main():
    for check, words in CASES:
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(Shell(folder), words)
            except (AssertionError, KeyError, ValueError) as failure:
                sys.exit(f"plimsoll {shlex.join(words)}\n{type(failure).__name__}: {failure}")


main()
