#include "forecast/headroom/simulated.h"

#include <atomic>
#include <string_view>

#include "base/lists.h"
#include "base/parallel.h"
#include "forecast/headroom/lost.h"
#include "forecast/headroom/review.h"

namespace plimsoll {
namespace {

// A scenario's line is there to be read, not to be signed.
constexpr double kScenarioPrecision = 0.08;
constexpr double kScenarioAlpha = 0.5;

Situation situation_of(const std::vector<Route>& routes, const std::optional<Served>& served) {
  Situation s;
  s.flows = flows_of(routes);
  s.served = served;
  return s;
}

bool changes_routes(const Change& c) {
  return !c.set.empty() || !c.times.empty() || c.retry_share > 0 || c.cohort || c.shift ||
         c.failover;
}

const std::vector<Route>& routes_before(const Scenario& scenario, const ForecastRequest& request) {
  if (!scenario.hour.empty()) return scenario.hour;
  return scenario.from_baseline ? request.baseline : request.forecast;
}

// Of instances, and nothing else.
bool is_loss(const Scenario& scenario) {
  const auto& changes = scenario.changes;
  return changes.size() == 1 && changes[0].instances < 0 && !changes_routes(changes[0]) &&
         changes[0].batch_window_ms <= 0;
}

bool changes_deployment(const Change& c) {
  return c.instances != 0 || c.batch_window_ms > 0 || c.retries;
}

Situation happening(const Scenario& scenario, const ForecastRequest& request,
                    const std::optional<Served>& served) {
  Situation s = situation_of(changed(routes_before(scenario, request), scenario.changes), served);
  std::int64_t more = 0;
  double batch_window_ms = 0;
  for (const Change& change : scenario.changes) {
    more += change.instances;
    batch_window_ms += change.batch_window_ms;
    s.price *= change.price;
  }
  if (!s.served) {
    if (std::ranges::any_of(scenario.changes, changes_deployment)) {
      s.problem = "not simulated: the file has no \"deployment\"";
    }
    return s;
  }
  if (more >= 0) {
    s.served = served->with_replicas(served->replicas() + more);
    s.instances = static_cast<double>(s.served->gpus()) / static_cast<double>(served->gpus());
  } else {
    Left left = left_after({LossKind::instances, -more}, *served, s.flows, request.load);
    s.instances = left.share;
    if (left.served) {
      s.served = std::move(left.served);
    } else {
      s.is_outage = true;
      s.problem = served->has_pools() ? "a part of it has no instance left: nothing is served"
                                      : "no instance is left: nothing is served";
    }
  }
  s.served->system.deployment.admission_latency += duration_from_us(batch_window_ms * 1000);
  if (served_rate(s.flows) <= 0) s.problem = "no request is left";
  if (s.problem.empty()) s.problem = problem_of_sessions(s.flows);
  return s;
}

/// Every search is a task of its own.
class Searches {
 public:
  Searches(const ForecastRequest& request, const Execution& execution, Simulated* out)
      : request_(request), execution_(execution), out_(out) {}

  Result<void> run(const Served& served) {
    const auto times = multiple_of(out_->baseline, out_->forecast);
    std::vector<Task> peaks;
    add_check(&out_->forecast, {}, &peaks);
    add_check(&out_->baseline, {}, &peaks);
    if (times) peaks.pop_back();  // its line is the forecast's
    for (auto& end : run_all(peaks, kFindingCapacities))
      if (!end) return pass_on(end);
    if (times) out_->baseline.peak->line = out_->forecast.peak->line.of_multiple(1 / *times);
    std::vector<Task> lines;
    const auto add_line = [&](LoadGrowth growth, std::optional<Line>* line) {
      line->emplace();
      lines.push_back({nullptr, [=, this, &served] { return grow(served, growth, &**line); }});
    };
    add_line(LoadGrowth::answers, &out_->answers);
    const auto fresh = at(demand_of(out_->baseline.flows), Resource::prompt_tokens);
    if (fresh && *fresh > 0) add_line(LoadGrowth::prompts, &out_->prompts);
    for (auto& end : run_all(lines))
      if (!end) return pass_on(end);
    if (!execution_.keep_going()) return {};
    for (Situation* s : {&out_->forecast, &out_->baseline})
      agree_with_test(&*s->peak, request_.slos);
    if (times) share_line(*times, &out_->baseline.peak->line, &out_->forecast.peak->line);
    for (Situation* s : {&out_->forecast, &out_->baseline}) see_sessions(s);
    // With a history, GPUs are counted for the demand that it leads to.
    const bool counts = request_.history.path.empty();
    TRY_TO(judge_peak(request_.load, counts, execution_, &out_->forecast));
    find_replicas({&out_->forecast, &out_->baseline});
    run_scenarios();
    return {};
  }

