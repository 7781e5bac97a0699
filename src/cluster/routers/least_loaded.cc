#include "cluster/routers/makers.h"
#include "cluster/routers/random_tie.h"

namespace plimsoll {
namespace {

class LeastLoaded final : public Router {
 public:
  explicit LeastLoaded(std::uint64_t seed) : tie_(seed) {}

  std::size_t route(const Request&, const InstanceViews& views) override {
    room_.resize(views.size());
    for (std::size_t i = 0; i < room_.size(); ++i) room_[i] = -views.effective_load(i);
    return tie_.greatest(room_);
  }
  ViewNeeds needs() const override { return {.counters = true, .in_flight = true}; }

 private:
  RandomTie tie_;
  std::vector<double> room_;
};

}  // namespace

std::unique_ptr<Router> make_least_loaded(const Deployment&, std::uint64_t seed) {
  return std::make_unique<LeastLoaded>(seed);
}

}  // namespace plimsoll
