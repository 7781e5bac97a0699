// What a step-time model may look at: sums over the requests of one engine step, never the
// requests themselves. Sums are integers, so they can be kept up to date in O(1) and do not
// depend on the order of the batch.
#pragma once

#include <cassert>
#include <cstdint>

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

}  // namespace plimsoll
