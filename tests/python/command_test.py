"""Is every wrong argument named, and does one clear sentence say that PyTorch is missing?"""
import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

from plimsoll.profile import command
from plimsoll.profile.errors import ProfileError

CONFIG = {"num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 4, "vocab_size": 100,
          "intermediate_size": 128}


class ArgumentTest(unittest.TestCase):
    def refused(self, *arguments):
        with self.assertRaises(ProfileError) as caught:
            command.parse(["--model", "m", *arguments])
        return str(caught.exception)

    def test_wrong_values_are_named(self):
        self.assertIn('"0" is no whole number', self.refused("--tp", "0"))
        self.assertIn("expected numbers like 128,512", self.refused("--seq-lens", "128,x"))
        self.assertIn("expected numbers like 128,512", self.refused("--kv-lens", ""))
        self.assertIn("--dtype", self.refused("--dtype", "int3"))
        self.assertIn("no date", self.refused("--date", "yesterday"))
        self.assertIn("--repeats", self.refused("--repeats", "-3"))

    def test_an_unknown_flag_gets_the_nearest(self):
        self.assertIn("did you mean --seq-lens?", self.refused("--seq-len", "3"))

    def test_the_model_must_be_given(self):
        with self.assertRaises(ProfileError) as caught:
            command.parse([])
        self.assertIn("--model", str(caught.exception))

    def test_axes_are_sorted_and_replace_those_of_the_grid(self):
        options = command.parse(["--model", "m", "--quick", "--seq-lens", "64,32,64"])
        self.assertEqual(options.grid.seq_lens, (32, 64))
        self.assertEqual(options.grid.decode_batches, (1, 8))
        self.assertEqual(options.repeats, 5)


class WithoutTorchTest(unittest.TestCase):
    def test_one_sentence_says_what_to_install(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
            said = io.StringIO()
            with mock.patch.dict(sys.modules, {"torch": None}), contextlib.redirect_stderr(said):
                status = command.main(["--model", folder, "--output", folder + "/out"])
            self.assertEqual(status, 2)
            self.assertIn("error: PyTorch is not installed", said.getvalue())
            self.assertIn("pip install torch", said.getvalue())
            self.assertFalse(pathlib.Path(folder, "out").exists())

    def test_help_and_mistakes_need_no_torch(self):
        said = io.StringIO()
        with mock.patch.dict(sys.modules, {"torch": None}), contextlib.redirect_stderr(said):
            self.assertEqual(command.main(["--model", "/nowhere"]), 2)
        self.assertIn('no config.json for "/nowhere"', said.getvalue())


if __name__ == "__main__":
    unittest.main()
