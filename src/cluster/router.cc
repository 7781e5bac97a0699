#include "cluster/router.h"

#include <vector>

#include "base/hash.h"

namespace plimsoll {
namespace {

class RoundRobin final : public Router {
 public:
  std::size_t route(const Request&, std::span<const InstanceView> instances) override {
    return decisions_++ % instances.size();
  }
  bool reads_views() const override { return false; }

 private:
  std::uint64_t decisions_ = 0;
};

class LeastLoaded final : public Router {
 public:
  explicit LeastLoaded(std::uint64_t seed) : seed_(seed) {}

  std::size_t route(const Request&, std::span<const InstanceView> instances) override {
    tied_.clear();
    std::int64_t least = 0;
    for (std::size_t i = 0; i < instances.size(); ++i) {
      const std::int64_t load = instances[i].effective_load();
      if (tied_.empty() || load < least) {
        tied_.clear();
        least = load;
      }
      if (load == least) tied_.push_back(i);
    }
    return tied_[mix64(seed_, decisions_++) % tied_.size()];
  }

 private:
  std::uint64_t seed_;
  std::uint64_t decisions_ = 0;
  std::vector<std::size_t> tied_;
};

}  // namespace

std::unique_ptr<Router> make_router(RouterPolicy policy, std::uint64_t seed) {
  if (policy == RouterPolicy::least_loaded) return std::make_unique<LeastLoaded>(seed);
  return std::make_unique<RoundRobin>();
}

}  // namespace plimsoll
