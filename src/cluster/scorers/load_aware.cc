#include <algorithm>

#include "cluster/scorer.h"

namespace plimsoll {
namespace {

class LoadAware final : public Scorer {
 public:
  void score(const Request&, const InstanceViews& views, std::span<double> scores) override {
    const std::vector<double>& waiting = views.queue_depth;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      scores[i] = 0.5 * (1 - std::min(waiting[i], kMost) / kMost);
    }
  }
  ViewNeeds needs() const override { return {.counters = true}; }

 private:
  static constexpr double kMost = 128;  ///< waiting requests; more are no worse
};

}  // namespace

ScorerRow load_aware_scorer() {
  return {"load-aware", "fewest waiting requests, up to 128", {}, made<Scorer, LoadAware>};
}

}  // namespace plimsoll
