// The rule by which vLLM balances its data-parallel ranks.
#include "cluster/scorer.h"
#include "cluster/scorers/relative.h"

namespace plimsoll {
namespace {

class VllmDp final : public Scorer {
 public:
  void score(const Request&, const InstanceViews& views, std::span<double> scores) override {
    const std::vector<double>& waiting = views.queue_depth;
    const std::vector<double>& running = views.batch_size;
    for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = 4 * waiting[i] + running[i];
    least_is_best(scores, scores);
  }
  ViewNeeds needs() const override { return {.counters = true}; }
};

}  // namespace

ScorerRow vllm_dp_scorer() {
  return {"vllm-dp", "fewest running plus four times waiting requests", {}, made<Scorer, VllmDp>};
}

}  // namespace plimsoll
