"""The program's questions as functions."""
import collections.abc
import os
import tempfile

from plimsoll.command import ask, written

# Keys of a request whose values are names of files.
_PATHS = ("profile", "calibration")


def simulate(*, progress=None, **flags):
    """What happens under this load? `plimsoll run`; keywords are its flags, `-` as `_`:

        simulate(model="qwen/qwen3-14b", rate=10, num_instances=2)

    True sets a switch, lists become commas, a dict stands for a file or for name=value pairs.
    Returns the dict that --json prints. `progress` gets a line of text now and then.
    """
    return ask("run", progress=progress, **flags)


def replay(*, progress=None, **flags):
    """What happens when this recorded traffic comes again? `plimsoll replay`; see simulate()."""
    return ask("replay", progress=progress, **flags)


def capacity(*, progress=None, **flags):
    """How much can this deployment take; how many instances do I need? `plimsoll capacity`; see
    simulate(). "holds" is False where nothing does."""
    return ask("capacity", progress=progress, **flags)


def plan(request=None, *, progress=None, **flags):
    """Which deployment is cheapest for my limits? `plimsoll plan`; see simulate().

    `request` is the path of a request file, or such a request as a dict.
    "best_configuration" is None where nothing is feasible.
    """
    if not isinstance(request, collections.abc.Mapping):
        return ask("plan", *([] if request is None else [request]), progress=progress, **flags)
    paths = {key: os.path.abspath(request[key]) for key in _PATHS if request.get(key)}
    with tempfile.TemporaryDirectory(prefix="plimsoll-") as folder:
        path = written({**request, **paths}, folder, "request")
        return ask("plan", path, progress=progress, **flags)
