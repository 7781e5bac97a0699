#include "cli/plan_report.h"

#include <utility>

#include "cli/plan_question.h"

namespace plimsoll {
namespace {

void add_to(std::vector<std::string>* all, const std::vector<std::string>& more) {
  all->insert(all->end(), more.begin(), more.end());
}

}  // namespace

Result<void> fill_report(const Command& command, const Planned& planned, PlanReport* report) {
  auto inputs = planned.inputs();
  if (!inputs) return pass_on(inputs);
  report->inputs = std::move(*inputs);
  report->inputs.files = files_behind(command, report->request);
  report->model = planned.model();
  for (const CandidateResult& r : report->plan.candidates) {
    report->extrapolations.push_back(planned.extrapolation(r.candidate));
  }
  add_to(&report->assumed, planned.assumed());
  add_to(&report->provenance, planned.provenance());
  if (const CandidateResult* best = report->best()) {
    add_to(&report->assumed, planned.assumed_of(best->flags));
  }
  return {};
}

}  // namespace plimsoll
