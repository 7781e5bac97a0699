#include "report/plan_trust.h"

#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "planner/model_range.h"
#include "report/answer_words.h"
#include "report/plan_figures.h"

namespace plimsoll {

std::string served_range_text(const PlanReport& r) {
  if (!r.plan.model_rps) return {};
  const Interval whole = whole_interval(sustained_rps(r.plan, *r.best()),
                                        sampled_rps(r.plan, *r.best()), r.plan.model_rps);
  if (!std::isfinite(whole.high)) return fmt::format("{} req/s or more", three_digits(whole.low));
  return fmt::format("{} to {} req/s", three_digits(whole.low), three_digits(whole.high));
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
