"""Is what there was kept and told when a signal comes, and does nothing else remain?

A simulation that would take minutes is ended at random moments. It says how far it came, its files are
whole and hold what was done by then, and no temporary file is left; nor is one when a second signal ends
the program at once.
"""
import csv
import signal
import time

RUN = ("run", "--model", "qwen/qwen3-14b", "--rate", "20", "--num-requests", "20000000", "--quiet",
       "--results-path", "rows.csv", "--timeline", "steps.json", "--timeline-limit", "1000")
LONGEST_S = 0.6


def run(t):
    kept = at_once = 0
    for _ in range(t.few_or(6, 60)):
        for name in ("rows.csv", "steps.json"):
            (t.folder / name).unlink(missing_ok=True)
        ending = t.chance.choice([signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
        process = t.start(*RUN)
        time.sleep(t.chance.random() * LONGEST_S)
        process.send_signal(ending)
        if t.chance.random() < 0.3:
            time.sleep(t.chance.random() * 0.05)
            process.send_signal(ending)
        out, err = process.communicate()
        hidden = [name for name in t.names() if name.startswith(".")]
        t.check(not hidden, "left behind:", hidden)
        if process.returncode == -ending:
            at_once += 1
            continue
        t.check(process.returncode == 128 + ending, process.returncode, ending, err)
        t.check(b"interrupted after" in err and out, out, err)
        with open(t.folder / "rows.csv", newline="", encoding="utf-8") as file:
            widths = {len(row) for row in csv.reader(file)}
        t.check(len(widths) == 1, "rows of", widths)
        kept += 1
    return f"{kept} runs were interrupted and kept what they had, {at_once} ended at once"
