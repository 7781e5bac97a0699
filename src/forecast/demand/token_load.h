// Requests for a simulation, from token shapes: what the flows of a forecast look like to the
// deployment that answers them.
//
// How long prompts or answers are: lognormal, said by their mean and by how widely they vary.
#pragma once

#include <cstdint>
#include <vector>

#include "forecast/demand/route.h"
#include "planner/load_probe.h"
#include "workload/arrival_process.h"
#include "workload/length_distribution.h"

namespace plimsoll {

struct TokenLength {
  double mean = 1;  ///< shorter ones are 1
  double cv = 0;    ///< coefficient of variation: standard deviation / mean

  double p95() const;
  double variance() const { return mean * mean * cv * cv; }
  /// Of the square: what a variance of sums over requests is made of.
  double second_moment() const { return mean * mean * (1 + cv * cv); }
  LengthDistribution drawn() const;
};

/// Half of them have p50 tokens at most, and 95 % have p95; p50 > 0.
TokenLength length_by_percentiles(double p50, double p95);

struct TokenLoadOptions {
  ArrivalSpec arrival;
  double length_cv = 0.5;  ///< of fresh prompts and of answers, lognormal
  std::uint64_t seed = 42;
};

/// Poisson for 1, else gamma.
ArrivalSpec arrivals_of(double cv);

/// What may grow alone.
enum class LoadGrowth {
  rate,     ///< more of the same requests
  prompts,  ///< longer fresh prompts, at the same rate
  answers   ///< longer answers, at the same rate
};

/// Those that the deployment answers.
std::vector<Flow> served_flows(std::vector<Flow> flows);
/// Their requests per second.
double served_rate(const std::vector<Flow>& flows);

/// `rate`: of the returned maker's calls is the rate in requests per second with LoadGrowth::rate,
/// else the factor of the tokens at the flows' own rate. Request i is the same draw in all of them.
/// The cached part of a prompt is a prefix that all requests of a flow share.
LoadMaker token_load(std::vector<Flow> all_flows, LoadGrowth growth,
                     const TokenLoadOptions& options);

/// What of the prompts has to be computed. The cached part is a prefix that does not vary, so that
/// the spread of whole prompts, where it is said, is that of the rest.
TokenLength fresh_length(const Flow& flow, const TokenLoadOptions& options);
TokenLength answer_length(const Flow& flow, const TokenLoadOptions& options);

double p95_prompt_tokens(const Route& route, const TokenLoadOptions& options);
/// Of the context when the answer ends: prompt and answer, drawn independently; lognormal with the
/// mean and the variance of their sum (Fenton 1960).
double p95_context_tokens(const Route& route, const TokenLoadOptions& options);
/// Of the flow with the longest that the deployment answers; 0 without one.
double p95_context_tokens(const std::vector<Flow>& flows, const TokenLoadOptions& options);
double p95_answer_tokens(const Route& route, const TokenLoadOptions& options);

}  // namespace plimsoll
