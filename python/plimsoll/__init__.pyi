import collections.abc
import os
import typing

Flag = (str | int | float | bool | os.PathLike[str] | list[typing.Any] | tuple[typing.Any, ...]
        | dict[str, typing.Any] | None)
Result = dict[str, typing.Any]
Progress = collections.abc.Callable[[str], object] | None

class PlimsollError(Exception):
    exit_code: int
    def __init__(self, message: str, exit_code: int) -> None: ...

def simulate(*, progress: Progress = None, **flags: Flag) -> Result: ...
def replay(*, progress: Progress = None, **flags: Flag) -> Result: ...
def capacity(*, progress: Progress = None, **flags: Flag) -> Result: ...
def to_frame(result: Result, table: str | None = None) -> typing.Any: ...
