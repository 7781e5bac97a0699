// A forecast for people and for programs: the headroom sheet, what scenarios do to it, and when
// which resource runs out.
#pragma once

#include <string>
#include <vector>

#include "forecast/answer/forecast_answer.h"
#include "report/answer/decision.h"
#include "report/run/terminal.h"

namespace plimsoll {

struct ForecastReport : ForecastAnswer {
  std::vector<std::string> deployment;  ///< "qwen3-14b", "16 x H100"; empty without one
  std::string command;                  ///< that repeats it

  const std::string& name() const { return request.name.empty() ? request.file : request.name; }
};

Decision decision_of(const ForecastReport& report);
/// The decision as a text.
std::string forecast_verdict(const ForecastReport& report);
/// All of it, or the body of its page (Style::markup).
std::string forecast_text(const ForecastReport& report, const Style& style);
std::string forecast_json(const ForecastReport& report);

}  // namespace plimsoll
