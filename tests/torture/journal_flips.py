"""Is every bit that flips in a journal noticed, and its line named?"""

PLAN = ("plan", "question.yaml", "--json", "--no-timing")


def run(t):
    code, whole, err = t.run(*PLAN, "--journal", "plan.journal")
    t.check(code == 0, err)
    journal = t.folder / "plan.journal"
    good = journal.read_bytes()
    flips = t.few_or(40, 500)
    for _ in range(flips):
        bit = t.chance.randrange(8 * len(good))
        bad = bytearray(good)
        bad[bit // 8] ^= 1 << bit % 8
        journal.write_bytes(bad)
        line = 1 + good.count(b"\n", 0, bit // 8)
        code, out, err = t.run(*PLAN, "--resume", "plan.journal")
        t.check(f"plan.journal:{line}:".encode() in err, "bit", bit, "of line", line, err)
        if bit // 8 == len(good) - 1:  # as if the last line had not been written whole
            t.check(code == 0 and out == whole, "bit", bit, code, err)
        else:
            t.check(code == 2 and not out, "bit", bit, code, err)
            t.check(journal.read_bytes() == bad, "a damaged journal was changed")
    return f"{flips} flips, all noticed"
