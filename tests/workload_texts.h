// Workload specifications of tests: the least there is, one with every key, and those with a part
// replaced.
#pragma once

#include <gtest/gtest.h>

#include <string>

namespace plimsoll {

inline constexpr const char* kOneClient = R"(version: "2"
seed: 7
aggregate_rate: 20
num_requests: 1000
clients:
  - id: "c"
    rate_fraction: 1.0
    arrival: {process: constant}
    input_distribution: {type: constant, params: {value: 512}}
    output_distribution: {type: gaussian, params: {mean: 128, std_dev: 20, min: 1, max: 256}}
)";

inline constexpr const char* kEverything = R"(version: "2"
seed: -3
category: language
aggregate_rate: 20
num_requests: 1000
horizon: 5000000
goodput_slo_targets: {critical: {ttft_ms: 200, itl_ms: 50}, batch: {e2e_ms: 60000}}
clients:
  - id: chat
    tenant_id: acme
    slo_class: critical
    model: m
    adapter: a
    rate_fraction: 0.5
    arrival: {process: gamma, shape: 4, scale: 250}
    input_distribution: {type: lognormal, params: {mu: 6, sigma: 0.5, max: 4000}}
    output_distribution: {type: exponential, params: {mean: 100, min: 4}}
    prefix_group: system
    prefix_length: 256
    streaming: true
    network: {rtt_ms: 20, bandwidth_mbps: 100}
    timeout: 30000000
    slo_target_us: 500000
    closed_loop: false
    lifecycle:
      windows:
        - {start_us: 0, end_us: 1000000}
        - start_us: 2000000
          end_us: 3000000
          trace_rate: 4
          arrival: {process: constant}
          input_distribution: {type: constant, params: {value: 10}}
          output_distribution: {type: constant, params: {value: 20}}
    reasoning:
      reason_ratio_distribution: {type: constant, params: {value: 0}}
      multi_turn: {max_rounds: 5, think_time_us: 100, context_growth: accumulate, single_session: true}
  - id: pictures
    slo_class: batch
    rate_fraction: 0.5
    timeout: 0
    arrival: {process: poisson}
    output_distribution: {type: empirical, params: {64: 3, 16: 1, 128: 0}}
    multimodal:
      text_distribution: {type: constant, params: {value: 30}}
      image_distribution: {type: constant, params: {value: 576}}
      image_count_distribution: {type: constant, params: {value: 0}}
cohorts:
  - id: crowd
    slo_class: sheddable
    population: 10
    rate_fraction: 2
    arrival: {process: weibull, cv: 2}
    input_distribution:
      type: pareto_lognormal
      params: {alpha: 1.5, xm: 100, mu: 5, sigma: 1, mix_weight: 0.1}
    output_distribution: {type: constant, params: {value: 5}}
    prefix_group: own
    prefix_sharing: per_member
    diurnal: {peak_hour: 14, peak_to_trough_ratio: 4}
    spike: {start_time_us: 10, duration_us: 20, trace_rate: 3}
    drain: {start_time_us: 100, ramp_duration_us: 50}
)";

// `text` with its first `from` replaced.
inline std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

inline std::string one_with(const std::string& from, const std::string& to) {
  return with(kOneClient, from, to);
}

inline std::string all_with(const std::string& from, const std::string& to) {
  return with(kEverything, from, to);
}

}  // namespace plimsoll
