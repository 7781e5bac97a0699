"""Is work on a GPU captured once, replayed, and waited for only after all of it is queued? Without
a GPU: against a stand-in that writes down what it is asked to do."""
import types
import unittest

from plimsoll.profile.device import WARM_UPS, Device


class Recorder:
    """As much of torch as the timing of a GPU needs."""

    def __init__(self):
        self.calls = []
        self.clock = 0.0
        context = types.SimpleNamespace(__enter__=lambda _: None, __exit__=lambda *_: None)
        self.context = type("Context", (), vars(context))
        self.cuda = self
        self.synchronize = lambda: self.calls.append("wait")

    def inference_mode(self):
        return self.context()

    def stream(self, stream):
        return self.context()

    def Stream(self):  # noqa: N802, as torch calls it
        return types.SimpleNamespace(wait_stream=lambda other: None)

    current_stream = Stream

    def graph(self, graph):
        self.calls.append("capture")
        return self.context()

    def CUDAGraph(self):  # noqa: N802
        return types.SimpleNamespace(replay=lambda: self.calls.append("replay"))

    def Event(self, enable_timing):  # noqa: N802
        event = types.SimpleNamespace(at=None)

        def record():
            self.calls.append("event")
            self.clock += 1
            event.at = self.clock

        event.record = record
        event.elapsed_time = lambda end: end.at - event.at
        return event


class GpuTimingTest(unittest.TestCase):
    def calls(self, cuda_graphs):
        device = Device.__new__(Device)
        device.torch, device.kind, device.cuda_graphs = Recorder(), "cuda", cuda_graphs
        samples = device.samples_ms(lambda: device.torch.calls.append("work"), 2)
        self.assertEqual(samples, [1.0, 1.0])
        return device.torch.calls

    def test_a_graph_is_captured_once_and_replayed(self):
        timed = ["event", "replay", "event"]
        self.assertEqual(self.calls(True), ["work"] * WARM_UPS + ["capture", "work"] +
                         ["replay"] * WARM_UPS + 2 * timed + ["wait"])

    def test_without_graphs_the_work_itself_is_timed(self):
        timed = ["event", "work", "event"]
        self.assertEqual(self.calls(False), ["work"] * (2 * WARM_UPS) + 2 * timed + ["wait"])


if __name__ == "__main__":
    unittest.main()
