#include "forecast/headroom/supply.h"

#include <array>
#include <limits>

#include "base/text.h"
#include "planner/answer_error.h"
#include "planner/rate_search.h"

namespace plimsoll {
namespace {

constexpr std::int64_t kMostSettling = 400'000;
// A longer run would tell rates apart that are closer than a forecast is.
constexpr std::int64_t kMostRequests = 80'000;
constexpr double kLeastShare = 1e-3;  // of the guess: if this fails, nothing holds
constexpr double kFarthest = 64;      // factor of tokens that a guess looks at

// A steady state takes ten times as many requests as fill a system with sessions, at rates up to
// twice as high (stats/steady_state.h).
ProbeEffort effort_for(const LoadLength& length, const Served& served) {
  constexpr double kFillings = 24;
  const CapacityEstimate& estimate = length.estimate;
  ProbeEffort effort;
  effort.first_requests =
      std::min(requests_to_settle(estimate, served.replicas() * estimate.answering), kMostSettling);
  effort.most_requests = std::max(kMostRequests, 2 * effort.first_requests);
  const std::int64_t filled =
      std::min<std::int64_t>(kMostSettling, std::llround(kFillings * length.filling));
  effort.most_requests = std::max(effort.most_requests, filled);
  return effort;
}

// By arithmetic: the factor at which all instances together serve the flows' rate.
Result<double> guessed_factor(const Served& served, const LoadMaker& load, double rate) {
  double low = 1 / kFarthest;
  double high = kFarthest;
  constexpr int kHalvings = 12;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = std::sqrt(low * high);
    auto estimate =
        estimate_of(served, [&](double, std::int64_t requests) { return load(middle, requests); });
    if (!estimate) return pass_on(estimate);
    (estimate->rate_rps * static_cast<double>(served.replicas()) >= rate ? low : high) = middle;
  }
  return low;
}

// Of the last round, where there are rounds.
double longest_mean_context(const Flow& flow) {
  if (!flow.sessions) return flow.prompt_tokens + flow.output_tokens;
  return flow.sessions->prefix_tokens +
         static_cast<double>(flow.sessions->rounds) * (flow.new_tokens() + flow.output_tokens);
}

// Beyond this factor the longest requests would not fit an instance, whatever arrives.
double largest_factor(const Served& served, const std::vector<Flow>& flows, LoadGrowth growth,
                      const TokenLoadOptions& options) {
  const double room = served.context_tokens();
  double factor = std::numeric_limits<double>::infinity();
  for (const Flow& flow : flows) {
    if (flow.from_provider) continue;
    const TokenLength grows =
        growth == LoadGrowth::prompts ? fresh_length(flow, options) : answer_length(flow, options);
    const double times = flow.sessions ? static_cast<double>(flow.sessions->rounds) : 1;
    const double stays = longest_mean_context(flow) - times * grows.mean;
    const double each = (times - 1) * grows.mean + grows.p95();
    if (each > 0) factor = std::min(factor, std::max(1.0, (room - stays) / each));
  }
  return factor;
}

Interval with_step_error(Interval interval, const std::optional<ModelError>& error) {
  if (!error) return interval;
  const auto [low, high] = step_factors(*error);
  return {interval.low * low, interval.high * high};
}

}  // namespace

std::int64_t Served::replicas() const { return groups_of(system.deployment); }

std::int64_t Served::instances_per_replica() const {
  return system.deployment.num_instances() / replicas();
}

std::int64_t Served::gpus() const {
  std::int64_t gpus = 0;
  for (const Pool& pool : system.deployment.pools) gpus += pool.num_instances * pool.gpus;
  return gpus;
}

double Served::kv_tokens() const {
  double tokens = 0;
  for (const Pool& pool : system.deployment.pools) {
    tokens += static_cast<double>(pool.engine.total_kv_blocks * pool.engine.block_size *
                                  pool.num_instances);
  }
  return tokens;
}

double Served::context_tokens() const {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const Pool& pool : system.deployment.pools) {
    const EngineConfig& engine = pool.engine;
    least = std::min(least, engine.total_kv_blocks * engine.block_size);
    if (engine.max_model_len > 0) least = std::min(least, engine.max_model_len);
  }
  return static_cast<double>(least);
}

Served Served::with_replicas(std::int64_t count) const {
  Served other = *this;
  const std::int64_t all = std::max<std::int64_t>(1, count) * instances_per_replica();
  other.system.deployment = resized(system.deployment, static_cast<std::int32_t>(all));
  return other;
}

Line Line::of_multiple(double times) const {
  Line line = *this;
  line.factor /= times;
  line.interval = {interval.low / times, interval.high / times};
  return line;
}

Result<CapacityEstimate> estimate_of(const Served& served, const LoadMaker& load) {
  TRY(shape, token_shape(load));
  return estimate_replica(served.with_replicas(1).system.deployment, shape,
                          strictest_gap(served.system.slos));
}

