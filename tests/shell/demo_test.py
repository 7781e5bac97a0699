#!/usr/bin/env python3
"""Does what `make demo` ends with work for somebody who has the clone and nothing else?

    demo_test.py BINARY

Runs the demo on a copy of the tracked files it needs, then the command that it names last.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BINARY = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(command, folder):
    env = {**os.environ, "NO_COLOR": "1", "COLUMNS": "80", "PLIMSOLL_OFFLINE": "1",
           "PATH": f"{BINARY.parent}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=env, text=True, check=False,
                          capture_output=True)
    assert done.returncode == 0 and done.stdout, f"{command}\n{done.stderr}"
    return done.stdout


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/tools")
        shutil.copy(ROOT / "tools" / "demo", f"{folder}/tools/demo")
        text = run(f"tools/demo '{BINARY}'", folder)
        wide = [line for line in text.splitlines() if len(line) > 80]
        assert not [line for line in wide if "export PATH" not in line], wide
        commands = re.findall(r"^ +(plimsoll .*)", text.replace(" \\\n", " "), re.M)
        assert commands, text
        assert "17 instances (17 x H100) likely hold 200 req/s" in text, text
        assert "too few" in text or "too short" in text, text  # of the short run
        answer = run(commands[-1], folder)
        assert "50 req/s" in answer, answer


main()
