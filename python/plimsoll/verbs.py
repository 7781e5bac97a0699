"""The program's questions as functions."""
from plimsoll.command import ask


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
