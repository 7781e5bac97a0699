"""Values of Python as words of a command line, and what stands for files as texts.

A frame or a list of dicts is a CSV file, or JSON lines where there are lists in it; a dict is a
JSON file. numpy's and pandas' scalars and arrays are what they hold. No library is imported.
"""
from __future__ import annotations

import collections.abc
import csv
import io
import json
import numbers
import os
import shlex

from plimsoll.errors import refusal

_UNKNOWN = {"is_repeatable": False, "takes_path": False, "placeholder": "", "kind": "text"}


def is_frame(value):
    return hasattr(value, "to_csv") and hasattr(value, "columns")


def is_rows(value):
    return (isinstance(value, (list, tuple)) and len(value) > 0
            and all(isinstance(one, collections.abc.Mapping) for one in value))


class Words:
    """Of one command line; `files` are the texts that it names."""

    def __init__(self, verb_row):
        self._rows = verb_row["keywords"]
        self._file_name = (verb_row["file_flag"].removeprefix("--").replace("-", "_")
                           or verb_row["argument"].lower())
        self.files = {}

    def argument(self, value):
        """A word that belongs to no flag: a name, a path, or what stands for a file."""
        if is_frame(value) or is_rows(value) or isinstance(value, collections.abc.Mapping):
            return self._file(self._file_name, value)
        if not isinstance(value, (str, os.PathLike)):
            raise refusal(self._file_name, f"is a name or a path, not {_kind(value)}")
        word = os.fspath(value)
        if word.startswith("-"):
            raise refusal(self._file_name, f'cannot be "{word}"', "names do not begin with -")
        return word

    def of_keywords(self, keywords):
        """Unknown ones are for the program to refuse."""
        words = []
        for keyword, value in keywords.items():
            if value is None:
                continue
            name = "--" + keyword.rstrip("_").replace("_", "-")
            row = self._rows.get(name, _UNKNOWN)
            words += [f"{name}={text}" for text in self._texts(keyword, row, plain(value))]
        return words

    def _texts(self, keyword, row, value):
        stands_for_file = is_frame(value) or is_rows(value) or isinstance(value, dict)
        if row["takes_path"] and stands_for_file:
            return [self._file(keyword, value)]
        if isinstance(value, dict) and row["placeholder"].startswith("FLAG=VALUE"):
            if len(value) > 1:
                raise refusal(keyword, "varies one keyword", "variant= differs in several, and "
                              "sweep() asks for all combinations")
            return [f"{name.replace('_', '-')}={_text(keyword, choices)}"
                    for name, choices in value.items()]
        if isinstance(value, dict) and row["placeholder"] == "NAME: FLAGS":
            return [f"{name}: {shlex.join(self.of_keywords(own))}" for name, own in value.items()]
        if row["is_repeatable"] and isinstance(value, (list, tuple)):
            return [_text(keyword, one) for one in value]
        return [_text(keyword, value, ":" if ":" in row["placeholder"] else "=")]

    def _file(self, name, value):
        value = plain(value)
        if isinstance(value, collections.abc.Mapping):
            return self._named(name + ".json", self._json_text(name, value))
        if is_frame(value):
            # Whole numbers beside gaps are floats in a frame: 3.0.
            whole = value.convert_dtypes() if hasattr(value, "convert_dtypes") else value
            return self._named(name + ".csv", whole.to_csv(index=value.index.name is not None))
        if any(isinstance(cell, (list, dict)) for row in value for cell in row.values()):
            lines = [self._json_text(name, row, indent=None) for row in value]
            return self._named(name + ".jsonl", "\n".join(lines) + "\n")
        return self._named(name + ".csv", _csv(value))

    def _named(self, name, text):
        stem, ending = os.path.splitext(name)
        number = 1
        while name in self.files and self.files[name] != text:
            number += 1
            name = f"{stem}_{number}{ending}"
        self.files[name] = text
        return name

    def _json_text(self, keyword, spec, indent=2):
        """Frames in it are files of their own."""
        return json_text(keyword, spec, indent, lambda rows: self._file(keyword + "_rows", rows))


def json_text(keyword, spec, indent=2, file_of=None):
    """The text of a file that holds this dict; `file_of` gives the name of a file that holds a
    frame."""
    def default(value):
        if file_of is not None and is_frame(value):
            return file_of(value)
        held = plain(value)
        return held if held is not value else _text(keyword, value)

    try:
        return json.dumps(dict(spec), indent=indent, allow_nan=False, default=default)
    except ValueError:
        raise refusal(keyword, "has a number in it that is not finite",
                      "leave it out, or say what it is") from None


def plain(value):
    """numpy's and pandas' scalars and arrays as Python's numbers and lists."""
    return value.tolist() if hasattr(value, "tolist") else value


def _csv(rows):
    names = list(dict.fromkeys(name for row in rows for name in row))
    out = io.StringIO()
    writer = csv.DictWriter(out, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: "" if cell is None else _text(key, cell) for key, cell in row.items()}
                     for row in rows)
    return out.getvalue()


def _kind(value):
    return "None" if value is None else f"of type {type(value).__name__}"


def _text(keyword, value, separator="="):
    value = plain(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    if isinstance(value, (str, numbers.Number)):
        return str(value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if isinstance(value, collections.abc.Mapping):
        return ",".join(f"{key}{separator}{_text(keyword, one)}" for key, one in value.items())
    if isinstance(value, (list, tuple, range)):
        return ",".join(_text(keyword, one) for one in value)
    raise refusal(keyword, f"cannot be {_kind(value)}",
                  "give a number, a text, a path, True or False, or a list or dict of these")
