#!/usr/bin/env python3
"""Does the server keep strangers and paths out, and survive what is sent to it?

    serve_hostile.py BINARY
"""
import http.client
import json
import os
import pathlib
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from serving import JSON_TYPE, ROOT, RUN, Server, all_at_once, check, failures, resident_mb  # noqa: E402

BINARY = os.path.abspath(sys.argv[1])
TOKEN = "0123456789abcdef-of-a-test"


def no_path_of_the_host(server, secret):
    """Neither by a flag nor by a document that names one; nothing is written either."""
    outputs = ["results-path", "metrics-path", "timeline", "trace-output", "decisions-output",
               "saturation-report", "html", "summary", "journal", "resume", "output-dir", "emit"]
    inputs = ["model-config", "hardware-config", "calibration", "profile", "policy-config", "trace",
              "price-file", "saturation-config", "diff", "actuals", "telemetry"]
    others = ["executor", "sbatch-args", "threads", "server-url", "token-env", "listen"]
    with tempfile.TemporaryDirectory() as folder:
        for verb in ("run", "capacity", "plan", "forecast"):
            for flag in outputs + inputs + others:
                value = f"{folder}/{flag}" if flag in outputs else secret
                status, _, body = server.post(f"/api/{verb}", {"model": "qwen3-14b", "rate": 1, flag: value})
                check(status == 400 and "s3cret" not in body, f"{verb} takes {flag}: {status} {body[:200]}")
        check(not os.listdir(folder), f"written: {os.listdir(folder)}")
    lengths = (ROOT / "examples/workloads/lengths.yaml").read_text()
    check("prompt-lengths.csv" in lengths, "the example names no file")
    lengths = lengths.replace("prompt-lengths.csv", "PATH").replace("answer-lengths.json", "PATH")
    documents = [("run", "workload-spec", f"servegen_data: {{path: {os.path.dirname(secret)}}}\n"),
                 ("run", "workload-spec", lengths.replace("PATH", secret)),
                 ("run", "workload-spec", lengths.replace("PATH", "../../../../etc/passwd")),
                 ("run", "fleet", f"pools: [{{name: a, instances: 1, calibration: {secret}}}]\n"),
                 ("plan", "request", f"model: {secret}\nworkload: {{spec: {secret}}}\n"),
                 ("plan", "request", f"models:\n- {{name: a, model: x, model_config: {secret}}}\n"),
                 ("forecast", "forecast", f"routes:\n- {{name: a}}\nhistory: {{file: {secret}}}\n")]
    for verb, field, text in documents:
        status, _, body = server.post(f"/api/{verb}", {"model": "qwen3-14b", field: text})
        check(status in (400, 422) and "s3cret" not in body, f"{verb} read {text!r}: {status} {body[:300]}")
    # Nobody learns which files there are.
    told = []
    for path in (secret, "/no/such/file"):
        _, _, body = server.post("/api/run", {"model": "qwen3-14b", "workload-spec": lengths.replace("PATH", path)})
        told.append(body.replace(path, "PATH"))
    check(told[0] == told[1], f"existing files differ from others: {told}")
    # A file that was sent is found.
    status, _, body = server.post("/api/run", {
        "model": "qwen3-14b", "num-requests": 50, "files": {"lengths.csv": "10,1\n20,1\n"},
        "workload-spec": lengths.replace("PATH", "lengths.csv")})
    check(status == 200, f"sent file: {status} {body[:300]}")


def strangers(server):
    fine = {**JSON_TYPE, "Host": f"127.0.0.1:{server.port}"}
    for headers, expected in ((fine, 200), (fine | {"Origin": server.url}, 200),
                              (fine | {"Origin": "http://evil.example"}, 403), (fine | {"Origin": "null"}, 403),
                              (fine | {"Host": "evil.example"}, 403), (fine | {"Host": "localhost:1"}, 403),
                              (fine | {"Content-Type": "text/plain"}, 415),
                              (fine | {"Content-Type": "application/x-www-form-urlencoded"}, 415)):
        status, got, body = server.ask("POST", "/api/explain", '{"word": "ttft"}', headers)
        check(status == expected, f"{headers}: {status} instead of {expected}")
        check("Access-Control-Allow-Origin" not in got, "another site may read the answer")
    status, _, _ = server.ask("GET", "/", None, {"Host": "evil.example"})
    check(status == 403, "the page is handed out under a foreign name")


