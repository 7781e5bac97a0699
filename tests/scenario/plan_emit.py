#!/usr/bin/env python3
"""Do the files of `plan --emit` say what the plan says?

The simulation behind it gives the plan's figures to the last digit, and the load test is a command
line that `observe` takes. What the servers are told, read back as flags of `run`, is what was
simulated: the same bytes.

    plan_emit.py BINARY [all]

Of the deployments, all or every fifth.
"""
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
LENGTHS = pathlib.Path(__file__).resolve().parents[2] / "examples" / "workloads" / "lengths.yaml"
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


# Each is a deployment of its own: what is easily lost on the way to the servers.
SHORT = "--duration 10 --rate 4 --prompt-tokens 200 --output-tokens 40 --slo ttft_p90<2s"
MOE = "--model gpt-oss-20b --gpu-types H100 --tp 1 --dp 2"
DENSE = "--model qwen/qwen3-14b --gpu-types H100"
DEPLOYMENTS = [
    f"{MOE} --enable-expert-parallel --max-num-seqs 64 --max-num-batched-tokens 4096",
    f"{MOE} --pp 2 --max-num-seqs 32 --no-prefix-caching --total-kv-blocks 4000",
    f"{MOE} --enable-expert-parallel --moe-comm-backend deepep_low_latency --expert-imbalance 1.2",
    f"{DENSE} --tp 2 --pp 2 --max-num-batched-tokens 1024 --no-async-scheduling",
    f"{DENSE} --tp 1 --quantization fp8 --kv-cache-dtype fp8 --gpu-memory-utilization 0.8",
    f"{DENSE} --tp 1 --quantization int4 --long-prefill-token-threshold 256 --max-model-len 8192",
    f"{DENSE} --tp 1 --no-chunked-prefill --max-model-len 4096 --block-size-in-tokens 32",
    f"{DENSE} --tp 1 --num-speculative-tokens 3 --acceptance-rate 0.6 --draft-ms 0",
    f"{DENSE} --tp 1 --num-speculative-tokens 2 --acceptance-rate 0.5 --draft-model qwen/qwen3-0.6b",
    f"{DENSE} --tp 1 --num-instances 3 --routing-policy weighted --routing-scorers load-balance:2",
    f"{DENSE} --tp 1 --scheduler priority-fcfs --preemption-policy priority --sampling top-p",
    f"{DENSE} --tp 1 --batching-rule orca --scheduler sjf --admission-policy token-bucket",
    f"{DENSE} --tp 1 --num-instances 2 --spare-instances 1 --cache-signal-delay 1000",
]

FORMS = ("vllm", "kubernetes", "llm-d", "dynamo")

# vLLM's arguments as `run` has them; the rest are called alike.
AS_FLAGS = {"--tensor-parallel-size": "--tp", "--pipeline-parallel-size": "--pp",
            "--data-parallel-size": "--dp", "--block-size": "--block-size-in-tokens",
            "--no-enable-prefix-caching": "--no-prefix-caching",
            "--no-enable-chunked-prefill": "--no-chunked-prefill",
            "--all2all-backend": "--moe-comm-backend"}
SWITCHES = {"--enable-expert-parallel", "--no-prefix-caching", "--no-chunked-prefill",
            "--async-scheduling"}
# What simulate.sh says of the traffic and of how steps are timed; servers are not told.
TRAFFIC = {"--model", "--hardware", "--rate", "--num-requests", "--seed", "--warmup",
           *(f"--{side}-tokens{part}" for side in ("prompt", "output")
             for part in ("", "-stdev", "-min", "-max"))}


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
    # That of the plan is of the steady state, that of the run of all of it.
    ends = figures["intervals"]["tokens_per_sec"]
    assert ends["low"] < best["performance"]["tokens_per_sec"] < ends["high"], ends
    assert (folder / "deploy" / "calibration.yaml").exists() == ("profile" in request)
    test = run(folder, "sh", "deploy/load_test.sh", URL="http://127.0.0.1:9")
    assert test.returncode == 3 and "no connection" in test.stderr, test.stderr
    if "qwen3-14b" in request:  # a short name, which no model hub knows
        assert "MODEL=Qwen/Qwen3-14B\n" in (folder / "deploy" / "serve.sh").read_text()
    shell = run(folder, "sh", "-n", "deploy/serve.sh")
    assert shell.returncode == 0, shell.stderr


def read(path):
    """With each note in one line."""
    return path.read_text().replace("\n# ", " ")


def served(folder, form):
    """The words after `vllm serve MODEL --port`, the replicas and the whole file."""
    if form == "vllm":
        script = (folder / "serve.sh").read_text()
        command = script[script.index("exec vllm serve"):].replace("\\\n", " ")
        words = shlex.split(command, comments=True)[6:]
        text = read(folder / "serve.sh")
        [replicas] = re.findall(r"Start (\d+) instance", text)
        return words, int(replicas), text
    text = read(folder / {"kubernetes": "deployment.yaml", "llm-d": "values.yaml",
                          "dynamo": "graph.yaml"}[form])
    [listed] = re.findall(r"args: \[(.*?)\]", text, re.S)
    words = [json.loads(w) if w.startswith('"') else w
             for w in re.findall(r'"(?:[^"\\]|\\.)*"|[^,\s]+', listed)]
    for argument, key in (("--tensor-parallel-size", "tensor"), ("--data-parallel-size", "data")):
        size = re.search(rf"^ +{key}: (\d+)", text, re.M)  # the chart makes arguments of them
        words += [argument, size[1]] if size else []
    # Of a graph the first is its frontend.
    return words, int(re.findall(r"^ +replicas: (\d+)", text, re.M)[-1]), text


