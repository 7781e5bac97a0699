#include "cluster/scorer.h"

namespace plimsoll {
namespace {

class LoadBalance final : public Scorer {
 public:
  void score(const Request&, const InstanceViews& views, std::span<double> scores) override {
    for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = 1 / (1 + views.effective_load(i));
  }
  ViewNeeds needs() const override { return {.counters = true, .in_flight = true}; }
};

}  // namespace

ScorerRow load_balance_scorer() {
  return {"load-balance",
          "fewest waiting, running and unfinished requests",
          {},
          made<Scorer, LoadBalance>};
}

}  // namespace plimsoll
