#!/usr/bin/env python3
"""Does the TAB key complete command lines in real shells?

    completion_test.py BINARY bash|zsh|fish

Types each line with a TAB at its end into an interactive shell that has loaded the script of
`plimsoll completion SHELL`, and compares the words that the command would then get; fish says itself what
it would complete. Exits with 77, "skipped", when the shell is not installed.
"""
import os
import pathlib
import pty
import select
import shutil
import subprocess
import sys
import tempfile
import time

# What is typed, and what the program would be called with.
CASES = [
    ("plimsoll rep\t", "replay"),
    ("plimsoll lis\t sched\t", "list schedulers"),
    ("plimsoll run --prefix\t", "run --prefix-tokens"),
    ("plimsoll run --scheduler sj\t", "run --scheduler sjf"),
    ("plimsoll run --scheduler=sj\t", "run --scheduler=sjf"),
    ("plimsoll run --model 01-ai/yi-3\t", "run --model 01-ai/yi-34b"),
    ("plimsoll run --hardware RTX-PRO\t", "run --hardware RTX-PRO-6000"),
    ("plimsoll run --hardware nosuch\t", "run --hardware nosuch"),
    ("plimsoll replay --trace hou\t", "replay --trace hour.csv"),
    ("plimsoll replay --trace=hou\t", "replay --trace=hour.csv"),
    ("plimsoll replay --trace deep/ho\t", "replay --trace deep/hours.csv"),
    ("plimsoll completion z\t", "completion zsh"),
]

START = {
    "bash": ["bash", "--norc", "--noprofile", "-i"],
    "zsh": ["zsh", "-f", "-i"],
}
# The command typed is a function, so that completed lines show their words instead of running.
FUNCTION = ('plimsoll() { if [ "$1" = --complete ]; then command plimsoll "$@"; '
            'else printf "<%s>\\n" "$*"; fi; }\n')
SETUP = {
    "bash": "bind 'set bell-style none'; source <(plimsoll completion bash)\n" + FUNCTION,
    "zsh": "autoload -U compinit; compinit -D; source <(plimsoll completion zsh)\n" + FUNCTION,
}


class Shell:
    def __init__(self, name, folder, env):
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            os.execvpe(START[name][0], START[name], env)

    def type(self, text):
        os.write(self.terminal, text.encode())

    def read_until(self, mark, seconds=20):
        """All output up to `mark`, which stands at the beginning of a line."""
        seen, end = "", time.monotonic() + seconds
        while "\n" + mark not in seen:
            ready, _, _ = select.select([self.terminal], [], [], max(0.0, end - time.monotonic()))
            if not ready:
                raise TimeoutError(f"no {mark!r} in: {seen!r}")
            seen += os.read(self.terminal, 65536).decode("utf-8", "replace")
        return seen

    def close(self):
        os.close(self.terminal)
        os.waitpid(self.process, 0)


def words_of(output):
    """What the function printed between < and >."""
    for line in output.splitlines():
        if line.startswith("<") and line.rstrip().endswith(">"):
            return line.strip()[1:-1].rstrip()
    return None


def typed_in(shell, typed):
    shell.type(typed)
    time.sleep(0.2)  # zsh takes what follows a TAB too soon for pasted text
    shell.type("\necho; echo done\n")
    return words_of(shell.read_until("done"))


def said_by_fish(typed, folder, env):
    """The line with the one completion that fish has for its last word."""
    line = typed.split("\t")[0]
    script = f"plimsoll completion fish | source; complete -C '{line}'"
    done = subprocess.run(["fish", "--no-config", "-c", script], cwd=folder, env=env, text=True,
                          check=False, capture_output=True)
    found = [row.split("\t")[0] for row in done.stdout.splitlines()]
    *before, last = line.removeprefix("plimsoll ").split(" ")
    return " ".join([*before, *(found or [last])]) if not done.stderr else done.stderr


def main():
    binary, name = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    if shutil.which(name) is None:
        print(f"{name} is not installed: skipped")
        return 77
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "bin"))
        os.symlink(binary, os.path.join(folder, "bin", "plimsoll"))
        os.mkdir(os.path.join(folder, "deep"))
        for path in ("hour.csv", "deep/hours.csv"):
            pathlib.Path(folder, path).touch()
        env = dict(os.environ, TERM="dumb", LC_ALL="C.UTF-8", PS1="", PS2="", HOME=folder,
                   PATH=os.path.join(folder, "bin") + os.pathsep + os.environ["PATH"])
        if name != "fish":
            shell = Shell(name, folder, env)
            shell.type(SETUP[name] + "echo; echo ready\n")
            shell.read_until("ready")
        for typed, expected in CASES:
            if name == "fish":
                expected = expected.split(" ")[0] if typed.count("\t") > 1 else expected
                got = said_by_fish(typed, folder, env)
            else:
                got = typed_in(shell, typed)
            if got != expected:
                failed += 1
                print(f"{typed!r}: expected {expected!r}, got {got!r}")
        if name != "fish":
            shell.type("exit\n")
            shell.close()
    print(f"{name}: {len(CASES) - failed} of {len(CASES)} lines completed as expected")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
