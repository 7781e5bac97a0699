#!/usr/bin/env python3
"""Runs a command beside a small hub on this machine and says what the hub was asked.

    with_hub.py COMMAND...

The hub knows lab/tiny, lab/gated (with a token), lab/moved (one redirect to lab/tiny), lab/loop
(redirects to itself), lab/elsewhere (redirects to another host), lab/page (no JSON) and lab/huge
(beyond any limit). Its port is shown as PORT.
"""
import http.server
import os
import pathlib
import subprocess
import sys
import threading

TINY = (pathlib.Path(__file__).parent / "tiny_model.json").read_bytes()
asked = []


class Hub(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        token = self.headers.get("Authorization", "no token")
        asked.append(f"GET {self.path} ({token})")
        name = self.path.removeprefix("/lab/").removesuffix("/resolve/main/config.json")
        if name == "tiny" or (name == "gated" and token == "Bearer secret"):
            self.answer(200, TINY)
        elif name == "gated":
            self.answer(401)
        elif name in ("moved", "loop", "elsewhere"):
            target = {"moved": "/lab/tiny/resolve/main/config.json", "loop": self.path,
                      "elsewhere": "http://elsewhere.example/config.json"}[name]
            self.answer(307, headers={"Location": target})
        elif name == "page":
            self.answer(200, b"<!doctype html>")
        elif name == "huge":
            self.answer(200, b" " * (11 << 20))
        else:
            self.answer(404)

    def answer(self, status, body=b"", headers=()):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        for key, value in dict(headers).items():
            self.send_header(key, value)
        self.end_headers()
        try:
            self.wfile.write(body)
        except (BrokenPipeError, ConnectionResetError):
            pass

    def log_message(self, *_):
        pass


def main():
    hub = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    threading.Thread(target=hub.serve_forever, daemon=True).start()
    port = str(hub.server_address[1])
    env = dict(os.environ, HF_ENDPOINT="http://127.0.0.1:" + port, NO_PROXY="127.0.0.1",
               no_proxy="127.0.0.1")
    env.pop("PLIMSOLL_OFFLINE", None)
    done = subprocess.run(sys.argv[1:], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True)
    sys.stdout.write(done.stdout)
    sys.stderr.write(done.stderr.replace(port, "PORT"))
    sys.stdout.write("".join("hub: " + line + "\n" for line in asked))
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
