"""Chromium without a window, for the tests of pages: serve_page.py and tools/check-pages; and what tests ask of the
page of `plimsoll serve`."""
import base64
import json
import os
import pathlib
import subprocess
import time

# Of the page of `serve`: what it answers, and whether it is done.
VERDICTS = "[...document.querySelectorAll('.verdict')].map((one) => one.textContent)"
SETTLED = "[...document.querySelectorAll('.answer')].every((one) => one.ariaBusy === 'false' || " \
          "one.getAttribute('aria-busy') === 'false') && [...document.querySelectorAll('.verdict')]" \
          ".every((one) => one.textContent !== '')"


def check(holds, what):
    if not holds:
        raise SystemExit(f"FAILED: {what}")


class Browser:
    """Chromium over its debugging pipe (--remote-debugging-pipe): JSON between zero bytes."""

    def __init__(self, profile, pictures=None):
        self.pictures = pictures  # a folder; none: none are made
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

    def width(self, pixels, height=1200):
        self.call("Emulation.setDeviceMetricsOverride", width=pixels, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setScrollbarsHidden", hidden=True)  # pictures would be cut by their width

    def picture(self, name, whole=True):
        """Of the whole page, or of what the window shows."""
        if self.pictures is None:
            return
        self.pictures.mkdir(parents=True, exist_ok=True)
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        (self.pictures / f"{name}.png").write_bytes(base64.b64decode(shot["data"]))

    def end(self):
        self.process.terminate()
        self.process.wait()
