// Do requests get from the instance of their prompt to the one that answers as they should: when,
// with which blocks, and what if it does not work out?
#include "cluster/handoffs.h"

#include <gtest/gtest.h>

#include <vector>

#include "cluster/simulation.h"
#include "engine/instance.h"
#include "reference/linear_model.h"

namespace plimsoll {
namespace {

class Requests final : public RequestSource {
 public:
  explicit Requests(std::vector<Request> requests) : requests_(std::move(requests)) {}
  bool next(Request* request) override {
    if (next_ == requests_.size()) return false;
    *request = requests_[next_++];
    return true;
  }

 private:
  std::vector<Request> requests_;
  std::size_t next_ = 0;
};

Request request_of(std::int64_t arrival_us, std::int32_t input, std::int32_t output) {
  Request request;
  request.arrival = Time{} + microseconds(arrival_us);
  request.input_tokens = input;
  request.output_tokens = output;
  request.own_content = 1'000 + static_cast<std::uint64_t>(arrival_us);
  return request;
}

Pool pool_of(PoolRole role, double step_us) {
  reference::LinearModel model;
  model.step = step_us;
  model.per_prefill_token = 0;
  model.per_decode_request = 0;
  Pool pool;
  pool.role = role;
  pool.engine.total_kv_blocks = 1'000;
  pool.step_time = std::make_shared<reference::LinearModel>(model);
  pool.kv.bytes_per_token = 1'000;
  return pool;
}

/// A prompt takes 1000 us, each token of an answer 100 us, a transfer of 16 tokens 16 + 4 us.
Deployment one_and_one() {
  Deployment deployment;
  deployment.pools = {pool_of(PoolRole::prefill, 1'000), pool_of(PoolRole::decode, 100)};
  deployment.disaggregation.transfer.gb_per_s = 1;
  deployment.disaggregation.transfer.latency = microseconds(4);
  return deployment;
}

/// One block, which a prompt of 8 tokens and an answer of 9 fill; 500 us a token.
Pool slow_answers() {
  Pool pool = pool_of(PoolRole::decode, 500);
  pool.engine.total_kv_blocks = 1;
  return pool;
}

RunRecord run_fleet(const Deployment& deployment, std::vector<Request> requests,
                    Semantics semantics = Semantics::vllm()) {
  Requests source(std::move(requests));
  SimulationOptions options;
  options.semantics = semantics;
  Simulation simulation(deployment, source, options);
  simulation.advance();
  return simulation.take_record();
}

std::int64_t us(Duration d) { return d.ns / 1000; }

TEST(Handoffs, the_first_token_comes_from_whoever_is_told_to_make_it) {
  Deployment deployment = one_and_one();
  const RunRecord by_decode = run_fleet(deployment, {request_of(0, 16, 5)});
  EXPECT_EQ(us(by_decode.requests.ttft[0]), 1000 + 20 + 100);
  EXPECT_EQ(us(by_decode.requests.e2e[0]), 1000 + 20 + 500);
  EXPECT_EQ(by_decode.requests.itl_count[0], 4);
  EXPECT_EQ(us(by_decode.requests.itl_sum[0]), 400);

  deployment.disaggregation.first_token_by_prefill = true;
  const RunRecord by_prefill = run_fleet(deployment, {request_of(0, 16, 5)});
  EXPECT_EQ(us(by_prefill.requests.ttft[0]), 1000);
  EXPECT_EQ(us(by_prefill.requests.e2e[0]), 1000 + 20 + 400);
  EXPECT_EQ(by_prefill.requests.itl_count[0], 4);
  EXPECT_EQ(us(by_prefill.requests.itl_sum[0]), 420);  // the first gap has the transfer in it
}

TEST(Handoffs, whoever_has_its_whole_answer_goes_nowhere) {
  Deployment deployment = one_and_one();
  deployment.disaggregation.first_token_by_prefill = true;
  const RunRecord record = run_fleet(deployment, {request_of(0, 16, 1)});
  EXPECT_EQ(us(record.requests.e2e[0]), 1000);
  EXPECT_EQ(record.requests.instance[0], 0);
  EXPECT_EQ(record.requests.handoff[0].prefill_instance, -1);
  EXPECT_EQ(record.transfers.begun, 0);
}

// A prompt that leaves room for one token, which the instance for prefill makes, is not sent to
// wait for more blocks than there are.
TEST(Handoffs, a_prompt_as_long_as_the_cache_is_answered_where_it_is_computed) {
  Deployment deployment = one_and_one();
  deployment.disaggregation.first_token_by_prefill = true;
  EngineConfig& answering = deployment.pools[1].engine;
  answering.total_kv_blocks = 4;
  for (const std::int64_t longest : {64, 65}) {
    for (Pool& pool : deployment.pools) pool.engine.max_model_len = longest;
    const auto input = static_cast<std::int32_t>(longest) - 1;
    const RunRecord record = run_fleet(deployment, {request_of(0, input, 5)});
    EXPECT_TRUE(is_completed(record.requests.outcome[0])) << longest;
    EXPECT_EQ(us(record.requests.e2e[0]), 1000) << longest;
    EXPECT_EQ(record.transfers.begun, 0) << longest;
  }
}

// A burst of n prompts is served one after the other; an answer that is shorter than a prompt never
// meets another one.
TEST(Handoffs, with_constant_times_are_two_queues_in_a_row) {
  Deployment deployment = one_and_one();
  deployment.pools[0].engine.max_num_seqs = 1;
  Semantics semantics;
  semantics.asynchronous_scheduling = false;
  const std::vector<Request> burst(5, request_of(0, 16, 5));
  const RunRecord record = run_fleet(deployment, burst, semantics);
  for (std::int64_t i = 0; i < 5; ++i) {
    EXPECT_EQ(us(record.requests.e2e[static_cast<std::size_t>(i)]), 1000 * (i + 1) + 20 + 500);
  }

  // Answers that are longer and need all blocks there are: the second queue is the slower one, and
  // each prompt waits for room until the answer before is done.
  deployment.pools[1] = slow_answers();
  const RunRecord slow = run_fleet(deployment, {5, request_of(0, 8, 9)}, semantics);
  for (std::int64_t i = 0; i < 5; ++i) {
    EXPECT_EQ(us(slow.requests.e2e[static_cast<std::size_t>(i)]), 1000 + (i + 1) * (20 + 4500));
  }
  EXPECT_EQ(us(slow.requests.handoff[4].wait), 4 * 4520 - 4 * 1000);
}

// Two blocks on the side of the prompts: the third prompt waits until the first one has arrived,
// and the fourth until the second one has, which waits for the first answer.
TEST(Handoffs, prompts_keep_their_blocks_until_they_have_arrived) {
  Deployment deployment = one_and_one();
  deployment.pools[0].engine.total_kv_blocks = 2;
  deployment.pools[1] = slow_answers();
  Semantics semantics;
  semantics.asynchronous_scheduling = false;
  const RunRecord record = run_fleet(deployment, {4, request_of(0, 8, 9)}, semantics);
  EXPECT_EQ(record.instances[0].peak_kv_blocks, 2);
  EXPECT_EQ(us(record.requests.scheduling_delay[1]), 0);
  EXPECT_EQ(us(record.requests.scheduling_delay[2]), 1000 + 20);
  EXPECT_EQ(us(record.requests.scheduling_delay[3]), 1000 + 20 + 4500 + 20);
}

// The first step of an answer to 17 tokens fills a block, which its prompt alone does not need. Two
// that have come without it would hold both blocks, and neither could begin.
TEST(Handoffs, a_prompt_that_has_come_can_begin_to_be_answered) {
  Deployment deployment = one_and_one();
  deployment.pools[1].engine.total_kv_blocks = 2;
  const RunRecord record = run_fleet(deployment, {2, request_of(0, 17, 2)});
  EXPECT_EQ(record.requests.outcome[0], Outcome::completed);
  EXPECT_EQ(record.requests.outcome[1], Outcome::completed);
  EXPECT_EQ(record.instances[1].peak_kv_blocks, 2);
}

// Five blocks are not enough for two prompts of three each beside an answer of two, but are as soon
// as one has brought the prefix that they share: in the midst of a step.
TEST(Handoffs, a_prompt_waits_for_room_only_until_its_prefix_has_come) {
  Deployment deployment = one_and_one();
  deployment.pools[1].engine.total_kv_blocks = 7;
  Semantics semantics;
  semantics.asynchronous_scheduling = false;
  std::vector<Request> requests{request_of(0, 20, 12), request_of(1, 33, 2), request_of(2, 33, 2)};
  const std::vector<PrefixSegment> prefix{{7, 32}};
  requests[1].prefix = prefix;
  requests[2].prefix = prefix;
  const RunRecord record = run_fleet(deployment, requests, semantics);
  EXPECT_EQ(us(record.requests.handoff[1].transfer), 48 + 4);
  EXPECT_EQ(us(record.requests.handoff[2].wait), 48 + 4);
  EXPECT_EQ(us(record.requests.handoff[2].transfer), 16 + 4);
}

TEST(Handoffs, whoever_is_taken_back_makes_room_at_once) {
  const Pool pool = slow_answers();
  const std::vector<Request> requests{request_of(0, 8, 9), request_of(1, 8, 9)};
  RequestTable rows;
  for (const Request& request : requests) rows.add(request);
  Instance answers(pool.engine, *pool.step_time, Semantics::vllm(), kNever, rows);
  const Time start = Time{} + microseconds(10);
  const Instance::Slot first = answers.expect_prompt(requests[0], 0, start, false, start);
  answers.prompt_arrived(first, start);
  answers.run_next_event(start, start);
  std::vector<HandoffNotice> notices;
  answers.take_handoffs(&notices);
  const Time later = start + microseconds(1);  // in the midst of a step
  answers.expect_prompt(requests[1], 1, later, false, later);
  EXPECT_FALSE(answers.has_handoffs());
  EXPECT_TRUE(answers.evict(0, later));
  answers.take_handoffs(&notices);
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_EQ(notices[0].kind, HandoffNotice::Kind::has_room);
  EXPECT_EQ(notices[0].row, 1U);
}

TEST(Handoffs, prefixes_that_are_there_already_are_not_sent) {
  Deployment deployment = one_and_one();
  const std::vector<PrefixSegment> prefix{{7, 64}};
  std::vector<Request> requests{request_of(0, 80, 2), request_of(10'000, 80, 2)};
  for (Request& request : requests) request.prefix = prefix;
  const RunRecord record = run_fleet(deployment, requests);
  EXPECT_EQ(us(record.requests.handoff[0].transfer), 80 + 4);
  EXPECT_EQ(us(record.requests.handoff[1].transfer), 16 + 4);
  EXPECT_EQ(record.transfers.bytes.sent, (80 + 16) * 1000.0);
}

TEST(Handoffs, of_layers_with_a_window_its_tokens_are_sent_and_of_states_one) {
  Deployment deployment = one_and_one();
  for (Pool& pool : deployment.pools) {
    pool.kv.windowed = {{32, 500}};
    pool.kv.bytes_per_request = 2'000;
  }
  const RunRecord record =
      run_fleet(deployment, {request_of(0, 16, 2), request_of(10'000, 160, 2)});
  EXPECT_EQ(us(record.requests.handoff[0].transfer), 16 + 8 + 2 + 4);
  EXPECT_EQ(us(record.requests.handoff[1].transfer), 160 + 16 + 2 + 4);
}

TEST(Handoffs, layer_by_layer_only_what_was_not_sent_meanwhile_remains) {
  Deployment deployment = one_and_one();
  KvTransfer& transfer = deployment.disaggregation.transfer;
  transfer.layerwise = true;
  transfer.layers = 8;
  const RunRecord fast = run_fleet(deployment, {request_of(0, 1'600, 2)});
  EXPECT_EQ(us(fast.requests.handoff[0].transfer), 1600 - 1000 + 4);  // slower than the prefill
  transfer.gb_per_s = 4;
  const RunRecord faster = run_fleet(deployment, {request_of(0, 1'600, 2)});
  EXPECT_EQ(us(faster.requests.handoff[0].transfer), 1600 / 4 / 8 + 4);
}

TEST(Handoffs, parts_of_a_request_add_up_and_its_counts_are_of_one_instance) {
  const RunRecord record = run_fleet(one_and_one(), {request_of(0, 16, 5), request_of(300, 32, 7)});
  EXPECT_EQ(record.instances[0].completed, 0);
  EXPECT_EQ(record.instances[0].handed_over, 2);
  EXPECT_EQ(record.instances[0].total_input_tokens, 48);
  EXPECT_EQ(record.instances[1].completed, 2);
  EXPECT_EQ(record.instances[1].total_input_tokens, 0);
  EXPECT_EQ(record.instances[1].total_output_tokens, 12);
  EXPECT_EQ(record.requests.instance[1], 1);
  EXPECT_EQ(record.requests.handoff[1].prefill_instance, 0);
}

// The second one can never be answered: it is refused at once, and nothing is computed for it.
TEST(Handoffs, what_can_never_fit_is_refused) {
  Deployment deployment = one_and_one();
  deployment.pools[1].engine.total_kv_blocks = 4;
  const RunRecord record = run_fleet(deployment, {request_of(0, 16, 5), request_of(1, 60, 6)});
  EXPECT_EQ(record.requests.outcome[0], Outcome::completed);
  EXPECT_EQ(record.requests.outcome[1], Outcome::dropped);
  EXPECT_EQ(record.requests.reason[1], Reason::kv_cache);
  EXPECT_EQ(record.instances[0].prefill_tokens, 16);
}

// A client that gives up while it waits for room or for its blocks gives all of them back, and has
// neither a first token nor a gap.
TEST(Handoffs, a_client_that_gives_up_on_the_way_leaves_nothing_behind) {
  Deployment deployment = one_and_one();
  deployment.disaggregation.transfer.gb_per_s = 0.001;  // 16 ms
  Request late = request_of(0, 16, 5);
  late.deadline = Time{} + microseconds(5'000);
  const RunRecord record = run_fleet(deployment, {late});
  EXPECT_EQ(record.requests.outcome[0], Outcome::timed_out);
  EXPECT_EQ(record.requests.ttft[0], kNoDuration);
  EXPECT_EQ(record.requests.itl_count[0], 0);
  EXPECT_EQ(record.transfers.begun, 1);
  EXPECT_EQ(record.transfers.given_up, 1);
  EXPECT_EQ(record.instances[1].timed_out, 1);
  EXPECT_EQ(record.instances[0].still_running + record.instances[1].still_running, 0);
}

}  // namespace
}  // namespace plimsoll
