#!/usr/bin/env python3
"""Does the server answer as the command line does, in time, and tell of its work on the way?

    serve.py BINARY
"""
import json
import os
import pathlib
import signal
import socket
import sys
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from serving import JSON_TYPE, ROOT, RUN, Server, check, cpu_s, failures, printed  # noqa: E402

BINARY = os.path.abspath(sys.argv[1])


def without_clock(text):
    return "\n".join(line for line in text.split("\n")
                     if "timestamp" not in line and "elapsed" not in line and "time_s" not in line)


def same_answers(server):
    """The bytes of --json."""
    limits = {"model": "qwen3-14b", "rate": 20, "slo": "ttft_p99<500ms", "no-model-error": True}
    plan = {"model": "qwen3-14b", "rate": 5, "slo": "ttft_p99<500ms", "gpu-types": "H100",
            "tp": 1, "duration": 60}
    for verb, fields in (("run", RUN), ("capacity", limits), ("plan", plan)):
        words = [f"--{key}" if value is True else f"--{key}={value}" for key, value in fields.items()]
        status, _, body = server.post(f"/api/{verb}", fields)
        check(status == 200, f"{verb}: {status}: {body[:300]}")
        check(without_clock(body) == without_clock(printed(BINARY, verb, *words, "--json")),
              f"{verb} answers otherwise than on the command line")
    status, _, body = server.post("/api/explain", {"word": "--max-num-seqs"})
    # The name of a flag is asked about without its dashes here.
    check(status == 200 and body == printed(BINARY, "explain", "max-num-seqs", "--json"), "explain differs")
    forecast = (ROOT / "examples/launch-week.yaml").read_text()
    status, answer, body = server.post("/api/forecast?form=full", {"forecast": forecast})
    check(status == 200 and answer["verdict"].startswith("Active KV tokens exceed capacity"), f"forecast: {body[:300]}")
    status, answer, body = server.post("/api/run?form=full", {
        "model": "qwen3-14b", "num-requests": 200,
        "workload-spec": (ROOT / "examples/clients.yaml").read_text()})
    check(status == 200 and "--workload-spec" in answer["command"], f"workload-spec: {body[:300]}")
    pools = [{"name": "fast", "instances": 1, "gpu": "H100"}, {"name": "slow", "instances": 2, "gpu": "L40S"}]
    status, answer, body = server.post("/api/run", {"model": "qwen3-14b", "rate": 1, "num-requests": 50,
                                                    "fleet": {"pools": pools}})
    check(status == 200 and "1 fast + 2 slow" in body, f"fleet: {body[:300]}")


def errors(server):
    """As the command line says them."""
    for fields, part in ((RUN | {"rate": -1}, '"rate" must be'), (RUN | {"modle": "x"}, '"modle"'),
                         (RUN | {"model": "qwen3-99b"}, "qwen3-99b"), (RUN | {"rate": None}, '"rate" must be a number'),
                         (RUN | {"model": "/etc/passwd"}, 'unknown model "/etc/passwd"'),
                         (RUN | {"model": "qwen3-14c"}, 'did you mean "qwen3-14b"?'),
                         (RUN | {"rate": [1]}, '"rate"'), (RUN | {"rate": "1\n2"}, "rate"),
                         (RUN | {"workload-spec": "clients: 7"}, "clients")):
        status, answer, body = server.post("/api/run", fields)
        check(status == 400 and part in answer["error"]["message"] + answer["error"]["text"],
              f"{fields}: {status} {body[:300]}")


def streamed(server):
    """Lines of JSON with the figures of the work so far; whoever leaves stops the work."""
    limits = {"model": "qwen3-14b", "slo": "ttft_p99<500ms"}
    plan = limits | {"rate": 5, "gpu-types": "H100,H200", "tp": 1}
    _, _, api = server.ask("GET", "/openapi.json")
    schema = json.loads(api)["components"]["schemas"]["Progress"]
    for verb, fields in (("plan", plan), ("capacity", limits | {"rate": 20}), ("run", RUN | {"num-requests": 500_000})):
        status, headers, body = server.ask("POST", f"/api/{verb}?form=stream", json.dumps(fields), JSON_TYPE, timeout=120)
        lines = [json.loads(line) for line in body.splitlines() if line]
        told = lines[:-1]
        check(status == 200 and headers["Content-Type"] == "application/jsonl", f"stream: {status} {headers}")
        check("verdict" in lines[-1] and lines[-1]["answer"], f"stream ends with {str(lines[-1])[:200]}")
        check(len(told) > 1, f"{verb} tells nothing on its way")
        for line in told:
            check(set(schema["required"]) <= set(line) <= set(schema["properties"]), f"{verb}: keys of {line}")
            check(line["elapsed_s"] >= 0 and isinstance(line["phase"], str), f"{verb}: {line}")
        if verb == "run":
            check(told[-1]["of"] == 500_000 and told[0]["done"] < told[-1]["done"], f"run: {told[0]} to {told[-1]}")
        if verb == "plan":
            best = lines[-1]["answer"]["best_configuration"]
            check(told[-1]["best"]["config_id"] == best["config_id"], f"best so far {told[-1]}")
            check(told[-1]["best"]["cost_per_hour"] == best["cost"]["cost_per_hour"], f"cost so far {told[-1]}")
        if verb == "capacity":
            found = lines[-1]["answer"]["instances"]
            check((told[-1]["lower"], told[-1]["upper"], told[-1]["unit"]) == (found - 1, found, "instances"), str(told[-1]))
            check(told[0]["lower"] is None or told[0]["upper"] is None, f"known before anything was tested: {told[0]}")
    _, _, body = server.ask("POST", "/api/plan?form=stream", json.dumps(plan | {"gpu-types": "H1000"}), JSON_TYPE)
    check("error" in json.loads(body.splitlines()[-1]), f"an error in a stream: {body[:200]}")


