#!/usr/bin/env python3
"""Are the pages well-formed, do they stand alone, and have they the figures of --json?

    pages.py BINARY
"""
import json
import os
import pathlib
import re
import shlex
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
FLEET = """
models:
- name: chat <a>
  model: meta-llama/llama-3.1-8b-instruct
  workload: {rate: 10}
  constraints: {max_ttft_p95_ms: 2000, max_itl_p95_ms: 200}
- name: documents
  model: meta-llama/llama-3.1-8b-instruct
  workload: {rate: 5}
  constraints: {max_ttft_p95_ms: 2000}
constraints: {max_gpus: GPUS}
config_space: {gpu_types: [H100], tensor_parallel: [1, 2]}
simulation: {duration: 60, random_seed: 42}
"""
FORECAST = """
name: a<b & "c"
slo: ttft_p99<1s
DEPLOYMENT
routes:
  chat: {requests_per_s: 6, prompt_tokens: 800, cached_share: 0.25, output_tokens: 60}
resources:
  prompt_tokens_per_s: {capacity: 5000, owner: the <team>}
  gateway_requests_per_s: {capacity: 30}
traffic: {band: {low: 0.9, high: 1.2}}
history: {file: history.csv, horizon_days: 10, lead_time_days: 3}
scenarios:
  cache & all: {set: {cached_share: 0}}
"""
DEPLOYMENT = "deployment: {model: meta-llama/llama-3.1-8b-instruct, hardware: H100}"
LARGEST = 60_000  # bytes


def answer(folder, verb, request, *flags):
    """The page as bytes and as a tree, and the report."""
    file = folder / "a&b.yaml"
    file.write_text(request)
    page = folder / "page.html"
    done = subprocess.run([BINARY, verb, file, "--json", "--html", page, *flags],
                          stdout=subprocess.PIPE, check=False)
    assert done.returncode in (0, 1), done.returncode
    return page.read_bytes(), ElementTree.parse(page).getroot(), json.loads(done.stdout)


def check_alone(page, root, largest=LARGEST):
    assert len(page) <= largest, len(page)
    text = page.decode()
    assert not re.search(r"url\(|@import|https?:", text), "something from elsewhere"
    for element in root.iter():
        assert element.tag not in ("link", "img", "iframe", "object", "base"), element.tag
        assert "src" not in element.attrib, element.attrib
        assert element.get("href", "#").startswith("#"), element.attrib
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids)), ids
    anchors = {element.get("href")[1:] for element in root.iter("a")}
    assert anchors <= set(ids), anchors - set(ids)


def figures_of(root):
    return {d.get("id"): float(d.get("value")) for d in root.iter("data") if d.get("id")}


def check_every_candidate(root, report):
    """Each of them is in the data of the long table."""
    scripts = [script for script in root.iter("script") if script.get("type") == "application/json"]
    columns = {column["head"]: column for column in json.loads(scripts[0].text)["columns"]}
    def cells(head):
        for run in columns[head]["runs"].split():
            text, _, times = run.partition("*")
            yield from [columns[head]["texts"][int(text)]] * int(times or 1)
    outcomes, gpus = list(cells("outcome")), list(cells("GPU"))
    assert len(outcomes) == report["summary"]["num_configs"], len(outcomes)
    best = report["best_configuration"]
    assert outcomes.count("the pick") == 1
    assert gpus[outcomes.index("the pick")] == best["gpu_type"]


def check_plan(root, report):
    shown = figures_of(root)
    best = report["best_configuration"]
    assert shown["total_gpus"] == best["total_gpus"]
    rate = "promised_qps" if "promised_qps" in shown else "max_sustainable_qps"
    assert shown[rate] == best["performance"][rate]
    if rate == "promised_qps":
        assert shown[rate] < best["performance"]["max_sustainable_qps"]
    for key in ("cost_per_hour", "cost_per_1k_requests", "cost_per_million_output_tokens",
                "qps_per_dollar"):
        assert shown[key] == best["cost"][key], key
    for slo in best["slo_compliance"]["slos"]:
        assert shown[slo["metric"]] == slo["value_ms"], slo
    check_every_candidate(root, report)
    words = " ".join(root.itertext()).replace("\u00a0", " ")  # before units
    for point in report["pareto_frontier"]:
        assert f"{point['cost_per_hour']:.2f}" in words, point
    assert len(list(root.iter("svg"))) == 5  # frontier, TTFT, TPOT and E2E latency, time
    lengths = report["inputs"]["traffic"]
    assert f"prompt-tokens {lengths['prompt-tokens']}," in words


