"""Comparisons and validations that processes share, or that a journal keeps, print the bytes of those that are neither, and refuse
what plans refuse. Plans: run_folder.py.

    shared_verbs.py PLIMSOLL"""
import fcntl
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CASES = 7


class Desk:
    """Asks one question in a folder of its own; `file` is one that decides the answer."""

    def __init__(self, binary, folder, words, file):
        self.binary, self.folder, self.words, self.file = binary, pathlib.Path(folder), words, file
        self.plain = self.ask(words).stdout

    def ask(self, words, code=0, env=None):
        done = subprocess.run([self.binary, *words], cwd=self.folder, capture_output=True, text=True, timeout=120,
                              env={**os.environ, **(env or {})}, check=False)
        if done.returncode != code:
            sys.exit(f"plimsoll {' '.join(words)}: exit code {done.returncode}, not {code}\n{done.stderr}")
        return done

    def expect(self, what, stdout):
        if stdout != self.plain:
            sys.exit(f"{self.words[0]}, {what}: another answer than without an executor")
        print(f"{self.words[0]}, {what}: the same {len(stdout)} bytes", flush=True)

    def shared(self, name, shards=3, executor="local"):
        return [*self.words, "--executor", executor, "--shards", str(shards), "--journal", name]

    def resumed(self, name):
        return [*self.words, "--resume", name]

    def refuse(self, words, message, code=2):
        stderr = self.ask(words, code=code).stderr
        if message not in stderr:
            sys.exit(f"{' '.join(words)}: no {message!r} in\n{stderr}")


def shards(desk):
    for count in (1, 3, 16):
        desk.expect(f"{count} shards", desk.ask(desk.shared(f"local-{count}", count)).stdout)
    desk.expect("resumed when whole", desk.ask(desk.resumed("local-3")).stdout)
    desk.ask(desk.shared("pods", 2, "kubernetes"))
    for shard in ("0", "1"):
        desk.ask(["worker", "pods"], env={"JOB_COMPLETION_INDEX": shard})
    done = desk.ask(desk.resumed("pods"))
    desk.expect("an Indexed Job", done.stdout)
    # All was there: nothing was worked out again.
    own = desk.folder / "pods" / f"{desk.words[0]}.journal"
    assert own.read_text(encoding="utf-8").count("\n") == 1, own.read_text(encoding="utf-8")


def kept(desk):
    desk.expect("with a journal", desk.ask([*desk.words, "--journal", "alone"]).stdout)
    whole = (desk.folder / "alone").read_bytes()
    lines = whole.splitlines(keepends=True)
    (desk.folder / "alone").write_bytes(b"".join(lines[:3]) + lines[3][:20])
    again = desk.ask(desk.resumed("alone"))
    desk.expect("resumed from a torn journal", again.stdout)
    assert "alone:4: this line was not written whole" in again.stderr, again.stderr
    assert sorted((desk.folder / "alone").read_bytes().splitlines()) == sorted(whole.splitlines())


def killed(desk, words, name):
    """By kill -9, the command and its workers, at random moments."""
    draw = random.Random(name)
    for _ in range(5):
        begun = (desk.folder / name).exists()
        asked = desk.resumed(name) if begun else words
        with subprocess.Popen([desk.binary, *asked], cwd=desk.folder, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, start_new_session=True) as process:
            time.sleep(draw.uniform(0.01, 0.15))
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        path = desk.folder / name
        if path.is_dir() and not (path / "question.record").exists():
            shutil.rmtree(path)
    begun = (desk.folder / name).exists()
    desk.expect(f"{name} five times", desk.ask(desk.resumed(name) if begun else words).stdout)


def refused(desk):
    """A flipped bit, a second writer, a changed file, another question."""
    shard = sorted((desk.folder / "local-3").glob("shard-0001.*.journal"))[0]
    whole = shard.read_bytes()
    flipped = bytearray(whole)
    flipped[2 * len(whole) // 3] ^= 4
    shard.write_bytes(flipped)
    desk.refuse(desk.resumed("local-3"), "its checksum does not match")
    assert json.loads(desk.ask(["runs", "show", "local-3", "--json"]).stdout)["state"] == "done"
    shard.write_bytes(whole)
    with open(desk.folder / "alone", "ab") as journal:
        fcntl.flock(journal, fcntl.LOCK_EX)
        desk.refuse(desk.resumed("alone"), "another run of plimsoll is writing alone", code=3)
    desk.refuse([*desk.resumed("local-3"), "--latency-model", "roofline"], "answers another question")
    desk.ask(desk.shared("changed", 2, "kubernetes"))
    text = desk.file.read_text(encoding="utf-8")
    desk.file.write_text(text + "# another text\n", encoding="utf-8")
    desk.refuse(["worker", "changed", "0"], "is no longer what this run began with")
    desk.refuse(desk.resumed("local-3"), "answers another question")
    desk.file.write_text(text, encoding="utf-8")
    desk.expect("mended", desk.ask(desk.resumed("local-3")).stdout)
    own = desk.folder / "changed" / f"{desk.words[0]}.journal"
    own.unlink()
    desk.refuse([*desk.resumed("changed"), "--latency-model", "roofline"], "this run answers another question")
    assert not own.exists()


def shown(desk):
    verdict = desk.ask([*desk.words[:-1], "--quiet"]).stdout
    run = json.loads(desk.ask(["runs", "show", "local-1", "--json"]).stdout)
    assert run["answer"] == verdict.strip() and run["answered_on"], run
    rows = json.loads(desk.ask(["runs", "list", "--json"]).stdout)
    assert {row["folder"]: row["state"] for row in rows}["changed"] == "begun", rows
    desk.refuse(["runs", "compare", "local-1", "local-3"], "only plans can be compared")


def make_cases(folder):
    for number in range(CASES):
        shutil.copytree(ROOT / "examples/case", folder / f"cases/case-{number}")
    (folder / "cases/broken").mkdir()
    (folder / "cases/broken/case.yaml").write_text("kind: trace\n", encoding="utf-8")
    return folder / "cases/case-3/requests.csv"


def make_traffic(folder):
    shutil.copy(ROOT / "examples/clients.yaml", folder / "traffic.yaml")
    return folder / "traffic.yaml"


def main():
    binary = os.path.abspath(sys.argv[1])
    compare = ["compare", "--model", "qwen/qwen3-14b", "--workload-spec", "traffic.yaml", "--num-requests", "1000",
               "--seeds", "3", "--vary", "routing-policy=round-robin,least-loaded", "--num-instances", "2", "--variant",
               "one: --num-instances 1", "--slo-ttft", "200ms", "--fitness-weights", "p99_ttft:1,throughput:2", "--json"]
    for words, make in ((["validate", "cases", "--json"], make_cases), (compare, make_traffic)):
        with tempfile.TemporaryDirectory() as folder:
            file = make(pathlib.Path(folder))
            desk = Desk(binary, folder, words, file)
            shards(desk)
            kept(desk)
            killed(desk, desk.shared("killed"), "killed")
            killed(desk, [*words, "--journal", "killed-alone"], "killed-alone")
            refused(desk)
            shown(desk)


if __name__ == "__main__":
    main()