def sent_trace(server):
    """Recorded traffic is sent, not named."""
    trace = (ROOT / "examples/azure.csv").read_text()
    status, answer, body = server.post("/api/capacity?form=full&within=5", {
        "model": "qwen3-14b", "trace": trace, "trace-format": "azure", "num-instances": 1, "no-model-error": True})
    check(status == 200 and "--trace trace --trace-format azure" in answer["command"], f"trace: {status} {body[:300]}")
    status, answer, body = server.post("/api/describe?form=full", {"trace": trace, "trace-format": "azure"})
    check(status == 200 and answer["verdict"].startswith("3 requests"), f"describe: {status} {body[:300]}")
    check(answer["answer"] == json.loads(printed(BINARY, "describe", "examples/azure.csv", "--json")), "describe differs")


def sent_prices(server):
    """What a missing price is advised to be given by can be sent."""
    request = {"model": "qwen3-14b", "workload": {"rate": 5}, "constraints": {"max_ttft_p95_ms": 2000},
               "config_space": {"gpu_types": ["H100", "L40S"], "tensor_parallel": [1]},
               "economics": {"purchase": {"spot": 100, "spot_loss": 0}, "price_file": "prices.yaml"}, "simulation": {"duration": 60}}
    prices = "rows: [{gpu: H100, usd_per_hour: 1.25, commitment: spot}]\n"
    status, answer, body = server.post("/api/plan?form=full", {"request": request, "files": {"prices.yaml": prices}})
    check(status == 200 and answer["answer"]["best_configuration"]["cost"]["cost_per_hour"] == 1.25, f"{status}: {body[:400]}")
    check("economics.price_file" in body, f"no field is named: {body[:400]}")


def abandoned(server):
    """Work that nobody waits for stops, told of on the way or not."""
    for query in ("", "?form=stream"):
        abandon(server, query)


def abandon(server, query):
    body = json.dumps(RUN | {"num-requests": 50_000_000, "rate": 20}).encode()
    with socket.create_connection((server.host, server.port)) as one:
        one.sendall(f"POST /api/run{query} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
                    f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        began, busy, end = cpu_s(server.process.pid), 0, time.monotonic() + 20
        while busy < 0.3 and time.monotonic() < end:
            time.sleep(0.1)
            busy = cpu_s(server.process.pid) - began
    time.sleep(1.5)
    begin = cpu_s(server.process.pid)
    time.sleep(1)
    idle = cpu_s(server.process.pid) - begin
    check(busy >= 0.3, f"the run never began ({busy} s)")
    check(idle < 0.2, f"an abandoned run takes {idle} s of a second")


def in_time(server):
    began = time.monotonic()
    status, headers, body = server.ask("POST", "/api/run?within=0.3", json.dumps(
        RUN | {"num-requests": 50_000_000, "rate": 20}), JSON_TYPE)
    took = time.monotonic() - began
    check(status == 200 and headers.get("Plimsoll-Cut-Short") == "true", f"within 0.3 s: {status}")
    decision = json.loads(body)["decision"]
    check(decision["verdict"] != "yes" and decision["doubts"][0]["doubt"] == "interrupted", f"within 0.3 s: {decision}")
    check(took < 3, f"within 0.3 s took {took} s")


def amid_short_ones(server):
    """A thorough answer comes although short questions never end."""
    enough = threading.Event()

    def ask_again():
        while not enough.is_set():
            server.ask("POST", "/api/capacity?within=0.3", json.dumps(RUN | {"num-requests": 20_000}), JSON_TYPE)

    askers = [threading.Thread(target=ask_again) for _ in range(8)]
    for one in askers:
        one.start()
    status, _, body = server.ask("POST", "/api/run?within=5", json.dumps(RUN), JSON_TYPE)
    enough.set()
    for one in askers:
        one.join()
    check(status == 200, f"a long question among short ones: {status} {body[:200]}")


def description(server):
    api = json.loads(server.ask("GET", "/openapi.json")[2])
    fields = api["components"]["schemas"]["capacity"]["properties"]
    check({"model", "rate", "slo", "tp", "workload-spec"} <= set(fields), f"fields: {list(fields)}")
    check(not {"html", "journal", "threads", "model-config", "price-file"} & set(fields), "a path is a field")


def ends_at_once():
    """However much is asked."""
    with Server(BINARY, "--max-simulations", "1") as server:
        asking = [threading.Thread(target=lambda: server.post("/api/run", RUN | {"num-requests": 50_000_000}),
                                   daemon=True) for _ in range(4)]
        for one in asking:
            one.start()
        time.sleep(0.5)
        began = time.monotonic()
        code, said = server.end(signal.SIGINT)
        check(code == 0 and said == "", f"ended with {code}: {said}")
        check(time.monotonic() - began < 3, "takes long to end")


def main():
    threading.excepthook = lambda *_: None  # connections that the end of the server cut
    with Server(BINARY) as server:
        for part in (same_answers, errors, abandoned, in_time, streamed, sent_trace, sent_prices, amid_short_ones, description):
            part(server)
        code, said = server.end()
        check(code == 0 and said == "", f"ended with {code}: {said[:500]}")
    ends_at_once()
    sys.exit(1 if failures else 0)


main()
