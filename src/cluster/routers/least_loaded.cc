#include "cluster/router.h"
#include "cluster/routers/random_tie.h"

namespace plimsoll {
namespace {

class LeastLoaded final : public Router {
 public:
  LeastLoaded(const Parameters&, const Deployment&, std::uint64_t seed) : tie_(seed) {}

  std::size_t route(const Request&, const InstanceViews& views) override {
    room_.resize(views.size());
    for (std::size_t i = 0; i < room_.size(); ++i) room_[i] = -views.load_for_speed(i);
    return tie_.greatest(room_);
  }
  ViewNeeds needs() const override { return {.counters = true, .in_flight = true}; }

 private:
  RandomTie tie_;
  std::vector<double> room_;
};

}  // namespace

RouterRow least_loaded_router() {
  return {"least-loaded",
          "the instance with the fewest requests for its speed, as of the last snapshot",
          {},
          made<Router, LeastLoaded>};
}

}  // namespace plimsoll
