"""Measures a model's prefill and decode on this machine's GPU: `python -m plimsoll.profile`.

Writes what `plimsoll calibrate` reads. PyTorch is needed to measure and imported only then.
"""
