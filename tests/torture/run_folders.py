"""Does a plan that processes share end in the same bytes, or say why not?

The plan or one of its workers is killed or held up at random moments, files of its folder are cut, flipped, delivered twice or
forged, disks are full, and two plans go on with one folder.
"""
import os
import pathlib
import re
import resource
import shutil
import signal
import time
import zlib

PLAN = ("plan", "question.yaml", "--json", "--no-timing")
SHARED = (*PLAN, "--threads", "2", "--quiet")
NEW = ("--executor", "local", "--shards", "5", "--journal", "shared")
RESUMED = ("--resume", "shared")
REFUSED = b"another run of plimsoll is writing"
MOST_IN_A_ROW = 4


def begun(t):
    return (t.folder / "shared" / "question.record").exists()


def start(t):
    return t.start(*SHARED, *(RESUMED if begun(t) else NEW))


def finish(t, whole, *what):
    code, out, err = t.run(*SHARED, *(RESUMED if begun(t) else NEW))
    t.check(code == 0 and out == whole, *what, "ended with", code, err[-2000:])


def workers_of(plan):
    try:
        return [int(pid) for pid in
                pathlib.Path(f"/proc/{plan.pid}/task/{plan.pid}/children").read_text().split()]
    except OSError:
        return []


def kill_plans(t, whole, longest, kills):
    """The plan itself dies; its workers may go on, beside those of the next one."""
    for number in range(kills):
        if number % MOST_IN_A_ROW == 0:
            shutil.rmtree(t.folder / "shared", ignore_errors=True)
        plan = start(t)
        ending = t.chance.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
        time.sleep(t.chance.random() * longest)
        plan.send_signal(ending)
        out, err = plan.communicate()
        t.check(plan.returncode in (0, -ending, 128 + ending), plan.returncode, ending, err)
        t.check(plan.returncode != 0 or out == whole, "another plan")
        if number % MOST_IN_A_ROW == MOST_IN_A_ROW - 1:
            finish(t, whole, number + 1, "kills")


def disturb_workers(t, whole, longest, rounds):
    """A worker dies or stands still for a while; the plan notices nothing."""
    disturbed = 0
    for _ in range(rounds):
        shutil.rmtree(t.folder / "shared", ignore_errors=True)
        plan = start(t)
        time.sleep(t.chance.random() * longest)
        for worker in workers_of(plan)[:1]:
            dies = t.chance.random() < 0.5
            try:
                os.kill(worker, signal.SIGKILL if dies else signal.SIGSTOP)
                time.sleep(0.2)
                os.kill(worker, signal.SIGCONT)
                disturbed += 1
            except ProcessLookupError:
                pass
        out, err = plan.communicate()
        t.check(plan.returncode == 0 and out == whole, plan.returncode, err[-2000:])
    return disturbed


def damage(t, whole, rounds):
    """Of a plan that has ended; it is answered again from its files."""
    folder = t.folder / "shared"
    noticed = 0
    for _ in range(rounds):
        shutil.rmtree(folder)
        shutil.copytree(t.folder / "good", folder)
        victim = t.chance.choice(sorted([*folder.glob("*.journal"), folder / "question.record"]))
        good = victim.read_bytes()
        if t.chance.random() < 0.3 and victim.suffix == ".journal":
            victim.write_bytes(good[:t.chance.randrange(len(good))])
            finish(t, whole, victim.name, "cut to", victim.stat().st_size)
            continue
        bit = t.chance.randrange(8 * len(good))
        bad = bytearray(good)
        bad[bit // 8] ^= 1 << bit % 8
        victim.write_bytes(bad)
        code, out, err = t.run(*SHARED, *RESUMED)
        if code == 0 and bit // 8 == len(good) - 1:  # as if the last line had not been written whole
            t.check(out == whole, "bit", bit, "of", victim.name)
            continue
        t.check(code == 2 and not out and victim.name.encode() in err, "bit", bit, "of", victim.name, code, err)
        noticed += 1
    return noticed


def restore(t):
    shutil.rmtree(t.folder / "shared")
    shutil.copytree(t.folder / "good", t.folder / "shared")


def deliver_twice(t, whole):
    """The same again is welcome, another one is not."""
    restore(t)
    first = sorted((t.folder / "shared").glob("shard-*.1.journal"))[0]
    second = first.with_name(first.name.replace(".1.", ".2."))
    shutil.copy(first, second)
    finish(t, whole, "delivered twice")
    lines = second.read_text().splitlines()
    text = lines[-1].split(" ", 2)[2]
    forged = re.sub(r'"requests":\s*(\d+)', lambda m: m[0] + "0", text, count=1)
    t.check(forged != text, text[:200])
    measured = f"{len(forged.encode())} {forged}"
    lines[-1] = f"{zlib.crc32(measured.encode()):08x} {measured}"
    second.write_text("\n".join(lines) + "\n")
    code, out, err = t.run(*SHARED, *RESUMED)
    named = f"{second.name}:{len(lines)}:".encode()
    t.check(code == 2 and not out and named in err and b"different results" in err, code, err)


def fill_disks(t, whole, rounds):
    for _ in range(rounds):
        shutil.rmtree(t.folder / "shared", ignore_errors=True)
        most = t.chance.randrange(10, 20000)
        code, out, err = t.run(*SHARED, *NEW,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)))
        t.check(code == 0 or (code in (2, 3) and b"error: " in err), most, "bytes:", code, err)
        t.check(not out or out == whole, most, "bytes: another plan")
        finish(t, whole, "after files of", most, "bytes")


def go_on_twice(t, whole, rounds):
    for _ in range(rounds):
        restore(t)
        for lost in list((t.folder / "shared").glob("*.journal"))[::2]:
            lost.unlink()
        plans = [t.start(*SHARED, *RESUMED) for _ in range(2)]
        ends = [(plan.communicate(), plan.returncode) for plan in plans]
        t.check(any(code == 0 for _, code in ends), ends)
        for (out, err), code in ends:
            t.check((code == 0 and out == whole) or (code == 3 and REFUSED in err), code, err)


def run(t):
    code, whole, err = t.run(*PLAN)
    t.check(code == 0, err)
    begin = time.monotonic()
    finish(t, whole, "undisturbed")
    longest = time.monotonic() - begin
    shutil.copytree(t.folder / "shared", t.folder / "good")
    kills = t.few_or(4, 200)
    kill_plans(t, whole, longest, kills)
    disturbed = disturb_workers(t, whole, longest, t.few_or(3, 50))
    restore(t)
    noticed = damage(t, whole, t.few_or(15, 300))
    deliver_twice(t, whole)
    fill_disks(t, whole, t.few_or(2, 30))
    go_on_twice(t, whole, t.few_or(2, 20))
    return f"{kills} plans and {disturbed} workers disturbed, {noticed} flips noticed"
