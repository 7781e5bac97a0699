// Requests for a simulation, from token shapes: what the flows of a forecast look like to the
// deployment that answers them.
#pragma once

#include <cstdint>
#include <vector>

#include "forecast/demand/route.h"
#include "planner/load_probe.h"
#include "workload/arrival_process.h"
#include "workload/length_distribution.h"

namespace plimsoll {

/// How long prompts or answers are: lognormal, said by their mean and by how widely they vary; also
/// over the rounds of sessions, whose prompts grow.
struct TokenLength {
  double mean = 1;  ///< shorter ones are 1
  double cv = 0;    ///< coefficient of variation: standard deviation / mean

  double p95() const;
  double quantile(double p) const;
  double variance() const { return mean * mean * cv * cv; }
  /// The mean of the square: what a variance of sums over requests is made of.
  double second_moment() const { return mean * mean * (1 + cv * cv); }
  LengthDistribution drawn() const;
};

/// Half of them have p50 tokens at most, and 95 % have p95; p50 > 0.
TokenLength length_by_percentiles(double p50, double p95);

/// What the rounds of sessions say before the answers: prompts without the prefix that all sessions
/// share. `added`: to the prompt by each round.
class RoundPrompts {
 public:
  RoundPrompts(const Sessions& sessions, const TokenLength& added, const TokenLength& answer)
      : rounds_(sessions.rounds), added_(added), answer_(answer) {}

  /// The length over all rounds together.
  TokenLength all() const;
  /// The p95 over all rounds together; with the answer that follows, or without.
  double p95(bool with_answer) const;

 private:
  TokenLength of_round(std::int64_t round) const;  // the first is 0

  std::int64_t rounds_;
  TokenLength added_;
  TokenLength answer_;
};

struct TokenLoadOptions {
  ArrivalSpec arrival;
  double length_cv = 0.5;  ///< of fresh prompts and of answers, lognormal
  std::uint64_t seed = 42;
};

/// Poisson for 1, else gamma.
ArrivalSpec arrivals_of(double cv);

/// The part of the load that may grow alone.
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
/// The cached part of a prompt is a prefix that all requests of a flow share; of a flow of
/// sessions, what it repeats of the rounds before. Arrivals are then those of sessions, whose
/// rounds follow at their set times.
LoadMaker token_load(std::vector<Flow> all_flows, LoadGrowth growth,
                     const TokenLoadOptions& options);

/// The part of the prompts that has to be computed. The cached part is a prefix that does not vary,
/// so that the spread of whole prompts, where it is said, is that of the rest. Of sessions: what
/// each round adds.
TokenLength fresh_length(const Flow& flow, const TokenLoadOptions& options);
TokenLength answer_length(const Flow& flow, const TokenLoadOptions& options);
/// The part of the prompts that no other request shares, but those of the same session.
TokenLength own_length(const Flow& flow, const TokenLoadOptions& options);
/// How many requests arrive until nearly all sessions are under way that would be; 0 without any.
double requests_to_fill(const std::vector<Flow>& flows, double requests_per_s);

double p95_prompt_tokens(const Route& route, const TokenLoadOptions& options);
/// The p95 of the context when the answer ends: prompt and answer.
double p95_context_tokens(const Route& route, const TokenLoadOptions& options);
/// The p95 of the flow with the longest that the deployment answers; 0 without one.
double p95_context_tokens(const std::vector<Flow>& flows, const TokenLoadOptions& options);
double p95_answer_tokens(const Route& route, const TokenLoadOptions& options);

}  // namespace plimsoll
