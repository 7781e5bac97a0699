// Deployments whose answers are known, as planner/ sees them: an instance that serves one request
// at a time, in a time proportional to its prompt, or one that decodes at a constant pace.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>

#include "known_queue.h"
#include "planner/load_probe.h"
#include "reference/linear_model.h"

namespace plimsoll::test {

/// Poisson arrivals; prompts of 10,000 tokens in the mean, exponential; one token is the answer.
class PromptSource final : public RequestSource {
 public:
  /// May change each request, given its number.
  using Change = std::function<void(std::int64_t, Request*)>;

  PromptSource(double rate_rps, std::int64_t requests, std::uint64_t seed, Change change)
      : rate_rps_(rate_rps), left_(requests), draws_(seed), change_(std::move(change)) {}

  bool next(Request* request) override {
    if (number_ == left_) return false;
    now_s_ += draws_.exponential() / rate_rps_;
    *request = {};
    request->arrival = Time{static_cast<std::int64_t>(now_s_ * 1e9)};
    request->input_tokens = 1 + static_cast<std::int32_t>(kMeanPrompt * draws_.exponential());
    request->output_tokens = 1;
    request->own_content = static_cast<std::uint64_t>(number_);
    if (change_) change_(number_, request);
    ++number_;
    return true;
  }

 private:
  static constexpr double kMeanPrompt = 10'000;
  const double rate_rps_;
  const std::int64_t left_;
  Draws draws_;
  Change change_;
  std::int64_t number_ = 0;
  double now_s_ = 0;
};

constexpr double kServedPerSecond = 100;  // by an instance of single_servers()

/// M/M/1: TTFT is exponential with mean 1 / (100 - rate) seconds. Several of them take turns.
inline ProbedSystem single_servers(std::string_view slos, std::uint64_t seed = 1,
                                   const PromptSource::Change& change = {}) {
  reference::LinearModel model;
  model.step = 0;
  model.per_prefill_token = 1;
  ProbedSystem system;
  system.deployment.main().engine.max_num_seqs = 1;
  system.deployment.main().engine.max_num_batched_tokens = 10'000'000;
  system.deployment.main().engine.total_kv_blocks = 1'000'000;
  system.deployment.main().step_time = std::make_shared<reference::LinearModel>(model);
  if (!slos.empty()) system.slos = *parse_slos("--slo", slos);
  system.load = [seed, change](double rate_rps, std::int64_t requests) -> Result<Load> {
    Load load;
    load.source = std::make_unique<PromptSource>(rate_rps, requests, seed, change);
    return load;
  };
  return system;
}

/// TTFT of M/M/1 that the share p % keeps.
inline double known_percentile_ms(double rate_rps, double p) {
  return -1e3 * std::log(1 - p / 100) / (kServedPerSecond - rate_rps);
}

}  // namespace plimsoll::test
