"""Does any change to a good input end in anything but an answer or one clear error?

Examples of every kind of file are changed line by line (lines lost, doubled, moved or cut, values
replaced by what breaks readers) and read by the verbs they are for, all of them
unchanged at first. A run ends with exit code 0, 1,
2 or 3 within its time, never by a signal or with an internal error; a sanitizer's report is one.
"""
import concurrent.futures
import os
import subprocess

from torture import QUESTION

SECONDS = int(os.environ.get("PLIMSOLL_TORTURE_SECONDS", 60))  # sanitizers take many times as long
VALUES = ["-1", "0", "1e308", "-1e308", "nan", ".inf", "9223372036854775807", "-9223372036854775808",
          "1e-320", "''", "~", "[]", "{}", "[[[[]]]]", "true", "2026-02-30", "'\\0'", '"\\e]52;c;x\\a"',
          "*a", "&a [*a]", "!!binary x", "a: b: c", "0x7fffffffffffffff", "1" * 400, "x" * 5000]
SHORT = ("--quiet", "--no-model-error", "--num-requests", "200")
RUN = ("run", "--model", "qwen3-14b", *SHORT)
SHEET = """name: a launch
deployment: {model: qwen/qwen3-14b, hardware: H100, num_instances: 1}
slo: "ttft_p90<2s"
routes:
  all:
    requests_per_s: {baseline: 10, forecast: 12}
    prompt_tokens: 300
    cached_share: 0.5
    output_tokens: 20
scenarios:
  none: {}
"""
# A file of examples/ or one of those above, and how it is asked. FILE stands for the changed one.
OWN = {"question.yaml": QUESTION, "sheet.yaml": SHEET}
KINDS = [
    ("question.yaml", ("plan", "FILE", "--quiet", "--no-model-error", "--threads", "1")),
    ("sheet.yaml", ("forecast", "FILE", "--quiet", "--threads", "1")),
    ("launch-week.yaml", ("forecast", "FILE", "--quiet")),
    ("clients.yaml", (*RUN, "--workload-spec", "FILE")),
    ("workloads/conversations.yaml", (*RUN, "--workload-spec", "FILE")),
    ("workloads/bursts.yaml", (*RUN, "--workload-spec", "FILE")),
    ("inference_perf.yaml", ("convert", "inference-perf", "--spec", "FILE")),
    ("gpus.json", (*RUN, "--hardware-config", "FILE", "--hardware", "MyGPU", "--rate", "4")),
    ("my-model/config.json", ("run", "--model-config", "FILE", "--hardware", "H100", "--rate", "4", *SHORT)),
    ("workloads/tenants.yaml", ("describe", "--workload-spec", "FILE", "--num-requests", "500")),
    ("case/case.yaml", ("validate", "case")),
    ("case/requests.csv", ("validate", "case")),
    ("trace.csv", ("replay", "--model", "qwen3-14b", "--trace", "FILE", "--trace-format", "csv", "--quiet")),
    ("mooncake.jsonl", ("replay", "--model", "qwen3-14b", "--trace", "FILE", "--trace-format", "mooncake", "--quiet")),
    ("tracev2.yaml", ("replay", "--model", "qwen3-14b", "--trace-header", "FILE", "--trace-data",
                      "tracev2.csv", "--quiet")),
    ("telemetry.json", ("calibrate", "--telemetry", "FILE", "--model", "qwen3-14b", "--quiet")),
]


def value_in(line, new):
    """The line with what follows its first colon or comma replaced."""
    for mark in (b": ", b","):
        head, found, _ = line.partition(mark)
        if found:
            return head + mark + new
    return new


def changed(chance, text):
    """Up to four changes."""
    lines = text.split(b"\n")
    for _ in range(chance.randrange(1, 5)):
        at = chance.randrange(len(lines))
        how = chance.randrange(7)
        if how == 0:
            del lines[at]
        elif how == 1:
            lines.insert(at, lines[chance.randrange(len(lines))])
        elif how == 2:
            lines[at] = b"  " + lines[at]
        elif how == 3:
            lines[at] = lines[at][:chance.randrange(len(lines[at]) + 1)]
        elif how == 4:
            spot = chance.randrange(len(lines[at]) + 1)
            lines[at] = lines[at][:spot] + bytes([chance.randrange(256)]) + lines[at][spot:]
        else:
            lines[at] = value_in(lines[at], chance.choice(VALUES).encode())
        if not lines:
            return b""
    return b"\n".join(lines)


def ask(t, number, name, words, text):
    """In a folder of its own with all examples, of which one is changed."""
    folder = t.folder / str(number)
    folder.mkdir()
    top = name.split("/")[0]
    for entry in (t.source / "examples").iterdir():
        if entry.name != top:
            (folder / entry.name).symlink_to(entry)
    target = folder / name
    target.parent.mkdir(parents=True, exist_ok=True)
    if "/" in name:
        for entry in (t.source / "examples" / name).parent.iterdir():
            if entry.name != target.name:
                (target.parent / entry.name).symlink_to(entry)
    target.write_bytes(text)
    command = [t.binary, *(name if word == "FILE" else word for word in words)]
    environment = dict(os.environ, PLIMSOLL_OFFLINE="1", NO_COLOR="1",
                       ASAN_OPTIONS="allocator_may_return_null=1:detect_leaks=0")
    done = subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=SECONDS, check=False)
    clear = done.returncode in (0, 1, 2, 3)
    clear = clear and (done.returncode < 2 or b"error: " in done.stderr)
    for stream in (done.stdout, done.stderr):
        clear = clear and b"\x1b]" not in stream and b"internal error" not in stream
    t.check(clear, " ".join(command[1:])[:200], "ended with", done.returncode, done.stderr[-2000:],
            "\nThe changed file:", text[:3000])


def run(t):
    many = t.few_or(2 * len(KINDS), 10000)
    jobs = []
    for number in range(many):
        name, words = KINDS[number % len(KINDS)]
        text = OWN[name].encode() if name in OWN else (t.source / "examples" / name).read_bytes()
        jobs.append((number, name, words, text if number < len(KINDS) else changed(t.chance, text)))
    wrong = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        asked = [(job, pool.submit(ask, t, *job)) for job in jobs]
        for job, one in asked:
            try:
                one.result()
            except AssertionError as failure:
                wrong.append(str(failure))
            except subprocess.TimeoutExpired:
                wrong.append(f"{job[2]} took more than {SECONDS} s with\n{job[3][:3000]!r}")
    for text in wrong[1:10]:
        print("   also:", text)
    t.check(not wrong, f"{len(wrong)} of {many}:", wrong[0] if wrong else "")
    return f"{many} changed files read"
