"""A `plimsoll serve` to ask, for the tests serve.py and serve_page.py and for tools/load-serve."""
import http.client
import json
import os
import re
import signal
import subprocess


class Server:
    """The server while it lives; its time to end is part of what is tested."""

    def __init__(self, binary, *flags, **environment):
        self.process = subprocess.Popen(
            [binary, "serve", "--port", "0", *flags], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, env={**os.environ, **environment})
        said = self.process.stdout.readline()
        found = re.search(r"http://(\S+?):(\d+) ", said)
        if not found:
            raise SystemExit(f"no address in {said!r}: {self.process.stderr.read()}")
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
