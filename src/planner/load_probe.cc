#include "planner/load_probe.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "metrics/latency.h"
#include "metrics/steadiness.h"
#include "metrics/warmup.h"
#include "planner/lasting_evidence.h"
#include "planner/slo_series.h"

namespace plimsoll {
namespace {

constexpr double kShownLevel = 0.90;
// A search keeps the highest of several rates that held: with 2,000 one of M/M/1 in four ends too
// high (docs/statistics.md).
constexpr std::int64_t kFewestRequests = 20'000;

/// One run, and the gaps between its tokens by stretches of time.
struct Run {
  RunRecord record;
  Labels labels;
  GapStretches gaps;
  bool interrupted = false;
};

Run simulate(const ProbedSystem& system, Load load, double rate_rps, std::int64_t requests,
             bool may_end_early, Monitor* monitor) {
  SimulationOptions options;
  options.semantics = system.semantics;
  options.seed = load.seed;
  options.horizon = load.horizon;
  Simulation simulation(system.deployment, *load.source, options);
  Run run;
  const double span_s =
      static_cast<double>(requests) / (load.rate_rps > 0 ? load.rate_rps : rate_rps);
  const auto goes_on = [&] {
    const RunRecord so_far = simulation.record();
    return judge_record(so_far).verdict != SteadyVerdict::overloaded ||
           !evidence_of(so_far.requests, false).growth;
  };
  run.interrupted = !run_in_stretches(simulation, system.slos, span_s, monitor, &run.gaps,
                                      may_end_early ? goes_on : EarlyLook{});
  run.record = simulation.take_record();
  run.labels = load.source->labels();
  return run;
}

// Above the tolerated share, below it, or across.
Answer compare(const std::optional<Interval>& value, double limit) {
  if (!value) return Answer::unclear;
  if (value->low > limit) return Answer::fails;
  return value->high <= limit ? Answer::holds : Answer::unclear;
}

// Could the longest run decide what this one left open, of which it is `share`? Intervals narrow
// with the root of the length; by then the value has moved, by one of its own errors if it is
// lucky. Looks so early that this says little always go on.
bool is_within_reach(const Interval& now, double limit, double share) {
  constexpr double kErrorsInHalfWidth = 2.4;  // at the levels of the first looks
  const double half = (now.high - now.low) / 2;
  const double distance = std::fabs((now.high + now.low) / 2 - limit);
  const double lucky = half / kErrorsInHalfWidth * std::sqrt(std::fmax(0, 1 - share));
  return distance + lucky > half * std::sqrt(share);
}

class Judging {
 public:
  /// `share`: of the longest run that may come.
  Judging(const ProbedSystem& system, const Run& run, const SteadyState& state, double level,
          double share)
      : system_(system), run_(run), state_(state), level_(level), share_(share) {}

  std::vector<SloFigure> figures() const {
    std::vector<SloFigure> out;
    for (std::size_t i = 0; i < system_.slos.size(); ++i) out.push_back(figure(i));
    return out;
  }

 private:
  /// Traffic that has no steady state has one figure: that of the whole run.
  bool is_steady() const { return state_.verdict == SteadyVerdict::steady; }

  SloFigure figure(std::size_t i) const {
    const Slo& slo = system_.slos[i];
    SloSeries series = series_of(run_.record, slo, is_steady() ? state_.warmup_s : 0);
    SloFigure f;
    f.value_ms = value_of(slo, series);
    f.exceeding_share = series.exceeding_share();
    if (slo.metric == SloMetric::itl) {
      f.value_ms = run_.gaps.value_ms(slo);
      f.exceeding_share = run_.gaps.exceeding_share(i);
    }
    if (rate_changes()) {
      f.answer = plain_answer(slo, f);
      return f;
    }
    if (slo.metric == SloMetric::itl && slo.percentile) {
      decide(run_.gaps.share_interval(i, state_.warmup_s, level_), slo.tolerated_share(), &f);
      return f;
    }
    if (slo.metric == SloMetric::itl) {
      f.interval_ms = series.mean_gap_interval(kShownLevel);
      decide(series.mean_gap_interval(level_), to_ms(slo.limit), &f);
      return f;
    }
    if (!slo.percentile) {
      f.interval_ms = mean_interval(series.served_ms, kShownLevel);
      decide(mean_interval(series.served_ms, level_), to_ms(slo.limit), &f);
      return f;
    }
    Percentiles<double> of(series.served_ms);
    f.interval_ms = percentile_interval(series.served_ms, of, *slo.percentile, kShownLevel);
    if (static_cast<std::int64_t>(series.exceeds.size()) >= fewest_requests({slo}) / 2) {
      decide(mean_interval(series.exceeds, level_), slo.tolerated_share(), &f);
      if (f.answer == Answer::unclear && is_missed_by_far(slo, f)) f.answer = Answer::fails;
    }
    return f;
  }

