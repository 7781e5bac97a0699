"""With PyTorch at hand: is a decode step a real one, and does a whole run leave a whole profile?"""
import contextlib
import csv
import io
import json
import pathlib
import tempfile
import unittest
from unittest import mock

try:
    import torch
except ImportError:
    raise unittest.SkipTest("PyTorch is not installed") from None

from plimsoll.profile import command, layers, measure
from plimsoll.profile.device import Device
from plimsoll.profile.shape import Config, shape_of

TINY = {"model_type": "llama", "num_hidden_layers": 3, "hidden_size": 32,
        "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 48,
        "vocab_size": 64, "max_position_embeddings": 64}
EXPERTS = {**TINY, "num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 16,
           "first_k_dense_replace": 1, "n_shared_experts": 1}
FLAGS = ["--device", "cpu", "--seq-lens", "4,16", "--prefill-batches", "1,2", "--kv-lens", "8",
         "--decode-batches", "1,3", "--repeats", "2", "--quick", "--date", "2026-11-21"]


def tiny(keys=TINY):
    return shape_of(Config("config.json", keys), "tiny")


class LayerTest(unittest.TestCase):
    def difference(self, keys):
        """Between decoding the last token of a text and prefilling all of it at once."""
        device, shape, length = Device("cpu", "float32"), tiny(keys), 9
        rotation = layers.Rotation(device, shape.head_dim, length)
        layer = layers.Layer(device, shape, shape.kinds[0].mlp, rotation,
                             layers.AttentionKernel(device))
        x = device.random(2, length, shape.hidden)
        whole = layer(x, layers.KvCache(device, shape, 2, length), 0)
        cache = layers.KvCache(device, shape, 2, length)
        layer(x[:, :-1], cache, 0)
        last = layer(x[:, -1:], cache, length - 1)
        return float((whole[:, -1:] - last).abs().max())

    def test_a_decode_step_reads_the_cache_that_a_prefill_filled(self):
        for kv_heads in (1, 2, 4):
            self.assertLess(self.difference({**TINY, "num_key_value_heads": kv_heads}), 1e-4)

    def test_attention_in_blocks_is_attention(self):
        device = Device("cpu", "float32")
        kernel = layers.AttentionKernel(device)
        q, k, v = (device.random(1, 2, 600, 8) for _ in range(3))
        ahead = torch.ones(600, 600, dtype=torch.bool).triu(1)
        scores = (q @ k.transpose(2, 3) / 8 ** 0.5).masked_fill(ahead, float("-inf"))
        expected = torch.softmax(scores, dim=3) @ v
        self.assertLess(float((kernel._plain(q, k, v, True) - expected).abs().max()), 1e-5)
        self.assertLess(float((kernel.prefill(q, k, v) - expected).abs().max()), 1e-5)

    def test_a_fused_kernel_is_asked_for_the_same(self):
        """PyTorch 1 has none: this one does what the documentation of PyTorch 2 says."""
        def fused(q, k, v, is_causal=False, enable_gqa=False):
            if enable_gqa:
                k, v = (x.repeat_interleave(q.shape[1] // x.shape[1], dim=1) for x in (k, v))
            self.assertEqual(q.shape[:2], k.shape[:2])
            scores = q @ k.transpose(2, 3) / q.shape[3] ** 0.5
            if is_causal:
                ahead = torch.ones(q.shape[2], k.shape[2], dtype=torch.bool).triu(1)
                scores = scores.masked_fill(ahead, float("-inf"))
            return torch.softmax(scores, dim=3) @ v

        def without_groups(q, k, v, is_causal=False):
            return fused(q, k, v, is_causal)

        device = Device("cpu", "float32")
        plain = layers.AttentionKernel(device)
        plain.fused, plain.knows_groups = None, False
        q, k, v = device.random(2, 6, 5, 8), device.random(2, 2, 5, 8), device.random(2, 2, 5, 8)
        for kernel in (fused, without_groups):
            with mock.patch.object(torch.nn.functional, "scaled_dot_product_attention", kernel,
                                   create=True):
                made = layers.AttentionKernel(device)
                self.assertEqual(made.knows_groups, kernel is fused)
                for phase, queries in (("prefill", q), ("decode", q[:, :, :1])):
                    gap = getattr(made, phase)(queries, k, v) - getattr(plain, phase)(queries, k, v)
                    self.assertLess(float(gap.abs().max()), 1e-5)

    def test_each_token_meets_its_number_of_experts(self):
        device, shape = Device("cpu", "float32"), tiny(EXPERTS)
        experts = layers.ExpertMlp(device, shape.hidden, shape.kinds[1].mlp)
        for rows in (1, 2, 3, 50):
            self.assertEqual(experts(device.random(rows, 1, shape.hidden)).shape[0], rows)
            tokens, touched = experts._gathered(rows)
            self.assertEqual(touched, min(4, 2 * rows))
            self.assertEqual(tokens[:2 * rows].bincount().tolist(), [2] * rows)


class RunTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def run_on(self, keys, *flags):
        (self.path / "config.json").write_text(json.dumps(keys), encoding="utf-8")
        with contextlib.redirect_stderr(io.StringIO()) as err, \
                contextlib.redirect_stdout(io.StringIO()) as out, \
                mock.patch.object(measure, "BEYOND_CACHES", 0):
            status = command.main(["--model", str(self.path), "--output", str(self.path / "out"),
                                   *FLAGS, *flags])
        return status, out.getvalue(), err.getvalue()

    def written(self, name):
        return json.loads((self.path / "out" / name).read_text(encoding="utf-8"))

    def table(self, name):
        with open(self.path / "out" / name, encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def test_a_run_leaves_a_whole_profile(self):
        for keys in (TINY, EXPERTS):
            status, out, err = self.run_on(keys)
            self.assertIn(status, (0, 1), err)  # 1: clocks of a busy machine can look impossible
            rows = self.written("fitted_profile.json")
            self.assertEqual([row["type"] for row in rows], ["prefill"] * 4 + ["decode"] * 2)
            self.assertTrue(all(row["median_ms"] > 0 for row in rows))
            self.assertEqual(self.written("metadata.json")["profiling_date"], "2026-11-21")
            self.assertEqual(len(self.table("attention.csv")), 6)
            self.assertTrue(all(float(row["ms"]) >= 0 for row in self.table("gemm.csv")))
            self.assertIn("6 of 6 batches", out)

    def test_a_rank_computes_its_part(self):
        self.run_on(TINY, "--tp", "2")
        self.assertEqual(self.table("attention.csv")[0]["heads"], "2")
        self.assertEqual(self.written("model_memory.json")["tensor_parallel"], 2)

    def test_an_interrupted_run_keeps_what_it_has(self):
        calls = iter(range(100))

        def interrupted(device, work, repeats):
            if next(calls) == 5:
                raise KeyboardInterrupt
            return [1.0] * repeats

        with mock.patch.object(Device, "samples_ms", interrupted):
            status, _, err = self.run_on(TINY)
        self.assertEqual(status, 130)
        self.assertIn("interrupted", err)
        self.assertEqual(len(self.written("fitted_profile.json")), 2)

    def test_batches_that_do_not_fit_are_named(self):
        with mock.patch.object(Device, "free_bytes", lambda device: 1_000_000):
            status, _, err = self.run_on(TINY, "--decode-batches", "1,20000")
        self.assertIn("decode kv_cache 8 batch 20000  does not fit in memory", err)
        self.assertEqual(self.written("metadata.json")["not_measured"],
                         ["decode kv_cache 8 batch 20000"])
        with mock.patch.object(Device, "free_bytes", lambda device: 10_000):
            status, _, err = self.run_on(TINY)
        self.assertEqual(status, 2)
        self.assertIn("one layer of", err)


if __name__ == "__main__":
    unittest.main()
