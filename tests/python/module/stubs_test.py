"""Does a type checker know the keywords, and are its stubs those of the functions?"""
import inspect
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import plimsoll

PACKAGE = pathlib.Path(plimsoll.__file__).resolve().parent
RIGHT = '''
import numpy
import pathlib
import plimsoll

load = dict[str, str]()
run: plimsoll.RunResult = plimsoll.run(
    "qwen3-14b", rate=4, num_instances=2, arrival="gamma", no_prefix_caching=True,
    slo_ttft={"standard": "500ms"}, alpha_coeffs=[1, 2, 3], workload_spec=pathlib.Path("a.yaml"))
print(run.ttft_p99_ms, run.headline, run.requests, run.plot(), run["seed"])
plimsoll.replay([{"arrival_s": 1.0}], model="m", trace_format="csv")
plimsoll.plan({"workload": {}}, gpu_types=["H100"], no_timing=True, progress=print)
for point in plimsoll.sweep(plimsoll.run, {"rate": range(3)}, model="m"):
    print(point.values["rate"], point.result.headline)
plimsoll.sweep(plimsoll.capacity, {"tp": [1, 2]}, threads=2, progress=print, model="m")
try:
    plimsoll.capacity(model="m", slo="ttft_p99<1s")
except plimsoll.PlimsollError as error:
    print(error.problems[0].how, error.exit_code)
'''
WRONG = (('plimsoll.run(modle="m")', 'Unexpected keyword argument "modle" for "run"'),
         ('plimsoll.run(rate="ten")', 'Argument "rate" to "run" has incompatible type "str"'),
         ('plimsoll.run(num_requests=1.5)', 'Argument "num_requests" to "run"'),
         ('plimsoll.run(arrival="posson")', 'Argument "arrival" to "run"'),
         ('plimsoll.run(slo="ttft_p99<1s")', 'Unexpected keyword argument "slo" for "run"'),
         ('plimsoll.sweep(plimsoll.run, {"rate": [1]}, modle="m")',
          'Unexpected keyword argument "modle" for "sweep"'),
         ('plimsoll.forecst("a.yaml")', 'Module has no attribute "forecst"'))


class StubTest(unittest.TestCase):
    def checked(self, code, *options):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "asks.py")
            path.write_text(code, encoding="utf-8")
            ended = subprocess.run(
                [sys.executable, "-m", "mypy", "--cache-dir", os.devnull, "--no-error-summary",
                 *options, str(path)], capture_output=True, text=True, check=False,
                env={**os.environ, "MYPYPATH": str(PACKAGE.parent)})
            self.assertEqual(ended.stderr, "")
            return ended.stdout

    def test_what_is_right_passes_a_strict_checker(self):
        self.assertEqual(self.checked(RIGHT.replace("import numpy\n", ""), "--strict",
                                      "--ignore-missing-imports"), "")

    def test_what_is_wrong_is_found(self):
        found = self.checked("import plimsoll\n" + "\n".join(code for code, _ in WRONG) + "\n",
                             "--ignore-missing-imports")
        lines = [line for line in found.splitlines() if ": error:" in line]
        for number, (code, expected) in enumerate(WRONG, start=2):
            here = [line for line in lines if f"asks.py:{number}:" in line]
            self.assertTrue(any(expected in line for line in here), (code, found))
        self.assertEqual(len(lines), len(WRONG), found)

    def test_stubs_have_the_keywords_of_the_functions(self):
        stub = (PACKAGE / "__init__.pyi").read_text(encoding="utf-8")
        for name in plimsoll.FUNCTIONS:
            begin = stub.index(f"\ndef {name}(\n")
            lines = stub[begin:stub.index("\n) -> ", begin)].splitlines()[2:]
            written = {line.split(":")[0].strip(" *") for line in lines}
            self.assertEqual(written, {*inspect.signature(getattr(plimsoll, name)).parameters})


if __name__ == "__main__":
    unittest.main()
