"""Every verb that answers in text and JSON, on inputs that bring out all it can print. Imported by the tests
that look at all outputs: json_keys.py and every_line.py."""
import atexit
import functools
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import zlib

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
    ["run", *MODEL, "--rate", "9", "--num-requests", "2000", "--prompt-tokens", "4000", "--output-tokens", "200",
     "--prefill-instances", "1", "--decode-instances", "3", "--trace-level", "decisions"],
    ["run", *MODEL, "--rate", "20", "--num-requests", "3000", "--fleet", "examples/fleet/mixed.yaml"],
    ["replay", *MODEL, "--trace", "examples/azure.csv", "--trace-format", "azure"],
    ["compare", *MODEL, "--rate", "5", "--num-requests", "1000", "--vary", "tp=1,2",
     "--seeds", "2", "--fitness-weights", "p99_ttft:3", *LIMITS],
    ["compare", *MODEL, "--rate", "5", "--num-requests", "500", "--fleet", "examples/fleet/mixed.yaml",
     "--vary", "routing-policy=round-robin,least-loaded"],
    ["capacity", *MODEL, "--num-instances", "2", "--slo", "ttft_mean<300ms", "--precision", "5"],
    ["capacity", *MODEL, "--rate", "20", "--slo", "ttft_mean<300ms", "--no-model-error"],
    ["capacity", *MODEL, "--slo", "ttft_mean<1ms"],
    ["capacity", *MODEL, "--concurrency", "20", "--num-instances", "1", "--slo", "ttft_mean<300ms",
     "--no-model-error"],
    ["capacity", *MODEL, "--rate", "20", "--slo", "ttft_mean<300ms", "--no-model-error", "--min-instances",
     "--prompt-tokens", "60", "--output-tokens", "8", "--prefill-instances", "1", "--decode-instances", "1"],
    ["capacity", *MODEL, "--trace", "examples/azure.csv", "--trace-format", "azure", "--slo", "ttft_mean<1s"],
    ["plan", *MODEL, "--rate", "20", "--slo", "ttft_p90<500ms,itl_p90<100ms,e2e_p90<60s",
     "--gpu-types", "H100,L4", "--tp", "1", "--duration", "60", "--api-price", "1,4"],
    ["plan", *MODEL, "--rate", "20", "--slo", "ttft_p90<1ms", "--gpu-types", "H100", "--duration",
     "60", "--diff", "tests/scenario/inputs/plan_old.json", "--no-prefix-caching"],
    ["plan", *MODEL, "--rate", "5", "--slo", "ttft_p90<500ms", "--gpu-types", "MI300X", "--tp", "1",
     "--duration", "60"],
    ["plan", "tests/scenario/inputs/plan_two_models.yaml"],
    ["plan", "tests/scenario/inputs/plan_split.yaml", "--no-model-error"],
    ["plan", "tests/scenario/inputs/plan_mixed.yaml", "--no-model-error"],
    ["plan", "tests/scenario/inputs/plan_weights.yaml", "--no-model-error"],
    ["forecast", "examples/launch-week.yaml", "--actuals", "examples/launch-week-came.csv"],
    ["forecast", "tests/scenario/inputs/forecast.yaml", "--levers"],
    ["forecast", "tests/scenario/inputs/forecast_by_route.yaml", "--num-instances", "9"],
    ["forecast", "tests/scenario/inputs/forecast_launch.yaml"],
    ["forecast", "examples/providers.yaml"],
    ["describe", "examples/workloads/tenants.yaml"],
    ["describe", "examples/workloads/conversations.yaml"],
    ["validate", "examples/case", "tests/scenario/inputs/cases"],
    ["observe", "--model", "law", "--rate", "100", "--num-requests", "20", "--prompt-tokens", "20",
     "--output-tokens", "4", "--server-url", "URL", "--output", "OUTPUT",
     "--expect", "model=qwen3-14b hardware=H100"],
    ["observe", "--model", "law", "--rate", "100", "--num-requests", "2", "--server-url", "URL",
     "--request-timeout", "1ms", "--output", "OUTPUT"],
    ["calibrate", "--model", "llama-3.1-8b-instruct", "--trace-header", "examples/observed.yaml",
     "--trace-data", "examples/observed.csv"],
    ["runs", "list", "RUNS"],
    ["runs", "show", "RUNS/monday"],
    ["runs", "show", "RUNS/open"],
    ["runs", "compare", "RUNS/monday", "RUNS/tuesday"],
    ["explain", "ttft"],
    ["list"],
    ["list", "links"],
]


def make_runs(binary, folder):
    """Plans that were shared out: two are done, one was submitted."""
    plan = ["plan", *MODEL, "--rate", "5", "--slo", "ttft_p90<500ms", "--gpu-types", "H100", "--tp", "1",
            "--prompt-tokens", "60", "--output-tokens", "8", "--duration", "10", "--quiet", "--shards", "2"]
    for name, executor in (("monday", "local"), ("tuesday", "local"), ("open", "kubernetes")):
        subprocess.run([binary, *plan, "--executor", executor, "--journal", f"{folder}/{name}"], cwd=ROOT,
                       capture_output=True, check=True)
    text = '{"job":"7","shards":[0,1]}'
    measured = f"{len(text)} {text}"
    pathlib.Path(folder, "open", "jobs.record").write_text(f"{zlib.crc32(measured.encode()):08x} {measured}\n",
                                                           encoding="utf-8")


@functools.lru_cache(maxsize=None)
def runs_of(binary):
    """The folder of make_runs(), which is read alone: made once."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    make_runs(binary, folder.name)
    return folder.name


def answer_of(binary, server, arguments, env=None):
    """What BINARY prints; SERVER is the step_law_server, for `observe`, RUNS the folder of make_runs(), SUMMARY a
    file that is returned, too, after a form feed."""
    with tempfile.TemporaryDirectory() as folder:
        summary = pathlib.Path(folder, "summary")
        words = [binary, *(str(summary) if word == "SUMMARY" else word for word in arguments)]
        if "OUTPUT" in words:
            words[words.index("OUTPUT")] = os.path.join(folder, "observed")
        if any(word.startswith("RUNS") for word in words):
            words = [word.replace("RUNS", runs_of(binary)) if word.startswith("RUNS") else word for word in words]
        if "URL" in words:
            line = " ".join('"$SERVER_URL"' if w == "URL" else shlex.quote(w) for w in words)
            words = [server, "--base-ms", "1", "--", "sh", "-c", line]
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False,
                              env={**os.environ, **(env or {})})
        if not done.stdout:
            sys.exit(f"plimsoll {' '.join(arguments)}: {done.stderr}")
        return done.stdout + ("\f" + summary.read_text("utf-8") if "SUMMARY" in arguments else "")
