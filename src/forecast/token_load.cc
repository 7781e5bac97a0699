#include "forecast/token_load.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "random/portable_math.h"
#include "workload/clients_source.h"

namespace plimsoll {
namespace {

struct Lognormal {
  double mu = 0;
  double sigma = 0;
};

// Of this mean and coefficient of variation.
Lognormal lognormal(double mean, double cv) {
  const double variance = portable_log(1 + cv * cv);
  return {portable_log(mean) - variance / 2, std::sqrt(variance)};
}

LengthDistribution length(double mean, double cv) {
  const double tokens = std::max(1.0, mean);
  if (cv <= 0) return ConstantLength{std::llround(tokens)};
  const Lognormal shape = lognormal(tokens, cv);
  LognormalLength drawn{shape.mu, shape.sigma};
  drawn.min = 1;
  return drawn;
}

ClientSpec client_of(const Flow& flow, std::size_t number, double prompts, double answers,
                     const TokenLoadOptions& options) {
  ClientSpec client;
  client.id = "flow-" + std::to_string(number);
  client.rate_fraction = flow.requests_per_s;
  client.arrival = options.arrival;
  client.input = length(flow.fresh_tokens() * prompts, options.length_cv);
  client.output = length(flow.output_tokens * answers, options.length_cv);
  client.prefix_tokens = std::llround(flow.prompt_tokens * flow.cached_share);
  if (client.prefix_tokens > 0) client.prefix_group = client.id;
  return client;
}

}  // namespace

double served_rate(const std::vector<Flow>& flows) {
  double sum = 0;
  for (const Flow& flow : flows) sum += flow.from_provider ? 0 : flow.requests_per_s;
  return sum;
}

LoadMaker token_load(std::vector<Flow> flows, LoadGrowth growth, const TokenLoadOptions& options) {
  std::erase_if(flows, [](const Flow& flow) { return flow.from_provider; });
  return [flows = std::move(flows), growth, options](double rate,
                                                     std::int64_t requests) -> Result<Load> {
    WorkloadSpec spec;
    spec.num_requests = requests;
    spec.aggregate_rate_rps = growth == LoadGrowth::rate ? rate : served_rate(flows);
    const double prompts = growth == LoadGrowth::prompts ? rate : 1;
    const double answers = growth == LoadGrowth::answers ? rate : 1;
    for (const Flow& flow : flows) {
      spec.clients.push_back(client_of(flow, spec.clients.size(), prompts, answers, options));
    }
    if (auto valid = validate(spec); !valid) return pass_on(valid);
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

double p95_tokens(double mean, double cv) {
  constexpr double kNormal95 = 1.6448536269514722;
  if (cv <= 0) return mean;
  const Lognormal shape = lognormal(std::max(1.0, mean), cv);
  return portable_exp(shape.mu + kNormal95 * shape.sigma);
}

double p95_prompt_tokens(const Route& route, double cv) {
  const double cached = route.prompt_tokens * route.cached_share;
  return cached + p95_tokens(route.prompt_tokens - cached, cv);
}

}  // namespace plimsoll
