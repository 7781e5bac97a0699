#!/usr/bin/env python3
"""Does `cmake --install` put everything in its place, and is the manual page sound?

    install_test.py CMAKE BUILD_FOLDER
"""
import gzip
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# The requests of man(7) and roff that the page uses.
REQUESTS = {"TH", "SH", "SS", "TP", "B", "I", "PP", "RS", "RE", "nf", "fi"}


def printed(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def complaints_about(page):
    """What is wrong with the text of the manual page, as far as we and groff can tell."""
    wrong = []
    for number, line in enumerate(page.splitlines(), start=1):
        request = re.match(r"\.(\S+)", line)
        if request and request[1] not in REQUESTS:
            wrong.append(f"line {number}: unknown request {line!r}")
        if line.startswith("'") or not line.isascii():
            wrong.append(f"line {number}: {line!r}")
    if shutil.which("groff"):
        groff = subprocess.run(["groff", "-man", "-ww", "-z", "-Tascii"], input=page, text=True,
                               capture_output=True)
        wrong += groff.stderr.splitlines()
    return wrong


def text_of(path):
    """Of an installed file, compressed or not; "" if there is none."""
    if not path.is_file():
        return ""
    return (gzip.open if path.suffix == ".gz" else open)(path, "rt").read()


def main():
    cmake, build = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([cmake, "--install", build, "--prefix", folder], check=True,
                       stdout=subprocess.DEVNULL)
        root = pathlib.Path(folder)
        plimsoll = str(root / "bin/plimsoll")
        wrong = []
        for path, words in [("share/man/man1/plimsoll.1.gz", ["man"]),
                            ("share/bash-completion/completions/plimsoll", ["completion", "bash"]),
                            ("share/zsh/site-functions/_plimsoll", ["completion", "zsh"]),
                            ("share/fish/vendor_completions.d/plimsoll.fish", ["completion", "fish"])]:
            if text_of(root / path) != printed(plimsoll, *words):
                wrong.append(f"{path} is not what `plimsoll {' '.join(words)}` prints")
        page = printed(plimsoll, "man")
        wrong += complaints_about(page)
        for line in printed(plimsoll, "--help").splitlines():
            verb = re.match(r"  (\w+)   ", line)
            if verb and f'.SS "{verb[1]}"\n' not in page:
                wrong.append(f"the manual page does not name the verb {verb[1]}")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
