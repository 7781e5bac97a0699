#!/usr/bin/env python3
"""Does every line of text fit the terminal, and can every label on it be explained?

    every_line.py BINARY SERVER [all]

Prints the answers of all verbs, their help, all lists and what `explain` says, in 80 and in 140 columns; unless
`all` are asked, of the answers of searches, which take long, every third one, and of all answers every fourth in 80.
Words that cannot be broken, such as names of files and URLs, may be longer. Labels and the heads of
columns are what --color prints bold, verdicts what it prints in colours, other words of the program what
stands in the cells of tables beside the first, and in a file of --summary, which has 80 columns, headings and
what stands before a colon: `plimsoll explain` has to know them.
"""
import concurrent.futures
import functools
import os
import re
import subprocess
import sys
import unicodedata

from every_verb import COMMANDS, answer_of

BINARY, SERVER = map(os.path.abspath, sys.argv[1:3])
ASKS_ALL = "all" in sys.argv[3:]
CODE = re.compile(r"\x1b\[[0-9;]*m")
BOLD = re.compile(r"\x1b\[1[;0-9]*m([^\x1b]+)\x1b")
SEARCHES = [command for command in COMMANDS if command[0] in ("capacity", "plan", "forecast")]
ANSWERS = [command for command in COMMANDS if ASKS_ALL or command not in SEARCHES or command in SEARCHES[::3]]
# What has neither labels nor tables of its own.
PLAIN = ("list", "explain")
# Names of variants, deployments and scenarios are the user's.
OF_THE_ANSWER = re.compile(r"^against .*|^\d+ x .*|^tp=.*|^[\d.,]+$|.* (run out|exceed capacity)( already)?$")
# In a file of --summary: "Hourly cost:   $3", "Hardware:", "COST ANALYSIS" above a rule.
OF_SUMMARY = re.compile(r"^ *([A-Z][^:\n]*):(?=$|  )|^([A-Z][A-Z ]+)(?=.*\n---)", re.MULTILINE)
# What others call what this program has, words of the documents that it answers, and of its pages.
FOREIGN = ["TBT", "QPS", "WaitQ", "load line", "cohort", "ttft_p99_ms", "inter-token latency",
           "request rate", "replicas", "routing policies", "pods", "responses_per_sec", "wait queue",
           "preemption_count", "scheduling_delay_p99_ms", "KV blocks", "beta coefficients", "saturation",
           "prefill", "decode", "goodput", "SLO attainment", "throughput", "headroom", "runway", "okay",
           "baseline day", "launch peak", "long-context cohort", "retry spike", "cache miss", "burst shape",
           "tail latency", "model_params", "activation_memory_mb", "kv_cache_per_token_bytes",
           "total_model_memory_gb", "mean_ms", "median_ms", "std_ms"]

WORDS = re.compile(r"[A-Za-z][A-Za-z/-]*( [A-Za-z/-]+){0,3}")


def width(line):
    return sum(0 if unicodedata.combining(c) else 1 for c in CODE.sub("", line))


def output(arguments, columns=140):
    env = {"COLUMNS": str(columns), "LC_ALL": "C.UTF-8", "PLIMSOLL_OFFLINE": "1"}
    return answer_of(BINARY, SERVER, arguments, env)


def names(topic):
    return [line.split("  ")[0] for line in output(["list", *topic]).splitlines()[1:]]


def texts():
    verbs = names(["verbs"])
    every = [*ANSWERS, ["list"], ["explain", "goodput"], ["help"]]
    every += [["list", topic] for topic in names([])]
    every += [[*verb.split(), flag] for verb in verbs for flag in ("-h", "--help")]
    return every


@functools.lru_cache(maxsize=None)
def wide(*arguments):
    """In 140 columns, in colour where it is an answer; asked once, for its widths and its labels."""
    more = ["--color", "always"] if list(arguments) in ANSWERS and arguments[0] not in PLAIN else []
    if more and arguments[0] == "plan":
        more += ["--summary", "SUMMARY"]
    return output([*arguments, *more], 140)


def is_asked_in_80(arguments):
    return ASKS_ALL or arguments not in ANSWERS or arguments in ANSWERS[::4]


def too_wide(arguments):
    for columns in (80, 140):
        if columns == 80 and not is_asked_in_80(arguments):
            continue
        text = wide(*arguments) if columns == 140 else output(arguments, columns)
        for part, most in zip(text.split("\f"), (columns, 80)):
            for line in part.splitlines():
                if width(line) > most and " " in line.strip():
                    yield f"{' '.join(arguments)}: {width(line)} of {most} columns: {line}"


def cells(text):
    """Words in tables, whose heads are lines of several bold words; the first column has names."""
    in_table = False
    for line in text.splitlines():
        is_head = len(BOLD.findall(line)) > 1 and line.startswith("  ")
        in_table = (in_table or is_head) and line.strip() != ""
        if in_table and not is_head:
            for cell in re.split(" {2,}", CODE.sub("", line).strip())[1:]:
                yield from (part for part in cell.strip(" <-").split(", ") if WORDS.fullmatch(part))


def labels(arguments):
    """What is bold or coloured, where that is no sentence."""
    text, _, summary = wide(*arguments).partition("\f")
    yield from cells(text)
    yield from (fact or heading.strip() for fact, heading in OF_SUMMARY.findall(summary))
    for bold in BOLD.findall(text):
        label = OF_THE_ANSWER.sub("", bold.strip(" <-"))
        if label and "\n" not in bold and "<" not in label and len(label.split()) < 5:
            yield label


def unknown_labels(pool):
    commands = [command for command in ANSWERS if command[0] not in PLAIN]
    seen = {}
    for command, found in zip(commands, pool.map(lambda c: list(labels(c)), commands)):
        for label in found:
            seen.setdefault(label, command[0])
    words = {**seen, **{word: "documents of capacity planners" for word in FOREIGN}}
    known = pool.map(lambda word: subprocess.run([BINARY, "explain", word], check=False,
                                                 capture_output=True).returncode == 0, words)
    for (word, verb), is_known in zip(words.items(), known):
        if not is_known:
            yield f"{verb} prints \"{word}\", which plimsoll explain does not know"


def main():
    wrong = []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for lines in pool.map(lambda arguments: list(too_wide(arguments)), texts()):
            wrong += lines
        wrong += unknown_labels(pool)
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
