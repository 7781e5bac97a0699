#include "forecast/headroom.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "base/parallel.h"
#include "forecast/money.h"

namespace plimsoll {
namespace {

constexpr double kNoticed = 0.01;  // a smaller change of a utilisation is none
// A scenario's line is there to be read, not to be signed.
constexpr double kScenarioPrecision = 0.08;
constexpr double kScenarioAlpha = 0.5;
constexpr int kMostRounds = 6;  // of clients that try again

/// One situation: what comes, and what is there for it.
struct Situation {
  std::vector<Flow> flows;
  std::optional<Served> served;
  double batch_window_ms = 0;
  double price = 1;
  double attempts = 1;
  std::optional<PeakCheck> peak;
};

double share_beyond(const LoadProbe& probe) { return probe.slos.front().exceeding_share; }

// Clients send again what takes longer than they wait, and so make more of it take longer. A fixed
// point: with a share s of attempts that fail, a request is sent 1 + s + ... + s^(n-1) times.
Result<double> attempts_per_request(const Situation& situation, const RetryRule& rule,
                                    const TokenLoadOptions& options, const Execution& execution) {
  Served impatient = *situation.served;
  Slo patience;
  patience.metric = SloMetric::e2e;
  patience.percentile = 99;
  patience.limit = duration_from_us(rule.timeout_s * 1e6);
  impatient.system.slos = {patience};
  double attempts = 1;
  for (int round = 0; round < kMostRounds; ++round) {
    std::vector<Flow> flows = situation.flows;
    for (Flow& flow : flows) flow.requests_per_s *= attempts;
    auto probe = test_flows(impatient, flows, options, execution);
    if (!probe) return pass_on(probe);
    if (probe->interrupted || probe->slos.empty()) break;
    const double share = share_beyond(*probe);
    double next = 0;
    for (std::int64_t i = rule.attempts; i > 0; --i) next = 1 + share * next;
    if (std::abs(next - attempts) < kNoticed) break;
    attempts = next;
  }
  return attempts;
}

class HeadroomSearch {
 public:
  HeadroomSearch(const ForecastRequest& request, const std::optional<Served>& served,
                 const Execution& execution)
      : request_(request), served_(served), execution_(execution) {
    baseline_ = situation_of(request.baseline);
    forecast_ = situation_of(request.forecast);
    for (const Scenario& scenario : request.scenarios) scenarios_.push_back(happening(scenario));
  }

  Result<HeadroomSheet> run() {
    if (served_) {
      if (auto simulated = simulate(); !simulated) return pass_on(simulated);
    }
    HeadroomSheet out;
    out.interrupted = !execution_.keep_going();
    // A sheet with holes is none; scenarios that were cut short are left out.
    if (out.interrupted && served_ && !is_sheet_whole()) return out;
    for (const ResourceFacts& facts : resources()) {
      if (auto row = row_of(facts.resource)) out.rows.push_back(std::move(*row));
    }
    out.binding = binding_of(out.rows);
    out.baseline = baseline_.peak;
    out.forecast = forecast_.peak;
    for (std::size_t i = 0; i < scenarios_.size(); ++i) {
      if (!served_ || is_whole(scenarios_[i])) out.scenarios.push_back(scenario_row(i));
    }
    out.costs = route_costs(request_, served_);
    return out;
  }

 private:
  Situation situation_of(const std::vector<Route>& routes) const {
    Situation s;
    s.flows = flows_of(routes);
    s.served = served_;
    return s;
  }

  Situation happening(const Scenario& scenario) const {
    const auto& routes = scenario.from_baseline ? request_.baseline : request_.forecast;
    Situation s = situation_of(changed(routes, scenario.changes));
    std::int64_t instances = 0;
    for (const Change& change : scenario.changes) {
      instances += change.instances;
      s.batch_window_ms += change.batch_window_ms;
      s.price *= change.price;
    }
    if (!s.served) return s;
    s.served = s.served->with_instances(served_->system.deployment.num_instances + instances);
    s.served->system.deployment.admission_latency += duration_from_us(s.batch_window_ms * 1000);
    return s;
  }