def too_much(server):
    status, _, body = server.ask("POST", "/api/run", '{"slo": "' + "x" * (2 << 20) + '"}', JSON_TYPE)
    check(status == 413 and json.loads(body)["error"], f"2 MiB: {status}")
    status, headers, _ = server.ask("POST", "/api/run", '{"slo": "' + "x" * 20_000_000 + '"}', JSON_TYPE)
    check(status == 413 and headers["Connection"] == "close", f"20 MB: {status}")
    began = time.monotonic()
    with socket.create_connection((server.host, server.port), timeout=20) as one:
        one.sendall(f"POST /api/run HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Type: application/json\r\n"
                    "Content-Length: 99999999999\r\n\r\n{".encode())
        told = one.recv(1000).decode()
    check(" 413 " in told and time.monotonic() - began < 2, f"an endless body: {told[:100]!r}")
    head = "arrival_s,input_tokens,output_tokens\n"
    trace = head + "".join(f"{i},{1 + i % 9},1\n" for i in range(96_000))
    status, answer, body = server.post("/api/describe", {"trace": trace[:1_000_000].rsplit("\n", 1)[0], "trace-format": "csv"})
    check(status == 200, f"a trace of a megabyte: {status} {body[:200]}")
    for deep in ("[" * 200_000, '{"a":' * 100_000, '{"rate": 1e999999}', '{"rate": ' + "9" * 100_000 + "}"):
        status, _, _ = server.ask("POST", "/api/run", deep, JSON_TYPE)
        check(status == 400, f"{deep[:20]}...: {status}")
    status, answer, body = server.post("/api/run", RUN | {"num-requests": 900_000_000, "rate": 1000})
    check(status in (200, 422, 503), f"a huge run: {status} {body[:200]}")


def malformed(server):
    """What is no question is refused, and why is said: on the API and by the tools for agents."""
    for body, why in (
            ("", "it is empty"), ("{", "not valid JSON from byte 2 on"), ('{"rate": 5,}', "not valid JSON from byte 12 on"),
            ('{"rate": NaN}', "not valid JSON from byte"), ('{"rate": 1e400}', "a number is too large"),
            (b'{"model": "\xff"}', "not valid JSON from byte"), ('{"model": "\\ud800"}', "not valid JSON from byte"),
            ("[" * 100_000 + "]" * 100_000, "it is nested too deep"), ("[]", "not a JSON object"),
            ('{"model": "qwen3-14b", "model": "llama-3.1-8b-instruct"}', '\\"model\\" is given twice'),
            ('{"workload-spec": {"a": 1, "a": 2}}', '\\"a\\" is given twice'),
            ('{"model": "' + "x" * 5000 + '"}', "of at most 4,096 bytes"),
            ('{"model": ["qwen3-14b"]}', "with commas between"), ('{"--rate": 5}', "without dashes")):
        status, _, answer = server.ask("POST", "/api/run", body, JSON_TYPE)
        check(status == 400 and why in answer and len(answer) < 5000, f"{body[:40]!r}: {status}: {answer[:200]}")
    for body, why in (("", "it is empty"), ('{"jsonrpc": "2.0", "id": 1, "id": 2, "method": "ping"}', "given twice"),
                      ("[" * 100_000, "nested too deep"), (b"\xff", "not valid JSON from byte 1 on")):
        status, _, answer = server.ask("POST", "/mcp", body, JSON_TYPE | {"Accept": "application/json, text/event-stream"})
        check(status == 200 and '"code":-32700' in answer and why in answer, f"mcp {body[:40]!r}: {status}: {answer[:200]}")


def hostile_questions(server, secret):
    """(method, path, body, headers): paths out of the page, names of files in every field, strangers, too much."""
    draw = random.Random(11)
    fine = {**JSON_TYPE, "Host": f"127.0.0.1:{server.port}"}
    up = "../" * 8
    paths = [f"/{up}etc/passwd", "/..%2f..%2f..%2fetc%2fpasswd", "/%2e%2e/%2e%2e/etc/passwd", f"//{secret}", secret,
             f"/api/run/{up}etc/passwd", "/page.js/../../../etc/passwd", "/page.js%00.html", "/api/%00", "/mcp/..",
             f"/?file={secret}", "/openapi.json?x=" + "y" * 5000, "/" + "a" * 6000, "/api/serve", "/api/observe"]
    for path in paths:
        yield "GET", path, None, {"Host": fine["Host"]}
        yield "POST", path, json.dumps(RUN), fine
    values = [secret, f"file://{secret}", f"@{secret}", f"$(cat {secret})", f"`cat {secret}`", f"{up}etc/passwd", "\u0000",
              "; cat /etc/passwd", "x" * 100_000, "%s%n%s%n", "<script>alert(1)</script>", "-1", "1e308", "nan",
              {"path": secret}, [secret], {"__proto__": {}}]
    api = json.loads(server.ask("GET", "/openapi.json")[2])
    for verb in ("run", "capacity", "plan", "forecast", "describe", "explain", "list"):
        fields = list(api["components"]["schemas"][verb]["properties"])
        for _ in range(11):
            question = {"model": "qwen3-14b", "rate": 5} if verb in ("run", "capacity", "plan") else {}
            question |= {"num-requests": 100} if verb == "run" else {}
            question[draw.choice(fields)] = draw.choice(values)
            yield "POST", f"/api/{verb}?within=0.2", json.dumps(question), fine
    curve = {"name": "TTFT p99", "limit_ms": 500, "answer_rps": 2, "highest_rps": 3, "highest_ms": 500, "points": [[2, 50, "holds"]]}
    for key in curve:
        for value in values:
            yield "POST", "/compared-charts", json.dumps({"a": [curve | {key: value}], "b": [curve]}), fine
    yield "POST", "/compared-charts", json.dumps({"a": [curve | {"points": [[1e11, 1e11, "fails"]] * 400}] * 30, "b": [curve] * 30}), fine
    for name in (f"{up}etc/passwd", secret, "a/b", "\u0000", ""):
        yield "POST", "/api/forecast", json.dumps({"forecast": f"history: {{file: '{secret}'}}", "files": {name: "x"}}), fine
    for headers in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}, {"Content-Type": "text/plain"}):
        yield "POST", "/api/run", json.dumps(RUN), fine | headers


