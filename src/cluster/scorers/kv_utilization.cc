#include "cluster/scorer.h"

namespace plimsoll {
namespace {

class KvUtilization final : public Scorer {
 public:
  void score(const Request&, const InstanceViews& views, std::span<double> scores) override {
    const std::vector<double>& used = views.kv_utilization;
    for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = 1 - used[i];
  }
  ViewNeeds needs() const override { return {.counters = true}; }
};

}  // namespace

ScorerRow kv_utilization_scorer() {
  return {"kv-utilization", "most free KV blocks", {}, made<Scorer, KvUtilization>};
}

}  // namespace plimsoll