  // ---- simulation: every search is a task of its own

  Result<void> simulate() {
    Tasks sheet;
    add_check(&baseline_, {}, &sheet);
    add_check(&forecast_, {}, &sheet);
    const auto fresh = at(demand_of(baseline_.flows), Resource::prompt_tokens);
    grows_prompts_ = fresh && *fresh > 0;
    if (grows_prompts_) {
      sheet.emplace_back([this] { return grow(LoadGrowth::prompts, &prompts_); });
    }
    sheet.emplace_back([this] { return grow(LoadGrowth::answers, &answers_); });
    if (auto done = run_all(sheet); !done || !execution_.keep_going()) return done;
    const LineEffort look{kScenarioPrecision, forecast_.peak->line.of_guess, kScenarioAlpha};
    Tasks tasks;
    for (std::size_t i = 0; i < scenarios_.size(); ++i) {
      if (const RetryRule* rule = retries_of(request_.scenarios[i])) {
        tasks.emplace_back([=, this] { return storm(&scenarios_[i], *rule, look); });
      } else if (is_simulated(request_.scenarios[i])) {
        add_check(&scenarios_[i], look, &tasks);
      }
    }
    if (auto done = run_all(tasks); !done) return done;
    for (std::size_t i = 0; i < scenarios_.size(); ++i) {
      if (scenarios_[i].peak || retries_of(request_.scenarios[i]) != nullptr) continue;
      scenarios_[i].peak = request_.scenarios[i].from_baseline ? baseline_.peak : forecast_.peak;
    }
    return {};
  }

  using Tasks = std::vector<std::function<Result<void>()>>;

  void add_check(Situation* s, const LineEffort& effort, Tasks* tasks) const {
    s->peak.emplace();
    tasks->emplace_back([=, this] { return test(s); });
    tasks->emplace_back([=, this] { return find_peak_line(s, effort); });
  }

  Result<void> run_all(const Tasks& tasks) const {
    std::vector<Result<void>> ends(tasks.size());
    for_each_in_parallel(
        tasks.size(), execution_.threads, [&](std::size_t i) { ends[i] = tasks[i](); },
        execution_.keep_going);
    for (auto& end : ends) {
      if (!end) return pass_on(end);
    }
    return {};
  }

  static const RetryRule* retries_of(const Scenario& scenario) {
    for (const Change& change : scenario.changes) {
      if (change.retries) return &*change.retries;
    }
    return nullptr;
  }

  /// Whether anything that the deployment feels is different.
  static bool is_simulated(const Scenario& scenario) {
    return std::ranges::any_of(scenario.changes, [](const Change& c) {
      return !c.set.empty() || !c.times.empty() || c.cohort || c.shift || c.instances != 0 ||
             c.batch_window_ms > 0;
    });
  }

  Execution alone() const {
    Execution e = execution_;
    e.threads = 1;
    return e;
  }

  Result<void> test(Situation* s) const {
    auto probe = test_flows(*s->served, s->flows, request_.load, alone());
    if (!probe) return pass_on(probe);
    s->peak->probe = std::move(*probe);
    return {};
  }

  Result<void> find_peak_line(Situation* s, const LineEffort& effort) const {
    auto line = find_line(*s->served, s->flows, LoadGrowth::rate, request_.load, alone(), effort);
    if (!line) return pass_on(line);
    s->peak->line = std::move(*line);
    return {};
  }

  Result<void> grow(LoadGrowth growth, std::optional<Line>* out) const {
    auto line = find_line(*served_, baseline_.flows, growth, request_.load, alone());
    if (!line) return pass_on(line);
    *out = std::move(*line);
    return {};
  }

