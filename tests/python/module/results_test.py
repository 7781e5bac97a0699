"""Can an answer be read by the names of its figures, shown in a notebook, drawn, and kept?"""
import concurrent.futures
import copy
import html
import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import unittest

os.environ["MPLBACKEND"] = "Agg"  # no display
import plimsoll
from asking import EXAMPLES, LOAD, LONG, MODEL, PROGRAM
from plimsoll.results import Figures

STEADY = {**LOAD, "num_requests": 3000}


def printed(*words):
    return subprocess.run([PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True, check=False).stdout


class AnswersTest(unittest.TestCase):
    """One answer of each verb, asked once."""

    @classmethod
    def setUpClass(cls):
        cls.answers = {
            "run": plimsoll.run(**STEADY),
            "replay": plimsoll.replay(EXAMPLES / "azure.csv", **MODEL),
            "capacity": plimsoll.capacity(**MODEL, rate=20, slo="ttft_p99<500ms"),
            "plan": plimsoll.plan(**MODEL, rate=10, slo="ttft_p99<500ms", tp=1, duration=30,
                                  gpu_types=["H100", "L40S"], no_timing=True),
            "forecast": plimsoll.forecast(EXAMPLES / "launch-week.yaml"),
            "compare": plimsoll.compare(**LOAD, seeds=2, vary={"num_instances": [1, 2]}),
            "describe": plimsoll.describe(EXAMPLES / "azure.csv"),
            "validate": plimsoll.validate(EXAMPLES / "case"),
            "calibrate": plimsoll.calibrate(profile=EXAMPLES / "profile/fitted_profile.json",
                                            model="llama-2-7b"),
        }

    def test_the_headline_is_the_verdict_of_the_command_line(self):
        self.assertEqual(
            self.answers["run"].headline,
            printed("run", "llama-3.1-8b-instruct", "--rate=4", "--num-requests=3000",
                    "--quiet").strip())
        for verb, answer in self.answers.items():
            self.assertTrue(answer.headline, verb)
            self.assertEqual(repr(answer).splitlines()[0], answer.headline.splitlines()[0])
            if "decision" in answer:
                self.assertIn(answer.decision.answer.lower(), answer.headline.lower())

    def test_the_words_of_an_answer_are_explained(self):
        found = plimsoll.explain("bound by")
        self.assertEqual({*found[0]}, {"word", "source", "meaning"})
        self.assertTrue(repr(found).startswith("bound by"), repr(found))
        self.assertGreater(len(plimsoll.explain()), len(found))
        with self.assertRaisesRegex(plimsoll.PlimsollError, "did you mean"):
            plimsoll.explain("tttft")

    def test_figures_are_attributes_and_clash_with_nothing(self):
        def reserved(figures):
            names = {*dir(dict), *vars(type(figures)), *vars(Figures)}
            for key, value in figures.items():
                self.assertNotIn(key.replace("-", "_"), names)
                self.assertIs(getattr(figures, key.replace("-", "_")), value)
                for one in value if isinstance(value, list) else [value]:
                    if isinstance(one, dict):
                        reserved(one)

        for answer in self.answers.values():
            reserved(answer)
        run = self.answers["run"]
        self.assertEqual(run.ttft_p99_ms, run["ttft_p99_ms"])
        self.assertEqual(run.config.num_instances.value, 1)
        self.assertIn("ttft_p99_ms", dir(run))
        with self.assertRaisesRegex(AttributeError, "no ttft_p9_ms here; did you mean ttft_p99_ms"):
            run.ttft_p9_ms

    def test_an_answer_can_be_kept(self):
        for answer in self.answers.values():
            self.assertEqual(json.loads(answer.to_json()), answer)
            plain = answer.to_dict()
            self.assertEqual(plain, answer)
            self.assertIs(type(plain), dict)
            for kept in (pickle.loads(pickle.dumps(answer)), copy.deepcopy(answer)):
                self.assertEqual((kept, repr(kept)), (answer, repr(answer)))

    def test_a_notebook_shows_the_verdict_and_a_table(self):
        for verb, answer in self.answers.items():
            shown = answer._repr_html_()
            self.assertTrue(shown.startswith("<p><b style="), shown)
            for doubt in answer.get("decision", {}).get("doubts", []):
                self.assertEqual(shown.lower().count(html.escape(doubt["reason"]).lower()), 1, verb)
            self.assertEqual(shown.count("<table>"), 0 if verb in ("describe", "calibrate") else 1,
                             verb)
            self.assertEqual(shown.count("<tr>"), shown.count("</tr>"))
        self.assertIn("&lt; 500 ms", self.answers["capacity"]._repr_html_())

    def test_answers_are_drawn(self):
        from matplotlib import pyplot

        for verb, answer in self.answers.items():
            if verb == "calibrate":
                with self.assertRaisesRegex(plimsoll.PlimsollError, "has no picture"):
                    answer.plot()
                continue
            axes = answer.plot()
            self.assertTrue(axes.has_data(), verb)
            self.assertTrue(axes.get_title(), verb)
            pyplot.close(axes.figure)
        figure, axes = pyplot.subplots()
        self.assertIs(self.answers["run"].plot(axes), axes)
        pyplot.close(figure)

    def test_rows_become_a_frame(self):
        for verb, rows in (("capacity", "evidence"), ("plan", "all_candidates"),
                           ("forecast", "resources"), ("compare", "variants")):
            answer = self.answers[verb]
            self.assertEqual(len(plimsoll.to_frame(answer)), len(answer[rows]))
        frame = plimsoll.to_frame(self.answers["compare"])
        self.assertEqual(frame["figures.ttft_p99_ms.mean"][0],
                         self.answers["compare"].variants[0].figures.ttft_p99_ms.mean)
        self.assertEqual(plimsoll.to_frame(self.answers["run"]).ttft_p99_ms[0],
                         self.answers["run"].ttft_p99_ms)
        self.assertEqual(len(plimsoll.to_frame(self.answers["plan"], "pareto_frontier")),
                         len(self.answers["plan"].pareto_frontier))

    def test_requests_are_those_of_the_run(self):
        run = self.answers["run"]
        frame = run.requests
        self.assertEqual(len(frame), 3000)
        self.assertAlmostEqual(frame.ttft_ms.mean(), run.ttft_mean_ms, places=3)
        self.assertIs(run.requests, frame)
        rows = [{"arrival_s": 1.0 * at, "input_tokens": 100, "output_tokens": 10}
                for at in range(3)]
        replayed = plimsoll.replay(rows, **MODEL)
        self.assertEqual(list(replayed.requests.arrival_ms), [0, 1000, 2000])
        changed = plimsoll.replay(rows, **MODEL)
        rows.append(rows[0])
        with self.assertRaisesRegex(plimsoll.PlimsollError, "has another answer now"):
            changed.requests


class MissingLibraryTest(unittest.TestCase):
    def test_what_needs_a_library_says_which(self):
        code = ("import sys; sys.modules.update(pandas=None, matplotlib=None)\n"
                "import plimsoll\n"
                "run = plimsoll.run(model='llama-3.1-8b-instruct', num_requests=5)\n"
                "for ask in (lambda: run.requests, run.plot, lambda: plimsoll.to_frame(run)):\n"
                "    try: ask()\n"
                "    except ImportError as error: print(error)\n"
                "print(run._repr_html_()[:3], repr(run)[:9])")
        ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                               check=False)
        self.assertEqual(
            [line[:30] for line in ended.stdout.splitlines()],
            [".requests needs pandas: instal", ".plot() needs matplotlib: inst",
             "to_frame() needs pandas: insta", "<p> too short"], ended.stderr)


