// The counters in an answer of Prometheus to a range query: the response of /api/v1/query_range as
// it comes, or an array of several. Read for the demand of a history
// (forecast/history/prometheus.h) and for latencies (forecast/history/latency_windows.h).
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "forecast/history/counter_series.h"
#include "forecast/history/history.h"

namespace plimsoll {

/// A counter of an engine by its name there, and by the name of the column that it fills here.
struct KnownCounter {
  std::string_view metric;
  std::string_view column;
};

/// The label of both engines for the model that answers.
inline constexpr const char* kModelLabel = "model_name";

inline constexpr std::int64_t kMostResponseBytes = std::int64_t{1} << 30;

struct RecordedCounters {
  /// By metric and target. What two servers of Prometheus have of one instance is here once; what
  /// one of them has of different times is one series.
  std::vector<CounterSeries> series;
  std::set<std::string> ignored;  ///< metrics that are none of those known
  std::set<std::string> models;
  std::int64_t repeated = 0;  ///< series that another server of Prometheus has, too
  double step_s = 0;          ///< the median distance of neighbours; 0: no series has two samples

  std::string some_ignored() const;
};

/// A query whose answer can be read, as a hint; `engine` is the prefix of its metrics.
std::string query_for(std::span<const KnownCounter> known, std::string_view engine = "vllm:");

/// True of the beginning of a file that is such an answer, as no other file of JSON begins.
bool is_range_response(std::string_view begin);
/// The first kilobyte, by which files are told apart; empty of one that cannot be read, or not
/// twice (a pipe).
std::string beginning_of(const std::string& path);

/// `route_label`: tells routes apart; empty: nothing does. A spec error for what is no matrix of
/// counters.
Result<RecordedCounters> read_counters(const std::string& text, const std::string& file,
                                       std::span<const KnownCounter> known,
                                       const std::string& route_label);

// How widely the lengths of requests vary, by the buckets in which an engine counts them.

/// Names as the metrics of vLLM have them (docs.vllm.ai, "Production Metrics").
inline constexpr KnownCounter kPromptBuckets{"vllm:request_prompt_tokens_bucket", "prompt_buckets"};
inline constexpr KnownCounter kOutputBuckets{"vllm:request_generation_tokens_bucket",
                                             "output_buckets"};

/// Removes the buckets from the series: how widely prompts and answers vary within a route, by what
/// the buckets of its instances gained. A bucket's requests count as the geometric mean of its
/// bounds, and its width is subtracted as by Sheppard (Proceedings of the London Mathematical
/// Society 29, 1898), which for geometric means is a rule of thumb. With the buckets of vLLM (1, 2,
/// 5, 10, ...), lognormal lengths with means of 300 to 2,100 tokens and a coefficient of variation
/// of 0.55 to 2 come out within an eighth; longer tails are underestimated. None without buckets.
TrafficShape take_length_buckets(std::vector<CounterSeries>* series);

}  // namespace plimsoll
