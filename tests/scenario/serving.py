"""A `plimsoll serve` to ask, for the tests serve*.py and for tools/load-serve."""
import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
JSON_TYPE = {"Content-Type": "application/json"}
RUN = {"model": "qwen3-14b", "rate": 5, "num-requests": 500}
failures = []


def check(holds, what):
    if not holds:
        failures.append(what)
        print("FAILED:", what, file=sys.stderr)


def printed(binary, *words):
    return subprocess.run([binary, *words], capture_output=True, text=True, cwd=ROOT).stdout


class Server:
    """The server while it lives; its time to end is part of what is tested."""

    def __init__(self, binary, *flags, **environment):
        self.process = subprocess.Popen(
            [binary, "serve", "--port", "0", *flags], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, env={**os.environ, **environment})
        self.said = self.process.stdout.readline()
        found = re.search(r"http://(\S+?):(\d+) ", self.said)
        if not found:
            raise SystemExit(f"no address in {self.said!r}: {self.process.stderr.read()}")
        self.host, self.port = "127.0.0.1", int(found.group(2))
        self.url = f"http://{self.host}:{self.port}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.end()

    def end(self, by=signal.SIGTERM):
        """The exit code, and what was said on stderr."""
        self.process.send_signal(by)
        code = self.process.wait(timeout=20)
        return code, self.process.stderr.read()

    def ask(self, method, path, body=None, headers=None, timeout=60):
        """(status, headers, body) of one request."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=timeout)
        try:
            connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            return response.status, dict(response.getheaders()), response.read().decode()
        finally:
            connection.close()

    def post(self, path, fields, **headers):
        """(status, body as JSON, body)."""
        status, _, body = self.ask("POST", path, json.dumps(fields),
                                   {"Content-Type": "application/json", **headers})
        return status, json.loads(body) if body else None, body


def all_at_once(ask, questions):
    """Twenty at a time."""
    left = list(questions)

    def work():
        while left:
            try:
                ask(left.pop())
            except IndexError:  # another thread took the last one
                return

    workers = [threading.Thread(target=work) for _ in range(20)]
    for one in workers:
        one.start()
    for one in workers:
        one.join()


def resident_mb(pid):
    line = re.search(r"VmRSS:\s+(\d+) kB", pathlib.Path(f"/proc/{pid}/status").read_text())
    return int(line.group(1)) / 1024


def cpu_s(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