class InterruptTest(unittest.TestCase):
    def interrupted(self, after_s, ask, **keywords):
        timer = threading.Timer(after_s, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(plimsoll.Interrupted) as caught:
            ask(**keywords)
        self.assertIsInstance(caught.exception, KeyboardInterrupt)
        return caught.exception.result

    def test_what_was_done_is_kept(self):
        result = self.interrupted(1.5, plimsoll.run, **LONG)
        self.assertGreater(result.completed_requests, 0)
        self.assertLess(result.completed_requests, LONG["num_requests"])

    def test_a_stopped_question_is_interrupted_from_any_thread(self):
        stop = threading.Event()
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            asked = pool.submit(plimsoll.run, **LONG, stopped=stop.is_set)
            self.assertFalse(asked.done())
            stop.set()
            self.assertIsInstance(asked.exception(timeout=60), plimsoll.Interrupted)

    def test_a_sweep_keeps_its_answers(self):
        result = self.interrupted(1.5, plimsoll.sweep, question=plimsoll.run, threads=1,
                                  over={"num_requests": [100, 200, LONG["num_requests"]]},
                                  **MODEL, rate=4)
        self.assertEqual([point.values["num_requests"] for point in result], [100, 200])


class ThreadTest(unittest.TestCase):
    def test_answers_of_threads_are_those_of_one_after_another(self):
        questions = [{**STEADY, "seed": seed} for seed in range(6)]
        alone = [plimsoll.run(**question).to_json() for question in questions]
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            together = list(pool.map(lambda question: plimsoll.run(**question).to_json(),
                                     questions))
        self.assertEqual(together, alone)


if __name__ == "__main__":
    unittest.main()
