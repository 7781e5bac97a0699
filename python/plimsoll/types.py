"""What keywords take, for type checkers."""
from __future__ import annotations

import collections.abc
import os
import typing

if typing.TYPE_CHECKING:
    class Frame(typing.Protocol):
        """A pandas frame; it stands for a CSV file."""

        @property
        def columns(self) -> typing.Any: ...
        def to_csv(self, *args: typing.Any, **kwargs: typing.Any) -> typing.Any: ...

    class Array(typing.Protocol):
        """An array of numpy, a series of pandas."""

        def tolist(self) -> typing.Any: ...

    Integer = typing.SupportsIndex
    Number = typing.Union[float, typing.SupportsFloat]
    _One = typing.Union[str, float, typing.SupportsFloat, os.PathLike[str]]
    Text = typing.Union[_One, collections.abc.Sequence[typing.Any], Array,
                        collections.abc.Mapping[str, typing.Any]]
    # A path, or what stands for a file.
    Source = typing.Union[str, os.PathLike[str], collections.abc.Mapping[str, typing.Any], Frame,
                          collections.abc.Sequence[collections.abc.Mapping[str, typing.Any]]]
    Progress = typing.Optional[collections.abc.Callable[[str], object]]
    # Gets a line of text now and then; is asked whether to stop.
    Stopped = typing.Optional[collections.abc.Callable[[], bool]]
