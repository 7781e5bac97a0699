#!/usr/bin/env python3
"""What does `plimsoll man` show on a terminal where there is no man(1), and what where nobody reads?

    man_test.py BINARY
"""
import os
import pty
import subprocess
import sys
import tempfile

BINARY = os.path.abspath(sys.argv[1])


def on_a_terminal(path):
    """What it prints on a terminal, and on stderr, with programs from this folder alone."""
    ours, theirs = pty.openpty()
    with subprocess.Popen([BINARY, "man"], stdout=theirs, stderr=subprocess.PIPE, text=True,
                          env={**os.environ, "PATH": path}) as process:
        os.close(theirs)
        shown = b""
        try:
            while part := os.read(ours, 65536):
                shown += part
        except OSError:  # the other end is closed
            pass
        errors = process.stderr.read()
    os.close(ours)
    assert process.returncode == 0, errors
    return shown.decode(), errors


def main():
    with tempfile.TemporaryDirectory() as empty:
        shown, errors = on_a_terminal(empty)
    assert "usage: plimsoll VERB [flags]" in shown and ".TH" not in shown, shown
    assert errors == "note: man(1) cannot show the page here, so this is the help\n", errors
    page = subprocess.run([BINARY, "man"], check=True, capture_output=True, text=True)
    assert page.stdout.startswith(".TH PLIMSOLL 1") and page.stderr == "", page.stdout[:80]


if __name__ == "__main__":
    main()
