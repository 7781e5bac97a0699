"""How an answer shows itself in a notebook: its sentence and a table."""
from __future__ import annotations

import html as escaping
import re
import typing

if typing.TYPE_CHECKING:
    from plimsoll.results import Result

# The list of each answer that people look at, by its key, and the columns of the table.
_TABLES: dict[str, tuple[str, ...]] = {
    "evidence": ("instances", "rate_rps", "verdict", "ttft_p99_ms", "tpot_mean_ms", "e2e_p99_ms",
                 "utilization", "usd_per_hour", "reason"),
    "all_candidates": ("config_id", "config.gpu_type", "config.total_gpus", "max_qps",
                       "cost_per_hour", "qps_per_dollar", "fate", "reason"),
    "resources": ("name", "unit", "baseline_p95", "forecast_p95", "capacity", "utilisation",
                  "risk"),
    "variants": ("name", "figures.ttft_p99_ms.mean", "figures.ttft_p99_ms.low",
                 "figures.ttft_p99_ms.high", "figures.itl_mean_ms.mean",
                 "figures.usd_per_hour.mean", "holds"),
    "summary": ("group", "metric", "n", "median_ape", "p90_ape", "bias"),
}
_MOST_ROWS = 12
_PERCENTILE = re.compile(r"(ttft|tpot|itl|e2e)_(mean|p50|p90|p95|p99)_ms")
_COLORS = {"yes": "#1a7f37", "steady": "#1a7f37", "likely": "#9a6700", "transient": "#9a6700",
           "too_short": "#9a6700", "not_shown": "#9a6700", "no": "#cf222e",
           "overloaded": "#cf222e"}


def rows_key(result: typing.Mapping[str, typing.Any]) -> str | None:
    """The key of the list that people look at; None: the answer is one row."""
    return next((key for key in _TABLES if isinstance(result.get(key), list)), None)


def verdict(result: typing.Mapping[str, typing.Any]) -> str:
    """A word of the program; empty where there is none."""
    said = result.get("decision") or result.get("steady_state") or {}
    return str(said.get("verdict", ""))


def shown(value: typing.Any) -> str:
    """A value for people: three or four digits that matter."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return str(value)


def at(row: typing.Any, path: str) -> typing.Any:
    """`a.b` of row["a"]["b"]; None where there is none."""
    for key in path.split("."):
        row = row.get(key) if isinstance(row, dict) else None
    return row


def has(row: typing.Any, path: str) -> bool:
    """Whether at() finds something there, be it None."""
    for key in path.split("."):
        if not isinstance(row, dict) or key not in row:
            return False
        row = row[key]
    return True


def table(result: typing.Mapping[str, typing.Any]) -> tuple[list[str], list[list[str]]]:
    """Titles and rows of text."""
    key = rows_key(result)
    if key is None:
        return _latencies(result)
    rows = result[key]
    titles = [path for path in _TABLES[key] if any(at(row, path) is not None for row in rows)]
    return titles, [[shown(at(row, path)) for path in titles] for row in rows]


def _latencies(result: typing.Mapping[str, typing.Any]) -> tuple[list[str], list[list[str]]]:
    by_metric: dict[str, dict[str, float]] = {}
    for key in result:
        if match := _PERCENTILE.fullmatch(key):
            by_metric.setdefault(match[1], {})[match[2]] = result[key]
    titles = list(next(iter(by_metric.values()), {}))
    return ["ms", *titles] if titles else [], [
        [metric, *(shown(values.get(title)) for title in titles)]
        for metric, values in by_metric.items()]


def html(result: Result) -> str:
    """For a notebook: the headline, which says what undermines the answer, and the table."""
    color = _COLORS.get(verdict(result), "inherit")
    headline = f'<p><b style="color:{color}">{escaping.escape(result.headline)}</b></p>'
    return headline + html_table(*table(result))


def html_table(titles: list[str], rows: list[list[str]]) -> str:
    """Empty without titles; the first rows of a long one."""
    if not titles:
        return ""

    def line(cells: list[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{escaping.escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    more = len(rows) - _MOST_ROWS
    return ("<table><thead>" + line(titles, "th") + "</thead><tbody>"
            + "".join(line(row, "td") for row in rows[:_MOST_ROWS]) + "</tbody></table>"
            + (f"<p>and {more} rows more</p>" if more > 0 else ""))
