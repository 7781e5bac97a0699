#include "forecast/headroom/lost.h"

#include <algorithm>

#include "base/numbers.h"
#include "planner/estimate.h"

namespace plimsoll {
namespace {

class Losing {
 public:
  Losing(const Served& served, const std::vector<Flow>& flows, const TokenLoadOptions& options)
      : pools_(served.system.deployment.pools), splits_(served.system.deployment.splits()) {
    for (const Pool& pool : pools_) left_.push_back(pool.num_instances);
    rates_.assign(pools_.size(), 1);
    if (served.has_pools()) {
      const auto shape = token_shape(token_load(flows, LoadGrowth::rate, options));
      const Duration gap = strictest_gap(served.system.slos);
      for (std::size_t i = 0; shape && i < pools_.size(); ++i)
        rates_[i] = estimate_pool(pools_[i], splits_, *shape, gap).rate_rps;
    }
    before_ = rate();
  }

  /// One after the other, each from the pool without which least is served.
  void lose(std::int64_t count) {
    for (; count > 0 && rate() > 0; --count) {
      std::size_t worst = pools_.size();
      double least = 0;
      for (std::size_t i = 0; i < pools_.size(); ++i) {
        if (left_[i] == 0) continue;
        left_[i] -= 1;
        if (worst == pools_.size() || rate() < least) {
          worst = i;
          least = rate();
        }
        left_[i] += 1;
      }
      left_[worst] -= 1;
    }
  }

  void lose_zone(std::int64_t zones) {
    for (std::int64_t& n : left_) n -= ceil_div(n, zones);
  }

  /// The regions are numbered from those with more instances on.
  void keep_region(std::int64_t regions, std::int64_t number) {
    for (std::int64_t& n : left_) n = n / regions + (number < n % regions ? 1 : 0);
  }

  const std::vector<std::int64_t>& instances() const { return left_; }

  Left left(Served served) const {
    if (rate() <= 0) return {};
    std::vector<Pool>& pools = served.system.deployment.pools;
    for (std::size_t i = 0; i < pools.size(); ++i)
      pools[i].num_instances = static_cast<std::int32_t>(left_[i]);
    std::erase_if(pools, [](const Pool& pool) { return pool.num_instances == 0; });
    return {std::move(served), rate() / before_};
  }

 private:
  double rate() const {
    double answers = 0;
    double prompts = 0;
    for (std::size_t i = 0; i < pools_.size(); ++i)
      (pools_[i].answers() ? answers : prompts) += static_cast<double>(left_[i]) * rates_[i];
    return splits_ ? std::min(answers, prompts) : answers;
  }

  const std::vector<Pool>& pools_;
  bool splits_;
  std::vector<double> rates_;  ///< of an instance of each pool
  std::vector<std::int64_t> left_;
  double before_ = 0;
};

// A region without an instance of each pool sends its requests to others.
std::int64_t regions_served(std::int64_t regions, const Served& served) {
  for (const Pool& pool : served.system.deployment.pools)
    regions = std::min(regions, std::int64_t{pool.num_instances});
  return regions;
}

}  // namespace

Left left_after(const Loss& loss, const Served& served, const std::vector<Flow>& flows,
                const TokenLoadOptions& options) {
  Losing losing(served, flows, options);
  if (loss.kind == LossKind::instances) losing.lose(loss.count);
  if (loss.kind == LossKind::zones) losing.lose_zone(loss.count);
  if (loss.kind == LossKind::regions) losing.keep_region(loss.count, loss.count - 1);
  return losing.left(served);
}

std::vector<LeftParts> parts_after(const Loss& loss, const Served& served,
                                   const std::vector<Flow>& flows,
                                   const TokenLoadOptions& options) {
  if (loss.kind != LossKind::regions) return {{left_after(loss, served, flows, options), 1}};
  const std::int64_t regions = regions_served(loss.count, served);
  std::vector<LeftParts> parts;
  std::vector<std::int64_t> last;
  for (std::int64_t number = 1; number < regions; ++number) {
    Losing losing(served, flows, options);
    losing.keep_region(regions, number);
    if (!parts.empty() && losing.instances() == last) {
      parts.back().count += 1;
      continue;
    }
    last = losing.instances();
    parts.push_back({losing.left(served), 1});
  }
  return parts;
}

}  // namespace plimsoll
