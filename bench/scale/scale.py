#!/usr/bin/env python3
"""What would a plan of a million configurations take on 1 to 1,000 nodes?

    bench/scale/scale.py BINARY [--configurations N] [--seed N] [--write]

Measures on this machine what a plan pays for each configuration, test and shard, for two questions: the cheapest
deployment for a rate, where bounds rule most configurations out, and the most that each serves, where they rule out few.
Then simulates how nodes work off the shards of a large plan: Slurm starts so many tasks a second, some nodes are slow, some
fail, and one process reads all tests at the end. --write puts the tables into docs/explanation/scale.md.
"""
import argparse
import heapq
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))

from measured_cases import table, write_sections  # noqa: E402

CORES = 8                # of a node, each with a task of its own
STARTS_PER_S = 12        # of Slurm, docs/how-to/many-machines.md
SHARD_S = 30             # of work, the least that page advises
MOST_SHARDS = 20_000
SLOW_SHARE = 0.05        # of nodes
SLOW_FACTOR = 3
HOURS_TO_FAILURE = 1000  # of a node, in the mean
REPAIR_S = 600           # until its tasks run again elsewhere
NODES = (1, 3, 10, 30, 100, 300, 1000)

SPACE = """model: meta-llama/llama-3.1-8b-instruct
workload: {{{load}, prompt_length: {{mean: 512, std: 128}}, output_length: {{mean: 256, std: 64}}}}
constraints: {{slo: "ttft_p95<2s"{more}}}
config_space:
  gpu_types: [A100, H100, L40S, A10G]
  tensor_parallel: [1, 2, 4]
  pipeline_parallel: [1, 2]
  schedulers: [{schedulers}]
  max_batch_sizes: {batches}
simulation: {{duration: 60}}
"""
BUDGET = ", max_gpus: 1, max_cost_per_hour: 0.01"  # that nothing fits into
LAYOUTS = 4 * 3 * 2
RULES = ("vllm", "orca", "sarathi")
QUESTIONS = {"cheapest for a rate": ("rate: 50", RULES, [32, 64, 128, 256]),
             "most for the money": ("arrival_rate_range: [1, 400]", RULES[:1], [64, 128, 256])}


class Program:
    def __init__(self, binary, folder):
        self.binary = str(pathlib.Path(binary).resolve())
        self.folder = pathlib.Path(folder)

    def used(self, *words):
        """User and system time of one call in seconds, and the most memory it had in bytes."""
        with open(self.folder / "stdout", "w") as out, open(self.folder / "stderr", "w") as err:
            child = subprocess.Popen([self.binary, *words], cwd=self.folder, stdout=out, stderr=err)
            _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode not in (0, 1):
            sys.exit((self.folder / "stderr").read_text())
        return used.ru_utime + used.ru_stime, 1024 * used.ru_maxrss

    def cpu_s(self, *words):
        return self.used(*words)[0]

    def write(self, name, load, rules, batches, more=""):
        (self.folder / name).write_text(
            SPACE.format(load=load, schedulers=", ".join(rules), batches=batches, more=more))


def cost_of_opening(program):
    """Seconds and bytes for each configuration that a budget rules out."""
    seconds, memory = [], []
    counts = (2, 42)
    for count in counts:
        program.write("closed.yaml", "rate: 50", RULES, list(range(8, 8 + count)), BUDGET)
        calls = [program.used("plan", "closed.yaml", "--quiet") for _ in range(3)]
        seconds.append(min(s for s, _ in calls))
        memory.append(min(b for _, b in calls))
    more = LAYOUTS * len(RULES) * (counts[1] - counts[0])
    return (seconds[1] - seconds[0]) / more, (memory[1] - memory[0]) / more


def cost_of(program, load, rules, batches):
    """What a plan of this question pays for its tests."""
    configurations = LAYOUTS * len(rules) * len(batches)
    program.write("open.yaml", load, rules, batches)
    plan = ("plan", "open.yaml", "--quiet", "--json", "--no-timing", "--no-model-error")
    (program.folder / "journal").unlink(missing_ok=True)
    tested = program.cpu_s(*plan, "--journal", "journal")
    again = min(program.cpu_s(*plan, "--resume", "journal") for _ in range(3))
    lines = (program.folder / "journal").read_text().splitlines()[1:]
    candidates = {json.loads(line.split(" ", 2)[2])["unit"].split()[3] for line in lines}
    return {"tests": len(lines), "share": len(candidates) / configurations,
            "each": len(lines) / len(candidates), "test_s": (tested - again) / len(lines),
            "again_s": again, "configurations": configurations,
            "bytes": sum(map(len, lines)) / len(lines)}


