#!/usr/bin/env python3
"""Does `-h` of each verb show three examples, and does each of them run?

    help_examples.py BINARY SERVER

Runs them in a folder with the examples, as in a copy of the sources. SERVER is the step_law_server, for
`observe`, whose load is made short.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from every_verb import make_runs

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY, SERVER = map(os.path.abspath, sys.argv[1:])
# They have no more to show than how they are called.
PLAIN = {"help", "completion", "man", "version", "worker", "serve"}


def output(*words):
    return subprocess.run([BINARY, *words], check=True, capture_output=True, text=True).stdout


def examples_of(verb):
    """The lines below the usage up to the next empty one, each with what continues it."""
    _, _, rest = re.sub(r" \\\n *", " ", output(verb, "-h")).partition("\nusage: ")
    return [line.strip() for block in rest.split("\n\n")[1:2] for line in block.splitlines()]


def failure_of(example, folder):
    command = example
    env = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "PLIMSOLL_OFFLINE": "1"}
    words = ["sh", "-c", command]
    if " observe " in command:
        command = re.sub("http://gpu1(:8000)?", '"$SERVER_URL"', command.replace(" m ", " law "))
        command = command.replace("--num-requests 500", "--num-requests 8 --output-tokens 2")
        words = [SERVER, "--base-ms", "1", "--", "sh", "-c", command]
    done = subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, check=False)
    return "" if done.returncode in (0, 1) and done.stdout else f"{example}\n{done.stderr}"


def main():
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "examples", pathlib.Path(folder) / "examples")
        make_runs(BINARY, folder)
        os.symlink(BINARY, pathlib.Path(folder) / "plimsoll")
        verbs = [line.split()[0] for line in output("list", "verbs").splitlines()[1:]]
        for verb in sorted(set(verbs) - PLAIN):
            examples = examples_of(verb)
            if len(examples) < 3:
                failures.append(f"{verb} -h has {len(examples)} examples")
            failures += filter(None, (failure_of(example, folder) for example in examples))
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
