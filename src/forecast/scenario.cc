#include "forecast/scenario.h"

#include <algorithm>

namespace plimsoll {
namespace {

bool is_about(const Change& change, const Route& route) {
  return change.routes.empty() || std::ranges::count(change.routes, route.name) > 0;
}

template <class Work>
void for_each_route(const std::vector<Change>& changes, std::vector<Route>* routes, Work work) {
  for (const Change& change : changes) {
    for (Route& route : *routes) {
      if (is_about(change, route)) work(change, route);
    }
  }
}

// The requests that leave a route take their shape along; what they find in the cache and how long
// the answers get, the route they come to decides.
void move_requests(const Shift& shift, Route& from, std::vector<Route>* routes) {
  Route& to = *std::ranges::find(*routes, shift.to, &Route::name);
  if (&to == &from) return;
  const double moved = from.requests_per_s * shift.share;
  const double both = moved + to.requests_per_s;
  if (both <= 0) return;
  const double share = moved / both;
  const double cached = (1 - share) * to.cached_share * to.prompt_tokens;
  to.prompt_tokens += share * (from.prompt_tokens - to.prompt_tokens);
  to.cached_share = to.prompt_tokens > 0 ? cached / to.prompt_tokens : 0;
  to.requests_per_s = both;
  from.requests_per_s -= moved;
}

std::vector<Route> cohorts_of(const std::vector<Change>& changes, std::vector<Route>* routes) {
  std::vector<Route> cohorts;
  for_each_route(changes, routes, [&](const Change& change, Route& route) {
    if (!change.cohort || route.requests_per_s <= 0) return;
    Route cohort = route;
    cohort.name += ", cohort";
    cohort.requests_per_s *= change.cohort->share;
    cohort.prompt_tokens *= change.cohort->prompt_factor;
    cohort.output_tokens *= change.cohort->output_factor;
    cohort.cached_share /= std::max(1.0, change.cohort->prompt_factor);  // what it was, of more
    route.requests_per_s -= cohort.requests_per_s;
    cohorts.push_back(std::move(cohort));
  });
  return cohorts;
}

Scenario scenario(std::string name, std::string about, Change change) {
  return {std::move(name), std::move(about), false, {std::move(change)}};
}

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
  std::vector<Scenario> all;
  const auto times = [](double Route::*member, double factor) {
    Change change;
    change.times = {{member, factor}};
    return change;
  };
  all.push_back(scenario("launch", "1.5 times the requests of the forecast",
                         times(&Route::requests_per_s, 1.5)));
  Change long_context;
  long_context.cohort = Cohort{0.1, 8, 1};
  all.push_back(scenario("long-context", "a tenth of the prompts is 8 times as long",
                         std::move(long_context)));
  Change storm;
  storm.retries = RetryRule{};
  all.push_back(scenario("retry-storm",
                         "clients give up after 30 s and send again, three times at most",
                         std::move(storm)));
  Change cold;
  cold.set = {{&Route::cached_share, 0}};
  all.push_back(scenario("cache-collapse", "nothing is found in the prefix cache", cold));
  const auto strong =
      std::ranges::find_if(routes, [](const Route& route) { return !route.fallback_to.empty(); });
  if (strong != routes.end()) {
    Change shift;
    shift.shift = Shift{strong->fallback_to, 0.2};
    all.push_back(
        scenario("strong-model", "a fifth of the requests goes to " + strong->fallback_to, shift));
  }
  all.push_back(scenario("longer-answers", "answers are 1.3 times as long",
                         times(&Route::output_tokens, 1.3)));
  all.push_back(scenario("regional-failover", "another region's requests come here: twice as many",
                         times(&Route::requests_per_s, 2)));
  Change loss;
  loss.instances = -1;
  all.push_back(scenario("instance-loss", "one instance is lost", loss));
  Change cut;
  for (const Resource limit :
       {Resource::gateway_requests, Resource::provider_requests, Resource::provider_tokens}) {
    cut.capacity[limit] = 0.5;
  }
  all.push_back(scenario("rate-limit-cut", "outside limits are halved", cut));
  Change window;
  window.batch_window_ms = 100;
  all.push_back(scenario("batch-window", "requests are held back 100 ms to form batches", window));
  Change price;
  price.price = 1.25;
  all.push_back(scenario("price-rise", "GPUs and providers cost a quarter more", price));
  Change budget;
  budget.capacity[Resource::budget] = 0.8;
  all.push_back(scenario("budget-cut", "a fifth less money", budget));
  return all;
}

std::vector<Route> changed(std::vector<Route> routes, const std::vector<Change>& changes) {
  for_each_route(changes, &routes, [](const Change& change, Route& route) {
    for (const auto& [member, value] : change.set) route.*member = value;
  });
  for_each_route(changes, &routes, [](const Change& change, Route& route) {
    for (const auto& [member, factor] : change.times) route.*member *= factor;
  });
  const std::vector<Route> cohorts = cohorts_of(changes, &routes);
  routes.insert(routes.end(), cohorts.begin(), cohorts.end());
  for_each_route(changes, &routes, [&](const Change& change, Route& route) {
    if (change.shift) move_requests(*change.shift, route, &routes);
  });
  return routes;
}

}  // namespace plimsoll
