#include "report/answer/json.h"

#include "metrics/summary.h"
#include "planner/headroom.h"

namespace plimsoll {
namespace {

Json ends_of(const Interval& i) { return Json::array({i.low, i.high}); }

}  // namespace

Json ends_or_null(const std::optional<Interval>& interval) {
  return interval ? ends_of(*interval) : Json(nullptr);
}

Json headroom_json(double asked_rps, double good_rps) {
  return good_rps > asked_rps ? Json(headroom_of(asked_rps, good_rps)) : Json(nullptr);
}

Json answer_interval_json(const Interval& whole, const Interval& sampled,
                          const std::optional<Interval>& model) {
  return {{"low", whole.low},
          {"high", whole.high},
          {"level", kIntervalLevel},
          {"parts", {{"sampling", ends_of(sampled)}, {"model", ends_or_null(model)}}}};
}

}  // namespace plimsoll
