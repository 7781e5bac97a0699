#!/usr/bin/env python3
"""Writes plimsoll/__init__.pyi: the functions with the keywords that the flags of the program make.

    stubs.py FOLDER      FOLDER holds the built package; the build calls it
"""
import pathlib
import sys

_HEAD = '''\
"""Made by python/stubs.py from the flags of the program: edits are lost."""
from typing import Any, Callable, Iterable, Literal, Mapping, overload

from typing_extensions import ParamSpec

from plimsoll.definitions import Definitions as Definitions
from plimsoll.definitions import explain as explain
from plimsoll.errors import Interrupted as Interrupted
from plimsoll.errors import PlimsollError as PlimsollError
from plimsoll.errors import Problem as Problem
from plimsoll.frames import to_frame as to_frame
from plimsoll.results import Result as Result
from plimsoll.results import RunResult as RunResult
from plimsoll.sweeps import Sweep as Sweep
from plimsoll.types import Integer, Number, Progress, Source, Stopped, Text

__version__: str
_Asked = ParamSpec("_Asked")

# The keywords of the question; beside `threads` they cannot be checked.
@overload
def sweep(question: Callable[..., Result], over: Mapping[str, Iterable[Any]],
          *arguments: Source, threads: int, progress: Progress = None,
          **keywords: Any) -> Sweep: ...
@overload
def sweep(question: Callable[_Asked, Result], over: Mapping[str, Iterable[Any]],
          *arguments: _Asked.args, **keywords: _Asked.kwargs) -> Sweep: ...
'''


def stub_of(name, row):
    """The function with its keywords, one a line."""
    from plimsoll import verbs

    lines = [f"def {name}(", "    *arguments: Source,", "    progress: Progress = None,",
             "    stopped: Stopped = None,"]
    lines += [f"    {keyword}: {kind} | None = None,"
              for keyword, kind, _ in verbs.keywords_of(row)]
    doc = verbs.doc_of(row).replace("\\", "\\\\").replace("\n", "\n    ").rstrip()
    return "\n".join([*lines, f") -> {verbs.result_type(row['name'])}:", f'    """{doc}',
                      '    """', ""])


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    sys.path.insert(0, str(folder))
    sys.dont_write_bytecode = True
    import plimsoll
    from plimsoll.command import verb_rows

    stubs = [_HEAD]
    for name in plimsoll.FUNCTIONS:
        stubs.append(stub_of(name, verb_rows()[plimsoll.FUNCTIONS[name]]))
    pathlib.Path(folder, "plimsoll", "__init__.pyi").write_text("\n".join(stubs), encoding="utf-8")


if __name__ == "__main__":
    main()
