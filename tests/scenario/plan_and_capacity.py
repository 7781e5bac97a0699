#!/usr/bin/env python3
"""Do plan, capacity, compare and forecast say the same of the same deployment?

    plan_and_capacity.py BINARY [CASES]

Random requests of one layout each: what the plan recommends is asked of `capacity`, which has to
hold the rate with as many GPUs for as much money, of `compare`, and of `run` behind the plan. The
GPUs are those of TP x PP x DP, counted here once more.
"""
import json
import pathlib
import random
import subprocess
import sys

BINARY = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
CASES = int(sys.argv[2]) if len(sys.argv) > 2 else 10
CLIENTS = "examples/clients.yaml"
LAYOUTS = [("gpt-oss-20b", "H100", 1, 1, 4), ("gpt-oss-20b", "H200", 2, 1, 2),
           ("gpt-oss-20b", "H100", 1, 2, 2), ("qwen/qwen3-14b", "H100", 2, 2, 1),
           ("qwen/qwen3-14b", "A100-80", 4, 1, 1), ("llama-3.1-8b-instruct", "L40S", 1, 1, 1)]


def ask(*words):
    done = subprocess.run([BINARY, *map(str, words), "--json"], cwd=ROOT, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode in (0, 1) and done.stdout, f"{words}: {done.stderr}"
    return json.loads(done.stdout)


def request_of(chance, case):
    model, gpu, tp, pp, dp = LAYOUTS[case % len(LAYOUTS)]
    flags = ["--model", model, "--tp", tp, "--pp", pp, "--dp", dp]
    if dp > 1 and chance.random() < 0.5:
        flags += ["--enable-expert-parallel", "--expert-imbalance", chance.choice([1, 1.5])]
    if chance.random() < 0.3:
        flags += ["--workload-spec", CLIENTS]
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
    return True


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


def main():
    check_rows()
    chance = random.Random(17)
    held = 0
    for case in range(CASES):
        state = chance.getstate()
        try:
            held += check(chance, case)
        except (AssertionError, KeyError, IndexError) as failure:
            chance.setstate(state)
            sys.exit(f"{request_of(chance, case)}\n{type(failure).__name__}: {failure}")
    assert 2 * held > CASES, f"only {held} of {CASES} plans have a best one"


main()
