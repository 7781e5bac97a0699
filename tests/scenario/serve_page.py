#!/usr/bin/env python3
"""A user's path over the page of `plimsoll serve` in Chromium without a window: question, first and
thorough answer, a moved slider, a comparison, the link opened again, the keyboard, narrow and wide. Skipped,
visibly, where there is no Chromium.

    serve_page.py BINARY [FOLDER FOR PICTURES]
"""
import json
import os
import pathlib
import shutil
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from browser import SETTLED, VERDICTS, Browser, check  # noqa: E402
from serve_page_files import recorded_traffic, work_in_the_background  # noqa: E402
from serving import Server  # noqa: E402

BINARY = os.path.abspath(sys.argv[1])
PICTURES = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
SKIPPED = 77  # as CTest is told
WIDTHS = (320, 390, 768, 1600)


def path_of_a_user(browser, server):
    browser.width(1200)
    began = time.monotonic()
    browser.open(server.url)
    browser.until("document.querySelector('.verdict').textContent")
    browser.until("/^Being refined: .*so far/.test(document.querySelector('.state').textContent)")
    print(f"first verdict {time.monotonic() - began:.2f} s after the page was asked for")
    browser.until(SETTLED)
    check("instance" in browser.run(VERDICTS)[0], browser.run(VERDICTS))
    for topic, name in (("models", "qwen/qwen3-14b"), ("gpus", "H200")):
        offered = browser.run(f"[...document.querySelectorAll('#{topic} option')].map((one) => one.value)")
        check(len(offered) > 10 and name in offered, f"{topic} to choose from: {offered[:3]}")
    command, request = (browser.run(f"document.querySelector('.{one}').textContent") for one in ("command", "request"))
    check(command.startswith("plimsoll capacity qwen3-14b --rate 20") and "error" not in command, command)
    browser.picture("wide")
    before = browser.run(VERDICTS)
    browser.run("""(() => { const slider = document.querySelector("[data-of=rate]"); slider.value = 60;
                  slider.dispatchEvent(new Event("input", {bubbles: true})); })()""")
    browser.until(f"JSON.stringify({VERDICTS}) !== {json.dumps(json.dumps(before, separators=(',', ':')))}")
    browser.until(SETTLED)
    browser.run("document.querySelector('#compare').click()")
    browser.run("""(() => { const gpu = document.querySelectorAll("[name=hardware]")[1]; gpu.value = "H200";
                  gpu.dispatchEvent(new Event("input", {bubbles: true})); })()""")
    browser.until("location.search.includes('b.hardware=H200')")
    time.sleep(0.3)
    browser.until(SETTLED)
    browser.picture("compared")
    address, told = browser.run("location.href"), browser.run(VERDICTS)
    command = browser.run("document.querySelector('.command').textContent")
    check(command.startswith("plimsoll capacity ") and "--rate" in command, command)
    browser.open(address)
    browser.until(f"document.querySelectorAll('.verdict').length === 2 && {SETTLED}")
    check(browser.run(VERDICTS) == told, f"the link shows {browser.run(VERDICTS)} instead of {told}")
    browser.run("""(() => { const model = document.querySelector("[name=model]"); model.value = "qwen3-14c";
                  model.dispatchEvent(new Event("input", {bubbles: true})); })()""")
    browser.until("document.querySelector('.verdict.error')")
    check('unknown model "qwen3-14c"' in browser.run(VERDICTS)[0], f"no error: {browser.run(VERDICTS)}")
    check('did you mean "qwen3-14b"?' in browser.run(VERDICTS)[0], f"no name like it: {browser.run(VERDICTS)}")


