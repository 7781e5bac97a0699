#include "forecast/demand/token_load.h"

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

}  // namespace plimsoll