def check_fleet(root, report):
    shown = figures_of(root)
    assert shown["total_gpus"] == report["total_gpus"]
    assert shown["served"] == sum(model["served"] for model in report["models"])
    words = " ".join(root.itertext()).replace("\u00a0", " ")  # before units
    for model in report["models"]:
        assert model["name"] in words, model["name"]
        if not model["served"]:
            assert model["shortage"] in words, model["shortage"]
            continue
        best = model["configuration"]
        assert shown[model["name"] + ".total_gpus"] == best["total_gpus"]
        for slo in best["slo_compliance"]["slos"]:
            assert shown[f"{model['name']}.{slo['metric']}"] == slo["value_ms"], slo
        assert best["intervals"]["max_sustainable_qps"]["parts"]["model"]
    # What each costs and where its time goes; latencies where there was more than one test.
    assert len(list(root.iter("svg"))) >= 2 * shown["served"]


def check_pictures(root, report):
    """They say what the decision says: what is short in its order, the high end, what is to be ordered."""
    titles = ["".join(caption.itertext()).replace("\u00a0", " ") for caption in root.iter("figcaption")]
    short = [row["title"] for row in report["resources"] if (row["utilisation"] or 0) > 1]
    if short:
        binding = next(row["title"] for row in report["resources"] if row["name"] == report["binding"])
        assert titles[0].startswith(f"The forecast p95 exceeds capacity: {binding}"), titles[0]
    elif any(doubt["doubt"] == "band" for doubt in report["decision"]["doubts"]):
        assert "the high end does not: " in titles[0], titles[0]
    ordered = re.match(r"Order (\d+) GPU", report["decision"]["action"] or "")
    if ordered and len(titles) > 2:
        assert re.search(rf"deployed; by [^;]* the load needs .*\b{ordered.group(1)} more", titles[-1]), titles[-1]


def write_histories(folder):
    """30 days that grow from 4 to 7 requests a second, and two that nobody expected."""
    def day(i, requests, prompt):
        return f"2026-{10 + i // 30:02}-{i % 30 + 1:02}T00:00Z,{requests * 86400},{prompt * 86400}"

    rows = [day(i, 4 + i / 10, (4 + i / 10 + i % 3 / 20) * 600) for i in range(30)]
    (folder / "history.csv").write_text("\n".join(["time,requests,prompt_tokens", *rows]))
    rows = [day(i, 9, 9 * 800) + f",{900 * i}" for i in (30, 31)]
    (folder / "came.csv").write_text(
        "\n".join(["time,requests,prompt_tokens,ttft_p99_ms", *rows]))


def check_forecast(root, report):
    shown = figures_of(root)
    for row in report["resources"]:
        for key in ("baseline_p95", "forecast_p95", "capacity", "utilisation", "headroom"):
            if row["capacity"] is not None and row[key] is not None:
                assert shown[f"{row['name']}.{key}"] == row[key], (row, key)
    words = " ".join(root.itertext()).replace("\u00a0", " ")  # before units
    for scenario in report["scenarios"]:
        assert scenario["name"] in words and scenario["first_signal"] in words, scenario
        assert scenario["rollback_trigger"] in words, scenario
    for row in report["runway"]:
        for date in row["date_quantiles"].values():
            assert date is None or date.removesuffix("T00:00Z") in words, row
    for row in report["actuals"]:
        assert shown["actuals." + row["name"]] == row["actual"], row
    assert len(report["actuals"]) == 3 and report["runway"]
    assert "Questions of a review" in words and "cold cache" in words
    if report["peak"] is None:
        return
    assert shown["held_factor"] == report["peak"]["held_factor"]
    for latency in ("ttft_ms", "tpot_ms", "e2e_ms"):
        for statistic, value in report["peak"][latency].items():
            assert shown[f"peak.{latency}.{statistic}"] == value, latency
    assert shown["add_gpus"] == report["add_gpus"] and report["gpus_needed"]
    assert f"counted from {report['orders_counted_from'].removesuffix('T00:00Z')}" in words_of(words)
    for row in report["resources"]:
        low_high = row["intervals"]["capacity"]
        assert low_high is None or row["capacity_from"] != "simulated" or " [" in words_in_row(root, row["title"])