  void decide(const std::optional<Interval>& value, double limit, SloFigure* f) const {
    f->answer = compare(value, limit);
    f->within_reach = !value || !is_steady() || is_within_reach(*value, limit, share_);
  }

  // Near its limit a queue wanders, and no length gives an interval. But of a run that began empty
  // no more are expected to exceed than later, and Markov's inequality needs nothing else: if no
  // more did than is tolerated, 20 times as many would be seen in one run of 20.
  bool is_missed_by_far(const Slo& slo, const SloFigure& f) const {
    constexpr double kAlpha = 0.05;
    return share_ >= 1 && kAlpha * f.exceeding_share > slo.tolerated_share();
  }

  bool rate_changes() const {
    return state_.verdict == SteadyVerdict::transient && state_.enough_requests == 0;
  }

  static Answer plain_answer(const Slo& slo, const SloFigure& f) {
    const bool holds = slo.percentile ? f.exceeding_share <= slo.tolerated_share()
                                      : f.value_ms <= to_ms(slo.limit);
    return holds ? Answer::holds : Answer::fails;
  }

  static double value_of(const Slo& slo, const SloSeries& series) {
    if (series.served_ms.empty()) return 0;
    if (slo.percentile) return Percentiles<double>(series.served_ms).at(*slo.percentile);
    double sum = 0;
    for (const double ms : series.served_ms) sum += ms;
    return sum / static_cast<double>(series.served_ms.size());
  }

