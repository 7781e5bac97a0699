"""Does a plan that is killed anywhere go on to the same bytes?

A journaled plan is ended by SIGKILL, SIGTERM, SIGHUP or SIGINT at a random moment and resumed, again and
again, until it ends by itself.
"""
import signal
import time

PLAN = ("plan", "question.yaml", "--json", "--no-timing")
MOST_IN_A_ROW = 4


def begun(journal):
    return journal.exists() and journal.stat().st_size > 0


def run(t):
    begin = time.monotonic()
    code, whole, err = t.run(*PLAN)
    longest = time.monotonic() - begin
    t.check(code == 0, err)
    journal = t.folder / "plan.journal"
    kills = resumed = 0
    while kills < t.few_or(8, 200):
        journal.unlink(missing_ok=True)
        for attempt in range(MOST_IN_A_ROW + 1):
            process = t.start(*PLAN, "--resume" if begun(journal) else "--journal", "plan.journal")
            ending = t.chance.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM,
                                      signal.SIGHUP, signal.SIGINT])
            if attempt < MOST_IN_A_ROW:
                time.sleep(t.chance.random() * longest)
                process.send_signal(ending)
            out, err = process.communicate()
            code = process.returncode
            if code == 0:
                t.check(out == whole, "another plan after", attempt, "kills")
                resumed += attempt > 0
                break
            t.check(attempt < MOST_IN_A_ROW and code in (-ending, 128 + ending), code, ending, err)
            kills += 1
    t.check(t.names() == ["plan.journal", "question.yaml"], t.names())
    return f"{kills} kills, {resumed} plans resumed to the same bytes"
