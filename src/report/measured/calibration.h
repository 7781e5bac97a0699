// The findings of `calibrate`, as text for people and as JSON for programs.
#pragma once

#include <string>
#include <vector>

#include "perf/calibration.h"
#include "report/form/table.h"

namespace plimsoll {

struct CalibrationReport {
  Calibration calibration;
  std::vector<std::string> notes;    ///< what was left out, and why
  std::vector<std::string> remarks;  ///< on what was measured
  std::string next;                  ///< what to do with it; may be empty
  bool is_written = false;           ///< to a file, which `next` then uses
};

/// The verdict alone, one line.
std::string calibration_verdict(const Calibration& calibration);
std::string calibration_report_text(const CalibrationReport& report, const Style& style);
std::string calibration_report_json(const CalibrationReport& report);

}  // namespace plimsoll
