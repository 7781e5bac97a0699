"""Does the interface that planners' users know run here as it is written, and does it answer what
the verb `plan` does?"""
import contextlib
import html
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import plimsoll
from plimsoll.capacity_planning import CapacityPlanner, run_capacity_planning

PROGRAM = os.environ["PLIMSOLL_PROGRAM"]
EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "examples"
PROFILE = "data/profiling/compute/a100/llama-7b/fitted_profile.json"
# So that a test takes a second: what the workload's file may hold besides.
SMALL = """
config_space: {gpu_types: [A100], num_gpus: [1], num_replicas: [2, 3]}
simulation: {duration: 30, warmup_duration: 3}
"""

# The interface as its guide uses it, but for the name of the package.
BASIC = '''
from plimsoll.capacity_planning import run_capacity_planning

results = run_capacity_planning(
    profile_path="data/profiling/compute/a100/llama-7b/fitted_profile.json",
    workload_config="configs/workload/production.yaml",
    output_path="results/capacity_plan.json"
)

print(f"Recommended: {results['best_configuration']['gpu_type']}")
print(f"Max QPS: {results['best_configuration']['performance']['max_sustainable_qps']}")
print(f"Cost: ${results['best_configuration']['cost']['cost_per_hour']}/hr")
'''
ADVANCED = '''
from plimsoll.capacity_planning import CapacityPlanner

planner = CapacityPlanner(
    profile_path="data/profiling/compute/a100/llama-7b/fitted_profile.json"
)
planner.calibrate(telemetry_path="data/telemetry/production_samples.json")

config_space = {
    'gpu_types': ['A100', 'H100'],
    'num_gpus': [2, 4, 8],
    'schedulers': ['vllm', 'sarathi']
}
constraints = {
    'max_cost_per_hour': 50.0,
    'max_ttft_p95_ms': 2000,
    'max_tbt_p99_ms': 200
}
results = planner.search(
    config_space=config_space,
    constraints=constraints,
    workload_desc={'arrival_rate_range': [10, 100]}
)
planner.save_report(results, "results/capacity_plan.json")
planner.save_summary(results, "results/capacity_plan.txt")
'''


def lay_out(folder):
    """The files that the documented use names."""
    for name in ("data", "configs"):
        shutil.copytree(EXAMPLES / name, pathlib.Path(folder, name))
    with open(pathlib.Path(folder, "configs/workload/production.yaml"), "a") as workload:
        workload.write(SMALL)


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        lay_out(folder.name)
        back = os.getcwd()
        os.chdir(folder.name)
        self.addCleanup(os.chdir, back)

    def report(self):
        return json.loads(pathlib.Path("results/capacity_plan.json").read_text(encoding="utf-8"))


class DocumentedUseTest(InFolder):
    def test_basic(self):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(BASIC, {})
        best = self.report()["best_configuration"]
        self.assertEqual(said.getvalue().splitlines(),
                         [f"Recommended: {best['gpu_type']}",
                          f"Max QPS: {best['performance']['max_sustainable_qps']}",
                          f"Cost: ${best['cost']['cost_per_hour']}/hr"])
        self.assertEqual(self.report()["input_profile"], PROFILE)

    def test_advanced(self):
        exec(ADVANCED, {})
        report = self.report()
        best = report["best_configuration"]
        self.assertIn(best["gpu_type"], ("A100", "H100"))
        self.assertLessEqual(best["cost"]["cost_per_hour"], 50)
        self.assertTrue(best["slo_compliance"]["meets_all_slos"])
        self.assertTrue(any("production_samples.json" in line for line in report["provenance"]),
                        report["provenance"])
        summary = pathlib.Path("results/capacity_plan.txt").read_text(encoding="utf-8")
        self.assertIn(report["summary"]["recommendation"][:40].split(":")[0], summary)
        self.assertRegex(summary, f"GPU type: +{best['gpu_type']}")

    def test_command_lines(self):
        for more in (["--constraints", "configs/constraints/strict_slos.yaml"],
                     ["--telemetry", "data/telemetry/prod_samples.json"]):
            ended = subprocess.run(
                [sys.executable, "-m", "plimsoll.capacity_planning", "--profile", PROFILE,
                 "--workload", "configs/workload/production.yaml", *more,
                 "--output", "results/capacity_plan.json"],
                capture_output=True, text=True, check=False)
            report = self.report()
            self.assertEqual(ended.returncode, 0 if report["best_configuration"] else 1,
                             ended.stderr)
            self.assertTrue(ended.stdout)
            pathlib.Path("results/capacity_plan.json").unlink()

    def test_command_line_names_files_that_are_missing(self):
        ended = subprocess.run(
            [sys.executable, "-m", "plimsoll.capacity_planning", "--profile", PROFILE,
             "--workload", "configs/workload/porduction.yaml"],
            capture_output=True, text=True, check=False)
        self.assertEqual(ended.returncode, 3)
        self.assertIn("configs/workload/porduction.yaml", ended.stderr)
        self.assertEqual(ended.stdout, "")


    def refused(self, *more):
        ended = subprocess.run(
            [sys.executable, "-m", "plimsoll.capacity_planning", "--profile", PROFILE, *more],
            capture_output=True, text=True, check=False)
        self.assertEqual((ended.returncode, ended.stdout), (2, ""), ended.stderr)
        self.assertNotIn("Traceback", ended.stderr)
        return ended.stderr

    def test_command_line_refuses_files_that_are_not_right(self):
        pathlib.Path("binary.yaml").write_bytes(b"\xff\xfe\x00")
        pathlib.Path("open.yaml").write_text("workload: [1,", encoding="utf-8")
        pathlib.Path("key.yaml").write_text("raet: 3", encoding="utf-8")
        workload = "configs/workload/production.yaml"
        self.assertIn("binary.yaml: this is not UTF-8", self.refused("--workload", "binary.yaml"))
        self.assertIn("open.yaml:1:", self.refused("--workload", "open.yaml"))
        self.assertIn('"rate"', self.refused("--workload", "key.yaml"))
        self.assertIn("binary.yaml", self.refused("--workload", workload, "--telemetry",
                                                  "binary.yaml"))
        self.assertIn("data: this is a folder", self.refused("--workload", workload, "--output",
                                                             "data"))


