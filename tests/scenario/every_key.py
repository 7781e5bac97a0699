#!/usr/bin/env python3
"""Does every key that a reader knows count for something?

    every_key.py BINARY

For each format there are documents that together have every key that its page names. Each value is
changed in turn, and what the program prints has to change, too, or to be an error, or to say on
stderr that the key has no effect. REMARKS are the keys that the pages call remarks.

Readers of reader_documents.py are asked less: a value that is absurd, or a key that nobody knows,
has to be an error that names it.
"""
import copy
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from reader_documents import STRICT

BINARY = os.path.abspath(sys.argv[1])
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def length(tokens):
    return {"type": "constant", "params": {"value": tokens}}


def client(name, **more):
    return {"id": name, "rate_fraction": 1, "arrival": {"process": "poisson"},
            "input_distribution": length(100), "output_distribution": length(20), **more}


WORKLOADS = [
    {"version": "2", "seed": 7, "aggregate_rate": 20, "num_requests": 40, "horizon": 2500000,
     "category": "language",
     "goodput_slo_targets": {"critical": {"ttft_ms": 20, "itl_ms": 8, "e2e_ms": 200}},
     "clients": [
         client("a", tenant_id="acme", slo_class="critical", prefix_group="p", prefix_length=512,
                timeout=90000, streaming=True, slo_target_us=5, arrival={"process": "gamma", "cv": 2},
                input_distribution={"type": "gaussian", "params":
                                    {"mean": 300, "std_dev": 150, "min": 250, "max": 350}}),
         client("b", slo_class="batch", rate_fraction=3, arrival={"process": "gamma", "shape": 2},
                output_distribution={"type": "exponential", "params":
                                     {"mean": 30, "min": 20, "max": 40}}),
         client("c", slo_class="standard", arrival={"process": "weibull", "cv": 2},
                input_distribution={"type": "lognormal", "params":
                                    {"mu": 5, "sigma": 1, "min": 100, "max": 200}})]},
    {"version": "2", "num_requests": 40,
     "parts": {"x": {"aggregate_rate": 9, "horizon": 2000000}, "y": {"aggregate_rate": 5}},
     "clients": [
         client("a", part="x"), client("a2", part="x"),
         client("m", part="y", multimodal={
             "text_distribution": length(50),
             "image_distribution": length(300), "image_count_distribution": length(2),
             "audio_distribution": length(90), "audio_count_distribution": length(3),
             "video_distribution": length(700), "video_count_distribution": length(1)}),
         client("r", part="y", model="another", rate_fraction=0.3),
         client("s", part="y", closed_loop=False, reasoning={
             "reason_ratio_distribution": length(60),
             "multi_turn": {"max_rounds": 3, "think_time_us": 50000, "context_growth": "accumulate",
                            "single_session": True}})]},
    {"version": "2", "num_requests": 40,
     "clients": [client("w", rate_fraction=2, lifecycle={"windows": [
         {"start_us": 100000, "end_us": 900000, "trace_rate": 20,
          "arrival": {"process": "constant"}, "input_distribution": length(70),
          "output_distribution": length(9)},
         {"start_us": 900000, "end_us": 2000000, "trace_rate": 20}]})]},
    {"version": "2", "num_requests": 40,
     "clients": [{"id": "u", "concurrency": 3, "think_time_us": 10000, "arrival": {"process": "poisson"},
                  "network": {"rtt_ms": 3, "bandwidth_mbps": 8},
                  "input_distribution": length(64), "output_distribution": length(8)}]},
    {"version": "2", "aggregate_rate": 30, "num_requests": 60,
     "cohorts": [
         {**client("c"), "population": 4, "prefix_group": "g", "prefix_sharing": "per_member",
          "diurnal": {"peak_hour": 3, "peak_to_trough_ratio": 5},
          "drain": {"start_time_us": 1000000, "ramp_duration_us": 2000000}},
         {**client("d"), "population": 2, "spike": {"start_time_us": 500000, "duration_us": 400000}}]},
    {"version": "2", "inference_perf": {
        "stages": [{"rate": 9, "duration": 2}],
        "shared_prefix": {"num_unique_system_prompts": 2, "num_users_per_system_prompt": 2,
                          "system_prompt_len": 90, "question_len": 40, "output_len": 12,
                          "enable_multi_turn_chat": False}}},
]

