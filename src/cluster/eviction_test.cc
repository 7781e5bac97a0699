// In-flight eviction: does the gateway take back whom it should, when it should, and does all that
// such a request held come free?
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "cluster/simulation.h"
#include "listed_requests.h"
#include "reference/linear_model.h"

namespace plimsoll {
namespace {

using test::ListedRequests;

// A step takes 1 ms whatever is in it.
Deployment one_instance(std::int64_t max_concurrency) {
  auto model = std::make_shared<reference::LinearModel>();
  model->per_prefill_token = 0;
  model->per_decode_request = 0;
  Deployment deployment;
  deployment.main().step_time = model;
  deployment.main().engine.total_kv_blocks = 1000;
  deployment.flow_control.enabled = true;
  deployment.flow_control.signal = "concurrency";
  deployment.parameters["max-concurrency"] = static_cast<double>(max_concurrency);
  deployment.flow_control.order = "priority";
  deployment.flow_control.in_flight_eviction = true;
  return deployment;
}

RunRecord run(const Deployment& deployment, std::vector<Request> requests) {
  ListedRequests source(std::move(requests));
  Simulation simulation(deployment, source, {});
  simulation.advance();
  return simulation.take_record();
}

// A prompt of ten tokens and an answer of a hundred: some 100 ms alone.
Request request(int at_ms, SloClass slo_class) {
  Request r;
  r.arrival = Time{} + milliseconds(at_ms);
  r.input_tokens = 10;
  r.output_tokens = 100;
  r.slo_class = slo_class;
  return r;
}

std::vector<std::size_t> evicted(const RunRecord& record) {
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < record.requests.size(); ++row) {
    if (record.requests.reason[row] != Reason::evicted) continue;
    EXPECT_EQ(record.requests.outcome[row], Outcome::shed);
    rows.push_back(row);
  }
  EXPECT_EQ(record.gateway.evicted, static_cast<std::int64_t>(rows.size()));
  return rows;
}

using Rows = std::vector<std::size_t>;
using enum SloClass;

TEST(Eviction, takes_the_least_urgent_request_of_those_the_one_dispatched_last) {
  const RunRecord record =
      run(one_instance(4), {request(0, background), request(1, background), request(2, batch),
                            request(3, standard), request(20, critical)});
  EXPECT_EQ(evicted(record), (Rows{1}));
  EXPECT_EQ(record.instances[0].evicted, 1);
  for (const std::size_t row : {0u, 2u, 3u, 4u}) {
    EXPECT_EQ(record.requests.outcome[row], Outcome::completed) << row;
  }
  // At the next look, a tick of 1 ms later, the urgent one goes.
  EXPECT_EQ(record.requests.phases[4].gateway, milliseconds(1));
}

TEST(Eviction, goes_on_for_as_long_as_urgent_requests_wait) {
  const RunRecord record =
      run(one_instance(2), {request(0, sheddable), request(1, sheddable), request(20, critical),
                            request(20, standard), request(21, critical)});
  EXPECT_EQ(evicted(record), (Rows{0, 1}));
  EXPECT_GT(record.requests.phases[3].gateway, milliseconds(50));  // nobody is left to go
}

TEST(Eviction, is_for_urgent_requests_alone) {
  EXPECT_EQ(evicted(run(one_instance(1), {request(0, background), request(20, batch)})), Rows{});
}

TEST(Eviction, never_takes_a_request_that_is_not_sheddable) {
  EXPECT_EQ(evicted(run(one_instance(1), {request(0, standard), request(20, critical)})), Rows{});
}

TEST(Eviction, needs_a_full_cluster_and_the_switch) {
  const std::vector<Request> requests{request(0, background), request(20, critical)};
  EXPECT_EQ(evicted(run(one_instance(1), requests)), (Rows{0}));
  EXPECT_EQ(evicted(run(one_instance(2), requests)), Rows{});
  Deployment without = one_instance(1);
  without.flow_control.in_flight_eviction = false;
  EXPECT_EQ(evicted(run(without, requests)), Rows{});
}

// For the first 5 ms nobody can take it back: it is on its way into the wait queue.
TEST(Eviction, is_refused_by_a_request_that_has_not_arrived_and_tries_another_one) {
  Deployment deployment = one_instance(2);
  auto model = std::make_shared<reference::LinearModel>();
  model->queueing = 5000;
  deployment.main().step_time = model;
  // The later one would be the choice, and is refused: the one before it goes.
  EXPECT_EQ(evicted(run(deployment,
                        {request(0, sheddable), request(18, sheddable), request(20, critical)})),
            Rows{0});
  EXPECT_EQ(evicted(run(deployment,
                        {request(0, sheddable), request(10, sheddable), request(20, critical)})),
            Rows{1});
  // Nobody else is there: it stays, also when it has arrived, and the urgent one waits for it.
  deployment.parameters["max-concurrency"] = 1;
  const RunRecord record = run(deployment, {request(18, sheddable), request(20, critical)});
  EXPECT_EQ(evicted(record), Rows{});
  EXPECT_EQ(record.requests.outcome[0], Outcome::completed);
  EXPECT_EQ(record.requests.outcome[1], Outcome::completed);
  EXPECT_GT(record.requests.phases[1].gateway, milliseconds(100));
}

// Room for one request in the cache, and the one in the wait queue can go too.
TEST(Eviction, frees_what_a_running_or_waiting_request_held) {
  Deployment deployment = one_instance(2);
  deployment.main().engine.total_kv_blocks = 7;
  deployment.main().engine.max_num_seqs = 1;
  const RunRecord record = run(deployment, {request(0, batch), request(1, background),
                                            request(20, critical), request(20, critical)});
  EXPECT_EQ(evicted(record), (Rows{0, 1}));
  EXPECT_EQ(record.requests.scheduling_delay[1], kNoDuration);  // it was waiting
  EXPECT_EQ(record.requests.outcome[2], Outcome::completed);
  EXPECT_EQ(record.requests.outcome[3], Outcome::completed);
  EXPECT_EQ(record.instances[0].preemptions, 0);
}

}  // namespace
}  // namespace plimsoll
