"""Plimsoll: plans the capacity of LLM serving.

    plimsoll.capacity(model="qwen/qwen3-14b", rate=200, slo="ttft_p99<500ms").instances

The questions of the program are functions: run, replay, capacity, plan, forecast, compare, describe,
validate, observe, calibrate; their keywords are its flags. sweep() asks one for many values,
explain() says what a word of the answers means. The
compiled part is loaded by the first of them, so that plimsoll.profile, which measures a GPU, runs
where it is not.
"""
from plimsoll.definitions import Definitions, explain
from plimsoll.errors import Interrupted, PlimsollError, Problem
from plimsoll.frames import to_frame
from plimsoll.results import Result, RunResult
from plimsoll.sweeps import Sweep, sweep

# By the name of a function, its verb.
FUNCTIONS = {name: name for name in ("run", "replay", "capacity", "plan", "forecast", "compare",
                                     "describe", "validate", "observe", "calibrate")}
FUNCTIONS["simulate"] = "run"

__all__ = [*FUNCTIONS, "Definitions", "Interrupted", "PlimsollError", "Problem", "Result", "RunResult", "Sweep",
           "explain", "sweep", "to_frame"]


def __getattr__(name):
    """The functions and the version come from the compiled part."""
    if name != "__version__" and name not in FUNCTIONS:
        raise AttributeError(f"module 'plimsoll' has no attribute '{name}'")
    from plimsoll.command import compiled
    from plimsoll.verbs import function_of

    if name == "__version__":
        return compiled().version
    globals()[name] = function_of(FUNCTIONS[name])
    return globals()[name]


def __dir__():
    return sorted({*globals(), *__all__, "__version__"})
