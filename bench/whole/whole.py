#!/usr/bin/env python3
"""Whole runs of the real program: speed, memory, start-up, and how the cost of a request scales.

    bench/whole/whole.py BINARY [QUESTION...]

Prints lines `bench NAME VALUE UNIT` to stdout and, for figures with a target, whether it is met to
stderr. Questions (all without any): start_up tutorial mooncake instances outputs
routing closed_loops searches split threads. The recorded trace of `mooncake` is looked for in $MOONCAKE_TRACE, then in ../shared/data;
without it, it is left out. $BENCH_REPEATS (3) runs of each, of which the cheapest counts.
"""
import json
import math
import os
import pathlib
import re
import statistics
import sys
import tempfile

from mooncake import repeat
from process import fastest, run

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TRACE = pathlib.Path(os.environ.get("MOONCAKE_TRACE", ROOT.parent / "shared" / "data" / "traces" /
                                    "mooncake-fast25" / "conversation_trace.jsonl.gz"))
REPEATS = int(os.environ.get("BENCH_REPEATS", "3"))
MODEL = ["--model", "qwen/qwen3-14b"]  # on one H100 per instance, as the catalog has it

missed = 0


def figure(name, value, unit, at_least=None, at_most=None):
    """Prints a figure and, if it has a target, what became of that."""
    global missed
    print(f"bench {name} {value:.4g} {unit}" if value < 1000 else f"bench {name} {value:.0f} {unit}",
          flush=True)
    bound = at_least if at_most is None else at_most
    if bound is None:
        return
    good = value >= bound if at_most is None else value <= bound
    missed += not good
    print(f"  target: {'at least' if at_most is None else 'at most'} {bound:,} {unit}: "
          f"{'met' if good else 'MISSED'}", file=sys.stderr)


def simulate(plimsoll, flags, requests, repeats=REPEATS):
    """Costs of a run on one thread that must serve all of its requests, and its result."""
    cost = fastest([plimsoll, *flags, "--no-model-error", "--threads", "1", "--json"], repeats)
    result = json.loads(cost.stdout)
    if result["completed_requests"] != requests:
        raise RuntimeError(f"{flags}: {result['completed_requests']} of {requests} completed")
    return cost, result


def start_up(plimsoll):
    one = [plimsoll, "run", *MODEL, "--num-requests", "1", "--json"]
    for name, command in (("version", [plimsoll, "--version"]), ("one_request", one)):
        walls = [run(command).wall_s for _ in range(20)]
        figure(f"start_up/{name}", 1000 * statistics.median(walls), "ms", at_most=20)


def tutorial(plimsoll):
    """The tutorial's cluster at 200 requests/s: 18 instances hold it, 12 fall ever further behind."""
    for instances, target in ((18, 1_500_000), (12, 1_000_000)):
        name = f"tutorial_{instances}_instances"
        sizes = (10_000, 100_000, 1_000_000, 10_000_000)
        cpu = []
        for requests in sizes:
            flags = ["run", *MODEL, "--rate", "200", "--num-instances", str(instances),
                     "--num-requests", str(requests)]
            cost, _ = simulate(plimsoll, flags, requests, REPEATS if requests < sizes[-1] else 1)
            cpu.append(cost.cpu_s)
            at_least = target if requests == 1_000_000 else None
            figure(f"{name}/{requests}/speed", requests / cost.cpu_s, "requests/cpu_s",
                   at_least=at_least)
            figure(f"{name}/{requests}/peak_memory", cost.peak_mb, "MB")
            if requests >= 1_000_000:
                figure(f"{name}/{requests}/memory_beyond_50_MB",
                       max(0.0, cost.peak_mb - 50) * 1e6 / requests, "B/request", at_most=100)
        figure(f"{name}/exponent", slope(sizes, cpu), "1", at_most=1.05)


def slope(xs, ys):
    """Least squares over the logarithms: y grows as x to this power."""
    return statistics.linear_regression([math.log(x) for x in xs],
                                        [math.log(y) for y in ys]).slope


