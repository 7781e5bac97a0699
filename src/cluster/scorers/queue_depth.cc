#include "cluster/scorers/makers.h"
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

std::unique_ptr<Scorer> make_queue_depth(const Deployment&) {
  return std::make_unique<QueueDepth>();
}

}  // namespace plimsoll
