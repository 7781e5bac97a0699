"""What words, figures, flags and labels of the answers mean: plimsoll.explain("bound by")."""
from __future__ import annotations

import json

from plimsoll.command import compiled
from plimsoll.errors import PlimsollError


class Definitions(list[dict[str, str]]):
    """Dicts with the keys word, source and meaning, shown as text."""

    def __repr__(self) -> str:
        return "\n".join(f"{one['word']}: {one['meaning']} [{one['source']}]" for one in self)


def explain(word: str = "") -> Definitions:
    """The definitions of a word, or of all words; an unknown one is a PlimsollError that names
    what is near."""
    said = compiled().answer(["explain", *word.split(), "--json"], {}, "", None, None)
    if said["exit_code"] != 0:
        raise PlimsollError(said["messages"].strip().removeprefix("error: "), said["exit_code"])
    return Definitions(json.loads(said["results"]))