# Enough of all classes and tenants that policies have something to decide.
CROWD = {"version": "2", "aggregate_rate": 300, "num_requests": 240, "clients": [
    client("a", tenant_id="acme", slo_class="critical", output_distribution=length(300)),
    client("b", tenant_id="globex", slo_class="standard", output_distribution=length(300)),
    client("c", tenant_id="initech", slo_class="sheddable", output_distribution=length(300))]}

POLICIES = [
    {"admission": {"policy": "token-bucket", "token_bucket_capacity": 900,
                   "token_bucket_refill_rate": 4000, "slo_targets": {"critical": 1000}},
     "routing": {"policy": "weighted", "scorers": [{"name": "queue-depth", "weight": 2},
                                                   {"name": "prefix-affinity", "weight": 1}]},
     "scheduler": "fcfs", "preemption": {"policy": "fcfs"}, "priority": {"policy": "constant"}},
    {"admission": {"policy": "tier-shed", "tier_shed_threshold": 1, "tier_shed_min_priority": 3,
                   "slo_priorities": {"standard": 1}}},
    {"tenant_budgets": {"initech": 0.2}},
    {"admission": {"policy": "gaie-legacy", "gaie_qd_threshold": 4, "gaie_kv_threshold": 0.04}},
]

# What is offered and not supported yet: an error wherever it stands.
UNBUILT = [
    ("workload", {**WORKLOADS[2], "clients": [{**WORKLOADS[2]["clients"][0], "adapter": "lora"}]}),
    ("workload", {"version": "2", "aggregate_rate": 9, "num_requests": 9, "cohorts": [
        {**client("c", adapter="lora"), "population": 2}]}),
    ("policy bundle", {"autoscaler": {"interval": 1}}),
    ("policy bundle", {"node_pools": []}),
    ("policy bundle", {"instance_lifecycle": {}}),
]

PLAN = [
    {"model": "llama-3.1-8b-instruct", "objective": "least-cost",
     "workload": {"rate": 2, "name": "chat",
                  "prompt_length": {"distribution": "normal", "mean": 60, "std": 30, "min": 20, "max": 90},
                  "output_length": {"mean": 8}},
     "constraints": {"max_ttft_p90_ms": 400, "slo": "e2e_p90<9s", "max_cost_per_hour": 9,
                     "max_gpus": 8, "spare_replicas": 1},
     "config_space": {"gpu_types": ["L40S"], "num_gpus": [1], "tensor_parallel": [1],
                      "pipeline_parallel": [1], "num_replicas": [1], "schedulers": ["orca"],
                      "max_batch_sizes": [4], "chunk_sizes": [512], "routing_policies": ["round-robin"], "quantization": ["fp8"]},
     "economics": {"purchase": {"on_demand": 100}, "api_price": {"input": 1, "output": 2},
                   "growth_per_minute": 0.5, "cold_start_s": 30},
     "simulation": {"random_seed": 3}},
    # Longer than a test is anyway, so that the length counts.
    {"model": "llama-3.1-8b-instruct", "objective": "least-cost",
     "workload": {"rate": 2, "output_length": {"mean": 8}},
     "constraints": {"max_ttft_p90_ms": 400, "max_gpus": 8},
     "config_space": {"gpu_types": ["L40S"], "num_gpus": [1], "tensor_parallel": [1], "num_replicas": [1]},
     "simulation": {"duration": 13000, "warmup_duration": 600, "random_seed": 3}},
    {"model": "llama-3.1-8b-instruct",
     "workload": {"arrival_rate_range": [0.5, 9], "prompt_length": {"mean": 60},
                  "output_length": {"mean": 8}},
     "constraints": {"max_ttft_p90_ms": 400, "min_qps": 0.6},
     "config_space": {"gpu_types": ["L40S"], "tensor_parallel": [1], "num_replicas": [1], "batching_rules": ["vllm"],
                      "max_num_seqs": [4]}},
    {"model": "llama-3.1-8b-instruct", "objective": "least-cost",
     "workload": {"rate": 2, "output_length": {"mean": 8}},
     "constraints": {"max_ttft_p90_ms": 400, "max_gpus": 8},
     "config_space": {"gpu_types": ["L40S"], "tensor_parallel": [1], "data_parallel": [1],
                      "expert_parallel": [False], "disaggregation": ["split"],
                      "prefill_decode_ratios": ["1:1"], "prefill_gpu_types": ["L40S"],
                      "prefill_tensor_parallel": [1], "prefill_data_parallel": [1],
                      "prefill_expert_parallel": [False], "pd_deciders": ["always"],
                      "pd_transfer_links": ["pcie-5"]}},
    {"model": "llama-3.1-8b-instruct", "objective": "least-cost",
     "workload": {"rate": 2, "output_length": {"mean": 8}},
     "constraints": {"max_ttft_p90_ms": 400, "available_gpus": {"L40S": 1, "H100": 1}},
     "config_space": {"gpu_types": ["L40S", "H100"], "tensor_parallel": [1], "mix_gpu_types": True},
     "simulation": {"duration": 30}},
]

