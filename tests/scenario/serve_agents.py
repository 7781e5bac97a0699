#!/usr/bin/env python3
"""Do agents get the same answers through MCP, and can they take a call back?

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
        command = subprocess.run([BINARY, "explain", word, "--json"], capture_output=True, text=True)
        check(told["isError"] == (command.returncode != 0), f"explain {word} through MCP: {told}")
        check(told["isError"] or told["content"][-1]["text"] == command.stdout, f"explain {word} differs through MCP")
    told = call("tools/call", {"name": "run", "arguments": RUN | {"html": "/tmp/x"}})["result"]
    check(told["isError"] and "html" in told["content"][0]["text"], "a path through MCP")


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
        agent.join(timeout=3)
        check(status == 202, f"cancel: {status}")
        check(agent.is_alive() != ends, f"a call after {number} of {headers} was cancelled: {told}")
    check(told and told[0]["result"]["isError"], f"a cancelled call: {told}")


def main():
    with Server(BINARY) as server:
        agents(server)
        cancelled(server)
    sys.exit(1 if failures else 0)


main()
