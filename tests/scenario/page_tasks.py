#!/usr/bin/env python3
"""What readers want to know from the page of a plan and from that of `plimsoll serve`: the way to each answer
exists, takes few steps, and the answer in the text that everybody gets is that of --json. Skipped, visibly, where
there is no Chromium.

    page_tasks.py BINARY
"""
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from browser import Browser  # noqa: E402
from serving import Server  # noqa: E402

BINARY = os.path.abspath(sys.argv[1])
SKIPPED = 77
MOST_STEPS = 3
RATE = 10
PLAN = ["plan", "qwen3-14b", "--rate", str(RATE), "--slo", "ttft_p99<500ms", "--gpu-types", "H100,H200,L40S"]
failures = []


class Reader:
    """Goes over a page as somebody does: each look, click or word typed is a step."""

    def __init__(self, browser):
        self.browser = browser
        self.steps = 0

    def look(self, selector):
        self.steps += 1
        return self.browser.run(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''")

    def section(self, heading):
        """By the contents on top, opened where it is folded."""
        self.steps += 1
        link = f"[...document.querySelectorAll('nav a')].find((one) => one.textContent === {json.dumps(heading)})"
        return self.browser.run(f"""(() => {{ const link = {link}; if (!link) return "";
            link.click(); const there = document.querySelector(link.getAttribute("href"));
            for (const one of there.querySelectorAll("details")) one.open = true;
            return there.innerText; }})()""")

    def type(self, selector, text):
        self.steps += 1
        self.browser.run(f"""(() => {{ const input = document.querySelector({json.dumps(selector)});
            input.value = {json.dumps(text)}; input.dispatchEvent(new Event("input", {{bubbles: true}})); }})()""")

    def click(self, selector):
        self.steps += 1
        self.browser.run(f"document.querySelector({json.dumps(selector)}).click()")

    def sort_down(self, table, head):
        """Two presses of the button in the head of the column."""
        self.steps += 1
        self.browser.run(f"""(() => {{ const button = [...document.querySelector({json.dumps(table)}).querySelectorAll("th button")]
            .find((one) => one.textContent === {json.dumps(head)}); button.click(); button.click(); }})()""")

    def answered(self):
        """Waiting is no step."""
        time.sleep(0.3)  # before the page asks
        self.browser.until("[...document.querySelectorAll('.answer')].every((one) => one.getAttribute('aria-busy') === "
                           "'false') && document.querySelector('.verdict').textContent", 120)


def task(browser, question, find, expected):
    """`find` goes and returns the text; `expected` are regular expressions that it has to hold."""
    reader = Reader(browser)
    began = time.monotonic()
    text = find(reader).replace("\u00a0", " ")  # before units
    took = time.monotonic() - began
    missing = [part for part in expected if not re.search(part, text)]
    print(f"{question:58} {reader.steps} steps, {took:5.2f} s")
    if missing or reader.steps > MOST_STEPS:
        failures.append(f"{question} {reader.steps} steps; not found: {missing}\n{text[:600]}")


def money(value):
    return re.escape(f"{value:.2f}")


def of_a_plan(browser, folder):
    page = pathlib.Path(folder) / "plan.html"
    done = subprocess.run([BINARY, *PLAN, "--json", "--html", page], capture_output=True, text=True, check=True)
    report = json.loads(done.stdout)
    best = report["best_configuration"]
    cost = best["cost"]
    tested = [one for one in report["all_candidates"] if one["simulated"] and one["cost_per_hour"]]
    cheapest_fast = max((one for one in tested if one["cost_per_hour"] <= 7), key=lambda one: one["max_qps"] or 0)
    by_cost = sorted(tested, key=lambda one: one["cost_per_hour"])
    h200 = next(one for one in by_cost if one["config"]["gpu_type"] == "H200")
    dearer = 100 * (h200["cost_per_hour"] / cost["cost_per_hour"] - 1)
    each = best["performance"]["max_sustainable_qps"] / best["num_replicas"]
    twice = math.ceil(2 * RATE / each)
    browser.open(page.as_uri())
    ask = lambda *rest: task(browser, *rest)  # noqa: E731
    ask("What should we buy, and what does it cost an hour?", lambda r: r.look("h1"),
        [best["gpu_type"], money(cost["cost_per_hour"])])
    ask("What does it cost a month?", lambda r: r.look(".tiles"), [rf"\$[\d,]+\s+per month"])
    ask("What does a million output tokens cost?", lambda r: r.look(".tiles"),
        [r"\$0\.\d+\s+per million output tokens"])
    ask("What is the risk: how far off may the answer be?", lambda r: r.section("What it rests on"),
        [r"model: steps \+-[\d.]+ %", r"with the model's error the best serves [\d.]+ to [\d.]+ req/s"])
    ask("How sure is TTFT p99?", lambda r: r.section("Limits"), [r"TTFT p99\t[\d.]+ ms\t[\d.]+ ms to [\d.]+ ms"])
    ask("Which limit breaks first, and where?", lambda r: r.section("What it costs, and where it breaks"),
        [r"TTFT p99 breaks its limit at [\d.]+ req/s"])
    ask("What is to be done next?", lambda r: r.look("main"), [r"Deploy 2 x H100 [^\n]* for 25 % headroom"])
    ask("Which command checks it?", lambda r: r.section("Repeat it"), [r"the run behind the answer[\s\S]*plimsoll run --model"])
    ask("How much more load does it take?", lambda r: r.look("main"),
        [r"Headroom is [\d.]+ %", r"sustainable req/s"])
    ask("Why did H200 lose?", lambda r: r.section("Why the others lost"),
        [rf"H200[^\n]*{money(h200['cost_per_hour'])}[^\n]*costs {dearer:.3g} % more an hour than the pick"])
    ask("What is second best under a budget of $5 an hour?",
        lambda r: "\n".join(line for line in r.section("Why the others lost").splitlines() if re.match(r"\d+\t", line)),
        [rf"^1\t[^\n]*the pick\n{by_cost[1]['id'] if 'id' in by_cost[1] else '[0-9]+'}\t[^\n]*{money(by_cost[1]['cost_per_hour'])}"])
    ask("What is the fastest for at most $7 an hour, whatever was looked at?",
        lambda r: (r.type(".data-table [type=search]", "$/h <= 7"), r.sort_down(".data-table", "req/s"), r.look(".data-table tbody"))[2],
        [rf"^[^\n]*\t{money(cheapest_fast['cost_per_hour'])}\t"])
    ask("What became of H100 with TP8?", lambda r: (r.type(".data-table [type=search]", "H100 TP8"), r.look(".data-table tbody"))[1],
        [r"H100\tTP8[^\n]*(?:cannot beat|costs [^\n]* more [^\n]*than) #1"])
    ask("Which resource runs out first?", lambda r: r.section("Where the time of requests goes"), [r"Bound by \w+"])
    ask("What if the rate doubles?", lambda r: r.section("Repeat it"),
        [rf"Twice the rate, 20 req/s, takes by arithmetic {twice} instances", rf"--rate {2 * RATE}\b"])
    ask("What does the label \"req/s per $/h\" mean?", lambda r: r.section("Words on this page"),
        [r"req/s per \$/h\s+Requests per second for each dollar"])
    ask("Which files deploy it?", lambda r: r.section("Repeat it"),
        [r"files that deploy the pick", r"--emit vllm --output-dir deployment"])
    ask("What if steps are slower than assumed?", lambda r: r.look("main > p ~ p ~ p"),
        [r"With the model's error it serves [\d.]+ to [\d.]+.req/s"])
    ask("How do I run it again?", lambda r: r.section("Repeat it"), [r"plimsoll plan [^\n]*--gpu-types H100,H200,L40S"])


def check_rows(where, found, expected):
    if not re.fullmatch(expected, found):
        failures.append(f"{found!r} {where}, not {expected!r}")


def of_print(browser, folder):
    """Of hundreds of rows all are printed, of thousands the first ones, which say where the rest is; on the
    screen it is as many as before again."""
    page = pathlib.Path(folder) / "many.html"
    subprocess.run([BINARY, "plan", "qwen3-14b", "--rate", "10", "--slo", "ttft_p99<1s", "--duration", "60",
                    "--json", "--html", page], capture_output=True, check=True)
    text = page.read_text()
    told = "(document.querySelectorAll('.data-table tbody tr').length + ' rows: ' + " \
           "document.querySelector('.data-table [role=status]').textContent)"
    for times, filtered, printed, shown in (
            (1, "", "60 rows: 60 of 60", "50 rows: 60 of 60, 50 shown"),
            (10, "", "200 rows: 600 of 600, 200 shown, 400 left out: filter .* or use --json", "50 rows: 600 of 600, 50 shown"),
            (10, "H200", r"(\d+) rows: \1 of 600", r"(\d+) rows: \1 of 600")):
        page.write_text(re.sub('"runs":"([^"]*)"', lambda m: f'"runs":"{" ".join([m[1]] * times)}"', text))
        browser.open(page.as_uri())
        Reader(browser).type(".data-table [type=search]", filtered)
        browser.run(f"addEventListener('beforeprint', () => {{ printed = {told}; }})")
        browser.call("Page.printToPDF")
        check_rows("in print", browser.run("printed"), printed)
        check_rows("on the screen", browser.run(told), shown)


def on_a_phone(browser, folder):
    """The reason of each row is read without moving the table."""
    browser.width(360)
    browser.open((pathlib.Path(folder) / "plan.html").as_uri())
    beyond = browser.run("""[...document.querySelectorAll('.stacks td:last-child')].filter((cell) => {
        const box = cell.getBoundingClientRect(); return box.left < 0 || box.right > innerWidth; }).length""")
    if beyond != 0 or browser.run("document.querySelectorAll('.stacks').length") == 0:
        failures.append(f"{beyond} reasons are beyond the edge of a phone")
    browser.width(1200)


def compared(reader):
    reader.click("#compare")
    reader.type("section:nth-child(2) [name=hardware]", "H200")
    reader.answered()
    return reader.look(".difference")


def changed(reader, **values):
    for name, value in values.items():
        reader.type(f"[name={name.replace('_', '-')}]", value)
    reader.answered()
    return reader.look(".answer")


def meaning(reader, label):
    reader.steps += 1
    reader.browser.run(f"[...document.querySelectorAll('button.word')].find((one) => one.textContent === '{label}').focus()")
    reader.browser.until("document.querySelector('#tip').checkVisibility()")
    return reader.look("#tip")


def of_the_server(browser, server):
    def ask(*rest):
        browser.open(f"{server.url}/?model=qwen3-14b&rate=20&slo=ttft_p99<500ms")
        Reader(browser).answered()
        task(browser, *rest)

    ask("served: How many GPUs for 20 req/s, and what do they cost?", lambda r: r.look(".answer"),
        [r"2 instances \(2 x H100\) hold 20 req/s", r"\$9\.60\s+per hour"])
    ask("served: What if the rate doubles?", lambda r: changed(r, rate="40"), [r"4 instances \(4 x H100\)[^\n]* 40 req/s"])
    ask("served: How much does one instance take?", lambda r: changed(r, rate="", num_instances="1"),
        [r"1 instance \(1 x H100\)[^\n]* 11\.\d+ req/s"])
    ask("served: Is H200 better, and what does it cost?", compared, [r"\$[\d.]+ an hour (more|less)", "TTFT p99"])
    ask("served: Is it as sure?", lambda r: (browser.open(f"{server.url}/?model=qwen3-14b&rate=40&slo=ttft_p99<500ms"), r.answered(), compared(r))[2],
        [r"needs 1 instance fewer", r"headroom of B is [\d.]+ % \(A: [\d.]+ %\)", r"B is not certain to hold with the fewest instances: 4 instances would be needed if"])
    ask("served: What if answers are twice as long?", lambda r: changed(r, output_tokens="1024"), [r"[3-9] instances"])
    ask("served: What does it cost a month, and a million output tokens?", lambda r: r.look(".tiles"),
        [r"\$7,008\s+per month", r"\$0\.\d+\s+per million output tokens"])
    ask("served: How sure is TTFT p99?", lambda r: r.look(".tiles"), [r"TTFT p99\s+[\d.]+ ms to [\d.]+ ms"])
    ask("served: Would a split do better on as many GPUs?", lambda r: (r.click("#compare-layout"), r.answered(), r.look(".difference"))[2],
        [r"on as many GPUs \(3\)"])
    ask("served: What does KV used mean?", lambda r: meaning(r, "KV used"), ["KV blocks"])
    ask("served: How do I ask it on the command line?", lambda r: (r.click(".answer summary"), r.look(".command"))[1],
        [r"plimsoll capacity qwen3-14b --rate 20"])
    ask("served: Is a plan to be had here?", lambda r: (r.click("nav a:nth-child(2)"),
                                                      browser.until("document.querySelector('#start')"),
                                                      r.look("main"))[2], [r"plan: the cheapest deployment"])


def of_a_served_plan(browser, server):
    """Started by its link; its report is the page of_a_plan() asks."""
    browser.open(f"{server.url}/work.html?verb=plan&model=qwen3-14b&rate={RATE}&slo=ttft_p99<500ms&gpu-types=H100,H200,L40S")
    browser.until("document.querySelector('.report iframe').checkVisibility()", 120)
    task(browser, "served plan: What is to be done next?", lambda r: r.look(".verdict"), [r"Deploy 2 x H100"])
    browser.open(browser.run("document.querySelector('.report .alone').href"))
    for question, place, expected in (
            ("What does it cost a month?", ".tiles", r"\$[\d,]+\s+per month"),
            ("What does a million output tokens cost?", ".tiles", r"\$0\.\d+\s+per million output tokens"),
            ("What is the risk?", "main", r"With the model's error it serves [\d.]+ to [\d.]+.req/s"),
            ("Why did H200 lose?", "main", r"H200[^\n]*costs [\d.]+ % more"),
            ("How many GPUs if the rate doubles?", "main", r"Twice the rate, 20 req/s, takes by arithmetic \d instances"),
            ("How do I ask it again?", "main", r"plimsoll plan [^\n]*--gpu-types=?.?H100,H200,L40S")):
        task(browser, f"served plan: {question}", lambda r, place=place: r.look(place), [expected])
    task(browser, "served plan: What became of H100 with TP8?",
         lambda r: (r.type(".data-table [type=search]", "H100 TP8"), r.look(".data-table tbody"))[1], [r"H100\tTP8"])


def main():
    if not shutil.which("chromium"):
        print("skipped: there is no Chromium here (tools/setup page installs it)")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as folder, Server(BINARY) as server:
        browser = Browser(f"{folder}/profile")
        try:
            browser.width(1200)
            of_a_plan(browser, folder)
            on_a_phone(browser, folder)
            of_print(browser, folder)
            of_the_server(browser, server)
            of_a_served_plan(browser, server)
        finally:
            browser.end()
    for failure in failures:
        print("FAILED:", failure)
    sys.exit(1 if failures else 0)


main()
