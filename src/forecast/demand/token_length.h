// How long prompts or answers are: lognormal, said by their mean and by how widely they vary; also
// over the rounds of sessions, whose prompts grow.
#pragma once

#include "forecast/demand/sessions.h"
#include "workload/length_distribution.h"

namespace plimsoll {

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

/// Drawn independently; of the mean and the variance of their sum (Fenton 1960).
TokenLength sum_of(const TokenLength& a, const TokenLength& b);

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

}  // namespace plimsoll
