#include "report/plan/fleet.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "report/form/table.h"
#include "report/plan/figures.h"

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
    const PlanReport& plan = r.models[i];
    const CandidateResult* c = plan.best();
    columns[0].cells.push_back(r.names[i]);
    columns[1].cells.push_back(three_digits(*plan.request.rate_rps));
    columns[2].cells.push_back(c == nullptr ? "short" : describe_gpus(c->candidate));
    columns[3].cells.push_back(c == nullptr ? "" : fmt::format("{:.2f}", c->usd_per_hour));
    columns[4].cells.push_back(c == nullptr ? "" : kept_limits_text(plan));
  }
  return table(columns);
}

// How sure the answer for each model is.
std::vector<std::string> trust_lines(const FleetReport& r) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < r.names.size(); ++i) {
    if (r.models[i].best() == nullptr) continue;
    const std::string trust = trust_text(r.models[i]);
    if (!trust.empty()) lines.push_back(r.names[i] + ": " + trust);
  }
  return lines;
}

}  // namespace

bool FleetReport::is_interrupted() const {
  return std::ranges::any_of(models,
                             [](const PlanReport& model) { return model.plan.interrupted; });
}

std::vector<std::string> fleet_assumed(const FleetReport& r) {
  const auto is_common = [&](const std::string& text) {
    return std::ranges::all_of(r.models, [&](const PlanReport& model) {
      return std::ranges::count(model.assumed, text) > 0;
    });
  };
  std::vector<std::string> lines(1);
  for (std::size_t i = 0; i < r.models.size(); ++i) {
    std::vector<std::string> common;
    std::vector<std::string> own;
    for (const std::string& text : r.models[i].assumed) {
      (is_common(text) ? common : own).push_back(text);
    }
    lines.front() = join(common, ", ");
    if (!own.empty()) lines.push_back(r.names[i] + ": " + join(own, ", "));
  }
  std::erase(lines, "");
  return lines;
}

std::string fleet_limit_text(const FleetReport& r) {
  const std::string caps = caps_text(r.caps);
  return caps.empty() ? "" : caps + "; left: " + left_text(r);
}

std::string fleet_effort_text(const FleetReport& r) {
  std::int64_t tests = 0;
  std::int64_t candidates = 0;
  for (const PlanReport& model : r.models) {
    tests += model.plan.probes;
    candidates += std::ssize(model.plan.candidates);
  }
  return fmt::format("{} candidates in {} runs, then all combinations of those that hold",
                     grouped(candidates), grouped(tests));
}

std::string kept_limits_text(const PlanReport& plan) {
  std::vector<std::string> limits;
  for (std::size_t s = 0; s < plan.request.slos.size(); ++s) {
    limits.push_back(fmt::format("{} is {}", title_of(plan.request.slos[s]),
                                 ms_or_s(plan.best()->at_good->slos[s].value_ms / 1e3)));
  }
  return join(limits, "; ");
}

std::string shortage_text(const FleetReport& r, std::size_t model) {
  const std::vector<FleetOption> options = fleet_options(r.models[model].plan);
  if (options.empty()) {
    std::string text = "no candidate could be shown to hold its load within the limits";
    const PlanReport& report = r.models[model];
    const auto why = pruned_groups(report);
    return why.empty() ? text : text + ", such as " + first_of(report.plan, why.front());
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
    if (r.models[i].best() == nullptr) short_ones.push_back(r.names[i]);
  }
  const auto models = std::ssize(r.names);
  const std::string cut = r.is_interrupted() ? ", as far as it was searched" : "";
  if (short_ones.empty()) {
    return counted(models, "model") + " on " + sum_text(r) + cut + ".\n";
  }
  const std::string caps = caps_text(r.caps);
  return fmt::format("{} of {} served by {}{}; short: {}{}.\n", models - std::ssize(short_ones),
                     counted(models, "model"), sum_text(r), caps.empty() ? "" : ", at most " + caps,
                     join(short_ones, ", "), cut);
}

std::string fleet_text(const FleetReport& r, const Style& style) {
  const auto width = static_cast<std::size_t>(std::clamp(style.width, 60, 100));
  std::string text = paragraph("", fleet_verdict(r), 0, width) + "\n" + fleet_table(r) + "\n";
  const auto line = [&](const std::string& label, const std::string& what) {
    if (!what.empty()) text += paragraph("  " + label, what, kLabelWidth, width);
  };
  const auto lines = [&](std::string label, const std::vector<std::string>& all) {
    for (const std::string& what : all) line(std::exchange(label, ""), what);
  };
  for (std::size_t i = 0; i < r.names.size(); ++i) {
    if (r.models[i].best() == nullptr) line("short", r.names[i] + ": " + shortage_text(r, i));
  }
  line("limit", fleet_limit_text(r));
  line("searched", fleet_effort_text(r));
  lines("trust", trust_lines(r));
  lines("assumed", fleet_assumed(r));
  for (std::size_t i = 0; i < r.names.size(); ++i) {
    if (const CandidateResult* c = r.models[i].best()) {
      text += fmt::format("{:<{}}{}  # {}\n", "  next", kLabelWidth, run_command(*c), r.names[i]);
    }
  }
  return text;
}

}  // namespace plimsoll