def answers_amid_a_drag(browser, server):
    """What is shown is marked as another question's from the first move on, and there are answers on the way."""
    browser.open(f"{server.url}/?model=qwen3-14b&rate=20&slo=ttft_p99<500ms")
    browser.until(SETTLED)
    seen = browser.run("""(async () => {
        const slider = document.querySelector("[data-of=rate]"), answer = document.querySelector(".answer");
        const verdict = document.querySelector(".verdict"), told = new Set(), first = verdict.textContent;
        let fresh = 0;
        for (let i = 0; i < 30; ++i) {
            slider.value = 40 + i; slider.dispatchEvent(new Event("input", {bubbles: true}));
            if (!answer.classList.contains("outdated") || answer.getAttribute("aria-busy") !== "true") ++fresh;
            await new Promise((resolve) => setTimeout(resolve, 70));
            told.add(verdict.textContent);
        }
        told.delete(first);
        slider.dispatchEvent(new Event("change", {bubbles: true}));
        return [told.size, fresh]; })()""")
    check(seen[0] >= 2, f"{seen[0]} answers while a slider moved for two seconds")
    check(seen[1] == 0, f"{seen[1]} moves left the answer before as if it were this one's")
    browser.until(SETTLED)
    check(not browser.run("document.querySelector('.outdated')"), "the last answer is dimmed")
    asked = browser.run("document.querySelector('.request').textContent")
    check(browser.run("'\"rate\":' + document.querySelector('[name=rate]').value") in asked, f"the request: {asked}")


def values_of_links(browser, server):
    """A link is shown whole, or what is left out of it is said."""
    browser.open(f"{server.url}/?model=qwen3-14b&tp=3&rate=abc&slo=ttft_p99<500ms&colour=red")
    told = browser.run("document.querySelector('.ignored').textContent")
    check('"abc"' in told and "colour" in told and "tp" not in told.replace("http", ""), f"left out: {told}")
    check(browser.run("document.querySelector('[name=tp]').value") == "3", "TP 3 is not shown")
    browser.until("document.querySelector('.verdict.error')?.textContent.includes('TP 3')")
    browser.open(f"{server.url}/?model=qwen3-14b&rate=5&trace=a.csv (120 bytes)")
    browser.until("document.querySelector('.verdict.error')")
    check("trace a.csv (120 bytes) is missing here" in browser.run(VERDICTS)[0], browser.run(VERDICTS))
    browser.run("document.querySelector('.without').click()")
    browser.until(f"!document.querySelector('.verdict.error') && {SETTLED}")
    check("trace" not in browser.run("location.search"), "the trace that was left out is in the address")
    browser.open(f"{server.url}/work.html?verb=plan&model=qwen3-14b&rate=abc&documents=growth.yaml (9 bytes)")
    browser.until("document.querySelector('.verdict.error')")
    check("growth.yaml (9 bytes)" in browser.run(VERDICTS)[0], browser.run(VERDICTS))
    check('"abc"' in browser.run("document.querySelector('.ignored').textContent"), "abc req/s is left out in silence")


def shows_the_test_that_decides(browser, server):
    """An instance that is nearly idle and still too slow."""
    browser.open(f"{server.url}/?model=qwen3-14b&rate=20&slo=ttft_p99<20ms")
    browser.until(SETTLED)
    shown = browser.run("document.querySelector('.wide').innerText")
    check("1 (nearly idle)" in shown and "TTFT p99 53.3 ms" in shown, shown)


def compares_what_is_recommended(browser, server):
    """Two H100 hold and three are to be deployed; two H200 have headroom: B costs less, not more."""
    browser.open(f"{server.url}/?model=qwen3-14b&rate=20&slo=ttft_p99<500ms&b.model=qwen3-14b&b.rate=20"
                 "&b.slo=ttft_p99<500ms&b.hardware=H200")
    browser.until(SETTLED)
    told = browser.run("document.querySelector('.difference').textContent")
    check("Compared with A, B needs 1 instance fewer, costs $1.62/h less" in told, told)
    tiles = browser.run("[...document.querySelectorAll('.tiles')].map((one) => one.innerText)")
    check("$9.60" in tiles[0] and "$7.98" in tiles[1], f"tiles: {tiles}")
    check(browser.run("document.querySelector('.difference').compareDocumentPosition(document.querySelector('#settings')) & 4"),
          "the comparison is not above the settings")