Result<Line> search_line(const Served& served, const LoadMaker& load, RateSearchOptions search,
                         double unit, const LoadLength& length, const LineEffort& line_effort,
                         const Execution& execution) {
  ProbedSystem system = served.system;
  system.load = load;
  ProbeEffort effort = effort_for(length, served);
  effort.alpha = line_effort.alpha;
  search.precision = line_effort.precision;
  TRY(found, sustainable_rate(system, search, effort, execution));
  Line line;
  line.is_searched = true;
  line.interrupted = found.interrupted;
  const double good = found.good_rps;
  const double bad = std::isfinite(found.bad_rps) ? found.bad_rps : good;
  line.factor = std::sqrt(good * bad) / unit;
  // What fails at the least that was asked holds nothing; what stays unclear there says nothing.
  line.is_known = good > 0 || found.bad_rps <= search.lowest * 1.001;
  line.interval = with_step_error({good / unit, bad / unit}, served.model_error);
  if (good > 0) line.at_line = *found.at(good);
  if (const LoadProbe* beyond = found.at(found.bad_rps)) line.beyond = *beyond;
  return line;
}

Result<Line> find_line(const Served& served, const std::vector<Flow>& flows, LoadGrowth growth,
                       const TokenLoadOptions& options, const Execution& execution,
                       const LineEffort& line_effort) {
  const LoadMaker load = token_load(flows, growth, options);
  const double rate = served_rate(flows);
  TRY(estimate, estimate_of(served, token_load(flows, LoadGrowth::rate, options)));
  double guess = estimate.rate_rps * static_cast<double>(served.replicas());
  if (growth != LoadGrowth::rate) {
    TRY(factor, guessed_factor(served, load, rate));
    guess = factor;
  }
  RateSearchOptions search{.guess = guess * line_effort.of_guess, .lowest = kLeastShare * guess};
  if (growth != LoadGrowth::rate) {
    search.highest = largest_factor(served, flows, growth, options);
    search.guess = std::min(search.guess, search.highest / search.first_step);
  }
  const double unit = growth == LoadGrowth::rate ? rate : 1;
  const LoadLength length{estimate, requests_to_fill(flows, rate)};
  auto line = search_line(served, load, search, unit, length, line_effort, execution);
  if (line && line->at_line) line->of_guess = line->at_line->rate_rps / guess;
  return line;
}

Result<std::optional<Interval>> model_range(const Served& served, const std::vector<Flow>& flows,
                                            const TokenLoadOptions& options, const Line& line,
                                            const Execution& execution) {
  if (!served.model_error || !line.is_known || !line.at_line) return std::nullopt;
  ProbedSystem system = served.system;
  system.load = token_load(flows, LoadGrowth::rate, options);
  system.model_error = served.model_error;
  TRY(estimate, estimate_of(served, system.load));
  const double good = line.at_line->rate_rps;
  const LoadLength length{estimate, requests_to_fill(flows, good)};
  std::array<double, 2> factors = step_factors(*served.model_error);
  for (double& factor : factors) {
    const double steps = factor;
    const ProbeEffort effort =
        effort_with_longer_steps(effort_for(length, served), steps, system.slos);
    TRY(found,
        sustainable_rate(with_longer_steps(system, steps),
                         search_with_longer_steps(good, 0, steps, false), effort, execution));
    factor = found.good_rps / good;
  }
  return rates_with_model_error(1, factors[1], factors[0]);
}

Result<LoadProbe> test_flows(const Served& served, const std::vector<Flow>& flows,
                             const TokenLoadOptions& options, const Execution& execution) {
  ProbedSystem system = served.system;
  system.load = token_load(flows, LoadGrowth::rate, options);
  TRY(estimate, estimate_of(served, system.load));
  const double rate = served_rate(flows);
  const ProbeJob job{&system, rate, system.deployment.num_instances(),
                     effort_for({estimate, requests_to_fill(flows, rate)}, served), 0};
  TRY(probes, run_probes({job}, execution));
  if (!probes.empty()) {
    LoadProbe& probe = probes.front().second;
    const GroupSummary& all = probe.summary.cluster;
    const bool is_servable = all.injected == 0 || all.dropped_unservable < all.injected;
    if (!is_servable) {
      const auto& why = probe.reason.figures;  // of ProbeCause::never_served
      return fail(ErrorKind::usage,
                  "none of the " + grouped(std::llround(why[1])) +
                      " requests can ever be served: too long for " +
                      (why[2] > 0 ? "its maximum length (--max-model-len)" : "the KV cache"));
    }
    return std::move(probe);
  }
  LoadProbe stopped;
  stopped.interrupted = true;
  return stopped;
}

Result<std::int64_t> fewest_for(const Served& served, const std::vector<Flow>& flows,
                                const TokenLoadOptions& options, std::int64_t guess,
                                const Execution& execution) {
  constexpr std::int64_t kFarther = 4;  // times the guess
  ProbedSystem system = served.system;
  system.load = token_load(flows, LoadGrowth::rate, options);
  TRY(estimate, estimate_of(served, system.load));
  const double rate = served_rate(flows);
  const LoadLength length{estimate, requests_to_fill(flows, rate)};
  TRY(found, fewest_instances(system, rate, alone_rps(estimate),
                              {.guess = guess,
                               .most = kFarther * guess + kFarther,
                               .instances = served.instances_per_replica()},
                              effort_for(length, served.with_replicas(guess)), execution));
  return found.interrupted ? 0 : found.instances;
}

Result<std::int64_t> fewest_at_slow_end(Served served, const std::vector<Flow>& flows,
                                        const TokenLoadOptions& options, std::int64_t guess,
                                        const Execution& execution) {
  served.system.model_error = served.model_error;
  served.system =
      with_longer_steps(std::move(served.system), step_factors(*served.model_error).back());
  return fewest_for(served, flows, options, guess, execution);
}

}  // namespace plimsoll
