#!/usr/bin/env python3
"""Do plan, capacity, run, compare and forecast say the same of the same deployment?

    plan_and_capacity.py BINARY [CASES]

Random requests of one layout each, of single prompts, shared prefixes or conversations: what the
plan recommends is asked of `capacity`, which has to hold the rate with as many GPUs for as much
money, of `compare`, and of `forecast`, whose load line must not be below the rate. The GPUs are
those of TP x PP x DP, counted here once more. Decisions have to agree, too: headroom, what to deploy
for it, and what the model's error does to them.
"""
import json
import pathlib
import random
import re
import shlex
import subprocess
import sys
import tempfile

BINARY = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
CASES = int(sys.argv[2]) if len(sys.argv) > 2 else 1
CLIENTS = ROOT / "examples/clients.yaml"
FOLDER = tempfile.TemporaryDirectory()
LAYOUTS = [("gpt-oss-20b", "H100", 1, 1, 4), ("gpt-oss-20b", "H200", 2, 1, 2),
           ("gpt-oss-20b", "H100", 1, 2, 2), ("qwen/qwen3-14b", "H100", 2, 2, 1),
           ("qwen/qwen3-14b", "A100-80", 4, 1, 1), ("llama-3.1-8b-instruct", "L40S", 1, 1, 1)]


