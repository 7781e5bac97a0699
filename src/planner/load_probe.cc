#include "planner/load_probe.h"

#include <cmath>

#include "base/lists.h"
#include "metrics/latency.h"
#include "metrics/warmup.h"
#include "planner/cluster_share.h"
#include "planner/lost_requests.h"
#include "planner/slo_judgement.h"

namespace plimsoll {
namespace {

// A search keeps the highest of several rates that held: with 2,000 one of M/M/1 in four ends too
// high (docs/explanation/capacity-search.md).
constexpr std::int64_t kFewestRequests = 20'000;

/// One run, and the gaps between its tokens by stretches of time.
struct Run {
  Deployment deployment;         ///< what was simulated: all of it, or a share
  std::int64_t requests = 0;     ///< of all instances
  double scale = 1;              ///< of all instances to those that were simulated
  bool begins_sessions = false;  ///< more and more of them
  RunRecord record;
  Labels labels;
  GapStretches gaps;
  bool interrupted = false;
};

// The same limits, of which twice as many requests may be above, or a mean by a tenth.
std::vector<Slo> loosened(std::vector<Slo> slos) {
  constexpr double kLeastPercentile = 1;
  for (Slo& slo : slos) {
    if (slo.percentile) {
      slo.percentile = std::fmax(kLeastPercentile, 100 * (1 - 2 * slo.tolerated_share()));
    } else {
      slo.limit = duration_from_us(1.1 * 1e3 * to_ms(slo.limit));
    }
  }
  return slos;
}

// By what was seen so far: the whole run would hardly say anything else.
bool is_decided(const ProbedSystem& system, const RunRecord& so_far, const GapStretches& gaps,
                const ProbeEffort& effort) {
  const SteadyState state = judge_record(so_far);
  const Evidence evidence = evidence_of(so_far.requests, Length::may_grow);
  if (state.verdict == SteadyVerdict::overloaded && evidence.growth) return true;
  if (state.verdict != SteadyVerdict::steady || !evidence.latency) return false;
  constexpr double kSurely = 0.999;
  const auto figures =
      slo_figures(loosened(system.slos), so_far, gaps, state, {kSurely, 0, effort.warmup_s});
  return contains(figures, Answer::fails, &SloFigure::answer);
}

Run simulate(const ProbedSystem& system, Load load, double rate_rps, std::int64_t requests,
             std::int32_t instances, const ProbeEffort& effort, Monitor* monitor) {
  const std::int32_t all = system.deployment.num_instances();
  const ShareOfRequests* share = nullptr;
  if (instances < all && !load.is_whole && !load.source->reacts()) {
    auto made = std::make_unique<ShareOfRequests>(std::move(load.source), all, instances);
    share = made.get();
    load.source = std::move(made);
  }
  SimulationOptions options{.semantics = system.semantics,
                            .seed = load.seed,
                            .horizon = load.horizon,
                            .prefixes_are_cached = system.prefixes_are_cached};
  Run run;
  run.deployment = share ? resized(system.deployment, instances) : system.deployment;
  Simulation simulation(run.deployment, *load.source, options);
  const double span_s =
      static_cast<double>(requests) / (load.rate_rps > 0 ? load.rate_rps : rate_rps);
  const auto goes_on = [&] { return !is_decided(system, simulation.record(), run.gaps, effort); };
  // Where the length is given, the traffic may be a peak and what follows.
  const bool may_end_early = effort.first_requests < effort.most_requests;
  run.interrupted = !run_in_stretches(simulation, system.slos, span_s, monitor, &run.gaps,
                                      may_end_early ? goes_on : EarlyLook{});
  run.record = simulation.take_record();
  run.requests = share ? share->passed() : std::ssize(run.record.requests.arrival);
  if (share) run.scale = static_cast<double>(all) / instances;
  run.labels = load.source->labels();
  run.begins_sessions = load.source->paces_sessions() || run.record.begins_sessions;
  return run;
}

// Is asked as a share of requests.
bool counts_requests(const Slo& slo) { return slo.percentile && slo.metric != &GroupSummary::itl; }

// The first SLO with that answer; the end if there is none.
std::size_t first_with(const LoadProbe& test, Answer answer) {
  return static_cast<std::size_t>(std::ranges::find(test.slos, answer, &SloFigure::answer) -
                                  test.slos.begin());
}

// More than a test lets be lost.
bool is_refused(const RequestTable& requests) {
  return share_never_served(requests) > kToleratedLoss;
}

// Would it fail by these alone, however fast all others are served?
bool is_turned_away(const ProbedSystem& system, const LoadProbe& test,
                    const RequestTable& requests) {
  if (test.answer != Answer::fails) return false;
  if (is_refused(requests)) return true;
  const double share = share_always_turned_away(requests);
  bool breaks = test.state.lost_share > 0 && share > kToleratedLoss;
  for (std::size_t i = 0; i < system.slos.size(); ++i) {
    const Slo& slo = system.slos[i];
    breaks = breaks || (!slo.slo_class && lacks_requests(slo, test.slos[i]) &&
                        test.slos[i].answer == Answer::fails && share > slo.tolerated_share());
  }
  return breaks;
}

Because<ProbeCause> why_unclear(const std::vector<Slo>& slos, const LoadProbe& test,
                                std::size_t i) {
  const std::int64_t least = least_to_tell(slos[i]);
  const std::int64_t had = slos[i].slo_class ? test.slos[i].requests : test.requests;
  if (had < least) return {ProbeCause::few_requests, i, least, had};
  return {wanders(slos[i], test.slos[i]) ? ProbeCause::slo_wanders : ProbeCause::too_close, i};
}

Because<ProbeCause> why_overloaded(const SteadyState& state, const RequestTable& requests) {
  if (state.lost_share > 0) return why_lost(requests);
  return state.backlog_growth_rps > 0 ? ProbeCause::queue_grows : ProbeCause::steady_state;
}

void conclude(const ProbedSystem& system, const RequestTable& requests, Length length,
              LoadProbe* test) {
  const Evidence evidence = evidence_of(requests, length);
  const SteadyVerdict verdict = test->state.verdict;
  const bool is_lasting = evidence.latency || verdict == SteadyVerdict::steady;
  const std::size_t failed = is_lasting ? first_with(*test, Answer::fails) : test->slos.size();
  if (is_refused(requests)) {
    test->answer = Answer::fails;
    test->reason = why_never_served(requests);
  } else if (verdict == SteadyVerdict::overloaded && evidence.growth) {
    test->answer = Answer::fails;
    test->reason = why_overloaded(test->state, requests);
  } else if (failed < test->slos.size()) {
    test->answer = Answer::fails;
    test->reason = {ProbeCause::slo_figure, failed};
  } else if (const std::size_t unclear = first_with(*test, Answer::unclear);
             unclear < test->slos.size()) {
    test->answer = Answer::unclear;
    test->reason = evidence.is_filling                ? ProbeCause::caches_fill
                   : verdict == SteadyVerdict::steady ? why_unclear(system.slos, *test, unclear)
                                                      : ProbeCause::steady_state;
  } else {
    const bool has_figures =
        verdict == SteadyVerdict::steady ||
        (verdict == SteadyVerdict::transient && test->state.enough_requests == 0);
    const bool clear = has_figures && first_with(*test, Answer::fails) == test->slos.size();
    test->answer = clear ? Answer::holds : Answer::unclear;
    test->reason = clear && !test->slos.empty()    ? ProbeCause::slo_figure
                   : evidence.is_filling && !clear ? ProbeCause::caches_fill
                                                   : ProbeCause::steady_state;
  }
  test->lost_share = share_lost(requests);
  test->is_turned_away = is_turned_away(system, *test, requests);
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

// Latencies of the same requests as those that are compared with limits, and rates while these
// arrive. `judged`: what was simulated, as it is; `state`: of all instances.
ProbeSummary summary_of(const ProbedSystem& system, const Run& run, const SteadyState& judged,
                        const SteadyState& state, const ProbeEffort& effort) {
  SummaryOptions wanted;
  wanted.cluster_alone = true;
  wanted.judged = judged;
  if (effort.warmup_s > 0) {
    wanted.warmup = {WarmupChoice::Kind::time, duration_from_us(1e6 * state.warmup_s), 0};
  } else if (state.verdict == SteadyVerdict::steady) {
    wanted.warmup = {.kind = WarmupChoice::Kind::automatic, .time = {}, .requests = 0};
  }
  wanted.steady_rates = true;
  wanted.semantics = system.semantics;
  wanted.deployment = &run.deployment;
  wanted.labels = &run.labels;
  Summary summary = summarize(run.record, wanted);
  ProbeSummary kept{std::move(summary.cluster), std::move(summary.bottleneck),
                    std::move(summary.intervals), std::move(summary.pools), std::nullopt};
  if (summary.sessions.should_be_together()) kept.found_before = summary.sessions.found_before;
  scale_up(run.scale, &kept);
  return kept;
}

// Of all the traffic there is, in which nothing waits for anything: there is no level to find.
SteadyState judged_over_all() {
  SteadyState state;
  state.verdict = SteadyVerdict::transient;
  state.enough_requests = 0;
  return state;
}

// That requests which do not depend on each other say what share of them is late.
bool has_enough(const std::vector<Slo>& slos, const LoadProbe& test) {
  constexpr double kFewestTolerated = 10;
  constexpr double kShareOfOthers = 0.01;
  for (std::size_t i = 0; i < slos.size(); ++i) {
    const double share = counts_requests(slos[i]) ? slos[i].tolerated_share() : kShareOfOthers;
    if (static_cast<double>(test.slos[i].requests) * share < kFewestTolerated) return false;
  }
  return test.state.verdict != SteadyVerdict::steady;
}

// How many times as many requests it takes to see as many sessions as requests that do not depend
// on each other: those of one session are late together, when its instance has too many of them.
double times_for_sessions(const ProbedSystem& system, const Run& run) {
  if (!run.begins_sessions) return 1;
  const double least = 0.5 * static_cast<double>(fewest_requests(system.slos));
  const std::vector<std::int32_t>& of_rows = run.record.requests.session.values();
  const auto last = std::ranges::max_element(of_rows);
  return last == of_rows.end() ? 1 : std::fmax(1, least * run.scale / (*last + 1));
}

double span_s(const RequestTable& requests) {
  if (requests.size() == 0) return 0;
  return to_seconds(requests.arrival.back() - requests.arrival.front());
}

}  // namespace

bool lacks_requests(const Slo& slo, const SloFigure& figure) {
  return counts_requests(slo) && figure.answer != Answer::holds && figure.unserved_share > 0 &&
         figure.value_ms <= to_ms(slo.limit);
}

bool wanders(const Slo& slo, const SloFigure& figure) {
  const bool by_gaps = slo.metric == &GroupSummary::itl && slo.percentile;  // has none anyway
  return figure.answer == Answer::unclear && !figure.interval_ms && !by_gaps;
}

std::int64_t fewest_requests(const std::vector<Slo>& slos) {
  constexpr double kExceedingPerBatch = 10;  // as for percentile intervals
  double least = static_cast<double>(kFewestRequests);
  for (const Slo& slo : slos) {
    if (!counts_requests(slo)) continue;
    const double share = slo.tolerated_share();
    least = std::max(least, static_cast<double>(kFewestBatches) * kExceedingPerBatch / share);
  }
  return std::llround(1.1 * least);  // a tenth for the warm-up
}

// So many that 20 are tolerated, where a share of them comes near its normal distribution.
std::int64_t least_to_tell(const Slo& slo) {
  constexpr double kToleratedToTell = 20;
  return counts_requests(slo) ? std::llround(kToleratedToTell / slo.tolerated_share()) : 0;
}

namespace {

// An error where a test can tell nothing.
Result<void> check_tells(const ProbedSystem& system, const RunRecord& record) {
  if (record.requests.size() == 0)
    return fail(ErrorKind::usage, "nothing to test: no request arrived");
  const Slo* idle = limit_on_nothing(system.slos, record);
  if (idle == nullptr) return {};
  return fail(ErrorKind::usage, "no request in the traffic has the class in " + text_of(*idle),
              "a specification or a trace says which class its requests are of");
}

}  // namespace

Result<LoadProbe> probe_load(const ProbedSystem& system, double rate_rps, const ProbeEffort& effort,
                             Monitor* monitor) {
  assert(rate_rps >= 0 && system.deployment.main().num_instances > 0);
  LoadProbe test;
  test.rate_rps = rate_rps;
  test.instances = system.deployment.num_instances();
  std::int64_t requests =
      std::min(effort.most_requests, std::max(effort.first_requests, fewest_requests(system.slos)));
  const std::int32_t instances = simulated_instances(system, effort, requests);
  for (int look = 1;; ++look) {
    TRY(load, system.load(rate_rps, requests));
    test.seed = load.seed;
    const bool is_whole = load.is_whole;
    Run run = simulate(system, std::move(load), rate_rps, requests, instances, effort, monitor);
    test.interrupted = run.interrupted;
    test.requests = run.requests;
    test.simulated = run.deployment.num_instances();
    if (run.interrupted) return test;  // nobody waits for what a part of a run shows
    const SteadyState judged = judge_record(run.record);
    test.state = judged;
    scale_up(run.scale, &test.state);
    test.state.warmup_s = std::max(test.state.warmup_s, effort.warmup_s);
    TRY_TO(check_tells(system, run.record));
    const double level = 1 - 2 * effort.alpha / (look * (look + 1));
    const double share =
        static_cast<double>(test.requests) / static_cast<double>(effort.most_requests);
    const auto judge_slos = [&] {
      test.slos = slo_figures(system.slos, run.record, run.gaps, test.state,
                              {level, share, effort.warmup_s, is_whole});
    };
    judge_slos();
    if (system.one_by_one && is_whole && has_enough(system.slos, test)) {
      test.state = judged_over_all();
      judge_slos();
    }
    for (SloFigure& figure : test.slos) scale_up(run.scale, &figure);
    const bool all_seen = is_whole || test.requests < requests;  // or it ended early
    const bool is_last = requests >= effort.most_requests || all_seen;
    const Length length = all_seen ? Length::whole : is_last ? Length::longest : Length::may_grow;
    conclude(system, run.record.requests, length, &test);
    if (test.answer == Answer::holds && effort.warmup_s > span_s(run.record.requests)) {
      test.answer = Answer::unclear;
      test.reason = {ProbeCause::all_in_warmup, effort.warmup_s};
    }
    const double times = is_last ? 1 : times_for_sessions(system, run);
    const bool is_clear = test.answer == Answer::fails ||
                          (test.answer == Answer::holds && times <= 1) || is_hopeless(test);
    if (is_clear || is_last) {
      test.summary = summary_of(system, run, judged, test.state, effort);
      return test;
    }
    const std::int64_t for_sessions = std::llround(1.1 * times * static_cast<double>(requests));
    const std::int64_t enough = std::max(test.state.enough_requests, for_sessions);
    requests =
        std::min(effort.most_requests, std::max(2 * requests, std::min(enough, 8 * requests)));
  }
}

}  // namespace plimsoll
