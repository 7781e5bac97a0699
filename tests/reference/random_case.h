// Random clusters, small enough that memory runs out, requests preempt each other and times
// coincide. One in three splits prefill from decode; in the semantics of vllm instances have
// several data-parallel ranks in one of four.
//
// Not drawn are: closed loops (closed_loop_test.cc has them), tenants and their budgets, prompts
// that may not be divided, prefixes that are cached from the beginning; of splits also other
// batching rules than vLLM's, pools with unlike block sizes (both are refused), and, where several
// instances answer, answers that need none and prompts as long as a request may be.
//
// The seed is fixed, so that two runs of the tests do the same. PLIMSOLL_RC_CASES=100000 runs that
// many cases instead of the usual number, PLIMSOLL_RC_SEED=7 other ones.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/semantics.h"
#include "reference/case.h"

namespace plimsoll::reference {

/// How big a case may get.
struct Scale {
  int requests;
  int input_tokens;
  int output_tokens;
  std::int64_t blocks;
  std::int64_t batched_tokens;
};
constexpr Scale kSmall{40, 40, 20, 120, 30};
constexpr Scale kMedium{250, 300, 80, 300, 300};

/// Called inside a property, where the choices shrink when it fails.
Case pick_case(const Semantics& semantics, const Scale& scale);

/// A report of a case for which `property` does not hold; empty: none of so many was found. In a
/// property, failures are RC_FAIL and RC_ASSERT.
std::string counterexample(int usual_cases, const std::function<void()>& property);

}  // namespace plimsoll::reference
