// Recorded cases of the public reference simulator's engine: what went in, as the product's types,
// and how to compare what came out.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/engine_config.h"
#include "engine/run_record.h"
#include "reference/linear_model.h"
#include "workload/request.h"

namespace plimsoll::reference {

using Json = nlohmann::json;

struct GoldenRequests {
  std::vector<std::vector<PrefixSegment>> segments;
  std::vector<std::string> names;
  std::vector<Request> requests;
};

/// What a simulator says of one request; durations are kNoDuration where there is none.
struct GoldenResult {
  Outcome outcome = Outcome::unfinished;
  std::int32_t instance = -1;
  Duration scheduling_delay;
  Duration ttft;
  Duration e2e;
  Duration itl_sum;
  std::int64_t itl_count = 0;
};

/// What it says of the run.
struct GoldenTotals {
  InstanceRecord sum;  ///< over instances; peak_kv_blocks and end are the largest
  double kv_block_us = 0;
  std::vector<std::int64_t> batch_sizes;    ///< per step
  std::vector<std::int64_t> queue_lengths;  ///< per step
};

/// All recorded cases, or an empty list where there are none.
std::vector<Json> golden_cases(const std::string& kind);

/// CPU tiers, offloading and adapters come with later features.
bool is_engine_feature(const std::string& case_name);

Time at_us(const Json& us);
GoldenRequests read_requests(const Json& rows);
EngineConfig read_engine(const Json& golden);
LinearModel read_model(const Json& golden);

void expect_rows(const Json& rows, const GoldenRequests& golden,
                 const std::vector<GoldenResult>& results);
void expect_totals(const Json& expected, const GoldenTotals& totals);

}  // namespace plimsoll::reference
