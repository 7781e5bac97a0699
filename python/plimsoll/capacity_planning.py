"""From a measured profile, a workload and limits to a deployment: `plimsoll plan` in the words of
another planner (docs/how-to/python.md). Also `python -m plimsoll.capacity_planning --help`.

    planner = CapacityPlanner("fitted_profile.json").calibrate("telemetry.json")
    report = planner.search({"gpu_types": ["A100"]}, {"max_ttft_p95_ms": 2000}, "production.yaml")
    planner.save_report(report, "plan.json")
"""
import argparse
import json
import pathlib
import sys
import tempfile

from plimsoll.command import ask
from plimsoll.errors import USAGE, PlimsollError
from plimsoll.request import Request
from plimsoll.results import Result

_IO_ERROR = 3
_INTERRUPTED = 130


class Report(Result):
    """The answer of plan(); `summary_text` is the same for people."""

    summary_text = ""

    @classmethod
    def of(cls, result):
        report = cls(result)
        vars(report).update(vars(result))
        return report


class CapacityPlanner:
    """Plans for one profile: fitted_profile.json, the metadata.json beside it, or their folder."""

    def __init__(self, profile_path):
        self.profile_path = pathlib.Path(profile_path)
        if not self.profile_path.exists():
            raise PlimsollError(f"{profile_path}: no such profile", _IO_ERROR)
        self.calibration = None  # what `plimsoll calibrate --json` says
        self._telemetry_path = None

    def calibrate(self, telemetry_path=None):
        """Lets telemetry decide together with the profile. Without it the profile's own fit stays
        and nothing is adjusted. Returns the planner."""
        self.calibration = ask("calibrate", profile=self.profile_path, telemetry=telemetry_path)
        self._telemetry_path = telemetry_path
        return self

    def search(self, config_space=None, constraints=None, workload_desc=None, simulation=None, *,
               progress=None, **flags):
        """The best deployment as a Report. Sections are dicts, or paths of YAML files that hold
        them; flags are those of `plimsoll plan`."""
        request = Request()
        request.add_fact("profile", self.profile_path)
        if self._telemetry_path is not None:
            request.add_fact("telemetry", self._telemetry_path)
        for name, section in (("workload", workload_desc), ("constraints", constraints),
                              ("config_space", config_space), ("simulation", simulation)):
            if section is not None:
                request.add_section(name, section)
        with tempfile.TemporaryDirectory(prefix="plimsoll-") as folder:
            if flags.get("summary") is None:
                flags["summary"] = pathlib.Path(folder, "summary.txt")
            try:
                report = Report.of(ask("plan", request.text(), progress=progress, **flags))
            except PlimsollError as error:
                problems = [one._replace(where=request.located(one.where))
                            for one in error.problems]
                raise PlimsollError(request.located(str(error)), error.exit_code,
                                    problems) from None
            report.summary_text = pathlib.Path(flags["summary"]).read_text(encoding="utf-8")
        return report

    @staticmethod
    def save_report(results, path):
        """As JSON; folders on the way are made."""
        _save(path, json.dumps(results, indent=2, ensure_ascii=False) + "\n")

    @staticmethod
    def save_summary(results, path):
        """As text, of a Report; folders on the way are made."""
        if not isinstance(results, Report):
            raise TypeError("save_summary() writes the Report that search() returned, not a "
                            f"{type(results).__name__}: a report's JSON does not hold its text")
        _save(path, results.summary_text)


def run_capacity_planning(profile_path, workload_config, output_path=None, constraints=None,
                          telemetry_path=None, config_space=None, *, progress=None, **flags):
    """calibrate(), search() and save_report() in one, the first and the last where a path says."""
    if output_path is not None:
        _make_way(output_path)  # a search is long: better now than after it
    planner = CapacityPlanner(profile_path)
    if telemetry_path is not None:
        planner.calibrate(telemetry_path)
    report = planner.search(config_space, constraints, workload_config, progress=progress, **flags)
    if output_path is not None:
        planner.save_report(report, output_path)
    return report


def _make_way(path):
    if pathlib.Path(path).is_dir():
        raise PlimsollError(f"{path}: this is a folder\n  name a file in it", USAGE)
    pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)


def _save(path, text):
    _make_way(path)
    pathlib.Path(path).write_text(text, encoding="utf-8")


def _arguments(words):
    parser = argparse.ArgumentParser(prog="python -m plimsoll.capacity_planning",
                                     description=run_capacity_planning.__doc__)
    parser.add_argument("--profile", required=True, help="fitted_profile.json or its folder")
    parser.add_argument("--workload", required=True, help="YAML file with the workload")
    parser.add_argument("--constraints", help="YAML file with the limits")
    parser.add_argument("--telemetry", help="samples of an engine, to calibrate with")
    parser.add_argument("--output", help="file for the report as JSON")
    return parser.parse_args(words)


def main(words):
    """Prints the summary; 1 where nothing is feasible."""
    asked = _arguments(words)
    progress = _show_line if sys.stderr.isatty() else None
    try:
        report = run_capacity_planning(asked.profile, asked.workload, asked.output,
                                       asked.constraints, asked.telemetry, progress=progress)
    except PlimsollError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    except OSError as error:
        print(f"error: {error.filename}: {error.strerror}", file=sys.stderr)
        return _IO_ERROR
    except KeyboardInterrupt:
        return _INTERRUPTED
    print(report.summary_text, end="")
    return 0 if report["best_configuration"] else 1


def _show_line(text):
    print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
