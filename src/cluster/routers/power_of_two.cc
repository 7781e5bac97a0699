// Two choices at random, the better of which is taken: nearly as even as looking at all instances,
// and no herd runs to the same one between two snapshots (Mitzenmacher, "The power of two choices
// in randomized load balancing", IEEE TPDS 12(10), 2001).
#include "cluster/router.h"
#include "random/stream.h"

namespace plimsoll {
namespace {

class PowerOfTwo final : public Router {
 public:
  PowerOfTwo(const Parameters&, const Deployment&, std::uint64_t seed) : seed_(seed) {}

  std::size_t route(const Request&, const InstanceViews& views) override {
    RandomStream draws(seed_, Purpose::routing, decisions_++);
    const std::size_t n = views.size();
    const std::size_t first = draws.bits() % n;
    if (n == 1) return first;
    const std::size_t second = (first + 1 + draws.bits() % (n - 1)) % n;
    return views.load_for_speed(second) < views.load_for_speed(first) ? second : first;
  }
  ViewNeeds needs() const override { return {.counters = true, .in_flight = true}; }

 private:
  std::uint64_t seed_;
  std::uint64_t decisions_ = 0;
};

}  // namespace

RouterRow power_of_two_router() {
  return {"power-of-two",
          "the less loaded, for its speed, of two instances drawn at random",
          {},
          made<Router, PowerOfTwo>};
}

}  // namespace plimsoll
