"""Runs the real program and says what a run cost as a process."""
import os
import subprocess
import tempfile
import time
from dataclasses import dataclass


@dataclass
class Cost:
    """CPU is user and system time of the whole process, from exec to exit."""
    cpu_s: float
    wall_s: float
    peak_mb: float  # resident, in units of 10^6 bytes; small ones are not seen below Python's own
    stdout: str
    stderr: str


def run(command):
    """One run of `command` (a list); a failing one is an error with its stderr."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        begin = time.perf_counter()
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - begin
        child.returncode = os.waitstatus_to_exitcode(status)
        texts = []
        for stream in (out, err):
            stream.seek(0)
            texts.append(stream.read().decode())
    if child.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} ended with {child.returncode}:\n{texts[1]}")
    return Cost(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss * 1024 / 1e6, *texts)


def fastest(command, times):
    """The cheapest of several runs: whatever disturbs a run makes it slower, never faster."""
    return min((run(command) for _ in range(times)), key=lambda cost: cost.cpu_s)
