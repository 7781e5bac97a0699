"""What the tests of the module share."""
import os
import pathlib

PROGRAM = os.environ["PLIMSOLL_PROGRAM"]
ROOT = pathlib.Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "examples"
MODEL = {"model": "llama-3.1-8b-instruct"}
LOAD = {**MODEL, "rate": 4, "num_requests": 200}
LONG = {**LOAD, "num_requests": 50_000_000}  # a minute at least
