#!/usr/bin/env python3
"""The Mooncake conversation trace several times over: the traffic of an hour coming again and again.

    bench/whole/mooncake.py TRACE[.gz] TIMES OUTPUT

Each repetition is shifted by the span of the trace (and its mean gap) and keeps the block ids, so
that a prompt may find its prefix from the repetition before, if the cache still holds it.
"""
import gzip
import json
import pathlib
import sys


def repeat(trace, times, output):
    """Writes the repeated trace and returns its number of requests."""
    trace = pathlib.Path(trace)
    opened = gzip.open if trace.suffix == ".gz" else open
    with opened(trace, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines if line.strip()]
    first, last = rows[0]["timestamp"], rows[-1]["timestamp"]
    shift = (last - first) + (last - first) // (len(rows) - 1)
    with open(output, "w", encoding="utf-8") as out:
        for repetition in range(times):
            for row in rows:
                out.write(json.dumps({**row, "timestamp": row["timestamp"] + repetition * shift}))
                out.write("\n")
    return times * len(rows)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    repeat(sys.argv[1], int(sys.argv[2]), sys.argv[3])
