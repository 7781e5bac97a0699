#include "report/plan/trust.h"

#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "planner/model_range.h"
#include "report/answer/words.h"
#include "report/plan/figures.h"

namespace plimsoll {

std::string served_range_text(const PlanReport& r) {
  if (!r.plan.model_rps) return {};
  const Interval whole = whole_interval(sustained_rps(r.plan, *r.best()),
                                        sampled_rps(r.plan, *r.best()), r.plan.model_rps);
  const std::string range =
      std::isfinite(whole.high)
          ? fmt::format("{} to {} req/s", three_digits(whole.low), three_digits(whole.high))
          : fmt::format("{} req/s or more", three_digits(whole.low));
  const auto& asked = r.request.rate_rps;
  if (!asked || whole.low >= *asked) return range;
  return range +
         fmt::format(", less than {} where steps are as long as they may be", three_digits(*asked));
}

std::string trust_text(const PlanReport& r) {
  const auto& error = r.plan.model_error;
  if (!error) return {};
  const std::string text =
      fmt::format("model: steps +-{} ({}); rates of candidates to 2 %, each test 95 % sure",
                  percent(std::expm1(error->step)), name_of(error->regime)) +
      (r.best()->at_good ? "; the best " + seeds_text(r.request.slos, *r.best()->at_good) : "");
  const std::string range = served_range_text(r);
  return range.empty() ? text : text + "; with the model's error the best serves " + range;
}

}  // namespace plimsoll
