"""One question asked for many values."""
from __future__ import annotations

import collections.abc
import concurrent.futures
import itertools
import os
import threading
import typing

from plimsoll.errors import USAGE, Interrupted, PlimsollError
from plimsoll.results import Result
from plimsoll.words import plain

if typing.TYPE_CHECKING:
    from plimsoll.types import Progress, Source

# What is shown of an answer where nobody says what: those of these keys that it has.
_FIGURES = ("verdict", "answer", "ttft_p99_ms", "itl_mean_ms", "e2e_p99_ms", "responses_per_sec",
            "instances", "max_rate_rps", "headroom", "best")


class Point(typing.NamedTuple):
    """A question of a sweep and its answer."""

    values: dict[str, typing.Any]
    result: Result


class Sweep(collections.abc.Sequence[Point]):
    """The answers in the order of the values, those of the last keyword changing fastest."""

    def __init__(self, over: dict[str, list[typing.Any]], points: list[Point]) -> None:
        self.over = over
        self._points = points

    @typing.overload
    def __getitem__(self, at: int) -> Point: ...
    @typing.overload
    def __getitem__(self, at: slice) -> list[Point]: ...
    def __getitem__(self, at: int | slice) -> Point | list[Point]:
        return self._points[at]

    def __len__(self) -> int:
        return len(self._points)

    def rows(self, *figures: str) -> list[dict[str, typing.Any]]:
        """A dict per point: its values and figures of its answer, `a.b` for a key within a key."""
        from plimsoll.shown import at, has, verdict

        for name in figures:
            if self._points and not any(has(point.result, name) for point in self._points):
                raise PlimsollError(f'no answer has a figure "{name}"\n  .rows() shows some', USAGE)

        def row(point: Point) -> dict[str, typing.Any]:
            names = figures or [key for key in _FIGURES if key in point.result]
            found = {name: at(point.result, name) for name in names}
            if not figures:
                found = {"verdict": verdict(point.result), **found}
            return {**point.values, **found}

        return [row(point) for point in self._points]

    def frame(self, *figures: str) -> typing.Any:
        """rows() as a pandas frame."""
        from plimsoll.frames import pandas_module

        return pandas_module("Sweep.frame()").DataFrame(self.rows(*figures))

    def to_dict(self) -> list[dict[str, typing.Any]]:
        return [{"values": dict(point.values), "result": point.result.to_dict()}
                for point in self._points]

    def plot(self, figure: str, ax: typing.Any = None) -> typing.Any:
        """This figure over the first keyword, a line for each value of the others."""
        from plimsoll.plots import plot_sweep

        return plot_sweep(self, figure, ax)

    def __repr__(self) -> str:
        return (f"{len(self)} answers over {', '.join(self.over)}\n"
                "<Sweep: .rows(), .frame(), .plot(figure)>")

    def _repr_html_(self) -> str:
        from plimsoll.shown import html_table, shown

        rows = self.rows()
        titles = list(dict.fromkeys(title for row in rows for title in row))
        return html_table(titles, [[shown(row.get(title)) for title in titles] for row in rows])


def sweep(question: collections.abc.Callable[..., Result],
          over: collections.abc.Mapping[str, collections.abc.Iterable[typing.Any]],
          *arguments: Source, progress: Progress = None, threads: int | None = None,
          **keywords: typing.Any) -> Sweep:
    """Asks the question, a function such as plimsoll.run, for each combination of the values of
    `over`: sweep(run, {"rate": [10, 20], "tp": [1, 2]}, model="qwen3-14b"). Several at a time, as
    many as there are processors; the answers are those of one call after another. After Ctrl-C,
    Interrupted.result is the Sweep of what was done.
    """
    values = {name: list(plain(choices)) for name, choices in over.items()}
    _check(values, keywords)
    grid = [dict(zip(values, one)) for one in itertools.product(*values.values())]
    stop = threading.Event()

    def point(own: dict[str, typing.Any]) -> Point:
        try:
            return Point(own, question(*arguments, stopped=stop.is_set, **keywords, **own))
        except PlimsollError as error:
            place = ", ".join(f"{name}={value!r}" for name, value in own.items())
            raise PlimsollError(f"at {place}: {error}", error.exit_code, error.problems) from None

    with concurrent.futures.ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        asked = [pool.submit(point, own) for own in grid]
        try:
            for done, one in enumerate(concurrent.futures.as_completed(asked), start=1):
                one.result()
                if progress is not None:
                    progress(f"{done} of {len(grid)} answers")
        except BaseException as error:
            stop.set()
            pool.shutdown(cancel_futures=True)
            if not isinstance(error, KeyboardInterrupt):
                raise
            raise Interrupted(Sweep(values, _answers(asked))) from None
    return Sweep(values, _answers(asked))


def _answers(asked: list[concurrent.futures.Future[Point]]) -> list[Point]:
    return [one.result() for one in asked if not one.cancelled() and one.exception() is None]


def _check(values: dict[str, list[typing.Any]], keywords: dict[str, typing.Any]) -> None:
    if not values or not all(values.values()):
        raise PlimsollError('over= has no values\n  give a keyword and its values: '
                            'over={"rate": [10, 20]}', USAGE)
    for name in values:
        if name in keywords:
            raise PlimsollError(f"over= and the keywords both say {name}=\n  leave one out", USAGE)
