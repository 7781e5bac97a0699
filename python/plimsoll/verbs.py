"""The program's questions as functions, made from its table of verbs and flags.

    run(model="qwen/qwen3-14b", rate=10, num_instances=2)

Words that need no flag are arguments, flags are keywords. True sets a switch, lists become commas;
a dict, a list of dicts or a pandas frame stands for a file. See docs/how-to/python.md.
"""
from __future__ import annotations

import collections.abc
import inspect
import textwrap

from plimsoll.command import Input, ask, verb_rows
from plimsoll.spelling import keyword_of
from plimsoll.words import json_text

_WIDTH = 96


def function_of(name):
    """The function that asks this verb."""
    row = verb_rows()[name]

    def question(*arguments, progress=None, stopped=None, **keywords):
        return ask(name, *map(_read_from_input(row), arguments), progress=progress,
                   stopped=stopped, **keywords)

    question.__name__ = question.__qualname__ = name
    question.__module__ = "plimsoll"
    question.__doc__ = doc_of(row)
    question.__signature__ = _signature(row)
    return question


def _read_from_input(row):
    """A plan reads its request from stdin, so that the command that it prints holds all of it."""
    def changed(argument):
        if row["name"] == "plan" and isinstance(argument, collections.abc.Mapping):
            return Input(json_text("request", argument))
        return argument

    return changed


def keywords_of(row):
    """(keyword, its type as a stub says it, its help) of each flag and its other names."""
    found = {}
    for flag in row["keywords"].values():
        for name in (flag["name"], *flag["aliases"]):
            found.setdefault(keyword_of(name), (type_of(flag), flag))
    return [(keyword, *rest) for keyword, rest in found.items()]


def type_of(flag):
    """The names of plimsoll.types."""
    if flag["choices"]:
        return "Literal[" + ", ".join(f'"{choice}"' for choice in flag["choices"]) + "]"
    if flag["takes_path"]:
        return "Source"
    return {"switch": "bool", "integer": "Integer", "number": "Number"}.get(flag["kind"], "Text")


def result_type(verb):
    return "RunResult" if verb in ("run", "replay") else "Result"


def doc_of(row):
    """The question, then the keywords as the help of the command line has them."""
    question = row["question"]
    lines = [question[0].upper() + question[1:],
             "", f"Keywords are the flags of `plimsoll {row['name']}`."]
    heading = None
    for flag in row["keywords"].values():
        if flag["heading"] != heading:
            heading = flag["heading"]
            lines += ["", heading + ":"]
        lines += textwrap.wrap(f"{keyword_of(flag['name'])}: {flag['help']}", _WIDTH,
                               initial_indent="    ", subsequent_indent="        ",
                               break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines) + "\n"


def _signature(row):
    of = inspect.Parameter
    parameters = [of("arguments", of.VAR_POSITIONAL, annotation="Source")]
    parameters.append(of("progress", of.KEYWORD_ONLY, default=None, annotation="Progress"))
    parameters.append(of("stopped", of.KEYWORD_ONLY, default=None, annotation="Stopped"))
    parameters += [of(keyword, of.KEYWORD_ONLY, default=None, annotation=f"{kind} | None")
                   for keyword, kind, _ in keywords_of(row)]
    return inspect.Signature(parameters, return_annotation=result_type(row["name"]))
