"""The command line: reads it, measures, writes, says what came out."""
import argparse
import difflib
import re
import statistics
import sys

from plimsoll.profile import check, files, grid, measure
from plimsoll.profile.device import Device
from plimsoll.profile.errors import ProfileError
from plimsoll.profile.shape import rank_of, read_shape

USAGE_ERROR = 2
INTERRUPTED = 130

ABOUT = """Measures how long prefill and decode of a model take on this machine, with PyTorch.

Whole layers of the model's sizes with random weights; a few stand for all. No weights are
downloaded. Only one GPU is measured; with --tp, the part of one rank without communication.
"""


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise ProfileError(message, "python -m plimsoll.profile --help lists all flags")


def counts(text):
    """A list of numbers like 128,512."""
    try:
        values = tuple(sorted({count(part) for part in text.split(",")}))
    except argparse.ArgumentTypeError as error:
        raise argparse.ArgumentTypeError(f"{error}; expected numbers like 128,512") from None
    return values


def count(text):
    if not re.fullmatch(r"[0-9]{1,9}", text.strip()) or int(text) < 1:
        raise argparse.ArgumentTypeError(f'"{text}" is no whole number from 1')
    return int(text)


def date(text):
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}Z)?", text):
        raise argparse.ArgumentTypeError(f'"{text}" is no date like 2026-11-21')
    return text


def parser():
    made = Parser(prog="python -m plimsoll.profile", description=ABOUT, allow_abbrev=False,
                  formatter_class=argparse.RawDescriptionHelpFormatter)
    add = made.add_argument
    add("--model", required=True, metavar="M",
        help="folder or config.json of a model, or an id whose config.json is cached")
    add("--output", default="profile", metavar="DIR", help="where files go [profile]")
    add("--device", choices=("cuda", "cpu"), help="[cuda where there is one]")
    add("--dtype", choices=("bfloat16", "float16", "float32"),
        help="of weights, activations and KV cache [bfloat16; float32 on a CPU]")
    add("--tp", type=count, default=1, metavar="N",
        help="measure the part of one of N tensor-parallel ranks [1]")
    add("--quick", action="store_true", help="few batches, five repeats")
    add("--seq-lens", type=counts, metavar="N,..", help="prompt lengths of prefill")
    add("--prefill-batches", type=counts, metavar="N,..", help="sequences of a prefill")
    add("--kv-lens", type=counts, metavar="N,..", help="tokens in the KV cache of each sequence")
    add("--decode-batches", type=counts, metavar="N,..", help="sequences of a decode step")
    add("--repeats", type=count, metavar="N", help="timed runs of each batch [20; --quick: 5]")
    add("--layers-in-memory", type=count, default=4, metavar="N",
        help="distinct layers of each kind that stand for all [4]")
    add("--no-cuda-graphs", action="store_true", help="launch kernels one by one")
    add("--date", type=date, metavar="DATE",
        help="written into metadata.json [SOURCE_DATE_EPOCH, else now]")
    return made


def parse(arguments):
    made = parser()
    options, unknown = made.parse_known_args(arguments)
    if unknown:
        flags = [flag for action in made._actions for flag in action.option_strings]
        near = difflib.get_close_matches(unknown[0].split("=")[0], flags, n=1)
        raise ProfileError(f'unknown argument "{unknown[0]}"',
                           f"did you mean {near[0]}?" if near else
                           "python -m plimsoll.profile --help lists all flags")
    options.repeats = options.repeats or (5 if options.quick else 20)
    options.date = options.date or files.today()
    base = grid.QUICK if options.quick else grid.Grid()
    axes = ("seq_lens", "prefill_batches", "kv_lens", "decode_batches")
    options.grid = grid.Grid(**{axis: getattr(options, axis) or getattr(base, axis)
                                for axis in axes}, rows=base.rows)
    return options


def say(text):
    print(text, file=sys.stderr, flush=True)


