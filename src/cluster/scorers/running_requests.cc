#include "cluster/scorers/makers.h"
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

std::unique_ptr<Scorer> make_running_requests(const Deployment&) {
  return std::make_unique<RunningRequests>();
}

}  // namespace plimsoll
