"""Command lines of the program, answered in this process by the compiled plimsoll._core."""
import json
import logging
import os
import pathlib
import tempfile

_LOG = logging.getLogger("plimsoll")
_NOTE = "note: "
_ERROR = "error: "
_ANSWERED = (0, 1)  # 1: there is an answer, and it is no
USAGE = 2  # exit code
# Flags of a shell alone: what Python has instead.
_OF_SHELL = {"json": "leave it out: the answer is the dict that --json prints",
             "help": "`plimsoll {verb} --help` in a shell lists the flags"}


class PlimsollError(Exception):
    """What the program says of a question it cannot answer, with its exit code."""

    def __init__(self, message, exit_code):
        super().__init__(message)
        self.exit_code = exit_code


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


def run(verb, *arguments, progress=None, **flags):
    """What the command line prints on stdout. Notes go to the logger "plimsoll" as warnings."""
    core = compiled()
    stdin = "".join(one for one in arguments if isinstance(one, Input))
    named = ["-" if isinstance(one, Input) else os.fspath(one) for one in arguments]
    with tempfile.TemporaryDirectory(prefix="plimsoll-") as folder:
        words = [verb, *named, *_words(core.flags_of(verb), flags, folder)]
        code, results, messages = core.answer(words, progress, stdin)
        # Of a dict, people know the keyword and not where it was written down.
        results, messages = (text.replace(folder + os.sep, "") for text in (results, messages))
    lines = messages.splitlines()
    for line in lines:
        if line.startswith(_NOTE):
            _LOG.warning("%s", line[len(_NOTE):])
    if code in _ANSWERED and results:
        return results
    said = "\n".join(line for line in lines if not line.startswith(_NOTE))
    raise PlimsollError(said.removeprefix(_ERROR), code)


def ask(verb, *arguments, progress=None, **flags):
    """What the command line prints with --json, as a dict."""
    for keyword, instead in _OF_SHELL.items():
        if keyword in flags:
            raise PlimsollError(f"{keyword} is no keyword of this function\n  "
                                + instead.format(verb=verb), USAGE)
    return json.loads(run(verb, *arguments, progress=progress, json=True, **flags))


def _words(known, flags, folder):
    """The flags as words; `known`: rows of _core.flags_of(). Unknown ones are for the program to
    refuse."""
    facts = {name: rest for name, *rest in known}
    words = []
    for keyword, value in flags.items():
        if value is None:
            continue
        name = "--" + keyword.rstrip("_").replace("_", "-")
        is_switch, is_repeatable, takes_path = facts.get(name, (False, False, False))
        if is_repeatable and isinstance(value, (list, tuple)):
            words += [f"{name}={_text(one)}" for one in value]
        elif takes_path and isinstance(value, dict):
            words.append(f"{name}={written(value, folder, keyword)}")
        elif is_switch and value is True:
            words.append(name)
        else:
            words.append(f"{name}={_text(value)}")
    return words


def _text(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return ",".join(f"{key}={_text(one)}" for key, one in value.items())
    if isinstance(value, (list, tuple)):
        return ",".join(map(_text, value))
    return str(value)


def written(spec, folder, name):
    """The path of a file in the folder that holds this dict."""
    path = pathlib.Path(folder, name + ".json")
    path.write_text(json_text(spec), encoding="utf-8")
    return path


def json_text(spec, indent=2):
    """The text of a file that holds this dict; paths in it may be pathlib's."""
    return json.dumps(spec, indent=indent, allow_nan=False, default=os.fspath)
