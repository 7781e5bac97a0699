#include "forecast/demand/forecast_request.h"

#include <algorithm>

#include "base/file.h"
#include "base/lists.h"
#include "base/text.h"

namespace plimsoll {
namespace {

constexpr NumberRange kAmount{0, 1e15};
constexpr NumberRange kDays{0, 3650};

bool is_silent(const std::vector<Route>& routes) {
  return std::ranges::none_of(routes, [](const Route& route) { return route.requests_per_s > 0; });
}

void read_resources(SpecMap map, ForecastRequest* out) {
  for (const std::string& name : map.keys()) {
    const auto resource = find_resource(name);
    if (!resource) {
      map.error(name, "unknown resource \"" + name + "\"", suggestion(name, resource_names()));
      continue;
    }
    SpecMap entry = map.map(name);
    GivenResource given{.baseline = entry.optional_number("baseline", kAmount),
                        .forecast = entry.optional_number("forecast", kAmount),
                        .capacity = entry.optional_number("capacity", kAmount),
                        .owner = entry.optional_text("owner").value_or("")};
    out->given.emplace(*resource, std::move(given));
  }
}

/// The keys of "deployment", and the file that they stand in.
struct DeploymentKeys {
  std::span<const DeploymentKey> all;
  const std::string& file;
};

// What the values may be, the command line knows.
std::vector<std::string> read_deployment(SpecMap map, const DeploymentKeys& keys) {
  std::vector<std::string> flags;
  for (const std::string& key : map.keys()) {
    std::string flag = key;
    std::ranges::replace(flag, '_', '-');
    const auto known = std::ranges::find(keys.all, flag, &DeploymentKey::name);
    const bool is_known = known != keys.all.end();
    if (!is_known && !keys.all.empty()) {
      std::vector<std::string> names;
      for (const DeploymentKey& one : keys.all) {
        if (one.says_what_serves) names.push_back(one.name);
      }
      std::string near = nearest_name(flag, names);
      std::ranges::replace(near, '-', '_');
      map.error(key, "unknown key \"" + key + "\" of \"deployment\"",
                near.empty()
                    ? "it has the flags of `plimsoll run` that say what serves, without dashes"
                    : "did you mean \"" + near + "\"?");
    } else if (is_known && !known->says_what_serves) {
      map.error(key, "\"deployment\" cannot hold \"" + key + "\"",
                "it says what serves; \"routes\" and \"traffic\" say what arrives");
    }
    const std::string value = map.text(key);
    const bool is_path =
        is_known && known->names_file && !value.starts_with('{');  // a fleet in line
    flags.push_back("--" + flag + "=" + (is_path ? beside(keys.file, value) : value));
  }
  return flags;
}

std::vector<Migration> read_migrations(SpecMap map, const DeploymentKeys& keys) {
  std::vector<Migration> migrations;
  for (const std::string& name : map.keys()) {
    SpecMap entry = map.map(name);
    Migration migration{.name = name,
                        .flags = read_deployment(entry.map("deployment"), keys),
                        .from_s = optional_moment(&entry, "from"),
                        .ramp_days = entry.optional_number("ramp_days", kDays).value_or(0),
                        .quality = entry.optional_prose("quality").value_or("")};
    if (migration.flags.empty())
      entry.error("deployment", "a migration changes the deployment",
                  "for example {hardware: H200}");
    migrations.push_back(std::move(migration));
  }
  return migrations;
}

std::vector<Loss> read_losses(SpecMap map) {
  std::vector<Loss> losses;
  const auto add = [&](const char* key, LossKind kind, IntRange range) {
    if (const auto count = map.optional_integer(key, range)) losses.push_back({kind, *count});
  };
  add("instances", LossKind::instances, {1, 100'000});
  add("zones", LossKind::zones, {2, 1000});
  add("regions", LossKind::regions, {2, 1000});
  if (losses.empty())
    map.error("", "a loss is of instances, a zone or a region", "for example {zones: 3}");
  return losses;
}

ReservePrices read_reserve(SpecMap map) {
  constexpr NumberRange kUsdPerHour{0, 1e6, true};
  return {map.number("usd_per_gpu_hour", kUsdPerHour),
          map.optional_number("on_demand_usd_per_gpu_hour", kUsdPerHour)};
}

void read_traffic(SpecMap map, ForecastRequest* out) {
  if (const auto cv = map.optional_number("arrival_cv", {0, 100, true})) {
    out->says_arrivals = true;
    out->load.arrival = arrivals_of(*cv);
  }
  out->says_lengths = map.has("length_cv");
  out->load.length_cv = map.optional_number("length_cv", {0, 10}).value_or(out->load.length_cv);
  out->load.seed = static_cast<std::uint64_t>(map.optional_integer("seed", {0}).value_or(42));
  out->says_mean_load = map.has("mean_load");
  out->mean_load = map.optional_number("mean_load", {0, 1, true}).value_or(out->mean_load);
  if (auto band = map.optional_map("band")) {
    out->band = Interval{band->number("low", kPositive), band->number("high", kPositive)};
    if (out->band->low > 1 || out->band->high < 1) {
      band->error("", "a band is around 1: factors of the forecast's requests",
                  "for example {low: 0.9, high: 1.2}");
    }
  }
}

bool has_limit(const ForecastRequest& request, Resource resource) {
  const auto given = request.given.find(resource);
  if (given != request.given.end() && given->second.capacity) return true;
  return std::ranges::any_of(request.providers, [&](const Provider& provider) {
    return (resource == Resource::provider_requests && provider.requests_per_min) ||
           (resource == Resource::provider_tokens && provider.tokens_per_min);
  });
}

// What a built-in scenario would lower or use up, if the file gave it; empty: it is there.
std::string lacking(const Scenario& scenario, const ForecastRequest& request) {
  const Change& change = scenario.changes.front();
  const auto is_there = [&](const auto& factor) { return has_limit(request, factor.first); };
  const bool has_any = std::ranges::any_of(change.capacity, is_there);
  if (change.capacity.contains(Resource::gateway_requests) && !has_any)
    return "a limit of a gateway or a provider";
  const bool is_about_money = change.price != 1 || change.capacity.contains(Resource::budget);
  return is_about_money && !has_limit(request, Resource::budget) ? "a budget" : "";
}

void check_built_in(const ForecastRequest& request, SpecMap* scenarios) {
  if (!scenarios->has("built_in")) return;
  const std::vector<std::string> asked = scenarios->texts("built_in");
  for (const Scenario& built_in : built_in_scenarios(request.forecast)) {
    const std::string lacks = lacking(built_in, request);
    if (lacks.empty() || !contains(asked, built_in.name)) continue;
    scenarios->error("built_in", "\"" + built_in.name + "\" needs " + lacks,
                     "give it as a \"capacity\" under \"resources\", or leave the scenario out");
  }
}

// Built-in ones, without those that lack what they would change.
std::vector<Scenario> scenarios_unless_stated(const ForecastRequest& request) {
  std::vector<Scenario> all = built_in_scenarios(request.forecast);
  std::erase_if(all, [&](const Scenario& scenario) { return !lacking(scenario, request).empty(); });
  return all;
}

void read_stated_routes(SpecFile* spec, ForecastRequest* out) {
  SpecMap top = spec->top();
  SpecMap routes = top.map("routes");
  if (top.has_map("routes")) read_routes(routes, out->providers, &out->baseline, &out->forecast);
  if (spec->ok() && (is_silent(out->baseline) || is_silent(out->forecast))) {
    top.error("routes", "no route sends a request",
              "\"requests_per_s\" of one of them has to be above 0");
  }
}

// As many and as long now and then: the history is continued.
Result<void> take_routes(const RoutesOf& routes_of, ForecastRequest* out) {
  TRY_SET(out->baseline, routes_of(out->history));
  out->forecast = out->baseline;
  out->routes_from_history = true;
  return {};
}

}  // namespace

Result<std::vector<Slo>> parse_forecast_slos(std::string_view where, std::string_view text) {
  TRY(slos, parse_slos(where, text, SloScope::of_all));
  const auto of_class =
      std::ranges::find_if(slos, [](const Slo& slo) { return slo.slo_class.has_value(); });
  if (of_class == slos.end()) return slos;
  return fail(ErrorKind::usage,
              std::string(where) + ": " + text_of(*of_class) +
                  " is for a class, and routes of a forecast have none",
              "a limit without a class is on the requests of all routes");
}

Result<ForecastRequest> parse_forecast_request(const std::string& text, const std::string& file,
                                               std::span<const DeploymentKey> keys,
                                               const RoutesOf& routes_of) {
  TRY(spec, SpecFile::parse(text, file));
  SpecMap top = spec.top();
  ForecastRequest out;
  out.file = file;
  out.name = top.optional_text("name").value_or("");
  if (auto providers = top.optional_map("providers")) out.providers = read_providers(*providers);
  if (auto history = top.optional_map("history"))
    out.history = read_history_request(*history, file);
  const bool are_counted = !out.history.path.empty() && !top.has("routes") && routes_of;
  if (!are_counted) read_stated_routes(&spec, &out);
  if (const auto slo = top.optional_text("slo")) {
    if (auto slos = parse_forecast_slos("slo", *slo)) {
      out.slos = std::move(*slos);
    } else {
      top.error("slo", slos.error().diagnostics.front().message,
                slos.error().diagnostics.front().hint);
    }
  }
  if (auto deployment = top.optional_map("deployment"))
    out.flags = read_deployment(*deployment, {keys, file});
  if (auto given = top.optional_map("resources")) read_resources(*given, &out);
  if (auto traffic = top.optional_map("traffic")) read_traffic(*traffic, &out);
  if (auto price = top.optional_map("provider_price"))
    out.provider_price = read_token_price(*price);
  if (auto loss = top.optional_map("loss")) out.losses = read_losses(*loss);
  if (auto all = top.optional_map("migrations"))
    out.migrations = read_migrations(*all, {keys, file});
  if (auto reserve = top.optional_map("reserve")) {
    out.reserve = read_reserve(*reserve);
    if (out.history.path.empty())
      top.error("reserve", "what to reserve follows from a history", "give one as \"history\"");
  }
  auto scenarios = top.optional_map("scenarios");
  if (are_counted && !spec.ok()) {
    if (scenarios) scenarios->accept_foreign_keys();  // they name routes, which nobody knows yet
    return spec.finish(std::move(out));
  }
  if (are_counted) TRY_TO(take_routes(routes_of, &out));
  if (scenarios) {
    out.scenarios = read_scenarios(*scenarios, out.forecast);
    check_built_in(out, &*scenarios);
  } else {
    out.scenarios = scenarios_unless_stated(out);
  }
  return spec.finish(std::move(out));
}

Result<ForecastRequest> forecast_of_history(const std::string& path, const RoutesOf& routes_of) {
  ForecastRequest out;
  out.file = path;
  out.history.path = path;
  TRY_TO(take_routes(routes_of, &out));
  out.scenarios = scenarios_unless_stated(out);
  return out;
}

Result<ForecastRequest> read_forecast_request(const std::string& path,
                                              std::span<const DeploymentKey> keys,
                                              const RoutesOf& routes_of) {
  TRY(text, read_file(path));
  return parse_forecast_request(text, path, keys, routes_of);
}

bool says_what_will_be(const ForecastRequest& request) {
  for (std::size_t i = 0; i < request.baseline.size(); ++i) {
    for (const RouteField& field : route_fields()) {
      if (request.baseline[i].*field.member != request.forecast[i].*field.member) return true;
    }
    if (request.baseline[i].prompt_cv != request.forecast[i].prompt_cv ||
        request.baseline[i].output_cv != request.forecast[i].output_cv) {
      return true;
    }
  }
  return false;
}

}  // namespace plimsoll
