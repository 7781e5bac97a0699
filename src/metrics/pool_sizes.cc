// How many instances of each pool there should be, by the load of a run.
#include <algorithm>
#include <cmath>

#include "base/lists.h"
#include "metrics/pools.h"
#include "metrics/summary.h"

namespace plimsoll {
namespace {

// Where neither pool is short, what binds says which one answers would be faster with, or else the
// fuller one.
bool lacks_prefill(const Summary& summary) {
  const Pools& pools = summary.pools;
  if (pools.verdict == PoolVerdict::prefill_short) return true;
  if (pools.verdict == PoolVerdict::decode_short) return false;
  const ShortResource binds = summary.bottleneck.resource;
  if (binds == ShortResource::prefill_compute) return pools.computes_prompts_apart();
  if (binds == ShortResource::decode_bandwidth || binds == ShortResource::kv_memory) return false;
  const Division now = division_of(pools);
  return pools.prefill_load * static_cast<double>(now.decode) >
         pools.decode_load * static_cast<double>(now.prefill);
}

}  // namespace

Division divide(const Pools& pools, std::int64_t instances) {
  const double share = ratio_or_zero(pools.prefill_load, pools.prefill_load + pools.decode_load);
  const auto apart = static_cast<std::int64_t>(std::lround(share * static_cast<double>(instances)));
  const std::int64_t prefill = std::clamp<std::int64_t>(apart, 1, instances - 1);
  return {prefill, instances - prefill};
}

bool has_room(const Pools& pools, const Division& division) {
  return pools.prefill_load <= kFullPool * static_cast<double>(division.prefill) &&
         pools.decode_load <= kFullPool * static_cast<double>(division.decode);
}

std::optional<Division> better_division(const Pools& pools) {
  const bool one_is_short =
      pools.verdict == PoolVerdict::prefill_short || pools.verdict == PoolVerdict::decode_short;
  if (!one_is_short || pools.pools.size() != 2) return std::nullopt;
  const Division now = division_of(pools);
  const Division even = divide(pools, now.prefill + now.decode);
  if (now.prefill == even.prefill || !has_room(pools, even)) return std::nullopt;
  return even;
}

// A pool that has room stays as it is: what is short grows. As many instances that hold when they
// are divided in another way cost nothing.
Division division_that_may_hold(const Summary& summary) {
  const Pools& pools = summary.pools;
  if (pools.tried && pools.tried->verdict == SteadyVerdict::steady) return pools.tried->division;
  const Division now = division_of(pools);
  const auto enough = [](double load, std::int64_t instances) {
    return std::max(instances, static_cast<std::int64_t>(std::ceil(load / kFullPool)));
  };
  Division more{enough(pools.arriving_prefill_load, now.prefill),
                enough(pools.arriving_decode_load, now.decode)};
  if (more.prefill + more.decode > now.prefill + now.decode) return more;
  ++(lacks_prefill(summary) ? more.prefill : more.decode);
  return more;
}

Pools enlarged(Pools pools, std::int64_t instances) {
  const Division now = division_of(pools);
  const double factor = ratio_or_zero(instances, now.prefill + now.decode);
  for (PoolFigures& f : pools.pools) {
    f.instances = std::llround(std::ceil(factor * static_cast<double>(f.instances)));
  }
  return pools;
}

std::optional<Because<Remedy>> lever_of_pools(const Summary& summary) {
  const Pools& pools = summary.pools;
  if (pools.pools.empty()) return std::nullopt;
  if (pools.verdict == PoolVerdict::uneven && !pools.goes_by_speed) return Remedy::route_by_load;
  if (!pools.split) {
    const Pools larger = enlarged(pools, instances_that_may_hold(summary));
    return Because<Remedy>{Remedy::larger_fleet, total_of(larger.pools, &PoolFigures::instances),
                           std::ssize(summary.instances)};
  }
  const Division more = division_that_may_hold(summary);
  const Remedy remedy = pools.has_flags() ? Remedy::divided_instances : Remedy::divided_fleet;
  return Because<Remedy>{remedy, more.prefill, more.decode};
}

Division fewest_with_room(const Pools& pools) {
  const auto enough = [](double load) {
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(load / kFullPool)));
  };
  return {enough(pools.prefill_load), enough(pools.decode_load)};
}

}  // namespace plimsoll
