"""A plan whose tests are shared out prints the bytes of one that is not: by any executor, in any number of
shards, and whatever happens to a worker; what is damaged is refused. Slurm itself: tools/try-slurm.

    run_folder.py PLIMSOLL"""
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PLAN = ["plan", "--model", "qwen/qwen3-14b", "--rate", "20", "--slo", "ttft_p90<500ms", "--gpu-types", "H100,L4",
        "--max-gpus", "4", "--no-model-error", "--no-timing", "--json"]
REQUEST = """model: qwen/qwen3-14b
workload: {rate: 10}
constraints: {slo: "ttft_p90<2s"}
config_space: {gpu_types: [H100]}
simulation: {duration: 60}
"""

# Slurm as far as the program sees it: tasks of an array run one after the other, in the background.
SBATCH = """#!/bin/sh
# Stands in for sbatch: --parsable --array=LIST --output=... [more] SCRIPT
for word; do script=$word; case $word in --array=*) list=${word#--array=};; esac; done
echo "$*" >>"$STAND_IN/sbatch.log"
id=$(($(cat "$STAND_IN/last" 2>/dev/null || echo 6) + 1))
echo $id >"$STAND_IN/last"
expand() { echo "$1" | tr , '\\n' | while IFS=- read -r a b; do seq "$a" "${b:-$a}"; done; }
expand "$list" >"$STAND_IN/queue.$id"
(
  for task in $(expand "$list"); do
    test -e "$STAND_IN/node_is_dead" || SLURM_ARRAY_TASK_ID=$task sh "$script" >/dev/null 2>&1
    sed -i "/^$task\\$/d" "$STAND_IN/queue.$id"
  done
) >/dev/null 2>&1 &
echo "$id;cluster"
"""
SQUEUE = """#!/bin/sh
for word; do case $word in --jobs=*) id=${word#--jobs=};; esac; done
test -e "$STAND_IN/queue.$id" || { echo "slurm_load_jobs error: Invalid job id specified" >&2; exit 1; }
cat "$STAND_IN/queue.$id"
"""


class Folders:
    """Asks the program in a folder of its own."""

    def __init__(self, binary, folder):
        self.binary = binary
        self.folder = pathlib.Path(folder)
        self.plain = self.ask(PLAN).stdout
        assert json.loads(self.plain)["best_configuration"], self.plain

    def ask(self, words, given=None, env=None, code=0):
        done = subprocess.run([self.binary, *words], cwd=ROOT, capture_output=True, text=True, input=given,
                              env={**os.environ, **(env or {})}, timeout=120, check=False)
        if done.returncode != code:
            sys.exit(f"plimsoll {' '.join(words)}: exit code {done.returncode}, not {code}\n{done.stderr}")
        return done

    def path(self, name):
        return str(self.folder / name)

    def expect(self, what, stdout, plain=None):
        if stdout != (plain or self.plain):
            sys.exit(f"{what}: another plan than without an executor")
        print(f"{what}: the same {len(stdout)} bytes")


def local(folders):
    for shards in (1, 3, 40):
        name = folders.path(f"local-{shards}")
        done = folders.ask([*PLAN, "--executor", "local", "--journal", name, "--shards", str(shards)])
        folders.expect(f"local, {shards} shards", done.stdout)
        assert (pathlib.Path(name) / "result.json").read_text(encoding="utf-8") == folders.plain
    again = folders.ask([*PLAN, "--resume", folders.path("local-3")])
    folders.expect("resumed when whole", again.stdout)
    fleet = ["plan", "examples/plan/fleet.yaml", "--no-timing", "--json"]
    plain = folders.ask(fleet).stdout
    shared = folders.ask([*fleet, "--executor", "local", "--journal", folders.path("fleet"), "--shards", "4"])
    folders.expect("several models", shared.stdout, plain)
    words = ["plan", "-", "--no-timing", "--json"]
    plain = folders.ask(words, given=REQUEST).stdout
    shared = folders.ask([*words, "--executor", "local", "--journal", folders.path("stdin")], given=REQUEST)
    folders.expect("from standard input", shared.stdout, plain)


