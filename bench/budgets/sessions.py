"""Conversations in the Mooncake trace format, made up but shaped like recorded ones: each turn sends
all that was said before, so that its prompt begins with the blocks of the turn before."""
import json

BLOCK_TOKENS = 512
SESSIONS_AT_ONCE = 40


def write(path, requests):
    """The same bytes for everyone: a linear congruential generator (Knuth's MMIX constants)."""
    state = 7

    def draw(below):
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (state >> 33) % below

    unused_id = 1
    sessions = [[0] for _ in range(SESSIONS_AT_ONCE)]  # all begin with the same system prompt
    with open(path, "w", encoding="utf-8") as out:
        for number in range(requests):
            ids = sessions[draw(SESSIONS_AT_ONCE)]
            if len(ids) > 12 + draw(36):
                ids[:] = [0]
            new = 1 + draw(4)
            ids.extend(range(unused_id, unused_id + new))
            unused_id += new
            row = {"timestamp": 300 * number, "input_length": BLOCK_TOKENS * len(ids) - draw(512),
                   "output_length": 100 + draw(500), "hash_ids": ids}
            out.write(json.dumps(row) + "\n")
