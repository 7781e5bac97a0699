#include "report/plan/fleet.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "report/answer/words.h"
#include "report/form/page.h"
#include "report/plan/figures.h"
#include "report/plan/page.h"

namespace plimsoll {
namespace {

std::string left_text(const FleetReport& r) {
  FleetCaps left = r.caps;
  if (left.gpus) *left.gpus -= r.choice.gpus;
  if (left.usd_per_hour) *left.usd_per_hour -= r.choice.usd_per_hour;
  return caps_text(left);
}

// The limits of a model that is served, with what was found: "TTFT p95 < 1 s is 134 ms".
std::string kept_limits_text(const PlanReport& plan) {
  std::vector<std::string> limits;
  for (std::size_t s = 0; s < plan.request.slos.size(); ++s) {
    const Slo& slo = plan.request.slos[s];
    limits.push_back(fmt::format("{} {} (limit {})", name_of(slo),
                                 ms_or_s(plan.best()->at_good->slos[s].value_ms / 1e3),
                                 title_of(slo).substr(name_of(slo).size() + 3)));
  }
  return join(limits, "; ");
}

std::vector<Column> fleet_columns(const FleetReport& r) {
  std::vector<Column> columns = columns_of({"<model", "req/s", "<GPUs", "$/h", "<limits"});
  for (std::size_t i = 0; i < r.names.size(); ++i) {
    const PlanReport& plan = r.models[i];
    const CandidateResult* c = plan.best();
    add_row(&columns, {r.names[i], three_digits(*plan.request.rate_rps),
                       c == nullptr ? "short" : deployment_text(plan.request, c->candidate),
                       c == nullptr ? "" : fmt::format("{:.2f}", c->usd_per_hour),
                       c == nullptr ? "" : kept_limits_text(plan)});
  }
  return columns;
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
  return tiles(text);
}

// The run behind the answer for each model; a page has them beside the command that repeats it.
void add_runs(const FleetReport& r, TextReport* out) {
  for (std::size_t i = 0; i < r.names.size(); ++i) {
    if (const CandidateResult* c = r.models[i].best()) out->next(run_command(*c), r.names[i]);
  }
}

std::string model_section(const FleetReport& report, std::size_t i) {
  const PlanReport& plan = report.models[i];
  const std::string& name = report.names[i];
  if (plan.best() == nullptr) {
    const std::string why = fmt::format("{}: {}.", plan.model, shortage_text(report, i));
    return section(name + " is short", page_paragraph(why));
  }
  std::string verdict = plan_verdict(plan);
  verdict.pop_back();
  return section(name,
                 page_paragraph(plan.model + ": " + verdict) + plan_part(plan, {3, name + "."}));
}

// How much was searched.
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

// The assumptions for all models, then for each: a line with its name.
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

// The decision about several models that share a budget.

std::string sum_text(const FleetReport& r) {
  return counted(r.choice.gpus, "GPU") + " for " + hourly_dollars(r.choice.usd_per_hour);
}

// The first doubt about each model whose deployment only likely serves it.
std::vector<std::string> doubt_texts(const FleetReport& r) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < r.names.size(); ++i) {
    if (r.models[i].best() == nullptr || r.models[i].plan.interrupted) continue;
    const Decision d = decision_of(r.models[i]);
    if (d.verdict == DecisionVerdict::likely && !d.doubts.empty())
      texts.push_back(r.names[i] + ": " + doubt_text(d.doubts.front()));
  }
  return texts;
}

// What to do for each model, as one sentence without its period.
std::string actions_text(const FleetReport& r) {
  std::vector<std::string> actions;
  for (std::size_t i = 0; i < r.names.size(); ++i) {
    if (r.models[i].plan.interrupted) continue;
    std::string action = decision_of(r.models[i]).action;
    if (action.empty()) continue;
    action.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(action.front())));
    actions.push_back("for " + r.names[i] + ", " + action);
  }
  std::string all = join(actions, "; ");
  if (!all.empty()) all.front() = 'F';
  return all;
}

// Says what each model has in reserve, and what to deploy for more.
std::string reserve_text(const FleetReport& r) {
  std::vector<std::string> headrooms;
  for (std::size_t i = 0; i < r.names.size(); ++i) {
    if (r.models[i].best() == nullptr || r.models[i].plan.interrupted) continue;
    const Decision d = decision_of(r.models[i]);
    if (d.headroom) headrooms.push_back(percent(*d.headroom) + " for " + r.names[i]);
  }
  const std::string text = headrooms.empty() ? "" : " Headroom is " + join(headrooms, ", ") + ".";
  const std::string actions = actions_text(r);
  return actions.empty() ? text : text + " " + actions + ".";
}

