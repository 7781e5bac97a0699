import collections.abc
import os
import typing

from plimsoll import Result
from plimsoll.types import Progress

Path = str | os.PathLike[str]
Section = Path | collections.abc.Mapping[str, typing.Any]

class Report(Result):
    summary_text: str
    @classmethod
    def of(cls, result: Result) -> Report: ...

class CapacityPlanner:
    calibration: Result | None
    def __init__(self, profile_path: Path) -> None: ...
    # Without telemetry the profile's own fit stays and nothing is adjusted.
    def calibrate(self, telemetry_path: Path | None = None) -> typing.Self: ...
    def search(self, config_space: Section | None = None, constraints: Section | None = None,
               workload_desc: Section | None = None, simulation: Section | None = None, *,
               progress: Progress = None, **flags: typing.Any) -> Report: ...
    @staticmethod
    def save_report(results: Result, path: Path) -> None: ...
    @staticmethod
    def save_summary(results: Report, path: Path) -> None: ...

def run_capacity_planning(profile_path: Path, workload_config: Section,
                          output_path: Path | None = None, constraints: Section | None = None,
                          telemetry_path: Path | None = None,
                          config_space: Section | None = None, *, progress: Progress = None,
                          **flags: typing.Any) -> Report: ...
def main(words: list[str]) -> int: ...