def cost_of_reading(program, open_s):
    """Seconds for each test of a journal: of two plans, so that what every plan pays is left out."""
    load, rules, _ = QUESTIONS["most for the money"]
    few, many = (cost_of(program, load, rules, list(range(64, 64 + 16 * count, 16))) for count in (2, 12))
    seconds = [plan["again_s"] - plan["configurations"] * open_s for plan in (few, many)]
    return max(0.0, seconds[1] - seconds[0]) / (many["tests"] - few["tests"])


def cost_of_a_shard(program):
    program.write("open.yaml", *QUESTIONS["cheapest for a rate"])
    program.cpu_s("plan", "open.yaml", "--quiet", "--json", "--no-timing", "--no-model-error", "--executor", "local",
                  "--shards", "4", "--journal", "shared")
    return min(program.cpu_s("worker", "shared", "0") for _ in range(3))


def shards_of(cost, configurations, chance):
    """Seconds of work of each: those tested are dealt out by chance, and tests differ in length."""
    total = configurations * cost["share"] * cost["each"] * cost["test_s"]
    shards = min(MOST_SHARDS, round(total / SHARD_S))
    each = configurations / shards
    tests = each * cost["share"] * cost["each"]
    work = []
    for _ in range(shards):
        number = max(0, round(chance.gauss(tests, (tests * cost["each"]) ** 0.5)))
        seconds = chance.gammavariate(number, cost["test_s"]) if number else 0
        work.append(cost["start_s"] + each * cost["open_s"] + seconds)
    return work


def simulate(work, nodes, chance, disturbed):
    """Seconds until the last of the shards is there."""
    free = []
    for node in range(nodes):
        slow = SLOW_FACTOR if disturbed and chance.random() < SLOW_SHARE else 1
        free += [(0.0, node * CORES + core, slow) for core in range(CORES)]
    heapq.heapify(free)
    end = 0.0
    for number, seconds in enumerate(work):
        at, core, slow = heapq.heappop(free)
        at = max(at, number / STARTS_PER_S) + seconds * slow
        failure = chance.expovariate(1 / (3600 * HOURS_TO_FAILURE)) if disturbed else float("inf")
        if failure < seconds * slow:  # the tests on the disk are kept; half a test is lost
            at += REPAIR_S
        end = max(end, at)
        heapq.heappush(free, (at, core, slow))
    return end


def minutes(seconds):
    return f"{seconds / 60:,.0f}" if seconds >= 600 else f"{seconds / 60:.1f}"


def unit_costs(costs):
    rows = [["a configuration opened, nothing tested", *(f"{1e6 * c['open_s']:.0f} us" for c in costs)],
            ["the same in memory", *(f"{c['memory'] / 1e3:.0f} kB" for c in costs)],
            ["configurations tested", *(f"{100 * c['share']:.1f} %" for c in costs)],
            ["tests of each of these", *(f"{c['each']:.1f}" for c in costs)],
            ["a test", *(f"{1e3 * c['test_s']:.0f} ms" for c in costs)],
            ["a test in the journal", *(f"{c['bytes']:,.0f} bytes" for c in costs)],
            ["a test read again", *(f"{1e6 * c['read_s']:.0f} us" for c in costs)],
            ["a shard begun", *(f"{1e3 * c['start_s']:.0f} ms" for c in costs)],
            ["tests measured", *(str(c["tests"]) for c in costs)]]
    return table(["CPU time on one core", *QUESTIONS], rows)


def speed_up(cost, configurations, chance):
    work = shards_of(cost, configurations, chance)
    serial = configurations * (cost["open_s"] + cost["share"] * cost["each"] * cost["read_s"])
    alone = sum(work) + serial
    rows = []
    for nodes in NODES:
        plain, disturbed = (simulate(work, nodes, chance, d) + serial for d in (False, True))
        rows.append([f"{nodes:,}", minutes(plain), f"{alone / plain:,.0f}", minutes(disturbed), f"{alone / disturbed:,.0f}"])
    head = (f"{alone / 3600:,.1f} hours on one core, {len(work):,} shards; {minutes(serial)} minutes of it are the reading of all "
            "tests and the choice by one process.")
    return head + "\n\n" + table(["nodes", "minutes", "speed-up", "minutes, disturbed", "speed-up, disturbed"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary")
    parser.add_argument("--configurations", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = Program(asked.binary, folder)
        open_s, memory = cost_of_opening(program)
        common = {"open_s": open_s, "memory": memory, "start_s": cost_of_a_shard(program)}
        common["read_s"] = cost_of_reading(program, common["open_s"])
        costs = [common | cost_of(program, *question) for question in QUESTIONS.values()]
    sections = {"unit costs": unit_costs(costs)}
    for name, cost in zip(QUESTIONS, costs):
        sections[name] = speed_up(cost, asked.configurations, random.Random(asked.seed))
    print("\n\n".join(sections.values()))
    if asked.write:
        write_sections("scale.md", sections)


if __name__ == "__main__":
    main()
