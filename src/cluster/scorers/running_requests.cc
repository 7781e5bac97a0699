#include "cluster/scorer.h"
#include "cluster/scorers/relative.h"

namespace plimsoll {
namespace {

class RunningRequests final : public Scorer {
 public:
  void score(const Request&, const InstanceViews& views, std::span<double> scores) override {
    least_is_best(views.batch_size, scores);
  }
  ViewNeeds needs() const override { return {.counters = true}; }
};

}  // namespace

ScorerRow running_requests_scorer() {
  return {"running-requests",
          "fewest running requests, relative to the others",
          {},
          made<Scorer, RunningRequests>};
}

}  // namespace plimsoll
