#!/usr/bin/env python3
"""Is an order that was carried out enough when the same data is looked at again?

    forecast_orders.py BINARY
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

BINARY = pathlib.Path(sys.argv[1]).resolve()
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
GPUS = 2  # of growth.yaml, each an instance


def scaled_history(factor):
    head, *rows = (EXAMPLES / "demand.csv").read_text().splitlines()
    lines = [head]
    for row in rows:
        time, *values = row.split(",")
        lines.append(",".join([time] + [f"{float(value) * factor:.4f}" for value in values]))
    return "\n".join(lines) + "\n"


def together(gpus):
    return [f"--num-instances={gpus}"]


def apart(gpus):
    return [f"--prefill-instances={gpus // 2}", f"--decode-instances={gpus // 2}"]


def forecast(request, deployment):
    answer = subprocess.run([BINARY, "forecast", request, "--json", *deployment],
                            capture_output=True, text=True, check=True)
    return json.loads(answer.stdout)


def main():
    for factor, deployed in ((1.9, together), (0.9, apart)):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "demand.csv").write_text(scaled_history(factor))
            request = folder / "growth.yaml"
            growth = (EXAMPLES / "growth.yaml").read_text()
            request.write_text(re.sub("^scenarios:.*", "scenarios: {built_in: []}", growth, flags=re.M))
            before = forecast(request, deployed(GPUS))
            ordered = before["add_gpus"]
            assert ordered > 0 and "GPU" in before["decision"]["action"], before["decision"]
            after = forecast(request, deployed(GPUS + ordered))
            assert after["add_gpus"] == 0, after["add_gpus"]
            assert not after["decision"]["action"], after["decision"]
            for row in after["runway"]:
                assert row["order_by"] is None, row["resource"]
                assert row["probability"] < 0.13, (row["resource"], row["probability"])


main()