class SearchTest(InFolder):
    WORKLOAD = {"rate": 8, "prompt_length": {"mean": 200, "std": 50},
                "output_length": {"mean": 50, "std": 13}}
    SPACE = {"gpu_types": ["A100", "L4"], "tensor_parallel": [1]}
    LIMITS = {"max_ttft_p99_ms": 1000}
    SIMULATION = {"duration": 30, "warmup_duration": 3}

    def test_a_search_a_request_and_a_command_line_agree(self):
        report = CapacityPlanner(PROFILE).search(self.SPACE, self.LIMITS, self.WORKLOAD,
                                                 self.SIMULATION, no_timing=True)
        request = {"profile": PROFILE, "workload": self.WORKLOAD, "constraints": self.LIMITS,
                   "config_space": self.SPACE, "simulation": self.SIMULATION}
        asked = plimsoll.plan(request, no_timing=True)
        self.assertEqual(report, asked)
        pathlib.Path("request.yaml").write_text(json.dumps(request), encoding="utf-8")
        printed = subprocess.run([PROGRAM, "plan", "request.yaml", "--json", "--no-timing"],
                                 stdout=subprocess.PIPE, check=False).stdout
        self.assertEqual(asked, json.loads(printed))
        self.assertIn("SLO COMPLIANCE: ALL SLOS MET", report.summary_text)

    def repeated(self, text):
        """What a shell prints for the command that ends a summary or a page."""
        command = text[text.index("plimsoll plan"):].split("</code>")[0]
        self.assertNotIn(tempfile.gettempdir(), command)
        pathlib.Path("bin").mkdir()
        pathlib.Path("bin/plimsoll").symlink_to(PROGRAM)
        path = str(pathlib.Path("bin").absolute()) + os.pathsep + os.environ["PATH"]
        printed = subprocess.run(["bash"], input=html.unescape(command).replace(
            "plimsoll plan", "plimsoll plan --json --no-timing", 1), text=True,
            env={**os.environ, "PATH": path}, stdout=subprocess.PIPE, check=True).stdout
        return json.loads(printed)

    def test_the_command_of_a_summary_repeats_a_calibrated_plan(self):
        planner = CapacityPlanner(PROFILE).calibrate("data/telemetry/prod_samples.json")
        report = planner.search(self.SPACE, self.LIMITS, self.WORKLOAD, self.SIMULATION,
                                no_timing=True)
        self.assertEqual(self.repeated(report.summary_text), report)

    def test_the_command_of_a_page_repeats_the_plan_of_a_dict(self):
        request = {"profile": pathlib.Path(PROFILE), "workload": self.WORKLOAD,
                   "constraints": self.LIMITS, "config_space": self.SPACE,
                   "simulation": self.SIMULATION}
        asked = plimsoll.plan(request, no_timing=True, html="plan.html")
        page = pathlib.Path("plan.html").read_text(encoding="utf-8")
        self.assertEqual(self.repeated(page), asked)

    def test_without_telemetry_the_fit_of_the_profile_stays(self):
        sections = (self.SPACE, self.LIMITS, self.WORKLOAD, self.SIMULATION)
        planner = CapacityPlanner(PROFILE).calibrate()
        self.assertIn("parameters", planner.calibration)
        self.assertEqual(planner.search(*sections, no_timing=True),
                         CapacityPlanner(PROFILE).search(*sections, no_timing=True))

    def test_a_summary_is_of_a_report(self):
        with self.assertRaisesRegex(TypeError, "Report that search.. returned, not a dict"):
            CapacityPlanner.save_summary({}, "plan.txt")
        report = CapacityPlanner(PROFILE).search(self.SPACE, self.LIMITS, self.WORKLOAD,
                                                 self.SIMULATION, summary="mine.txt")
        CapacityPlanner.save_summary(report, "plan.txt")
        self.assertEqual(pathlib.Path("plan.txt").read_text(encoding="utf-8"),
                         pathlib.Path("mine.txt").read_text(encoding="utf-8"))

    def test_paths_in_a_dict_are_relative_to_the_working_folder(self):
        shutil.copy(EXAMPLES / "clients.yaml", "clients.yaml")
        model = {"model": "llama-3.1-8b-instruct", "constraints": self.LIMITS,
                 "simulation": self.SIMULATION, "config_space": {"gpu_types": ["H100"],
                                                                 "tensor_parallel": [1]}}
        pathlib.Path("prices.yaml").write_text("rows: [{gpu: H100, usd_per_hour: 1.25}]\n",
                                               encoding="utf-8")
        report = plimsoll.plan({**model, "workload": {"rate": 4, "spec": "clients.yaml"},
                                "economics": {"price_file": "prices.yaml"}})
        self.assertEqual(report["best_configuration"]["cost"]["cost_per_hour"], 1.25)
        fleet = plimsoll.plan({"models": [{"profile": PROFILE, "workload": self.WORKLOAD,
                                           "constraints": self.LIMITS,
                                           "simulation": self.SIMULATION,
                                           "config_space": self.SPACE}]})
        self.assertTrue(fleet)

    def test_a_profile_that_is_missing_is_noticed_at_once(self):
        with self.assertRaisesRegex(plimsoll.PlimsollError, "nope.json: no such profile"):
            CapacityPlanner("nope.json")

    def test_an_empty_space_has_no_recommendation(self):
        with self.assertRaisesRegex(plimsoll.PlimsollError, "gpu_types.* empty list"):
            CapacityPlanner(PROFILE).search({"gpu_types": []}, self.LIMITS, self.WORKLOAD)

    def test_what_the_profile_does_not_say_is_marked(self):
        report = CapacityPlanner(PROFILE).search({"gpu_types": ["L4"], "tensor_parallel": [1]},
                                                 self.LIMITS, self.WORKLOAD, self.SIMULATION)
        self.assertIn("not by what was measured on A100",
                      report["all_candidates"][0]["extrapolated"])

    def test_a_plan_needs_no_request(self):
        result = plimsoll.plan(model="llama-3.1-8b-instruct", rate=2, slo="ttft_p99<500ms",
                               gpu_types=["L4", "A100"], tp=1, duration=30)
        self.assertEqual(result["best_configuration"]["num_gpus_per_replica"], 1)

    def test_nothing_feasible_is_a_report_without_recommendation(self):
        report = CapacityPlanner(PROFILE).search(self.SPACE, {"max_ttft_p99_ms": 0.1},
                                                 self.WORKLOAD, self.SIMULATION)
        self.assertIsNone(report["best_configuration"])

    def refused(self, **sections):
        with self.assertRaises(plimsoll.PlimsollError) as caught:
            CapacityPlanner(PROFILE).search(**sections)
        return str(caught.exception)

    def test_a_mistake_is_placed_in_the_file_it_was_made_in(self):
        pathlib.Path("whole.yaml").write_text("# mine\nworkload:\n  raet: 3\n", encoding="utf-8")
        pathlib.Path("bare.yaml").write_text("max_tfft_p95_ms: 3\n", encoding="utf-8")
        said = self.refused(workload_desc="whole.yaml", constraints="bare.yaml",
                            config_space={"gpu": ["A100"]})
        self.assertIn("whole.yaml:3:3: ", said)
        self.assertIn("bare.yaml:1:", said)
        self.assertRegex(said, r"config_space:1:\d+: ")
        self.assertNotIn("standard input", said)

    def test_a_profile_that_is_not_there_is_named(self):
        with self.assertRaises(plimsoll.PlimsollError) as caught:
            run_capacity_planning("nowhere/fitted_profile.json", self.WORKLOAD)
        self.assertIn("nowhere/fitted_profile.json", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
