// Conversations of a route: its requests are rounds of sessions, and the prompt of a round begins
// with all earlier prompts and answers of its session, after a prefix that all sessions share. How
// many tokens a round adds follows from the mean prompt of all rounds, which is what engines count.
#pragma once

#include <cstdint>

#include "spec/spec_file.h"

namespace plimsoll {

struct Sessions {
  std::int64_t rounds = 1;
  double gap_s = 0;  ///< from a request to the next one of its session: its answer and the pause
  double prefix_tokens = 0;  ///< that all sessions begin with, such as a system prompt

  /// From the first request of a session to its last.
  double span_s() const { return static_cast<double>(rounds - 1) * gap_s; }
  friend bool operator==(const Sessions&, const Sessions&) = default;
};

/// The tokens that each round adds to the prompt, where prompts have that mean over all rounds;
/// below 1: the prefix and the answers before them are longer than these prompts.
double new_tokens_of(const Sessions& sessions, double prompt_tokens, double output_tokens);

/// The mean prompt over all rounds, where each adds so many tokens.
double prompt_tokens_of(const Sessions& sessions, double new_tokens, double output_tokens);

/// The share of the prompts that a cache finds which never drops anything.
double repeated_share(const Sessions& sessions, double prompt_tokens, double output_tokens);

/// {rounds: 6, gap_s: 40, prefix_tokens: 800}; errors are noted in the map.
Sessions read_sessions(SpecMap map);

}  // namespace plimsoll