  Result<void> storm(Situation* s, const RetryRule& rule, const LineEffort& effort) const {
    auto attempts = attempts_per_request(*s, rule, request_.load, alone());
    if (!attempts) return pass_on(attempts);
    s->attempts = *attempts;
    for (Flow& flow : s->flows) flow.requests_per_s *= *attempts;
    s->peak.emplace();
    if (auto tested = test(s); !tested) return tested;
    return find_peak_line(s, effort);
  }

  static bool is_whole(const Situation& s) {
    return s.peak && s.peak->probe.rate_rps > 0 && !s.peak->probe.interrupted &&
           s.peak->line.is_searched && !s.peak->line.interrupted;
  }

  bool is_sheet_whole() const {
    return is_whole(baseline_) && is_whole(forecast_) &&
           (!grows_prompts_ || (prompts_ && !prompts_->interrupted)) && answers_ &&
           !answers_->interrupted;
  }

  // ---- from what was simulated to figures

  static bool is_held(const PeakCheck& peak) { return peak.probe.answer == Answer::holds; }

  // While a demand is held, what its requests occupy is seen; beyond that, what they occupy at the
  // largest load of this kind that is held, scaled: caches that are full show only their size.
  static std::optional<double> kv_tokens_of(const Situation& s) {
    const double all = s.served->kv_tokens();
    if (is_held(*s.peak)) return s.peak->probe.summary.cluster.kv_utilization * all;
    if (!s.peak->line.at_line || s.peak->line.factor <= 0) return std::nullopt;
    const LoadProbe& most = *s.peak->line.at_line;
    return most.summary.cluster.kv_utilization * all * served_rate(s.flows) / most.rate_rps;
  }

  std::optional<double> gpus_of(const Situation& s) const {
    if (s.peak->line.factor <= 0) return std::nullopt;
    const double instances = std::ceil(s.served->instances() / s.peak->line.factor);
    return instances * static_cast<double>(s.served->gpus_per_instance);
  }

  ResourceVector demand_in(const Situation& s) const {
    ResourceVector demand = demand_of(s.flows);
    std::optional<double> gpus;
    if (s.peak) {
      if (const auto tokens = kv_tokens_of(s)) at(demand, Resource::active_kv_tokens) = *tokens;
      gpus = gpus_of(s);
      at(demand, Resource::gpus) = gpus;
      at(demand, Resource::queue_delay) =
          s.peak->probe.summary.cluster.scheduling_delay.p95_ms + s.batch_window_ms;
    }
    at(demand, Resource::budget) = usd_per_month(request_, s.flows, gpus, served_, s.price);
    return demand;
  }

  const GivenResource* given(Resource resource) const {
    const auto found = request_.given.find(resource);
    return found == request_.given.end() ? nullptr : &found->second;
  }

  std::optional<double> baseline_demand(Resource resource) const {
    const GivenResource* g = given(resource);
    return g != nullptr && g->baseline ? g->baseline : at(demand_in(baseline_), resource);
  }

  std::optional<double> forecast_demand(Resource resource) const {
    const GivenResource* g = given(resource);
    return g != nullptr && g->forecast ? g->forecast : at(demand_in(forecast_), resource);
  }

  struct Capacity {
    double value = 0;
    std::optional<Interval> interval;
    Provenance from = Provenance::given;
  };

  std::optional<Capacity> line_capacity(Resource resource, const std::optional<Line>& line) const {
    const auto demand = at(demand_of(baseline_.flows), resource);
    if (!line || !demand) return std::nullopt;
    return Capacity{*demand * line->factor,
                    Interval{*demand * line->interval.low, *demand * line->interval.high},
                    Provenance::simulated};
  }

