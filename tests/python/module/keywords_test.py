"""Do keywords take what Python programs have at hand, and is what is wrong said in Python's words?"""
import decimal
import inspect
import pathlib
import pickle
import unittest

import numpy
import pandas

import plimsoll
from asking import LOAD, MODEL
from plimsoll.spelling import spelled

CHAT = {"version": "2", "aggregate_rate": 5, "num_requests": 50,
        "clients": [{"id": "one", "rate_fraction": 1, "arrival": {"process": "poisson"},
                     "input_distribution": {"type": "constant", "params": {"value": 100}},
                     "output_distribution": {"type": "constant", "params": {"value": 20}}}]}
ROWS = [{"arrival_s": 0.5 * at, "input_tokens": 100 + at, "output_tokens": 10 + at}
        for at in range(6)]


def setting(result, name):
    return result.config[name].value


class ValueTest(unittest.TestCase):
    def same(self, **keywords):
        return plimsoll.run(**{**LOAD, **keywords})

    def test_scalars_of_libraries_are_the_numbers_they_hold(self):
        plain = self.same(rate=4, num_instances=2, seed=7, no_prefix_caching=True)
        frame = pandas.DataFrame({"rate": [4.0], "n": [2], "gap": [numpy.nan]})
        for rate in (numpy.float64(4), numpy.float32(4), numpy.int32(4), frame.rate[0],
                     decimal.Decimal(4), "4"):
            self.assertEqual(self.same(rate=rate, num_instances=frame.n[0], seed=numpy.int64(7),
                                       no_prefix_caching=numpy.bool_(True)), plain)
        self.assertEqual(self.same(num_instances=2.0, seed=7, no_prefix_caching=True), plain)

    def test_arrays_and_series_are_lists(self):
        answers = [plimsoll.compare(**LOAD, seeds=2, vary={"num_instances": two})
                   for two in ([1, 2], (1, 2), range(1, 3), numpy.array([1, 2]),
                               pandas.Series([1, 2]))]
        self.assertEqual([len(one.variants) for one in answers], 5 * [2])
        self.assertEqual(answers, 5 * answers[:1])

    def test_dicts_are_pairs_as_the_flag_has_them(self):
        result = self.same(routing_policy="weighted", num_instances=2,
                           routing_scorers={"queue-depth": 2, "kv-utilization": numpy.float64(1)})
        self.assertEqual(setting(result, "routing-scorers"), "queue-depth:2,kv-utilization:1")
        result = plimsoll.compare(**LOAD, seeds=2, variant={
            "plain": {}, "wide one": {"num_instances": 2, "routing_policy": "least-loaded"}})
        self.assertEqual([one.name for one in result.variants], ["plain", "wide one"])
        self.assertEqual(result.variants[1].cost.gpus, 2)

    def test_words_of_the_command_line_are_arguments(self):
        self.assertEqual(plimsoll.run("llama-3.1-8b-instruct", rate=4, num_requests=200),
                         plimsoll.run(**LOAD))
        self.assertEqual(plimsoll.run("llama-3.1-8b-instruct", CHAT),
                         plimsoll.run(**MODEL, workload_spec=CHAT))

    def test_other_names_of_flags_are_keywords(self):
        result = self.same(tensor_parallel_size=2, enable_prefix_caching=False)
        self.assertEqual((setting(result, "tp"), setting(result, "no-prefix-caching")), (2, True))


class FileTest(unittest.TestCase):
    def test_rows_and_frames_are_traces(self):
        frame = pandas.DataFrame(ROWS)
        # Beside a gap, a frame makes floats of whole numbers.
        gaps = pandas.DataFrame([*ROWS, {"arrival_s": 9.0}]).iloc[:-1]
        answers = [plimsoll.replay(trace=rows, trace_format="csv", **MODEL)
                   for rows in (ROWS, frame, gaps)]
        self.assertEqual(answers[0].arrived_requests, 6)
        self.assertEqual(answers, 3 * answers[:1])
        self.assertEqual(plimsoll.replay(frame, **MODEL).ttft_p99_ms, answers[0].ttft_p99_ms)
        self.assertEqual(plimsoll.describe(frame), plimsoll.describe(ROWS))
        self.assertEqual(plimsoll.describe(frame).requests, 6)

    def test_rows_with_lists_are_json_lines(self):
        rows = [{"timestamp": 1000 * at, "input_length": 1024, "output_length": 10,
                 "hash_ids": [1, at + 2]} for at in range(4)]
        self.assertEqual(plimsoll.describe(rows).prefix_reuse.hit_tokens, 3 * 512)

    def test_a_dict_is_a_forecast_and_its_paths_count_from_the_working_folder(self):
        series = pandas.DataFrame({
            "time": pandas.date_range("2026-06-01", periods=120, freq="D", tz="UTC"),
            "requests_per_s": numpy.linspace(10, 20, 120)})
        spec = {"name": "growth", "history": {"file": series, "horizon_days": 60},
                "resources": {"requests_per_s": {"capacity": 25}},
                "routes": {"chat": {"requests_per_s": 14, "prompt_tokens": 100,
                                    "output_tokens": 10}}}
        self.assertTrue(plimsoll.forecast(spec).runway[0].fan)
        spec["history"]["file"] = "nowhere/demand.csv"
        with self.assertRaisesRegex(plimsoll.PlimsollError, "^nowhere/demand.csv: error"):
            plimsoll.forecast(spec)

    def test_errors_in_a_dict_name_the_keyword_and_the_place(self):
        wrong = {**CHAT, "raet": 3}
        with self.assertRaises(plimsoll.PlimsollError) as caught:
            plimsoll.run(**MODEL, workload_spec=wrong)
        self.assertRegex(caught.exception.problems[0].where, r"^workload_spec\.json:\d+:3$")

    def test_nothing_is_left_on_disk(self):
        before = set(pathlib.Path().iterdir())
        plimsoll.run(**MODEL, workload_spec=CHAT)
        self.assertEqual(set(pathlib.Path().iterdir()), before)