MODEL = ["--model", "llama-3.1-8b-instruct", "--hardware", "H100"]
FORMATS = {
    "workload": (WORKLOADS, ["run", *MODEL, "--json", "--workload-spec", "FILE",
                             "--trace-output", "FILE.trace"]),
    "policy bundle": (POLICIES, ["run", *MODEL, "--json", "--num-instances", "2",
                                 "--max-num-seqs", "16", "--total-kv-blocks", "2000",
                                 "--workload-spec", "FILE.crowd", "--policy-config", "FILE"]),
    "plan": (PLAN, ["plan", "FILE", "--json", "--no-timing", "--no-model-error"]),
}

# What the pages call remarks, facts for traces, or the same for any value.
REMARKS = {
    "workload": {"category", "streaming", "slo_target_us", "version"},
    "plan": {"workload.name"},
    "policy bundle": set(),
}

# Keys that stand in tables of these pages under "key".
PAGES = {"workload": ["docs/reference/workloads.md", "docs/reference/workloads-over-time.md"],
         "plan": ["docs/how-to/planning.md"]}
# Other names of keys that are here, and keys of files that a document names.
ELSEWHERE = {
    "workload": {"servegen_data", "aggregate_rate", "scale", "empirical", "file", "windows",
                 "adapter", "pareto_lognormal", "population"},
    "plan": {"profile", "telemetry", "calibration", "spec", "decode_length", "tp_sizes", "pp_sizes",
             "dp_sizes", "stdev", "price_file", "max_METRIC_STATISTIC_ms", "max_ttft_p95_ms"},
}


def run(command, document, folder):
    path = pathlib.Path(folder) / "document.yaml"
    path.write_text(json.dumps(document))
    pathlib.Path(f"{path}.crowd").write_text(json.dumps(CROWD))
    words = [word.replace("FILE", str(path)) for word in command]
    done = subprocess.run([BINARY, *words], cwd=ROOT, capture_output=True, text=True, check=False,
                          env={**os.environ, "PLIMSOLL_OFFLINE": "1"})
    trace = pathlib.Path(folder) / "document.yaml.trace.csv"
    requests = trace.read_text() if trace.exists() else ""
    trace.unlink(missing_ok=True)
    return done.returncode, done.stdout + requests, done.stderr


def leaves(node, path=()):
    if isinstance(node, dict):
        for key, value in node.items():
            yield from leaves(value, (*path, key))
    elif isinstance(node, list) and node and isinstance(node[0], (dict, list)):
        for i, value in enumerate(node):
            yield from leaves(value, (*path, i))
    else:
        yield path, node


def others(value):
    """Values of the same kind that are allowed, too, for the most part: one near by, and one far off."""
    far = isinstance(value, (int, float)) and not isinstance(value, bool)
    return [other(value)] + ([type(value)(value / 500)] if far else [])


def other(value):
    if isinstance(value, list):
        return [other(item) for item in value]
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value * 2 + 1 if value < 6000 else value // 2
    if isinstance(value, float):
        return value / 2
    return {"poisson": "gamma", "constant": "poisson", "gamma": "weibull", "weibull": "gamma",
            "fcfs": "sjf", "round-robin": "least-loaded", "least-cost": "least-gpus",
            "per_member": "shared", "orca": "sarathi"}.get(value, value + "x")


