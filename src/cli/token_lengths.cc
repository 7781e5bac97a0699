#include "cli/token_lengths.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

namespace plimsoll {
namespace {

struct Tokens {
  std::int64_t mean, stdev, min, max;
};

// The same share of this mean as the part is of the usual one.
std::int64_t in_proportion(std::int64_t mean, std::int64_t usual_part, std::int64_t usual_mean) {
  const double share = static_cast<double>(usual_part) / static_cast<double>(usual_mean);
  const double tokens = std::fmin(share * static_cast<double>(mean), kMaxTokens);
  return std::llround(tokens);
}

GaussianLength length(const Options& options, const std::string& flag, const Tokens& said,
                      const Tokens& usual, bool follow_mean) {
  const auto is_said = [&](const char* ending) { return options.is_given(flag + ending); };
  Tokens t = said;
  if (follow_mean) {
    if (!is_said("-stdev")) t.stdev = in_proportion(t.mean, usual.stdev, usual.mean);
    if (!is_said("-max")) {
      t.max = std::max({in_proportion(t.mean, usual.max, usual.mean), t.min, t.stdev});
    }
    if (!is_said("-min")) {
      t.min = std::min({usual.min, t.mean, t.max, t.stdev > 0 ? t.stdev : t.mean});
    }
    // A deviation that nobody asked for is no reason to refuse limits that somebody did.
    if (!is_said("-stdev") && t.min <= t.max) t.stdev = std::clamp(t.stdev, t.min, t.max);
  }
  return {static_cast<double>(t.mean), static_cast<double>(t.stdev), t.min, t.max};
}

}  // namespace

GaussianLength prompt_length(const Options& options, const Semantics& semantics) {
  const Options usual;
  return length(options, "--prompt-tokens",
                {options.prompt_tokens, options.prompt_tokens_stdev, options.prompt_tokens_min,
                 options.prompt_tokens_max},
                {usual.prompt_tokens, usual.prompt_tokens_stdev, usual.prompt_tokens_min,
                 usual.prompt_tokens_max},
                semantics.lengths_follow_their_mean);
}

GaussianLength answer_length(const Options& options, const Semantics& semantics) {
  const Options usual;
  return length(options, "--output-tokens",
                {options.output_tokens, options.output_tokens_stdev, options.output_tokens_min,
                 options.output_tokens_max},
                {usual.output_tokens, usual.output_tokens_stdev, usual.output_tokens_min,
                 usual.output_tokens_max},
                semantics.lengths_follow_their_mean);
}

}  // namespace plimsoll
