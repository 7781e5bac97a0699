#include "cluster/scorer.h"
#include "cluster/scorers/relative.h"

namespace plimsoll {
namespace {

class QueueDepth final : public Scorer {
 public:
  void score(const Request&, const InstanceViews& views, std::span<double> scores) override {
    least_is_best(views.queue_depth, scores);
  }
  ViewNeeds needs() const override { return {.counters = true}; }
};

}  // namespace

ScorerRow queue_depth_scorer() {
  return {"queue-depth",
          "fewest waiting requests, relative to the others",
          {},
          made<Scorer, QueueDepth>};
}

}  // namespace plimsoll
