#include "forecast/headroom/trigger.h"

#include "base/lists.h"

namespace plimsoll {
namespace {

constexpr double kTimeToAct = 0.9;  // of a line, before it is crossed
constexpr Resource kOfRequests[]{Resource::requests, Resource::prompt_tokens,
                                 Resource::output_tokens, Resource::active_kv_tokens};

// Of the limit.
double strain(const Slo& slo, const SloFigure& figure) {
  return figure.value_ms / to_ms(slo.limit);
}

bool is_only_colder(const std::vector<Flow>& before, const std::vector<Flow>& now) {
  if (before.size() != now.size() || cached_share(now) >= cached_share(before)) return false;
  for (std::size_t i = 0; i < now.size(); ++i) {
    Flow as_cold = before[i];
    as_cold.cached_share = now[i].cached_share;
    as_cold.sessions = now[i].sessions;
    const bool same_tokens = as_cold.has_shape_of(now[i]);
    if (!same_tokens || before[i].requests_per_s != now[i].requests_per_s) return false;
  }
  return true;
}

// How much has to be found for the rest to stay below the line.
std::optional<double> least_cached(const ScenarioRow& row, Resource pressed,
                                   const TriggerFacts& facts, double line) {
  if (pressed != Resource::prompt_tokens || !facts.same_deployment) return std::nullopt;
  if (!is_only_colder(facts.before, facts.now)) return std::nullopt;
  const double computed = 1 - cached_share(facts.now);
  const double demand = *at(row.demand, Resource::prompt_tokens);
  const double least = 1 - computed * line / demand;
  return least > 0 ? std::optional(least) : std::nullopt;
}

// What of the resource comes with the largest load of this mix that is held, where that ends before
// the resource's own line: it breaks a limit with others.
double line_in_mix(const ScenarioRow& row, Resource resource) {
  const double alone = *at(row.capacity, resource);
  const auto& demand = at(row.demand, resource);
  const bool grows_with_load = contains(kOfRequests, resource);
  if (!grows_with_load || !demand || !row.peak || !row.peak->line.is_known) return alone;
  return std::min(alone, *demand * row.peak->line.factor);
}

// Longer requests at the rate of the forecast reach the line of the forecast, while the mix that
// the scenario ends in may hold more tokens of fewer requests.
double line_on_the_way(const ScenarioRow& row, const TriggerFacts& facts, Resource resource) {
  const double line = line_in_mix(row, resource);
  const bool is_length = resource == Resource::prompt_tokens || resource == Resource::output_tokens;
  const bool is_same = is_length && facts.same_deployment && facts.line_before;
  return is_same ? std::min(line, *facts.line_before) : line;
}

// Nine tenths of a line, or all of it where so much is used anyway.
double share_to_act_at(double used_before) { return used_before < kTimeToAct ? kTimeToAct : 1; }

}  // namespace

double cached_share(const std::vector<Flow>& flows) {
  double all = 0;
  double cached = 0;
  for (const Flow& flow : flows) {
    if (flow.from_provider) continue;
    all += flow.requests_per_s * flow.prompt_tokens;
    cached += flow.requests_per_s * flow.prompt_tokens * flow.cached_share;
  }
  return all > 0 ? cached / all : 0;
}

const Slo* tightest_limit(const ScenarioRow& row, const std::vector<Slo>& slos, double* value_ms) {
  if (!row.peak || row.peak->probe.slos.size() != slos.size()) return nullptr;
  const Slo* found = nullptr;
  double most = 0;
  for (std::size_t i = 0; i < slos.size(); ++i) {
    const SloFigure& figure = row.peak->probe.slos[i];
    if (found != nullptr && strain(slos[i], figure) <= most) continue;
    most = strain(slos[i], figure);
    *value_ms = figure.value_ms;
    found = &slos[i];
  }
  return found;
}

std::optional<Resource> watched_of(const ScenarioRow& row, const std::vector<Flow>& now) {
  const auto pressed = row.pressed();
  const bool is_of_gpus = pressed == Resource::gpus || pressed == Resource::budget;
  if (!is_of_gpus || std::ranges::any_of(now, &Flow::from_provider)) return pressed;
  std::optional<Resource> most;
  for (const Resource resource : kOfRequests) {
    if (!contains(row.worse, resource)) continue;
    if (!most || row.used(resource).value_or(0) > row.used(*most).value_or(0)) most = resource;
  }
  return most && row.used(*most) ? most : pressed;
}

std::optional<Trigger> trigger_of(const ScenarioRow& row, Resource pressed,
                                  const TriggerFacts& facts, const std::vector<Slo>& slos) {
  if (!at(row.capacity, pressed)) return std::nullopt;
  double used_before = facts.used_before.value_or(0);
  const bool is_passed = used_before > 1;
  if (facts.line_before) {
    const double line = share_to_act_at(used_before) * *facts.line_before;
    if (const auto least = least_cached(row, pressed, facts, line)) {
      return Trigger{"cached_share", "cached share of prompts",          "share", *least,
                     true,           cached_share(facts.before) < *least};
    }
  }
  const double line = line_on_the_way(row, facts, pressed);
  const bool breaks_with_others = line < *at(row.capacity, pressed);
  if (breaks_with_others && line > 0 && facts.line_before) used_before *= *facts.line_before / line;
  if (row.lowers_limits && facts.demand_before && line > 0)
    used_before = std::max(used_before, *facts.demand_before / line);
  const double share = share_to_act_at(used_before);
  const ResourceFacts& resource = facts_of(pressed);
  if (facts.cohort_held == 0 || (line <= 0 && facts.cohort_held)) {
    return Trigger{std::string(kCohortShare),
                   "requests of that kind",
                   "share",
                   *facts.cohort_held,
                   false,
                   is_passed};
  }
  double value_ms = 0;
  const Slo* broken = line <= 0 ? tightest_limit(row, slos, &value_ms) : nullptr;
  if (broken != nullptr) {
    return Trigger{key_of(*broken), name_of(*broken), "ms", to_ms(broken->limit), false, is_passed};
  }
  const bool is_beyond =
      facts.demand_before ? *facts.demand_before > share * line : used_before > 1;
  return Trigger{std::string(resource.name),
                 std::string(resource.title),
                 std::string(resource.unit),
                 share * line,
                 false,
                 is_beyond && is_passed,
                 is_beyond && !is_passed};
}

}  // namespace plimsoll
