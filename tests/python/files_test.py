"""Do the files have the agreed keys, and do the checks see what cannot be?"""
import csv
import json
import pathlib
import tempfile
import types
import unittest

from plimsoll.profile import check, files
from plimsoll.profile.errors import ProfileError
from plimsoll.profile.grid import Point
from plimsoll.profile.measure import Sample
from plimsoll.profile.shape import LayerKind, Mlp, ModelShape

SHAPE = ModelShape(name="m", hidden=1024, heads=8, kv_heads=2, head_dim=128, vocabulary=1000,
                   tied=True, kinds=(LayerKind(10, Mlp(4096, 3)),), longest=0, window=0,
                   quantised="", tp=2)
PREFILL = Sample(Point("prefill", 512, 8), [69.0, 70.0, 71.0], None)
DECODE = Sample(Point("decode", 512, 8), [19.0, 19.5], 2_500_000)


class FilesTest(unittest.TestCase):
    def test_rows_have_the_keys_of_the_document(self):
        self.assertEqual(files.profile_row(PREFILL),
                         {"type": "prefill", "seq_len": 512, "batch_size": 8, "mean_ms": 70.0,
                          "median_ms": 70.0, "std_ms": 1.0})
        self.assertEqual(files.profile_row(DECODE),
                         {"type": "decode", "kv_cache": 512, "new_tokens": 1, "batch_size": 8,
                          "mean_ms": 19.25, "median_ms": 19.25, "std_ms": 0.3536,
                          "peak_memory_mb": 2.5})

    def test_memory_is_counted_in_the_units_of_its_keys(self):
        memory = files.memory_of(SHAPE, [PREFILL], 2)
        parameters = 10 * (1024 * 128 * (2 * 8 + 2 * 2) + 3 * 1024 * 4096) + 1000 * 1024
        self.assertEqual(memory["model_params"], parameters)
        self.assertEqual(memory["kv_cache_per_token_bytes"], 2 * 2 * 10 * 2 * 128)
        self.assertAlmostEqual(memory["total_model_memory_gb"], 2e-9 * parameters, places=4)
        self.assertEqual(memory["activation_memory_from"], "counted from shapes")
        self.assertEqual(files.memory_of(SHAPE, [PREFILL, DECODE], 2)["activation_memory_mb"], 2.5)

    def test_files_are_written_whole(self):
        with tempfile.TemporaryDirectory() as path:
            folder = files.Folder(path + "/a/b")
            folder.write_json("x.json", {"name": "größe"})
            folder.write_csv("x.csv", files.GEMM_COLUMNS, [("bfloat16", 1, 2, 3, 0.5)])
            written = pathlib.Path(path, "a", "b")
            self.assertEqual(json.loads((written / "x.json").read_text(encoding="utf-8")),
                             {"name": "größe"})
            with open(written / "x.csv", encoding="utf-8", newline="") as file:
                self.assertEqual(list(csv.DictReader(file)), [
                    {"dtype": "bfloat16", "m": "1", "n": "2", "k": "3", "ms": "0.5"}])
            self.assertEqual(sorted(p.name for p in written.iterdir()), ["x.csv", "x.json"])
            with self.assertRaises(ProfileError):
                files.Folder(str(written / "x.csv"))

    def test_the_date_can_be_fixed(self):
        self.assertEqual(files.today({"SOURCE_DATE_EPOCH": "0"}), "1970-01-01T00:00:00Z")
        for wrong in ("soon", "9" * 30):
            with self.assertRaises(ProfileError):
                files.today({"SOURCE_DATE_EPOCH": wrong})


class CheckTest(unittest.TestCase):
    H100 = {"gpu": "H100", "tflops_bf16": 989, "bandwidth_tb_s": 3.35}
    ROWS = [H100, {"gpu": "H100-PCIe"}, {"gpu": "A100-80"}, {"gpu": "RTX-4090"}]

    def test_a_gpu_is_known_by_the_name_of_its_driver(self):
        for said, name in (("NVIDIA H100 80GB HBM3", "H100"), ("NVIDIA H100 PCIe", "H100-PCIe"),
                           ("NVIDIA A100-SXM4-80GB", "A100-80"),
                           ("NVIDIA GeForce RTX 4090", "RTX-4090")):
            self.assertEqual(check.nearest_row(said, self.ROWS)["gpu"], name)
        self.assertIsNone(check.nearest_row("AMD EPYC", self.ROWS))

    def test_faster_than_the_data_sheet_is_called_out(self):
        too_fast = Sample(Point("prefill", 4096, 8), [1.0], None)
        broken, _ = check.findings(SHAPE, [too_fast], 2, [], self.H100)
        self.assertEqual(len(broken), 1)
        self.assertRegex(broken[0], r"prefill seq_len 4096 batch 8 implies .* TFLOP/s, the data "
                                    r"sheet of H100 reaches 989")
        no_cache_read = Sample(Point("decode", 4096, 64), [0.05], None)
        broken, _ = check.findings(SHAPE, [no_cache_read], 2, [], self.H100)
        self.assertRegex(broken[0], r"decode .* Tbytes/s")

    def test_faster_than_its_own_matrix_products_is_called_out(self):
        gemm = [("float32", 1024, 1024, 1024, 1000.0)]
        self.assertTrue(check.findings(SHAPE, [PREFILL], 4, gemm, None)[0])
        self.assertFalse(check.findings(SHAPE, [PREFILL], 4, [], None)[0])

    def test_what_is_possible_passes(self):
        broken, rates = check.findings(SHAPE, [PREFILL, DECODE], 2, [], self.H100)
        self.assertEqual(broken, [])
        self.assertGreater(rates["FLOP/s"], 1e12)
        self.assertGreater(rates["bytes/s"], 1e10)


class MetadataTest(unittest.TestCase):
    def test_the_keys_of_the_document_are_there(self):
        device = types.SimpleNamespace(facts=lambda: {"gpu": "NVIDIA A100"}, dtype_name="bfloat16")
        options = types.SimpleNamespace(date="2026-11-21", repeats=20)
        made = files.metadata_of(SHAPE, device, options, 4, ["One.", "Two."], ["decode x"])
        for key in ("model_name", "fitted_profile", "hardware", "profiling_date",
                    "raw_trace_location", "notes"):
            self.assertIn(key, made)
        self.assertEqual(made["hardware"]["gpu"], "NVIDIA A100")
        self.assertEqual(made["not_measured"], ["decode x"])


if __name__ == "__main__":
    unittest.main()
