// Turns in proportion to speed, spread evenly: of instances three and one times as fast, three
// requests go to the first and one to the second, and never two in a row to the slow one. As nginx
// deals to weighted servers ("smooth weighted round robin"); instances that are all alike take
// turns as with round-robin.
#include <numeric>
#include <vector>

#include "cluster/router.h"

namespace plimsoll {
namespace {

class WeightedRoundRobin final : public Router {
 public:
  std::size_t route(const Request&, const InstanceViews& views) override {
    if (credit_.empty()) {
      credit_.resize(views.size());
      all_ = std::accumulate(views.speed.begin(), views.speed.end(), 0.0);
    }
    std::size_t next = 0;
    for (std::size_t i = 0; i < credit_.size(); ++i) {
      credit_[i] += views.speed[i];
      if (credit_[i] > credit_[next]) next = i;
    }
    credit_[next] -= all_;
    return next;
  }

 private:
  std::vector<double> credit_;  ///< what an instance is owed, in requests of the fastest one
  double all_ = 0;
};

}  // namespace

RouterRow weighted_round_robin_router() {
  return {"weighted-round-robin",
          "in turn, faster instances more often, in proportion to their speed",
          {},
          made<Router, WeightedRoundRobin>};
}

}  // namespace plimsoll
