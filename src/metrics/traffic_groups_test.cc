#include "metrics/traffic_groups.h"

#include <gtest/gtest.h>

#include "metrics/summary.h"
#include "run_record_maker.h"

namespace plimsoll {
namespace {

using test::add_row;

// Two classes and requests without one, two tenants; one instance that ends at 0.5 s.
RunRecord mixed() {
  RunRecord record;
  add_row(&record, {.arrival = 0,
                    .delay = 1,
                    .ttft = 10,
                    .e2e = 110,
                    .slo_class = SloClass::batch,
                    .tenant = 1});
  add_row(&record, {.arrival = 1,
                    .delay = 2,
                    .ttft = 30,
                    .e2e = 250,
                    .output = 21,
                    .slo_class = SloClass::batch,
                    .tenant = 1});
  add_row(&record, {.arrival = 2,
                    .outcome = Outcome::unfinished,
                    .delay = 3,
                    .ttft = 50,
                    .slo_class = SloClass::batch,
                    .tenant = 0});
  add_row(&record, {.arrival = 3,
                    .outcome = Outcome::rejected,
                    .instance = -1,
                    .slo_class = SloClass::critical,
                    .tenant = 0});
  add_row(&record, {.arrival = 4, .outcome = Outcome::timed_out, .slo_class = SloClass::critical});
  add_row(&record, {.arrival = 5, .outcome = Outcome::dropped});
  add_row(&record, {.arrival = 6,
                    .outcome = Outcome::length_capped,
                    .delay = 4,
                    .ttft = 20,
                    .e2e = 20,
                    .output = 1});
  record.rejected_admission = 1;
  record.instances[0].end = Time{} + milliseconds(500);
  return record;
}

TEST(TrafficGroups, are_the_classes_that_arrived_most_urgent_first) {
  const Summary s = summarize(mixed());
  ASSERT_EQ(s.classes.size(), 3u);
  EXPECT_EQ(s.classes[0].name, "critical");
  EXPECT_EQ(s.classes[1].name, "default");
  EXPECT_EQ(s.classes[2].name, "batch");
}

TEST(TrafficGroups, count_every_arrival_once) {
  const Summary s = summarize(mixed());
  const TrafficGroup& critical = s.classes[0];
  EXPECT_EQ(critical.arrived, 2);
  EXPECT_EQ(critical.rejected, 1);
  EXPECT_EQ(critical.timed_out, 1);
  const TrafficGroup& none = s.classes[1];
  EXPECT_EQ(none.arrived, 2);
  EXPECT_EQ(none.dropped, 1);
  EXPECT_EQ(none.completed, 1);
  EXPECT_EQ(none.length_capped, 1);
  const TrafficGroup& batch = s.classes[2];
  EXPECT_EQ(batch.arrived, 3);
  EXPECT_EQ(batch.completed, 2);
  EXPECT_EQ(batch.unfinished, 1);
  EXPECT_EQ(batch.input_tokens, 300);
  EXPECT_EQ(batch.output_tokens, 32);
  EXPECT_DOUBLE_EQ(batch.responses_per_sec, 4);  // in half a second
  EXPECT_DOUBLE_EQ(batch.tokens_per_sec, 64);
}

TEST(TrafficGroups, take_latencies_over_their_own_requests) {
  const Summary s = summarize(mixed());
  const TrafficGroup& batch = s.classes[2];
  EXPECT_DOUBLE_EQ(batch.ttft.mean_ms, 30);  // 10, 30 and 50
  EXPECT_DOUBLE_EQ(batch.ttft.p50_ms, 30);
  EXPECT_DOUBLE_EQ(batch.e2e.mean_ms, 180);  // 110 and 250
  EXPECT_DOUBLE_EQ(batch.scheduling_delay.mean_ms, 2);
  // Gaps of 10 ms in an answer of 11 tokens, of 11 ms in one of 21.
  EXPECT_DOUBLE_EQ(batch.tpot.mean_ms, 10.5);
  EXPECT_DOUBLE_EQ(batch.itl_mean_ms, 320.0 / 30);
  EXPECT_EQ(s.classes[0].ttft.mean_ms, 0);
  EXPECT_EQ(s.classes[1].tpot.mean_ms, 0);  // one token, no gap
}

TEST(TrafficGroups, are_tenants_by_their_labels) {
  Labels labels;
  labels.tenants = {"acme", "bolt"};
  const RunRecord record = mixed();
  SummaryOptions options;
  options.labels = &labels;
  const Summary s = summarize(record, options);
  ASSERT_EQ(s.tenants.size(), 2u);
  EXPECT_EQ(s.tenants[0].name, "acme");
  EXPECT_EQ(s.tenants[0].arrived, 2);
  EXPECT_EQ(s.tenants[1].name, "bolt");
  EXPECT_EQ(s.tenants[1].completed, 2);
  EXPECT_EQ(summarize(record).tenants[1].name, "tenant_1");
}

TEST(TrafficGroups, are_none_when_nobody_has_a_class_or_tenant) {
  RunRecord record;
  add_row(&record, {.ttft = 10, .e2e = 110});
  const Summary s = summarize(record);
  EXPECT_TRUE(s.classes.empty());
  EXPECT_TRUE(s.tenants.empty());
  EXPECT_EQ(s.sessions.sessions, 0);
}

TEST(TrafficGroups, have_one_class_when_all_share_it) {
  RunRecord record;
  add_row(&record, {.ttft = 10, .e2e = 110, .slo_class = SloClass::standard});
  const Summary s = summarize(record);
  ASSERT_EQ(s.classes.size(), 1u);
  EXPECT_EQ(s.classes[0].name, "standard");
}

}  // namespace
}  // namespace plimsoll
