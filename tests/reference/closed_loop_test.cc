// Is a closed loop what it says: does every request follow the answer before it, and is its result
// the one that the same requests get when they simply arrive at those times?
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "cluster/simulation.h"
#include "reference/case.h"
#include "reference/product_run.h"
#include "reference/random_case.h"
#include "workload/clients_source.h"

namespace plimsoll::reference {
namespace {

struct Loop {
  std::size_t users = 1;
  std::vector<Duration> think_times;  ///< by request
  bool accumulate = false;            ///< prompts begin with all before, answers included
  bool states_reaction_time = true;
};

/// The first request of each user arrives as it says, the others follow the one before, whatever
/// became of it. Request i is of user i % users.
class LoopSource final : public RequestSource {
 public:
  LoopSource(const std::vector<Request>& requests, Loop loop)
      : requests_(requests), loop_(std::move(loop)) {}

  bool next(Request* request) override {
    if (position_ == std::min(loop_.users, requests_.size())) return false;
    *request = prepared(position_++, 0);
    return true;
  }

  bool reacts() const override { return true; }
  Duration reaction_time() const override {
    const auto shortest = std::min_element(loop_.think_times.begin(), loop_.think_times.end());
    return loop_.states_reaction_time ? *shortest : Duration{};
  }

  bool follow_up(const Departure& departure, Request* request) override {
    const auto index = static_cast<std::size_t>(departure.tags.round);
    const std::size_t next = index + loop_.users;
    const Request& before = given_[index];
    *request = prepared(next, departure.at.ns - requests_[next].arrival.ns);
    request->arrival = departure.at + loop_.think_times[next];
    request->deadline = request->deadline + loop_.think_times[next];
    departures_[next] = departure.at;
    if (loop_.accumulate && departure.completed) {
      std::int64_t own = before.input_tokens + departure.generated_tokens;
      std::vector<PrefixSegment>& path = paths_.emplace_back();
      path.assign(before.prefix.begin(), before.prefix.end());
      for (const PrefixSegment& segment : path) own -= segment.tokens;
      path.push_back({before.own_content, own});
      for (const PrefixSegment& segment : path) {
        request->input_tokens += static_cast<std::int32_t>(segment.tokens);
      }
      request->prefix = path;
    }
    given_[next] = *request;
    return true;
  }

  /// When the request before was done, by RequestTags::round.
  const std::vector<Time>& departures() const { return departures_; }

 private:
  Request prepared(std::size_t index, std::int64_t later_ns) {
    Request request = requests_[index];
    request.id = -1;
    request.arrival.ns += later_ns;
    if (request.deadline != kNever) request.deadline.ns += later_ns;
    request.awaited = index + loop_.users < requests_.size();
    request.reusable = loop_.accumulate;
    request.tags.round = static_cast<std::int32_t>(index);
    given_[index] = request;
    return request;
  }

  const std::vector<Request>& requests_;
  const Loop loop_;
  std::size_t position_ = 0;
  std::vector<Request> given_ = std::vector<Request>(requests_.size());
  std::vector<Time> departures_ = std::vector<Time>(requests_.size());
  std::deque<std::vector<PrefixSegment>> paths_;
};

class Recording final : public RequestSource, public ArrivalLog {
 public:
  void arrived(const Request& request) override { requests.push_back(request); }
  bool next(Request* request) override {
    if (position_ == requests.size()) return false;
    *request = requests[position_++];
    request->awaited = false;
    return true;
  }
  std::vector<Request> requests;

