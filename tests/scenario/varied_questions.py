#!/usr/bin/env python3
"""Questions of many kinds to the API, drawn from a seed: splits, ranks, mixes, closed loops, sessions, prefixes,
speculation, failures, providers, histories, loads that are far too high or low. tools/answer-schemas looks at the answers
to some of them; by itself, asks others and holds each answer against the schema that the API describes.

    varied_questions.py BINARY [--seed N] [--count N] [VERB...]
"""
import argparse
import json
import pathlib
import random
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from json_schema import faults  # noqa: E402
from reader_documents import FORECASTS  # noqa: E402
from serving import JSON_TYPE, ROOT, Server  # noqa: E402

VERBS = ("run", "capacity", "plan", "forecast", "describe", "explain", "list")


def text(path):
    return (ROOT / path).read_text(encoding="utf-8")


def workloads():
    names = ("bursts", "conversations", "launch-day", "lengths", "office-hours", "pictures", "rush", "tenants")
    return [{"workload-spec": text(f"examples/workloads/{name}.yaml"), "files": files_beside("examples/workloads")} for name in names]


def files_beside(folder):
    return {path.name: path.read_text(encoding="utf-8") for path in sorted((ROOT / folder).iterdir())
            if path.suffix in (".csv", ".json", ".yaml") and path.stat().st_size < 200_000}


# What a deployment may be, beyond the usual one.
DEPLOYMENTS = [
    {}, {}, {"num-instances": 3}, {"num-instances": 2, "routing-policy": "weighted"}, {"num-instances": 2, "routing-policy": "least-loaded"},
    {"prefill-instances": 1, "decode-instances": 1}, {"prefill-instances": 1, "decode-instances": 2, "pd-transfer-mode": "layerwise"},
    {"prefill-instances": 2, "decode-instances": 1, "pd-decider": "conditional"},
    {"prefill-instances": 1, "decode-instances": 1, "prefill-hardware": "H200", "decode-tp": 2, "pd-first-token": "prefill"},
    {"model": "gpt-oss-20b", "dp": 2, "enable-expert-parallel": True, "expert-imbalance": 1.2},
    {"model": "deepseek-r1", "hardware": "H200", "tp": 8, "max-model-len": 8000}, {"model": "llama-3.1-8b-instruct", "hardware": "L4"},
    {"hardware": "MI300X"}, {"hardware": "L40S", "quantization": "fp8"}, {"hardware": "B200", "kv-cache-dtype": "fp8"},
    {"tp": 2, "pp": 2}, {"engine": "sglang"}, {"engine": "trtllm"}, {"gpu-price": "2.1"}, {"latency-model": "roofline"},
    {"num-speculative-tokens": 3, "acceptance-rate": 0.7, "draft-ms": 0}, {"fleet": text("examples/fleet/mixed.yaml")}]
# How its engine works, and who is let in.
ENGINES = [
    {}, {}, {}, {"max-num-seqs": 8}, {"total-kv-blocks": 700}, {"batching-rule": "sarathi"}, {"batching-rule": "orca"},
    {"scheduler": "sjf"}, {"no-prefix-caching": True}, {"no-chunked-prefill": True}, {"max-model-len": 600}, {"timeout": 3},
    {"admission-policy": "token-bucket"}, {"admission-policy": "tier-shed", "tier-shed-threshold": 2},
    {"flow-control": True, "saturation-detector": "concurrency", "max-concurrency": 20, "request-ttl": 500_000},
    {"flow-control": True, "saturation-detector": "utilization", "dispatch-order": "priority"}, {"semantics": "blis"},
    {"sampling": "top-p"}, {"long-prefill-token-threshold": 256}]
TRAFFIC = [
    {"rate": 5}, {"rate": 20}, {"rate": 0.2}, {"rate": 120}, {"rate": 5, "prompt-tokens": 4000, "output-tokens": 30},
    {"rate": 30, "prompt-tokens": 60, "output-tokens": 1}, {"rate": 8, "arrival": "gamma", "arrival-cv": 3},
    {"rate": 8, "arrival": "constant"}, {"workload": "chatbot", "rate": 6}, {"workload": "multidoc", "rate": 1},
    {"rate": 6, "prefix-tokens": 1500}, {"rate": 5, "prompt-tokens-stdev": 0, "output-tokens-stdev": 0}]
