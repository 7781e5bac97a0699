#include "reference/goldens.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <map>

#include "shared_data.h"

namespace plimsoll::reference {
namespace {

/// Request names become numbers that sort the same way when written as text.
constexpr std::int64_t kFirstId = 100;

SloClass slo_class_of(const std::string& name) {
  static const std::map<std::string, SloClass> classes{{"", SloClass::unset},
                                                       {"standard", SloClass::standard},
                                                       {"critical", SloClass::critical},
                                                       {"batch", SloClass::batch},
                                                       {"sheddable", SloClass::sheddable},
                                                       {"background", SloClass::background}};
  return classes.at(name);
}

Duration duration_or_none(const Json& row, const char* key) {
  return row.contains(key) ? microseconds(row.at(key).get<std::int64_t>()) : kNoDuration;
}

}  // namespace

std::vector<Json> golden_cases(const std::string& kind) {
  std::vector<Json> cases;
  const auto folder = shared_data_folder();
  if (!folder) return cases;
  std::ifstream file(*folder / "spec/data/blis-engine-goldens.json");
  const Json goldens = Json::parse(file);
  for (const Json& row : goldens.at("cases")) {
    if (row.at("kind") == kind) cases.push_back(row);
  }
  return cases;
}

bool is_engine_feature(const std::string& case_name) {
  return case_name.rfind("cpu_tier_", 0) != 0 && case_name.rfind("offload_", 0) != 0 &&
         case_name.rfind("lora_", 0) != 0;
}

Time at_us(const Json& us) { return Time{} + microseconds(us.get<std::int64_t>()); }

GoldenRequests read_requests(const Json& rows) {
  GoldenRequests golden;
  for (const Json& row : rows) golden.names.push_back(row.at("id"));
  std::vector<std::string> sorted = golden.names;
  std::sort(sorted.begin(), sorted.end());
  golden.segments.resize(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Json& row = rows[i];
    Request request;
    request.id =
        kFirstId + (std::find(sorted.begin(), sorted.end(), golden.names[i]) - sorted.begin());
    request.arrival = at_us(row.at("arrival_us"));
    for (const Json& segment : row.at("input_segments")) {
      golden.segments[i].push_back({segment[0], segment[1]});
      request.input_tokens += segment[1].get<std::int32_t>();
    }
    request.prefix = golden.segments[i];
    request.own_content = row.at("output_seed");
    request.output_tokens = row.at("output_tokens");
    request.max_output_tokens = row.value("max_output_len", 0);
    request.slo_class = slo_class_of(row.value("slo_class", ""));
    if (row.contains("deadline_us")) request.deadline = at_us(row.at("deadline_us"));
    golden.requests.push_back(request);
  }
  return golden;
}

EngineConfig read_engine(const Json& golden) {
  EngineConfig config;
  config.max_num_seqs = golden.at("max_num_seqs");
  config.max_num_batched_tokens = golden.at("max_num_batched_tokens");
  config.long_prefill_token_threshold = golden.at("long_prefill_token_threshold");
  config.max_model_len = golden.value("max_model_len", 0);
  config.total_kv_blocks = golden.at("total_kv_blocks");
  config.block_size = golden.at("block_size");
  config.scheduler = golden.value("scheduler", "fcfs");
  config.preemption = golden.value("preemption_policy", "fcfs");
  return config;
}

LinearModel read_model(const Json& golden) {
  LinearModel model;
  model.queueing = golden.at("alpha")[0];
  model.queueing_per_input_token = golden.at("alpha")[1];
  model.output_token = golden.at("alpha")[2];
  model.step = golden.at("beta")[0];
  model.per_prefill_token = golden.at("beta")[1];
  model.per_decode_request = golden.at("beta")[2];
  model.post_decode = golden.at("post_decode_us");
  return model;
}

void expect_rows(const Json& rows, const GoldenRequests& golden,
                 const std::vector<GoldenResult>& results) {
  std::size_t with_row = 0;
  for (std::size_t i = 0; i < golden.requests.size(); ++i) {
    const GoldenResult& result = results[i];
    if (result.outcome == Outcome::dropped) continue;
    ++with_row;
    SCOPED_TRACE(golden.names[i]);
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [&](const Json& r) { return r.at("id") == golden.names[i]; });
    ASSERT_NE(row, rows.end());
    EXPECT_EQ(result.ttft.ns, duration_or_none(*row, "ttft_us").ns);
    EXPECT_EQ(result.e2e.ns, duration_or_none(*row, "e2e_us").ns);
    EXPECT_EQ(result.scheduling_delay.ns, duration_or_none(*row, "scheduling_delay_us").ns);
    EXPECT_EQ(result.outcome == Outcome::length_capped, row->at("length_capped").get<bool>());
    if (row->contains("handled_by")) {
      EXPECT_EQ("instance_" + std::to_string(result.instance), row->at("handled_by"));
    }
    if (row->contains("tpot_us")) {
      const std::int64_t gaps = result.outcome == Outcome::length_capped
                                    ? result.itl_count - 1
                                    : golden.requests[i].output_tokens - 1;
      EXPECT_DOUBLE_EQ(to_us(result.itl_sum) / static_cast<double>(std::max<std::int64_t>(gaps, 1)),
                       row->at("tpot_us").get<double>());
    }
  }
  EXPECT_EQ(rows.size(), with_row);
}

void expect_totals(const Json& expected, const GoldenTotals& totals) {
  const InstanceRecord& sum = totals.sum;
  const std::vector<std::int64_t> none;
  EXPECT_EQ(totals.batch_sizes, expected.value("batch_sizes", none));
  EXPECT_EQ(totals.queue_lengths, expected.value("waitq_sizes", none));
  EXPECT_EQ(sum.completed, expected.at("completed"));
  EXPECT_EQ(sum.length_capped, expected.at("length_capped"));
  EXPECT_EQ(sum.timed_out, expected.at("timed_out"));
  EXPECT_EQ(sum.dropped, expected.at("dropped_unservable"));
  EXPECT_EQ(sum.still_queued, expected.at("still_queued"));
  EXPECT_EQ(sum.still_running, expected.at("still_running"));
  EXPECT_EQ(sum.completed + sum.timed_out + sum.dropped + sum.still_queued + sum.still_running,
            expected.at("injected"));
  EXPECT_EQ(sum.total_input_tokens, expected.at("total_input_tokens"));
  EXPECT_EQ(sum.total_output_tokens, expected.at("total_output_tokens"));
  EXPECT_EQ(sum.preemptions, expected.at("preemptions"));
  EXPECT_EQ(sum.kv_allocation_failures, expected.at("kv_allocation_failures"));
  EXPECT_EQ(sum.steps, expected.at("steps"));
  EXPECT_EQ(sum.peak_kv_blocks, expected.at("peak_kv_blocks"));
  EXPECT_NEAR(totals.kv_block_us, expected.at("kv_block_us_integral").get<double>(), 0.01);
  EXPECT_EQ(sum.end.ns, at_us(expected.at("sim_ended_us")).ns);
  if (expected.contains("cache_hit_rate")) {
    const std::int64_t blocks = sum.cache_hit_blocks + sum.cache_miss_blocks;
    EXPECT_DOUBLE_EQ(
        blocks == 0 ? 0.0 : static_cast<double>(sum.cache_hit_blocks) / static_cast<double>(blocks),
        expected.at("cache_hit_rate").get<double>());
  }
}

}  // namespace plimsoll::reference
