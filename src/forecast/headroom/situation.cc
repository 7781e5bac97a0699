#include "forecast/headroom/situation.h"

#include <algorithm>
#include <cmath>

#include "base/lists.h"
#include "planner/answer_error.h"

namespace plimsoll {
namespace {

constexpr int kMostRounds = 12;    // of clients that try again
constexpr double kSettled = 0.01;  // attempts per request that no longer change
constexpr double kFlowRounding = 1e-9;
constexpr double kImpatient = 99;  // percentile; its share is what is read, not its answer

bool is_short(const PeakCheck& peak) {
  return peak.probe.answer != Answer::holds && peak.line.factor < 1;
}

}  // namespace

bool is_over_a_limit(const LoadProbe& probe, const std::vector<Slo>& slos) {
  for (std::size_t i = 0; i < std::min(slos.size(), probe.slos.size()); ++i) {
    if (probe.slos[i].value_ms > to_ms(slos[i].limit)) return true;
  }
  return false;
}

void agree_with_test(PeakCheck* peak, const std::vector<Slo>& slos) {
  constexpr double kJustShort = 0.99;
  const LoadProbe& probe = peak->probe;
  Line& line = peak->line;
  const bool fails = probe.answer == Answer::fails;
  if (!line.is_known || line.factor < 1 || probe.interrupted) return;
  if (!fails && !(probe.answer == Answer::unclear && is_over_a_limit(probe, slos))) return;
  const double held =
      line.at_line && probe.rate_rps > 0 ? line.at_line->rate_rps / probe.rate_rps : 1;
  line.factor = fails ? std::min(kJustShort, std::sqrt(std::min(1.0, held))) : 1;
  line.interval.low = std::min(line.interval.low, line.factor);
}

void share_line(double times, Line* now, Line* later) {
  if (now->factor < later->factor * times) {
    *later = now->of_multiple(times);
  } else {
    *now = later->of_multiple(1 / times);
  }
}

bool Situation::is_whole() const {
  return peak && peak->probe.rate_rps > 0 && !peak->probe.interrupted && peak->line.is_searched &&
         !peak->line.interrupted;
}

const LoadProbe* Situation::held_probe() const {
  if (!peak) return nullptr;
  if (peak->probe.answer == Answer::holds) return &peak->probe;
  return peak->line.at_line ? &*peak->line.at_line : nullptr;
}

// Of other flows all is found that they share, which is there after the first request.
double found_of_repeated(const std::vector<Flow>& flows, double prefix_hit_rate) {
  double prompts = 0;
  double shared = 0;
  double repeated = 0;
  for (const Flow& flow : flows) {
    if (flow.from_provider) continue;
    const double tokens = flow.requests_per_s * flow.prompt_tokens;
    prompts += tokens;
    (flow.sessions ? repeated : shared) += tokens * flow.cached_share;
  }
  if (repeated <= 0) return 1;
  return std::clamp((prefix_hit_rate * prompts - shared) / repeated, 0., 1.);
}

void see_sessions(Situation* s) {
  if (!s->peak || s->peak->probe.interrupted) return;
  s->session_hits = found_of_repeated(s->flows, s->peak->probe.summary.cluster.prefix_hit_rate);
  for (Flow& flow : s->flows) {
    if (flow.sessions && !flow.from_provider) flow.cached_share *= s->session_hits;
  }
}

Result<void> test_peak(const TokenLoadOptions& options, const Execution& execution, Situation* s) {
  TRY_SET(s->peak->probe, test_flows(*s->served, s->flows, options, execution));
  return {};
}

Result<void> find_peak_line(const TokenLoadOptions& options, const LineEffort& effort,
                            const Execution& execution, Situation* s) {
  TRY_SET(s->peak->line,
          find_line(*s->served, s->flows, LoadGrowth::rate, options, execution, effort));
  return {};
}

Result<void> find_replicas_needed(const TokenLoadOptions& options, const Execution& execution,
                                  Situation* s) {
  const Line& line = s->peak->line;
  if (!is_short(*s->peak) || line.factor <= 0) return {};
  const auto guess =
      std::llround(std::ceil(static_cast<double>(s->served->replicas()) / line.factor));
  TRY(found, fewest_for(*s->served, s->flows, options, guess, execution));
  s->replicas_needed = found;
  return {};
}

Result<void> judge_peak(const TokenLoadOptions& options, bool counts_replicas,
                        const Execution& execution, Situation* s) {
  PeakCheck& peak = *s->peak;
  const Line& line = peak.line;
  TRY(range, model_range(*s->served, s->flows, options, line, execution));
  if (!range) return {};
  peak.judged = Interval{std::fmin(line.factor * range->low, line.interval.low),
                         std::fmax(line.factor * range->high, line.interval.high)};
  double& low = peak.judged->low;
  if (!counts_replicas || line.factor <= 0) return {};
  const std::int64_t deployed = s->served->replicas();
  // Where no rate tested is held then, one may be that is lower still.
  const double least = low > 0 ? low : line.factor / kMostWithLongerSteps;
  const auto guess = std::llround(std::ceil(static_cast<double>(deployed) / least));
  TRY(found, fewest_at_slow_end(*s->served, s->flows, options, guess, execution));
  s->replicas_at_slow_end = found;
  // A test of the peak itself tells more than a line beside it.
  const bool holds = peak.probe.answer == Answer::holds && found > 0 && found <= deployed;
  if (holds) low = std::fmax(1, low);
  if (low >= 1) s->replicas_at_slow_end = std::min(found, deployed);
  return {};
}

std::optional<double> multiple_of(const std::vector<Flow>& before, const std::vector<Flow>& now) {
  if (before.size() != now.size()) return std::nullopt;
  const auto rate_of = [](const std::vector<Flow>& flows) {
    return total_of(flows, &Flow::requests_per_s);
  };
  const double times = rate_of(now) / rate_of(before);
  for (std::size_t i = 0; i < before.size(); ++i) {
    const double expected = times * before[i].requests_per_s;
    const double off = std::abs(now[i].requests_per_s - expected);
    if (!before[i].has_shape_of(now[i]) || off > kFlowRounding * expected) return std::nullopt;
  }
  return times;
}

// A loss may leave as many groups as there were, of other sizes.
std::optional<double> multiple_of(const Situation& before, const Situation& now) {
  const Deployment& first = before.served->system.deployment;
  const Deployment& other = now.served->system.deployment;
  if (!std::ranges::equal(first.pools, other.pools, {}, &Pool::num_instances,
                          &Pool::num_instances) ||
      first.admission_latency != other.admission_latency) {
    return std::nullopt;
  }
  return multiple_of(served_flows(before.flows), served_flows(now.flows));
}

bool is_patient(const RetryRule& rule, const LoadProbe& probe) {
  return probe.answer == Answer::holds && probe.summary.cluster.e2e.p99_ms <= rule.timeout_s * 1e3;
}

Result<void> add_retries(const RetryRule& rule, const TokenLoadOptions& options,
                         const Execution& execution, Situation* s) {
  Served impatient = *s->served;
  Slo patience;
  patience.metric = &GroupSummary::e2e;
  patience.percentile = kImpatient;
  patience.limit = duration_from_us(rule.timeout_s * 1e6);
  impatient.system.slos = {patience};
  for (int round = 0; round < kMostRounds; ++round) {
    std::vector<Flow> flows = s->flows;
    for (Flow& flow : flows) flow.requests_per_s *= s->attempts;
    TRY(probe, test_flows(impatient, flows, options, execution));
    if (probe.interrupted || probe.slos.empty()) break;
    const double failed = probe.slos.front().exceeding_share;
    double attempts = 0;
    for (std::int64_t i = rule.attempts; i > 0; --i) attempts = 1 + failed * attempts;
    if (std::abs(attempts - s->attempts) < kSettled) break;
    s->attempts = attempts;
  }
  for (Flow& flow : s->flows) flow.requests_per_s *= s->attempts;
  return {};
}

// While a demand is held, what its requests occupy is seen; beyond that, what they occupy at the
// largest load of this kind that is held, scaled: caches that are full show only their size. In an
// overload requests wait, and take what memory there is: no less than was seen. Around
// that mean it varies as with requests that do not wait for each other: their number is Poisson's
// (M/G/inf; Takacs 1962), each holds its own part of the cache, half of its answer on the average.
std::optional<double> kv_tokens_held(const Situation& s, const TokenLoadOptions& options) {
  const LoadProbe* seen = s.held_probe();
  if (seen == nullptr) return std::nullopt;
  const GroupSummary& cluster = seen->summary.cluster;
  const double scale = served_rate(s.flows) / seen->rate_rps;
  double variance = 0;
  for (const Flow& flow : s.flows) {
    if (flow.from_provider) continue;
    const TokenLength own = own_length(flow, options);
    const TokenLength answer = answer_length(flow, options);
    const double own_squared =
        own.second_moment() + own.mean * answer.mean + answer.second_moment() / 4;
    variance += flow.requests_per_s * cluster.e2e.mean_ms / 1e3 * own_squared;
  }
  constexpr double kNormal95 = 1.6448536269514722;
  const double tokens =
      cluster.kv_utilization * s.served->kv_tokens() * scale + kNormal95 * std::sqrt(variance);
  const LoadProbe& peak = s.peak->probe;
  if (peak.state.verdict != SteadyVerdict::overloaded) return tokens;
  return std::max(tokens, peak.summary.cluster.kv_peak_utilization * s.served->kv_tokens());
}

std::optional<double> gpus_in_use(const Situation& s) {
  if (is_short(*s.peak) && s.replicas_needed <= 0) return std::nullopt;
  const std::int64_t replicas = std::max(s.served->replicas(), s.replicas_needed);
  return static_cast<double>(replicas * s.served->gpus_per_replica());
}

}  // namespace plimsoll
