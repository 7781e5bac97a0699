#include <algorithm>

#include "cluster/scorers/makers.h"

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

std::unique_ptr<Scorer> make_active_requests(const Deployment&) {
  return std::make_unique<ActiveRequests>();
}

}  // namespace plimsoll