def hostile(server, secret):
    """100 and more; none gets a file, an answer meant for others, or the server down."""
    questions = list(hostile_questions(server, secret))
    check(len(questions) >= 100, f"{len(questions)} hostile requests")

    def ask(question):
        method, path, body, headers = question
        try:
            status, _, told = server.ask(method, path, body, headers)
        except (OSError, http.client.HTTPException):  # refused below HTTP
            return
        what = f"{method} {path[:60]} {(body or '')[:120]}"
        check("s3cret" not in told and "root:x:0" not in told, f"a file of the host: {what}")
        check(status < 500 or status == 503, f"{status}: {what}: {told[:200]}")

    all_at_once(ask, questions)
    before = resident_mb(server.process.pid)
    all_at_once(ask, questions)
    grown = resident_mb(server.process.pid) - before
    check(grown < 60, f"the same questions again take {grown:.0f} MB more")
    check(server.process.poll() is None, "the server ended")
    check(server.post("/api/run", RUN)[0] == 200, "no answer after hostile requests")


def hostile_traces(server, secret):
    """Whatever is sent as a trace is refused as one, or read as one."""
    head = "arrival_s,input_tokens,output_tokens\n"
    block = '{"timestamp": 0, "input_length": %s, "output_length": 1, "hash_ids": %s}\n'
    traces = ["", "\0", "\0" * 100_000, head, head * 1000, head + "nan,nan,nan\n", head + "1e308,1,1\n0,1,1\n",
              head + "0,-5,3\n", head + "0,99999999999999999999,3\n", head + "0,1,1\n" * 60_000, head + f"{secret},1,1\n",
              head.replace("\n", ",prefix_id,prefix_tokens\n") + "0,1,1,../../etc/passwd,9\n", "=cmd|' /C calc'!A0," * 1000,
              "," * 900_000, '"' * 900_000, "[" * 200_000, block % (1, "[" * 50_000), block % (10**30, "[]"),
              block % (512, list(range(50_000))), '{"timestamp": {"a": 1}}\n', "<script>alert(1)</script>\n", "\ud83d" * 10]
    for form in ("csv", "azure", "mooncake", "sharegpt", "no-such-form", secret):
        for trace in traces:
            for verb in ("describe", "capacity"):
                fields = {"trace": trace, "trace-format": form} | ({"model": "qwen3-14b"} if verb == "capacity" else {})
                status, _, body = server.post(f"/api/{verb}?within=0.2", fields)
                what = f"{verb} of {form} {trace[:40]!r}: {status} {body[:200]}"
                check(status in (200, 400, 413, 422, 503), what)
                check("s3cret" not in body, f"a file of the host: {what}")
    forecast = ("routes: {chat: {requests_per_s: 6, prompt_tokens: 800, output_tokens: 60}}\n"
                "resources: {prompt_tokens_per_s: {capacity: 5000}}\nhistory: {file: history.csv, horizon_days: 10}\n")
    head = "time,requests,prompt_tokens\n"
    days = [f"2026-10-{day:02}T00:00Z," for day in range(1, 31)]
    histories = [*traces, head, head + "\n".join(day + "nan,nan" for day in days), head + "\n".join(day + "-1,1e308" for day in days),
                 head + f"{days[0]}1,1\n" * 20_000, head + "9999-12-31T00:00Z,1,1\n0000-01-01T00:00Z,1,1\n",
                 head + "\n".join(day + "1" + "0" * 400 + ",1" for day in days)]
    for history in histories:
        status, _, body = server.post("/api/forecast?within=0.5", {"forecast": forecast, "files": {"history.csv": history}})
        check(status in (200, 400, 413, 422, 503) and "s3cret" not in body, f"history {history[:40]!r}: {status} {body[:200]}")
    check(server.process.poll() is None, "the server ended")


