// How long one engine step takes, and the fixed costs around a request. Implementations are
// immutable after construction and safe to use from many threads.
//
// The figures that a step-time model may look at: sums over the requests of one engine step, never
// the requests themselves. Sums are integers, so they can be kept up to date in O(1) and do not
// depend on the order of the batch.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace plimsoll {

/// Requests that were granted no token in this step are in none of the sums. Notation: a prefill
/// request has `n` new tokens after `s` tokens already processed, of a prompt of `in` tokens; a
/// decode request has one new token after `s` processed (prompt and generated).
struct BatchShape {
  std::int64_t prefill_requests = 0;
  std::int64_t prefill_tokens = 0;          ///< sum of n
  std::int64_t prefill_context = 0;         ///< sum of s
  std::int64_t prefill_tokens_context = 0;  ///< sum of n * s
  std::int64_t prefill_tokens_squared = 0;  ///< sum of n * n
  std::int64_t prefill_tokens_input = 0;    ///< sum of n * in

  std::int64_t decode_requests = 0;
  std::int64_t decode_context = 0;  ///< sum of s

  std::int64_t requests() const { return prefill_requests + decode_requests; }

  void add_prefill(std::int64_t n, std::int64_t s, std::int64_t in) {
    prefill_requests += 1;
    prefill_tokens += n;
    prefill_context += s;
    prefill_tokens_context += n * s;
    prefill_tokens_squared += n * n;
    prefill_tokens_input += n * in;
  }

  /// The sums of so many ranks that all have this batch.
  BatchShape times(std::int64_t ranks) const {
    BatchShape all = *this;
    for (std::int64_t* sum :
         {&all.prefill_requests, &all.prefill_tokens, &all.prefill_context,
          &all.prefill_tokens_context, &all.prefill_tokens_squared, &all.prefill_tokens_input,
          &all.decode_requests, &all.decode_context}) {
      *sum *= ranks;
    }
    return all;
  }

  void remove_prefill(std::int64_t n, std::int64_t s, std::int64_t in) {
    prefill_requests -= 1;
    prefill_tokens -= n;
    prefill_context -= s;
    prefill_tokens_context -= n * s;
    prefill_tokens_squared -= n * n;
    prefill_tokens_input -= n * in;
    assert(prefill_requests >= 0 && prefill_tokens >= 0 && prefill_context >= 0);
  }
};

/// All results are microseconds in floating point; the engine turns them into time with
/// duration_from_us (truncation to whole microseconds) and holds a step at 1 us at least.
class StepTimeModel {
 public:
  virtual ~StepTimeModel() = default;

  /// Duration of a step with this batch. Called about once per step; an empty shape is possible (a
  /// batch whose requests were all granted no token).
  virtual double step_us(const BatchShape& batch) const = 0;

  /// Durations of us.size() steps in a row in which the same `requests` decode: the first with this
  /// sum of context, each later one with `requests` tokens more. The same numbers as step_us(), to
  /// the last bit; overridden where computing many at a time is faster.
  virtual void decode_steps_us(std::int64_t requests, std::int64_t context,
                               std::span<double> us) const {
    BatchShape batch;
    batch.decode_requests = requests;
    batch.decode_context = context;
    for (double& step : us) {
      step = step_us(batch);
      batch.decode_context += requests;
    }
  }

  /// Duration of a step in which each data-parallel rank of the instance has a batch of its own,
  /// some of them none (step_us() gives each an equal share of one). They run in lockstep: all wait
  /// for the fullest. A model that does not tell takes all ranks for as full as that.
  virtual double ranks_us(std::span<const BatchShape> ranks) const {
    const auto count = static_cast<std::int64_t>(ranks.size());
    double us = 0;
    for (const BatchShape& rank : ranks) {
      if (rank.requests() > 0) us = std::max(us, step_us(rank.times(count)));
    }
    return us;
  }

  /// As decode_steps_us(), of ranks that all but decode: each keeps its requests. The same numbers
  /// as ranks_us().
  virtual void decode_ranks_us(std::span<const BatchShape> ranks, std::span<double> us) const {
    std::vector<BatchShape> now(ranks.begin(), ranks.end());
    for (double& step : us) {
      step = ranks_us(now);
      for (BatchShape& rank : now) rank.decode_context += rank.decode_requests;
    }
  }

  /// The part of step_us() that the GPUs of an instance take to add up their parts of each layer;
  /// 0: the model does not tell. For people: nothing is timed by it.
  virtual double all_reduces_us(const BatchShape& /*batch*/) const { return 0; }

  /// From arrival at the instance to the wait queue; delays the request, occupies nothing.
  virtual double queueing_us(std::int64_t /*input_tokens*/) const { return 0; }

  /// Added to the first token's and to each later token's latency, not to the step.
  virtual double output_token_us() const { return 0; }

  /// Added once to the E2E latency of a request with at least one output token.
  virtual double post_decode_us() const { return 0; }
};

using StepTimePtr = std::shared_ptr<const StepTimeModel>;

}  // namespace plimsoll
