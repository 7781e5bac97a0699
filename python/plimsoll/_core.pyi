import collections.abc
import typing

version: str

def answer(words: list[str], files: dict[str, str], input: str,
           progress: collections.abc.Callable[[str], object] | None,
           stopped: collections.abc.Callable[[], bool] | None) -> dict[str, typing.Any]: ...
def verbs() -> list[dict[str, typing.Any]]: ...