 private:
  struct Task {
    Situation* of = nullptr;  // none: of the sheet as a whole
    std::function<Result<void>()> work;
  };

  // What cannot be simulated is a row of its own, and no reason to lose the others.
  void run_scenarios() {
    const LineEffort look{kScenarioPrecision, out_->forecast.peak->line.of_guess, kScenarioAlpha};
    std::vector<Task> tasks;
    add_failovers(look, &tasks);
    for (std::size_t i = 0; i < out_->scenarios.size(); ++i) {
      const Scenario& scenario = request_.scenarios[i];
      Situation& s = out_->scenarios[i];
      if (!s.problem.empty()) continue;
      const Situation& before = scenario.from_baseline ? out_->baseline : out_->forecast;
      if (const RetryRule* rule = retries_of(scenario)) {
        const bool is_alone = !is_felt(scenario);
        tasks.push_back({&s, [=, this, &s, &before] {
                           return storm(*rule, is_alone ? &before : nullptr, look, &s);
                         }});
      } else if (is_felt(scenario)) {
        add_check(&s, is_loss(scenario) ? kLossEffort : look, &tasks, &before);
      } else {
        s.peak = before.peak;
        s.replicas_needed = before.replicas_needed;
      }
    }
    const auto ends = run_all(tasks, kTryingScenarios);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      if (ends[i] || tasks[i].of == nullptr) continue;
      tasks[i].of->problem = ends[i].error().diagnostics.front().message;
      tasks[i].of->peak.reset();
    }
    for (Situation& s : out_->scenarios) {
      if (s.peak) agree_with_test(&*s.peak, request_.slos);
      if (s.peak && s.peak->line.is_known)
        s.peak->judged = out_->forecast.peak->judged_as(s.peak->line);
      see_sessions(&s);
    }
    find_cohorts(look);
    find_replicas(mapped(out_->scenarios, [](Situation& s) { return &s; }));
  }

  // How many it takes where those that are there are too few; one that fails leaves it open.
  void find_replicas(const std::vector<Situation*>& situations) const {
    std::vector<Task> tasks;
    for (Situation* s : situations) {
      if (!s->problem.empty() || !s->is_whole() || s->replicas_needed > 0) continue;
      tasks.push_back({s, [this, s] { return find_replicas_needed(request_.load, alone(), s); }});
    }
    run_all(tasks);
  }

  // Of longer requests that break a limit on their own, whatever the rate: how many there may be.
  void find_cohorts(const LineEffort& look) {
    std::vector<Task> tasks;
    for (std::size_t i = 0; i < out_->scenarios.size(); ++i) {
      const Scenario& scenario = request_.scenarios[i];
      Situation& s = out_->scenarios[i];
      const Situation& before = scenario.from_baseline ? out_->baseline : out_->forecast;
      if (!cohort_of(scenario) || !s.peak || !s.is_whole() || before.peak->line.factor <= 1)
        continue;
      if (!s.peak->line.is_known || s.peak->line.factor > 0) continue;
      tasks.push_back({nullptr, [=, this, &scenario, &s, &before] {
                         return find_cohort_line(scenario, before.peak->line.factor, look, &s);
                       }});
    }
    run_all(tasks);  // one that fails leaves no line
  }

  Result<void> find_cohort_line(const Scenario& scenario, double now_held, const LineEffort& look,
                                Situation* s) const {
    const auto& routes = routes_before(scenario, request_);
    const auto flows_at = [&](double share) {
      Change part = scenario.changes.front();
      part.cohort->share *= share;
      return flows_of(changed(routes, {part}));
    };
    TRY_SET(s->cohort_line, find_share_line(*s->served, request_.load, flows_at, flows_of(routes),
                                            now_held, look, alone()));
    return {};
  }

  /// Whether the deployment feels anything but retries of it.
  static bool is_felt(const Scenario& scenario) {
    return !scenario.hour.empty() || std::ranges::any_of(scenario.changes, [](const Change& c) {
      return changes_routes(c) || c.instances != 0 || c.batch_window_ms > 0;
    });
  }

  /// `before`: what is known already; may be null.
  void add_check(Situation* s, const LineEffort& effort, std::vector<Task>* tasks,
                 const Situation* before = nullptr) const {
    s->peak.emplace();
    tasks->push_back({s, [=, this] { return test_peak(request_.load, alone(), s); }});
    if (take_line(before, s)) return;
    tasks->push_back({s, [=, this] { return find_peak_line(request_.load, effort, alone(), s); }});
  }

  static bool take_line(const Situation* before, Situation* s) {
    const auto times = before != nullptr ? multiple_of(*before, *s) : std::nullopt;
    if (times) s->peak->line = before->peak->line.of_multiple(*times);
    return times.has_value();
  }