def mooncake(plimsoll):
    """A recorded hour with shared prefixes, twenty times over. Reading 480 block ids per request is
    told apart by the program itself (--log info)."""
    if not TRACE.is_file():
        print(f"mooncake left out: no {TRACE.name}; set MOONCAKE_TRACE", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as folder:
        repeated = os.path.join(folder, "mooncake.jsonl")
        requests = repeat(TRACE, 20, repeated)
        flags = ["replay", "--model", "llama-3.1-8b-instruct", "--hardware", "H100", "--tp", "1",
                 "--num-instances", "8", "--trace", repeated, "--trace-format", "mooncake",
                 "--log", "info"]
        cost, _ = simulate(plimsoll, flags, requests)
    reading = float(re.search(r"([\d.]+) traffic", cost.stderr).group(1))
    figure("mooncake_20_times/speed", requests / (cost.cpu_s - reading), "requests/cpu_s",
           at_least=300_000)
    figure("mooncake_20_times/reading", requests / reading, "requests/cpu_s")
    figure("mooncake_20_times/peak_memory", cost.peak_mb, "MB")


def cost_per_request(plimsoll, name, flags, requests):
    cost, result = simulate(plimsoll, ["run", *MODEL, *flags, "--num-requests", str(requests)],
                            requests)
    us = 1e6 * cost.cpu_s / requests
    figure(name, us, "us/request")
    return us, result


def instances(plimsoll):
    """11 requests/s for each instance, nine tenths of what it can do, and 2,000 requests for each,
    100,000 at least."""
    costs = []
    for n in (1, 4, 16, 64, 256, 1024):
        flags = ["--rate", str(11 * n), "--num-instances", str(n)]
        costs.append(cost_per_request(plimsoll, f"instances/{n}", flags, max(100_000, 2000 * n))[0])
    figure("instances/ratio", max(costs) / costs[0], "1", at_most=1.3)


def outputs(plimsoll):
    """Answers of 512 and of 5,120 tokens (all figures of their distribution times ten, the rate
    divided by ten) at half of the load that 16 instances hold of the long ones; room for all of them
    in the KV cache. A request then takes 23 steps for itself, and 115."""
    costs = []
    for times in (1, 10):
        flags = ["--rate", str(50 / times), "--num-instances", "16",
                 "--total-kv-blocks", "100000", "--output-tokens", str(512 * times), "--output-tokens-stdev", str(256 * times),
                 "--output-tokens-max", str(3500 * times)]
        us, result = cost_per_request(plimsoll, f"outputs/{512 * times}", flags, 100_000)
        costs.append(us)
        if result["preemption_count"] > 0 or result["steady_state"]["verdict"] != "steady":
            raise RuntimeError("outputs: not at half load, the two runs cannot be compared")
    figure("outputs/ratio", costs[1] / costs[0], "1", at_most=1.5)


def routing(plimsoll):
    """Policies that look at the instances, at 12.5 requests/s for each; prompts share a prefix."""
    affinity = ["weighted", "--routing-scorers", "prefix-affinity:5,load-balance:1"]
    for name, policy in (("weighted", ["weighted"]), ("prefix_affinity", affinity),
                         ("least_loaded", ["least-loaded"])):
        for n, target in ((12, 300_000), (512, 50_000)):
            requests = max(200_000, 1000 * n)
            flags = ["run", *MODEL, "--rate", str(12.5 * n), "--num-instances", str(n),
                     "--prefix-tokens", "512", "--routing-policy", *policy,
                     "--num-requests", str(requests)]
            cost, _ = simulate(plimsoll, flags, requests)
            figure(f"routing/{name}/{n}", requests / cost.cpu_s, "requests/cpu_s", at_least=target)


def closed_loops(plimsoll):
    """Users who wait for their answers, with no router that looks at the instances."""
    for n in (1, 4, 16):
        for users in (1, 8, 64):
            flags = ["run", *MODEL, "--concurrency", str(users * n), "--num-instances", str(n),
                     "--num-requests", "100000"]
            cost, _ = simulate(plimsoll, flags, 100_000)
            figure(f"closed_loops/{users}_users/{n}", 100_000 / cost.cpu_s, "requests/cpu_s")


def searches(plimsoll):
    """Whole answers of capacity and plan, the model's error included; on one thread, as all runs here."""
    slo = ["--slo", "ttft_p99<500ms"]
    asked = {"capacity": (["capacity", *MODEL, "--rate", "200", *slo], 0.3),
             "capacity_without_error": (["capacity", *MODEL, "--rate", "200", *slo, "--no-model-error"], None),
             "capacity_blis": (["capacity", *MODEL, "--rate", "200", *slo, "--semantics", "blis"], 0.3),
             "capacity_200_instances": (["capacity", *MODEL, "--num-instances", "200", *slo], None),
             "plan": (["plan", str(ROOT / "examples/plan/request.yaml")], 10),
             "plan_102400": (["plan", str(ROOT / "bench/scale/hundred-thousand.yaml"), "--no-model-error"], 120)}
    for name, (command, at_most) in asked.items():
        repeats = 1 if name in ("plan", "plan_102400", "capacity_200_instances") else REPEATS
        cost = fastest([plimsoll, *command, "--threads", "1", "--json"], repeats)
        figure(f"searches/{name}", cost.cpu_s, "cpu_s", at_most=at_most)
        figure(f"searches/{name}/peak_memory", cost.peak_mb, "MB")


def split(plimsoll):
    """Prefill apart from decode: a run, and what the same instances cost together."""
    flags = ["run", *MODEL, "--rate", "20", "--num-requests", "100000"]
    for name, pools in (("together", ["--num-instances", "4"]), ("apart", ["--prefill-instances", "2", "--decode-instances", "2"])):
        cost, _ = simulate(plimsoll, flags + pools, 100_000)
        figure(f"split/{name}", 100_000 / cost.cpu_s, "requests/cpu_s")
    many = ["run", *MODEL, "--rate", "100", "--prefill-instances", "8", "--decode-instances", "8",
            "--num-requests", "300000"]
    cost, _ = simulate(plimsoll, many, 300_000)
    figure("split/8+8", 300_000 / cost.cpu_s, "requests/cpu_s", at_least=300_000)


def threads(plimsoll):
    """The speed-up of a run on all processors, as the median over pairs; the answer has to be the same."""
    for name, instances, rate, more in (("16", 16, 176, ()), ("256", 256, 2816, ()),
                                        ("16_long_answers", 16, 24, ("--output-tokens", "5120"))):
        requests = "100000" if more else "1000000"
        command = [plimsoll, "run", *MODEL, "--num-instances", str(instances), "--rate", str(rate),
                   "--num-requests", requests, *more, "--no-model-error", "--json", "--threads"]
        ratios = []
        for _ in range(REPEATS):
            one, all_of_them = run([*command, "1"]), run([*command, "0"])
            if one.stdout != all_of_them.stdout:
                raise RuntimeError(f"{' '.join(command)}: the answer depends on the number of threads")
            ratios.append(one.wall_s / all_of_them.wall_s)
        figure(f"threads/{name}_instances", statistics.median(ratios), f"speed-up, {os.cpu_count()} processors")


QUESTIONS = {f.__name__: f for f in (start_up, tutorial, mooncake, instances, outputs, routing, closed_loops, searches,
                                     split, threads)}


def main():
    if len(sys.argv) < 2 or not set(sys.argv[2:]) <= set(QUESTIONS):
        sys.exit(__doc__)
    for question in sys.argv[2:] or QUESTIONS:
        QUESTIONS[question](str(pathlib.Path(sys.argv[1]).resolve()))
    print(f"{missed} targets missed" if missed else "all targets met", file=sys.stderr)


if __name__ == "__main__":
    main()