 private:
  std::size_t position_ = 0;
};

RunRecord run(const Case& scenario, const Deployment& deployment, RequestSource& source,
              ArrivalLog* log) {
  SimulationOptions options;
  options.semantics = scenario.semantics;
  options.horizon = horizon_of(scenario);
  options.arrival_log = log;
  Simulation simulation(deployment, source, options);
  AdvanceLimit limit;
  if (scenario.drive == Drive::by_time) {
    for (limit.time = Time{}; !simulation.advance(limit) && limit.time < Time{} + seconds(10);) {
      limit.time = limit.time + microseconds(scenario.drive_step_us);
    }
  }
  if (scenario.drive == Drive::by_requests) {
    for (limit.requests = 0; limit.requests < std::ssize(scenario.requests); ++limit.requests) {
      simulation.advance(limit);
    }
  }
  simulation.advance();
  return simulation.take_record();
}

void assert_equal(const RunRecord& a, const RunRecord& b) {
  RC_ASSERT(a.requests.arrival == b.requests.arrival);
  RC_ASSERT(a.requests.outcome == b.requests.outcome);
  RC_ASSERT(a.requests.instance == b.requests.instance);
  RC_ASSERT(a.requests.input_tokens == b.requests.input_tokens);
  RC_ASSERT(a.requests.generated_tokens == b.requests.generated_tokens);
  RC_ASSERT(a.requests.scheduling_delay == b.requests.scheduling_delay);
  RC_ASSERT(a.requests.ttft == b.requests.ttft);
  RC_ASSERT(a.requests.e2e == b.requests.e2e);
  RC_ASSERT(a.requests.itl_sum == b.requests.itl_sum);
  RC_ASSERT(a.rejected_admission == b.rejected_admission);
  for (std::size_t i = 0; i < a.instances.size(); ++i) {
    RC_ASSERT(a.instances[i].steps == b.instances[i].steps);
    RC_ASSERT(a.instances[i].busy == b.instances[i].busy);
    RC_ASSERT(a.instances[i].preemptions == b.instances[i].preemptions);
    RC_ASSERT(a.instances[i].cache_hit_blocks == b.instances[i].cache_hit_blocks);
    RC_ASSERT(a.instances[i].kv_block_us == b.instances[i].kv_block_us);
  }
}

/// A case whose requests share no content but what the loop gives them, and that ends.
Case pick_loop_case(const Semantics& semantics) {
  Case scenario = pick_case(semantics, kSmall);
  for (CaseRequest& request : scenario.requests) {
    std::erase_if(request.prefix, [](const PrefixSegment& s) { return s.content >= 1000; });
  }
  if (scenario.horizon_us < 0) scenario.horizon_us = 2'000'000;
  return scenario;
}

Loop pick_loop(std::size_t requests) {
  Loop loop;
  loop.users = *rc::gen::inRange<std::size_t>(1, 8);
  const std::int64_t least = *rc::gen::element<std::int64_t>(0, 0, 100, 5000);
  for (std::size_t i = 0; i < requests; ++i) {
    loop.think_times.push_back(microseconds(least + *rc::gen::inRange<std::int64_t>(0, 3000)));
  }
  loop.accumulate = *rc::gen::arbitrary<bool>();
  return loop;
}

void expect_loops_to_hold(const Semantics& semantics) {
  const auto property = [&] {
    const Case scenario = *rc::gen::exec([&] { return pick_loop_case(semantics); });
    if (scenario.requests.empty()) return;
    Deployment deployment = scenario.deployment;
    for (Pool& pool : deployment.pools)
      pool.step_time = std::make_shared<LinearModel>(scenario.model);
    const std::vector<Request> requests = requests_of(scenario);
    Loop loop = pick_loop(requests.size());

    LoopSource closed(requests, loop);
    Recording recording;
    const RunRecord record = run(scenario, deployment, closed, &recording);
    for (std::size_t row = 0; row < record.requests.size(); ++row) {
      const auto index = static_cast<std::size_t>(record.requests.round[row]);
      if (index < loop.users) continue;
      const Time departure = closed.departures()[index];
      const Duration late = record.requests.arrival[row] - (departure + loop.think_times[index]);
      RC_ASSERT(late == Duration{} ||
                (late == nanoseconds(1) && loop.think_times[index] == Duration{}));
      // The row of the request before: there is one, and its client was done then.
      const auto& rounds = record.requests.round.values();
      const auto before = static_cast<std::size_t>(
          std::find(rounds.begin(), rounds.end(), static_cast<std::int32_t>(index - loop.users)) -
          rounds.begin());
      RC_ASSERT(before < row);
      if (record.requests.e2e[before] != kNoDuration && semantics.clients_wait_for_last_token) {
        RC_ASSERT(departure == record.requests.arrival[before] + record.requests.e2e[before]);
      }
    }

    // Open loop: the same requests at the same times.
    const RunRecord open = run(scenario, deployment, recording, nullptr);
    assert_equal(record, open);

    // Neither the promised reaction time nor the way of driving changes anything.
    loop.states_reaction_time = false;
    Case stepwise = scenario;
    stepwise.drive = scenario.drive == Drive::at_once ? Drive::by_time : Drive::at_once;
    LoopSource again(requests, loop);
    assert_equal(record, run(stepwise, deployment, again, nullptr));
  };
  EXPECT_EQ(counterexample(1500, property), "");
}

TEST(ClosedLoop, does_it_equal_the_open_loop_of_its_arrivals_in_vllm) {
  expect_loops_to_hold(Semantics::vllm());
}

TEST(ClosedLoop, does_it_equal_the_open_loop_of_its_arrivals_in_blis) {
  expect_loops_to_hold(Semantics::blis());
}

/// Users of constant requests on instances with constant steps of 10 ms.
RunRecord run_users(std::int64_t users, Duration think, std::int64_t requests,
                    std::int32_t instances, std::int64_t max_num_seqs = 256) {
  LinearModel model;
  model.step = 10'000;
  model.per_prefill_token = 0;
  model.per_decode_request = 0;
  Deployment deployment;
  deployment.main().num_instances = instances;
  deployment.main().engine.total_kv_blocks = 100'000;
  deployment.main().engine.max_num_seqs = max_num_seqs;
  deployment.main().step_time = std::make_shared<LinearModel>(model);
  WorkloadSpec spec;
  spec.num_requests = requests;
  ClientSpec& client = spec.clients.emplace_back();
  client.concurrency = users;
  client.think_time = think;
  client.input = ConstantLength{100};
  client.output = ConstantLength{5};
  ClientsSource source(spec, {});
  SimulationOptions options;
  Simulation simulation(deployment, source, options);
  simulation.advance();
  return simulation.take_record();
}

TEST(ClosedLoop, does_a_lone_user_send_one_request_per_service_and_think_time) {
  // Prefill and four decodes: 50 ms. X = 1 / (S + Z).
  const RunRecord record = run_users(1, milliseconds(150), 20, 1);
  ASSERT_EQ(record.requests.size(), 20u);
  for (std::size_t i = 0; i < record.requests.size(); ++i) {
    EXPECT_EQ(record.requests.e2e[i], milliseconds(50));
    EXPECT_EQ(record.requests.arrival[i], Time{} + milliseconds(200) * static_cast<int>(i));
  }
}

TEST(ClosedLoop, are_never_more_requests_in_flight_than_users) {
  for (const std::int32_t instances : {1, 3}) {
    const RunRecord record = run_users(7, milliseconds(20), 500, instances);
    ASSERT_EQ(record.requests.size(), 500u);  // exactly as many as asked for
    std::vector<std::pair<Time, int>> changes;
    for (std::size_t i = 0; i < record.requests.size(); ++i) {
      changes.emplace_back(record.requests.arrival[i], 1);
      changes.emplace_back(record.requests.arrival[i] + record.requests.e2e[i], -1);
    }
    std::sort(changes.begin(), changes.end());
    int in_flight = 0;
    for (const auto& [at, change] : changes) EXPECT_LE(in_flight += change, 7);
  }
}

TEST(ClosedLoop, does_throughput_keep_within_the_bounds_of_queueing_theory) {
  // One request at a time, D = 50 ms: X <= min(U / (D + Z), 1 / D), and at least U / (U D + Z)
  // (Denning and Buzen 1978).
  for (const std::int64_t users : {1, 2, 5, 10, 40}) {
    const Duration think = milliseconds(200);
    const RunRecord record = run_users(users, think, 2000, 1, 1);
    Time end;
    for (std::size_t i = 0; i < record.requests.size(); ++i) {
      end = std::max(end, record.requests.arrival[i] + record.requests.e2e[i]);
    }
    const double throughput = 2000 / to_seconds(end);
    const auto u = static_cast<double>(users);
    EXPECT_LE(throughput, 1.01 * std::min(u / 0.25, 1 / 0.05)) << users;
    EXPECT_GE(throughput, 0.99 * u / (0.05 * u + 0.2)) << users;
  }
}

}  // namespace
}  // namespace plimsoll::reference
