"""Does Python get what the command line prints, and can it stop and watch the work?"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
import zipfile

import plimsoll

PROGRAM = os.environ["PLIMSOLL_PROGRAM"]
LOAD = {"model": "llama-3.1-8b-instruct", "rate": 4, "num_requests": 200}
LONG = {**LOAD, "num_requests": 50_000_000}  # a minute at least


def printed(*words):
    return json.loads(subprocess.run([PROGRAM, *words, "--json"], stdout=subprocess.PIPE,
                                     stderr=subprocess.DEVNULL, check=False).stdout)


class AnswerTest(unittest.TestCase):
    def test_a_function_returns_what_its_command_line_prints(self):
        self.assertEqual(plimsoll.simulate(**LOAD),
                         printed("run", "--model", "llama-3.1-8b-instruct", "--rate", "4",
                                 "--num-requests", "200"))

    def test_a_switch_a_list_pairs_and_none(self):
        with self.assertLogs("plimsoll", "WARNING") as logged:
            result = plimsoll.simulate(**LOAD, no_prefix_caching=True, no_async_scheduling=False,
                                       slo_ttft={"standard": "500ms"}, seed=None,
                                       block_size_in_tokens=32, arrival_cv=2)
        config = result["config"]
        self.assertEqual(config["no-prefix-caching"]["value"], True)
        self.assertEqual(config["block-size-in-tokens"]["value"], 32)
        self.assertIn("arrival_cv= is ignored", logged.output[0])

    def test_a_dict_stands_for_a_file(self):
        spec = {"version": "2", "seed": 7, "aggregate_rate": 5, "num_requests": 50,
                "clients": [{"id": "one", "rate_fraction": 1, "arrival": {"process": "poisson"},
                             "input_distribution": {"type": "constant", "params": {"value": 100}},
                             "output_distribution": {"type": "constant", "params": {"value": 20}}}]}
        result = plimsoll.simulate(model="llama-3.1-8b-instruct", workload_spec=spec)
        self.assertEqual(result["arrived_requests"], 50)
        self.assertEqual(result["total_output_tokens"], 1000)
        self.assertEqual(result["config"]["workload-spec"]["value"], "workload_spec.json")
        spec["clients"][0]["arival"] = spec["clients"][0].pop("arrival")
        with self.assertRaisesRegex(plimsoll.PlimsollError, r"^workload_spec\.json:\d+:\d+: error"):
            plimsoll.simulate(model="llama-3.1-8b-instruct", workload_spec=spec)

    def test_a_no_is_an_answer(self):
        result = plimsoll.capacity(model="llama-3.1-8b-instruct", num_instances=1,
                                   slo="ttft_p99<1ms", no_model_error=True)
        self.assertFalse(result["holds"])

    def test_two_threads_may_ask_at_once(self):
        results = {}

        def ask(seed):
            results[seed] = plimsoll.simulate(**LOAD, seed=seed)

        threads = [threading.Thread(target=ask, args=(seed,)) for seed in (1, 2, 1 + 2**40)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for seed, result in results.items():
            self.assertEqual(result, plimsoll.simulate(**LOAD, seed=seed))


class RefusalTest(unittest.TestCase):
    def refused(self, function, **flags):
        with self.assertRaises(plimsoll.PlimsollError) as caught:
            function(**flags)
        return caught.exception

    def test_the_error_is_that_of_the_program(self):
        error = self.refused(plimsoll.simulate, model="llama-3.1-8b-instruct", rtae=4)
        self.assertEqual(str(error), "unknown keyword rtae=\n  did you mean rate=?")
        self.assertEqual(error.exit_code, 2)

    def test_values_that_look_like_flags_stay_values(self):
        error = self.refused(plimsoll.simulate, model="--help")
        self.assertIn('unknown model "--help"', str(error))

    def test_flags_of_a_shell_alone_are_no_keywords(self):
        for flags, said in (({"json": True}, "the answer is a dict"),
                            ({"help": True}, "help(plimsoll.capacity) shows the keywords")):
            error = self.refused(plimsoll.capacity, model="llama-3.1-8b-instruct", **flags)
            self.assertIn(said, str(error))
            self.assertEqual(error.exit_code, 2)

    def test_a_missing_file_is_named(self):
        error = self.refused(plimsoll.replay, model="llama-3.1-8b-instruct",
                             trace=pathlib.Path("/nowhere/trace.csv"), trace_format="csv")
        self.assertIn("/nowhere/trace.csv", str(error))

    def test_without_the_compiled_part_one_sentence_says_how_to_build_it(self):
        code = ("import sys; sys.modules['plimsoll._core'] = None\n"
                "import plimsoll, plimsoll.profile.command\n"
                "plimsoll.simulate(model='m')")
        ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                               check=False)
        self.assertIn("ImportError: the compiled part of plimsoll is missing", ended.stderr)
        self.assertIn("`make python`", ended.stderr)


class LongRunTest(unittest.TestCase):
    def test_ctrl_c_is_a_keyboard_interrupt_and_is_soon(self):
        timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            plimsoll.simulate(**LONG)
        self.assertEqual(plimsoll.simulate(**LOAD)["completed_requests"], 200)

    def test_other_threads_go_on_meanwhile(self):
        ticks = []

        def stop_after_ticks():
            for _ in range(20):
                ticks.append(plimsoll.simulate(**LOAD)["completed_requests"])
            os.kill(os.getpid(), signal.SIGINT)

        other = threading.Thread(target=stop_after_ticks)
        other.start()
        with self.assertRaises(KeyboardInterrupt):
            plimsoll.simulate(**LONG)
        other.join()
        self.assertEqual(ticks, 20 * [200])

    def test_progress_is_told_and_what_it_raises_ends_the_work(self):
        class Enough(Exception):
            pass

        lines = []

        def watch(line):
            lines.append(line)
            raise Enough

        with self.assertRaises(Enough):
            plimsoll.simulate(**LONG, progress=watch)
        self.assertRegex(lines[0], r"^simulating \[.*; [\d,]+ of 50,000,000 requests ")


class WheelTest(unittest.TestCase):
    def test_a_wheel_unpacked_elsewhere_answers(self):
        root = pathlib.Path(__file__).resolve().parents[3]
        package = pathlib.Path(plimsoll.__file__).resolve().parent
        with tempfile.TemporaryDirectory() as folder:
            made = subprocess.run([sys.executable, root / "tools" / "wheel", package.parent, "9.8",
                                   folder], check=True, stdout=subprocess.PIPE, text=True)
            wheel = pathlib.Path(made.stdout.strip())
            self.assertRegex(wheel.name, r"^plimsoll-9\.8-cp3\d+-cp3\d+-manylinux_2_\d+_")
            names = zipfile.ZipFile(wheel).namelist()
            for library in ["fmt", "yaml-cpp", "zstd"]:
                self.assertTrue(any(name.startswith(f"plimsoll.libs/lib{library}.so") for name in names),
                                f"no {library} in {names}")
            subprocess.run([sys.executable, "-m", "zipfile", "-e", wheel, folder + "/site"],
                           check=True)
            code = ("import plimsoll\n"
                    "result = plimsoll.simulate(model='qwen/qwen3-14b', num_requests=5)\n"
                    "print(plimsoll.__file__, result['seed'])")
            ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                                   env={**os.environ, "PYTHONPATH": folder + "/site"}, check=False)
            self.assertEqual(ended.stdout.split(), [folder + "/site/plimsoll/__init__.py", "42"],
                             ended.stderr)


if __name__ == "__main__":
    unittest.main()
