"""Does a sweep ask each combination once, and give the answers of single calls?"""
import os
import unittest

os.environ["MPLBACKEND"] = "Agg"
import numpy
import plimsoll
from asking import LOAD, MODEL
from matplotlib import pyplot


class SweepTest(unittest.TestCase):
    def test_points_are_the_answers_of_single_calls_in_order(self):
        over = {"rate": numpy.array([2, 4]), "num_instances": (1, 2)}
        swept = plimsoll.sweep(plimsoll.run, over, "llama-3.1-8b-instruct", num_requests=100)
        self.assertEqual([tuple(point.values.values()) for point in swept],
                         [(2, 1), (2, 2), (4, 1), (4, 2)])
        for point in swept:
            self.assertEqual(point.result,
                             plimsoll.run("llama-3.1-8b-instruct", num_requests=100, **point.values))
        self.assertEqual(len(swept[1:3]), 2)

    def test_figures_are_rows_frames_tables_and_lines(self):
        swept = plimsoll.sweep(plimsoll.run, {"rate": [2, 4], "tp": [1, 2]}, **MODEL,
                               num_requests=100)
        rows = swept.rows("ttft_p99_ms", "steady_state.verdict")
        self.assertEqual(list(rows[0]), ["rate", "tp", "ttft_p99_ms", "steady_state.verdict"])
        self.assertEqual(rows[3]["ttft_p99_ms"], swept[3].result.ttft_p99_ms)
        self.assertEqual(list(swept.frame("ttft_p99_ms").tp), [1, 2, 1, 2])
        self.assertEqual(len(plimsoll.to_frame(swept)), 4)
        self.assertEqual(swept._repr_html_().count("<tr>"), 5)
        self.assertEqual(swept.to_dict()[0]["values"], {"rate": 2, "tp": 1})
        axes = swept.plot("ttft_p99_ms")
        self.assertEqual([line.get_label() for line in axes.get_lines()], ["tp=1", "tp=2"])
        pyplot.close(axes.figure)
        with self.assertRaisesRegex(plimsoll.PlimsollError, 'no answer has a figure "ttft_p9"'):
            swept.plot("ttft_p9")
        with self.assertRaisesRegex(plimsoll.PlimsollError, 'no answer has a figure "ttft_p98_ms"'):
            swept.frame("ttft_p99_ms", "ttft_p98_ms")
        with self.assertRaisesRegex(plimsoll.PlimsollError, 'has no table "nope"\n  it has instances'):
            plimsoll.to_frame(swept[0].result, table="nope")

    def test_progress_counts_the_answers(self):
        lines = []
        plimsoll.sweep(plimsoll.run, {"seed": range(3)}, **LOAD, progress=lines.append)
        self.assertEqual(lines, ["1 of 3 answers", "2 of 3 answers", "3 of 3 answers"])

    def test_a_mistake_names_its_point(self):
        with self.assertRaisesRegex(plimsoll.PlimsollError, r"^at rate=-1: rate= must be"):
            plimsoll.sweep(plimsoll.run, {"rate": [1, -1]}, **MODEL, num_requests=10)
        for over in ({}, {"rate": []}):
            with self.assertRaisesRegex(plimsoll.PlimsollError, "over= has no values"):
                plimsoll.sweep(plimsoll.run, over, **MODEL)
        with self.assertRaisesRegex(plimsoll.PlimsollError, "both say rate="):
            plimsoll.sweep(plimsoll.run, {"rate": [1]}, **LOAD)


if __name__ == "__main__":
    unittest.main()
