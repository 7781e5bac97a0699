#include "cluster/scorers/makers.h"
#include "cluster/scorers/relative.h"

namespace plimsoll {
namespace {

class PrecisePrefixCache final : public Scorer {
 public:
  void score(const Request&, const InstanceViews& views, std::span<double> scores) override {
    greatest_is_best(views.cached_blocks, scores);
  }
  ViewNeeds needs() const override { return {.cached_blocks = true}; }
};

}  // namespace

std::unique_ptr<Scorer> make_precise_prefix_cache(const Deployment&) {
  return std::make_unique<PrecisePrefixCache>();
}

}  // namespace plimsoll