def name_of(path):
    return ".".join(str(part) for part in path if not isinstance(part, int))


def put(document, path, value):
    changed = copy.deepcopy(document)
    at = changed
    for part in path[:-1]:
        at = at[part]
    at[path[-1]] = value
    return changed


def silent_keys(name, folder):
    documents, command = FORMATS[name]
    changed = []
    for document in documents:
        before = run(command, document, folder)
        if before[0] not in (0, 1):
            yield f"{name}: the document itself is refused: {before[2]}"
            continue
        for path, value in leaves(document):
            key = str([part for part in path if not isinstance(part, int)][-1])
            if name_of(path) in REMARKS[name] or key in REMARKS[name]:
                continue
            if name == "plan" and (path, value) in changed:
                continue  # in another document, and a plan takes seconds
            changed.append((path, value))
            flags = {"--" + str(part).replace("_", "-") for part in path}
            if any(f'"{part}"' in before[2] for part in path) or any(f in before[2] for f in flags):
                continue  # it is said to have no effect
            if all(run(command, put(document, path, new), folder) == before for new in others(value)):
                yield f"{name}: {name_of(path)} may be {others(value)} instead of {value!r}: nothing changes"


def maps(node, path=()):
    """The path of every map in a document, that of the whole one first."""
    if isinstance(node, dict):
        yield path
    pairs = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in pairs:
        yield from maps(value, (*path, key))


def read_strictly(name, document, folder):
    folder = pathlib.Path(folder)
    (folder / "document.yaml").write_text(json.dumps(document).replace("ROOT", str(ROOT)))
    (folder / "chunk-0-dataset.json").write_text(json.dumps(document))
    (folder / "chunk-0-trace.csv").write_text("0,1,1,Gamma,1,1\n")
    words = [word.replace("FILE", str(folder / "document.yaml")).replace("FOLDER", str(folder))
             for word in STRICT[name][1]]
    done = subprocess.run([BINARY, *words], cwd=ROOT, capture_output=True, text=True, check=False,
                          env={**os.environ, "PLIMSOLL_OFFLINE": "1"})
    return done.returncode, done.stderr


def absurd_keys(name, folder):
    for document in STRICT[name][0]:
        code, said = read_strictly(name, document, folder)
        if code not in (0, 1):
            yield f"{name}: the document itself is refused: {said}"
            continue
        changes = [((*path, "nonsense"), 1) for path in maps(document)]
        changes += [(path, {"nonsense": 1}) for path, _ in leaves(document)]
        for path, value in changes:
            code, said = read_strictly(name, put(document, path, value), folder)
            key = [part for part in path if not isinstance(part, int)][-1]
            if code != 2 or not (key in said or "nonsense" in said):
                yield f"{name}: {name_of(path)} may be {value!r}: {code}, {said}"


def keys_of(node):
    if isinstance(node, dict):
        return set(node).union(*(keys_of(value) for value in node.values()), set())
    if isinstance(node, list):
        return set().union(*(keys_of(value) for value in node), set())
    return set()


def missing_keys(name):
    known = set().union(*(keys_of(document) for document in FORMATS[name][0])) | ELSEWHERE[name]
    for page in PAGES[name]:
        yield from (f"{name}: {page} has the key {key}, and no document here"
                    for key in keys_in_tables(page) if key not in known)


def keys_in_tables(page):
    in_table = False
    for line in (ROOT / page).read_text().splitlines():
        if not line.startswith("|"):
            in_table = False
        elif line.startswith("| key |"):
            in_table = True
        elif in_table:
            yield from re.findall(r"`(\w+)", line.split("|")[1])


def main():
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for name in FORMATS:
            wrong += silent_keys(name, folder)
            wrong += missing_keys(name) if name in PAGES else []
        for name in STRICT:
            wrong += absurd_keys(name, folder)
        for name, document in UNBUILT:
            code, _, said = run(FORMATS[name][1], document, folder)
            if code != 2 or "not supported yet" not in said:
                wrong.append(f"{name}: {json.dumps(document)} is no error: {said}")
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
