"""What do a plan's folder and its commands say when something is wrong, and do printed commands work? What is
tested in it, by whom and how often lost: run_folder.py.

    shared_plans.py PLIMSOLL"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import run_folder

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
QUESTION = """model: {model}
workload: {{rate: 60, prompt_length: {{mean: 100, std: 20}}, output_length: {{mean: 20, std: 5}}}}
constraints: {{slo: "ttft_p90<500ms"}}
config_space: {{gpu_types: [H100], tp_sizes: [1], max_batch_sizes: [64]}}
simulation: {{duration: 10, random_seed: 7}}
"""
PLAN = ["plan", "question.yaml", "--no-model-error", "--no-timing", "--json"]
MODEL = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 2048, "intermediate_size": 8192,
         "num_hidden_layers": 16, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256,
         "max_position_embeddings": 8192, "torch_dtype": "bfloat16", "tie_word_embeddings": True}


class Desk:
    """A folder in which questions are asked; its name has a space."""

    def __init__(self, binary, top):
        self.binary = binary
        self.top = pathlib.Path(top)
        self.folder = self.top / "my plans"
        self.folder.mkdir()
        (self.folder / "question.yaml").write_text(QUESTION.format(model="qwen3-14b"), encoding="utf-8")
        self.tools = self.top / "bin"
        self.tools.mkdir()
        self.env = {**os.environ, "NO_COLOR": "1", "PLIMSOLL_OFFLINE": "1", "XDG_CACHE_HOME": str(self.top / "cache"),
                    "PATH": f"{self.tools}:{os.path.dirname(binary)}:{os.environ['PATH']}"}

    def ask(self, *words, code=0, given=None, cwd=None):
        done = subprocess.run([self.binary, *words], cwd=cwd or self.folder, env=self.env, capture_output=True,
                              text=True, input=given, timeout=120, check=False)
        if done.returncode != code:
            sys.exit(f"plimsoll {' '.join(words)}: exit code {done.returncode}, not {code}\n{done.stderr}")
        return done

    def shell(self, command, cwd):
        done = subprocess.run(["bash", "-c", command], cwd=cwd, env=self.env, capture_output=True, text=True, timeout=120,
                              check=False)
        if done.returncode:
            sys.exit(f"{command}: exit code {done.returncode}\n{done.stderr}")
        return done.stdout

    def begin(self, name, *words, given=None, plan=None):
        """A plan of which nothing is tested yet."""
        return self.ask(*(plan or PLAN), "--executor", "kubernetes", "--shards", "2", "--journal", name, *words,
                        given=given)


def expect(text, *parts):
    for part in parts:
        if part not in text:
            sys.exit(f"no {part!r} in\n{text}")


def changed_model(desk):
    """The hub's config.json in the cache is part of the question."""
    config = desk.top / "cache/plimsoll/models/acme--tiny/config.json"
    config.parent.mkdir(parents=True)
    config.write_text(json.dumps(MODEL), encoding="utf-8")
    (desk.folder / "tiny.yaml").write_text(QUESTION.format(model="acme/tiny"), encoding="utf-8")
    plan = ["plan", "tiny.yaml", *PLAN[2:]]
    desk.begin("tiny", plan=plan)
    desk.ask(*plan, "--journal", "tiny.journal")
    config.write_text(json.dumps({**MODEL, "num_hidden_layers": 17}), encoding="utf-8")
    expect(desk.ask("worker", "tiny", "0", code=2).stderr, "a file, a model or the catalog is no longer")
    for journal in ("tiny", "tiny.journal"):
        expect(desk.ask(*plan, "--resume", journal, code=2).stderr, "this journal answers another question")
    config.write_text(json.dumps(MODEL), encoding="utf-8")
    desk.ask(*plan, "--resume", "tiny", "--executor", "local")


def changed_program(desk):
    """Sources have one name in any folder, and other sources another."""
    printed = re.search(r"build ([0-9a-f]{16})\n", desk.ask("version").stdout)[1]

    def build_of(root):
        made = desk.top / "build_id.cc"
        subprocess.run(["cmake", f"-DROOT={root}", f"-DOUTPUT={made}", "-P", ROOT / "cmake/build_id.cmake"], check=True)
        return re.search(r'"([0-9a-f]{16})"', made.read_text(encoding="utf-8"))[1]

    copy = desk.top / "copy"
    for room in ("src", "catalog"):
        shutil.copytree(ROOT / room, copy / room)
    assert build_of(copy) == printed, (build_of(copy), printed)
    with open(copy / "src/base/hash.h", "a", encoding="utf-8") as source:
        source.write("\n")
    assert build_of(copy) != printed
    desk.begin("other")
    question = desk.folder / "other/question.record"
    text = question.read_text(encoding="utf-8").split(" ", 2)[2].rstrip("\n")
    question.write_text(run_folder.record(text.replace(printed, "0" * 16)), encoding="utf-8")
    for words in (["worker", "other", "0"], [*PLAN, "--resume", "other"]):
        expect(desk.ask(*words, code=2).stderr, "this run was begun by plimsoll", "(build 0000000000000000)", printed)
    shutil.rmtree(desk.folder / "other")


