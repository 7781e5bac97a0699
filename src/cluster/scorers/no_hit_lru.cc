// Spreads prompts that no KV cache knows: their prefixes then come to lie on different instances.
#include <algorithm>
#include <numeric>
#include <vector>

#include "cluster/scorer.h"

namespace plimsoll {
namespace {

class NoHitLru final : public Scorer {
 public:
  NoHitLru(const Parameters&, const Deployment& deployment)
      : order_(static_cast<std::size_t>(deployment.num_instances())) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
  }

  void score(const Request&, const InstanceViews& views, std::span<double> scores) override {
    const std::vector<double>& cached = views.cached_blocks;
    cold_ = std::all_of(cached.begin(), cached.end(), [](double blocks) { return blocks == 0; });
    if (!cold_) {
      std::fill(scores.begin(), scores.end(), 0.5);
      return;
    }
    const auto last = static_cast<double>(std::max<std::size_t>(order_.size() - 1, 1));
    for (std::size_t rank = 0; rank < order_.size(); ++rank) {
      scores[order_[rank]] = 1 - static_cast<double>(rank) / last;
    }
  }

  void routed(const Request&, const InstanceViews&, std::size_t instance) override {
    if (!cold_) return;
    const auto place = std::find(order_.begin(), order_.end(), instance);
    std::rotate(place, place + 1, order_.end());
  }

  ViewNeeds needs() const override { return {.cached_blocks = true}; }

 private:
  bool cold_ = false;               ///< the request being routed
  std::vector<std::size_t> order_;  ///< longest without a cold request first
};

}  // namespace

ScorerRow no_hit_lru_scorer() {
  return {
      "no-hit-lru",
      "if no KV cache has the prompt: the instance that has gone longest without such a request",
      {},
      made<Scorer, NoHitLru>};
}

}  // namespace plimsoll
