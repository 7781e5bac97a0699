"""Questions to the program, answered in this process by the compiled plimsoll._core.

A call is a command line: its keywords are the program's flags, and a dict or a frame in the place
of a file is a text that the program reads by its name. So no answer, default or check is defined
twice. Callers: verbs.py, capacity_planning.py.
"""
from __future__ import annotations

import functools
import json
import logging
import typing

from plimsoll.errors import USAGE, Interrupted, PlimsollError, Problem
from plimsoll.results import result_of
from plimsoll.spelling import spelled
from plimsoll.words import Words

_LOG = logging.getLogger("plimsoll")
_NOTE = "note: "
_ERROR = "error: "
_ANSWERED = (0, 1)  # 1: there is an answer, and it is no
_INTERRUPTED = 130
# Flags of a terminal alone: what Python has instead.
_OF_TERMINAL = {"json": "leave it out: the answer is a dict of what --json prints",
                "help": "help(plimsoll.{verb}) shows the keywords",
                "quiet": "leave it out: nothing is printed",
                "color": "leave it out: nothing is printed"}


# Flags of answers whose work processes share, which are started by the program alone. What they
# worked out is read with resume=.
_OF_WORKERS = ("--executor", "--shards", "--sbatch-args", "--no-wait")


class Input(str):
    """A text in the place of an argument: the program reads it as its stdin."""


def compiled():
    """The module that holds the program."""
    try:
        from plimsoll import _core
    except ImportError as error:
        raise ImportError("the compiled part of plimsoll is missing, or of another Python; "
                          "`make python` in its source folder builds it") from error
    return _core


@functools.lru_cache(maxsize=None)
def verb_rows():
    """The verbs that answer questions: by name what _core.verbs() says, keywords by flag."""
    rows = {}
    for row in compiled().verbs():
        keywords = {flag["name"]: flag for flag in row["keywords"]
                    if flag["name"] not in _OF_WORKERS}
        rows[row["name"]] = {**row, "keywords": keywords}
    return rows


@functools.lru_cache(maxsize=None)
def _choices():
    found = {}
    for row in verb_rows().values():
        for name, flag in row["keywords"].items():
            found.setdefault(name, set()).update(flag["choices"])
    return found


def ask(verb, *arguments, progress=None, stopped=None, **keywords):
    """The answer of a verb as a Result. `progress` gets a line of text now and then; `stopped` is
    asked whether to stop. Notes go to the logger "plimsoll" as warnings."""
    for keyword, instead in _OF_TERMINAL.items():
        if keyword in keywords:
            raise PlimsollError(f"{keyword}= is no keyword of {verb}()\n  "
                                + instead.format(verb=verb), USAGE)
    words = Words(verb_rows()[verb])
    stdin = "".join(one for one in arguments if isinstance(one, Input))
    named = ["-" if isinstance(one, Input) else words.argument(one) for one in arguments]
    line = [verb, *named, *words.of_keywords(keywords), "--json"]
    said = compiled().answer(line, words.files, stdin, progress, stopped)
    results, code = said["results"], said["exit_code"]
    messages = spelled(said["messages"], _choices()).splitlines()
    for message in messages:
        if message.startswith(_NOTE):
            _LOG.warning("%s", message[len(_NOTE):])
    result = None
    if results and (code in _ANSWERED or said["interrupted"]):
        result = result_of(json.loads(results), said["headline"], verb, arguments, keywords)
    if said["interrupted"]:
        raise Interrupted(result)
    if result is not None:
        return result
    text = "\n".join(message.removeprefix(_ERROR) for message in messages
                     if not message.startswith(_NOTE))
    raise PlimsollError(text, code,
                        [Problem.of(*problem, _choices()) for problem in said["problems"]])


def run_again(verb: str, arguments: tuple, keywords: dict[str, typing.Any], **more):
    """The same question without the files that it wrote, and with `more`."""
    rows = verb_rows()[verb]["keywords"]
    outputs = {name.removeprefix("--").replace("-", "_")
               for name, row in rows.items() if row["is_output"]}
    kept = {key: value for key, value in keywords.items() if key.rstrip("_") not in outputs}
    return ask(verb, *arguments, **kept, **more)
