// The text of a server's /metrics, as far as it says how the server is set up and what its caches
// did. Format: Prometheus text exposition, version 0.0.4. Used for what `plimsoll observe` records.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plimsoll {

/// One sample: its name with labels as written, "vllm:num_requests_running{model_name=\"m\"}".
using MetricSample = std::pair<std::string, double>;

/// All samples but those of histograms' buckets, at most `most`; lines that are none are skipped.
std::vector<MetricSample> read_metrics(std::string_view text, std::size_t most = 2000);

/// The sum over the samples of this name; "x" stands for "x_total" too.
std::optional<double> metric_sum(const std::vector<MetricSample>& samples, std::string_view name);

/// The value of a label of the first sample of this name; empty if there is none.
std::string metric_label(const std::vector<MetricSample>& samples, std::string_view name,
                         std::string_view label);

/// The share of all prefix cache look-ups between two readings that were hits, by vLLM's counters;
/// none if nothing was looked up, or the counters make no sense.
std::optional<double> prefix_hit_rate(const std::vector<MetricSample>& before,
                                      const std::vector<MetricSample>& after);

}  // namespace plimsoll