class Profile:
    """What was measured so far, and where it is written."""

    def __init__(self, options, shape, device, folder):
        self.options, self.shape, self.device, self.folder = options, shape, device, folder
        self.samples, self.gemm_rows, self.attention_rows, self.skipped = [], [], [], []
        self.notes = notes_on(shape, device)
        limits = [limit for limit in (shape.longest, shape.window) if limit]
        self.points = options.grid.points(min(limits, default=0))
        if not self.points:
            raise ProfileError(f"no batch of the grid fits {shape.name}, whose layers all see "
                               f"{min(limits)} tokens at most", "give shorter --seq-lens, --kv-lens")
        for phase in ("prefill", "decode"):
            if not any(point.phase == phase for point in self.points):
                say(f"note: no {phase} of the grid fits {min(limits, default=0)} tokens of context")
        self.bench = measure.Bench(device, shape, options.repeats, options.layers_in_memory,
                                   max(point.context for point in self.points))

    def run(self):
        self._passes()
        self._matrix_products()
        self._attention()

    def _passes(self):
        for done, point in enumerate(self.points, start=1):
            sample = self.bench.measure(point)
            where = f"{done} of {len(self.points)}  {point}"
            if sample is None:
                self.skipped.append(str(point))
                say(f"{where}  does not fit in memory")
                continue
            self.samples.append(sample)
            say(f"{where}  {statistics.median(sample.ms):.3f} ms")

    def _matrix_products(self):
        for n, k in self.bench.matrix_products():
            for m in self.options.grid.rows:
                ms = self.bench.matrix_product_ms(m, n, k)
                if ms is not None:
                    self.gemm_rows.append((self.device.dtype_name, m, n, k, files.rounded(ms)))
            say(f"matrix products [m, {k}] x [{k}, {n}]")

    def _attention(self):
        for point in self.points:
            ms = self.bench.attention_ms(point)
            if ms is not None:
                self.attention_rows.append(
                    files.attention_row(self.device.dtype_name, self.shape, point, ms))
        say("attention alone")

    def write(self):
        folder = self.folder
        folder.write_json("fitted_profile.json", [files.profile_row(s) for s in self.samples])
        folder.write_json("metadata.json", files.metadata_of(
            self.shape, self.device, self.options, self.bench.layers_in_memory, self.notes,
            self.skipped))
        folder.write_json("model_memory.json", files.memory_of(
            self.shape, self.samples, self.bench.element))
        folder.write_csv("gemm.csv", files.GEMM_COLUMNS, self.gemm_rows)
        folder.write_csv("attention.csv", files.ATTENTION_COLUMNS, self.attention_rows)

    def report(self):
        """On standard output; returns whether the profile is physically possible."""
        broken, rates = check.findings(self.shape, self.samples, self.bench.element,
                                       self.gemm_rows, check.data_sheet(self.device.name))
        print(f"{len(self.samples)} of {len(self.points)} batches of {self.shape.name} measured on "
              f"{self.device.name} ({self.device.kind}, {self.device.dtype_name})")
        print(f"  prefill    up to {rates['FLOP/s'] / 1e12:.3g} TFLOP/s")
        print(f"  decode     up to {rates['bytes/s'] / 1e9:.3g} GB/s of weights and KV cache")
        print(f"  files      {self.folder.path}: fitted_profile.json, metadata.json, "
              "model_memory.json, gemm.csv, attention.csv")
        for sentence in broken:
            print(f"warning: {sentence}")
        return not broken


def notes_on(shape, device):
    """What a reader of the figures must know."""
    notes = [f"Measured by plimsoll.profile: random weights, {shape.layers} layers from a few, "
             "contiguous KV cache, PyTorch's own kernels, greedy choice of the next token."]
    if device.kind == "cpu":
        notes.append("On a CPU.")
    if shape.tp > 1:
        notes.append(f"One of {shape.tp} tensor-parallel ranks, communication not measured.")
    if shape.quantised:
        notes.append(f"The checkpoint is quantised ({shape.quantised}); measured is "
                     f"{device.dtype_name}.")
    if any(kind.mlp.experts for kind in shape.kinds):
        notes.append("Tokens choose experts evenly.")
    return notes


def profile(arguments):
    options = parse(arguments)
    shape = rank_of(read_shape(options.model), options.tp)
    device = Device(options.device, options.dtype, not options.no_cuda_graphs)
    folder = files.Folder(options.output)
    made = Profile(options, shape, device, folder)
    for note in made.notes[1:]:
        say(f"note: {note}")
    status = 0
    try:
        made.run()
    except KeyboardInterrupt:
        say("interrupted: what was measured is kept")
        status = INTERRUPTED
    finally:
        made.write()
    return status if made.report() else status or 1


def main(arguments):
    try:
        return profile(arguments)
    except ProfileError as error:
        say(str(error))
        return USAGE_ERROR
    except KeyboardInterrupt:
        say("interrupted: nothing was measured yet")
        return INTERRUPTED
