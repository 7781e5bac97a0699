"""Are the sizes of a model read from its config.json, and is what cannot be measured refused?"""
import json
import pathlib
import tempfile
import unittest

from plimsoll.profile.errors import ProfileError
from plimsoll.profile.shape import Config, find_config, rank_of, read_shape, shape_of

LLAMA_8B = {"model_type": "llama", "num_hidden_layers": 32, "hidden_size": 4096,
            "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336,
            "vocab_size": 128256, "hidden_act": "silu", "max_position_embeddings": 131072}
QWEN3_30B = {"model_type": "qwen3_moe", "num_hidden_layers": 48, "hidden_size": 2048,
             "num_attention_heads": 32, "num_key_value_heads": 4, "head_dim": 128,
             "intermediate_size": 6144, "moe_intermediate_size": 768, "num_experts": 128,
             "num_experts_per_tok": 8, "vocab_size": 151936, "decoder_sparse_step": 1,
             "mlp_only_layers": [], "hidden_act": "silu", "max_position_embeddings": 40960}


def shape(keys, **changed):
    return shape_of(Config("config.json", {**keys, **changed}), "m")


class ShapeTest(unittest.TestCase):
    def refused(self, what, keys, **changed):
        with self.assertRaises(ProfileError) as caught:
            shape(keys, **changed)
        self.assertIn(what, str(caught.exception))

    def test_parameters_are_those_of_the_published_model(self):
        self.assertAlmostEqual(shape(LLAMA_8B).parameters / 1e9, 8.03, places=2)
        self.assertAlmostEqual(shape(QWEN3_30B).parameters / 1e9, 30.53, places=2)

    def test_the_kv_cache_holds_keys_and_values_of_kv_heads_alone(self):
        self.assertEqual(2 * shape(LLAMA_8B).kv_elements_per_token(), 128 * 1024)

    def test_head_dim_is_read_and_not_derived_where_it_is_given(self):
        self.assertEqual(shape(QWEN3_30B).head_dim, 128)
        self.assertEqual(shape(LLAMA_8B).head_dim, 128)

    def test_some_layers_may_be_dense_and_others_have_experts(self):
        mixed = shape(QWEN3_30B, first_k_dense_replace=3, mlp_only_layers=[10], n_shared_experts=2)
        dense, sparse = mixed.kinds
        self.assertEqual((dense.count, dense.mlp.experts, dense.mlp.width), (4, 0, 6144))
        self.assertEqual((sparse.count, sparse.mlp.experts, sparse.mlp.width), (44, 128, 1536))

    def test_a_token_passes_through_its_experts_alone(self):
        mlp = shape(QWEN3_30B).kinds[0].mlp
        self.assertEqual(mlp.active_parameters(2048), 2048 * (8 * 3 * 768 + 128))

    def test_plain_mlps_have_two_matrices(self):
        self.assertEqual(shape(LLAMA_8B, hidden_act="gelu_new").kinds[0].mlp.matrices, 2)
        self.assertEqual(shape(LLAMA_8B, model_type="gemma2",
                               hidden_act="gelu_pytorch_tanh").kinds[0].mlp.matrices, 3)

    def test_a_model_that_also_sees_is_read_by_its_text_model(self):
        self.assertEqual(shape({"text_config": LLAMA_8B}).layers, 32)

    def test_a_rank_has_its_part_and_copies_of_few_kv_heads(self):
        rank = rank_of(shape(QWEN3_30B), 8)
        self.assertEqual((rank.heads, rank.kv_heads, rank.kinds[0].mlp.expert_width), (4, 1, 96))
        self.assertEqual(rank.vocabulary, 151936 // 8)
        for tp, what in ((3, "3"), (64, "64")):
            with self.assertRaises(ProfileError) as caught:
                rank_of(shape(LLAMA_8B), tp)
            self.assertIn(f"--tp {what}", str(caught.exception))

    def test_attention_that_is_not_measured_is_refused_by_name(self):
        self.refused("MLA", LLAMA_8B, kv_lora_rank=512)
        self.refused("linear attention", LLAMA_8B, full_attention_interval=4)
        self.refused('"mamba2"', LLAMA_8B, layer_types=["full_attention", "mamba2"])

    def test_missing_and_senseless_sizes_are_named(self):
        self.refused('"vocab_size" is missing', {k: v for k, v in LLAMA_8B.items()
                                                 if k != "vocab_size"})
        for value in (0, -1, 1.5, "4096", True, [1], 10**12):
            self.refused('"hidden_size" must be a whole number', LLAMA_8B, hidden_size=value)
        self.refused("does not divide", LLAMA_8B, num_key_value_heads=5)
        self.refused("of 128 experts", QWEN3_30B, num_experts_per_tok=129)
        self.refused("layers", LLAMA_8B, num_hidden_layers=10**9)

    def test_a_window_bounds_what_can_be_measured(self):
        self.assertEqual(shape(LLAMA_8B, sliding_window=4096).window, 4096)
        self.assertEqual(shape(LLAMA_8B, sliding_window=4096, use_sliding_window=False).window, 0)
        self.assertEqual(shape(LLAMA_8B, sliding_window=None).window, 0)


class FileTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def write(self, text, name="config.json"):
        (self.path / name).parent.mkdir(parents=True, exist_ok=True)
        (self.path / name).write_text(text, encoding="utf-8")

    def test_a_folder_and_its_file_are_the_same_model(self):
        self.write(json.dumps({**LLAMA_8B, "quantization_config": {"quant_method": "fp8"}}))
        by_folder = read_shape(str(self.path))
        self.assertEqual(by_folder, read_shape(str(self.path / "config.json")))
        self.assertEqual(by_folder.quantised, "fp8")

    def test_an_id_is_found_in_the_caches(self):
        self.write(json.dumps(LLAMA_8B), "hub/models--a--b/snapshots/1/config.json")
        self.write(json.dumps(LLAMA_8B), "plimsoll/models/c--d/config.json")
        environment = {"HF_HOME": str(self.path), "XDG_CACHE_HOME": str(self.path)}
        for model in ("a/b", "c/d"):
            self.assertTrue(find_config(model, environment).is_file())
        with self.assertRaises(ProfileError) as caught:
            find_config("e/f", environment)
        self.assertIn('no config.json for "e/f"', str(caught.exception))

    def test_broken_files_are_named_with_line_and_column(self):
        for text, what in (('{"a": 1,\n  b}', "config.json:2:3"), ("[1, 2]", "JSON object"),
                           ('{"text_config": 3}', "JSON object"), ("", "config.json:1:1"),
                           ("[" * 100000, "config.json")):
            self.write(text)
            with self.assertRaises(ProfileError) as caught:
                read_shape(str(self.path))
            self.assertIn(what, str(caught.exception))


if __name__ == "__main__":
    unittest.main()