  std::optional<Capacity> capacity_of(Resource resource) const {
    if (const GivenResource* g = given(resource); g != nullptr && g->capacity) {
      return Capacity{*g->capacity, std::nullopt, Provenance::given};
    }
    if (!served_) return std::nullopt;
    switch (resource) {
      case Resource::requests:
        return line_capacity(resource, baseline_.peak->line);
      case Resource::prompt_tokens:
        return line_capacity(resource, prompts_);
      case Resource::output_tokens:
        return line_capacity(resource, answers_);
      case Resource::active_kv_tokens:
        return Capacity{served_->kv_tokens(), std::nullopt, Provenance::deployed};
      case Resource::queue_delay:
        return queue_capacity();
      default:
        return std::nullopt;
    }
  }

  // What a limit on the TTFT leaves for waiting, after the prompt's own time.
  std::optional<Capacity> queue_capacity() const {
    std::optional<double> limit_ms;
    for (const Slo& slo : request_.slos) {
      if (slo.metric != SloMetric::ttft) continue;
      const double ms = to_ms(slo.limit);
      limit_ms = std::min(limit_ms.value_or(ms), ms);
    }
    if (!limit_ms || !baseline_.peak) return std::nullopt;
    const GroupSummary& all = baseline_.peak->probe.summary.cluster;
    const double prompt_ms = all.ttft.mean_ms - all.scheduling_delay.mean_ms;
    return Capacity{std::max(0.0, *limit_ms - prompt_ms), std::nullopt, Provenance::simulated};
  }

  std::optional<SheetRow> row_of(Resource resource) const {
    SheetRow row;
    row.resource = resource;
    row.baseline_p95 = baseline_demand(resource);
    row.forecast_p95 = forecast_demand(resource);
    const auto capacity = capacity_of(resource);
    if (!row.forecast_p95 && !row.baseline_p95) return std::nullopt;
    if (capacity) {
      row.capacity = capacity->value;
      row.capacity_interval = capacity->interval;
      row.capacity_from = capacity->from;
    }
    const GivenResource* g = given(resource);
    if (g != nullptr) row.owner = g->owner;
    if (g != nullptr && g->forecast) {
      row.demand_from = Provenance::given;
    } else if (served_ && (resource == Resource::active_kv_tokens || resource == Resource::gpus ||
                           resource == Resource::queue_delay)) {
      row.demand_from = Provenance::simulated;
    } else if (request_.band && row.forecast_p95) {
      row.forecast_band =
          Interval{*row.forecast_p95 * request_.band->low, *row.forecast_p95 * request_.band->high};
    }
    return row;
  }

  // Lines of the deployment are those of the sheet, in proportion to its instances.
  std::optional<double> capacity_in(const Situation& s, const Scenario& scenario,
                                    Resource resource) const {
    const auto capacity = capacity_of(resource);
    if (!capacity) return std::nullopt;
    double value = capacity->value;
    const bool scales = capacity->from != Provenance::given && resource != Resource::queue_delay;
    if (s.served && scales) value *= s.served->instances() / served_->instances();
    for (const Change& change : scenario.changes) {
      const auto factor = change.capacity.find(resource);
      if (factor != change.capacity.end()) value *= factor->second;
    }
    return value;
  }

  static std::optional<double> share(const std::optional<double>& demand,
                                     const std::optional<double>& capacity) {
    if (!demand || !capacity) return std::nullopt;
    if (*capacity > 0) return *demand / *capacity;
    return *demand > 0 ? std::numeric_limits<double>::infinity() : 0;
  }

