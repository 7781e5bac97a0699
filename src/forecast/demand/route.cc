#include "forecast/demand/route.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "forecast/demand/scenario.h"
#include "forecast/demand/token_load.h"

namespace plimsoll {
namespace {

Flow flow_of(const Route& route, const Route& origin, double requests_per_s) {
  return {route.name,         origin.name,         requests_per_s,      route.prompt_tokens,
          route.cached_share, route.output_tokens, route.from_provider, route.residence_s,
          route.prompt_cv,    route.output_cv,     route.provider,      route.sessions};
}

constexpr NumberRange kShare{0, 1};
constexpr double kWidest = 10;  // standard deviation / mean, as for the traffic

struct LengthField {
  double Route::*mean;
  std::optional<double> Route::*cv;
};
constexpr LengthField kLengths[]{{&Route::prompt_tokens, &Route::prompt_cv},
                                 {&Route::output_tokens, &Route::output_cv}};

const LengthField* length_of(const RouteField& field) {
  const auto* found = std::ranges::find(kLengths, field.member, &LengthField::mean);
  return found == std::end(kLengths) ? nullptr : found;
}

// {mean: 1800, std: 900} or {p50: 1500, p95: 4000}
TokenLength read_spread(SpecMap length, NumberRange range) {
  TokenLength out;
  if (length.has("p50") || length.has("p95")) {
    const double p50 = length.number("p50", range);
    const double p95 = length.number("p95", range);
    if (p95 > 0 && p95 < p50) {
      length.error("p95",
                   fmt::format("p95 is {}, below p50, which is {}", shortest(p95), shortest(p50)));
      return out;
    }
    if (p50 > 0 && p95 > 0) out = length_by_percentiles(p50, p95);
  } else {
    out.mean = length.number("mean", range);
    const double deviation = length.number("std", kNonNegative);
    if (out.mean > 0) out.cv = deviation / out.mean;
  }
  if (out.cv > kWidest) {
    length.error("", fmt::format("the standard deviation is {} times the mean; it may be {} times",
                                 three_digits(out.cv), kWidest));
  }
  return out;
}

void read_value(SpecMap& map, std::string_view key, const RouteField& field, Route* route) {
  const NumberRange range{field.least, field.most};
  const LengthField* length = length_of(field);
  if (length == nullptr || !map.has_map(key)) {
    route->*field.member = map.number(key, range);
    return;
  }
  const TokenLength spread = read_spread(map.map(key), range);
  route->*field.member = spread.mean;
  route->*length->cv = spread.cv;
}

bool says_both(SpecMap& map, std::string_view key) {
  if (!map.has_map(key)) return false;
  SpecMap value = map.map(key);
  return value.has("baseline") || value.has("forecast");
}

void read_field(SpecMap& map, const RouteField& field, Route* baseline, Route* forecast) {
  if (says_both(map, field.name)) {
    SpecMap both = map.map(field.name);
    read_value(both, "baseline", field, baseline);
    read_value(both, "forecast", field, forecast);
  } else if (map.has(field.name)) {
    read_value(map, field.name, field, baseline);
    forecast->*field.member = baseline->*field.member;
    if (const LengthField* length = length_of(field)) {
      forecast->*length->cv = baseline->*length->cv;
    }
  }
}

// What is the same now and then.
Route read_lasting(SpecMap& map, const std::string& name, const std::vector<Provider>& providers) {
  Route route;
  route.name = name;
  route.version = map.optional_text("version").value_or("");
  route.fallback_to = map.optional_text("fallback_to").value_or("");
  std::vector<std::string> choices{"deployment", "provider"};
  for (const Provider& provider : providers) choices.push_back(provider.name);
  const std::string served_by = map.optional_choice("served_by", choices).value_or("deployment");
  route.from_provider = served_by != "deployment";
  if (route.from_provider) route.provider = served_by;
  route.residence_s = map.optional_number("residence_s", kNonNegative).value_or(0);
  route.success = map.optional_number("success", kShare).value_or(1);
  route.quality = map.optional_number("quality", kShare).value_or(1);
  if (auto sessions = map.optional_map("sessions")) route.sessions = read_sessions(*sessions);
  return route;
}

void check_sessions(SpecMap& map, const Route& baseline, const Route& forecast) {
  if (map.has("cached_share")) {
    map.error("cached_share", "the cached share of sessions follows from their rounds",
              "leave it out; \"prefix_tokens\" of \"sessions\" is what all of them begin with");
  }
  if (baseline.prompt_cv || forecast.prompt_cv) {
    map.error("prompt_tokens", "how widely prompts of sessions vary follows from their rounds",
              "say their mean alone, over all rounds");
  }
  if (!map.has("prompt_tokens") || !map.has("output_tokens")) return;
  std::string problem = problem_of_sessions({flow_of(baseline, baseline, 1)});
  if (problem.empty()) problem = problem_of_sessions({flow_of(forecast, forecast, 1)});
  if (!problem.empty())
    map.error("sessions", problem,
              "\"prompt_tokens\" is the mean of whole prompts over all rounds");
}

void read_route(SpecMap map, const std::string& name, const std::vector<Provider>& providers,
                Route* baseline, Route* forecast) {
  *baseline = *forecast = read_lasting(map, name, providers);
  for (const RouteField& field : route_fields()) read_field(map, field, baseline, forecast);
  for (const char* needed : {"requests_per_s", "prompt_tokens", "output_tokens"}) {
    if (!map.has(needed)) map.error(needed, "route \"" + name + "\" needs \"" + needed + "\"");
  }
  if (map.has("fallback_share") && baseline->fallback_to.empty()) {
    map.error("fallback_share", "a fallback needs \"fallback_to\"", "the name of another route");
  }
  if (baseline->sessions) check_sessions(map, *baseline, *forecast);
  follow_sessions(baseline);
  follow_sessions(forecast);
}

constexpr NumberRange kUsdPerMillion{0, 1e6};
constexpr NumberRange kPerMinute{0, 1e12, true};

// Rounds before the one that is looked at, on the average of a session.
double earlier_rounds(const Sessions& sessions) {
  return static_cast<double>(sessions.rounds - 1) / 2;
}

}  // namespace

std::vector<Flow> flows_of(const std::vector<Route>& routes) {
  std::vector<Flow> flows;
  for (const Route& route : routes) {
    const double attempts = route.requests_per_s * (1 + route.retry_share);
    if (attempts <= 0) continue;
    flows.push_back(flow_of(route, route, attempts));
    if (route.fallback_share <= 0) continue;
    const auto other = std::ranges::find(routes, route.fallback_to, &Route::name);
    Flow fallen = flow_of(*other, route, attempts * route.fallback_share);
    fallen.prompt_tokens = route.prompt_tokens;
    fallen.prompt_cv = route.prompt_cv;
    fallen.cached_share = 0;
    fallen.sessions.reset();
    flows.push_back(fallen);
  }
  return flows;
}

void follow_sessions(Route* route) {
  if (!route->sessions) return;
  route->cached_share =
      repeated_share(*route->sessions, route->prompt_tokens, route->output_tokens);
}

std::string problem_of_sessions(const std::vector<Flow>& flows) {
  for (const Flow& flow : flows) {
    if (!flow.sessions || flow.new_tokens() >= 1) continue;
    return fmt::format(
        "prompts of \"{}\" have {} tokens on average, and sessions of {} rounds with answers of {} "
        "tokens have at least {}",
        flow.route, three_digits(flow.prompt_tokens), flow.sessions->rounds,
        three_digits(flow.output_tokens),
        grouped(std::llround(std::ceil(prompt_tokens_of(*flow.sessions, 1, flow.output_tokens)))));
  }
  return {};
}

double held_per_second(const std::vector<Flow>& flows) {
  double sum = 0;
  for (const Flow& flow : flows) {
    if (!flow.from_provider) {
      sum += flow.requests_per_s * (flow.prompt_tokens + flow.output_tokens / 2);
    }
  }
  return sum;
}

ResourceVector demand_of(const std::vector<Flow>& flows) {
  ResourceVector demand{};
  const auto add = [&](Resource resource, double amount) {
    auto& sum = at(demand, resource);
    sum = sum.value_or(0) + amount;
  };
  bool residence_known = true;
  for (const Flow& flow : flows) {
    add(Resource::gateway_requests, flow.requests_per_s);
    if (flow.from_provider) {
      const double per_min = flow.requests_per_s * kSecondsPerMinute;
      add(Resource::provider_requests, per_min);
      add(Resource::provider_tokens, per_min * (flow.prompt_tokens + flow.output_tokens));
      continue;
    }
    add(Resource::requests, flow.requests_per_s);
    add(Resource::prompt_tokens, flow.requests_per_s * flow.fresh_tokens());
    add(Resource::output_tokens, flow.requests_per_s * flow.output_tokens);
    if (flow.residence_s > 0) {
      add(Resource::active_kv_tokens,
          flow.requests_per_s * flow.residence_s * (flow.prompt_tokens + flow.output_tokens / 2));
    } else {
      residence_known = false;
    }
  }
  if (!residence_known) at(demand, Resource::active_kv_tokens).reset();
  return demand;
}

void read_routes(SpecMap map, const std::vector<Provider>& providers, std::vector<Route>* baseline,
                 std::vector<Route>* forecast) {
  const std::vector<std::string> names = map.keys();
  for (const std::string& name : names) {
    read_route(map.map(name), name, providers, &baseline->emplace_back(),
               &forecast->emplace_back());
  }
  if (names.empty()) map.error("", "\"routes\" has no route");
  for (const Route& route : *baseline) {
    if (route.fallback_to == route.name) {
      map.map(route.name).error("fallback_to", "a route cannot fall back to itself");
    }
    if (route.fallback_to.empty() || contains(names, route.fallback_to)) continue;
    map.map(route.name)
        .error("fallback_to", "there is no route \"" + route.fallback_to + "\"",
               suggestion(route.fallback_to, names));
  }
}

TokenPrice read_token_price(SpecMap map) {
  TokenPrice price{.usd_per_million_in = map.number("input", kUsdPerMillion),
                   .usd_per_million_out = map.number("output", kUsdPerMillion),
                   .usd_per_million_cached = map.optional_number("cached_input", kUsdPerMillion)};
  if (price.usd_per_million_cached > price.usd_per_million_in) {
    map.error("cached_input", "cached tokens cost more than others",
              "\"input\" is the price of a prompt token that is not cached");
  }
  return price;
}

std::vector<Provider> read_providers(SpecMap map) {
  std::vector<Provider> providers;
  for (const std::string& name : map.keys()) {
    SpecMap entry = map.map(name);
    if (name == "deployment" || name == "provider")
      map.error(name, "a provider cannot be called \"" + name + "\"", "give it its own name");
    Provider provider{.name = name,
                      .price = read_token_price(entry.map("price")),
                      .requests_per_min = entry.optional_number("requests_per_min", kPerMinute),
                      .tokens_per_min = entry.optional_number("tokens_per_min", kPerMinute)};
    providers.push_back(std::move(provider));
  }
  return providers;
}

double new_tokens_of(const Sessions& sessions, double prompt_tokens, double output_tokens) {
  const double earlier = earlier_rounds(sessions);
  return (prompt_tokens - sessions.prefix_tokens - earlier * output_tokens) / (1 + earlier);
}

double prompt_tokens_of(const Sessions& sessions, double new_tokens, double output_tokens) {
  const double earlier = earlier_rounds(sessions);
  return sessions.prefix_tokens + (1 + earlier) * new_tokens + earlier * output_tokens;
}

double repeated_share(const Sessions& sessions, double prompt_tokens, double output_tokens) {
  if (prompt_tokens <= 0) return 0;
  const double added = new_tokens_of(sessions, prompt_tokens, output_tokens);
  return std::clamp(1 - added / prompt_tokens, 0., 1.);
}

Sessions read_sessions(SpecMap map) {
  constexpr IntRange kRounds{2, 1000};
  constexpr NumberRange kGap{0, 1e6, true};
  constexpr NumberRange kPrefix{0, 1e9};
  Sessions sessions;
  sessions.rounds = map.integer("rounds", kRounds);
  sessions.gap_s = map.number("gap_s", kGap);
  sessions.prefix_tokens = map.optional_number("prefix_tokens", kPrefix).value_or(0);
  return sessions;
}

}  // namespace plimsoll
