// What other tools mean by the same words. The names of metrics agree across the field, their
// definitions do not: a table says how each tool takes those that differ
// (docs/reference/metrics.md).
// `--metric-definitions` chooses a row of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plimsoll {

/// What ITL is a distribution of.
enum class ItlOver {
  gaps,               ///< all gaps between tokens, pooled
  requests,           ///< the mean gap of each request
  requests_by_tokens  ///< the same, each counting as often as it has gaps
};

struct MetricDefinitions {
  std::string name;
  std::string help;
  ItlOver itl = ItlOver::gaps;
  /// TPOT is the whole answer by its tokens, the first one and the wait for it included; else the
  /// mean gap between tokens.
  bool tpot_counts_first_token = false;
  /// TTFT of completed requests; else of all that got a first token.
  bool ttft_of_completed = false;
  /// Rates are per second from the first arrival to the last answer; else over the whole run.
  bool rates_from_first_arrival = false;
};

/// The first row is the default: what vLLM's own server metrics say.
const std::vector<MetricDefinitions>& metric_definitions();

/// The row of that name, which must be there.
const MetricDefinitions& metric_definitions(std::string_view name);

}  // namespace plimsoll
