#include <algorithm>

#include "cluster/scorer.h"

namespace plimsoll {
namespace {

class ActiveRequests final : public Scorer {
 public:
  void score(const Request&, const InstanceViews& views, std::span<double> scores) override {
    const std::vector<double>& active = views.in_flight;
    const double most = *std::max_element(active.begin(), active.end());
    for (std::size_t i = 0; i < scores.size(); ++i) {
      scores[i] = active[i] == 0 ? 1 : (most - active[i]) / most;
    }
  }
  ViewNeeds needs() const override { return {.in_flight = true}; }
};

}  // namespace

ScorerRow active_requests_scorer() {
  return {"active-requests",
          "fewest unfinished requests, relative to the others",
          {},
          made<Scorer, ActiveRequests>};
}

}  // namespace plimsoll
