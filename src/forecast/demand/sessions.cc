#include "forecast/demand/sessions.h"

#include <algorithm>

namespace plimsoll {
namespace {

// Rounds before the one that is looked at, on the average of a session.
double earlier_rounds(const Sessions& sessions) {
  return static_cast<double>(sessions.rounds - 1) / 2;
}

}  // namespace

double new_tokens_of(const Sessions& sessions, double prompt_tokens, double output_tokens) {
  const double earlier = earlier_rounds(sessions);
  return (prompt_tokens - sessions.prefix_tokens - earlier * output_tokens) / (1 + earlier);
}

double prompt_tokens_of(const Sessions& sessions, double new_tokens, double output_tokens) {
  const double earlier = earlier_rounds(sessions);
  return sessions.prefix_tokens + (1 + earlier) * new_tokens + earlier * output_tokens;
}

double repeated_share(const Sessions& sessions, double prompt_tokens, double output_tokens) {
  if (prompt_tokens <= 0) return 0;
  const double added = new_tokens_of(sessions, prompt_tokens, output_tokens);
  return std::clamp(1 - added / prompt_tokens, 0., 1.);
}

Sessions read_sessions(SpecMap map) {
  constexpr IntRange kRounds{2, 1000};
  constexpr NumberRange kGap{0, 1e6, true};
  constexpr NumberRange kPrefix{0, 1e9};
  Sessions sessions;
  sessions.rounds = map.integer("rounds", kRounds);
  sessions.gap_s = map.number("gap_s", kGap);
  sessions.prefix_tokens = map.optional_number("prefix_tokens", kPrefix).value_or(0);
  return sessions;
}

}  // namespace plimsoll
