#!/usr/bin/env python3
"""Can every key that --json prints be explained, and every word that it has as a value; is every key that
the pages define printed; has every answer the form that the API describes?

    json_keys.py BINARY SERVER

Runs each verb that has --json, on inputs that bring out all it can print, and gathers the keys. The
pages are metrics*.md and json*.md of docs/reference/, as `plimsoll list metrics` has them. SERVER is the
step_law_server, for `observe`. Of values, names are left out: those of users, places, files and the catalog.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

from every_verb import COMMANDS, ROOT, answer_of
from json_schema import faults

BINARY, SERVER = map(os.path.abspath, sys.argv[1:])
# The members of these are called as users or other tables name them: flags, figures, tenants ...
FLAGS = {"config", "traffic", "flags"}
NAMES = FLAGS | {"per_class", "per_tenant", "targets", "components", "saturation", "metrics",
                 "slo_limits", "slo_attainment_by_dim", "parameters", "files",
                 "available_gpus"}
WORD = re.compile("[A-Za-z][A-Za-z_-]*( [A-Za-z_-]+){0,2}")
OF_USERS = {"name", "value", "route", "fallback_to", "owner", "about", "variant", "best", "against", "from", "group",
            "path", "word", "meaning", "what", "help", "model", "vendor", "region", "instance", "example", "old",
            "new", "key", "source", "sources", "remarks", "assumed", "lever", "question", "provider", "folder", "leading", "flag"}
OF_A_POOL = re.compile("^pool-[^-]+-")  # of a fleet file; what follows is a flag
STATISTIC = re.compile("_(mean|p50|p90|p95|p99)_ms$")


def output_of(arguments):
    return json.loads(answer_of(BINARY, SERVER, [*arguments, "--json"]))


def verbs_with_json():
    for verb in output_of(["list", "verbs"]):
        page = subprocess.run([BINARY, "help", *verb["name"].split()], capture_output=True,
                              text=True, check=True).stdout
        if "--json" in page:
            yield verb["name"]


def keys_of(value):
    if isinstance(value, list):
        for item in value:
            yield from keys_of(item)
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            is_candidate = key == "config" and "gpu_type" in inner  # of a plan: no settings
            if key in NAMES and isinstance(inner, dict) and not is_candidate:
                yield from keys_of(list(inner.values()))
                yield from ("--" + OF_A_POOL.sub("", flag) for flag in inner if key in FLAGS)
            else:
                yield from keys_of(inner)


def words_of(value, key=""):
    """Values that are words, of verdicts, kinds, states and the like."""
    if isinstance(value, list):
        for item in value:
            yield from words_of(item, key)
    elif isinstance(value, dict):
        for inner_key, inner in value.items():
            yield from words_of(inner, inner_key)
    elif isinstance(value, str) and key not in OF_USERS and WORD.fullmatch(value):
        yield value, key


def unknown_words(printed):
    for (word, key), verb in printed.items():
        if subprocess.run([BINARY, "explain", word], check=False, capture_output=True).returncode:
            yield f"{verb} prints \"{word}\" as {key}, which plimsoll explain does not know"


def undescribed(command, output):
    """Of verbs that strangers may ask; tools/answer-schemas writes what is described."""
    file = pathlib.Path(ROOT, "src", "serve", "answers", f"{command[0]}.json")
    for fault in faults(output, json.loads(file.read_text(encoding="utf-8"))) if file.exists() else ():
        yield f"plimsoll {' '.join(command)}: {fault}: tools/answer-schemas BINARY --update"


def main():
    topics = [topic["topic"] for topic in output_of(["list"])]
    printed = {}
    words = {}
    failed = False
    for command in COMMANDS + [["list", topic] for topic in topics]:
        output = output_of(command)
        for line in undescribed(command, output):
            print(line)
            failed = True
        for key in keys_of(output):
            printed.setdefault(key, " ".join(command[:2]))
        for word in words_of(output) if command[0] not in ("list", "explain") else ():
            words.setdefault(word, command[0])
    defined = {row["name"] for row in output_of(["list", "metrics"])}
    # "ttft_p99_ms" is defined as "ttft".
    for key in set(printed) - defined:
        printed.setdefault(STATISTIC.sub("", key), printed.pop(key))
    flags = {key for key in printed if key.startswith("--")}
    for line in unknown_words(words):
        print(line)
        failed = True
    shown = {" ".join(command[:words]) for command in COMMANDS for words in (1, 2)}
    for verb in sorted(set(verbs_with_json()) - shown):
        print(f"{verb}: has --json, and no command here that shows its keys")
        failed = True
    for key in sorted(set(printed) - defined - flags):
        print(f"{key}: printed by {printed[key]}, in no table of docs/reference/")
        failed = True
    for key in sorted(defined - set(printed)):
        print(f"{key}: defined in docs/reference/, printed by no verb")
        failed = True
    for key in sorted(flags):
        if subprocess.run([BINARY, "explain", key], capture_output=True, check=False).returncode:
            print(f"{key}: plimsoll explain does not know it")
            failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main())
