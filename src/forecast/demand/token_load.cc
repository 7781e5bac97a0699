#include "forecast/demand/token_load.h"

#include <algorithm>
#include <cmath>

#include "random/distributions.h"
#include "random/portable_math.h"
#include "workload/clients_source.h"

namespace plimsoll {
namespace {

TokenLength grown(TokenLength length, double factor) {
  length.mean *= factor;
  return length;
}

// Of a Route or a Flow, as it is simulated: the part of prompts that all requests share.
template <class Shape>
double fixed_tokens(const Shape& shape) {
  return shape.sessions ? shape.sessions->prefix_tokens : shape.prompt_tokens * shape.cached_share;
}

// The rest, which has all the spread of whole prompts where that is said; what a round adds where
// there are rounds.
template <class Shape>
TokenLength varying_prompt(const Shape& shape, const TokenLoadOptions& options) {
  if (shape.sessions) {
    return {new_tokens_of(*shape.sessions, shape.prompt_tokens, shape.output_tokens),
            options.length_cv};
  }
  const double fresh = shape.prompt_tokens - fixed_tokens(shape);
  if (!shape.prompt_cv || fresh <= 0) return {fresh, options.length_cv};
  return {fresh, *shape.prompt_cv * shape.prompt_tokens / fresh};
}

template <class Shape>
TokenLength answer_of(const Shape& shape, const TokenLoadOptions& options) {
  return {shape.output_tokens, shape.output_cv.value_or(options.length_cv)};
}

template <class Shape>
RoundPrompts rounds_of(const Shape& shape, const TokenLoadOptions& options) {
  return {*shape.sessions, varying_prompt(shape, options), answer_of(shape, options)};
}

TokenLength of_moments(double mean, double variance) {
  return {mean, mean > 0 ? std::sqrt(variance) / mean : 0};
}

// Drawn independently; of the mean and the variance of their sum (Fenton 1960).
TokenLength sum_of(const TokenLength& a, const TokenLength& b) {
  return of_moments(a.mean + b.mean, a.variance() + b.variance());
}

template <class Shape>
double p95_context_of(const Shape& shape, const TokenLoadOptions& options) {
  const double fixed = fixed_tokens(shape);
  if (shape.sessions) return fixed + rounds_of(shape, options).p95(true);
  return fixed + sum_of(varying_prompt(shape, options), answer_of(shape, options)).p95();
}

double sessions_per_s(const Flow& flow) {
  return flow.requests_per_s / (flow.sessions ? static_cast<double>(flow.sessions->rounds) : 1);
}

double sessions_per_request(const std::vector<Flow>& flows) {
  double sessions = 0;
  double requests = 0;
  for (const Flow& flow : flows) {
    sessions += sessions_per_s(flow);
    requests += flow.requests_per_s;
  }
  return sessions / requests;
}

ReasoningSpec reasoning_of(const Sessions& sessions) {
  MultiTurnSpec turns;
  turns.max_rounds = sessions.rounds;
  turns.think_time = duration_from_us(1e6 * sessions.gap_s);
  turns.accumulate = true;
  return {std::nullopt, turns};
}

ClientSpec client_of(const Flow& flow, std::size_t number, double prompts, double answers,
                     const TokenLoadOptions& options) {
  ClientSpec client;
  client.id = "flow-" + std::to_string(number);
  client.rate_fraction = sessions_per_s(flow);
  client.arrival = options.arrival;
  client.input = grown(fresh_length(flow, options), prompts).drawn();
  client.output = grown(answer_length(flow, options), answers).drawn();
  client.prefix_tokens = std::llround(fixed_tokens(flow));
  if (client.prefix_tokens > 0) client.prefix_group = client.id;
  if (flow.sessions) {
    client.reasoning = reasoning_of(*flow.sessions);
    client.closed_loop = false;
  }
  return client;
}

constexpr double kNormal95 = 1.6448536269514722;  // quantile of the normal distribution

LognormalLength lognormal(const TokenLength& length) {
  const double variance = portable_log(1 + length.cv * length.cv);
  LognormalLength drawn{portable_log(std::max(1.0, length.mean)) - variance / 2,
                        std::sqrt(variance)};
  drawn.min = 1;
  return drawn;
}

double at_deviations(double deviations, const TokenLength& length) {
  if (length.cv <= 0) return length.mean;
  const LognormalLength drawn = lognormal(length);
  return portable_exp(drawn.mu + deviations * drawn.sigma);
}

}  // namespace

ArrivalSpec arrivals_of(double cv) {
  return cv == 1 ? ArrivalSpec{} : ArrivalSpec{ArrivalProcess::gamma, cv};
}

double served_rate(const std::vector<Flow>& flows) {
  double sum = 0;
  for (const Flow& flow : flows) sum += flow.from_provider ? 0 : flow.requests_per_s;
  return sum;
}

std::vector<Flow> served_flows(std::vector<Flow> flows) {
  std::erase_if(flows, [](const Flow& flow) { return flow.from_provider; });
  return flows;
}

LoadMaker token_load(std::vector<Flow> all_flows, LoadGrowth growth,
                     const TokenLoadOptions& options) {
  return [flows = served_flows(std::move(all_flows)), growth, options](
             double rate, std::int64_t requests) -> Result<Load> {
    WorkloadSpec spec;
    spec.num_requests = requests;
    const double requests_per_s = growth == LoadGrowth::rate ? rate : served_rate(flows);
    spec.aggregate_rate_rps = requests_per_s * sessions_per_request(flows);
    const double prompts = growth == LoadGrowth::prompts ? rate : 1;
    const double answers = growth == LoadGrowth::answers ? rate : 1;
    for (const Flow& flow : flows) {
      spec.clients.push_back(client_of(flow, spec.clients.size(), prompts, answers, options));
    }
    TRY_TO(validate(spec));
    ClientsOptions how;
    how.seed = options.seed;
    how.timeout = kNoDuration;
    Load load;
    load.seed = options.seed;
    load.rate_rps = requests_per_s;
    load.source = std::make_unique<ClientsSource>(std::move(spec), how);
    return load;
  };
}

TokenLength fresh_length(const Flow& flow, const TokenLoadOptions& options) {
  return varying_prompt(flow, options);
}

TokenLength answer_length(const Flow& flow, const TokenLoadOptions& options) {
  return answer_of(flow, options);
}

TokenLength own_length(const Flow& flow, const TokenLoadOptions& options) {
  return flow.sessions ? rounds_of(flow, options).all() : fresh_length(flow, options);
}

double requests_to_fill(const std::vector<Flow>& flows, double requests_per_s) {
  double longest_s = 0;
  for (const Flow& flow : flows) {
    if (flow.sessions && !flow.from_provider)
      longest_s = std::max(longest_s, flow.sessions->span_s());
  }
  return longest_s * requests_per_s;
}

double p95_prompt_tokens(const Route& route, const TokenLoadOptions& options) {
  if (route.sessions) return fixed_tokens(route) + rounds_of(route, options).p95(false);
  return fixed_tokens(route) + varying_prompt(route, options).p95();
}

double p95_context_tokens(const Route& route, const TokenLoadOptions& options) {
  return p95_context_of(route, options);
}

double p95_context_tokens(const std::vector<Flow>& flows, const TokenLoadOptions& options) {
  double longest = 0;
  for (const Flow& flow : flows) {
    if (flow.from_provider || flow.requests_per_s <= 0) continue;
    longest = std::max(longest, p95_context_of(flow, options));
  }
  return longest;
}

double p95_answer_tokens(const Route& route, const TokenLoadOptions& options) {
  return answer_of(route, options).p95();
}

double TokenLength::p95() const { return at_deviations(kNormal95, *this); }

double TokenLength::quantile(double p) const { return at_deviations(normal_quantile(p), *this); }

LengthDistribution TokenLength::drawn() const {
  if (cv <= 0) return ConstantLength{std::llround(std::max(1.0, mean))};
  return lognormal(*this);
}

TokenLength length_by_percentiles(double p50, double p95) {
  const double sigma = portable_log(p95 / p50) / kNormal95;
  const double spread = portable_exp(sigma * sigma);
  return {p50 * std::sqrt(spread), std::sqrt(spread - 1)};
}

TokenLength RoundPrompts::of_round(std::int64_t round) const {
  const auto answers = static_cast<double>(round);
  return of_moments((answers + 1) * added_.mean + answers * answer_.mean,
                    (answers + 1) * added_.variance() + answers * answer_.variance());
}

TokenLength RoundPrompts::all() const {
  double mean = 0;
  double square = 0;
  for (std::int64_t round = 0; round < rounds_; ++round) {
    mean += of_round(round).mean / static_cast<double>(rounds_);
    square += of_round(round).second_moment() / static_cast<double>(rounds_);
  }
  return of_moments(mean, std::max(0.0, square - mean * mean));
}

// Of so many quantiles of each round, which are as many requests.
double RoundPrompts::p95(bool with_answer) const {
  constexpr int kQuantiles = 100;
  std::vector<double> lengths;
  for (std::int64_t round = 0; round < rounds_; ++round) {
    const TokenLength prompt = of_round(round);
    const TokenLength length = with_answer ? sum_of(prompt, answer_) : prompt;
    for (int i = 0; i < kQuantiles; ++i) lengths.push_back(length.quantile((i + 0.5) / kQuantiles));
  }
  const auto p95 = lengths.begin() + std::llround(0.95 * static_cast<double>(lengths.size())) - 1;
  std::ranges::nth_element(lengths, p95);
  return *p95;
}

}  // namespace plimsoll
