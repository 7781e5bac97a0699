"""Does an answer arrive when the files beside it cannot be written?

Each verb writes to /dev/full and to a disk that is full (a limit on the size of files). The answer is the same as ever, the error comes after it, the exit code is
3, what was there stays, and nothing remains.
"""
import resource
import shutil

MODEL = ("--model", "qwen/qwen3-14b")
SMALL = ("--rate", "4", "--num-requests", "300", "--quiet")


def commands():
    """Command lines that answer and write, with their flag of the file and an ending it needs."""
    run = ("run", *MODEL, *SMALL)
    yield run, "--results-path", ".csv"
    yield run, "--results-path", ".json"
    yield run, "--metrics-path", ".json"
    yield run, "--timeline", ".json"
    yield run, "--decisions-output", ".jsonl"
    yield (*run, "--detectors", "composite"), "--saturation-report", ".json"
    plan = ("plan", "question.yaml", "--quiet")
    yield plan, "--html", ".html"
    yield plan, "--summary", ".txt"
    yield ("forecast", "launch-week.yaml", "--quiet"), "--html", ".html"
    yield (("calibrate", *MODEL, "--trace-header", "same.yaml", "--trace-data", "same.csv",
            "--quiet"), "--output", ".yaml")


def limited():
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))


def check_failure(t, command, flag, path, answer, **how):
    before = t.names()
    code, out, err = t.run(*command, flag, path, **how)
    t.check(code == 3, *command, flag, path, "ended with", code, err)
    t.check(out == answer, *command, flag, path, "answered", out)
    t.check(b"error: cannot write " + path.encode() in err, err)
    t.check(t.names() == before, t.names())


def run(t):
    shutil.copy(t.source / "examples" / "launch-week.yaml", t.folder)
    t.run("run", *MODEL, *SMALL, "--trace-output", "same")
    tried = 0
    for command, flag, ending in commands():
        code, answer, err = t.run(*command)
        t.check(code in (0, 1) and answer, *command, code, err)
        if ending not in (".csv", ".json") or flag not in ("--results-path",):
            check_failure(t, command, flag, "/dev/full", answer)
        path = "old" + ending
        (t.folder / path).write_text("old")
        check_failure(t, command, flag, path, answer, preexec_fn=limited)
        t.check((t.folder / path).read_text() == "old", path, "is not what it was")
        tried += 1
    return f"{tried} kinds of files, on two full disks each"
