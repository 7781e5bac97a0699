"""What goes wrong, as exceptions."""
from __future__ import annotations

import re
import typing

from plimsoll.spelling import spelled

USAGE = 2  # exit code


class Problem(typing.NamedTuple):
    """One thing that is wrong."""

    where: str  #: "spec.json:3:5" of a file, else the keyword; empty: the question as a whole
    what: str
    how: str  #: to mend it; may be empty

    @classmethod
    def of(cls, file, line, column, message, hint, choices):
        """As the program says it."""
        what = spelled(message, choices)
        place = ":".join([file, *(str(one) for one in (line, column) if one)])
        keyword = re.search(r"\b(\w+)=", what)
        return cls(place if file else keyword[1] if keyword else "", what, spelled(hint, choices))


class PlimsollError(Exception):
    """A question that cannot be answered: the message of the program, its exit code (2: the
    question is wrong, 3: a file cannot be read or written), and the problems one by one."""

    exit_code: int
    problems: list[Problem]

    def __init__(self, message: str, exit_code: int,
                 problems: typing.Iterable[Problem] | None = None) -> None:
        super().__init__(message)
        self.exit_code = exit_code
        what, _, how = message.partition("\n  ")
        self.problems = list(problems or [Problem(what.partition("=")[0] if "=" in what else "",
                                                  what, how)])

    def __reduce__(self) -> tuple[typing.Any, ...]:
        return type(self), (str(self), self.exit_code, self.problems)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, with what had been found by then: `result` is None where that says nothing."""

    def __init__(self, result: typing.Any = None) -> None:
        super().__init__("interrupted" if result is None
                         else "interrupted; .result has what was done by then")
        self.result = result


def refusal(keyword: str, message: str, hint: str = "") -> PlimsollError:
    """A value that is no value of any flag."""
    text = f"{keyword}= {message}"
    return PlimsollError(text + (f"\n  {hint}" if hint else ""), USAGE,
                         [Problem(keyword, text, hint)])