def slurm(folders):
    tools = folders.folder / "bin"
    tools.mkdir()
    for name, text in (("sbatch", SBATCH), ("squeue", SQUEUE)):
        (tools / name).write_text(text, encoding="utf-8")
        (tools / name).chmod(0o755)
    env = {"STAND_IN": str(folders.folder), "PATH": f"{tools}:{os.environ['PATH']}"}
    name = folders.path("slurm")
    submit = [*PLAN, "--executor", "slurm", "--journal", name, "--shards", "4"]
    dead = folders.folder / "node_is_dead"
    dead.touch()
    left = folders.ask([*submit, "--no-wait", "--sbatch-args=--partition=cpu --requeue"], env=env)
    assert json.loads(left.stdout)["decision"]["verdict"] == "not_shown", left.stdout
    assert "Slurm has 4 shards as job 7" in left.stderr, left.stderr
    while (folders.folder / "queue.7").read_text(encoding="utf-8"):
        time.sleep(0.05)
    dead.unlink()
    # One shard is there before Slurm is asked again: only the others are submitted.
    folders.ask(["worker", name, "2"])
    done = folders.ask([*PLAN, "--resume", name], env=env)
    folders.expect("slurm, resumed", done.stdout)
    submitted = (folders.folder / "sbatch.log").read_text(encoding="utf-8").splitlines()
    assert "--array=0-3 " in submitted[0] and "--partition=cpu --requeue" in submitted[0], submitted
    assert "--array=0-1,3 " in submitted[1], submitted
    env["PATH"] = os.path.dirname(sys.executable) if shutil.which("sbatch", path="/usr/bin") else os.environ["PATH"]
    if not shutil.which("sbatch", path=env["PATH"]):
        none = folders.ask([*PLAN, "--executor", "slurm", "--journal", folders.path("none")], env=env, code=3)
        assert "cannot start sbatch" in none.stderr, none.stderr


def kubernetes(folders):
    name = folders.path("kubernetes")
    words = [*PLAN, "--executor", "kubernetes", "--journal", name, "--shards", "3"]
    written = folders.ask(words)
    answer = json.loads(written.stdout)
    assert answer["decision"]["verdict"] == "not_shown" and answer["missing"] == "0-2", answer
    assert "kubectl apply" in written.stderr, written.stderr
    run_job(folders, pathlib.Path(name) / "job.yaml", 2)
    again = folders.ask([*PLAN, "--resume", name]).stderr
    assert "1 shard is missing" in again and "kubectl delete job plimsoll-" in again, again
    run_job(folders, pathlib.Path(name) / "job.yaml", 3)
    folders.expect("an Indexed Job", folders.ask([*PLAN, "--resume", name]).stdout)


def run_job(folders, path, most):
    """Stands in for Kubernetes: what the manifest says is run once for each index, of the first `most`."""
    manifest = path.read_text(encoding="utf-8")
    said = dict(line.strip().split(": ", 1) for line in manifest.splitlines() if re.match(r" +[a-zA-Z]+: ", line))
    assert said["completionMode"] == "Indexed" and said["resource"] == "requests.cpu", manifest
    words = [word.replace("$(CPUS)", said["cpu"]).replace("$$", "$") for word in json.loads(said["command"])]
    assert words[0] == "plimsoll", words
    for index in range(min(most, int(said["completions"]))):
        folders.ask(words[1:], env={"JOB_COMPLETION_INDEX": str(index)})


def killed(folders):
    """Workers and the plan itself, by kill -9 at random moments."""
    draw = random.Random(4)
    name = folders.path("killed")
    words = [*PLAN, "--executor", "local", "--journal", name, "--shards", "3"]
    for attempt in range(6):
        asked = words if attempt == 0 else [*PLAN, "--resume", name]
        with subprocess.Popen([folders.binary, *asked], cwd=ROOT, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, start_new_session=True) as process:
            time.sleep(draw.uniform(0.05, 0.4))
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if not (pathlib.Path(name) / "question.record").exists():
            shutil.rmtree(name, ignore_errors=True)
            folders.ask([*words, "--quiet"])
    folders.expect("killed six times", folders.ask([*PLAN, "--resume", name]).stdout)