// The weakest of the decisions about the models, with the doubts about all of them.
Decision weakest_decision(const FleetReport& r) {
  Decision whole;
  whole.verdict = DecisionVerdict::yes;
  whole.confidence = 1;
  std::vector<std::string> questions;
  for (std::size_t i = 0; i < r.names.size(); ++i) {
    const Decision d = decision_of(r.models[i]);
    questions.push_back(r.names[i] + ": " + d.question);
    whole.verdict = std::max(whole.verdict, d.verdict);
    for (const Because<Doubt>& doubt : d.doubts) add_once(&whole.doubts, doubt);
    if (r.models[i].best() == nullptr) continue;
    if (whole.confidence)
      whole.confidence = d.confidence ? std::min(*whole.confidence, *d.confidence) : d.confidence;
    if (d.headroom) whole.headroom = std::min(*d.headroom, whole.headroom.value_or(*d.headroom));
  }
  if (!r.is_whole()) whole.confidence.reset();
  whole.question = join(questions, "; ");
  whole.action = actions_text(r);
  return whole;
}

}  // namespace

bool FleetReport::is_whole() const {
  return std::ranges::all_of(models, [](const PlanReport& p) { return p.best() != nullptr; });
}

bool FleetReport::is_interrupted() const {
  return std::ranges::any_of(models,
                             [](const PlanReport& model) { return model.plan.interrupted; });
}

std::string fleet_limit_text(const FleetReport& r) {
  const std::string caps = caps_text(r.caps);
  return caps.empty() ? "" : caps + "; left: " + left_text(r);
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
  std::string text = fmt::format("takes {} or {} at least", counted(fewest.gpus, "GPU"),
                                 hourly_dollars(cheapest.usd_per_hour));
  const std::string left = left_text(r);
  return left.empty() ? text : text + "; the others leave " + left;
}

std::string fleet_text(const FleetReport& r, const Style& style) {
  TextReport out(style);
  const std::string verdict = fleet_verdict(r);
  out.verdict(verdict, verdict.size(), r.is_whole() ? Mood::good : Mood::bad);
  out.figures([&] { return fleet_tiles(r); });
  out.begin_section("Who is served by what");
  out.table(fleet_columns(r));
  for (std::size_t i = 0; i < r.names.size(); ++i) {
    if (r.models[i].best() == nullptr) out.line("short", r.names[i] + ": " + shortage_text(r, i));
  }
  out.line("limit", fleet_limit_text(r));
  out.line("searched", fleet_effort_text(r));
  out.lines("trust", trust_lines(r));
  out.lines("assumed", fleet_assumed(r));
  if (!style.markup) add_runs(r, &out);
  return out.text();
}

std::string fleet_html(const FleetReport& report) {
  std::string body = fleet_text(report, {.markup = true});
  for (std::size_t i = 0; i < report.names.size(); ++i) body += model_section(report, i);
  TextReport runs({.markup = true});
  add_runs(report, &runs);
  return report_page("plan", dated("Plan: " + join(report.names, ", "), report.timestamp), body,
                     report.command, runs.text());
}

std::string caps_text(const FleetCaps& caps) {
  std::vector<std::string> parts;
  if (caps.gpus) parts.push_back(counted(*caps.gpus, "GPU"));
  if (caps.usd_per_hour) parts.push_back(hourly_dollars(*caps.usd_per_hour));
  return join(parts, " and ");
}

std::string fleet_verdict(const FleetReport& r) {
  std::vector<std::string> short_ones;
  for (std::size_t i = 0; i < r.names.size(); ++i) {
    if (r.models[i].best() == nullptr) short_ones.push_back(r.names[i]);
  }
  const auto models = std::ssize(r.names);
  const std::string cut = r.is_interrupted() ? ", as far as it was searched" : "";
  const std::vector<std::string> doubts = doubt_texts(r);
  const std::string who = sum_text(r) + (doubts.empty() ? "" : " likely") +
                          (r.choice.gpus == 1 ? " serves " : " serve ");
  const std::string but = doubts.empty() ? "" : ", but " + join(doubts, "; ");
  if (short_ones.empty())
    return who + counted(models, "model") + cut + but + "." + reserve_text(r) + "\n";
  const std::string caps = caps_text(r.caps);
  return fmt::format(
      "{}{} of {}{}{}; {} get{} no deployment{}.{}\n", who, models - std::ssize(short_ones),
      counted(models, "model"), caps.empty() ? "" : " within the limit of " + caps, but,
      join(short_ones, ", "), short_ones.size() == 1 ? "s" : "", cut, reserve_text(r));
}

Json fleet_decision_json(const FleetReport& r) {
  Json out = decision_json(weakest_decision(r));
  const std::string verdict = fleet_verdict(r);
  out["answer"] = verdict.substr(0, verdict.size() - 1);
  return out;
}

}  // namespace plimsoll
