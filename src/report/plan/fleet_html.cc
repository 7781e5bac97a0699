// The page of several models on one fleet: verdict and sum, who is served by what, the limit they
// share, then a part for each model as its own page would have it.
#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "report/form/markup.h"
#include "report/form/page.h"
#include "report/plan/figures.h"
#include "report/plan/fleet.h"
#include "report/plan/page.h"

namespace plimsoll {
namespace {

std::string dollars(double usd) { return fmt::format("${:.2f}", usd); }

std::string fleet_head(const FleetReport& report) {
  const std::string facts =
      fmt::format("Capacity plan for {} on one fleet, {}",
                  counted(std::ssize(report.names), "model"), fleet_effort_text(report));
  const std::string made =
      report.timestamp.empty() ? "" : ", " + element("time", "", escaped(report.timestamp));
  return element("p", "class=\"small\"", escaped(facts) + made) + "\n" +
         page_heading(fleet_verdict(report));
}

std::string fleet_tiles(const FleetReport& report) {
  const FleetChoice& sum = report.choice;
  std::string text = tile("total_gpus", static_cast<double>(sum.gpus), grouped(sum.gpus),
                          sum.gpus == 1 ? "GPU" : "GPUs");
  if (sum.usd_per_hour > 0) {
    text += tile("cost_per_hour", sum.usd_per_hour, dollars(sum.usd_per_hour), "per hour");
  }
  const auto served = std::ranges::count_if(
      report.models, [](const PlanReport& model) { return model.best() != nullptr; });
  text += tile("served", static_cast<double>(served), grouped(served),
               "of " + counted(std::ssize(report.names), "model") + " served");
  return element("div", "class=\"tiles\"", text) + "\n";
}

std::string models_table(const FleetReport& report) {
  PageTable table("", {"model", "req/s", "GPUs", "per hour", "limits"});
  for (std::size_t i = 0; i < report.names.size(); ++i) {
    const PlanReport& plan = report.models[i];
    const CandidateResult* best = plan.best();
    const double rate = *plan.request.rate_rps;
    if (best == nullptr) {
      table.add({{report.names[i]},
                 {plain(rate), rate},
                 {"short", {}, "", "short"},
                 {},
                 {shortage_text(report, i)}});
      continue;
    }
    PageTable::Cell usd;
    if (best->usd_per_hour > 0) usd = {dollars(best->usd_per_hour), best->usd_per_hour};
    table.add({{report.names[i]},
               {plain(rate), rate},
               {describe_gpus(best->candidate)},
               usd,
               {kept_limits_text(plan)}});
  }
  return table.markup();
}

std::string model_section(const FleetReport& report, std::size_t i) {
  const PlanReport& plan = report.models[i];
  const std::string& name = report.names[i];
  if (plan.best() == nullptr) {
    const std::string why = fmt::format("{}: {}.", plan.model, shortage_text(report, i));
    return section(name + " is short", element("p", "", escaped(why)) + "\n");
  }
  std::string verdict = plan_verdict(plan);
  verdict.pop_back();
  return section(name, element("p", "", escaped(plan.model + ": " + verdict)) + "\n" +
                           plan_part(plan, {3, name + "."}));
}

std::string fleet_commands(const FleetReport& report) {
  std::string text = command_block(report.command);
  for (std::size_t i = 0; i < report.names.size(); ++i) {
    const CandidateResult* best = report.models[i].best();
    if (best == nullptr) continue;
    text += element("p", "", escaped("The run behind the answer for " + report.names[i] + ":")) +
            "\n" + command_block(run_command(*best));
  }
  return text;
}

}  // namespace

std::string fleet_html(const FleetReport& report) {
  std::string body = "<main>\n" + fleet_head(report) + fleet_tiles(report) +
                     section("Who is served by what", models_table(report));
  if (const std::string limit = fleet_limit_text(report); !limit.empty()) {
    body += section("The limit they share", element("p", "", escaped(limit + ".")) + "\n");
  }
  for (std::size_t i = 0; i < report.names.size(); ++i) body += model_section(report, i);
  body += section("Repeat it", fleet_commands(report)) + "</main>\n";
  return page("Plan: " + join(report.names, ", "), body);
}

}  // namespace plimsoll
