// Speculative decoding: a cheap draft proposes some tokens of every decoding request, and one step
// of the model verifies them all (Leviathan, Kalman, Matias: Fast Inference from Transformers via
// Speculative Decoding, 2023). How many are accepted depends on model, draft and text; it is given
// by the user or by a named measurement, never assumed.
//
// The engine counts one token per request and step, so a step is priced as its share of a real one:
//   tokens = 1 + a1 + a1 a2 + ... + a1 a2 ... ak       expected of a real step
//   step   = (verify(B (k + 1) rows) + k draft(B rows)) / tokens + what prompts add, in both models
// With all rates alike, tokens are those of the paper's equation 1.
// Rates are exact in the mean. What comes in bursts in reality is spread: gaps between tokens are
// means, and the wait for a running step is that for a share of it
// (docs/explanation/latency-models.md).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "catalog/model.h"
#include "perf/step_time_model.h"

namespace plimsoll {

struct Speculation {
  /// By position, of each of the k tokens proposed per step: the chance that it is accepted if
  /// those before it were.
  std::vector<double> acceptance;
  double draft_us_per_token = 0;     ///< of a step, for each proposed token
  std::optional<ModelConfig> draft;  ///< instead, a model that proposes them
  /// The draft is a layer of the model: laid out like it, with its embeddings and output head.
  bool draft_is_layer = false;

  std::int64_t tokens() const { return std::ssize(acceptance); }  ///< k
};

/// Tokens that a request gets from a step on average, between 1 and tokens() + 1.
double tokens_per_step(const Speculation& speculation);

/// The acceptance by position with `drafts` tokens proposed, at which a step yields what was
/// measured for that many: `measured` has the tokens of a step with 1, 2, 3, ... drafts, at least
/// `drafts` of them, each between 1 and one more than there are drafts. Measurements are not
/// smooth, yet a later draft cannot be reached and accepted more often than the one before it: the
/// rates are those of the lowest concave curve above the measured lengths, each first lowered to
/// the length measured with `drafts` where it exceeds it.
std::vector<double> acceptance_of(std::span<const double> measured, std::int64_t drafts);

/// `target` verifies what `draft` proposes; without a model of the draft its given time counts.
StepTimePtr make_speculative(StepTimePtr target, StepTimePtr draft, const Speculation& speculation);

}  // namespace plimsoll
