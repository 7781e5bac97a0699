#include "cluster/pd_decider.h"

#include <algorithm>
#include <numeric>

namespace plimsoll {
namespace {

class AlwaysSplit final : public PdDecider {
 public:
  bool splits(std::int64_t, const InstanceViews&) override { return true; }
};

class NeverSplit final : public PdDecider {
 public:
  bool splits(std::int64_t, const InstanceViews&) override { return false; }
};

/// As in the reference.
class PrefixThreshold final : public PdDecider {
 public:
  explicit PrefixThreshold(const Parameters& p) : threshold_(p["pd-prefix-threshold"]) {}
  bool splits(std::int64_t uncached, const InstanceViews&) override {
    return static_cast<double>(uncached) > threshold_;
  }
  bool needs_cached_blocks() const override { return true; }

 private:
  double threshold_;
};

double shortest_queue(const InstanceViews& views) {
  return *std::ranges::min_element(views.queue_depth);
}

class PrefillQueue final : public PdDecider {
 public:
  explicit PrefillQueue(const Parameters& p) : longest_(p["pd-prefill-queue"]) {}
  bool splits(std::int64_t, const InstanceViews& prefills) override {
    return shortest_queue(prefills) <= longest_;
  }
  ViewNeeds needs() const override { return {.counters = true}; }

 private:
  double longest_;
};

/// The conditional disaggregation of NVIDIA Dynamo: its router sends a prompt away if it is long
/// and the queue for prefills short (docs, "Disaggregated Serving": conditional disaggregation).
class ConditionalSplit final : public PdDecider {
 public:
  explicit ConditionalSplit(const Parameters& p)
      : local_(p["pd-max-local-prefill"]), queue_(p["pd-max-prefill-queue"]) {}
  bool splits(std::int64_t uncached, const InstanceViews& prefills) override {
    const double waiting =
        std::accumulate(prefills.queue_depth.begin(), prefills.queue_depth.end(), 0.0);
    return static_cast<double>(uncached) > local_ && waiting < queue_;
  }
  bool needs_cached_blocks() const override { return true; }
  ViewNeeds needs() const override { return {.counters = true}; }

 private:
  double local_;
  double queue_;
};

}  // namespace

const std::vector<PdDeciderRow>& pd_deciders() {
  static const std::vector<PdDeciderRow> rows{
      {"always", "every prompt goes to an instance for prefill", {}, made<PdDecider, AlwaysSplit>},
      {"never", "every prompt is computed by its decode instance", {}, made<PdDecider, NeverSplit>},
      {"prefix-threshold",
       "prompts with many tokens that the instance of the answer has not cached",
       {{"pd-prefix-threshold", 16, kAnyCount, "TOKENS",
         "Uncached prompt tokens above which prefix-threshold sends a prompt to a prefill instance",
         true}},
       made<PdDecider, PrefixThreshold>},
      {"prefill-queue",
       "every prompt while an instance for prefill has a short queue",
       {{"pd-prefill-queue", 2, kAnyCount, "N",
         "Longest queue of a prefill instance to which prefill-queue sends prompts", true}},
       made<PdDecider, PrefillQueue>},
      {"conditional",
       "as in Dynamo: long uncached prompts while few wait for a prefill",
       {{"pd-max-local-prefill", 1000, kAnyCount, "TOKENS",
         "Most uncached prompt tokens that conditional lets the decode instance compute", true},
        {"pd-max-prefill-queue", 2, kOneOrMore, "N",
         "Total requests waiting for prefill at which conditional stops sending prompts there",
         true}},
       made<PdDecider, ConditionalSplit>},
  };
  return rows;
}

std::unique_ptr<PdDecider> make_pd_decider(const Deployment& deployment) {
  return make_policy(pd_deciders(), deployment.disaggregation.decider, deployment.parameters);
}

}  // namespace plimsoll