def splits(browser, server):
    """A split has its controls, and says which pool is short; beside it stand instances that do both, on as many GPUs."""
    browser.width(1200)
    browser.open(f"{server.url}/?model=qwen3-14b&num-instances=3&rate=40&slo=ttft_p99<500ms")
    browser.until(SETTLED)
    browser.run("document.querySelector('#compare-layout').click()")
    browser.until("location.search.includes('b.prefill-instances=1&b.decode-instances=2')")
    check("b.num-instances" not in browser.run("location.search"), "instances that do both beside pools")
    time.sleep(0.3)
    browser.until(SETTLED)
    told = browser.run("document.querySelectorAll('.answer')[1].innerText")
    check("1 instance for prefill and 2 for decode" in told and "1 + 2" in told, told)
    check("Decode is short (prefill " in told and "No other ratio of as many instances has room." in told, told)
    difference = browser.run("document.querySelector('.difference').textContent")
    check("on as many GPUs (3)" in difference, difference)
    browser.until("document.querySelectorAll('#together svg').length === 3")
    charts = browser.run("[...document.querySelectorAll('#together figcaption')].map((one) => one.textContent)")
    check(all(": A " in title and ", B " in title for title in charts), charts)
    check(browser.run("[...document.querySelectorAll('.setting .charts')].every((one) => !one.checkVisibility())"), "charts twice")
    legend = browser.run("document.querySelector('.legend').innerText")
    check("A: aggregated, 3 instances" in legend and "B: split, 1 prefill + 2 decode" in legend, legend)
    browser.picture("split")
    command, request = (browser.run(f"document.querySelectorAll('.{one}')[1].textContent") for one in ("command", "request"))
    check("--prefill-instances 1 --decode-instances 2" in command and "--num-instances" not in command, command)
    check('"prefill-instances":1,"decode-instances":2' in request, request)
    address = browser.run("location.href")
    browser.open(address)
    browser.until(f"document.querySelectorAll('.verdict').length === 2 && {SETTLED}")
    check(browser.run("document.querySelectorAll('[name=layout]')[1].value") == "split", "the link forgets the split")
    browser.run("""(() => { const layout = document.querySelectorAll("[name=layout]")[1]; layout.value = "";
        layout.dispatchEvent(new Event("input", {bubbles: true})); })()""")
    browser.until("!location.search.includes('b.prefill-instances')")


def ways_back(browser, server):
    """Each question is a step of the way back, and what is no number is no question."""
    browser.open(f"{server.url}/?model=qwen3-14b&rate=5&slo=ttft_p99<500ms")
    browser.until(SETTLED)
    for value in ("6", "7"):
        browser.run(f"""(() => {{ const rate = document.querySelector("[name=rate]"); rate.value = "{value}";
            for (const kind of ["input", "change"]) rate.dispatchEvent(new Event(kind, {{bubbles: true}})); }})()""")
    browser.run("document.querySelector('#compare').click()")
    for way, rate, settings in (("back", 7, 1), ("back", 6, 1), ("back", 5, 1), ("forward", 6, 1)):
        browser.run(f"history.{way}()")
        browser.until(f"document.querySelector('[name=rate]').value === '{rate}' && "
                      f"document.querySelectorAll('.setting').length === {settings}")
    browser.run("document.querySelector('[name=rate]').select()")
    for key in "1e":
        browser.call("Input.dispatchKeyEvent", type="keyDown", text=key)
    browser.until("document.querySelector('.verdict').textContent === 'Requests per second must be a number'")