def words_of_run(words, replicas, text):
    """Flags of `run` for what the servers are told, comments on what they are not told included."""
    flags = []
    words = iter(words)
    for word in words:
        name = AS_FLAGS.get(word, word)
        if name in SWITCHES:
            flags += [] if name == "--async-scheduling" else [name]
            continue
        value = next(words)
        if name == "--kv-cache-dtype":
            value = {"bfloat16": "bf16", "float16": "fp16"}.get(value, value)
        if name == "--num-gpu-blocks-override":
            ranks = re.search(r"--data-parallel-size\W+(\d+)|data: (\d+)", text)
            name = "--total-kv-blocks"
            value = int(value) * int((ranks[1] or ranks[2]) if ranks else 1)
        if name == "--scheduling-policy":
            flags += ["--scheduler", "priority-fcfs", "--preemption-policy", "priority"]
        elif name == "--speculative-config":
            draft = json.loads(value)
            flags += ["--num-speculative-tokens", draft["num_speculative_tokens"]]
            flags += ["--draft-model", draft["model"]] if "model" in draft else ["--draft-ms", "0"]
        else:
            flags += [name, value]
    unset = re.findall(r"Not set here: (.*?)\. ", text)
    for flag in unset:
        flags += shlex.split(flag) if flag.startswith("--") else []
    if "--async-scheduling" not in text and "asynchronous scheduling" not in unset:
        flags.append("--no-async-scheduling")
    spare = re.search(r"(\d+) of the \d+ instances? (?:is|are) spare", text)
    return [*map(str, flags), "--num-instances", str(replicas - int(spare[1] if spare else 0))]


def traffic_of(script):
    command = script[script.index("exec plimsoll run"):].replace("\\\n", " ")
    words = shlex.split(command, comments=True)[3:]
    assert words.pop() == "$@"
    pairs = [[]]
    for word in words:
        pairs += [[word]] if word.startswith("--") else []
        pairs[-1] += [] if word.startswith("--") else [word]
    return [word for pair in pairs[1:] if pair[0] in TRAFFIC for word in pair]


def check_round_trip(folder, deployment, form):
    planned = run(folder, BINARY, "plan", *f"{deployment} {SHORT}".split(), "--json", "--emit", form,
                  "--output-dir", form)
    assert planned.returncode == 0, f"{planned.stdout}{planned.stderr}"
    script = (folder / form / "simulate.sh").read_text()
    simulated = run(folder, "sh", f"{form}/simulate.sh", "--json")
    words, replicas, text = served(folder / form, form)
    told = [BINARY, "run", *traffic_of(script), *words_of_run(words, replicas, text), "--json"]
    again = run(folder, *told)
    assert again.returncode == 0, f"{shlex.join(map(str, told))}\n{again.stderr}"
    expected, figures = json.loads(simulated.stdout), json.loads(again.stdout)
    for answer in (expected, figures):
        del answer["config"]  # it says which values are defaults
    assert expected == figures, f"{form}: {deployment}\n{shlex.join(map(str, told))}\n{script}"
    gpus = json.loads(planned.stdout)["best_configuration"]["num_gpus_per_replica"]
    stated = re.search(r'Start \d+ instances?, (?:each )?on (\d+)|nvidia.com/gpu: (\d+)|^ +gpu: "(\d+)"',
                       text, re.M)
    assert gpus == int(stated[1] or stated[2] or stated[3]), f"{form}: {deployment}"


def check_moved(folder):
    """What is read lies beside the scripts: they run in another folder, without those of the plan."""
    shutil.copytree(LENGTHS.parent, folder / "specs")
    planned = run(folder, BINARY, "plan", *DENSE.split(), "--tp", "1", "--duration", "10", "--rate", "2",
                  "--workload-spec", "specs/lengths.yaml", "--json", "--emit", "vllm", "--output-dir", "deploy")
    assert planned.returncode == 0, planned.stderr
    best = json.loads(planned.stdout)["best_configuration"]
    shutil.rmtree(folder / "specs")
    (folder / "deploy").rename(folder / "an other")
    elsewhere = folder / "here"
    elsewhere.mkdir()
    simulated = run(elsewhere, "sh", "../an other/simulate.sh", "--json", "--no-model-error")
    assert simulated.returncode == 0, simulated.stderr
    assert best["performance"]["p99_ttft_ms"] == json.loads(simulated.stdout)["ttft_p99_ms"]
    test = run(elsewhere, "sh", "../an other/load_test.sh", URL="http://127.0.0.1:9")
    assert test.returncode == 3 and "no connection" in test.stderr, test.stderr


def main():
    with tempfile.TemporaryDirectory() as name:
        check_moved(pathlib.Path(name))
    step = 1 if "all" in sys.argv[2:] else 5
    for i, deployment in list(enumerate(DEPLOYMENTS))[::step]:
        with tempfile.TemporaryDirectory() as name:
            check_round_trip(pathlib.Path(name), deployment, FORMS[i % len(FORMS)])
    for request in REQUESTS.values():
        with tempfile.TemporaryDirectory() as name:
            check(pathlib.Path(name), request)


main()