  const ProbedSystem& system_;
  const Run& run_;
  const SteadyState& state_;
  const double level_;
  const double share_;
};

// The first SLO with that answer; the end if there is none.
std::size_t first_with(const LoadProbe& test, Answer answer) {
  return static_cast<std::size_t>(std::ranges::find(test.slos, answer, &SloFigure::answer) -
                                  test.slos.begin());
}

std::string shown(double ms) { return ms_or_s(ms / 1000); }

std::string figure_text(const Slo& slo, const SloFigure& figure) {
  return name_of(slo) + " " + shown(figure.value_ms);
}

void conclude(const ProbedSystem& system, const Evidence& evidence, LoadProbe* test) {
  const SteadyVerdict verdict = test->state.verdict;
  const bool is_lasting = evidence.latency || verdict == SteadyVerdict::steady;
  const std::size_t failed = is_lasting ? first_with(*test, Answer::fails) : test->slos.size();
  if (verdict == SteadyVerdict::overloaded && evidence.growth) {
    test->answer = Answer::fails;
    test->reason = test->state.backlog_growth_rps > 0
                       ? fmt::format("the queue grows by {} req/s",
                                     three_digits(test->state.backlog_growth_rps))
                       : test->state.reason;
  } else if (failed < test->slos.size()) {
    test->answer = Answer::fails;
    test->reason = figure_text(system.slos[failed], test->slos[failed]);
  } else if (const std::size_t unclear = first_with(*test, Answer::unclear);
             unclear < test->slos.size()) {
    test->answer = Answer::unclear;
    test->reason = verdict == SteadyVerdict::steady
                       ? fmt::format("{} cannot be told from its limit by {} requests",
                                     figure_text(system.slos[unclear], test->slos[unclear]),
                                     grouped(test->requests))
                       : test->state.reason;
  } else {
    const bool has_figures =
        verdict == SteadyVerdict::steady ||
        (verdict == SteadyVerdict::transient && test->state.enough_requests == 0);
    const bool clear = has_figures && first_with(*test, Answer::fails) == test->slos.size();
    test->answer = clear ? Answer::holds : Answer::unclear;
    test->reason = clear && !test->slos.empty()
                       ? figure_text(system.slos.front(), test->slos.front())
                       : test->state.reason;
  }
}

// Every limit that is still open would stay open.
bool is_hopeless(const LoadProbe& test) {
  return test.answer == Answer::unclear && first_with(test, Answer::unclear) < test.slos.size() &&
         std::ranges::none_of(test.slos, [](const SloFigure& f) {
           return f.answer == Answer::unclear && f.within_reach;
         });
}

// Of a class that no request has; null if there is none.
const Slo* limit_on_nothing(const std::vector<Slo>& slos, const RunRecord& record) {
  const RequestTable& t = record.requests;
  for (const Slo& slo : slos) {
    bool has_requests = !slo.slo_class;
    for (std::size_t row = 0; row < t.size() && !has_requests; ++row) {
      has_requests = t.slo_class[row] == *slo.slo_class;
    }
    if (!has_requests) return &slo;
  }
  return nullptr;
}

// Of the stretch that its interval is of.
void take_rate(const std::vector<MetricInterval>& intervals, std::string_view metric,
               double* rate) {
  const auto at = std::ranges::find(intervals, metric, &MetricInterval::metric);
  if (at != intervals.end()) *rate = (at->low + at->high) / 2;
}

// Latencies of the same requests as those that are compared with limits, and rates while these
// arrive.
ProbeSummary summary_of(const ProbedSystem& system, const Run& run, const SteadyState& state) {
  SummaryOptions wanted;
  if (state.verdict == SteadyVerdict::steady)
    wanted.warmup = {.kind = WarmupChoice::Kind::automatic, .time = {}, .requests = 0};
  wanted.work = system.work;
  wanted.semantics = system.semantics;
  wanted.deployment = &system.deployment;
  wanted.labels = &run.labels;
  Summary summary = summarize(run.record, wanted);
  take_rate(summary.intervals, "responses_per_sec", &summary.cluster.responses_per_sec);
  take_rate(summary.intervals, "tokens_per_sec", &summary.cluster.tokens_per_sec);
  return {std::move(summary.cluster), std::move(summary.bottleneck), std::move(summary.intervals)};
}

}  // namespace

std::string_view name_of(Answer answer) {
  switch (answer) {
    case Answer::holds:
      return "holds";
    case Answer::fails:
      return "fails";
    case Answer::unclear:
      break;
  }
  return "unclear";
}

std::int64_t fewest_requests(const std::vector<Slo>& slos) {
  constexpr double kExceedingPerBatch = 10;  // as for percentile intervals
  double least = static_cast<double>(kFewestRequests);
  for (const Slo& slo : slos) {
    if (!slo.percentile || slo.metric == SloMetric::itl) continue;
    const double share = slo.tolerated_share();
    least = std::max(least, static_cast<double>(kFewestBatches) * kExceedingPerBatch / share);
  }
  return std::llround(1.1 * least);  // a tenth for the warm-up
}

Result<LoadProbe> probe_load(const ProbedSystem& system, double rate_rps, const ProbeEffort& effort,
                             Monitor* monitor) {
  LoadProbe test;
  test.rate_rps = rate_rps;
  test.instances = system.deployment.num_instances;
  std::int64_t requests =
      std::min(effort.most_requests, std::max(effort.first_requests, fewest_requests(system.slos)));
  // Where the length is given, the traffic may be a peak and what follows.
  const bool may_end_early = effort.first_requests < effort.most_requests;
  for (int look = 1;; ++look) {
    auto load = system.load(rate_rps, requests);
    if (!load) return pass_on(load);
    Run run = simulate(system, std::move(*load), rate_rps, requests, may_end_early, monitor);
    test.interrupted = run.interrupted;
    test.requests = std::ssize(run.record.requests.arrival);
    test.state = judge_record(run.record);
    if (test.state.verdict == SteadyVerdict::no_load) {
      return fail(ErrorKind::usage, "nothing to test: " + test.state.reason);
    }
    const Slo* idle = limit_on_nothing(system.slos, run.record);
    if (idle != nullptr && !run.interrupted) {
      return fail(ErrorKind::usage,
                  "no request of the traffic is of the class of " + text_of(*idle),
                  "a specification or a trace says which class its requests are of");
    }
    const double level = 1 - 2 * effort.alpha / (look * (look + 1));
    const double share =
        static_cast<double>(test.requests) / static_cast<double>(effort.most_requests);
    test.slos = Judging(system, run, test.state, level, share).figures();
    const bool all_seen = test.requests < requests;  // a finite load, or one that ended early
    const bool is_longest = requests >= effort.most_requests || all_seen || run.interrupted;
    conclude(system, evidence_of(run.record.requests, is_longest), &test);
    if (test.answer != Answer::unclear || is_longest || is_hopeless(test)) {
      test.summary = summary_of(system, run, test.state);
      return test;
    }
    requests = std::min(effort.most_requests,
                        std::max(2 * requests, std::min(test.state.enough_requests, 8 * requests)));
  }
}

}  // namespace plimsoll
