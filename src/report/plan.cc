#include "report/plan.h"

#include <fmt/format.h>

#include "base/text.h"
#include "report/table.h"

namespace plimsoll {

std::string plan_verdict(const PlanReport& report) {
  const CandidateResult* best = report.best();
  if (best == nullptr) return "no candidate keeps all limits.\n";
  return fmt::format("{} at ${:.2f}/h: {} req/s\n", describe(best->candidate), best->usd_per_hour,
                     three_digits(best->good_rps));
}

std::string plan_text(const PlanReport& report, const Style&) {
  std::string text = plan_verdict(report) + "\n";
  for (const CandidateResult& c : report.plan.candidates) {
    if (c.fate == Fate::pruned) continue;
    text += fmt::format("{} {} ${:.2f} [{}, {}] {} {}\n", c.id, describe(c.candidate),
                        c.usd_per_hour, c.good_rps, c.bad_rps, name_of(c.fate), c.reason);
  }
  return text + fmt::format("{} probes {} rounds {} candidates\n", report.plan.probes,
                            report.plan.rounds, report.plan.candidates.size());
}

std::string plan_json(const PlanReport&) { return "{}\n"; }

std::string PlanReport::why_nothing() const { return {}; }

}  // namespace plimsoll
