#include "cluster/routers/makers.h"

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

std::unique_ptr<Router> make_round_robin(const Deployment&, std::uint64_t) {
  return std::make_unique<RoundRobin>();
}

}  // namespace plimsoll
