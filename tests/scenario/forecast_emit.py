#!/usr/bin/env python3
"""Are the files of `forecast --emit` what Prometheus and Grafana take, and written again only by us?

    forecast_emit.py BINARY
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

BINARY = pathlib.Path(sys.argv[1]).resolve()
REQUEST = pathlib.Path(__file__).resolve().parents[2] / "examples" / "launch-week.yaml"


def forecast(folder, form):
    return subprocess.run([BINARY, "forecast", REQUEST, "--emit", form, "--output-dir", "alerts"],
                          cwd=folder, capture_output=True, text=True, check=False)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for form in ("prometheus", "grafana", "prometheus", "grafana"):  # each twice
            answer = forecast(folder, form)
            assert answer.returncode == 0, answer.stderr
            assert "wrote alerts/" in answer.stderr, answer.stderr
        rules = folder / "alerts" / "plimsoll_rules.yaml"
        dashboard = json.loads((folder / "alerts" / "headroom_dashboard.json").read_text())
        assert dashboard["panels"], dashboard
        assert "PlimsollRollBack" in rules.read_text()
        if shutil.which("promtool"):
            checked = subprocess.run(["promtool", "check", "rules", rules], capture_output=True,
                                     text=True, check=False)
            assert checked.returncode == 0, checked.stdout + checked.stderr
        for path in (rules, folder / "alerts" / "headroom_dashboard.json"):
            path.write_text(path.read_text().replace("5m", "6m"))  # somebody's own
            form = "prometheus" if path == rules else "grafana"
            answer = forecast(folder, form)
            assert answer.returncode == 2 and "did not write" in answer.stderr, answer.stderr
    print("files of forecast --emit: in order")


if __name__ == "__main__":
    main()
