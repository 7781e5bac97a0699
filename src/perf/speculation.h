// Speculative decoding: a cheap draft proposes some tokens of every decoding request, and one step
// of the model verifies them all (Leviathan, Kalman, Matias: Fast Inference from Transformers via
// Speculative Decoding, 2023). How many are accepted depends on model, draft and text; it is given
// by the user, never assumed.
//
// The engine counts one token per request and step, so a step is priced as its share of a real one:
//   tokens = 1 + a + a^2 + ... + a^k            expected of a real step, the paper's equation 1
//   step   = (verify(B (k + 1) rows) + k draft(B rows)) / tokens + what prompts add, in both models
// Rates are exact in the mean. What comes in bursts in reality is spread: gaps between tokens are
// means, and the wait for a running step is that for a share of it
// (docs/explanation/latency-models.md).
#pragma once

#include <cstdint>
#include <optional>

#include "catalog/model.h"
#include "perf/step_time_model.h"

namespace plimsoll {

struct Speculation {
  std::int64_t tokens = 0;           ///< k proposed per step
  double acceptance = 0;             ///< a: of a proposed token, if those before it were accepted
  double draft_us_per_token = 0;     ///< of a step, for each proposed token
  std::optional<ModelConfig> draft;  ///< instead, a model that proposes them
};

/// Tokens that a request gets from a step on average, between 1 and tokens + 1.
double tokens_per_step(const Speculation& speculation);

/// `target` verifies what `draft` proposes; without a model of the draft its given time counts.
StepTimePtr make_speculative(StepTimePtr target, StepTimePtr draft, const Speculation& speculation);

}  // namespace plimsoll
