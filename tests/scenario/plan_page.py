#!/usr/bin/env python3
"""Is the page of a plan well-formed, does it stand alone, and has it the figures of --json?

    plan_page.py BINARY
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

BINARY = os.path.abspath(sys.argv[1])
REQUEST = """
model: meta-llama/llama-3.1-8b-instruct
workload:
  arrival_rate_range: [1, 100]
constraints: {max_ttft_p95_ms: LIMIT, max_cost_per_hour: 8, min_qps: 10}
config_space:
  gpu_types: [H100, A10G]
  tensor_parallel: [1, 2]
  num_replicas: [1, 2]
simulation: {duration: 60, random_seed: 42}
"""
LARGEST = 40_000  # bytes


def plan(folder, limit_ms):
    """The page as bytes and as a tree, and the report."""
    request = folder / "a&b.yaml"
    request.write_text(REQUEST.replace("LIMIT", str(limit_ms)))
    page = folder / "plan.html"
    done = subprocess.run([BINARY, "plan", request, "--json", "--html", page],
                          stdout=subprocess.PIPE, check=False)
    assert done.returncode in (0, 1), done.returncode
    return page.read_bytes(), ElementTree.parse(page).getroot(), json.loads(done.stdout)


def check_alone(page, root):
    assert len(page) <= LARGEST, len(page)
    text = page.decode()
    assert not re.search(r"url\(|@import|https?:", text), "something from elsewhere"
    for element in root.iter():
        assert element.tag not in ("link", "img", "iframe", "object", "base"), element.tag
        assert not {"src", "href"} & set(element.attrib), element.attrib
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids)), ids


def check_figures(root, report):
    shown = {d.get("id"): float(d.get("value")) for d in root.iter("data") if d.get("id")}
    best = report["best_configuration"]
    assert shown["total_gpus"] == best["total_gpus"]
    assert shown["max_sustainable_qps"] == best["performance"]["max_sustainable_qps"]
    for key in ("cost_per_hour", "cost_per_1k_requests", "cost_per_million_output_tokens",
                "qps_per_dollar"):
        assert shown[key] == best["cost"][key], key
    for slo in best["slo_compliance"]["slos"]:
        assert shown[slo["metric"]] == slo["value_ms"], slo
    words = " ".join(root.itertext())
    for point in report["pareto_frontier"]:
        assert f"{point['cost_per_hour']:.2f}" in words, point
    assert len(list(root.iter("svg"))) == 3  # frontier, one limit, time


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        page, root, report = plan(folder, 2000)
        check_alone(page, root)
        check_figures(root, report)
        page, root, report = plan(folder, 2)  # nothing is that fast
        check_alone(page, root)
        assert report["best_configuration"] is None
        assert "What would help" in "".join(root.itertext())


main()