class RefusalTest(unittest.TestCase):
    def refused(self, *arguments, ask=plimsoll.run, **keywords):
        with self.assertRaises(plimsoll.PlimsollError) as caught:
            ask(*arguments, **keywords)
        self.assertEqual(caught.exception.exit_code, 2)
        self.assertNotIn("--", str(caught.exception))
        return caught.exception

    def test_a_wrong_keyword_has_the_nearest(self):
        for verb in ("run", "replay", "capacity", "plan", "forecast", "compare", "describe",
                     "calibrate"):
            error = self.refused(ask=getattr(plimsoll, verb), sede=4)
            self.assertEqual(error.problems[0].where, "sede")
            self.assertIn("unknown keyword sede=", str(error))
        self.assertEqual(self.refused(modle="m").problems[0],
                         ("modle", "unknown keyword modle=", "did you mean model=?"))
        self.assertIn("run() has no slo=",
                      str(self.refused(**LOAD, slo="ttft_p99<1s")))

    def test_what_is_no_value_is_named_with_what_it_may_be(self):
        for rate in (float("nan"), numpy.nan, -1, "ten", float("inf"), [1, 2], pandas.NaT):
            error = self.refused(**MODEL, rate=rate)
            self.assertEqual(error.problems[0].where, "rate")
        self.assertIn("rate= must be a finite number greater than 0, not \"-1\"",
                      str(self.refused(**MODEL, rate=-1)))
        self.assertIn('tp= must be a whole number from 1 to 1024, not "1.5"',
                      str(self.refused(**MODEL, tp=1.5)))
        self.assertIn("cannot be of type object", str(self.refused(**MODEL, rate=object())))
        self.assertIn("cannot be None", str(self.refused(**MODEL, slo_ttft={"a": None})))

    def test_several_keywords_are_varied_by_others(self):
        error = self.refused(ask=plimsoll.compare, **LOAD, vary={"tp": [1, 2], "pp": [1, 2]})
        self.assertIn("vary= varies one keyword", str(error))

    def test_all_problems_come_at_once(self):
        error = self.refused(**MODEL, rate=-1, arrival="posson", tp=0)
        self.assertEqual([one.where for one in error.problems], ["rate", "arrival", "tp"])
        self.assertEqual(error.problems[1].how, 'did you mean "poisson"?')
        self.assertEqual(pickle.loads(pickle.dumps(error)).problems, error.problems)

    def test_numbers_in_a_dict_are_finite(self):
        error = self.refused(**MODEL, workload_spec={**CHAT, "aggregate_rate": numpy.nan})
        self.assertEqual(error.problems[0].where, "workload_spec")

    def test_arguments_are_names_or_files(self):
        self.assertIn("names do not begin with -", str(self.refused("-h")))
        self.assertIn("is a name or a path, not of type int", str(self.refused(3)))
        self.assertIn("no forecast given", str(self.refused(ask=plimsoll.forecast)))

    def test_messages_are_spelled_as_keywords(self):
        choices = {"--routing-policy": {"weighted"}}
        for text, expected in (
                ("--rate is given twice", "rate= is given twice"),
                ("without --routing-policy weighted: no", 'without routing_policy="weighted": no'),
                ("try --num-requests 1000.", "try num_requests=1000."),
                ("give --gpu-types GPU,...", "give gpu_types=GPU,..."),
                ("to go on: plimsoll plan --tp=2", "to go on: plimsoll plan --tp=2"),
                ("see `plimsoll run --rate 3`", "see `plimsoll run --rate 3`"),
                ("a flag of `plimsoll run` only", "a keyword of run() only")):
            self.assertEqual(spelled(text, choices), expected)


class HelpTest(unittest.TestCase):
    def test_functions_say_their_keywords(self):
        for name in plimsoll.FUNCTIONS:
            function = getattr(plimsoll, name)
            keywords = inspect.signature(function).parameters
            self.assertNotIn("json", keywords)
            self.assertIn("Keywords are the flags of", inspect.getdoc(function))
        self.assertIn("    rate: ", plimsoll.run.__doc__)
        self.assertIn("rate", inspect.signature(plimsoll.run).parameters)
        self.assertIn("run", dir(plimsoll))

    def test_the_version_is_that_of_the_program(self):
        self.assertRegex(plimsoll.__version__, r"^\d+\.\d+\.\d+$")


if __name__ == "__main__":
    unittest.main()