def two_at_once(folders):
    name = folders.path("twice")
    folders.ask([*PLAN, "--executor", "kubernetes", "--journal", name, "--shards", "2"])
    workers = []
    for shard in ("0", "0", "1", "1"):
        workers.append(subprocess.Popen([folders.binary, "worker", name, shard], cwd=ROOT,  # pylint: disable=R1732
                                        stderr=subprocess.DEVNULL))
    assert [worker.wait() for worker in workers] == [0] * 4
    folders.expect("each shard twice at once", folders.ask([*PLAN, "--resume", name]).stdout)
    return name


def record(text):
    measured = f"{len(text.encode())} {text}"
    return f"{zlib.crc32(measured.encode()):08x} {measured}\n"


def damaged(folders, name):
    """A folder in which all is done, and one thing after another is wrong."""
    resume = [*PLAN, "--resume", name]
    shard = sorted(pathlib.Path(name).glob("shard-0000.*.journal"))[0]
    whole = shard.read_bytes()
    shard.write_bytes(whole[:-7])
    folders.expect("a torn shard", folders.ask(resume).stdout)
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 4
    shard.write_bytes(bytes(flipped))
    refused = folders.ask(resume, code=2).stderr
    assert "its checksum does not match" in refused and str(shard) in refused, refused
    lines = whole.decode().splitlines()
    second = pathlib.Path(name) / "shard-0000.900.journal"
    shard.write_bytes(whole)
    changed = lines[1].split(" ", 2)[2].replace('"requests":', '"requests":1', 1)
    second.write_text(lines[0] + "\n" + record(changed), encoding="utf-8")
    refused = folders.ask(resume, code=2).stderr
    assert "two workers got different results for this unit" in refused, refused
    second.unlink()
    question = pathlib.Path(name) / "question.record"
    text = question.read_text(encoding="utf-8")
    question.write_text(text.replace("qwen", "qwem", 1), encoding="utf-8")
    refused = folders.ask(resume, code=2).stderr
    assert "this file is damaged" in refused, refused
    question.write_text(text, encoding="utf-8")
    folders.expect("mended", folders.ask(resume).stdout)


def refused_questions(folders, name):
    """What is asked wrongly is said plainly, before any work."""
    cases = [
        ([*PLAN, "--executor", "local"], "--executor needs a folder"),
        ([*PLAN, "--shards", "3"], "--shards is for --executor"),
        ([*PLAN, "--executor", "local", "--no-wait", "--journal", folders.path("no")], "is for --executor slurm"),
        ([*PLAN, "--executor", "local", "--journal", name], "--journal would overwrite"),
        ([*PLAN, "--resume", name, "--shards", "9"], "was begun with 2 shards"),
        ([*PLAN, "--spare-instances", "1", "--resume", name], "this journal answers another question"),
        (["worker", name, "2"], "must be from 0 to 1"),
        (["worker", name], "no shard is given"),
        (["worker", folders.path("bin")], "this folder has no shared run in it"),
    ]
    for words, message in cases:
        stderr = folders.ask(words, code=2).stderr
        assert message in stderr, f"{words}: {stderr}"
    missing = folders.ask(["worker", folders.path("nothing"), "1"], code=3).stderr
    assert "no such folder" in missing, missing


def main():
    with tempfile.TemporaryDirectory() as folder:
        folders = Folders(os.path.abspath(sys.argv[1]), folder)
        local(folders)
        slurm(folders)
        kubernetes(folders)
        killed(folders)
        name = two_at_once(folders)
        damaged(folders, name)
        refused_questions(folders, name)


if __name__ == "__main__":
    main()
