// Is the twin itself right? It must give what the public reference simulator was observed to give.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reference/cluster.h"
#include "reference/linear_model.h"
#include "shared_data.h"

namespace plimsoll::reference {
namespace {

using Json = nlohmann::json;

Time at_us(const Json& us) { return Time{} + microseconds(us.get<std::int64_t>()); }

/// Request names become numbers that sort the same way when written as text.
constexpr std::int64_t kFirstId = 100;

struct GoldenRequests {
  std::vector<std::vector<PrefixSegment>> segments;
  std::vector<std::string> names;
  std::vector<Request> requests;
};

SloClass slo_class_of(const std::string& name) {
  static const std::map<std::string, SloClass> classes{
      {"", SloClass::standard},           {"standard", SloClass::standard},
      {"critical", SloClass::critical},   {"batch", SloClass::batch},
      {"sheddable", SloClass::sheddable}, {"background", SloClass::background}};
  return classes.at(name);
}

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
  static const std::map<std::string, SchedulerPolicy> schedulers{
      {"fcfs", SchedulerPolicy::fcfs},
      {"priority-fcfs", SchedulerPolicy::priority_fcfs},
      {"sjf", SchedulerPolicy::sjf},
      {"reverse-priority", SchedulerPolicy::reverse_priority}};
  EngineConfig config;
  config.max_num_seqs = golden.at("max_num_seqs");
  config.max_num_batched_tokens = golden.at("max_num_batched_tokens");
  config.long_prefill_token_threshold = golden.at("long_prefill_token_threshold");
  config.max_model_len = golden.value("max_model_len", 0);
  config.total_kv_blocks = golden.at("total_kv_blocks");
  config.block_size = golden.at("block_size");
  config.scheduler = schedulers.at(golden.value("scheduler", "fcfs"));
  config.preemption = golden.value("preemption_policy", "fcfs") == "priority"
                          ? PreemptionPolicy::priority
                          : PreemptionPolicy::fcfs;
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

Duration duration_or_none(const Json& row, const char* key) {
  return row.contains(key) ? microseconds(row.at(key).get<std::int64_t>()) : kNoDuration;
}

void expect_rows(const Json& rows, const GoldenRequests& golden, const Record& record) {
  std::size_t with_row = 0;
  for (std::size_t i = 0; i < golden.requests.size(); ++i) {
    const RequestResult& result = record.requests[i];
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
      Duration sum;
      for (const Duration gap : result.itl) sum += gap;
      const auto entries = static_cast<std::int64_t>(result.itl.size());
      const std::int64_t gaps = result.outcome == Outcome::length_capped
                                    ? entries - 1
                                    : golden.requests[i].output_tokens - 1;
      EXPECT_DOUBLE_EQ(to_us(sum) / static_cast<double>(std::max<std::int64_t>(gaps, 1)),
                       row->at("tpot_us").get<double>());
    }
  }
  EXPECT_EQ(rows.size(), with_row);
}

void expect_counters(const Json& expected, const Record& record) {
  InstanceRecord sum;
  std::vector<std::int64_t> itls, batch_sizes, queue_lengths;
  std::int64_t kv_block_ns = 0;
  for (const InstanceResult& instance : record.instances) {
    const InstanceRecord& counters = instance.counters;
    sum.completed += counters.completed;
    sum.length_capped += counters.length_capped;
    sum.timed_out += counters.timed_out;
    sum.dropped += counters.dropped;
    sum.still_queued += counters.still_queued;
    sum.still_running += counters.still_running;
    sum.total_input_tokens += counters.total_input_tokens;
    sum.total_output_tokens += counters.total_output_tokens;
    sum.preemptions += counters.preemptions;
    sum.kv_allocation_failures += counters.kv_allocation_failures;
    sum.cache_hit_blocks += counters.cache_hit_blocks;
    sum.cache_miss_blocks += counters.cache_miss_blocks;
    sum.steps += counters.steps;
    sum.peak_kv_blocks = std::max(sum.peak_kv_blocks, counters.peak_kv_blocks);
    sum.end = std::max(sum.end, counters.end);
    kv_block_ns += instance.kv_block_ns;
    for (const Duration gap : instance.itl) itls.push_back(gap.ns / 1000);
    batch_sizes.insert(batch_sizes.end(), instance.batch_sizes.begin(), instance.batch_sizes.end());
    queue_lengths.insert(queue_lengths.end(), instance.queue_lengths.begin(),
                         instance.queue_lengths.end());
  }
  std::sort(itls.begin(), itls.end());
  const std::vector<std::int64_t> none;
  EXPECT_EQ(itls, expected.value("all_itls_sorted_us", none));
  EXPECT_EQ(batch_sizes, expected.value("batch_sizes", none));
  EXPECT_EQ(queue_lengths, expected.value("waitq_sizes", none));
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
  EXPECT_EQ(kv_block_ns, expected.at("kv_block_us_integral").get<std::int64_t>() * 1000);
  EXPECT_EQ(sum.end.ns, at_us(expected.at("sim_ended_us")).ns);
  if (expected.contains("cache_hit_rate")) {
    const std::int64_t blocks = sum.cache_hit_blocks + sum.cache_miss_blocks;
    EXPECT_DOUBLE_EQ(
        blocks == 0 ? 0.0 : static_cast<double>(sum.cache_hit_blocks) / static_cast<double>(blocks),
        expected.at("cache_hit_rate").get<double>());
  }
}

bool uses_what_the_twin_has_not(const std::string& name) {
  return name.rfind("cpu_tier_", 0) == 0 || name.rfind("offload_", 0) == 0 ||
         name.rfind("lora_", 0) == 0;
}

class GoldenCases : public testing::Test {
 protected:
  void SetUp() override {
    const auto folder = shared_data_folder();
    if (!folder) GTEST_SKIP() << "no recorded runs of the reference here";
    std::ifstream file(*folder / "spec/data/blis-engine-goldens.json");
    cases_ = Json::parse(file).at("cases");
  }

