#include "report/run/decision_trace.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <optional>
#include <vector>

#include "base/file.h"

namespace plimsoll {
namespace {

Request request_number(std::int64_t id) {
  Request request;
  request.id = id;
  return request;
}

DecisionTraceOptions three_instances(std::int64_t k) {
  return {"", k, 3, {1000, 1000, 1000}, "weighted", "always-admit"};
}

// Effective loads 4, 1 and 9.
InstanceViews three_views() {
  InstanceViews views(3);
  views.queue_depth = {1, 0, 2};
  views.batch_size = {1, 0, 3};
  views.in_flight = {2, 1, 4};
  views.kv_utilization = {0.25, 0, 0.5};
  return views;
}

class DecisionTraceFile : public testing::Test {
 protected:
  ~DecisionTraceFile() override { std::remove(path_.c_str()); }

  std::string lines_of(DecisionTrace& trace) const {
    EXPECT_TRUE(trace.finish());
    return *read_file(path_);
  }

  const std::string path_ = testing::TempDir() + "plimsoll_decisions_" +
                            testing::UnitTest::GetInstance()->current_test_info()->name() +
                            ".jsonl";
};

TEST(DecisionTrace, regret_is_the_distance_to_the_best_score) {
  DecisionTrace trace(three_instances(1));
  const std::vector<double> scores{0.5, 0.75, 0.25};
  trace.routing(request_number(0), Time{}, 1, scores, three_views());
  trace.routing(request_number(1), Time{}, 2, scores, three_views());
  const DecisionSummary s = trace.summary();
  EXPECT_DOUBLE_EQ(s.regret->mean, 0.25);
  EXPECT_DOUBLE_EQ(s.regret->max, 0.5);
  EXPECT_DOUBLE_EQ(s.excess_load->mean, 4);  // 0 and 8
  EXPECT_DOUBLE_EQ(s.excess_load->max, 8);
}

TEST(DecisionTrace, without_scores_regret_is_a_difference_of_loads) {
  DecisionTrace trace(three_instances(2));
  trace.routing(request_number(0), Time{}, 0, {}, three_views());
  EXPECT_DOUBLE_EQ(trace.summary().regret->max, 3);
  EXPECT_DOUBLE_EQ(trace.summary().excess_load->max, 3);
}

TEST(DecisionTrace, counts_what_was_decided) {
  DecisionTrace trace(three_instances(0));
  trace.admission(request_number(0), Time{}, AdmissionStage::policy, true);
  trace.admission(request_number(1), Time{}, AdmissionStage::policy, false);
  trace.admission(request_number(2), Time{}, AdmissionStage::policy, true);
  trace.routing(request_number(0), Time{}, 2, {}, three_views());
  trace.no_target(request_number(2), Time{});
  const DecisionSummary s = trace.summary();
  EXPECT_EQ(s.admitted, 2);
  EXPECT_EQ(s.rejected, 1);
  EXPECT_EQ(s.routed(), 1);
  EXPECT_EQ(s.no_target, 1);
  EXPECT_EQ(s.unique_targets(), 1);
  EXPECT_EQ(s.targets, (std::vector<std::int64_t>{0, 0, 1}));
  EXPECT_FALSE(s.regret);
}

TEST(DecisionTrace, needs_the_views_only_to_compare) {
  EXPECT_FALSE(DecisionTrace(three_instances(0)).needs().counters);
  EXPECT_FALSE(DecisionTrace(three_instances(0)).needs().in_flight);
  EXPECT_TRUE(DecisionTrace(three_instances(1)).needs().counters);
  EXPECT_TRUE(DecisionTrace(three_instances(1)).needs().in_flight);
}

TEST_F(DecisionTraceFile, has_a_line_per_decision) {
  DecisionTraceOptions options = three_instances(0);
  options.path = path_;
  DecisionTrace trace(options);
  trace.admission(request_number(7), Time{1'234'567}, AdmissionStage::tenant_budget, false);
  trace.admission(request_number(8), Time{2'000'000}, AdmissionStage::gateway_queue, true);
  trace.admission(request_number(9), Time{2'000'000}, AdmissionStage::gateway_queue, false);
  trace.routing(request_number(8), Time{3'000'000}, 1, {}, three_views());
  trace.no_target(request_number(10), Time{4'000'000});
  EXPECT_EQ(
      lines_of(trace),
      R"({"at_us": 1234.567, "request": "request_7", "decision": "admission", "admitted": false, "reason": "tenant-budget"}
{"at_us": 2000, "request": "request_8", "decision": "admission", "admitted": true, "reason": "gateway-queue"}
{"at_us": 2000, "request": "request_9", "decision": "admission", "admitted": false, "reason": "gateway-queue-full"}
{"at_us": 3000, "request": "request_8", "decision": "routing", "policy": "weighted", "instance": "instance_1"}
{"at_us": 4000, "request": "request_10", "decision": "routing", "instance": null, "reason": "other-model"}
)");
}

TEST_F(DecisionTraceFile, says_where_prompts_are_computed_and_when_their_blocks_arrive) {
  DecisionTraceOptions options = three_instances(0);
  options.path = path_;
  options.pd_decider = "conditional";
  DecisionTrace trace(options);
  trace.division(request_number(1), Time{1'000'000}, 700, 0);
  trace.division(request_number(2), Time{2'000'000}, 12, std::nullopt);
  trace.transfer(request_number(1), Time{3'000'500}, 0, 2, Time{2'500'000});
  EXPECT_EQ(trace.summary().prompts_apart, 1);
  EXPECT_EQ(trace.summary().prompts_kept, 1);
  EXPECT_EQ(
      lines_of(trace),
      R"({"at_us": 1000, "request": "request_1", "decision": "division", "policy": "conditional", "uncached_tokens": 700, "instance": "instance_0"}
{"at_us": 2000, "request": "request_2", "decision": "division", "policy": "conditional", "uncached_tokens": 12, "instance": null}
{"at_us": 3000.5, "request": "request_1", "decision": "transfer", "from": "instance_0", "instance": "instance_2", "began_us": 2500}
)");
}

TEST_F(DecisionTraceFile, ranks_candidates_by_score_then_by_number) {
  DecisionTraceOptions options = three_instances(2);
  options.path = path_;
  DecisionTrace trace(options);
  const std::vector<double> scores{0.5, 0.25, 0.5};
  trace.routing(request_number(0), Time{}, 2, scores, three_views());
  EXPECT_EQ(
      lines_of(trace),
      R"({"at_us": 0, "request": "request_0", "decision": "routing", "policy": "weighted", "instance": "instance_2", "score": 0.5, "regret": 0, "excess_load": 8, "candidates": [)"
      R"({"instance": "instance_0", "score": 0.5, "queue_depth": 1, "batch_size": 1, "in_flight": 2, "kv_utilization": 0.25, "free_kv_blocks": 750}, )"
      R"({"instance": "instance_2", "score": 0.5, "queue_depth": 2, "batch_size": 3, "in_flight": 4, "kv_utilization": 0.5, "free_kv_blocks": 500}]})"
      "\n");
}

TEST_F(DecisionTraceFile, knows_those_that_answer_alone) {
  DecisionTraceOptions options = three_instances(3);
  options.instances = 5;  // two compute prompts
  options.path = path_;
  DecisionTrace trace(options);
  InstanceViews views = three_views();
  views.first = 2;
  trace.routing(request_number(0), Time{}, 0, {}, views);
  EXPECT_EQ(trace.summary().targets[2], 1);
  const std::string lines = lines_of(trace);
  for (const char* name : {"\"instance_2\"", "\"instance_3\"", "\"instance_4\""})
    EXPECT_NE(lines.find(name), std::string::npos) << lines;
  EXPECT_EQ(lines.find("\"instance_1\""), std::string::npos) << lines;
}

TEST_F(DecisionTraceFile, may_ask_for_more_candidates_than_there_are) {
  DecisionTraceOptions options = three_instances(100);
  options.path = path_;
  DecisionTrace trace(options);
  trace.routing(request_number(0), Time{}, 0, {}, three_views());
  const std::string lines = lines_of(trace);
  EXPECT_NE(lines.find("\"candidates\": [{\"instance\": \"instance_1\", \"score\": -1,"),
            std::string::npos)
      << lines;
  EXPECT_NE(lines.find("{\"instance\": \"instance_2\", \"score\": -9,"), std::string::npos);
}

}  // namespace
}  // namespace plimsoll