def words_in_row(root, first):
    """Of the row of a table that begins so."""
    return next(" ".join(tr.itertext()) for tr in root.iter("tr") if "".join(tr[0].itertext()) == first)


def check_rows(root):
    """Each row of a table has a cell for each column."""
    for table in root.iter("table"):
        columns = len(table.find("thead").find("tr"))
        for row in table.find("tbody"):
            assert len(row) == columns, "".join(row.itertext())


def meanings_of(root):
    words = next(dl for dl in root.iter("dl") if dl.get("class") == "words")
    known, labels = {}, []
    for element in words:
        if element.tag == "dt":
            labels = [word.text for word in element.iter("span")]
        else:
            known.update(dict.fromkeys(labels, "".join(element.itertext())))
    return known


def check_meanings(root, **expected):
    """A label means what stands on this page, not what another page or a key of JSON calls so."""
    known = {label: meaning.replace("\u00a0", " ").lower() for label, meaning in meanings_of(root).items()}
    for label, part in expected.items():
        assert part.lower() in known[label.replace("_", " ")], (label, known.get(label.replace("_", " ")))


def words_of(text):
    return " ".join(text.split())


# Names of variants and of resources are the user's; rows of statistics need no word.
NAMES_OF_USERS = re.compile(r"against .*|.*: \d+ instance.*|of .* (used|served|handled)|[\w ]+(tokens|requests|\$).*")


def check_words(root):
    """Each head of a column and label of a line has its meaning on the page."""
    words = next(dl for dl in root.iter("dl") if dl.get("class") == "words")
    known = {word.text for term in words.iter("dt") for word in term.iter("span")}
    assert all(len("".join(meaning.itertext())) > 5 for meaning in words.iter("dd"))
    labels = {th.text for th in root.iter("th")} | {dt.text for dt in root.iter("dt") if dt.text}
    for script in root.iter("script"):
        if script.get("type") == "application/json":
            labels |= {column["head"] for column in json.loads(script.text)["columns"]}
    unknown = {label for label in labels - known if not NAMES_OF_USERS.fullmatch(label)}
    assert not unknown, unknown


def repeated_of(root):
    section = next(one for one in root.iter("section") if one.get("id") == "repeat-it")
    return "".join(section.find("pre").itertext())


MEANINGS = {"describe": {"answer": "tokens", "p99": "tokens of a request"},
            "compare": {"cost": "price of a GPU-hour"}, "validate": {"error_%": "predicted minus measured"}}


CHARTS = {"capacity": ["Large dot: the answer, 2 instances at 20.0 req/s", "Grey dot: a short test", "limit 500"],
          "run": ["middle third", "last quarter", "what the verdict compares"]}


