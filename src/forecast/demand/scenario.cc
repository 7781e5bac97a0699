#include "forecast/demand/scenario.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"

namespace plimsoll {
namespace {

bool is_about(const Change& change, const Route& route) {
  return change.routes.empty() || contains(change.routes, route.name);
}

constexpr double kRounding = 1e-12;  // of shares that add up to all

// `part_of`: the share that a change takes of a route, and what becomes of it. Shares are of what
// the route had before any left, so that no change comes before another.
template <class Part>
void take_parts(const std::vector<Change>& changes, std::vector<Route>* routes, Part part_of) {
  std::vector<Route> parts;
  for (Route& route : *routes) {
    double leaves = 0;
    for (const Change& change : changes) {
      Route part = route;
      const double share = is_about(change, route) ? part_of(change, &part) : 0;
      if (share <= 0) continue;
      leaves += share;
      part.requests_per_s *= share;
      parts.push_back(std::move(part));
    }
    route.requests_per_s *= leaves < 1 - kRounding ? 1 - leaves : 0;
  }
  append(routes, parts);
}

// Of what comes here without any of them, so that no region comes before another.
void add_other_regions(const std::vector<Change>& changes, std::vector<Route>* routes) {
  const std::vector<Route> here = *routes;
  const double all = total_of(here, &Route::requests_per_s);
  for (const Change& change : changes) {
    if (!change.failover) continue;
    const auto& [share, mix] = *change.failover;
    for (std::size_t i = 0; i < here.size(); ++i) {
      if (!is_about(change, here[i])) continue;
      const auto part = mix.find(here[i].name);
      const double as_here = share * here[i].requests_per_s;
      const double by_mix = part == mix.end() ? 0 : share * all * part->second;
      (*routes)[i].requests_per_s += mix.empty() ? as_here : by_mix;
    }
  }
}

// Values that hang together in a route with sessions stay together: longer answers make longer
// prompts of later rounds, and a cached share that somebody states is no longer that of sessions.
template <class Apply>
void change_values(const std::vector<std::pair<double Route::*, double>>& values, Route* route,
                   Apply apply) {
  const auto is_named = [&](double Route::*member) {
    return contains(values, member, &std::pair<double Route::*, double>::first);
  };
  std::optional<double> added;
  if (route->sessions)
    added = new_tokens_of(*route->sessions, route->prompt_tokens, route->output_tokens);
  for (const auto& [member, value] : values) apply(&(route->*member), value);
  if (is_named(&Route::cached_share)) route->sessions.reset();
  if (!route->sessions) return;
  if (is_named(&Route::output_tokens) && !is_named(&Route::prompt_tokens))
    route->prompt_tokens = prompt_tokens_of(*route->sessions, *added, route->output_tokens);
  follow_sessions(route);
}

double take_cohort(const Change& change, Route* cohort) {
  if (!change.cohort) return 0;
  cohort->prompt_tokens *= change.cohort->prompt_factor;
  cohort->output_tokens *= change.cohort->output_factor;
  cohort->cached_share /= std::max(1.0, change.cohort->prompt_factor);  // what it was, of more
  follow_sessions(cohort);
  return change.cohort->share;
}

// The requests that leave a route take their prompts along, of which the other cache has nothing;
// who answers, and how, the route they come to decides.
double take_moved(const Change& change, const std::vector<Route>& routes, Route* moved) {
  if (!change.shift || change.shift->to == moved->name) return 0;
  const Route from = std::move(*moved);
  *moved = *std::ranges::find(routes, change.shift->to, &Route::name);
  moved->requests_per_s = from.requests_per_s;
  moved->prompt_tokens = from.prompt_tokens;
  moved->prompt_cv = from.prompt_cv;
  moved->cached_share = 0;
  moved->sessions.reset();
  return change.shift->share;
}

Scenario scenario(std::string name, std::string about, Change change) {
  return {std::move(name), std::move(about), false, {std::move(change)}};
}

/// What is set in the end, by route and field.
using Settings = std::map<std::pair<std::string, std::string_view>, double>;

std::string_view name_of(double Route::*member) {
  return std::ranges::find(route_fields(), member, &RouteField::member)->name;
}

void add_settings(const Change& change, const std::vector<std::string>& routes, Settings* out) {
  for (const std::string& route : change.routes.empty() ? routes : change.routes) {
    for (const auto& [member, value] : change.set) (*out)[{route, name_of(member)}] = value;
  }
}

std::string text_of(const RetryRule& rule) {
  return fmt::format("{} attempts of {} s", rule.attempts, shortest(rule.timeout_s));
}

class Combining {
 public:
  Combining(const Change& own, const std::vector<std::string>& routes)
      : own_(own), routes_(routes) {
    add_settings(own, routes, &settled_);
  }

  /// What the part says against those before it; empty: nothing.
  std::string problem_with(const Scenario& part) {
    Settings settings;
    for (const Change& change : part.changes) add_settings(change, routes_, &settings);
    for (const auto& [what, value] : settings) {
      if (settled_.contains(what)) continue;
      const auto [before, is_new] = said_.try_emplace(what, value, part.name);
      if (is_new || before->second.first == value) continue;
      return fmt::format("\"{}\" sets \"{}\" of route \"{}\" to {}, \"{}\" to {}",
                         before->second.second, what.second, what.first,
                         shortest(before->second.first), part.name, shortest(value));
    }
    const RetryRule* rule = own_.retries ? nullptr : retries_of(part);
    if (rule == nullptr) return {};
    if (rule_ && *rule_ != *rule) {
      return fmt::format("clients try again in two ways: {}, and in \"{}\" {}", text_of(*rule_),
                         part.name, text_of(*rule));
    }
    rule_ = *rule;
    return {};
  }