def broken_requests(server):
    """1,000 broken requests, most of them no HTTP; the server answers afterwards as before."""
    draw = random.Random(7)
    good = (f"POST /api/run HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(json.dumps(RUN))}\r\n\r\n{json.dumps(RUN)}").encode()
    parts = [b"\0", b"\r\n\r\n", b"Content-Length: -1\r\n", b"Content-Length: 99999999999999999999\r\n",
             b"Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\n", b"\xff" * 40, b"A" * 40_000, b"{" * 300,
             b"Host: x\r\nHost: y\r\n", b"%00%2e%2e%2f", b"HTTP/9.9", b'"rate": "\xc3\x28"', b"\\ud800"]
    def broken():
        data = bytearray(good)
        for _ in range(draw.randint(1, 4)):
            at = draw.randrange(len(data))
            data[at:at + draw.randint(0, 30)] = draw.choice(parts)
        return bytes(data)

    def send(data):
        with socket.create_connection((server.host, server.port), timeout=10) as one:
            one.settimeout(0.2)
            try:
                one.sendall(data)
                one.recv(1 << 16)
            except OSError:
                pass

    all_at_once(send, [broken() for _ in range(1000)])
    check(server.process.poll() is None, "the server ended")
    check(server.post("/api/run", RUN)[0] == 200, "no answer after malformed requests")


def keeps_little():
    """Memory for the answers of many at once is given back: it does not grow with their number."""
    with Server(BINARY, "--max-simulations", "2") as server:
        check_memory(server)


def check_memory(server):
    def ask(i):
        fields = {"model": "qwen3-14b", "rate": 5 + i % 40, "slo": "ttft_p99<500ms", "no-model-error": True}
        server.post("/api/capacity?within=0.2", fields)

    grown = []
    for _ in range(2):
        before = resident_mb(server.process.pid)
        all_at_once(ask, range(40))
        grown.append(resident_mb(server.process.pid) - before)
    check(resident_mb(server.process.pid) < 80 and grown[1] < 20, f"{resident_mb(server.process.pid):.0f} MB, grown by {grown}")


def with_token():
    result = subprocess.run([BINARY, "serve", "--port", "0", "--listen", "127.0.0.1"], capture_output=True, text=True)
    check(result.returncode == 2 and "--token-env" in result.stderr, "listens without a token")
    result = subprocess.run([BINARY, "serve", "--port", "0", "--listen", "127.0.0.1", "--token-env", "T"],
                            capture_output=True, text=True, env={**os.environ, "T": "short"})
    check(result.returncode == 2 and "16" in result.stderr and "short" not in result.stderr, "a short token")
    with Server(BINARY, "--listen", "0.0.0.0", "--token-env", "T", T=TOKEN) as server:
        check(server.said.startswith("Open http://127.0.0.1:"), f"an address that nobody can open: {server.said}")
    with Server(BINARY, "--listen", "127.0.0.1", "--token-env", "T", T=TOKEN) as server:
        path, fields = "/api/explain", {"word": "ttft"}
        check(server.post(path, fields)[0] == 401, "answers without the token")
        check(server.post(path, fields, Authorization="Bearer " + TOKEN[:-1])[0] == 401, "a wrong token")
        check(server.post(path, fields, Authorization=f"Bearer {TOKEN}")[0] == 200, "the right token")
        check(server.post("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "ping"})[0] == 401, "MCP without the token")
        check(server.ask("GET", "/openapi.json")[0] == 401, "the description without the token")
        check(server.ask("GET", "/")[0] == 200, "the page, which asks for the token")
        code, said = server.end()
        check(code == 0 and TOKEN not in said, f"ended with {code}: {said}")


def main():
    threading.excepthook = lambda *_: None  # connections that the end of the server cut
    with tempfile.TemporaryDirectory() as folder:
        secret = os.path.join(folder, "secret.yaml")
        pathlib.Path(secret).write_text("s3cret: s3cret\n")
        with Server(BINARY) as server:
            for part in (strangers, too_much, malformed):
                part(server)
            for part in (no_path_of_the_host, hostile_traces, hostile):
                part(server, secret)
            broken_requests(server)
            code, said = server.end()
            check(code == 0 and said == "", f"ended with {code}: {said[:500]}")
    keeps_little()
    with_token()
    sys.exit(1 if failures else 0)


main()