def check_reports(folder):
    """Of verbs whose page has the words of the terminal: the decision on top, and each line."""
    traffic = ["--model", "qwen3-14b", "--rate", "5", "--num-requests", "2000"]
    commands = {"run": traffic, "compare": [*traffic, "--seeds", "2", "--vary", "num-instances=1,2"],
                "capacity": ["qwen3-14b", "--rate", "20", "--slo", "ttft_p99<500ms", "--no-model-error"],
                "replay": ["examples/azure.csv", "--model", "qwen3-14b", "--trace-format", "azure"],
                "describe": ["--workload", "chatbot", "--rate", "20"], "validate": ["examples/case"]}
    # Of a run: TTFT and TPOT over time, and where time goes; the trace is too short for a course.
    pictures = {"run": 3, "compare": 2, "capacity": 4, "replay": 1, "describe": 3, "validate": 3}
    root_folder = pathlib.Path(__file__).resolve().parent.parent.parent
    for verb, flags in commands.items():
        page = folder / "report.html"
        def printed(*more):
            return subprocess.run([BINARY, verb, *flags, *more], stdout=subprocess.PIPE, text=True,
                                  check=False, cwd=root_folder).stdout
        report = json.loads(printed("--json", "--html", page))
        verdict = report["decision"]["answer"] if "decision" in report else printed("--quiet")
        root = ElementTree.parse(page).getroot()
        for part in CHARTS.get(verb, []):
            assert part in "".join(root.itertext()).replace("\u00a0", " "), (verb, part)  # before units
        check_alone(page.read_bytes(), root)
        check_words(root)
        check_rows(root)
        if verb in MEANINGS:
            check_meanings(root, **MEANINGS[verb])
        shown = words_of(" ".join(root.itertext()))
        assert words_of(verdict)[1:40] in shown, (verb, verdict)
        for line in re.findall(r"^  ([a-z][a-z ]{1,10}) {2,}", printed("--color", "never"), re.MULTILINE):
            if (verb, line.strip()) == ("describe", "over time"):
                continue  # is a chart on the page
            assert f" {line.strip()} " in f" {shown} ", (verb, line)
        if verb == "validate":  # what is one figure twice is counted once, in the sentence and in the charts
            counted = sum(int(count) for count in re.findall(r"(\d+)\s+measurements?\. Bars", " ".join(root.itertext())))
            assert counted == 3, counted
        if verb == "capacity":
            section = next(one for one in root.iter("section") if one.get("id") == "the-tests-and-what-they-rest-on")
            assert next(section.iter("table"), None) is not None, "the tests have no heading of their own"
            assert "time goes to" not in shown, "the shares of time stand there twice"
        assert repeated_of(root).startswith(f"plimsoll {verb} "), (verb, repeated_of(root))
        again = subprocess.run([BINARY, *shlex.split(repeated_of(root))[1:], "--json"], stdout=subprocess.PIPE,
                               text=True, check=False, cwd=root_folder).stdout
        assert json.loads(again) == report, verb
        assert len(list(root.iter("svg"))) == pictures[verb], (verb, len(list(root.iter("svg"))))


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        page, root, report = answer(folder, "plan", REQUEST.replace("LIMIT", "2000"))
        check_alone(page, root)
        check_plan(root, report)
        check_words(root)
        # Nothing is that fast.
        page, root, report = answer(folder, "plan", REQUEST.replace("LIMIT", "2"))
        check_alone(page, root)
        assert report["best_configuration"] is None
        assert "What would help" in "".join(root.itertext())

        for gpus, served in ((4, 2), (1, 1)):
            page, root, report = answer(folder, "plan", FLEET.replace("GPUS", str(gpus)))
            check_alone(page, root, 2 * LARGEST)
            check_fleet(root, report)
            assert sum(model["served"] for model in report["models"]) == served

        check_reports(folder)
        write_histories(folder)
        for deployment, pictures in (("", 1), (DEPLOYMENT, 2)):
            page, root, report = answer(folder, "forecast", FORECAST.replace("DEPLOYMENT", deployment),
                                        "--actuals", folder / "came.csv")
            check_alone(page, root)
            check_forecast(root, report)
            check_words(root)
            check_rows(root)
            check_pictures(root, report)
            if deployment:
                check_meanings(root, limit="forecast file", value="simulation", mean="simulated peak",
                               p99="simulated peak", order_by="10 %")
            gauges = [svg for svg in root.iter("svg") if svg.get("class") == "bar"]
            with_capacity = [row for row in report["resources"] if row["utilisation"] is not None]
            assert len(gauges) == len(with_capacity), len(gauges)
            assert len(list(root.iter("svg"))) == len(gauges) + pictures


main()
