#include "cluster/routers/makers.h"

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

std::unique_ptr<Router> make_always_busiest(const Deployment&, std::uint64_t) {
  return std::make_unique<AlwaysBusiest>();
}

}  // namespace plimsoll
