#!/usr/bin/env python3
"""Runs the commands of a scenario file with the real binary and compares all they print.

    run_scenario.py BINARY FILE.scenario [--update]

A scenario is text, so that a changed prediction shows up in review:

    # comment
    $ plimsoll run --model nosuch      the command, run by bash beside the folder inputs/
    > a line on stdout                 `> ...` stands for any number of lines
    ! a line on stderr                 `! ...` likewise
    ? 2                                the exit code; 0 when absent

Prices are those of catalog/ beside this file, so that scenarios change with the program alone; the note
that says so is left out. --update writes what the commands print now into the file (commands that use
`...` keep theirs).
"""
import os
import pathlib
import subprocess
import sys
import tempfile


FIXED_PRICES = "note: prices.yaml of PLIMSOLL_CATALOG, not of the built-in catalog"


class Step:
    def __init__(self, number, command):
        self.number, self.command = number, command
        self.out, self.err, self.code = [], [], 0

    def uses_dots(self):
        return "..." in self.out + self.err

    def text(self):
        lines = ["$ " + self.command]
        lines += [("> " + line).rstrip() for line in self.out]
        lines += [("! " + line).rstrip() for line in self.err]
        if self.code:
            lines.append(f"? {self.code}")
        return lines


def read(path):
    """The lines of the file, where each step stands as one Step in place of its lines."""
    content = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if line.startswith("$ "):
            content.append(Step(number, line[2:]))
        elif line[:1] in (">", "!", "?") and content and isinstance(content[-1], Step):
            if line[0] == ">":
                content[-1].out.append(line[2:])
            elif line[0] == "!":
                content[-1].err.append(line[2:])
            else:
                content[-1].code = int(line[1:])
        else:
            content.append(line)
    return content


def matches(expected, actual):
    if not expected:
        return not actual
    if expected[0] == "...":
        return any(matches(expected[1:], actual[i:]) for i in range(len(actual) + 1))
    return bool(actual) and expected[0] == actual[0] and matches(expected[1:], actual[1:])


def lines_of(output):
    lines = [line.rstrip() for line in output.decode("utf-8", "replace").splitlines()]
    return [line for line in lines if line != FIXED_PRICES]


def run(step, folder, env):
    done = subprocess.run(["bash", "-c", step.command], cwd=folder, env=env, timeout=120,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    result = Step(step.number, step.command)
    result.out, result.err = lines_of(done.stdout), lines_of(done.stderr)
    result.code = done.returncode
    return result


def main():
    binary, path = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    update = "--update" in sys.argv[3:]
    content = read(path)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "bin"))
        os.symlink(binary, os.path.join(folder, "bin", "plimsoll"))
        os.symlink(path.parent / "inputs", os.path.join(folder, "inputs"))
        os.symlink(path.parents[2] / "examples", os.path.join(folder, "examples"))
        env = dict(os.environ, PATH=os.path.join(folder, "bin") + os.pathsep + os.environ["PATH"],
                   COLUMNS="100", NO_COLOR="1", LC_ALL="C.UTF-8", PLIMSOLL_OFFLINE="1", PLIMSOLL_CATALOG=str(path.parent / "catalog"),
                   HOME=folder, XDG_CACHE_HOME=os.path.join(folder, "cache"))
        for index, step in enumerate(content):
            if not isinstance(step, Step):
                continue
            now = run(step, folder, env)
            if matches(step.out, now.out) and matches(step.err, now.err) and step.code == now.code:
                continue
            failed += 1
            print(f"{path.name}:{step.number}: expected\n  " + "\n  ".join(step.text()))
            print("but got\n  " + "\n  ".join(now.text()))
            if update and not step.uses_dots():
                content[index] = now
    if update:
        lines = []
        for part in content:
            lines += part.text() if isinstance(part, Step) else [part]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
