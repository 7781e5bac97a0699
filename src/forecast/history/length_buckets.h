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

/// Removes the buckets from the series: how widely prompts and answers vary by what all of them
/// gained together. A bucket's requests count as the geometric mean of its bounds, with Sheppard's
/// correction for its width (W. F. Sheppard, Proceedings of the London Mathematical Society 29,
/// 1898); with the buckets of vLLM (1, 2, 5, 10, ...) the coefficient of variation is within a
/// tenth of that of the lengths where it is 0.5 or more. None without buckets.
TrafficShape take_length_buckets(std::vector<CounterSeries>* series);

}  // namespace plimsoll
