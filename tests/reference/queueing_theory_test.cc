// Does the simulator agree with queueing theory where theory has the answer? Long runs of the whole
// product, reduced to queues with closed forms.
#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "cluster/simulation.h"
#include "known_queue.h"
#include "reference/linear_model.h"

namespace plimsoll::reference {
namespace {

/// Poisson arrivals of requests with one output token.
class PoissonSource final : public RequestSource {
 public:
  PoissonSource(double rate_per_s, std::int64_t requests, test::Service prompts, double mean_input)
      : rate_(rate_per_s), left_(requests), prompts_(prompts), mean_input_(mean_input) {}

  bool next(Request* request) override {
    if (left_-- == 0) return false;
    now_s_ += draws_.exponential() / rate_;
    const double factor = prompts_ == test::Service::constant ? 1 : draws_.exponential();
    *request = {};
    request->id = left_;
    request->arrival = Time{static_cast<std::int64_t>(now_s_ * 1e9)};
    request->input_tokens = 1 + static_cast<std::int32_t>(mean_input_ * factor);
    request->output_tokens = 1;
    request->own_content = static_cast<std::uint64_t>(left_);
    return true;
  }

 private:
  test::Draws draws_{1};
  const double rate_;
  std::int64_t left_;
  const test::Service prompts_;
  const double mean_input_;
  double now_s_ = 0;
};

Deployment one_at_a_time(const LinearModel& model) {
  Deployment deployment;
  deployment.main().engine.max_num_seqs = 1;
  deployment.main().engine.max_num_batched_tokens = 10'000'000;
  deployment.main().engine.total_kv_blocks = 1'000'000;
  deployment.main().step_time = std::make_shared<LinearModel>(model);
  return deployment;
}

constexpr double kServiceSeconds = 0.01;

/// Mean wait for admission, in service times, at utilisation `rho`.
double mean_wait(const LinearModel& model, test::Service prompts, double rho) {
  constexpr std::int64_t kRequests = 500'000;
  PoissonSource source(rho / kServiceSeconds, kRequests, prompts, 10'000);
  Simulation simulation(one_at_a_time(model), source, {});
  simulation.advance();
  const RunRecord record = simulation.take_record();
  double sum = 0;
  for (const Duration delay : record.requests.scheduling_delay) sum += to_seconds(delay);
  return sum / static_cast<double>(kRequests) / kServiceSeconds;
}

LinearModel constant_service() {
  LinearModel model;
  model.step = kServiceSeconds * 1e6;
  model.per_prefill_token = 0;
  return model;
}

LinearModel service_by_prompt_length() {
  LinearModel model;
  model.step = 0;
  model.per_prefill_token = 1;  // a mean prompt of 10,000 tokens takes the mean service time
  return model;
}

/// Pollaczek and Khinchine.
TEST(QueueingTheory, is_the_wait_of_md1_right) {
  for (const double rho : {0.3, 0.7}) {
    const double expected = rho / (2 * (1 - rho));
    EXPECT_NEAR(mean_wait(constant_service(), test::Service::constant, rho), expected,
                0.02 * expected)
        << rho;
  }
}

TEST(QueueingTheory, is_the_wait_of_mm1_right) {
  for (const double rho : {0.3, 0.7}) {
    const double expected = rho / (1 - rho);
    EXPECT_NEAR(mean_wait(service_by_prompt_length(), test::Service::exponential, rho), expected,
                0.02 * expected)
        << rho;
  }
}

/// Prefill of `prefill_s` and answers of one step of `decode_s`, each for one request at a time.
Deployment tandem(double prefill_s, double decode_s) {
  Deployment deployment;
  deployment.pools.clear();
  for (const auto& [role, service_s] :
       {std::pair(PoolRole::prefill, prefill_s), std::pair(PoolRole::decode, decode_s)}) {
    LinearModel model;
    model.step = service_s * 1e6;
    model.per_prefill_token = 0;
    model.per_decode_request = 0;
    Pool pool = one_at_a_time(model).main();
    pool.role = role;
    deployment.pools.push_back(pool);
  }
  deployment.disaggregation.transfer.latency = {};
  return deployment;
}

/// Friedman (1965): in a row of queues with constant service times, a request waits as long in all
/// as it would at the slowest alone, wherever that stands. Each pool is busy for the rate times its
/// service time.
TEST(QueueingTheory, prefill_and_decode_apart_wait_as_at_the_slower_alone) {
  constexpr std::int64_t kRequests = 300'000;
  constexpr double kRho = 0.7;
  for (const auto& [prefill_s, decode_s] : {std::pair(0.01, 0.004), std::pair(0.004, 0.01)}) {
    PoissonSource source(kRho / 0.01, kRequests, test::Service::constant, 100);
    SimulationOptions options;
    options.semantics.asynchronous_scheduling = false;
    Simulation simulation(tandem(prefill_s, decode_s), source, options);
    simulation.advance();
    const RunRecord record = simulation.take_record();
    double e2e_s = 0;
    for (const Duration e2e : record.requests.e2e) e2e_s += to_seconds(e2e);
    const double wait_s = e2e_s / static_cast<double>(kRequests) - prefill_s - decode_s;
    const double expected = kRho / (2 * (1 - kRho)) * 0.01;
    EXPECT_NEAR(wait_s, expected, 0.02 * expected) << prefill_s;
    const double run_s = to_seconds(record.instances[1].end);
    EXPECT_NEAR(to_seconds(record.instances[0].busy) / run_s, kRho * prefill_s / 0.01, 0.005);
    EXPECT_NEAR(to_seconds(record.instances[1].busy) / run_s, kRho * decode_s / 0.01, 0.005);
  }
}

/// One long answer keeps the instance stepping; the rest of the requests come at random moments.
class BusyInstanceSource final : public RequestSource {
 public:
  bool next(Request* request) override {
    if (!started_) {
      started_ = true;
      *request = {};
      request->input_tokens = 1;
      request->output_tokens = 30'000'000;
      return true;
    }
    return visitors_.next(request);
  }

 private:
  bool started_ = false;
  PoissonSource visitors_{20, 100'000, test::Service::constant, 1};
};

/// Mean TTFT in steps, of requests that find the instance stepping.
double mean_ttft_in_steps(bool asynchronous) {
  LinearModel model;
  model.step = 10'000;
  model.per_prefill_token = 0;
  model.per_decode_request = 0;
  Deployment deployment = one_at_a_time(model);
  deployment.main().engine.max_num_seqs = 1000;
  deployment.main().engine.total_kv_blocks = 10'000'000;
  SimulationOptions options;
  options.semantics.asynchronous_scheduling = asynchronous;
  options.horizon = Time{} + seconds(4000);
  BusyInstanceSource source;
  Simulation simulation(deployment, source, options);
  simulation.advance();
  const RunRecord record = simulation.take_record();
  double sum = 0;
  double count = 0;
  for (std::size_t i = 1; i < record.requests.size(); ++i) {
    if (record.requests.ttft[i] == kNoDuration) continue;
    sum += to_ms(record.requests.ttft[i]) / 10;
    count += 1;
  }
  return sum / count;
}

TEST(QueueingTheory, how_many_steps_does_a_first_token_take_on_a_busy_instance) {
  EXPECT_NEAR(mean_ttft_in_steps(true), 2.5, 0.01);
  EXPECT_NEAR(mean_ttft_in_steps(false), 1.5, 0.01);
}

}  // namespace
}  // namespace plimsoll::reference
