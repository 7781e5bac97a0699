// The summary of a run in which three instances hold 200 req/s, and its configuration.
#pragma once

#include <string>

#include "metrics/summary.h"
#include "setup/run_config.h"

namespace plimsoll {

inline Summary steady_cluster() {
  Summary s;
  GroupSummary& c = s.cluster;
  c.completed = 100'000;
  c.duration_s = 505.3;
  c.responses_per_sec = 197.9;
  c.tokens_per_sec = 101'321;
  c.ttft = {31.2, 27.7, 50.1, 55.2, 79.1};
  c.tpot = {26.2, 26.1, 27, 27.456, 28};
  c.itl = {26.1, 26, 28, 29.123, 31};
  c.e2e = {13'912, 13'800, 21'900, 24'000, 29'000};
  c.queue_time = {6.5, 6.31, 9.1, 11.2, 14.2};
  c.utilization = 0.971;
  c.kv_utilization = 0.64;
  c.kv_peak_utilization = 0.7112;
  c.mean_batch_size = 183.2;
  c.length_capped = 3;
  for (int i = 0; i < 3; ++i) {
    GroupSummary g = c;
    g.completed = 33'000 + 333 * i;
    g.ttft.p99_ms = 79 + 9.5 * i;
    s.instances.push_back(g);
  }
  s.arrived = 100'000;
  s.offered_rps = 200.2;
  s.steady_state = {SteadyVerdict::steady, {SteadyCause::work_is_level, 35.8}, 24, 0, 0};
  s.intervals = {{"ttft_mean_ms", 31, 31.4},
                 {"ttft_p99_ms", 77.9, 80.4},
                 {"e2e_mean_ms", 13'800, 14'021},
                 {"responses_per_sec", 196, 201}};
  s.bottleneck = {{LimitKind::compute,
                   ShortResource::decode_bandwidth,
                   {LimitCause::decodes, 0.0261, 2.1, 183},
                   {Remedy::more_memory, 4}}};
  s.bottleneck.queue_share = 0.0101;
  s.bottleneck.prefill_share = 0.02;
  s.bottleneck.prefill_stall_share = 0.03;
  s.bottleneck.decode_share = 0.9399;
  return s;
}

inline RunConfig config() {
  return {"run",
          42,
          {{"model", std::string("qwen/qwen3-14b"), "flag"},
           {"num-instances", std::int64_t{3}, "flag"},
           {"rate", 200.0, "flag"},
           {"results-path", std::string("my results.csv"), "flag"},
           {"max-num-seqs", std::int64_t{256}, "default"},
           {"tp", std::int64_t{1}, "catalog"}}};
}

}  // namespace plimsoll