 private:
  const Change& own_;
  const std::vector<std::string>& routes_;
  Settings settled_;
  std::map<Settings::key_type, std::pair<double, std::string>> said_;  // and by which scenario
  std::optional<RetryRule> rule_;
};

}  // namespace

const std::vector<RouteField>& route_fields() {
  constexpr double kMostTokensOfAll = 1e9;
  static const std::vector<RouteField> kFields{
      {"requests_per_s", &Route::requests_per_s, 1e6},
      {"prompt_tokens", &Route::prompt_tokens, kMostTokensOfAll, 1},
      {"cached_share", &Route::cached_share, 1},
      {"output_tokens", &Route::output_tokens, kMostTokensOfAll, 1},
      {"retry_share", &Route::retry_share, 100},
      {"fallback_share", &Route::fallback_share, 1}};
  return kFields;
}

std::vector<Scenario> built_in_scenarios(const std::vector<Route>& routes) {
  std::vector<Scenario> all{
      scenario("launch", "1.5 times the requests of the forecast",
               {.times = {{&Route::requests_per_s, 1.5}}}),
      scenario("long-context", "a tenth of the prompts are 8 times as long",
               {.cohort = Cohort{0.1, 8, 1}}),
      scenario("retry-storm", "clients give up after 30 s and try three times in all",
               {.retries = RetryRule{}}),
      scenario("cache-collapse", "the prefix cache is empty",
               {.set = {{&Route::cached_share, 0}}})};
  const auto strong =
      std::ranges::find_if(routes, [](const Route& route) { return !route.fallback_to.empty(); });
  if (strong != routes.end()) {
    all.push_back(scenario("strong-model", "a fifth of the requests go to " + strong->fallback_to,
                           {.shift = Shift{strong->fallback_to, 0.2}}));
  }
  for (const Scenario& more :
       {scenario("longer-answers", "answers are 1.3 times as long",
                 {.times = {{&Route::output_tokens, 1.3}}}),
        scenario("regional-failover", "another region fails over: twice as many requests",
                 {.failover = RegionFailover{}}),
        scenario("instance-loss", "one instance is lost", {.instances = -1}),
        scenario("rate-limit-cut", "limits of providers and gateways are halved",
                 {.capacity = {{Resource::gateway_requests, 0.5},
                               {Resource::provider_requests, 0.5},
                               {Resource::provider_tokens, 0.5}}}),
        scenario("batch-window", "requests are held back 100 ms to form batches",
                 {.batch_window_ms = 100}),
        scenario("price-rise", "GPUs and providers cost a quarter more", {.price = 1.25}),
        scenario("budget-cut", "the budget is cut by a fifth",
                 {.capacity = {{Resource::budget, 0.8}}})}) {
    all.push_back(more);
  }
  return all;
}

std::vector<Route> changed(std::vector<Route> routes, const std::vector<Change>& changes) {
  for (Route& route : routes) {
    for (const Change& change : changes) {
      if (!is_about(change, route)) continue;
      change_values(change.set, &route, [](double* value, double set) { *value = set; });
    }
    for (const Change& change : changes) {
      if (!is_about(change, route)) continue;
      change_values(change.times, &route, [](double* value, double factor) { *value *= factor; });
    }
    for (const Change& change : changes) {
      if (is_about(change, route))
        route.retry_share = (1 + route.retry_share) * (1 + change.retry_share) - 1;
    }
  }
  add_other_regions(changes, &routes);
  take_parts(changes, &routes, take_cohort);
  const std::vector<Route> before = routes;
  take_parts(changes, &routes,
             [&](const Change& change, Route* part) { return take_moved(change, before, part); });
  return routes;
}

const RetryRule* retries_of(const Scenario& scenario) {
  const auto found = std::ranges::find_if(
      scenario.changes, [](const Change& change) { return change.retries.has_value(); });
  return found == scenario.changes.end() ? nullptr : &*found->retries;
}

const Cohort* cohort_of(const Scenario& scenario) {
  if (scenario.changes.size() != 1) return nullptr;
  const Change& change = scenario.changes.front();
  Change alone;
  alone.routes = change.routes;
  alone.cohort = change.cohort;
  return change.cohort && change == alone ? &*change.cohort : nullptr;
}

std::optional<std::string> overdrawn(const Scenario& scenario, const std::vector<Route>& routes) {
  for (const Route& route : routes) {
    double cohorts = 0;
    double shifts = 0;
    for (const Change& change : scenario.changes) {
      if (!is_about(change, route)) continue;
      if (change.cohort) cohorts += change.cohort->share;
      if (change.shift && change.shift->to != route.name) shifts += change.shift->share;
    }
    if (std::max(cohorts, shifts) > 1 + kRounding) return route.name;
  }
  return std::nullopt;
}

Result<std::vector<Change>> combined_changes(const std::vector<const Scenario*>& parts, Change own,
                                             const std::vector<std::string>& routes) {
  Combining combining(own, routes);
  std::vector<Change> changes;
  for (const Scenario* part : parts) {
    if (std::string problem = combining.problem_with(*part); !problem.empty()) {
      return fail(ErrorKind::usage, std::move(problem),
                  "set it beside \"combine\", which overrides both");
    }
    for (Change change : part->changes) {
      if (own.retries) change.retries.reset();
      changes.push_back(std::move(change));
    }
  }
  changes.push_back(std::move(own));
  return changes;
}

}  // namespace plimsoll
