// Requests for a simulation, from token shapes: what the flows of a forecast look like to the
// deployment that answers them.
#pragma once

#include <cstdint>
#include <vector>

#include "forecast/route.h"
#include "planner/load_probe.h"
#include "workload/arrival_process.h"

namespace plimsoll {

struct TokenLoadOptions {
  ArrivalSpec arrival;
  double length_cv = 0.5;  ///< of fresh prompts and of answers, lognormal
  std::uint64_t seed = 42;
};

/// What may grow alone.
enum class LoadGrowth {
  rate,     ///< more of the same requests
  prompts,  ///< longer fresh prompts, at the same rate
  answers   ///< longer answers, at the same rate
};

/// Requests per second of the flows that the deployment answers.
double served_rate(const std::vector<Flow>& flows);

/// `rate`: of the returned maker's calls is the rate in requests per second with LoadGrowth::rate,
/// else the factor of the tokens at the flows' own rate. Request i is the same draw in all of them.
/// The cached part of a prompt is a prefix that all requests of a flow share.
LoadMaker token_load(std::vector<Flow> flows, LoadGrowth growth, const TokenLoadOptions& options);

/// The p95 of tokens whose mean is given, as token_load() draws them.
double p95_tokens(double mean, double cv);
/// Of the prompts of a route: what is cached does not vary.
double p95_prompt_tokens(const Route& route, double cv);

}  // namespace plimsoll
