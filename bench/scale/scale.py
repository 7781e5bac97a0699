#!/usr/bin/env python3
"""What would a million configurations take on 1 to 1,000 nodes?

    bench/scale/scale.py BINARY [--configurations N] [--shards N] [--seed N]

Measures on this machine what a plan pays for each configuration, test and shard, and simulates with that how nodes work off the
shards of a large plan: Slurm starts so many tasks a second, some nodes are slow, some fail, and what all shards
need at the end is done by one process. Prints the costs and the speed-up by the number of nodes.
"""
import argparse
import heapq
import json
import pathlib
import random
import resource
import subprocess
import tempfile

CORES = 8             # of a node, each with a task of its own
STARTS_PER_S = 12     # of Slurm, docs/how-to/many-machines.md
SLOW_SHARE = 0.05     # of nodes
SLOW_FACTOR = 3
HOURS_TO_FAILURE = 1000  # of a node, in the mean
REPAIR_S = 600           # until its tasks run again elsewhere

SPACE = """model: meta-llama/llama-3.1-8b-instruct
workload: {{rate: {rate}, prompt_length: {{mean: 512, std: 128}}, output_length: {{mean: 256, std: 64}}}}
constraints: {{slo: "ttft_p95<2s"{more}}}
config_space:
  gpu_types: [A100, H100, L40S, A10G]
  tensor_parallel: [1, 2, 4]
  pipeline_parallel: [1, 2]
  schedulers: [vllm, orca, sarathi]
  max_batch_sizes: {batches}
simulation: {{duration: 60}}
"""


class Program:
    def __init__(self, binary, folder):
        self.binary = str(pathlib.Path(binary).resolve())
        self.folder = pathlib.Path(folder)

    def cpu_s(self, *words):
        """User and system time of one call, and what it printed."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([self.binary, *words], cwd=self.folder, capture_output=True, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode not in (0, 1):
            raise SystemExit(done.stderr.decode())
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout

    def write(self, name, rate, batches, more=""):
        (self.folder / name).write_text(SPACE.format(rate=rate, batches=batches, more=more))


def measure(program):
    """Seconds for each configuration, test and shard; how many tests each configuration takes."""
    cost = {}
    # A budget that nothing fits into: all is opened, nothing is tested.
    few, many = [list(range(8, 8 + n)) for n in (2, 42)]
    seconds = []
    for batches in (few, many):
        program.write("closed.yaml", 50, batches, ", max_gpus: 1, max_cost_per_hour: 0.01")
        seconds.append(program.cpu_s("plan", "closed.yaml", "--quiet", "--json")[0])
    cost["open_s"] = (seconds[1] - seconds[0]) / (72 * (len(many) - len(few)))
    program.write("open.yaml", 50, [32, 64, 128, 256])
    plan = ("plan", "open.yaml", "--quiet", "--json", "--no-timing", "--no-model-error")
    tested, _ = program.cpu_s(*plan, "--journal", "plan.journal")
    lines = (program.folder / "plan.journal").read_text().splitlines()[1:]
    again, _ = program.cpu_s(*plan, "--resume", "plan.journal")
    entries = [json.loads(line.split(" ", 2)[2]) for line in lines]
    cost["tests"] = len(entries)
    cost["test_s"] = (tested - again) / len(entries)
    cost["tested_share"] = len({entry["candidate"] for entry in entries}) / 288
    cost["tests_each"] = len(entries) / len({entry["candidate"] for entry in entries})
    cost["read_s"] = max(0.0, again - 288 * cost["open_s"]) / len(entries)
    cost["bytes"] = sum(map(len, lines)) / len(lines)
    shared = (*plan, "--executor", "local", "--shards", "4", "--journal", "shared")
    program.cpu_s(*shared)
    cost["start_s"] = program.cpu_s("worker", "shared", "0")[0]
    return cost


def shards_of(cost, configurations, shards, chance):
    """Seconds of work of each: those tested are dealt out by chance, and tests differ in length."""
    work = []
    each = configurations / shards
    for _ in range(shards):
        tested = each * cost["tested_share"]
        number = max(0, round(chance.gauss(tested, tested ** 0.5)))
        tests = sum(chance.expovariate(1 / (cost["tests_each"] * cost["test_s"])) for _ in range(number))
        work.append(cost["start_s"] + each * cost["open_s"] + tests)
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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary")
    parser.add_argument("--configurations", type=int, default=1_000_000)
    parser.add_argument("--shards", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    chance = random.Random(asked.seed)
    with tempfile.TemporaryDirectory() as folder:
        cost = measure(Program(asked.binary, folder))
    for name, value, unit in (("opened configuration", 1e6 * cost["open_s"], "us"), ("test", 1e3 * cost["test_s"], "ms"),
                              ("tested share", 100 * cost["tested_share"], "%"),
                              ("tests of a tested configuration", cost["tests_each"], ""),
                              ("test read again", 1e6 * cost["read_s"], "us"), ("test on disk", cost["bytes"], "bytes"),
                              ("start of a shard", 1e3 * cost["start_s"], "ms")):
        print(f"bench scale/{name.replace(' ', '_')} {value:.4g} {unit}".rstrip())
    work = shards_of(cost, asked.configurations, asked.shards, chance)
    tests = asked.configurations * cost["tested_share"] * cost["tests_each"]
    serial = asked.configurations * cost["open_s"] + tests * cost["read_s"]
    alone = sum(work) / CORES + serial
    print(f"bench scale/serial {serial:.0f} s")
    print(f"{'nodes':>6}{'minutes':>10}{'speed-up':>10}{'disturbed':>11}{'speed-up':>10}")
    for nodes in (1, 3, 10, 30, 100, 300, 1000):
        row = [simulate(work, nodes, chance, disturbed) + serial for disturbed in (False, True)]
        print(f"{nodes:>6}{row[0] / 60:>10.1f}{alone / row[0]:>10.0f}{row[1] / 60:>11.1f}{alone / row[1]:>10.0f}")


if __name__ == "__main__":
    main()