  Json cases_;
};

TEST_F(GoldenCases, DoesTheTwinMatchEveryEngineCase) {
  int compared = 0;
  for (const Json& golden : cases_) {
    const std::string name = golden.at("name");
    if (golden.at("kind") != "engine" || uses_what_the_twin_has_not(name)) continue;
    SCOPED_TRACE(name);
    const GoldenRequests requests = read_requests(golden.at("requests"));
    const Time horizon = golden.contains("horizon_us") ? at_us(golden.at("horizon_us")) : kNever;
    const LinearModel model = read_model(golden);
    const StandAloneRecord result =
        simulate_stand_alone(read_engine(golden), model, requests.requests, horizon);
    expect_rows(golden.at("expected").at("requests"), requests, result.record);
    expect_counters(golden.at("expected"), result.record);
    EXPECT_EQ(result.used_blocks_at_end, golden.at("expected").at("final_used_blocks"));
    ++compared;
  }
  EXPECT_EQ(compared, 35);
}

/// The step times of the one cluster case, read off its rows, so that the twin does not lean on
/// the product's own step-time model.
struct RecordedSteps final : StepTimeModel {
  double step_us(const BatchShape& batch) const override {
    if (batch.prefill_tokens == 256) return batch.decode_requests == 1 ? 7416 : 7392;
    return batch.decode_requests == 2 ? 6878 : 6854;
  }
  double queueing_us(std::int64_t) const override { return 15563; }
  double output_token_us() const override { return 45; }
  double post_decode_us() const override { return 777; }
};

TEST_F(GoldenCases, DoesTheTwinMatchTwoInstancesOnOneClock) {
  const auto golden = std::find_if(cases_.begin(), cases_.end(), [](const Json& row) {
    return row.at("name") == "plain_two_instances_rr";
  });
  ASSERT_NE(golden, cases_.end());
  const GoldenRequests requests = read_requests(golden->at("requests"));
  Deployment deployment;
  deployment.num_instances = golden->at("num_instances");
  deployment.engine = read_engine(*golden);
  deployment.step_time = std::make_shared<RecordedSteps>();
  const Record record = simulate(deployment, requests.requests, kNever, nullptr);
  expect_rows(golden->at("expected").at("requests"), requests, record);
  expect_counters(golden->at("expected"), record);
}

}  // namespace
}  // namespace plimsoll::reference
