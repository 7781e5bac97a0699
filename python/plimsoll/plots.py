"""Pictures of answers. matplotlib is imported only here, and only when asked for."""
from __future__ import annotations

import datetime
import textwrap
import typing

from plimsoll.errors import USAGE, PlimsollError
from plimsoll.shown import at

_PERCENTILES = ("p50", "p90", "p95", "p99")
_GOOD, _BAD, _OPEN = "#1a7f37", "#cf222e", "#9a6700"
_BY_ANSWER = {"holds": _GOOD, "fails": _BAD, "unclear": _OPEN}
_LONGEST_TITLE = 240
_TITLE_WIDTH = 80


def _pyplot() -> typing.Any:
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError(".plot() needs matplotlib: install it (Debian: python3-matplotlib)"
                          ) from error
    return pyplot


def plot(result: typing.Any, ax: typing.Any) -> typing.Any:
    """The axes with the picture of this answer."""
    draw = next((draw for key, draw in _DRAWINGS if key in result), None)
    if draw is None:
        raise PlimsollError(f"{result.verb}() has no picture\n  .to_dict() has its figures", USAGE)
    ax = _axes(ax)
    title = textwrap.shorten(result.headline, _LONGEST_TITLE, placeholder=" ...")
    ax.set_title(textwrap.fill(title, _TITLE_WIDTH), fontsize="small")
    draw(result, ax)
    return ax


def _axes(ax: typing.Any) -> typing.Any:
    return _pyplot().subplots()[1] if ax is None else ax


def _labels(ax: typing.Any, x: str, y: str) -> None:
    ax.set_xlabel(x)
    ax.set_ylabel(y)


def _evidence(result: typing.Any, ax: typing.Any) -> None:
    """Each test: the first limit's figure over what was varied."""
    tests = [test for test in result["evidence"] if test["slos"]]
    varied = "instances" if len({test["instances"] for test in tests}) > 1 else "rate_rps"
    for test in tests:
        ax.scatter(test[varied], test["slos"][0]["value_ms"], color=_BY_ANSWER[test["answer"]])
    for answer in dict.fromkeys(test["answer"] for test in tests):
        ax.scatter([], [], color=_BY_ANSWER[answer], label=answer)
    if tests:
        limit = tests[0]["slos"][0]
        ax.axhline(limit["target_ms"], linestyle="--", color="grey", label=limit["slo"])
        ax.set_yscale("log")
        if varied == "instances":
            ax.xaxis.get_major_locator().set_params(integer=True)
        ax.legend()
        _labels(ax, varied, limit["metric"])


def _candidates(result: typing.Any, ax: typing.Any) -> None:
    """Cost against what is served; where a rate is asked for, against the first limit's figure."""
    tested = [row for row in result["all_candidates"] if row.get("metrics")]
    limits = [limit for row in tested for limit in (at(row, "slo_compliance.slos") or [])[:1]]
    limit = limits[0] if limits and at(result, "inputs.rate_rps") else None

    def height(row: typing.Any) -> typing.Any:
        if limit is None:
            return row["max_qps"]
        return next((one["value_ms"] for one in at(row, "slo_compliance.slos") or []), None)

    def points(wanted: typing.Collection[int]) -> list[tuple[float, float]]:
        return sorted((row["cost_per_hour"], height(row)) for row in tested
                      if row["config_id"] in wanted and row.get("cost_per_hour")
                      and height(row) is not None)

    def draw(wanted: typing.Collection[int], label: str, style: str, **more: typing.Any) -> None:
        if points(wanted):
            ax.plot(*zip(*points(wanted)), style, label=label, **more)

    best = result["best_configuration"]
    draw([row["config_id"] for row in tested], "candidates", "o", color="grey")
    draw([row["config_id"] for row in result["pareto_frontier"]], "Pareto frontier", "o-",
         color=_GOOD)
    draw([best["config_id"]] if best else [], "best", "*", color=_GOOD, markersize=16)
    _labels(ax, "USD per hour", "sustainable req/s" if limit is None else limit["metric"])
    if limit is not None:
        ax.axhline(limit["target_ms"], linestyle="--", color="grey", label=limit["slo"])
        ax.set_yscale("log")
    ax.legend()


