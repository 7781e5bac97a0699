"""A request of `plimsoll plan` put together from dicts and YAML files.

That needs no reader of YAML: the lines of a file are set in below the name of its section, or stay
as they are where the file has that name itself; a dict is written as JSON, which is YAML too. What
the program then says of a line of the whole, located() says of the file it came from.
"""
import collections.abc
import json
import pathlib
import re

from plimsoll.command import Input
from plimsoll.errors import USAGE, PlimsollError
from plimsoll.words import json_text

_INDENT = "  "
_NAME = "standard input"  # what the program calls the text


def _text_of(path):
    try:
        return pathlib.Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise PlimsollError(f"{path}: this is not UTF-8 text\n  save the file with UTF-8 encoding",
                            USAGE) from None


class Request:
    """Grows by facts and sections, then is a text."""

    def __init__(self):
        self._lines = []
        self._origins = []  # of each line: what it came from, its number there, how far set in

    def add_fact(self, name, text):
        self._add(f"{name}: {json.dumps(str(text))}", (name, 1, 0))

    def add_section(self, name, section):
        """`section`: a dict, or the path of a file."""
        if isinstance(section, collections.abc.Mapping):
            self._add(f"{name}: {json_text(name, section, indent=None)}", (name, 1, 0))
            return
        lines = _text_of(section).splitlines()
        whole = any(re.match(rf"{name}\s*:", line) for line in lines)
        if not whole:
            self._add(f"{name}:", (str(section), 1, 0))
        indent = "" if whole else _INDENT
        for number, line in enumerate(lines, start=1):
            self._add(indent + line, (str(section), number, len(indent)))

    def text(self):
        """In the place of a request file."""
        return Input("\n".join(self._lines) + "\n")

    def located(self, message):
        """The program's message about the text, as one about what it was made of."""
        def origin(match):
            # What is not closed is noticed at the end of the text, below its last line.
            name, number, indent = self._origins[min(int(match[1]), len(self._origins)) - 1]
            return f"{name}:{number}:{max(1, int(match[2]) - indent)}"

        return re.sub(_NAME + r":(\d+):(\d+)", origin, message)

    def _add(self, line, origin):
        self._lines.append(line)
        self._origins.append(origin)