def damaged_answers(desk):
    """What is not what the plan wrote is not shown, and hides no other plan."""
    whole = desk.ask(*PLAN, "--executor", "local", "--journal", "good").stdout
    report = desk.folder / "good/result.json"
    assert report.read_text(encoding="utf-8") == whole
    shutil.copytree(desk.folder / "good", desk.folder / "bad")
    answer = json.loads(desk.ask("runs", "show", "good", "--json").stdout)["answer"]
    assert answer and answer == answer.strip(), answer
    for name in ("result.json", "verdict.txt", "answer.record"):
        file = desk.folder / "bad" / name
        kept = file.read_bytes()
        file.write_bytes(kept.replace(b"2", b"3", 1) if name != "answer.record" else kept[:-9] + b"x" + kept[-8:])
        assert file.read_bytes() != kept
        for words in (["show", "bad"], ["compare", "good", "bad"]):
            expect(desk.ask("runs", *words, code=2).stderr, f"{name}: error: this file is damaged", "--resume FOLDER")
        rows = {row["folder"]: row for row in json.loads(desk.ask("runs", "list", "--json").stdout)}
        assert rows["bad"]["state"] == "damaged" and rows["bad"]["answer"].startswith(name), rows
        assert rows["good"]["state"] == "done" and rows["bad"]["shards"] is None, rows
        assert desk.ask(*PLAN, "--resume", "bad").stdout == whole
        assert file.read_bytes() == kept
    (desk.folder / "bad/question.record").write_text("nothing\n", encoding="utf-8")
    listed = desk.ask("runs", "list").stdout
    expect(listed, "damaged", "question.record: this file is damaged", "done")
    one = QUESTION.format(model="qwen3-14b").replace("\n", "\n  ")
    (desk.folder / "fleet.yaml").write_text(f"models:\n- name: a\n  {one}\n- name: b\n  {one}\n", encoding="utf-8")
    desk.ask("plan", "fleet.yaml", "--no-model-error", "--executor", "local", "--journal", "fleet")
    expect(desk.ask("runs", "compare", "fleet", "good", code=2).stderr, "fleet has a plan of several models, good one of one")


def command_to_go_on(desk, name, cwd):
    text = desk.ask("runs", "show", name, cwd=cwd).stdout
    return text[text.index("# go on"):].split("\n", 1)[1].replace("\\\n", " ").strip()


def printed_commands(desk):
    """Each can be typed where it is printed."""
    plain = desk.ask(*PLAN).stdout
    expect(desk.begin("el f").stderr, "then: plimsoll plan question.yaml --no-model-error --resume 'el f'")
    assert command_to_go_on(desk, "el f", desk.folder) == "plimsoll plan question.yaml --no-model-error --resume 'el f'"
    for shard in ("0", "1"):
        desk.ask("worker", "el f", shard)
    command = command_to_go_on(desk, "my plans/el f", desk.top)
    assert desk.shell(command + " --no-timing --json", desk.top) == plain, command
    expect(json.loads(desk.ask("runs", "show", "el f", "--json").stdout)["command"], "--no-model-error")
    desk.begin("given", given=QUESTION.format(model="qwen3-14b"), plan=["plan", "-", *PLAN[2:]])
    command = command_to_go_on(desk, "my plans/given", desk.top)
    answer = json.loads(desk.shell(command.replace(" <", " --executor local --no-timing --json <"), desk.top))
    assert answer["best_configuration"] == json.loads(plain)["best_configuration"]


def failing_worker(desk):
    """The plan ends with what the worker said."""
    desk.begin("fails")
    (desk.folder / "fails/shard-0000.1.part").write_text("12345678 3 abc\n", encoding="utf-8")
    stderr = desk.ask(*PLAN, "--resume", "fails", "--executor", "local", code=3).stderr
    expect(stderr, "1 of 2 shards did not finish: 0; the first says: ", "error: this line is damaged")


