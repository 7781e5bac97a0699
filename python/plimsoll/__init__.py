"""Plimsoll: plans the capacity of LLM serving.

    plimsoll.capacity(model="qwen/qwen3-14b", rate=200, slo="ttft_p99<500ms")["instances"]

The compiled part is loaded by the first question, so that plimsoll.profile, which measures a GPU,
runs where it is not.
"""
from plimsoll.command import PlimsollError
from plimsoll.frames import to_frame
from plimsoll.verbs import capacity, replay, simulate

__all__ = ["PlimsollError", "capacity", "replay", "simulate", "to_frame"]