def guesses_and_errors(browser, server):
    """A speed that is a guess is called one, with what was assumed; an error leaves nothing of the answer before."""
    browser.open(f"{server.url}/?model=qwen3-14b&hardware=MI300X&rate=20&slo=ttft_p99<500ms")
    browser.until(SETTLED)
    told = browser.run("document.querySelector('.answer').innerText")
    check("nobody measured this GPU" in told, told)
    check("MI300X" in told and "prompt-tokens 512" in told and "per month" in told, told)
    browser.run("""(() => { const gpu = document.querySelector("[name=hardware]"); gpu.value = "MI999";
        gpu.dispatchEvent(new Event("input", {bubbles: true})); })()""")
    browser.until("document.querySelector('.verdict.error')")
    check(browser.run("document.querySelector('.command').textContent") == "", "the command of another question")
    browser.call("Emulation.setEmulatedMedia", media="print")
    check(browser.run("document.querySelector('.printed').checkVisibility()"), "a print does not say what was asked")
    check("Prompt tokens 512" in browser.run("document.querySelector('.printed').innerText"), "lengths are not printed")
    browser.call("Emulation.setEmulatedMedia", media="")


def labels_tell_what_they_mean(browser, server):
    """By the keyboard, as by a pointer: the same words as `plimsoll explain`."""
    browser.open(server.url)
    browser.until(f"{SETTLED} && document.querySelector('.tiles button.word')")
    browser.run("[...document.querySelectorAll('button.word')].find((one) => one.textContent === 'GPU busy').focus()")
    browser.until("document.querySelector('#tip').checkVisibility()")
    told = browser.run("document.querySelector('#tip').textContent")
    check("share of the time" in told or "share of time" in told, f"GPU busy: {told}")
    browser.picture("word")
    browser.run("""document.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape", bubbles: true}))""")
    check(not browser.run("document.querySelector('#tip').checkVisibility()"), "Escape leaves the meaning there")
    browser.until("document.querySelector('[name=slo]').title")


def charts_of_an_answer(browser, server):
    """Latency against load: soon roughly, then of the answer; told to the keyboard; another question dims it."""
    browser.width(1200)
    browser.open(f"{server.url}/?model=qwen3-14b&rate=20&slo=ttft_p99<500ms")
    browser.until("document.querySelector('.charts svg')")
    titles = "[...document.querySelectorAll('.charts figcaption')].map((one) => one.firstChild.textContent)"
    browser.until(SETTLED)
    check(browser.run(titles)[0].startswith("TTFT p99 breaks its limit at "), browser.run(titles))
    check([title[:8] for title in browser.run(titles)[1:]] == ["TPOT p99", "E2E p99 "], browser.run(titles))
    check(browser.run("document.querySelectorAll('.charts .pick, .charts .limit').length") >= 4, "no answer or limit in it")
    browser.run("""(() => { const svg = document.querySelector(".charts svg"); svg.focus();
        svg.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true})); })()""")
    read = browser.run("document.querySelector('.charts output').textContent")
    check(read.startswith("2.00 req/s: "), f"the arrow keys read out {read}")
    browser.picture("charts")
    shown = browser.run("document.querySelector('.charts').innerHTML")
    browser.run("""(() => { const rate = document.querySelector("[name=rate]"); rate.value = "35";
        rate.dispatchEvent(new Event("input", {bubbles: true})); })()""")
    check(browser.run("document.querySelector('.outdated .charts') && getComputedStyle(document.querySelector('.charts')).opacity") == "0.45",
          "the curve of another question looks like this one's")
    browser.until(SETTLED)
    check(browser.run("document.querySelector('.charts').innerHTML") != shown, "the curve stays that of 20 req/s")
    check(browser.run("document.activeElement === document.querySelector('.charts svg')"), "the reader lost the place")
    browser.open(f"{server.url}/?model=qwen3-14b&rate=20&slo=ttft_p99<20ms")
    browser.until(SETTLED)
    check(browser.run(titles)[0] == "TTFT p99 by short tests", browser.run(titles))


