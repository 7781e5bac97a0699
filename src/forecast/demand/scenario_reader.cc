#include "base/lists.h"
#include "forecast/demand/scenario.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace plimsoll {
namespace {

constexpr const char* kBuiltIn = "built_in";
constexpr const char* kStrongModel = "strong-model";
constexpr NumberRange kFactor{0, 1e6};
constexpr NumberRange kShareOfAll{0, 1};

class ScenarioReader {
 public:
  ScenarioReader(SpecMap map, const std::vector<Route>& routes)
      : map_(map), all_routes_(routes), built_in_(built_in_scenarios(routes)) {
    for (const Route& route : routes) routes_.push_back(route.name);
  }

  std::vector<Scenario> read() {
    if (map_.has(kBuiltIn)) {
      for (const std::string& name : map_.texts(kBuiltIn)) add_built_in(name);
    }
    for (const std::string& name : map_.keys()) {
      if (name == kBuiltIn) continue;
      scenarios_.push_back(read_scenario(map_.map(name), name));
      check_routes(scenarios_.back());
    }
    return std::move(scenarios_);
  }

 private:
  const Scenario* find(const std::string& name) const {
    for (const auto* all : {&scenarios_, &built_in_}) {
      const auto found = std::ranges::find(*all, name, &Scenario::name);
      if (found != all->end()) return &*found;
    }
    return nullptr;
  }

  static std::vector<std::string> names_of(const std::vector<Scenario>& scenarios) {
    return mapped(scenarios, &Scenario::name);
  }

  void add_built_in(const std::string& name) {
    const auto found = std::ranges::find(built_in_, name, &Scenario::name);
    if (found != built_in_.end()) {
      scenarios_.push_back(*found);
    } else if (name == kStrongModel) {
      map_.error(kBuiltIn, "\"strong-model\" needs a route that others fall back to",
                 "fallback_to: ROUTE with a fallback_share");
    } else {
      map_.error(kBuiltIn, "there is no built-in scenario \"" + name + "\"",
                 suggestion(name, names_of(built_in_)));
    }
  }

  void unknown(SpecMap& map, const char* key, const std::string& name) {
    std::vector<std::string> names = names_of(built_in_);
    for (std::string& own : names_of(scenarios_)) {
      if (!contains(names, own)) names.push_back(std::move(own));
    }
    map.error(key, "there is no scenario \"" + name + "\" above", suggestion(name, names));
  }

  Scenario read_scenario(SpecMap map, const std::string& name) {
    Scenario scenario;
    scenario.name = name;
    scenario.about = map.optional_prose("about").value_or("");
    scenario.from_baseline = map.optional_choice("from", {"baseline", "forecast"}) ==
                             std::optional<std::string>("baseline");
    Change own = read_change(map);
    const std::vector<const Scenario*> parts = read_parts(map);
    if (auto changes = combined_changes(parts, std::move(own), routes_)) {
      scenario.changes = std::move(*changes);
    } else {
      const Diagnostic& what = changes.error().diagnostics.front();
      map.error("combine", what.message, what.hint);
    }
    return scenario;
  }

  std::vector<const Scenario*> read_parts(SpecMap& map) {
    std::vector<const Scenario*> parts;
    if (!map.has("combine")) return parts;
    for (const std::string& name : map.texts("combine")) {
      if (const Scenario* part = find(name)) {
        parts.push_back(part);
      } else {
        unknown(map, "combine", name);
      }
    }
    return parts;
  }

  // What is multiplied may leave its range; what is taken, be more than there is.
  void check_routes(const Scenario& scenario) {
    if (const auto route = overdrawn(scenario, all_routes_)) {
      map_.error(scenario.name, "takes more than all requests of route \"" + *route + "\"",
                 "the shares of cohorts, and those of shifts, are at most 1 together");
      return;
    }
    for (const Route& route : changed(all_routes_, scenario.changes)) {
      for (const RouteField& field : route_fields()) {
        const double value = route.*field.member;
        if (value <= field.most) continue;
        map_.error(
            scenario.name,
            fmt::format("\"{}\" of route \"{}\" becomes {}; it may be {} at most", field.name,
                        route.name, three_digits(value), three_digits(field.most)));
        return;
      }
    }
  }