def damaged_shards(desk):
    """What --resume refuses is not said to be there; a shard that was cut off is named."""
    desk.begin("torn")
    for shard in ("0", "1"):
        desk.ask("worker", "torn", shard)
    file = desk.folder / "torn/shard-0000.1.journal"
    whole = file.read_bytes()
    file.write_bytes(whole.replace(b'"requests":', b'"requestS":', 1))
    refused = desk.ask(*PLAN, "--resume", "torn", code=2).stderr
    expect(refused, "shard-0000.1.journal:2: error: this line is damaged")
    shown = json.loads(desk.ask("runs", "show", "torn", "--json").stdout)
    assert shown["state"] == "damaged" and shown["answer"].startswith("shard-0000.1.journal:2: "), shown
    expect(desk.ask("runs", "list").stdout, "damaged", "shard-0000.1.journal:2: this line is damaged")
    file.write_bytes(whole[:-5])
    lines = whole.count(b"\n")
    expect(desk.ask(*PLAN, "--resume", "torn").stderr, f"shard-0000.1.journal:{lines}: this line was not written whole")


def interrupted(desk, words):
    """What Ctrl-C leaves on stdout and stderr of a command that waits."""
    with subprocess.Popen([desk.binary, *words], cwd=desk.folder, env=desk.env, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as waiting:
        time.sleep(0.5)
        waiting.send_signal(signal.SIGINT)
        stdout, stderr = waiting.communicate(timeout=60)
    assert waiting.returncode == 130, (waiting.returncode, stderr)
    return stdout, stderr


def slurm(desk):
    """--sbatch-args are kept; Ctrl-C prints how to go on, and no verdict on nothing."""
    for name, text in (("sbatch", 'for word; do echo "<$word>"; done >>"$STAND_IN/words"\necho 7\n'), ("squeue", "echo 0\n")):
        (desk.tools / name).write_text("#!/bin/sh\n" + text, encoding="utf-8")
        (desk.tools / name).chmod(0o755)
    desk.env["STAND_IN"] = str(desk.top)
    words = desk.top / "words"
    by_slurm = [*PLAN, "--executor", "slurm", "--shards", "2"]
    open_quote = desk.ask(*by_slurm, "--journal", "open", "--sbatch-args=--comment='a b", code=2).stderr
    expect(open_quote, "a quote or a backslash is not closed")
    assert not (desk.folder / "open").exists()
    desk.ask(*by_slurm, "--journal", "slurm", "--no-wait", "--sbatch-args=--comment='a b'")
    expect(words.read_text(encoding="utf-8"), "<--comment=a b>\n")
    words.unlink()
    (desk.tools / "squeue").write_text("#!/bin/sh\nexit 0\n", encoding="utf-8")
    desk.ask(*PLAN, "--resume", "slurm", "--no-wait")
    expect(words.read_text(encoding="utf-8"), "<--comment=a b>\n")
    (desk.tools / "squeue").write_text("#!/bin/sh\necho 0\necho 1\n", encoding="utf-8")
    stdout, stderr = interrupted(desk, [*PLAN, "--resume", "slurm"])
    assert stdout == "", stdout
    expect(stderr, "goes on without this program", "to go on: plimsoll plan question.yaml")
    # What the shards tested is not nothing: here the one of the only candidate.
    for shard in ("0", "1"):
        desk.ask("worker", "slurm", shard)
    best = json.loads(desk.ask(*PLAN, "--resume", "slurm").stdout)["best_configuration"]
    for name in ("plan.journal", "answer.record"):
        (desk.folder / "slurm" / name).unlink()
    shards = [file for file in desk.folder.glob("slurm/shard-*") if file.read_bytes().count(b"\n") == 1]
    shards[0].unlink()  # nothing was tested in it
    stdout, stderr = interrupted(desk, [*PLAN, "--resume", "slurm"])
    answer = json.loads(stdout)
    assert answer["best_configuration"]["config_id"] == best["config_id"], answer["decision"]
    assert answer["decision"]["doubts"][0]["doubt"] == "interrupted", answer["decision"]
    expect(stderr, "goes on without this program", "to go on: plimsoll plan question.yaml")


def main():
    with tempfile.TemporaryDirectory() as top:
        desk = Desk(os.path.abspath(sys.argv[1]), top)
        for check in (changed_model, changed_program, printed_commands, failing_worker, damaged_shards, slurm, damaged_answers):
            begin = time.monotonic()
            check(desk)
            print(f"{check.__name__}: {time.monotonic() - begin:.1f} s", flush=True)


if __name__ == "__main__":
    main()
