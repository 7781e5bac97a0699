// The most that one instance can serve, whatever waits and however batches mix: what prunes
// candidates before any test has to be certain, not likely.
#pragma once

#include <cstdint>
#include <vector>

#include "cluster/deployment.h"
#include "planner/estimate.h"

namespace plimsoll {

/// In requests per second. Each request needs answer - 1 decodes and the tokens of its prompt that
/// no cache can have, all of them in steps of some number of decodes and of prompt tokens. Of any
/// mixture of steps, and for any weight w in [0, 1], the rate is at most the greatest of
///   (w decodes / decodes of a request + (1 - w) tokens / tokens of a request) / duration
/// over the steps that places, budget and memory allow: weak duality of linear programs. The least
/// over w is the bound. Limits on latency do not enter, and memory only by what requests cannot
/// share. Exact for the mean lengths of a traffic where durations are linear in the context.
/// The bound of all instances of a split together. Every answer is made by the instances for
/// decode, which bounds the rate by their decodes alone; where every prompt is computed apart,
/// those for prefill bound it by theirs. Where a decider chooses, each weight above gives a bound
/// of both pools: that of one for prefill is (1 - w) x what it serves of prompts alone. Transfers
/// do not enter.
double most_rps(const Deployment& deployment, const TokenShape& shape);

/// The bound of one instance of the pool. Its ranks all have the same batch in its steps: whatever
/// they have, no step lasts shorter than with the best of their batches on all of them.
double most_rps(const Pool& pool, const TokenShape& shape);

/// The same of instances that serve side by side, whole requests each. Which of them gets the long
/// prompts and which the long answers is not known, so that bounds of pools do not add up: one may
/// live on prompts and the other on answers. What adds up are the bounds at one weight, and the
/// least over weights of that sum is a bound of all.
class RateBound {
 public:
  /// The bound of one instance of the pool.
  static RateBound of(const Pool& pool, const TokenShape& shape);

  /// With so many instances like these, and so many of the others.
  double rps(std::int64_t own, const RateBound& other, std::int64_t others) const;
  /// The fewest like these, at least one, whose bound beside the others is no less than the rate.
  std::int64_t fewest(double rate_rps, const RateBound& other, std::int64_t others) const;

 private:
  std::vector<double> by_weight_;  ///< req/s; the same weights in all bounds of a traffic
};

}  // namespace plimsoll