def ask(*words):
    done = subprocess.run([BINARY, *map(str, words), "--json"], cwd=ROOT, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode in (0, 1) and done.stdout, f"{words}: {done.stderr}"
    return json.loads(done.stdout)


def written(name, value):
    path = pathlib.Path(FOLDER.name) / name
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def conversations(chance):
    """A specification of rounds that come after a pause, whatever was answered."""
    lengths = {side: {"type": "constant", "params": {"value": chance.choice(values)}}
               for side, values in (("input", [100, 800]), ("output", [20, 150]))}
    return written("talk.yaml", {
        "version": "2", "seed": 3, "aggregate_rate": 5, "num_requests": 30000, "clients": [{
            "id": "talk", "rate_fraction": 1, "arrival": {"process": "poisson"},
            "closed_loop": False, "input_distribution": lengths["input"],
            "output_distribution": lengths["output"], "reasoning": {
                "reason_ratio_distribution": {"type": "constant", "params": {"value": 0}},
                "multi_turn": {"max_rounds": chance.choice([2, 4]), "think_time_us": 8000000,
                               "context_growth": "accumulate"}}}]})


def request_of(chance, case):
    model, gpu, tp, pp, dp = LAYOUTS[case % len(LAYOUTS)]
    flags = ["--model", model, "--tp", tp, "--pp", pp, "--dp", dp]
    if dp > 1 and chance.random() < 0.5:
        flags += ["--enable-expert-parallel", "--expert-imbalance", chance.choice([1, 1.5])]
    if chance.random() < 0.3:
        flags += ["--workload-spec", chance.choice([CLIENTS, conversations(chance)])]
    else:
        for side, lengths in (("prompt", [100, 1000, 3000]), ("output", [20, 200])):
            mean = chance.choice(lengths)
            for part, tokens in (("", mean), ("-stdev", mean // 4), ("-min", 2), ("-max", 5000)):
                flags += [f"--{side}-tokens{part}", tokens]
        flags += ["--prefix-tokens", 500] if chance.random() < 0.4 else []
    if chance.random() < 0.3:
        flags += ["--max-num-seqs", chance.choice([16, 64])]
    if chance.random() < 0.3:
        flags.append("--no-prefix-caching")
    flags += ["--slo", chance.choice(["ttft_p90<2s", "tpot_p90<80ms", "ttft_p95<1s,tpot_mean<60ms"])]
    flags += ["--rate", chance.choice([2, 10, 40]), "--no-model-error", "--seed", case]
    return flags, gpu, tp * pp * dp


def check(chance, case):
    flags, gpu, gpus_each = request_of(chance, case)
    plan = ask("plan", *flags, "--gpu-types", gpu, "--duration", 30, "--no-timing")
    best = plan["best_configuration"]
    if best is None:
        assert not ask("capacity", *flags, "--hardware", gpu)["holds"], "capacity holds it"
        return False
    replicas = best["num_replicas"]
    assert best["num_gpus_per_replica"] == gpus_each
    assert best["total_gpus"] == gpus_each * replicas
    held = ask("capacity", *flags, "--hardware", gpu, "--num-instances", replicas, "--check")
    assert held["rate_answer"] == "holds", f"capacity: {held['answer']}"
    test = held["evidence"][0]
    assert test["gpus"] == best["total_gpus"], "GPUs"
    assert test["usd_per_hour"] == best["cost"]["cost_per_hour"], "money"
    if "--workload-spec" not in flags:
        shared = [f for f in flags if f != "--no-model-error"]
        at = shared.index("--slo")
        both = ask("compare", *shared[:at], *shared[at + 2:], "--hardware", gpu, "--num-requests", 50,
                   "--seeds", 1, "--vary", f"num-instances={replicas},{replicas + 1}")
        first = both["variants"][0]
        assert first["cost"]["gpus"] == best["total_gpus"], "GPUs of compare"
        assert first["figures"]["usd_per_hour"]["mean"] == test["usd_per_hour"], "money of compare"
        check_forecast(flags, gpu, best, test)
    return True


def check_forecast(flags, gpu, best, test):
    """Its lengths vary as chats do, so that its line is another, but none that is far below."""
    said = dict(zip(flags, flags[1:]))
    deployment = {"hardware": gpu, "num_instances": best["num_replicas"]}
    for flag in ["model", "tp", "pp", "dp", "expert-imbalance", "max-num-seqs"]:
        if f"--{flag}" in said:
            deployment[flag.replace("-", "_")] = said[f"--{flag}"]
    for switch in ["enable-expert-parallel", "no-prefix-caching"]:
        if f"--{switch}" in flags:
            deployment[switch.replace("-", "_")] = True
    prefix = said.get("--prefix-tokens", 0)
    route = {"requests_per_s": said["--rate"], "prompt_tokens": said["--prompt-tokens"] + prefix,
             "output_tokens": said["--output-tokens"]}
    if prefix and "--no-prefix-caching" not in flags:
        route["cached_share"] = round(prefix / route["prompt_tokens"], 3)
    sheet = ask("forecast", written("sheet.yaml", {
        "name": "same", "deployment": deployment, "slo": said["--slo"], "routes": {"all": route},
        "scenarios": {"none": {}}}))
    line = next(r for r in sheet["resources"] if r["name"] == "requests_per_s")
    assert line["capacity"] > 0.9 * said["--rate"], f"line of forecast: {line['capacity']}"
    assert f"x {test['gpus'] // best['num_replicas']} " in sheet["deployment"][1], "GPUs of forecast"


def deployed(decision):
    """How many instances an action deploys, and what for; none: it says nothing of the kind."""
    action = decision["action"]
    found = action and re.match(r"Deploy (?:\d+ x .*?\()?(\d+) instances?.*? (?:for|to cover) ([^(]*)", action)
    return found and (int(found[1]), found[2].strip())


def shares(decision):
    return {doubt["doubt"] for doubt in decision["doubts"]}


def check_decisions(rate, *more):
    """Of one deployment: plan, capacity for the fewest instances, capacity of these, and their run."""
    flags = ["--model", "llama-3.1-8b-instruct", "--tp", 1, "--slo", "ttft_p99<1s", "--prompt-tokens", 300,
             "--output-tokens", 60, "--rate", rate, *more]
    planned = ask("plan", *flags, "--gpu-types", "H100", "--no-timing")
    capacity = ask("capacity", *flags, "--hardware", "H100")
    best = planned["best_configuration"]
    assert best["num_replicas"] == capacity["instances"], "instances"
    plan, fewest = planned["decision"], capacity["decision"]
    for what in ("headroom", "verdict", "confidence"):
        assert plan[what] == fewest[what], f"{what}: plan {plan[what]}, capacity {fewest[what]}"
    assert best["headroom"] == capacity["headroom"] == plan["headroom"]
    assert deployed(plan) == deployed(fewest), f"{plan['action']}; {fewest['action']}"
    of_these = ask("capacity", *flags, "--hardware", "H100", "--num-instances", best["num_replicas"])
    assert of_these["decision"]["headroom"] == plan["headroom"], "headroom"
    check_advice(plan, flags, rate)
    check_rate_to_plan_for(flags, best["num_replicas"])
    run = ask(*shlex.split(best["run"])[1:], *[word for word in more if word == "--no-model-error"])["decision"]
    assert run["verdict"] in ("yes", "likely"), run["answer"]
    assert f" {rate} req/s" in run["answer"] and run["question"].startswith(f"{rate} "), run["answer"]
    slow = {"slow_steps", "slow_steps_need"}
    if "slow_steps_fail" in shares(run):
        assert slow & shares(plan) and slow & shares(fewest), "what slow steps do to a run"


def check_advice(decision, flags, rate):
    """Who does what a plan says is not asked for more, at the latest the second time."""
    for _ in range(3):
        advised = re.search(r"--spare-instances (\d+)", decision["action"] or "")
        if not advised:
            return
        decision = ask("plan", *flags, "--gpu-types", "H100", "--no-timing", "--spare-instances",
                       advised[1])["decision"]
    raise AssertionError(f"at {rate} req/s a plan goes on asking: {decision['action']}")


def check_rate_to_plan_for(flags, instances):
    """The rate that is promised with the model's error is one at which a run keeps the limit, as it says itself."""
    if "--no-model-error" in flags:
        return
    at = flags.index("--rate")
    deployment = ["--hardware", "H100", "--num-instances", instances]
    without_rate = flags[:at] + flags[at + 2:]
    decision = ask("capacity", *without_rate, *deployment)["decision"]
    rate = re.search(r" holds? ([\d.,]+) req/s", decision["answer"])[1].replace(",", "")
    at = without_rate.index("--slo")
    run = ask("run", *without_rate[:at], *without_rate[at + 2:], *deployment, "--rate", rate,
              "--num-requests", 200000, "--warmup", "auto")
    assert run["decision"]["verdict"] == "yes", run["decision"]["answer"]
    high = run["intervals"]["ttft_p99_ms"]["high"]
    assert high < 1000, f"TTFT p99 of a run at {rate} req/s is up to {high} ms"


def check_mix():
    """A mix of a plan, the fleet file that it writes, `capacity` of that file, and its run."""
    request = {"model": "qwen/qwen3-14b", "workload": {"rate": 25},
               "constraints": {"slo": "ttft_p99<1s,tpot_p99<60ms", "available_gpus": {"H100": 4, "L40S": 8}},
               "config_space": {"gpu_types": ["H100", "L40S"], "tensor_parallel": [1],
                                "mix_gpu_types": True},
               "objective": "least-cost", "simulation": {"duration": 60}}
    folder = pathlib.Path(FOLDER.name) / "mix"
    plan = ask("plan", written("mix.yaml", request), "--no-timing", "--no-model-error", "--emit", "vllm",
               "--output-dir", folder)
    best = plan["best_configuration"]
    assert plan["mix"]["answer"] == "mixed" and best["beside_instances"] > 0, "this is the case of a mix"
    fleet = ["--model", "qwen/qwen3-14b", "--fleet", folder / "fleet.yaml", "--routing-policy",
             best["routing_policy"], "--no-model-error"]
    limits = ["--slo", request["constraints"]["slo"]]
    capacity = ask("capacity", *fleet, *limits)
    assert capacity["max_rate_rps"] == best["performance"]["max_sustainable_qps"], "sustainable rate"
    checked = ask("capacity", *fleet, *limits, "--rate", 25, "--check")
    assert checked["rate_answer"] == "holds", checked["answer"]
    test = checked["evidence"][0]
    assert test["usd_per_hour"] == best["cost"]["cost_per_hour"], "money"
    assert test["gpus"] == best["total_gpus"], "GPUs"
    run = ask(*shlex.split(best["run"])[1:])
    figures = {slo["metric"]: slo["value_ms"] for slo in best["slo_compliance"]["slos"]}
    for metric, value in figures.items():
        assert run[metric] == value, f"{metric}: plan {value}, run {run[metric]}"
    by_file = ask("run", *fleet, "--rate", 25, "--num-requests", best["figures"]["requests"], "--seed",
                  best["figures"]["seed"], "--warmup", "auto")
    for part in ("e2e_p99_ms", "utilization", "instances"):
        assert by_file[part] == run[part], f"{part} of the fleet file and of the printed command"


def check_headroom():
    """Plan and capacity look as far for what a deployment takes beyond its rate."""
    flags = ["--model", "llama-3.1-8b-instruct", "--rate", 1, "--slo", "ttft_p95<1s", "--tp", 1,
             "--no-model-error"]
    plan = ask("plan", *flags, "--gpu-types", "MI300X", "--no-timing")
    capacity = ask("capacity", *flags, "--hardware", "MI300X")
    planned = plan["best_configuration"]["headroom"]
    assert planned > 5, "this is the case of a deployment that takes far more"
    assert capacity["headroom"] == planned, f"headroom: plan {planned}, capacity {capacity['headroom']}"


def keys_of(value):
    """Of an object all the way down; lists have none."""
    if not isinstance(value, dict):
        return {}
    return {key: keys_of(inner) for key, inner in value.items()}


def check_rows():
    """Programs read a table: all candidates have the same keys, tested or not."""
    plan = ask("plan", "--model", "qwen/qwen3-14b", "--rate", 20, "--slo", "ttft_p90<500ms",
               "--gpu-types", "H100,L40S,L4", "--duration", 10, "--no-model-error",
               "--max-num-seqs", 64, "--prompt-tokens", 100, "--output-tokens", 10)
    rows = plan["all_candidates"]
    assert {row["simulated"] for row in rows} == {True, False}, "all were tested, or none was"
    assert all(keys_of(row) == keys_of(rows[0]) for row in rows), "rows have other keys"
    for row in rows:
        shown = row["metrics"]["p99_ttft_ms"] is not None
        assert shown <= row["simulated"], "figures without a test"


def check_loss():
    """What is left of two pools, of which the larger common part stays the same: a scenario, the
    line of the loss and `capacity` of the rest say the same."""
    slo = "ttft_p99<1s,tpot_p99<30ms"
    pools = {"model": "qwen/qwen3-14b", "hardware": "H100", "tp": 1}
    route = {"requests_per_s": 12, "prompt_tokens": 2000, "output_tokens": 256}
    request = written("loss.yaml", {
        "slo": slo, "deployment": pools | {"prefill_instances": 2, "decode_instances": 3},
        "routes": {"chat": route}, "loss": {"instances": 1},
        "scenarios": {"built_in": ["instance-loss"]}})
    forecast = ask("forecast", request)
    held = forecast["scenarios"][0]["peak"]["held_factor"]
    assert held < 1 < forecast["peak"]["held_factor"], f"one instance less holds {held}"
    assert held == forecast["losses"][0]["held_factor"], f"scenario {held}, {forecast['losses']}"
    rest = ask("capacity", "--model", "qwen/qwen3-14b", "--hardware", "H100", "--tp", 1, "--slo", slo,
               "--prefill-instances", 1, "--decode-instances", 3, "--prompt-tokens", 2000,
               "--output-tokens", 256, "--no-model-error")["max_rate_rps"]
    assert 0.9 < held * route["requests_per_s"] / rest < 1.1, f"scenario {held}, capacity {rest}"


def main():
    check_rows()
    check_loss()
    check_mix()
    check_headroom()
    for rate in (40,) if CASES < 4 else (40, 120, 230):
        check_decisions(rate)
    if CASES >= 4:
        check_decisions(150, "--no-model-error", "--max-num-seqs", 64)
    chance = random.Random(17)
    held = 0
    for case in range(CASES):
        state = chance.getstate()
        try:
            held += check(chance, case)
        except (AssertionError, KeyError, IndexError) as failure:
            chance.setstate(state)
            sys.exit(f"{request_of(chance, case)}\n{type(failure).__name__}: {failure}")
    assert 2 * held >= CASES, f"only {held} of {CASES} plans have a best one"


main()
