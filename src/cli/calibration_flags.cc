// The flags of `calibrate`, and those that apply what it finds.
#include "base/calendar.h"
#include "catalog/price.h"
#include "cli/flag_rows.h"

namespace plimsoll {
namespace {

// To the year, month, day or moment.
Value date() {
  return value_at<std::string>(
      &CalibrationSpec::measured_on,
      [](std::string_view text) -> Reading<std::string> {
        if (price_day(text) || parse_written_time(text)) return std::string(text);
        return tl::unexpected(
            Refusal{.must = "a date such as 2026-11-21, 2026-11 or 2026-11-21T08:30:00Z"});
      },
      [](const std::string& text) { return text; });
}

}  // namespace

void add_calibration_flags(std::vector<Flag>& all) {
  Rows{all, FlagGroup::calibrated}.add(
      "--calibration", text(&StepTimeSpec::calibration), "FILE",
      "Step times that `plimsoll calibrate` fitted, from the file");
  const Rows measured{all, FlagGroup::profile};
  measured.add("--profile", text(&StepTimeSpec::profile), "FILE",
               "Measured prefill and decode steps, to which step times are fitted: "
               "fitted_profile.json, with metadata.json and model_memory.json next to it");
  measured.add(
      "--telemetry", text(&StepTimeSpec::telemetry), "FILE",
      "Samples of an engine's steps: batches and the times of their operators. `calibrate` also "
      "takes what Prometheus answers to a query of the counters and latencies of vLLM or SGLang");
  const Rows rows{all, FlagGroup::calibration};
  rows.add("--no-base", on_off(&CalibrationSpec::no_base), "",
           "Fit a linear law of requests and prompt tokens from scratch instead of a correction of "
           "the latency model: for engines that no model knows");
  rows.add("--measured-on", date(), "DATE", "When the measurements were made; kept in the file");
  rows.add("--output", text(&ConversionSpec::output), "FILE", "Where to write the calibration");
}

}  // namespace plimsoll
