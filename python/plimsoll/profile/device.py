"""The machine that measures: PyTorch on a GPU or a CPU, its memory, its clock."""
import os
import pathlib
import platform
import subprocess
import time

from plimsoll.profile.errors import ProfileError

# Before anything is timed: libraries choose their kernels, clocks rise.
WARM_UPS = 3


def import_torch():
    try:
        import torch
    except ImportError:
        raise ProfileError(
            "PyTorch is not installed, and nothing can be measured without it",
            "pip install torch (https://pytorch.org says which build fits the GPU's driver); on "
            "Debian, for the CPU alone: apt-get install python3-torch") from None
    return torch


class Device:
    """Where tensors live and how work on them is timed."""

    def __init__(self, kind, dtype, cuda_graphs=True):
        self.torch = import_torch()
        if kind is None:
            kind = "cuda" if self.torch.cuda.is_available() else "cpu"
        if kind == "cuda" and not self.torch.cuda.is_available():
            raise ProfileError("PyTorch sees no CUDA device",
                               "install the driver and a build of PyTorch with CUDA, or measure "
                               "the processor with --device cpu")
        self.kind = kind
        self.dtype_name = dtype or ("bfloat16" if kind == "cuda" else "float32")
        if kind == "cpu" and self.dtype_name == "float16":
            raise ProfileError("--dtype float16 cannot be measured on a CPU",
                               "choose float32 or bfloat16")
        self.dtype = getattr(self.torch, self.dtype_name)
        self.cuda_graphs = kind == "cuda" and cuda_graphs
        self.torch.manual_seed(0)

    @property
    def name(self):
        if self.kind == "cuda":
            return self.torch.cuda.get_device_name()
        return processor_name()

    def facts(self):
        """What a reader of the measurements must know of the machine."""
        facts = {"gpu": self.name, "device": self.kind, "torch": self.torch.__version__}
        if self.kind == "cuda":
            facts["driver"] = driver_version()
            facts["cuda"] = self.torch.version.cuda or ""
            facts["cuda_graphs"] = self.cuda_graphs
        else:
            facts["threads"] = self.torch.get_num_threads()
        return facts

    def random(self, *sizes, scale=1.0):
        return self.torch.randn(*sizes, dtype=self.dtype, device=self.kind).mul_(scale)

    def free_bytes(self):
        if self.kind == "cpu":
            return available_memory()
        free, _ = self.torch.cuda.mem_get_info()
        held = self.torch.cuda.memory_reserved() - self.torch.cuda.memory_allocated()
        return free + held

    def release(self):
        """Gives back what finished measurements held."""
        if self.kind == "cuda":
            self.torch.cuda.empty_cache()

    @staticmethod
    def is_out_of_memory(error):
        """Whether this RuntimeError says so; its type is young, its words are not."""
        return any(words in str(error) for words in ("out of memory", "allocate memory"))

    def samples_ms(self, work, repeats):
        """How long each of `repeats` calls of `work` takes, after warming up."""
        with self.torch.inference_mode():
            return self._on_gpu(work, repeats) if self.kind == "cuda" else \
                self._on_cpu(work, repeats)

    @staticmethod
    def _on_cpu(work, repeats):
        for _ in range(WARM_UPS):
            work()
        samples = []
        for _ in range(repeats):
            begin = time.perf_counter()
            work()
            samples.append(1e3 * (time.perf_counter() - begin))
        return samples

    def _on_gpu(self, work, repeats):
        cuda = self.torch.cuda
        # Capture wants work that ran before, on a stream that is not the default one.
        side = cuda.Stream()
        side.wait_stream(cuda.current_stream())
        with cuda.stream(side):
            for _ in range(WARM_UPS):
                work()
        cuda.current_stream().wait_stream(side)
        launch = work
        if self.cuda_graphs:
            graph = cuda.CUDAGraph()
            with cuda.graph(graph):
                work()
            launch = graph.replay
        for _ in range(WARM_UPS):
            launch()
        # All are queued before the first is waited for, so that the GPU never waits for the host.
        starts = [cuda.Event(enable_timing=True) for _ in range(repeats)]
        ends = [cuda.Event(enable_timing=True) for _ in range(repeats)]
        for start, end in zip(starts, ends):
            start.record()
            launch()
            end.record()
        cuda.synchronize()
        return [start.elapsed_time(end) for start, end in zip(starts, ends)]

    def peak_bytes(self, work):
        """What `work` holds at most beside what is there already; None where nobody counts."""
        if self.kind != "cuda":
            return None
        with self.torch.inference_mode():
            work()  # workspaces of libraries come with the first call
            before = self.torch.cuda.memory_allocated()
            self.torch.cuda.reset_peak_memory_stats()
            work()
            self.torch.cuda.synchronize()
        return self.torch.cuda.max_memory_allocated() - before


def processor_name():
    try:
        for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def available_memory():
    try:
        for line in pathlib.Path("/proc/meminfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("MemAvailable:"):
                return 1024 * int(line.split()[1])
    except OSError:
        pass
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2


def driver_version():
    """Of NVIDIA's driver; empty where its tool is not there."""
    try:
        said = subprocess.run(
            ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"],
            capture_output=True, text=True, timeout=20, check=True).stdout.split()
    except (OSError, subprocess.SubprocessError):
        return ""
    return said[0] if said else ""
