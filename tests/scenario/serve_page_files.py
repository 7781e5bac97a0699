"""What the page of `plimsoll serve` does with files and with questions of minutes: recorded traffic, plans and
forecasts in the background. Imported by serve_page.py."""
import json
import time

from browser import SETTLED, VERDICTS, check


def recorded_traffic(browser, server):
    """A trace is described, and is what is simulated; what is no trace gets an error; nothing of it is in the link."""
    lines = ["arrival_s,input_tokens,output_tokens"]
    lines += [f"{i / 5},{100 + i * 7919 % 900},{20 + i * 104729 % 200}" for i in range(3000)]
    choose = """((name, text) => {{ const files = new DataTransfer(); files.items.add(new File([text], name));
        const input = document.querySelector("[name=trace]"); input.files = files.files;
        input.dispatchEvent(new Event("input", {{bubbles: true}})); }})({}, {})"""
    browser.open(f"{server.url}/?model=qwen3-14b&num-instances=1")
    browser.until(SETTLED)
    browser.run(choose.format(json.dumps("a b.csv"), json.dumps("\n".join(lines))))
    browser.until("document.querySelector('.traffic').textContent.startsWith('3,000 requests')")
    browser.until(SETTLED)
    command = browser.run("document.querySelector('.command').textContent")
    check("--trace 'a b.csv' --trace-format csv" in command, command)
    check(browser.run("document.querySelector('[name=prompt-tokens]').disabled"), "lengths beside recorded ones")
    size = len("\n".join(lines))
    kept = browser.run("new URLSearchParams(location.search).get('trace')")
    check(kept == f"a b.csv ({size:,} bytes)", f"the address says {kept} of the trace")
    check("--rawfile file0 'a b.csv'" in browser.run("document.querySelector('.request').textContent"), "the request names no file")
    browser.run("""(() => { const formats = document.querySelector("[name=trace-format]"); formats.value = "azure";
        formats.dispatchEvent(new Event("input", {bubbles: true})); })()""")
    link = browser.run("location.href")
    check("trace-format=azure" in link, f"the link names no format: {link}")
    browser.open(link)
    browser.until("document.querySelector('.verdict.error')?.textContent.includes('is missing here')")
    check("trace-format=azure" in browser.run("location.search"), "the format of the missing trace is forgotten")
    browser.until("document.querySelector('[name=trace-format]').options.length > 2")
    browser.run(choose.format(json.dumps("a b.csv"), json.dumps("\n".join(lines))))
    check(browser.run("document.querySelector('[name=trace-format]').value") == "azure", "the format of the link is not taken")
    browser.open(f"{server.url}/?model=qwen3-14b&num-instances=1")
    browser.until(SETTLED)
    browser.run(choose.format(json.dumps("a b.csv"), json.dumps("\n".join(lines))))
    browser.until(SETTLED)
    browser.picture("trace")
    for name, text, part in (("photo.csv", "\u0000\ufffd,,,\n" * 50, "unknown column"), ("large.csv", "1,2,3\n" * 500_000, "2.87 MiB")):
        browser.run(choose.format(json.dumps(name), json.dumps(text)))
        browser.until(f"document.querySelector('.verdict.error')?.textContent.includes({json.dumps(part)})")
        said = browser.run(VERDICTS)[0]
        check(part in said, f"{name}: {said}")
        left = browser.run("['.traffic', '.command', '.request'].map((one) => document.querySelector(one).textContent).join('')")
        check(left == "", f"{name}: of the trace before is left {left[:200]}")


