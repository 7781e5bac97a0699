#!/usr/bin/env python3
"""Do the files of `plan --emit` say what the plan says?

The simulation behind it gives the plan's figures to the last digit, and the load test is a command
line that `observe` takes.

    plan_emit.py BINARY
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

BINARY = pathlib.Path(sys.argv[1]).resolve()
PROFILE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "profile"
REQUESTS = {
    "catalog": """
model: qwen3-14b
workload: {rate: 10, prompt_length: {mean: 100, std: 20}, output_length: {mean: 20, std: 5}}
constraints: {slo: "ttft_p90<500ms"}
config_space: {gpu_types: [H100], tp_sizes: [1], max_batch_sizes: [32]}
simulation: {duration: 10, random_seed: 7}
""",
    "profile": f"""
profile: "{PROFILE}"
workload: {{rate: 10, prompt_length: {{mean: 100, std: 20}}, output_length: {{mean: 20, std: 5}}}}
constraints: {{slo: "ttft_p90<500ms"}}
config_space: {{gpu_types: [A100-80], tp_sizes: [1], schedulers: [sarathi]}}
simulation: {{duration: 10}}
""",
}


def run(folder, *command, **environment):
    path = {"PATH": f"{BINARY.parent}:{os.environ['PATH']}"}
    return subprocess.run(command, cwd=folder, env={**os.environ, **path, **environment},
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, text=True)


def check(folder, request):
    (folder / "request.yaml").write_text(request)
    planned = run(folder, BINARY, "plan", "request.yaml", "--json", "--emit", "vllm",
                  "--output-dir", "deploy")
    assert planned.returncode == 0, planned.stderr
    best = json.loads(planned.stdout)["best_configuration"]
    simulated = run(folder, "sh", "deploy/simulate.sh", "--json", "--no-model-error")
    assert simulated.returncode == 0, simulated.stderr
    figures = json.loads(simulated.stdout)
    for plan_key, run_key in (("p99_ttft_ms", "ttft_p99_ms"), ("p99_tbt_ms", "itl_p99_ms"),
                              ("p95_latency_ms", "e2e_p95_ms")):
        assert best["performance"][plan_key] == figures[run_key], (plan_key, figures[run_key])
    ends = figures["intervals"]["tokens_per_sec"]  # of the steady state, as the plan's figure is
    assert best["performance"]["tokens_per_sec"] == (ends["low"] + ends["high"]) / 2, ends
    assert (folder / "deploy" / "calibration.yaml").exists() == ("profile" in request)
    test = run(folder, "sh", "deploy/load_test.sh", URL="http://127.0.0.1:9")
    assert test.returncode == 3 and "no connection" in test.stderr, test.stderr
    if "qwen3-14b" in request:  # a short name, which no model hub knows
        assert "MODEL=Qwen/Qwen3-14B\n" in (folder / "deploy" / "serve.sh").read_text()
    shell = run(folder, "sh", "-n", "deploy/serve.sh")
    assert shell.returncode == 0, shell.stderr


def main():
    for request in REQUESTS.values():
        with tempfile.TemporaryDirectory() as name:
            check(pathlib.Path(name), request)


main()
