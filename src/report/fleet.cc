#include "report/fleet.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "report/plan_figures.h"
#include "report/table.h"

namespace plimsoll {
namespace {

constexpr std::size_t kLabelWidth = 13;

std::string caps_text(const FleetCaps& caps) {
  std::vector<std::string> parts;
  if (caps.gpus) parts.push_back(counted(*caps.gpus, "GPU"));
  if (caps.usd_per_hour) parts.push_back(fmt::format("${:.2f}/h", *caps.usd_per_hour));
  return join(parts, " and ");
}

std::string sum_text(const FleetReport& r) {
  return fmt::format("{} for ${:.2f}/h", counted(r.choice.gpus, "GPU"), r.choice.usd_per_hour);
}

std::string left_text(const FleetReport& r) {
  FleetCaps left = r.caps;
  if (left.gpus) *left.gpus -= r.choice.gpus;
  if (left.usd_per_hour) *left.usd_per_hour -= r.choice.usd_per_hour;
  return caps_text(left);
}

std::string fleet_table(const FleetReport& r) {
  std::vector<Column> columns{{"model", {}, false},
                              {"req/s", {}, true},
                              {"GPUs", {}, false},
                              {"$/h", {}, true},
                              {"limits", {}, false}};
  for (std::size_t i = 0; i < r.names.size(); ++i) {
    const CandidateResult* c = r.chosen(i);
    const PlanReport& plan = r.models[i];
    std::vector<std::string> limits;
    for (std::size_t s = 0; c != nullptr && s < plan.request.slos.size(); ++s) {
      limits.push_back(fmt::format("{} is {}", title_of(plan.request.slos[s]),
                                   ms_or_s(c->at_good->slos[s].value_ms / 1e3)));
    }
    columns[0].cells.push_back(r.names[i]);
    columns[1].cells.push_back(three_digits(*plan.request.rate_rps));
    columns[2].cells.push_back(c == nullptr ? "short" : describe_gpus(c->candidate));
    columns[3].cells.push_back(c == nullptr ? "" : fmt::format("{:.2f}", c->usd_per_hour));
    columns[4].cells.push_back(join(limits, "; "));
  }
  return table(columns);
}

// What stands in for several models stands there once.
std::vector<std::string> all_assumed(const FleetReport& r) {
  std::vector<std::string> all;
  for (const PlanReport& model : r.models) {
    for (const std::string& text : model.assumed) {
      if (std::ranges::count(all, text) == 0) all.push_back(text);
    }
  }
  return all;
}

}  // namespace

std::string shortage_text(const FleetReport& r, std::size_t model) {
  const std::vector<FleetOption> options = fleet_options(r.models[model].plan);
  if (options.empty()) {
    std::string text = "no candidate could be shown to hold its load within the limits";
    const auto why = pruned_groups(r.models[model].plan);
    return why.empty() ? text : text + ", such as: " + why.front().reason;
  }
  const FleetOption& fewest = *std::ranges::min_element(options, {}, &FleetOption::gpus);
  const FleetOption& cheapest = *std::ranges::min_element(options, {}, &FleetOption::usd_per_hour);
  std::string text = fmt::format("takes {} or ${:.2f}/h at least", counted(fewest.gpus, "GPU"),
                                 cheapest.usd_per_hour);
  const std::string left = left_text(r);
  return left.empty() ? text : text + "; the others leave " + left;
}

std::string fleet_verdict(const FleetReport& r) {
  std::vector<std::string> short_ones;
  for (std::size_t i = 0; i < r.names.size(); ++i) {
    if (!r.choice.chosen[i]) short_ones.push_back(r.names[i]);
  }
  const auto models = std::ssize(r.names);
  if (short_ones.empty()) return counted(models, "model") + " on " + sum_text(r) + ".\n";
  const std::string caps = caps_text(r.caps);
  return fmt::format("{} of {} served by {}{}; short: {}.\n", models - std::ssize(short_ones),
                     counted(models, "model"), sum_text(r), caps.empty() ? "" : ", at most " + caps,
                     join(short_ones, ", "));
}

std::string fleet_text(const FleetReport& r, const Style& style) {
  const auto width = static_cast<std::size_t>(std::clamp(style.width, 60, 100));
  std::string text = paragraph("", fleet_verdict(r), 0, width) + "\n" + fleet_table(r) + "\n";
  const auto line = [&](const std::string& label, const std::string& what) {
    if (!what.empty()) text += paragraph("  " + label, what, kLabelWidth, width);
  };
  for (std::size_t i = 0; i < r.names.size(); ++i) {
    if (!r.choice.chosen[i]) line("short", r.names[i] + " " + shortage_text(r, i));
  }
  if (const std::string caps = caps_text(r.caps); !caps.empty()) {
    line("limit", caps + "; left: " + left_text(r));
  }
  std::int64_t tests = 0;
  std::int64_t candidates = 0;
  for (const PlanReport& model : r.models) {
    tests += model.plan.probes;
    candidates += std::ssize(model.plan.candidates);
  }
  line("searched", fmt::format("{} candidates in {} runs, then all combinations of those that hold",
                               grouped(candidates), grouped(tests)));
  line("assumed", join(all_assumed(r), ", "));
  for (std::size_t i = 0; i < r.names.size(); ++i) {
    if (const CandidateResult* c = r.chosen(i)) {
      text += fmt::format("{:<{}}{}  # {}\n", "  next", kLabelWidth, run_command(*c), r.names[i]);
    }
  }
  return text;
}

}  // namespace plimsoll
