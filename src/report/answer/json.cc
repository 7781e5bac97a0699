#include "report/answer/json.h"

#include <cmath>

#include "metrics/summary.h"

namespace plimsoll {
namespace {

Json ends_of(const Interval& i) {
  return Json::array({number_or_null(i.low), number_or_null(i.high)});
}

}  // namespace

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json ends_or_null(const std::optional<Interval>& interval) {
  return interval ? ends_of(*interval) : Json(nullptr);
}

Json headroom_json(double asked_rps, double good_rps) {
  return good_rps > asked_rps ? Json(good_rps / asked_rps - 1) : Json(nullptr);
}

Json answer_interval_json(const Interval& whole, const Interval& sampled,
                          const std::optional<Interval>& model) {
  return {{"low", number_or_null(whole.low)},
          {"high", number_or_null(whole.high)},
          {"level", kIntervalLevel},
          {"parts", {{"sampling", ends_of(sampled)}, {"model", ends_or_null(model)}}}};
}

}  // namespace plimsoll
