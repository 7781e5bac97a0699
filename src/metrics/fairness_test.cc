#include "metrics/fairness.h"

#include <gtest/gtest.h>

#include "metrics/summary.h"
#include "run_record_maker.h"

namespace plimsoll {
namespace {

using test::add_row;

TEST(JainIndex, lies_between_one_over_n_and_one) {
  EXPECT_EQ(jain_index({}), 0);
  const std::vector<double> alike{5, 5, 5};
  EXPECT_DOUBLE_EQ(jain_index(alike), 1);
  const std::vector<double> one{0, 0, 7, 0};
  EXPECT_DOUBLE_EQ(jain_index(one), 0.25);
  const std::vector<double> two{1, 3};  // 16 / (2 x 10)
  EXPECT_DOUBLE_EQ(jain_index(two), 0.8);
  const std::vector<double> nothing{0, 0};
  EXPECT_DOUBLE_EQ(jain_index(nothing), 1);
}

TEST(TenantFairness, compares_tokens_requests_and_service) {
  RunRecord record;
  add_row(&record, {.ttft = 1, .e2e = 2, .output = 30, .tenant = 0});
  add_row(&record, {.ttft = 1, .e2e = 2, .output = 10, .tenant = 1});
  add_row(&record, {.outcome = Outcome::unfinished, .tenant = 1});
  const Summary s = summarize(record);
  ASSERT_TRUE(s.tenant_fairness);
  EXPECT_DOUBLE_EQ(s.tenant_fairness->jain_tokens, 0.8);
  EXPECT_DOUBLE_EQ(s.tenant_fairness->jain_requests, 1);
  EXPECT_DOUBLE_EQ(s.tenant_fairness->jain_service, 2.25 / (2 * 1.25));
}

TEST(PriorityInversions, are_requests_overtaken_by_less_urgent_ones) {
  RunRecord record;
  const auto add = [&](double arrival, double delay, SloClass slo_class, int instance = 0) {
    add_row(&record, {.arrival = arrival,
                      .instance = instance,
                      .delay = delay,
                      .ttft = delay + 1,
                      .e2e = delay + 2,
                      .slo_class = slo_class});
  };
  add(0, 100, SloClass::critical);   // waits until 100
  add(10, 20, SloClass::batch);      // admitted at 30: overtakes
  add(20, 30, SloClass::standard);   // admitted at 50: overtakes the first, is overtaken at 30
  add(20, 35, SloClass::unset);      // admitted at 55: as urgent as standard
  add(60, 50, SloClass::sheddable);  // admitted at 110: too late to overtake
  add(0, 1, SloClass::batch, 1);     // of another instance
  const PriorityInversions found = priority_inversions(record.requests, 2, {});
  EXPECT_EQ(found.requests, 3);
  EXPECT_EQ(found.pairs, 3 + 1 + 1);
}

TEST(PriorityInversions, see_requests_that_still_wait) {
  RunRecord record;
  add_row(&record, {.outcome = Outcome::unfinished, .slo_class = SloClass::critical});
  add_row(&record,
          {.arrival = 5, .delay = 1, .ttft = 2, .e2e = 3, .slo_class = SloClass::background});
  EXPECT_EQ(priority_inversions(record.requests, 1, {}).requests, 1);
}

TEST(PriorityInversions, go_by_the_priorities_that_the_deployment_gives_to_classes) {
  RunRecord record;
  const auto add = [&](double arrival, double delay, SloClass slo_class) {
    add_row(&record, {.arrival = arrival,
                      .delay = delay,
                      .ttft = delay + 1,
                      .e2e = delay + 2,
                      .slo_class = slo_class});
  };
  add(0, 100, SloClass::critical);
  add(10, 20, SloClass::sheddable);
  EXPECT_EQ(summarize(record).priority_inversions.pairs, 1);
  Deployment deployment;
  SummaryOptions options;
  options.deployment = &deployment;
  const auto pairs = [&] { return summarize(record, options).priority_inversions.pairs; };
  deployment.main().engine.priorities.set(SloClass::sheddable, 9);  // may overtake now
  EXPECT_EQ(pairs(), 0);
  deployment.main().engine.priorities.set(SloClass::sheddable, 4);  // as urgent as critical
  EXPECT_EQ(pairs(), 0);
}

TEST(UnequalPairs, are_counted_within_class_and_instance) {
  RunRecord record;
  for (const double e2e : {100.0, 40.0, 50.0, 10.0}) {
    add_row(&record,
            {.arrival = static_cast<double>(record.requests.size()), .ttft = 1, .e2e = e2e});
  }
  add_row(&record, {.arrival = 9, .ttft = 1, .e2e = 1, .slo_class = SloClass::batch});
  add_row(&record, {.arrival = 9, .instance = 1, .ttft = 1, .e2e = 1});
  // 100 > 2 x 40, 100 = 2 x 50, 100, 40 and 50 > 2 x 10.
  EXPECT_EQ(unequal_pairs(record.requests, 2), 4);
}

TEST(BlockedInstances, stand_out_from_the_others) {
  std::vector<InstanceRecord> instances(2);
  for (InstanceRecord& instance : instances) instance.steps = 10;
  instances[0].queued_request_steps = 50;
  instances[1].queued_request_steps = 10;
  EXPECT_DOUBLE_EQ(mean_queue_depth(instances[0]), 5);
  EXPECT_EQ(blocked_instances(instances, true), 0);  // 5 is not above 2 x 3
  EXPECT_EQ(blocked_instances(instances, false), 1);
  instances.resize(4, instances[1]);
  EXPECT_EQ(blocked_instances(instances, true), 1);  // 5 > 2 x 2
  instances[0].queued_request_steps = 9;
  for (std::size_t i = 1; i < 4; ++i) instances[i].queued_request_steps = 0;
  EXPECT_EQ(blocked_instances(instances, false), 0);  // less than one request
  EXPECT_EQ(blocked_instances(std::span(instances).first(1), false), 0);
}

}  // namespace
}  // namespace plimsoll
