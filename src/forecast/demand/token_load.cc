#include "forecast/demand/token_load.h"

#include "random/portable_math.h"
#include "workload/clients_source.h"

namespace plimsoll {
namespace {

constexpr double kNormal95 = 1.6448536269514722;  // quantile of the normal distribution

LognormalLength lognormal(const TokenLength& length) {
  const double variance = portable_log(1 + length.cv * length.cv);
  LognormalLength drawn{portable_log(std::max(1.0, length.mean)) - variance / 2,
                        std::sqrt(variance)};
  drawn.min = 1;
  return drawn;
}

TokenLength grown(TokenLength length, double factor) {
  length.mean *= factor;
  return length;
}

// Of a Route or a Flow, as it is simulated: the cached part of prompts.
template <class Shape>
double fixed_tokens(const Shape& shape) {
  return shape.prompt_tokens * shape.cached_share;
}

// The rest, which has all the spread of whole prompts where that is said.
template <class Shape>
TokenLength varying_prompt(const Shape& shape, const TokenLoadOptions& options) {
  const double fresh = shape.prompt_tokens - fixed_tokens(shape);
  if (!shape.prompt_cv || fresh <= 0) return {fresh, options.length_cv};
  return {fresh, *shape.prompt_cv * shape.prompt_tokens / fresh};
}

template <class Shape>
TokenLength answer_of(const Shape& shape, const TokenLoadOptions& options) {
  return {shape.output_tokens, shape.output_cv.value_or(options.length_cv)};
}

template <class Shape>
double p95_context_of(const Shape& shape, const TokenLoadOptions& options) {
  const TokenLength prompt = varying_prompt(shape, options);
  const TokenLength answer = answer_of(shape, options);
  const double mean = prompt.mean + answer.mean;
  const double variance = prompt.variance() + answer.variance();
  return fixed_tokens(shape) + TokenLength{mean, std::sqrt(variance) / mean}.p95();
}

ClientSpec client_of(const Flow& flow, std::size_t number, double prompts, double answers,
                     const TokenLoadOptions& options) {
  ClientSpec client;
  client.id = "flow-" + std::to_string(number);
  client.rate_fraction = flow.requests_per_s;
  client.arrival = options.arrival;
  client.input = grown(fresh_length(flow, options), prompts).drawn();
  client.output = grown(answer_length(flow, options), answers).drawn();
  client.prefix_tokens = std::llround(flow.prompt_tokens * flow.cached_share);
  if (client.prefix_tokens > 0) client.prefix_group = client.id;
  return client;
}

}  // namespace

double TokenLength::p95() const {
  if (cv <= 0) return mean;
  const LognormalLength drawn = lognormal(*this);
  return portable_exp(drawn.mu + kNormal95 * drawn.sigma);
}

LengthDistribution TokenLength::drawn() const {
  if (cv <= 0) return ConstantLength{std::llround(std::max(1.0, mean))};
  return lognormal(*this);
}

TokenLength length_by_percentiles(double p50, double p95) {
  const double sigma = portable_log(p95 / p50) / kNormal95;
  const double spread = portable_exp(sigma * sigma);
  return {p50 * std::sqrt(spread), std::sqrt(spread - 1)};
}

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
    spec.aggregate_rate_rps = growth == LoadGrowth::rate ? rate : served_rate(flows);
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
    load.rate_rps = spec.aggregate_rate_rps;
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

double p95_prompt_tokens(const Route& route, const TokenLoadOptions& options) {
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

}  // namespace plimsoll
