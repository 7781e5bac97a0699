#include "cluster/router.h"

namespace plimsoll {
namespace {

class RoundRobin final : public Router {
 public:
  std::size_t route(const Request&, const InstanceViews& views) override {
    return decisions_++ % views.size();
  }

 private:
  std::uint64_t decisions_ = 0;
};

}  // namespace

RouterRow round_robin_router() {
  return {"round-robin", "one instance after the other", {}, made<Router, RoundRobin>};
}

}  // namespace plimsoll
