"""Is a profile physically possible? Against the GPU's data sheet, where `plimsoll` knows it, and
against the fastest matrix product that was measured beside it."""
import json
import re
import shutil
import statistics
import subprocess

from plimsoll.profile import work

TOLERANCE = 1.1  # clocks that boost, figures that are rounded; `plimsoll calibrate` allows as much


def data_sheet(gpu):
    """The row of `plimsoll list gpus` for a GPU as its driver calls it; None without one."""
    program = shutil.which("plimsoll")
    if program is None:
        return None
    try:
        said = subprocess.run([program, "list", "gpus", "--json"], capture_output=True, text=True,
                              timeout=20, check=True).stdout
        return nearest_row(gpu, json.loads(said))
    except (OSError, subprocess.SubprocessError, ValueError):
        return None


def nearest_row(gpu, rows):
    """The row whose name has most words, all of which `gpu` has: "NVIDIA A100-SXM4-80GB" is
    A100-80."""
    words = words_of(gpu)
    fitting = [row for row in rows if words_of(row["gpu"]) <= words]
    return max(fitting, key=lambda row: len(words_of(row["gpu"])), default=None)


def words_of(name):
    return {re.sub(r"(?<=\d)gb$", "", word) for word in re.findall(r"[a-z0-9]+", name.lower())}


def best_gemm_flops(gemm_rows):
    """FLOP/s of the fastest product; 0 without any."""
    return max((2 * m * n * k / (ms * 1e-3) for _, m, n, k, ms in gemm_rows if ms > 0), default=0)


def findings(shape, samples, element, gemm_rows, row):
    """A sentence for each limit that the fastest prefill or decode breaks, and the two rates."""
    rates = {"FLOP/s": (0, None), "bytes/s": (0, None)}
    for sample in samples:
        seconds = statistics.median(sample.ms) * 1e-3
        if seconds <= 0:
            continue
        is_prefill = sample.point.phase == "prefill"
        amount = work.flops(shape, sample.point) if is_prefill else \
            work.bytes_read(shape, sample.point, element)
        unit = "FLOP/s" if is_prefill else "bytes/s"
        rates[unit] = max(rates[unit], (amount / seconds, sample.point), key=lambda rate: rate[0])
    limits = [("FLOP/s", best_gemm_flops(gemm_rows), "its fastest matrix product")]
    if row:
        limits += [("FLOP/s", 1e12 * row["tflops_bf16"] if element == 2 else 0,
                    f"the data sheet of {row['gpu']}"),
                   ("bytes/s", 1e12 * row["bandwidth_tb_s"], f"the data sheet of {row['gpu']}")]
    broken = [f"{rates[unit][1]} implies {rates[unit][0] / 1e12:.3g} T{unit}, {name} "
              f"reaches {limit / 1e12:.3g}: do not trust this profile"
              for unit, limit, name in limits if limit and rates[unit][0] > TOLERANCE * limit]
    return broken, {unit: rate for unit, (rate, _) in rates.items()}
