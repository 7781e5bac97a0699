"""The files of a profile, in the schema that planners exchange (docs/how-to/profiling.md).

Files are replaced whole: one that is there is complete.
"""
import csv
import datetime
import io
import json
import os
import pathlib
import statistics

from plimsoll.profile import work
from plimsoll.profile.errors import ProfileError

GEMM_COLUMNS = ("dtype", "m", "n", "k", "ms")
ATTENTION_COLUMNS = ("phase", "dtype", "batch", "query_tokens", "context_tokens", "heads",
                     "kv_heads", "head_dim", "ms")


def profile_row(sample):
    """One object of fitted_profile.json."""
    point = sample.point
    row = {"type": point.phase}
    if point.phase == "prefill":
        row["seq_len"] = point.tokens
    else:
        row.update(kv_cache=point.tokens, new_tokens=1)
    row.update(batch_size=point.batch, mean_ms=rounded(statistics.fmean(sample.ms)),
               median_ms=rounded(statistics.median(sample.ms)),
               std_ms=rounded(statistics.stdev(sample.ms) if len(sample.ms) > 1 else 0.0))
    if sample.peak_bytes is not None:
        row["peak_memory_mb"] = round(sample.peak_bytes / 1e6, 1)
    return row


def rounded(ms):
    """To a tenth of a microsecond: no clock here is better."""
    return round(ms, 4)


def attention_row(dtype, shape, point, ms):
    queries = point.tokens if point.phase == "prefill" else 1
    return (point.phase, dtype, point.batch, queries, point.context, shape.heads, shape.kv_heads,
            shape.head_dim, rounded(ms))


def memory_of(shape, samples, element):
    """model_memory.json: of one rank."""
    measured = [sample.peak_bytes for sample in samples if sample.peak_bytes is not None]
    counted = [work.activation_bytes(shape, kind, sample.point, element)
               for sample in samples for kind in shape.kinds]
    return {
        "model_name": shape.name,
        "model_params": shape.parameters,
        "activation_memory_mb": round(max(measured or counted or [0]) / 1e6, 1),
        "activation_memory_from": "measured" if measured else "counted from shapes",
        "kv_cache_per_token_bytes": element * shape.kv_elements_per_token(),
        "total_model_memory_gb": round(element * shape.parameters / 1e9, 4),
        "tensor_parallel": shape.tp,
    }


def metadata_of(shape, device, options, bench_layers, notes, skipped):
    """metadata.json."""
    return {
        "model_name": shape.name,
        "fitted_profile": "fitted_profile.json",
        "hardware": device.facts(),
        "profiling_date": options.date,
        "raw_trace_location": ".",
        "notes": " ".join(notes),
        "dtype": device.dtype_name,
        "tensor_parallel": shape.tp,
        "repeats": options.repeats,
        "layers": shape.layers,
        "layers_in_memory": bench_layers,
        "not_measured": skipped,
    }


def today(environment=os.environ):
    """Of SOURCE_DATE_EPOCH where it is set, else now; UTC."""
    epoch = environment.get("SOURCE_DATE_EPOCH")
    try:
        moment = datetime.datetime.now(datetime.timezone.utc) if epoch is None else \
            datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc)
    except (ValueError, OverflowError, OSError):
        raise ProfileError(f"SOURCE_DATE_EPOCH is no time: {epoch!r}",
                           "seconds since 1970, or unset it, or give --date") from None
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


class Folder:
    """Where a profile goes."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            probe = self.path / ".writable"
            probe.write_text("", encoding="utf-8")
            probe.unlink()
        except OSError as error:
            raise ProfileError(f"--output {path}: cannot write there: {error.strerror}") from None

    def write_json(self, name, content):
        self._replace(name, json.dumps(content, indent=2, ensure_ascii=False) + "\n")

    def write_csv(self, name, columns, rows):
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)
        self._replace(name, text.getvalue())

    def _replace(self, name, text):
        new = self.path / (name + ".new")
        try:
            new.write_text(text, encoding="utf-8")
            os.replace(new, self.path / name)
        except OSError as error:
            raise ProfileError(f"{self.path / name}: cannot write: {error.strerror}") from None
