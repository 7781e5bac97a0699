// How widely the lengths of requests vary, by the buckets in which an engine counts them.
#pragma once

#include <vector>

#include "forecast/history/counter_series.h"
#include "forecast/history/history.h"
#include "forecast/history/recorded_counters.h"

namespace plimsoll {

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