OF_RUNS = [
    {}, {}, {"concurrency": 6, "rate": None}, {"concurrency": 4, "think-time-ms": 200, "rate": None}, {"detectors": "all"},
    {"warmup": "auto"}, {"warmup": "none", "no-model-error": True}, {"slo-ttft": "500ms", "slo-e2e": "10s"}, {"slo-itl": "30ms"},
    {"fitness-weights": "p99_ttft:3,throughput:1"}, {"trace-level": "decisions", "counterfactual-k": 1, "num-instances": 2},
    {"metric-definitions": "guidellm"}, {"metric-definitions": "vllm-bench"}, {"num-requests": 1}, {"num-requests": 3},
    {"horizon": 2_000_000}, {"num-requests": 4000}]
LIMITS = [{}, {"slo": "ttft_p99<500ms"}, {"slo": "ttft_p99<500ms,tpot_p95<50ms"}, {"slo": "chat"}, {"slo": "batch"}, {"slo": "e2e_mean<20s"},
          {"slo": "itl_p99<40ms"}, {"slo": "ttft_p99<1ms"}]
OF_CAPACITIES = [{}, {"num-instances": 1}, {"num-instances": 2, "rate": None}, {"rate": None}, {"min-instances": True}, {"headroom": 50},
                 {"precision": 10}, {"most-requests": 3000}, {"no-model-error": True}]
OF_PLANS = [
    {}, {}, {"objective": "least-gpus"}, {"objective": "lowest-latency"}, {"objective": "qps-per-dollar"}, {"max-cost-per-hour": 3},
    {"max-gpus": 2}, {"spare-replicas": 1}, {"purchase": "on-demand=50,1-year=50"}, {"purchase": "spot=100", "spot-loss": 20},
    {"growth": 10, "cold-start": 120}, {"api-price": "0.5,1.5"}, {"rate": None}, {"gpu-price": "H100=2,L4=0.5"}]
SPACES = [{"gpu-types": "H100"}, {"gpu-types": "H100,L4"}, {"gpu-types": "MI300X"}, {"gpu-types": "L4"}, {"gpu-types": "H100,B200", "tp": 2}]


def joined(draw, *lists):
    """One of each list; None leaves a field out."""
    fields = {}
    for one in lists:
        fields |= draw.choice(one)
    return {name: value for name, value in fields.items() if value is not None}


def asks_run(draw):
    fields = {"model": "qwen3-14b", "num-requests": 400, "seed": draw.randrange(1000)}
    if draw.random() < 0.25:
        own = draw.choice(workloads())
        return fields | joined(draw, DEPLOYMENTS, ENGINES) | own
    return fields | joined(draw, DEPLOYMENTS, ENGINES, TRAFFIC, OF_RUNS)


def asks_capacity(draw):
    fields = {"model": "qwen3-14b", "precision": 10, "most-requests": 20_000, "no-model-error": draw.random() < 0.7}
    if draw.random() < 0.15:
        own = {"trace": text("examples/azure.csv"), "trace-format": "azure"} if draw.random() < 0.5 else draw.choice(workloads())
        return fields | joined(draw, DEPLOYMENTS, LIMITS) | own
    return fields | joined(draw, DEPLOYMENTS, ENGINES, TRAFFIC, LIMITS, OF_CAPACITIES)


def asks_plan(draw):
    if draw.random() < 0.2:
        name = draw.choice(["tests/scenario/inputs/plan_split.yaml", "tests/scenario/inputs/plan_mixed.yaml",
                            "tests/scenario/inputs/plan_small.yaml", "tests/scenario/inputs/plan_unlike.yaml"])
        return {"request": text(name), "no-model-error": True}
    fields = {"model": "qwen3-14b", "rate": draw.choice([3, 10, 25]), "duration": 20, "tp": 1, "no-model-error": draw.random() < 0.7}
    limits = [one for one in LIMITS if one]
    return fields | joined(draw, limits, SPACES, OF_PLANS, [{}, {}, {"no-prefix-caching": True}, {"max-model-len": 2000}])


