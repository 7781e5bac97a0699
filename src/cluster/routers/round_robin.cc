// Requests go round: the k-th one to instance k mod n. Gateways that do not know of each other go
// round each by itself, from where its own last request went; which of them has a request is
// chance.
#include "cluster/router.h"
#include "random/stream.h"

namespace plimsoll {
namespace {

constexpr const char* kGateways = "gateways";

class RoundRobin final : public Router {
 public:
  RoundRobin(const Parameters& parameters, const Deployment&, std::uint64_t seed)
      : seed_(seed), sent_(static_cast<std::size_t>(parameters[kGateways])) {
    RandomStream draws(seed_, Purpose::routing, 0);
    if (sent_.size() == 1) return;
    for (std::uint64_t& sent : sent_) sent = draws.bits();
  }

  std::size_t route(const Request&, const InstanceViews& views) override {
    return sent_[gateway()]++ % views.size();
  }

 private:
  std::size_t gateway() {
    if (sent_.size() == 1) return 0;
    return RandomStream(seed_, Purpose::routing, ++decisions_).bits() % sent_.size();
  }

  std::uint64_t seed_;
  std::vector<std::uint64_t> sent_;  ///< by gateway
  std::uint64_t decisions_ = 0;
};

}  // namespace

RouterRow round_robin_router() {
  return {"round-robin",
          "one instance after the other",
          {{kGateways, 1, {1, 10'000}, "N", "Gateways, each of which goes round by itself", true}},
          made<Router, RoundRobin>};
}

}  // namespace plimsoll
