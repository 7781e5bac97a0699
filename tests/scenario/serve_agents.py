#!/usr/bin/env python3
"""Do agents get the same answers through MCP, in the form that is described, do they hear of progress, and can they
take a call back?

    serve_agents.py BINARY
"""
import json
import os
import pathlib
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from json_schema import faults  # noqa: E402
from serving import JSON_TYPE, RUN, Server, check, failures  # noqa: E402

BINARY = os.path.abspath(sys.argv[1])


def agents(server):
    def call(method, parameters):
        return server.post("/mcp", {"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters})[1]

    check(call("initialize", {"protocolVersion": "2025-06-18"})["result"]["protocolVersion"] == "2025-06-18",
          "MCP does not begin")
    tools = {tool["name"]: tool for tool in call("tools/list", {})["result"]["tools"]}
    for name, tool in tools.items():
        example = json.loads(tool["description"].split("Example: ")[1])
        told = call("tools/call", {"name": name, "arguments": example})["result"]
        check(not told["isError"], f"the example of {name} fails: {told}")
        wrong = faults(told["structuredContent"], tool["outputSchema"]) if "outputSchema" in tool else []
        check(not wrong, f"the answer of {name} is not as its outputSchema has it: {wrong[:5]}")
    check([name for name, tool in tools.items() if "outputSchema" not in tool] == ["explain", "list"],
          f"tools without a form: {tools.keys()}")
    told = call("tools/call", {"name": "capacity", "arguments": {"model": 5}})["result"]
    check(told["isError"] and '"model" must be a text' in told["content"][0]["text"], told)
    told = call("tools/call", {"name": "capacity", "arguments": {"model": "qwen3-14b", "num-requests": 5}})["result"]
    check("--num-requests" not in told["content"][0]["text"], told)
    check(set(tools) >= {"run", "capacity", "plan", "forecast", "describe", "explain"}, f"tools: {list(tools)}")
    check(tools["run"]["inputSchema"]["properties"]["rate"]["type"] == "number", "rate is no number")
    told = call("tools/call", {"name": "run", "arguments": RUN})["result"]
    check(not told["isError"] and told["structuredContent"]["decision"], "run is no tool")
    for word in ("ttft", "--max-num-seqs", "steady", "decision.verdict", "no-such-word", "GPU busy", "H100"):
        told = call("tools/call", {"name": "explain", "arguments": {"word": word}})["result"]
        command = subprocess.run([BINARY, "explain", word.lstrip("-"), "--json"], capture_output=True, text=True)
        check(told["isError"] == (command.returncode != 0), f"explain {word} through MCP: {told}")
        check(told["isError"] or told["content"][-1]["text"] == command.stdout, f"explain {word} differs through MCP")
    told = call("tools/call", {"name": "run", "arguments": RUN | {"html": "/tmp/x"}})["result"]
    check(told["isError"] and "html" in told["content"][0]["text"], "a path through MCP")


QUESTIONS = [
    ("capacity", {"model": "qwen3-14b", "rate": 20, "slo": "ttft_p90<500ms"}),
    ("capacity", {"model": "qwen3-14b", "num-instances": 16, "slo": "ttft_p90<500ms", "output-tokens": 8}),
    ("capacity", {"model": "deepseek-v3", "hardware": "H200", "tp": 8, "rate": 20}),
    ("capacity", {"model": "qwen3-14b", "rate": 20, "slo": "ttft_p99<20ms"}),
    ("run", {"model": "gpt-oss-120b", "rate": 5, "num-requests": 300, "admission-policy": "reject-all"}),
    ("run", {"model": "qwen3-14b", "rate": 30, "num-requests": 3000}),
    ("plan", {"model": "qwen3-14b", "rate": 20, "slo": "ttft_p90<500ms", "gpu-types": "H100,L40S"}),
    ("plan", {"model": "qwen3-14b", "rate": 5, "slo": "ttft_p99<1ms", "gpu-types": "L4"}),
    ("describe", {"workload": "chatbot", "rate": 5}),
    ("explain", {"word": "ttft"}),
    ("list", {"topic": "gpus"}),
]


def answers_as_described(server):
    """Whole ones and such as were cut short after any time."""
    schemas = json.loads(server.ask("GET", "/openapi.json")[2])["components"]["schemas"]
    for verb, fields in QUESTIONS:
        for seconds in (0.02, 0.2, 1, 8):
            status, answer, body = server.post(f"/api/{verb}?within={seconds}", fields)
            wrong = faults(answer, schemas[f"{verb}-answer"]) if status == 200 else []
            check(status in (200, 503), f"{verb} {fields}: {status} {body[:200]}")
            check(not wrong, f"{verb} {fields} within {seconds} s is not as described: {wrong[:5]}")


def told_of_progress(server):
    """A client that gives a token gets events, the last of which is the reply."""
    call = {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {
        "name": "capacity", "arguments": {"model": "qwen3-14b", "rate": 20}, "_meta": {"progressToken": 7}}}
    _, headers, body = server.ask("POST", "/mcp", json.dumps(call),
                                  {**JSON_TYPE, "Accept": "application/json, text/event-stream"})
    told = [json.loads(event.removeprefix("event: message\ndata: ")) for event in body.split("\n\n") if event.strip()]
    check(headers["Content-Type"] == "text/event-stream", headers)
    progress = [one["params"]["progress"] for one in told[:-1]]
    check(len(progress) > 2 and progress == sorted(set(progress)), f"progress does not rise: {progress}")
    check(all(one["params"]["progressToken"] == 7 and one["params"]["message"] for one in told[:-1]), told[:2])
    check(told[-1]["id"] == 3 and not told[-1]["result"]["isError"], f"the last event: {str(told[-1])[:200]}")


def cancelled(server):
    """A call that its client cancels stops; one of another session goes on."""
    begun = server.ask("POST", "/mcp", json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}}), JSON_TYPE)
    session = {"Mcp-Session-Id": begun[1]["mcp-session-id"]}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "run", "arguments": RUN | {"num-requests": 50_000_000, "rate": 20}}}
    told = []
    agent = threading.Thread(target=lambda: told.append(server.post("/mcp", call, **session)[1]))
    agent.start()
    time.sleep(0.5)
    for headers, number, ends in (({}, 1, False), (session, 2, False), (session, 1, True)):
        status, _, _ = server.post("/mcp", {"jsonrpc": "2.0", "method": "notifications/cancelled",
                                            "params": {"requestId": number, "reason": "enough"}}, **headers)
        agent.join(timeout=20 if ends else 1)  # a whole run takes a minute
        check(status == 202, f"cancel: {status}")
        check(agent.is_alive() != ends, f"a call after {number} of {headers} was cancelled: {told}")
    check(told and told[0]["result"]["isError"], f"a cancelled call: {told}")


def main():
    with Server(BINARY) as server:
        agents(server)
        answers_as_described(server)
        told_of_progress(server)
        cancelled(server)
    sys.exit(1 if failures else 0)


main()
