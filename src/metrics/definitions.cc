#include "metrics/definitions.h"

#include <algorithm>

namespace plimsoll {

// Sources, read in 2026: vLLM, vllm/v1/metrics and vllm/benchmarks/serve.py; GuideLLM, request
// statistics and benchmark metrics; inference-perf, docs/reference/metrics.md; AIPerf, metrics
// reference.
const std::vector<MetricDefinitions>& metric_definitions() {
  static const std::vector<MetricDefinitions> rows{
      {.name = "vllm", .help = "the metrics of a vLLM server, as Prometheus reads them"},
      {.name = "vllm-bench",
       .help = "vllm bench serve",
       .ttft_of_completed = true,
       .rates_from_first_arrival = true},
      {.name = "guidellm",
       .help = "GuideLLM",
       .itl = ItlOver::requests_by_tokens,
       .tpot_counts_first_token = true,
       .ttft_of_completed = true,
       .rates_from_first_arrival = true},
      {.name = "inference-perf",
       .help = "inference-perf",
       .ttft_of_completed = true,
       .rates_from_first_arrival = true},
      {.name = "aiperf",
       .help = "AIPerf",
       .itl = ItlOver::requests,
       .ttft_of_completed = true,
       .rates_from_first_arrival = true},
  };
  return rows;
}

const MetricDefinitions& metric_definitions(std::string_view name) {
  return *std::ranges::find(metric_definitions(), name, &MetricDefinitions::name);
}

}  // namespace plimsoll