  // What the deployment does not hold anyway leaves nothing for a route that fails.
  void add_failovers(const LineEffort& effort, std::vector<Task>* tasks) const {
    const std::vector<Failover> all = failovers(request_.forecast);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!all[i].loads_deployment) continue;
      FailoverLines& lines = out_->failovers[i];
      add_failover(all[i], FailureKind::whole, effort, &lines.whole.emplace(), tasks);
      add_failover(all[i], FailureKind::partial, effort, &lines.partial.emplace(), tasks);
    }
  }

  void add_failover(const Failover& failover, FailureKind kind, const LineEffort& effort,
                    Line* line, std::vector<Task>* tasks) const {
    const PeakCheck& now = *out_->forecast.peak;
    if (!now.line.is_known) return;
    if (now.line.factor < 1) {
      line->is_known = true;
      line->beyond = now.probe;
      return;
    }
    tasks->push_back({nullptr, [=, this, &now]() -> Result<void> {
                        const auto flows_at = [&](double share) {
                          return flows_after(failover, kind, share, request_.forecast);
                        };
                        const Situation& s = out_->forecast;
                        TRY_SET(*line, find_share_line(*s.served, request_.load, flows_at, s.flows,
                                                       now.line.factor, effort, alone()));
                        return {};
                      }});
  }

  // Those that an interrupt leaves out end well, and leave nothing behind. Without a phase they
  // belong to the one before.
  std::vector<Result<void>> run_all(const std::vector<Task>& tasks,
                                    std::string_view phase = {}) const {
    std::vector<Result<void>> ends(tasks.size());
    std::atomic<std::size_t> done = 0;
    const auto tell = [&](std::size_t so_far) {
      if (!phase.empty()) execution_.progressed(phase, so_far, tasks.size());
    };
    tell(0);
    for_each_in_parallel(
        tasks.size(), execution_.threads,
        [&](std::size_t i) {
          ends[i] = tasks[i].work();
          tell(++done);
        },
        execution_.keep_going);
    return ends;
  }

  /// `same`: what it is where nobody has to try again; may be null.
  Result<void> storm(const RetryRule& rule, const Situation* same, const LineEffort& effort,
                     Situation* s) const {
    if (same == nullptr || !is_patient(rule, same->peak->probe)) {
      if (auto grown = add_retries(rule, request_.load, alone(), s); !grown) return grown;
    }
    if (s->attempts <= 1 && same != nullptr) {
      s->peak = same->peak;
      return {};
    }
    s->peak.emplace();
    if (auto tested = test_peak(request_.load, alone(), s); !tested) return tested;
    if (take_line(same, s)) return {};
    return find_peak_line(request_.load, effort, alone(), s);
  }

  Execution alone() const {
    Execution e = execution_;
    e.threads = 1;
    return e;
  }

  // Prompts and answers grow beside as many requests as are held: what there is of them does not
  // depend on how many more come.
  Result<void> grow(const Served& served, LoadGrowth growth, Line* out) const {
    std::vector<Flow> flows = out_->baseline.flows;
    const Line& held = out_->baseline.peak->line;
    const double share =
        held.at_line ? std::min(1.0, held.at_line->rate_rps / served_rate(flows)) : 1;
    for (Flow& flow : flows) flow.requests_per_s *= share;
    TRY(line, find_line(served, flows, growth, request_.load, alone()));
    *out = line.of_multiple(1 / share);
    return {};
  }

  const ForecastRequest& request_;
  const Execution& execution_;
  Simulated* out_;
};

}  // namespace

bool Simulated::is_sheet_whole() const {
  const auto is_done = [](const std::optional<Line>& line) {
    return !line || (line->is_searched && !line->interrupted);
  };
  return baseline.is_whole() && forecast.is_whole() && is_done(prompts) && is_done(answers);
}

Result<Simulated> simulate_forecast(const ForecastRequest& request,
                                    const std::optional<Served>& served,
                                    const Execution& execution) {
  Simulated out;
  out.baseline = situation_of(request.baseline, served);
  out.forecast = situation_of(request.forecast, served);
  for (const Situation* s : {&out.baseline, &out.forecast}) {
    if (std::string problem = problem_of_sessions(s->flows); !problem.empty())
      return fail(ErrorKind::spec, request.file + ": " + problem,
                  "fewer \"rounds\" of \"sessions\"");
  }
  out.failovers.resize(failovers(request.forecast).size());
  for (const Scenario& scenario : request.scenarios) {
    out.scenarios.push_back(happening(scenario, request, served));
  }
  if (served) TRY_TO(Searches(request, execution, &out).run(*served));
  return out;
}

}  // namespace plimsoll
