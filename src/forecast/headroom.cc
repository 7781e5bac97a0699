#include "forecast/headroom.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "base/parallel.h"
#include "forecast/money.h"
#include "forecast/situation.h"

namespace plimsoll {
namespace {

constexpr double kNoticed = 0.01;  // a smaller change of a utilisation is none
// A scenario's line is there to be read, not to be signed.
constexpr double kScenarioPrecision = 0.08;
constexpr double kScenarioAlpha = 0.5;

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
      const Situation& s = scenarios_[i];
      if (!served_ || s.is_whole() || !s.problem.empty()) out.scenarios.push_back(scenario_row(i));
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
    std::int64_t more = 0;
    double batch_window_ms = 0;
    for (const Change& change : scenario.changes) {
      more += change.instances;
      batch_window_ms += change.batch_window_ms;
      s.price *= change.price;
    }
    if (!s.served) return s;
    const std::int64_t left = served_->system.deployment.num_instances + more;
    s.instances = std::max(0.0, static_cast<double>(left) / served_->instances());
    s.served = s.served->with_instances(left);
    s.served->system.deployment.admission_latency += duration_from_us(batch_window_ms * 1000);
    if (left <= 0) s.problem = "no instance is left";
    if (served_rate(s.flows) <= 0) s.problem = "no request is left";
    return s;
  }

  // ---- simulation: every search is a task of its own

  struct Task {
    Situation* of = nullptr;  // none: of the sheet as a whole
    std::function<Result<void>()> work;
  };

  Result<void> simulate() {
    std::vector<Task> sheet;
    add_check(&baseline_, {}, &sheet);
    add_check(&forecast_, {}, &sheet);
    const auto fresh = at(demand_of(baseline_.flows), Resource::prompt_tokens);
    grows_prompts_ = fresh && *fresh > 0;
    if (grows_prompts_) {
      sheet.push_back({nullptr, [this] { return grow(LoadGrowth::prompts, &prompts_); }});
    }
    sheet.push_back({nullptr, [this] { return grow(LoadGrowth::answers, &answers_); }});
    auto ends = run_all(sheet);
    for (auto& end : ends) {
      if (!end) return pass_on(end);
    }
    if (execution_.keep_going()) simulate_scenarios();
    return {};
  }

  // What cannot be simulated is a row of its own, and no reason to lose the others.
  void simulate_scenarios() {
    const LineEffort look{kScenarioPrecision, forecast_.peak->line.of_guess, kScenarioAlpha};
    std::vector<Task> tasks;
    for (std::size_t i = 0; i < scenarios_.size(); ++i) {
      const Scenario& scenario = request_.scenarios[i];
      Situation& s = scenarios_[i];
      if (!s.problem.empty()) continue;
      if (const RetryRule* rule = retries_of(scenario)) {
        s.peak.emplace();
        tasks.push_back({&s, [=, this, &s] { return storm(&s, *rule, look); }});
      } else if (is_simulated(scenario)) {
        add_check(&s, look, &tasks);
      } else {
        s.peak = scenario.from_baseline ? baseline_.peak : forecast_.peak;
      }
    }
    const auto ends = run_all(tasks);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      if (ends[i]) continue;
      tasks[i].of->problem = ends[i].error().diagnostics.front().message;
      tasks[i].of->peak.reset();
    }
  }

  void add_check(Situation* s, const LineEffort& effort, std::vector<Task>* tasks) const {
    s->peak.emplace();
    tasks->push_back({s, [=, this] { return test_peak(request_.load, alone(), s); }});
    tasks->push_back({s, [=, this] { return find_peak_line(request_.load, effort, alone(), s); }});
  }

  // Those that an interrupt leaves out end well, and leave nothing behind.
  std::vector<Result<void>> run_all(const std::vector<Task>& tasks) const {
    std::vector<Result<void>> ends(tasks.size());
    for_each_in_parallel(
        tasks.size(), execution_.threads, [&](std::size_t i) { ends[i] = tasks[i].work(); },
        execution_.keep_going);
    return ends;
  }

  Result<void> storm(Situation* s, const RetryRule& rule, const LineEffort& effort) const {
    if (auto grown = add_retries(rule, request_.load, alone(), s); !grown) return grown;
    if (auto tested = test_peak(request_.load, alone(), s); !tested) return tested;
    return find_peak_line(request_.load, effort, alone(), s);
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

  Result<void> grow(LoadGrowth growth, std::optional<Line>* out) const {
    auto line = find_line(*served_, baseline_.flows, growth, request_.load, alone());
    if (!line) return pass_on(line);
    *out = std::move(*line);
    return {};
  }

  bool is_sheet_whole() const {
    return baseline_.is_whole() && forecast_.is_whole() &&
           (!grows_prompts_ || (prompts_ && !prompts_->interrupted)) && answers_ &&
           !answers_->interrupted;
  }

  // ---- from what was simulated to figures

  ResourceVector demand_in(const Situation& s) const {
    ResourceVector demand = demand_of(s.flows);
    std::optional<double> gpus;
    if (s.peak) {
      if (const auto tokens = kv_tokens_held(s)) at(demand, Resource::active_kv_tokens) = *tokens;
      gpus = gpus_needed(s);
      at(demand, Resource::gpus) = gpus;
      at(demand, Resource::queue_delay) = s.peak->probe.summary.cluster.scheduling_delay.p95_ms;
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
      row.demand_from = g->from_history ? Provenance::history : Provenance::given;
    } else if (served_ && (resource == Resource::active_kv_tokens || resource == Resource::gpus ||
                           resource == Resource::queue_delay)) {
      row.demand_from = Provenance::simulated;
    }
    const bool is_sure =
        row.demand_from == Provenance::given || row.demand_from == Provenance::simulated;
    if (const auto band = request_.band_of(resource); band && row.forecast_p95 && !is_sure) {
      row.forecast_band = Interval{*row.forecast_p95 * band->low, *row.forecast_p95 * band->high};
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
    if (s.served && scales) value *= s.instances;
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
    row.problem = s.problem;
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

Result<HeadroomSheet> find_headroom(const ForecastRequest& request,
                                    const std::optional<Served>& served,
                                    const Execution& execution) {
  return HeadroomSearch(request, served, execution).run();
}

}  // namespace plimsoll
