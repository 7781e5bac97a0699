#include "cluster/scorers/makers.h"

namespace plimsoll {
namespace {

class LoadBalance final : public Scorer {
 public:
  void score(const Request&, const InstanceViews& views, std::span<double> scores) override {
    for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = 1 / (1 + views.effective_load(i));
  }
  ViewNeeds needs() const override { return {.counters = true, .in_flight = true}; }
};

}  // namespace

std::unique_ptr<Scorer> make_load_balance(const Deployment&) {
  return std::make_unique<LoadBalance>();
}

}  // namespace plimsoll
