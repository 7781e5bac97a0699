#include "validation/case_traffic.h"

#include <cmath>

#include "random/distributions.h"

namespace plimsoll {
namespace {

std::int32_t draw_length(const LengthRange& range, Purpose purpose, std::uint64_t seed,
                         std::int64_t i) {
  const std::int64_t values = range.most - range.least + 1;
  if (values == 1) return static_cast<std::int32_t>(range.least);
  const double u = RandomStream(seed, purpose, static_cast<std::uint64_t>(i)).uniform();
  return static_cast<std::int32_t>(range.least +
                                   static_cast<std::int64_t>(u * static_cast<double>(values)));
}

/// Request i takes prompt i of the cycle: what its group shares, then what it has of its own.
class PromptCycle {
 public:
  PromptCycle(const std::optional<SharedPrompts>& shared, std::int64_t input) : shared_(shared) {
    if (!shared) return;
    const std::int64_t system = std::min(shared->system_tokens, input);
    std::uint64_t contents = 0;
    for (std::int64_t group = 0; group < shared->groups; ++group) {
      const std::uint64_t system_content = shared_content(contents++);
      for (std::int64_t i = 0; i < shared->prompts_per_group; ++i) {
        segments_.push_back({system_content, system});
        segments_.push_back({shared_content(contents++), input - system});
      }
    }
  }

  void add_to(Workload* workload) const {
    const std::size_t i = workload->prefix_begin.size();
    const std::size_t prompts = segments_.size() / 2;
    workload->prefix_begin.push_back(prompts == 0 ? 0
                                                  : static_cast<std::uint32_t>(2 * (i % prompts)));
    workload->prefix_count.push_back(prompts == 0 ? 0 : 2);
  }
  std::vector<PrefixSegment> take_segments() { return std::move(segments_); }

 private:
  std::optional<SharedPrompts> shared_;
  std::vector<PrefixSegment> segments_;
};

class ClosedLoop final : public RequestSource {
 public:
  ClosedLoop(const CaseWorkload& spec, std::int64_t concurrency, std::int64_t num_requests,
             std::uint64_t seed)
      : spec_(spec), concurrency_(concurrency), num_requests_(num_requests), seed_(seed) {}

  bool next(Request* request) override {
    if (made_ >= concurrency_) return false;
    return make(Time{}, request);
  }
  bool reacts() const override { return true; }
  bool follow_up(const Departure& departure, Request* request) override {
    return make(departure.at, request);
  }

 private:
  bool make(Time arrival, Request* request) {
    if (made_ >= num_requests_) return false;
    *request = {};
    request->arrival = arrival;
    request->input_tokens = draw_length(spec_.input, Purpose::prompt_length, seed_, made_);
    request->output_tokens = draw_length(spec_.output, Purpose::output_length, seed_, made_);
    request->own_content = unique_content(static_cast<std::uint64_t>(made_));
    request->awaited = true;
    ++made_;
    return true;
  }

  const CaseWorkload& spec_;
  std::int64_t concurrency_;
  std::int64_t num_requests_;
  std::uint64_t seed_;
  std::int64_t made_ = 0;
};

}  // namespace

Workload draw_stages(const CaseWorkload& spec, std::uint64_t seed, std::vector<CaseStage>* stages) {
  Workload workload;
  PromptCycle prompts(spec.shared_prompts, spec.input.least);
  double start_s = 0;
  std::int64_t i = 0;
  for (CaseStage stage : spec.stages) {
    stage.first_request = i;
    double at_s = start_s;
    for (;; ++i) {
      RandomStream stream(seed, Purpose::arrival, static_cast<std::uint64_t>(i));
      at_s += draw_exponential(stream) / stage.rate_rps;
      if (at_s >= start_s + stage.duration_s) break;
      workload.arrival.push_back({std::llround(at_s * 1e9)});
      workload.input_tokens.push_back(draw_length(spec.input, Purpose::prompt_length, seed, i));
      workload.output_tokens.push_back(draw_length(spec.output, Purpose::output_length, seed, i));
      workload.id.push_back(i);
      prompts.add_to(&workload);
    }
    stage.num_requests = i - stage.first_request;
    stages->push_back(stage);
    start_s += stage.duration_s + spec.pause_between_stages_s;
  }
  workload.prefix_segments = prompts.take_segments();
  return workload;
}

std::unique_ptr<RequestSource> closed_loop(const CaseWorkload& spec, std::int64_t concurrency,
                                           std::int64_t num_requests, std::uint64_t seed) {
  return std::make_unique<ClosedLoop>(spec, concurrency, num_requests, seed);
}

}  // namespace plimsoll
