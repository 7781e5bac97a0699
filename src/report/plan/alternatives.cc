#include "report/plan/alternatives.h"

#include <algorithm>
#include <cstddef>

#include "report/answer/reasons.h"

namespace plimsoll {

std::string untested_text(const PlanReport& report, const CandidateResult& r) {
  if (!r.bound || !r.at_good) return {};
  return report.request.rate_rps ? "fewer replicas not tested" : "higher rates not tested";
}

std::string why_not_text(const PlanReport& report, const Alternative& a) {
  const CandidateResult& r = *a.result;
  if (&r == report.best()) return "the pick";
  const auto index = static_cast<std::size_t>(&r - report.plan.candidates.data());
  std::string text = reason_text(r, report.request);
  if (text.empty()) text = name_of(r.fate);
  if (a.is_bound) {
    text = "a bound, not tested: " + text;
  } else {
    if (std::ranges::count(report.plan.frontier, index) > 0) text += "; on the frontier";
    if (const std::string left = untested_text(report, r); !left.empty()) text += "; " + left;
  }
  const std::string what = extrapolation_of(report, r);
  return what.empty() ? text : text + "; extrapolated: " + what;
}

}  // namespace plimsoll
