#include "planner/turning_points.h"

#include <algorithm>
#include <cmath>

namespace plimsoll {
namespace {

constexpr double kStep = 2;
constexpr int kSteps = 2;    // on either side
constexpr int kBetween = 2;  // halvings of a step, on a logarithmic scale

class Looking {
 public:
  Looking(DivisionAnswer asked, const AskDivision& ask, const std::function<bool()>& keep_going)
      : points_{{1, asked}}, ask_(ask), keep_going_(keep_going) {}

  Result<std::vector<DivisionPoint>> around() {
    const DivisionPoint asked = points_.front();
    for (const double step : {1 / kStep, kStep}) TRY_TO(on_side(asked, step));
    std::ranges::sort(points_, {}, &DivisionPoint::factor);
    return std::move(points_);
  }

 private:
  Result<void> on_side(const DivisionPoint& asked, double step) {
    DivisionPoint last = asked;
    for (int i = 0; i < kSteps && keep_going_(); ++i) {
      TRY(answer, ask_(last.factor * step));
      if (!keep_going_()) return {};
      const DivisionPoint next{last.factor * step, answer};
      points_.push_back(next);
      if (answer != last.answer) return between(last, next);
      last = next;
    }
    return {};
  }

  Result<void> between(DivisionPoint one, DivisionPoint other) {
    for (int i = 0; i < kBetween && keep_going_(); ++i) {
      const double middle = std::sqrt(one.factor * other.factor);
      TRY(answer, ask_(middle));
      if (!keep_going_()) return {};
      points_.push_back({middle, answer});
      (answer == one.answer ? one : other) = points_.back();
    }
    return {};
  }

  std::vector<DivisionPoint> points_;
  const AskDivision& ask_;
  const std::function<bool()>& keep_going_;
};

}  // namespace

double tied_share(const PlanRequest& request) {
  const bool is_whole = request.rate_rps && request.objective != Objective::lowest_latency;
  return is_whole ? 0 : kRatePrecision;
}

DivisionAnswer division_answer(DivisionKind division, const PlanRequest& request,
                               const Plan& plan) {
  const bool splits = division == DivisionKind::split;
  const auto& with = splits ? plan.best_split : plan.best_mix;
  const auto& without = splits ? plan.best_aggregated : plan.best_alone;
  if (!with && !without) return DivisionAnswer::neither;
  if (!without) return DivisionAnswer::with;
  if (!with) return DivisionAnswer::without;
  const double ratio = with->cost / without->cost;
  const double tied = 1 + tied_share(request);
  if (ratio < 1 / tied) return DivisionAnswer::with;
  return ratio > tied ? DivisionAnswer::without : DivisionAnswer::even;
}

Result<std::vector<DivisionPoint>> look_around(DivisionAnswer asked, const AskDivision& ask,
                                               const std::function<bool()>& keep_going) {
  return Looking(asked, ask, keep_going).around();
}

}  // namespace plimsoll