  std::string read_route_name(SpecMap& map, const char* key, const std::string& name) {
    if (!contains(routes_, name)) {
      map.error(key, "there is no route \"" + name + "\"", suggestion(name, routes_));
      return routes_.empty() ? std::string() : routes_.front();
    }
    return name;
  }

  static void read_fields(SpecMap fields, bool are_factors,
                          std::vector<std::pair<double Route::*, double>>* out) {
    for (const RouteField& field : route_fields()) {
      const NumberRange range = are_factors ? kFactor : NumberRange{0, field.most};
      if (const auto value = fields.optional_number(field.name, range)) {
        out->emplace_back(field.member, *value);
      }
    }
  }

  Change read_change(SpecMap& map) {
    Change change;
    if (map.has("routes")) {
      for (const std::string& name : map.texts("routes")) {
        change.routes.push_back(read_route_name(map, "routes", name));
      }
    }
    if (auto set = map.optional_map("set")) read_fields(*set, false, &change.set);
    if (auto times = map.optional_map("times")) read_fields(*times, true, &change.times);
    if (auto cohort = map.optional_map("cohort")) {
      change.cohort = Cohort{cohort->number("share", kShareOfAll),
                             cohort->optional_number("prompt_tokens", kFactor).value_or(1),
                             cohort->optional_number("output_tokens", kFactor).value_or(1)};
    }
    if (auto shift = map.optional_map("shift")) {
      change.shift = Shift{read_route_name(*shift, "to", shift->text("to")),
                           shift->number("share", kShareOfAll)};
    }
    if (auto failover = map.optional_map("failover")) {
      change.failover = read_failover(*failover);
      if (!change.failover->mix.empty() && !change.routes.empty()) {
        map.error("failover", "\"mix\" says which routes it is about; so does \"routes\"",
                  "leave one of them out");
      }
    }
    if (auto retry = map.optional_map("retry")) read_retry(*retry, &change);
    change.instances = map.optional_integer("instances", {-100'000, 100'000}).value_or(0);
    if (auto capacity = map.optional_map("capacity")) read_capacity(*capacity, &change);
    change.batch_window_ms = map.optional_number("batch_window_ms", {0, 1e6}).value_or(0);
    change.price = map.optional_number("price", kFactor).value_or(1);
    return change;
  }

  RegionFailover read_failover(SpecMap failover) {
    RegionFailover region;
    region.share = failover.optional_number("share", kFactor).value_or(region.share);
    auto mix = failover.optional_map("mix");
    if (!mix) return region;
    double all = 0;
    for (const std::string& name : mix->keys()) {
      const double share = mix->number(name, kShareOfAll);
      region.mix[read_route_name(*mix, name.c_str(), name)] = share;
      all += share;
    }
    if (std::abs(all - 1) > 1e-6) {
      failover.error("mix", fmt::format("shares add up to {}, not to 1", three_digits(all)),
                     "they are those of the other region's requests, by route");
    }
    return region;
  }

  // A fixed share of attempts more that are sent once more, or clients who try again.
  static void read_retry(SpecMap retry, Change* change) {
    if (const auto fixed = retry.optional_number("fixed", {0, 100})) {
      change->retry_share = *fixed;
      return;
    }
    RetryRule rule;
    rule.attempts = retry.optional_integer("attempts", {2, 100}).value_or(rule.attempts);
    rule.timeout_s = retry.optional_number("timeout_s", kWaitS).value_or(rule.timeout_s);
    change->retries = rule;
  }

  static void read_capacity(SpecMap capacity, Change* change) {
    for (const std::string& name : capacity.keys()) {
      const double factor = capacity.number(name, kFactor);
      if (const auto resource = find_resource(name)) {
        change->capacity[*resource] = factor;
      } else {
        capacity.error(name, "unknown resource \"" + name + "\"",
                       suggestion(name, resource_names()));
      }
    }
  }

  SpecMap map_;
  const std::vector<Route>& all_routes_;
  std::vector<Scenario> built_in_;
  std::vector<std::string> routes_;
  std::vector<Scenario> scenarios_;
};

}  // namespace

std::vector<Scenario> read_scenarios(SpecMap map, const std::vector<Route>& routes) {
  return ScenarioReader(map, routes).read();
}

}  // namespace plimsoll
