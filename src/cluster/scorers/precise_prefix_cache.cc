#include "cluster/scorer.h"
#include "cluster/scorers/relative.h"

namespace plimsoll {
namespace {

class PrecisePrefixCache final : public Scorer {
 public:
  void score(const Request&, const InstanceViews& views, std::span<double> scores) override {
    greatest_is_best(views.cached_blocks, scores);
  }
  ViewNeeds needs() const override { return {.cached_blocks = true}; }
};

}  // namespace

ScorerRow precise_prefix_cache_scorer() {
  return {"precise-prefix-cache",
          "most leading prompt blocks in the KV cache, as last reported",
          {},
          made<Scorer, PrecisePrefixCache>};
}

}  // namespace plimsoll
