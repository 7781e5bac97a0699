// Which pool is short and which idle, in words: what metrics/pools.h found.
#include <cmath>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "report/answer/reasons.h"

namespace plimsoll {
namespace {

std::string fullness_text(const Pools& pools) {
  std::vector<std::string> parts = mapped(pools.pools, [](const PoolFigures& f) {
    return fmt::format("{} {} full", f.name, percent(f.fullness));
  });
  return join(parts, ", ");
}

std::string tried_text(const TriedDivision& tried) {
  const std::string what = fmt::format("{} for prefill and {} for decode", tried.division.prefill,
                                       tried.division.decode);
  const std::string ttft = "TTFT p99 " + ms_or_s(tried.ttft_p99_ms / 1000);
  switch (tried.verdict) {
    case SteadyVerdict::steady:
      return fmt::format("{}, tried with the same requests, hold them at {}", what, ttft);
    case SteadyVerdict::overloaded:
      return fmt::format("{}, tried with the same requests, do not hold them either", what);
    default:
      return fmt::format("{}, tried with the same requests, have {} so far", what, ttft);
  }
}

// More of one kind in place of the other, where that would be another deployment. Of several pools
// of a side it would not say which.
std::string trade_text(const Pools& pools) {
  if (pools.tried) return tried_text(*pools.tried);
  if (pools.shares()) return {};
  const Division now = division_of(pools);
  const Division even = divide(pools, now.prefill + now.decode);
  if (now.prefill == even.prefill || !has_room(pools, even))
    return fmt::format("no other split of these {} instances has room", now.prefill + now.decode);
  const auto fullness = [](double load, std::int64_t among) {
    return percent(load / static_cast<double>(among));
  };
  return fmt::format("at this load {} for prefill and {} for decode would be {} and {} full{}",
                     even.prefill, even.decode, fullness(pools.prefill_load, even.prefill),
                     fullness(pools.decode_load, even.decode),
                     even.decode < now.decode ? ", at a longer TPOT" : "");
}

std::string short_names(const Pools& pools) {
  std::vector<std::string> names;
  for (const PoolFigures& f : pools.pools) {
    if (f.is_short) names.push_back(f.name);
  }
  return join(names, ", ") + (names.size() == 1 ? " is" : " are");
}

// The reason for the verdict on pools that share the requests.
std::string reason_of_shared(const Pools& pools) {
  const std::string full = fullness_text(pools);
  switch (pools.verdict) {
    case PoolVerdict::uneven:
      return fmt::format("{} short while others have room ({})", short_names(pools), full);
    case PoolVerdict::all_short:
      return fmt::format("all are short ({}): more instances are needed", full);
    case PoolVerdict::idle:
      return fmt::format("all have room ({})", full);
    default:
      return fmt::format("none is short ({})", full);
  }
}

}  // namespace

std::string deployed_text(const std::vector<PoolSize>& pools) {
  std::int64_t prefill = 0;
  std::int64_t answering = 0;
  for (const PoolSize& pool : pools) {
    (pool.role == PoolRole::prefill ? prefill : answering) += pool.instances;
  }
  if (prefill > 0) {
    return fmt::format("{} for prefill and {} for decode", counted(prefill, "instance"), answering);
  }
  const auto parts = mapped(pools, [](const PoolSize& pool) {
    return fmt::format("{} {}", grouped(pool.instances), pool.name);
  });
  return fmt::format("{} ({})", counted(answering, "instance"), join(parts, " + "));
}

std::string deployed_text(const Pools& pools) {
  return deployed_text(mapped(pools.pools, [](const PoolFigures& f) {
    return PoolSize{f.name, f.role, f.instances};
  }));
}

std::string_view name_of(PoolVerdict verdict) {
  constexpr std::string_view kNames[]{"balanced",   "prefill short", "decode short", "both short",
                                      "link short", "idle",          "uneven",       "all short"};
  return kNames[static_cast<std::size_t>(verdict)];
}

std::string link_name(const TransferFigures& link) {
  if (link.is_network) return "the network between them";
  return link.have_own_links ? "the link of " + link.pool : "the link between them";
}

std::string shortage_text(const Pools& pools) {
  if (!pools.split || pools.verdict == PoolVerdict::uneven) return reason_of_shared(pools);
  if (pools.verdict == PoolVerdict::link_short) {
    return fmt::format("{} is short ({} of {} GB/s, {})", link_name(pools.transfers),
                       percent(std::fmin(1, pools.transfers.utilization)),
                       three_digits(pools.transfers.gb_per_s), fullness_text(pools));
  }
  constexpr std::string_view kWhich[8]{
      "neither is short", "prefill is short", "decode is short", "both are short", "",
      "both have room"};
  return fmt::format("{} ({})", kWhich[static_cast<std::size_t>(pools.verdict)],
                     fullness_text(pools));
}

std::string reason_text(const Pools& pools) {
  const std::string text = shortage_text(pools);
  const std::string trade = trade_text(pools);
  switch (pools.verdict) {
    case PoolVerdict::prefill_short:
    case PoolVerdict::decode_short:
      return trade.empty() ? text : text + ": " + trade;
    case PoolVerdict::both_short:
      return text + ": more instances are needed" + (trade.empty() ? "" : "; " + trade);
    case PoolVerdict::idle: {
      const Division now = division_of(pools);
      const bool has_fewer = !pools.split || now.prefill + now.decode > 2;
      return has_fewer ? text + ": fewer instances could carry the load" : text;
    }
    default:
      return text;
  }
}

}  // namespace plimsoll
