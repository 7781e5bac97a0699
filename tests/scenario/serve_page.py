#!/usr/bin/env python3
"""A user's path over the page of `plimsoll serve` in Chromium without a window: question, first and
thorough answer, a moved slider, a comparison, the link opened again, the keyboard, narrow and wide. Skipped,
visibly, where there is no Chromium.

    serve_page.py BINARY [FOLDER FOR PICTURES]
"""
import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from serving import Server  # noqa: E402

BINARY = os.path.abspath(sys.argv[1])
PICTURES = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
SKIPPED = 77  # as CTest is told
WIDTHS = (320, 390, 768, 1600)


class Browser:
    """Chromium over its debugging pipe (--remote-debugging-pipe): JSON between zero bytes."""

    def __init__(self, profile):
        to_browser, self.write_end = os.pipe()
        self.read_end, from_browser = os.pipe()
        for end, number in ((to_browser, 3), (from_browser, 4)):
            os.set_inheritable(end, True)

        def hand_over():  # in the child: the pipes have to be files 3 and 4
            a, b = os.dup(to_browser), os.dup(from_browser)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
             f"--user-data-dir={profile}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=hand_over, close_fds=False)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer = b""
        self.count = 0
        self.complaints = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method, **parameters):
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if hasattr(self, "session"):
            message["sessionId"] = self.session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.count:
                if "error" in answer:
                    raise SystemExit(f"{method}: {answer['error']}")
                return answer["result"]

    def read(self):
        while b"\0" not in self.buffer:
            more = os.read(self.read_end, 1 << 16)
            if not more:
                raise SystemExit("Chromium ended")
            self.buffer += more
        text, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(text)
        if message.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded"):
            self.complaints.append(json.dumps(message["params"])[:400])
        return message

    def run(self, script):
        result = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise SystemExit(f"{script}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def open(self, url):
        self.call("Page.navigate", url=url)
        self.until("document.readyState === 'complete' && location.href !== 'about:blank'")

    def until(self, condition, seconds=60):
        end = time.monotonic() + seconds
        while not self.run(f"Boolean({condition})"):
            if time.monotonic() > end:
                raise SystemExit(f"never: {condition}\n{self.run('document.body.innerText')}")
            time.sleep(0.03)

    def width(self, pixels):
        self.call("Emulation.setDeviceMetricsOverride", width=pixels, height=1200, deviceScaleFactor=1, mobile=False)

    def picture(self, name):
        if PICTURES is None:
            return
        PICTURES.mkdir(parents=True, exist_ok=True)
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        (PICTURES / f"{name}.png").write_bytes(base64.b64decode(shot["data"]))

    def end(self):
        self.process.terminate()
        self.process.wait()


def check(holds, what):
    if not holds:
        raise SystemExit(f"FAILED: {what}")


VERDICTS = "[...document.querySelectorAll('.verdict')].map((one) => one.textContent)"
SETTLED = "[...document.querySelectorAll('.answer')].every((one) => one.ariaBusy === 'false' || " \
          "one.getAttribute('aria-busy') === 'false') && [...document.querySelectorAll('.verdict')]" \
          ".every((one) => one.textContent !== '')"


def path_of_a_user(browser, server):
    browser.width(1200)
    began = time.monotonic()
    browser.open(server.url)
    browser.until("document.querySelector('.verdict').textContent")
    print(f"first verdict {time.monotonic() - began:.2f} s after the page was asked for")
    browser.until(SETTLED)
    check("instance" in browser.run(VERDICTS)[0], browser.run(VERDICTS))
    check(browser.run("document.querySelectorAll('#models option').length") > 20, "no models to choose from")
    browser.picture("wide")
    before = browser.run(VERDICTS)
    browser.run("""(() => { const slider = document.querySelector("[data-of=rate]"); slider.value = 95;
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


def at_all_widths(browser, server):
    for width in WIDTHS:
        browser.width(width)
        browser.open(f"{server.url}/?model=qwen3-14b&rate=20&b.model=qwen3-14b&b.rate=30")
        browser.until(SETTLED)
        over = browser.run("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        check(over <= 0, f"{width} px: the page is {over} px too wide")
        browser.picture(f"{width}")
    for scheme in ("dark", "light"):
        browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        browser.picture(f"{scheme}")


def for_everybody(browser):
    """Every control has a name, and the keyboard gets to all of them."""
    nameless = browser.run("""[...document.querySelectorAll("input,select,button")].filter((one) => one.checkVisibility()
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
        browser = Browser(profile)
        try:
            path_of_a_user(browser, server)
            for_everybody(browser)
            at_all_widths(browser, server)
            # Questions that were withdrawn are no complaint; what the wrong model got is one.
            others = [one for one in browser.complaints if "400 (Bad Request)" not in one]
            check(others == [], others)
        finally:
            browser.end()


main()