  ScenarioRow scenario_row(std::size_t index) const {
    const Scenario& scenario = request_.scenarios[index];
    const Situation& s = scenarios_[index];
    const Situation& before = scenario.from_baseline ? baseline_ : forecast_;
    ScenarioRow row;
    row.name = scenario.name;
    row.about = scenario.about;
    row.peak = s.peak;
    row.attempts = s.attempts;
    row.demand = demand_in(s);
    const ResourceVector demand_before = demand_in(before);
    std::vector<std::pair<double, Resource>> changes;
    double most = 0;
    for (const ResourceFacts& facts : resources()) {
      const Resource resource = facts.resource;
      auto& demand = at(row.demand, resource);
      const GivenResource* g = given(resource);
      const auto stated = g == nullptr             ? std::nullopt
                          : scenario.from_baseline ? g->baseline
                                                   : g->forecast;
      // What was given is moved as what the routes ask for is.
      const auto& routed = at(demand_before, resource);
      if (stated) demand = *stated * growth_of(resource, s, before, demand, routed);
      at(row.capacity, resource) = capacity_in(s, scenario, resource);
      const auto now = share(demand, at(row.capacity, resource));
      if (now && (*now > most || !row.binding)) {
        most = *now;
        row.binding = resource;
        row.risk = risk_of(resource, *now);
      }
      const auto was = share(stated ? stated : routed, optional_value(capacity_of(resource)));
      if (now && was && std::abs(*now - *was) > kNoticed)
        changes.emplace_back(*now - *was, resource);
    }
    std::ranges::stable_sort(changes, std::greater{}, &std::pair<double, Resource>::first);
    for (const auto& [change, resource] : changes) {
      if (change > 0) row.worse.push_back(resource);
    }
    for (auto change = changes.rbegin(); change != changes.rend(); ++change) {
      if (change->first < 0) row.better.push_back(change->second);
    }
    const auto pressed = row.worse.empty() ? row.binding : std::optional(row.worse.front());
    if (const GivenResource* g = pressed ? given(*pressed) : nullptr) row.owner = g->owner;
    return row;
  }

  // KV tokens of which nobody says how long they are held grow with those that come.
  static double growth_of(Resource resource, const Situation& now, const Situation& before,
                          const std::optional<double>& demand, const std::optional<double>& was) {
    if (demand && was && *was > 0) return *demand / *was;
    if (resource != Resource::active_kv_tokens) return 1;
    const double held = held_per_second(before.flows);
    return held > 0 ? held_per_second(now.flows) / held : 1;
  }

  static std::optional<double> optional_value(const std::optional<Capacity>& capacity) {
    if (!capacity) return std::nullopt;
    return capacity->value;
  }

  const ForecastRequest& request_;
  const std::optional<Served>& served_;
  const Execution& execution_;
  Situation baseline_;
  Situation forecast_;
  std::vector<Situation> scenarios_;
  bool grows_prompts_ = false;  // not where all of them are cached
  std::optional<Line> prompts_;
  std::optional<Line> answers_;
};

}  // namespace

std::string_view name_of(Provenance provenance) {
  switch (provenance) {
    case Provenance::given:
      return "given";
    case Provenance::routes:
      return "routes";
    case Provenance::simulated:
      return "simulated";
    case Provenance::deployed:
      return "deployed";
  }
  return {};
}

std::optional<double> SheetRow::utilisation() const {
  if (!capacity || !forecast_p95) return std::nullopt;
  if (*capacity > 0) return *forecast_p95 / *capacity;
  return *forecast_p95 > 0 ? std::numeric_limits<double>::infinity() : 0;
}

std::optional<double> SheetRow::headroom() const {
  if (!capacity || !forecast_p95) return std::nullopt;
  return *capacity - *forecast_p95;
}

std::optional<Risk> SheetRow::risk() const {
  const auto used = utilisation();
  if (!used) return std::nullopt;
  return risk_of(resource, *used);
}

std::optional<Resource> binding_of(const std::vector<SheetRow>& rows) {
  std::optional<Resource> binding;
  double most = -1;
  for (const SheetRow& row : rows) {
    const auto used = row.utilisation();
    if (!used || *used <= most) continue;
    most = *used;
    binding = row.resource;
  }
  return binding;
}

Result<HeadroomSheet> find_headroom(const ForecastRequest& request,
                                    const std::optional<Served>& served,
                                    const Execution& execution) {
  return HeadroomSearch(request, served, execution).run();
}

}  // namespace plimsoll
