"""The program's questions as functions."""
import collections.abc

from plimsoll.command import Input, ask, json_text


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

    `request` is the path of a request file, or such a request as a dict; paths in a dict are
    relative to the working folder.
    "best_configuration" is None where nothing is feasible.
    """
    if not isinstance(request, collections.abc.Mapping):
        return ask("plan", *([] if request is None else [request]), progress=progress, **flags)
    return ask("plan", Input(json_text(dict(request))), progress=progress, **flags)
