#include "report/run/saturation_report.h"

#include <fmt/format.h>

namespace plimsoll {

SaturationReport::SaturationReport(const std::string& path) : file_(path) {
  file_.write("{\"trace\": [");
}

void SaturationReport::add(Time at, const std::string& detector, const SaturationVerdict& verdict) {
  std::string signals;
  for (const auto& [name, value] : verdict.signals) {
    signals += fmt::format("{}\"{}\": {}", signals.empty() ? "" : ", ", name, value);
  }
  file_.write(
      fmt::format("{}{{\"timestamp\": {}, \"detector\": \"{}\", \"result\": {{\"level\": \"{}\", "
                  "\"score\": {}, "
                  "\"confidence\": {}, \"signals\": {{{}}}}}}}",
                  between_, at.ns / 1000, detector, level_name(verdict.level), verdict.score,
                  verdict.confidence, signals));
  between_ = ",\n";
}

Result<void> SaturationReport::finish(const std::vector<SaturationLabel>& labels) {
  std::string last;
  for (const SaturationLabel& label : labels) {
    last += fmt::format("{}\"{}\": \"{}\"", last.empty() ? "" : ", ", label.detector,
                        level_name(label.level));
  }
  file_.write(fmt::format("\n], \"final\": {{{}}}}}\n", last));
  return file_.finish();
}

}  // namespace plimsoll
