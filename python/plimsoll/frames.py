"""Results as pandas frames. pandas is imported only here, and only when asked for."""
from __future__ import annotations

import typing

from plimsoll.errors import USAGE, PlimsollError
from plimsoll.shown import rows_key

if typing.TYPE_CHECKING:
    import pandas

    from plimsoll.sweeps import Sweep


def pandas_module(asker: str) -> typing.Any:
    """pandas; `asker` is what needs it."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError(f"{asker} needs pandas: install it (Debian: python3-pandas), or use "
                          ".to_dict()") from error
    return pandas


def to_frame(result: dict[str, typing.Any] | Sweep, table: str | None = None) -> pandas.DataFrame:
    """A pandas frame of a result: a row per candidate of plan(), per test of capacity(), per variant
    of compare() and so on, per point of a sweep; else one row.

    `table` names another list of the result. Keys within keys are joined by dots.
    """
    frames = pandas_module("to_frame()")
    if not isinstance(result, dict):
        return frames.DataFrame(result.rows())
    if table is None:
        table = rows_key(result)
    if table is not None and table not in result:
        lists = [key for key, value in result.items()
                 if isinstance(value, list) and value and isinstance(value[0], dict)]
        raise PlimsollError(f'the answer has no table "{table}"\n  '
                            + (f"it has {', '.join(lists)}" if lists else "it has one row: leave table= out"),
                            USAGE)
    return frames.json_normalize(result if table is None else result[table])
