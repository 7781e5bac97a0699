#include "report/answer_interval.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "metrics/summary.h"
#include "planner/model_range.h"

namespace plimsoll {
namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json ends_of(const Interval& i) {
  return Json::array({number_or_null(i.low), number_or_null(i.high)});
}

}  // namespace

Json answer_interval_json(double answer, const Interval& sampled,
                          const std::optional<Interval>& model) {
  const Interval whole = whole_interval(answer, sampled, model);
  return {{"low", number_or_null(whole.low)},
          {"high", number_or_null(whole.high)},
          {"level", kIntervalLevel},
          {"parts",
           {{"sampling", ends_of(sampled)}, {"model", model ? ends_of(*model) : Json(nullptr)}}}};
}

}  // namespace plimsoll
