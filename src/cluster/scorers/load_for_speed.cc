#include "cluster/scorer.h"
#include "cluster/scorers/relative.h"

namespace plimsoll {
namespace {

class LoadForSpeed final : public Scorer {
 public:
  void score(const Request&, const InstanceViews& views, std::span<double> scores) override {
    for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = views.load_for_speed(i);
    least_is_best(scores, scores);
  }
  ViewNeeds needs() const override { return {.counters = true, .in_flight = true}; }
};

}  // namespace

ScorerRow load_for_speed_scorer() {
  return {"load-for-speed",
          "fewest requests for the speed of the instance, relative to the others",
          {},
          made<Scorer, LoadForSpeed>};
}

}  // namespace plimsoll
