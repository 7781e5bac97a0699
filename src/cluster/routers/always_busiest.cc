#include "cluster/router.h"

namespace plimsoll {
namespace {

/// The first one of equals: everything goes to one instance, for a policy to be compared with.
class AlwaysBusiest final : public Router {
 public:
  std::size_t route(const Request&, const InstanceViews& views) override {
    std::size_t busiest = 0;
    for (std::size_t i = 1; i < views.size(); ++i) {
      if (views.effective_load(i) > views.effective_load(busiest)) busiest = i;
    }
    return busiest;
  }
  ViewNeeds needs() const override { return {.counters = true, .in_flight = true}; }
};

}  // namespace

RouterRow always_busiest_router() {
  return {"always-busiest",
          "the instance with the most requests (to study bad routing)",
          {},
          made<Router, AlwaysBusiest>};
}

}  // namespace plimsoll
