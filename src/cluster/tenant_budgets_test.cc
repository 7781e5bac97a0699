// How much of the cluster may a tenant's sheddable requests fill?
#include "cluster/tenant_budgets.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "cluster/simulation.h"
#include "listed_requests.h"
#include "reference/linear_model.h"

namespace plimsoll {
namespace {

using test::ListedRequests;
using enum SloClass;

constexpr std::int32_t kLimited = 0;
constexpr std::int32_t kFree = 1;

Labels tenants() {
  Labels labels;
  labels.tenants = {"limited", "free"};
  return labels;
}

// Ten places, three of them for the tenant "limited".
Deployment ten_places() {
  Deployment deployment;
  deployment.main().num_instances = 2;
  deployment.main().engine.max_num_seqs = 5;
  deployment.main().engine.total_kv_blocks = 1000;
  deployment.main().step_time = std::make_shared<reference::LinearModel>();
  deployment.tenant_budgets = {{"limited", 0.3}};
  return deployment;
}

Request request_of(std::int32_t tenant, SloClass slo_class, int at_ms = 0) {
  Request r;
  r.arrival = Time{} + milliseconds(at_ms);
  r.input_tokens = 10;
  r.output_tokens = 20;
  r.slo_class = slo_class;
  r.tags.tenant = tenant;
  return r;
}

class Budgets : public testing::Test {
 protected:
  const ListedRequests source_{{}, tenants()};
  TenantBudgets budgets_{ten_places(), source_};

  void enter(int times, const Request& request) {
    for (int i = 0; i < times; ++i) budgets_.enter(request);
  }
};

TEST_F(Budgets, let_in_until_the_share_is_exceeded) {
  const Request batch_job = request_of(kLimited, batch);
  enter(3, batch_job);
  EXPECT_TRUE(budgets_.admit(batch_job));  // a share that is full is not exceeded
  enter(1, batch_job);
  EXPECT_FALSE(budgets_.admit(batch_job));
  budgets_.leave(batch_job.tags);
  EXPECT_TRUE(budgets_.admit(batch_job));
}

TEST_F(Budgets, count_urgent_requests_and_let_them_in) {
  enter(9, request_of(kLimited, critical));
  EXPECT_TRUE(budgets_.admit(request_of(kLimited, critical)));
  EXPECT_TRUE(budgets_.admit(request_of(kLimited, unset)));
  EXPECT_FALSE(budgets_.admit(request_of(kLimited, sheddable)));
}

TEST_F(Budgets, are_those_of_the_tenants_that_have_one) {
  enter(9, request_of(kLimited, batch));
  enter(9, request_of(kFree, batch));
  EXPECT_TRUE(budgets_.admit(request_of(kFree, batch)));
  EXPECT_TRUE(budgets_.admit(request_of(-1, batch)));
}

TEST_F(Budgets, of_nothing_still_let_one_in_at_a_time) {
  Deployment deployment = ten_places();
  deployment.tenant_budgets = {{"limited", 0}};
  TenantBudgets none(deployment, source_);
  EXPECT_TRUE(none.admit(request_of(kLimited, batch)));
  none.enter(request_of(kLimited, batch));
  EXPECT_FALSE(none.admit(request_of(kLimited, batch)));
}

RunRecord run_with_budgets(const Deployment& deployment, std::vector<Request> requests) {
  ListedRequests source(std::move(requests), tenants());
  Simulation simulation(deployment, source, {});
  simulation.advance();
  return simulation.take_record();
}

std::vector<std::size_t> shed(const RunRecord& record) {
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < record.requests.size(); ++row) {
    if (record.requests.outcome[row] == Outcome::completed) continue;
    EXPECT_EQ(record.requests.outcome[row], Outcome::shed);
    EXPECT_EQ(record.requests.reason[row], Reason::tenant_budget);
    rows.push_back(row);
  }
  return rows;
}

using Rows = std::vector<std::size_t>;

TEST_F(Budgets, are_kept_in_a_run_and_places_come_back_when_requests_leave) {
  std::vector<Request> requests;
  for (int i = 0; i < 6; ++i) requests.push_back(request_of(kLimited, batch));
  requests.push_back(request_of(kFree, batch));
  for (int i = 0; i < 5; ++i) requests.push_back(request_of(kLimited, batch, 10'000));
  const RunRecord record = run_with_budgets(ten_places(), requests);
  EXPECT_EQ(shed(record), (Rows{4, 5, 11}));
  EXPECT_EQ(record.rejected_admission, 3);
}

// Who gave up waiting at the gateway, or asks for another model holds no place.
TEST_F(Budgets, get_back_the_places_of_those_who_never_ran) {
  Deployment deployment = ten_places();
  deployment.flow_control.enabled = true;
  deployment.flow_control.signal = "concurrency";
  deployment.parameters["max-concurrency"] = 1;
  deployment.flow_control.request_ttl = microseconds(10);
  std::vector<Request> requests;
  for (int i = 0; i < 2; ++i) requests.push_back(request_of(kFree, critical));
  for (int i = 0; i < 4; ++i) requests.push_back(request_of(kLimited, batch, 5));  // expire
  for (int i = 0; i < 4; ++i) {
    requests.push_back(request_of(kLimited, batch, 10'000));
    requests.back().other_model = true;
  }
  requests.push_back(request_of(kLimited, batch, 20'000));
  const RunRecord record = run_with_budgets(deployment, requests);
  EXPECT_EQ(record.gateway.expired, 4);
  EXPECT_EQ(record.rejected_routing, 4);
  EXPECT_EQ(record.requests.outcome.back(), Outcome::completed);
  EXPECT_EQ(record.rejected_admission, 0);
}

}  // namespace
}  // namespace plimsoll
