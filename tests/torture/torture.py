"""What all parts of tools/torture share: the program, a folder of its own, and chance."""
import os
import pathlib
import shutil
import subprocess

# A question that is answered within a second and takes two dozen tests.
QUESTION = """
model: qwen3-14b
workload: {rate: 60, prompt_length: {mean: 100, std: 20}, output_length: {mean: 20, std: 5}}
constraints: {slo: "ttft_p90<500ms"}
config_space: {gpu_types: [H100, L4], tp_sizes: [1], max_batch_sizes: [64]}
simulation: {duration: 10, random_seed: 7}
"""


class Torture:
    def __init__(self, binary, folder, quick, chance):
        self.binary = str(pathlib.Path(binary).resolve())
        self.folder = pathlib.Path(folder)
        self.source = pathlib.Path(__file__).resolve().parents[2]
        self.quick = quick
        self.chance = chance
        (self.folder / "question.yaml").write_text(QUESTION)

    def few_or(self, few, many):
        """How many times something is done."""
        return few if self.quick else many

    def start(self, *words, **how):
        """A process of the program, in the folder of this part."""
        environment = dict(os.environ, PLIMSOLL_OFFLINE="1", NO_COLOR="1", **how.pop("environment", {}))
        return subprocess.Popen([self.binary, *words], cwd=self.folder, env=environment,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, **how)

    def run(self, *words, **how):
        """Its exit code, and all it printed as bytes."""
        process = self.start(*words, **how)
        out, err = process.communicate()
        return process.returncode, out, err

    def system(self, *words, path=""):
        """The same of a command of the system, which finds those in the folder `path` first."""
        environment = dict(os.environ, PATH=f"{path}:{os.environ['PATH']}")
        done = subprocess.run(words, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def clear(self, folder):
        """There is such a folder, and nothing in it."""
        shutil.rmtree(self.folder / folder, ignore_errors=True)
        (self.folder / folder).mkdir()

    def names(self):
        """What is in the folder, hidden files included."""
        return sorted(os.listdir(self.folder))

    def check(self, holds, *what):
        """Not an assert: those may be switched off."""
        if not holds:
            raise AssertionError(" ".join(str(part) for part in what))