def work_in_the_background(browser, server):
    """A plan with its progress; a history that is uploaded; a question that is stopped."""
    browser.width(1000)
    browser.open(f"{server.url}/work.html?verb=plan&model=qwen3-14b&rate=5&slo=ttft_p99<500ms&gpu-types=H100,H200")
    browser.until("document.querySelector('#stop').checkVisibility()")  # a link with a question asks it
    browser.until("document.querySelector('.verdict').textContent && "
                  "document.querySelector('.answer').getAttribute('aria-busy') === 'false'", 120)
    told = browser.run("document.querySelector('.verdict').textContent")
    check("hold" in told and "$" in told, f"plan: {told}")
    browser.until("document.querySelector('.report iframe').checkVisibility()")
    time.sleep(1)  # the frame loads
    browser.picture("plan")
    report = browser.run("document.querySelector('.report .alone').href")
    check(browser.run("document.querySelector('.report .save').download") == "plan.html", "no file to save")
    stranger = browser.run("(() => { try { return document.querySelector('.report iframe').contentDocument; } catch { return null; } })()")
    check(stranger is None, "the page reaches into the report")
    browser.open(report)
    check(browser.run("document.querySelectorAll('.data-table tbody tr').length") > 1, "no candidates")
    check(browser.run("document.querySelectorAll('figure svg').length") > 0, "no charts")
    check(browser.run("document.querySelector('main').innerText.includes('plimsoll run ')"), "no run that checks the pick")
    asked = browser.run(f"fetch('{server.url}/openapi.json').then(() => 'let in', () => 'kept out')")
    check(asked == "kept out", f"the scripts of a report are {asked} by the server")
    browser.complaints.clear()  # of that
    browser.open(f"{server.url}/work.html?verb=forecast")
    history = "time,requests,prompt_tokens\n" + "\n".join(
        f"2026-10-{day:02}T00:00Z,{(4 + day / 10) * 86400},{(4 + day / 10) * 86400 * 600}" for day in range(1, 31))
    forecast = """name: growth
routes:
  chat: {requests_per_s: 6, prompt_tokens: 800, cached_share: 0.25, output_tokens: 60}
resources:
  prompt_tokens_per_s: {capacity: 5000}
history: {file: history.csv, horizon_days: 10}
"""
    browser.run(f"""(() => {{ const form = document.querySelector("#question"); form.elements.verb.value = "forecast";
        const files = new DataTransfer();
        files.items.add(new File([{json.dumps(history)}], "history.csv"));
        files.items.add(new File([{json.dumps(forecast)}], "growth.yaml"));
        form.elements.files.files = files.files;
        form.dispatchEvent(new Event("input", {{bubbles: true}})); document.querySelector("#start").click(); }})()""")
    browser.until("document.querySelector('.verdict').textContent && "
                  "document.querySelector('.answer').getAttribute('aria-busy') === 'false'", 60)
    browser.until("document.querySelector('.report iframe').checkVisibility()")
    request = browser.run("document.querySelector('.request').textContent")
    check("--rawfile file0 'history.csv' --rawfile file1 'growth.yaml'" in request and '{"forecast":$file1' in request, request)
    check("growth.yaml" in browser.run("decodeURIComponent(location.search)"), "the address does not say of which documents it is")
    time.sleep(1)
    browser.picture("forecast")
    back = browser.run("location.href")
    browser.open(browser.run("document.querySelector('.report .alone').href"))
    shown = browser.run("document.querySelector('main').innerText").replace("\u2011", "-")
    check("prompt tokens/s" in shown and "5,000" in shown, shown)
    check(browser.run("document.querySelectorAll('figure svg').length") > 0, "no charts")
    browser.open(back)
    browser.run("document.querySelector('#without')?.click()")
    browser.run(f"""(() => {{ const form = document.querySelector("#question"), files = new DataTransfer();
        for (const name of ["a.csv", "b.csv"]) files.items.add(new File(["1,2\\n".repeat(300000)], name));
        files.items.add(new File([{json.dumps(forecast)}], "growth.yaml"));
        form.elements.files.files = files.files; document.querySelector("#start").click(); }})()""")
    browser.until("document.querySelector('.verdict.error')?.textContent.includes('the server takes 2 MiB at a time')")
    browser.open(f"{server.url}/work.html?verb=plan&model=qwen3-14b&rate=400&slo=ttft_p99<500ms")
    browser.run("document.querySelector('#start').click()")
    browser.until("document.querySelector('#stop').checkVisibility()")
    browser.until("/^planning: .*[1-9][0-9]* simulation/.test(document.querySelector('.state').textContent)")
    browser.run("document.querySelector('#stop').click()")
    browser.until("document.querySelector('.state').textContent === 'stopped'")
