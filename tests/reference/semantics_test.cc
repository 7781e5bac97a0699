// What do the differences between the two semantics change? The smallest runs that show it.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "cluster/simulation.h"
#include "reference/linear_model.h"

namespace plimsoll::reference {
namespace {

class ListSource final : public RequestSource {
 public:
  explicit ListSource(std::vector<Request> requests) : requests_(std::move(requests)) {}
  bool next(Request* request) override {
    if (position_ == requests_.size()) return false;
    *request = requests_[position_++];
    return true;
  }

 private:
  std::vector<Request> requests_;
  std::size_t position_ = 0;
};

Request request(std::int64_t id, std::int64_t arrival_us, std::int32_t input, std::int32_t output) {
  Request r;
  r.id = id;
  r.arrival = Time{} + microseconds(arrival_us);
  r.input_tokens = input;
  r.output_tokens = output;
  r.own_content = static_cast<std::uint64_t>(1000 + id);
  return r;
}

/// Steps of 1,000 us and 10 us for each prefill token.
Deployment roomy_deployment(std::int64_t blocks = 1000) {
  Deployment d;
  d.main().engine.total_kv_blocks = blocks;
  auto model = std::make_shared<LinearModel>();
  model->per_decode_request = 0;
  d.main().step_time = model;
  return d;
}

RunRecord run_deployment(const Deployment& d, RequestSource& source, const Semantics& semantics) {
  SimulationOptions options;
  options.semantics = semantics;
  Simulation simulation(d, source, options);
  simulation.advance();
  return simulation.take_record();
}

RunRecord run_deployment(const Deployment& d, std::vector<Request> requests,
                         const Semantics& semantics) {
  ListSource source(std::move(requests));
  return run_deployment(d, source, semantics);
}

double us(Duration d) { return to_us(d); }

/// Vllm with one behaviour as the reference has it.
Semantics but(bool Semantics::*field, bool value) {
  Semantics s = Semantics::vllm();
  s.*field = value;
  return s;
}

TEST(Semantics, asynchronous_scheduling_adds_a_step_to_the_first_token) {
  // One long request keeps the engine stepping; short ones come at random moments in its steps.
  const auto mean_ttft_in_steps = [](const Semantics& semantics) {
    Deployment d = roomy_deployment(10'000);
    auto model = std::make_shared<LinearModel>();
    model->per_prefill_token = 0;
    model->per_decode_request = 0;
    d.main().step_time = model;
    std::vector<Request> requests{request(0, 0, 16, 100'000)};
    for (std::int64_t i = 1; i < 2000; ++i)
      requests.push_back(request(i, 40'000 * i + i / 2, 16, 2));
    const RunRecord record = run_deployment(d, std::move(requests), semantics);
    double sum = 0;
    for (std::size_t i = 1; i < 2000; ++i) sum += us(record.requests.ttft[i]) / 1000;
    return sum / 1999;
  };
  EXPECT_NEAR(mean_ttft_in_steps(Semantics::vllm()), 2.5, 0.02);
  EXPECT_NEAR(mean_ttft_in_steps(but(&Semantics::asynchronous_scheduling, false)), 1.5, 0.02);
}

TEST(Semantics, a_drained_instance_is_busy_until_its_step_ends) {
  const std::vector<Request> requests{request(0, 0, 100, 1), request(1, 100, 100, 1)};
  EXPECT_EQ(us(run_deployment(roomy_deployment(), requests, Semantics::vllm()).requests.ttft[1]),
            3900);
  EXPECT_EQ(us(run_deployment(roomy_deployment(), requests, Semantics::blis()).requests.ttft[1]),
            2000);
}

TEST(Semantics, gaps_are_the_times_between_tokens) {
  // A token costs 300 us after its step: the reference adds them to every gap.
  Deployment d = roomy_deployment();
  auto model = std::make_shared<LinearModel>();
  model->per_decode_request = 0;
  model->output_token = 300;
  d.main().step_time = model;
  const std::vector<Request> requests{request(0, 0, 10, 11)};
  EXPECT_EQ(us(run_deployment(d, requests, Semantics::vllm()).requests.itl_sum[0]), 10'000);
  EXPECT_EQ(us(run_deployment(d, requests, Semantics::blis()).requests.itl_sum[0]), 13'000);
}

TEST(Semantics, a_prompt_that_is_cached_whole_computes_its_last_block) {
  const std::vector<PrefixSegment> prefix{{7, 32}};
  std::vector<Request> requests{request(0, 0, 32, 1), request(1, 100'000, 32, 1)};
  for (Request& r : requests) r.prefix = prefix;
  const RunRecord vllm = run_deployment(roomy_deployment(), requests, Semantics::vllm());
  EXPECT_EQ(us(vllm.requests.ttft[1]), 1000 + 16 * 10);
  EXPECT_EQ(vllm.instances[0].cache_hit_blocks, 1);
  const RunRecord blis = run_deployment(roomy_deployment(), requests, Semantics::blis());
  EXPECT_EQ(us(blis.requests.ttft[1]), 1000);
  EXPECT_EQ(blis.instances[0].cache_hit_blocks, 0);
}

TEST(Semantics, a_new_prefill_attends_to_what_is_cached) {
  Deployment d = roomy_deployment();
  auto model = std::make_shared<LinearModel>();
  model->per_prefill_context = 1;
  d.main().step_time = model;
  const std::vector<PrefixSegment> prefix{{7, 64}};
  std::vector<Request> requests{request(0, 0, 80, 1), request(1, 100'000, 80, 1)};
  for (Request& r : requests) r.prefix = prefix;
  EXPECT_EQ(us(run_deployment(d, requests, Semantics::vllm()).requests.ttft[1]),
            1000 + 16 * 10 + 64);
  EXPECT_EQ(us(run_deployment(d, requests, but(&Semantics::cached_tokens_are_context, false))
                   .requests.ttft[1]),
            1000 + 16 * 10);
}

TEST(Semantics, a_preempted_request_goes_on_where_it_was) {
  // Six blocks of 16 tokens: two requests of 40 + 40 tokens do not fit side by side.
  const std::vector<Request> requests{request(0, 0, 40, 40), request(1, 0, 40, 40)};
  const RunRecord vllm = run_deployment(roomy_deployment(6), requests, Semantics::vllm());
  const RunRecord blis = run_deployment(roomy_deployment(6), requests, Semantics::blis());
  EXPECT_EQ(vllm.instances[0].preemptions, 1);
  EXPECT_EQ(blis.instances[0].preemptions, 1);
  EXPECT_EQ(us(vllm.requests.ttft[1]), 1800);  // the first token stays the first
  EXPECT_GT(us(blis.requests.ttft[1]), 20'000);
  EXPECT_EQ(vllm.instances[0].decode_tokens, 2 * 39 - 1);  // one came out of the second prefill
  EXPECT_GT(blis.instances[0].decode_tokens, 2 * 39);      // tokens were generated twice
  EXPECT_EQ(vllm.requests.scheduling_delay[1], Duration{});
}

TEST(Semantics, a_request_that_can_never_fit_is_refused) {
  std::vector<Request> requests{request(0, 0, 40, 100)};
  EXPECT_EQ(run_deployment(roomy_deployment(4), requests, Semantics::vllm()).requests.outcome[0],
            Outcome::dropped);
  requests[0].deadline = Time{} + seconds(1);  // without it the reference would not end
  const RunRecord blis = run_deployment(roomy_deployment(4), requests, Semantics::blis());
  EXPECT_EQ(blis.requests.outcome[0], Outcome::timed_out);
  EXPECT_GT(blis.instances[0].preemptions, 10);
}

TEST(Semantics, prefix_caching_can_be_turned_off) {
  Deployment d = roomy_deployment();
  d.main().engine.prefix_caching = false;
  const std::vector<PrefixSegment> prefix{{7, 64}};
  std::vector<Request> requests{request(0, 0, 80, 1), request(1, 100'000, 80, 1)};
  for (Request& r : requests) r.prefix = prefix;
  const RunRecord record = run_deployment(d, requests, Semantics::vllm());
  EXPECT_EQ(record.requests.ttft[0], record.requests.ttft[1]);
  EXPECT_EQ(record.instances[0].cache_hit_blocks, 0);
}

}  // namespace
}  // namespace plimsoll::reference