def forecasts():
    beside = files_beside("examples") | files_beside("tests/scenario/inputs")
    for name in ("examples/launch-week.yaml", "examples/growth.yaml", "examples/by-route.yaml", "examples/launch.yaml",
                 "examples/providers.yaml", "examples/coding-assistant.yaml", "tests/scenario/inputs/forecast.yaml",
                 "tests/scenario/inputs/forecast_gap.yaml", "tests/scenario/inputs/documents.yaml"):
        if (ROOT / name).exists():
            yield {"forecast": text(name), "files": beside}
    for document in FORECASTS:
        yield {"forecast": json.loads(json.dumps(document).replace("ROOT/examples/", "")), "files": beside}
    yield {"forecast": {"routes": {"chat": {"requests_per_s": {"baseline": 4, "forecast": 9}, "prompt_tokens": 900, "output_tokens": 80}},
                        "deployment": {"model": "qwen/qwen3-14b", "hardware": "H100", "num_instances": 2}, "slo": "ttft_p99<1s",
                        "loss": {"instances": 1}}}
    yield {"forecast": {"routes": {"chat": {"requests_per_s": 9, "prompt_tokens": 900, "output_tokens": 80}},
                        "deployment": {"model": "qwen/qwen3-14b", "hardware": "H100", "prefill_instances": 1, "decode_instances": 2}}}
    yield {"forecast": {"routes": {"chat": {"requests_per_s": 9, "prompt_tokens": 900, "output_tokens": 80}}}}


def asks_forecast(draw):
    fields = draw.choice(list(forecasts()))
    return fields | draw.choice([{}, {}, {"levers": True}, {"num-instances": 4}, {"hardware": "H200"}, {"slo": "ttft_p99<2s"}])


def asks_describe(draw):
    return draw.choice([*workloads(), {"workload": "chatbot", "rate": 5}, {"workload": "contentgen"}, {"rate": 3, "num-requests": 1},
                        {"trace": text("examples/azure.csv"), "trace-format": "azure"}, {"concurrency": 3},
                        {"trace": text("examples/mooncake.jsonl"), "trace-format": "mooncake"},
                        {"trace": text("examples/trace.csv"), "trace-format": "csv"}, {"prefix-tokens": 900, "rate": 2}])


WORDS = ["ttft", "steady", "--rate", "goodput", "GPU busy", "verdict", "decode bandwidth", "H100", "qwen3-14b", "kv_utilization", "headroom",
         "no such word", "p99", "pools", "weighted"]


def asks_explain(draw):
    return {"word": draw.choice(WORDS)}


TOPICS = ["models", "gpus", "prices", "metrics", "links", "verbs", "scorers", "rules", "slo-presets", "trace-formats", "batching-rules", ""]


def asks_list(draw):
    topic = draw.choice(TOPICS)
    return {"topic": topic} if topic else {}


ASKS = {"run": asks_run, "capacity": asks_capacity, "plan": asks_plan, "forecast": asks_forecast, "describe": asks_describe,
        "explain": asks_explain, "list": asks_list}


def questions(verb, count, seed):
    draw = random.Random(f"{seed} {verb}")
    for _ in range(count):
        yield ASKS[verb](draw)


def answers(server, verb, count, seed):
    """(question, answer) of those that are no errors."""
    for fields in questions(verb, count, seed):
        status, _, body = server.ask("POST", f"/api/{verb}", json.dumps(fields), JSON_TYPE, timeout=300)
        if status == 200:
            yield fields, json.loads(body)
        elif status not in (400, 422):
            raise SystemExit(f"{verb} {shown(fields)}: {status}: {body[:300]}")


def shown(fields):
    return json.dumps({key: value if len(str(value)) < 60 else "..." for key, value in fields.items() if key != "files"})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("verbs", nargs="*", default=list(VERBS))
    parser.add_argument("--seed", type=int, default=2)
    parser.add_argument("--count", type=int, default=60)
    asked = parser.parse_args()
    failed = False
    with Server(asked.binary, "--time-limit", "150") as server:
        for verb in asked.verbs or VERBS:
            schema = json.loads(text(f"src/serve/answers/{verb}.json"))
            found = {}
            count = 0
            for fields, answer in answers(server, verb, asked.count, asked.seed):
                count += 1
                for fault in faults(answer, schema):
                    found.setdefault(fault, fields)
            print(f"{verb}: {count} answers of {asked.count} questions, {len(found)} faults", flush=True)
            for fault, fields in found.items():
                print(f"  {fault}\n    {shown(fields)}")
            failed = failed or bool(found)
    sys.exit(failed)


if __name__ == "__main__":
    main()
