// The decision about several models that share a budget.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "report/answer/words.h"
#include "report/plan/fleet.h"

namespace plimsoll {
namespace {

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
