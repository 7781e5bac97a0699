#include <fmt/format.h>

#include "base/text.h"
#include "report/form/table.h"
#include "report/plan/fleet.h"
#include "report/plan/summary.h"
#include "report/plan/trust.h"

namespace plimsoll {
namespace {

std::string model_title(const std::string& name) {
  const std::string rule(kSummaryWidth, '=');
  return "\n" + rule + "\n   " + name + "\n" + rule + "\n";
}

std::string model_part(const FleetReport& report, std::size_t i) {
  const PlanReport& plan = report.models[i];
  std::string text = model_title(report.names[i] + ": " + plan.model);
  if (plan.best() == nullptr) {
    const std::string why = "Not served: " + shortage_text(report, i) + ".";
    return text + "\n" + paragraph("", why, 0, kSummaryWidth);
  }
  text += "\n" + paragraph("", plan_verdict(plan), 0, kSummaryWidth) + plan_summary_part(plan);
  std::vector<std::string> basis = plan.provenance;
  if (const std::string trust = trust_text(plan); !trust.empty()) basis.push_back(trust);
  basis.push_back("assumed: " + join(plan.assumed, ", "));
  return text + summary_list("WHAT IT RESTS ON", basis);
}

}  // namespace

std::string fleet_summary(const FleetReport& report) {
  std::string text =
      summary_head("Models: " + join(report.names, ", "), report.timestamp, fleet_verdict(report));
  if (const std::string limit = fleet_limit_text(report); !limit.empty()) {
    text += paragraph("", "Limit of the fleet: " + limit + ".", 0, kSummaryWidth);
  }
  for (std::size_t i = 0; i < report.names.size(); ++i) text += model_part(report, i);
  return text + summary_heading("REPEAT IT") + report.command + "\n";
}

}  // namespace plimsoll
