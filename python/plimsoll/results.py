"""Answers: dicts of what --json prints, whose keys are attributes too."""
from __future__ import annotations

import difflib
import json
import os
import tempfile
import typing

if typing.TYPE_CHECKING:
    import pandas


class Figures(dict[str, typing.Any]):
    """A dict whose keys are attributes; `-` in a key is `_` there."""

    def __getattr__(self, name: str) -> typing.Any:
        for key in (name, name.replace("_", "-")):
            if key in self:
                return self[key]
        near = difflib.get_close_matches(name, self, n=1)
        raise AttributeError(f"there is no {name} here"
                             + (f"; did you mean {near[0]}?" if near else ""))

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(key.replace("-", "_") for key in self)]

    def to_dict(self) -> dict[str, typing.Any]:
        """The same as plain dicts and lists."""
        plain: dict[str, typing.Any] = json.loads(json.dumps(self))
        return plain

    def to_json(self, indent: int | None = 2) -> str:
        """The text of such a file as --json prints."""
        return json.dumps(self, indent=indent, ensure_ascii=False)


class Result(Figures):
    """The answer of a verb."""

    _headline: str = ""
    _verb: str
    _arguments: tuple[typing.Any, ...]
    _keywords: dict[str, typing.Any]

    @property
    def verb(self) -> str:
        """The verb that answered."""
        return self._verb

    @property
    def headline(self) -> str:
        """The verdict in a sentence or two, as the command line prints it with --quiet."""
        return self._headline

    def __repr__(self) -> str:
        return (f"{self.headline}\n<answer of {self.verb}(), {len(self)} keys: "
                ".to_dict(), .to_json(), .plot()>")

    def _repr_html_(self) -> str:
        from plimsoll.shown import html

        return html(self)

    def plot(self, ax: typing.Any = None) -> typing.Any:
        """The picture of this answer on these axes of matplotlib, or new ones; returns them."""
        from plimsoll.plots import plot

        return plot(self, ax)


class RunResult(Result):
    """The answer of run() or replay()."""

    _frame: typing.Any = None

    @property
    def requests(self) -> pandas.DataFrame:
        """A pandas frame with one row per request, in order of arrival. Asked for the first time,
        the run is made again to write them: the same seed gives byte-identical output."""
        if self._frame is None:
            self._frame = self._read_requests()
        return self._frame

    def _read_requests(self) -> pandas.DataFrame:
        from plimsoll.command import run_again
        from plimsoll.errors import USAGE, PlimsollError
        from plimsoll.frames import pandas_module

        reader = pandas_module(".requests")
        with tempfile.TemporaryDirectory(prefix="plimsoll-") as folder:
            path = os.path.join(folder, "requests.csv")
            again = run_again(self._verb, self._arguments, self._keywords, results_path=path)
            if again != self:
                raise PlimsollError("the same question has another answer now: a file that it "
                                    "reads has changed, or a dict of it\n  ask it again", USAGE)
            return reader.read_csv(path, keep_default_na=False, na_values=[""])


def result_of(figures: dict[str, typing.Any], headline: str, verb: str,
              arguments: tuple[typing.Any, ...], keywords: dict[str, typing.Any]) -> Result:
    """What --json and --quiet print, as an answer of this verb to this question."""
    kind = RunResult if verb in ("run", "replay") else Result
    result = kind((key, _as_figures(value)) for key, value in figures.items())
    result._headline = headline.strip()
    result._verb, result._arguments, result._keywords = verb, arguments, keywords
    return result


def _as_figures(value: typing.Any) -> typing.Any:
    if isinstance(value, dict):
        return Figures((key, _as_figures(one)) for key, one in value.items())
    return [_as_figures(one) for one in value] if isinstance(value, list) else value
