"""Does the grid hold the batches that steps are made of, and are they counted right?"""
import unittest

from plimsoll.profile import grid, work
from plimsoll.profile.shape import LayerKind, Mlp, ModelShape


def model(mlp):
    return ModelShape(name="m", hidden=8, heads=4, kv_heads=2, head_dim=2, vocabulary=10,
                      tied=False, kinds=(LayerKind(3, mlp),), longest=0, window=0, quantised="")


class GridTest(unittest.TestCase):
    def test_no_prefill_is_larger_than_a_step_of_an_engine(self):
        largest = max(point.rows for point in grid.Grid().points() if point.phase == "prefill")
        self.assertEqual(largest, grid.MOST_PREFILL_TOKENS)

    def test_no_request_outgrows_the_model(self):
        points = grid.Grid().points(longest=1024)
        self.assertEqual(max(point.context for point in points), 1024)
        self.assertFalse([p for p in points if p.phase == "decode" and p.tokens == 1024])

    def test_the_cheap_comes_first_so_that_an_interrupted_run_has_both_ends(self):
        points = grid.Grid().points()
        self.assertEqual([p.phase for p in points],
                         sorted((p.phase for p in points), reverse=True))
        prefill = [p.pairs for p in points if p.phase == "prefill"]
        self.assertEqual(prefill, sorted(prefill))

    def test_a_prefill_looks_at_the_tokens_before_and_a_decode_at_all(self):
        self.assertEqual(grid.Point("prefill", 4, 2).pairs, 2 * (1 + 2 + 3 + 4))
        self.assertEqual(grid.Point("decode", 4, 2).pairs, 2 * 5)

    def test_flops_are_those_of_each_product(self):
        shape = model(Mlp(width=16, matrices=3))
        point = grid.Point("decode", 4, 2)
        layer = 2 * 2 * (8 * (4 + 2 * 2) * 2 + 8 * 8 + 3 * 8 * 16)  # two rows
        attention = 2 * 2 * 4 * 2 * (2 * 5)
        self.assertEqual(work.flops(shape, point), 3 * (layer + attention) + 2 * 2 * 8 * 10)

    def test_experts_that_no_token_chose_are_not_read(self):
        shape = model(Mlp(width=0, matrices=3, experts=8, experts_per_token=2, expert_width=4))
        one = work.bytes_read(shape, grid.Point("decode", 1, 1), 2)
        two = work.bytes_read(shape, grid.Point("decode", 1, 2), 2)
        cache = 2 * shape.kv_elements_per_token()
        self.assertEqual(two - one - cache, 2 * 3 * (2 * 3 * 4 * 8))


if __name__ == "__main__":
    unittest.main()