def numbers_as_in_reports(browser, server):
    """As base/text_test.cc and the like have them."""
    browser.open(server.url)
    for call, expected in (("threeDigits(0.12345)", "0.123"), ("threeDigits(9.996)", "10.0"), ("threeDigits(20)", "20.0"),
                           ("threeDigits(12345)", "12,300"), ("threeDigits(0)", "0"), ("rate(11.4)", "11.40"), ("rate(48)", "48"),
                           ("rate(1234.4)", "1,234"), ("percent(0.16)", "16.0 %"), ("time(999.4)", "999 ms"),
                           ("time(5540)", "5.54 s")):
        name = call.split("(")[0]
        told = browser.run(f"import('{server.url}/numbers.js').then(({{{name}}}) => {call})")
        check(told == expected, f"{call} is {told}, not {expected}")


def arithmetic_agrees_with_the_tests(browser, server):
    """Where nothing holds yet, the first sentence names no number that failed below it."""
    browser.open(server.url)
    for failed, expected in (([], "By arithmetic about 2 instances"), ([1], "By arithmetic about 2 instances"),
                             ([2], "More than 2 instances"), ([1, 3], "More than 3 instances")):
        tests = [{"instances": count, "answer": "fails"} for count in failed]
        answer = {"estimate": {"rate_rps_per_instance": 12}, "evidence": tests}
        browser.run(f"import('{server.url}/answer.js').then(({{arithmetic}}) => "
                    f"window.told = arithmetic({json.dumps(answer)}, {{rate: '20'}}))")
        browser.until(f"window.told?.startsWith({json.dumps(expected)})", 5)


def at_all_widths(browser, server):
    for width in WIDTHS:
        browser.width(width)
        browser.open(f"{server.url}/?model=qwen3-14b&rate=20&b.model=qwen3-14b&b.rate=30")
        browser.until(SETTLED)
        over = browser.run("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        check(over <= 0, f"{width} px: the page is {over} px too wide")
        browser.picture(f"{width}")
        browser.open(f"{server.url}/work.html")
        over = browser.run("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        check(over <= 0, f"{width} px: the page of plans is {over} px too wide")
        browser.picture(f"work-{width}")
    for scheme in ("dark", "light"):
        browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        browser.picture(f"{scheme}")


def for_everybody(browser):
    """Every control has a name, and the keyboard gets to all of them."""
    nameless = browser.run("""[...document.querySelectorAll("input,select,button,textarea")].filter((one) => one.checkVisibility()
        && !(one.labels?.length || one.ariaLabel || one.textContent)).map((one) => one.outerHTML)""")
    check(nameless == [], f"without a name: {nameless}")
    unreachable = browser.run("""[...document.querySelectorAll("input,select,button,summary,a")]
        .filter((one) => one.checkVisibility() && one.tabIndex < 0).map((one) => one.outerHTML)""")
    check(unreachable == [], f"not reached by the keyboard: {unreachable}")


def main():
    if not shutil.which("chromium"):
        print("skipped: there is no Chromium here (tools/setup page installs it)")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as profile, Server(BINARY) as server:
        browser = Browser(profile, PICTURES)
        try:
            path_of_a_user(browser, server)
            ways_back(browser, server)
            for_everybody(browser)
            labels_tell_what_they_mean(browser, server)
            answers_amid_a_drag(browser, server)
            values_of_links(browser, server)
            compares_what_is_recommended(browser, server)
            splits(browser, server)
            shows_the_test_that_decides(browser, server)
            guesses_and_errors(browser, server)
            charts_of_an_answer(browser, server)
            numbers_as_in_reports(browser, server)
            arithmetic_agrees_with_the_tests(browser, server)
            recorded_traffic(browser, server)
            for_everybody(browser)
            work_in_the_background(browser, server)
            for_everybody(browser)
            at_all_widths(browser, server)
            # Questions that were withdrawn are no complaint; what the wrong model got is one.
            others = [one for one in browser.complaints if "400 (Bad Request)" not in one]
            check(others == [], others)
        finally:
            browser.end()


main()