def _resources(result: typing.Any, ax: typing.Any) -> None:
    """The fan of what runs out first; without a history, the use of each resource."""
    runway = [row for row in result["runway"] if row.get("fan")]
    if not runway:
        rows = [row for row in result["resources"] if row.get("utilisation") is not None]
        ax.barh([row["name"] for row in rows], [100 * row["utilisation"] for row in rows])
        ax.axvline(100, linestyle="--", color="grey")
        _labels(ax, "% of capacity at the forecast peak", "")
        return
    row = next((row for row in runway if row["resource"] == result["binding"]), runway[0])
    times = [_time(moment["time"]) for moment in row["fan"]]
    for low, high in (("p5", "p95"), ("p25", "p75")):
        ax.fill_between(times, [one[low] for one in row["fan"]], [one[high] for one in row["fan"]],
                        alpha=0.25, color="C0")
    ax.plot(times, [one["p50"] for one in row["fan"]], color="C0", label="forecast")
    if row.get("line") is not None:
        ax.axhline(row["line"], linestyle="--", color="grey", label="capacity")
    ax.legend()
    ax.tick_params(axis="x", rotation=30)
    _labels(ax, "", row["resource"])


def _time(text: str) -> datetime.datetime:
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def _variants(result: typing.Any, ax: typing.Any) -> None:
    """The figure that decides, with its interval."""
    by = result["by"]
    rows = [row for row in result["variants"] if at(row, f"figures.{by}.mean") is not None]
    for row in rows:
        figure = row["figures"][by]
        low, high = figure.get("low"), figure.get("high")
        spread = None if low is None or high is None else \
            [[figure["mean"] - low], [high - figure["mean"]]]
        ax.errorbar([row["name"]], [figure["mean"]], yerr=spread, fmt="o", capsize=6,
                    color=_GOOD if row["name"] == result["best"] else "grey")
    ax.tick_params(axis="x", rotation=20)
    _labels(ax, "", by)


def _cases(result: typing.Any, ax: typing.Any) -> None:
    """Predicted over measured; on the line they are equal."""
    names = dict.fromkeys(name for case in result["cases"] for name in case["metrics"])
    values: list[float] = []
    for name in names:
        pairs = [(case["metrics"][name]["measured"], case["metrics"][name]["predicted"])
                 for case in result["cases"] if name in case["metrics"]]
        ax.scatter(*zip(*pairs), label=name)
        values += [value for pair in pairs for value in pair]
    ax.axline((min(values), min(values)), (max(values), max(values)), color="grey", linestyle="--")
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.legend(fontsize="x-small")
    _labels(ax, "measured", "predicted")


def _over_time(result: typing.Any, ax: typing.Any) -> None:
    """Requests as they arrive."""
    times = result["arrivals"]["over_time"]
    width = times["bucket_s"]
    ax.bar([width * (at + 0.5) for at in range(len(times["requests"]))], times["requests"], width)
    _labels(ax, "s", f"requests per {width} s")


def _latencies(result: typing.Any, ax: typing.Any) -> None:
    """Percentiles of each latency."""
    for metric in ("ttft", "tpot", "itl", "e2e"):
        values = [result.get(f"{metric}_{one}_ms") for one in _PERCENTILES]
        if all(values):
            ax.plot(_PERCENTILES, values, marker="o", label=metric)
    ax.set_yscale("log")
    ax.legend()
    _labels(ax, "percentile", "ms")


# By a key that only such an answer has.
_DRAWINGS = (("evidence", _evidence), ("all_candidates", _candidates), ("runway", _resources),
             ("variants", _variants), ("cases", _cases), ("arrivals", _over_time),
             ("ttft_p99_ms", _latencies))


def plot_sweep(sweep: typing.Any, figure: str, ax: typing.Any) -> typing.Any:
    """A figure over the first keyword, a line for each value of the others."""
    ax = _axes(ax)
    first, *others = sweep.over
    lines: dict[str, list[tuple[typing.Any, typing.Any]]] = {}
    for row in sweep.rows(figure):
        name = ", ".join(f"{other}={row[other]}" for other in others)
        lines.setdefault(name, []).append((row[first], row[figure]))
    if not any(value is not None for points in lines.values() for _, value in points):
        raise PlimsollError(f'"{figure}" is None in every answer\n  .rows() shows some', USAGE)
    for name, points in lines.items():
        ax.plot(*zip(*points), marker="o", label=name or None)
    if others:
        ax.legend()
    _labels(ax, first, figure)
    return ax
