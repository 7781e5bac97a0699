// Which pool is short and which idle, in words: what metrics/pools.h found.
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

// More of one kind in place of the other, where that would be another deployment.
std::string trade_text(const Pools& pools) {
  const Division now = division_of(pools);
  const Division even = divide(pools, now.prefill + now.decode);
  if (now.prefill == even.prefill) return "no other ratio of as many instances is more even";
  return fmt::format(
      "by the load of this run {} for prefill and {} for decode would be about equally full",
      even.prefill, even.decode);
}

}  // namespace

std::string deployed_text(const Division& d) {
  return fmt::format("{} for prefill and {} for decode", counted(d.prefill, "instance"), d.decode);
}

std::string_view name_of(PoolVerdict verdict) {
  switch (verdict) {
    case PoolVerdict::balanced:
      return "balanced";
    case PoolVerdict::prefill_short:
      return "prefill short";
    case PoolVerdict::decode_short:
      return "decode short";
    case PoolVerdict::both_short:
      return "both short";
    case PoolVerdict::idle:
      return "idle";
  }
  return "balanced";
}

std::string reason_text(const Pools& pools) {
  switch (pools.verdict) {
    case PoolVerdict::balanced:
      return "neither is short (" + fullness_text(pools) + ")";
    case PoolVerdict::prefill_short:
      return fmt::format("prefill is short ({}): {}", fullness_text(pools), trade_text(pools));
    case PoolVerdict::decode_short:
      return fmt::format("decode is short ({}): {}", fullness_text(pools), trade_text(pools));
    case PoolVerdict::both_short:
      return fmt::format("both are short ({}): more instances are needed; {}", fullness_text(pools),
                         trade_text(pools));
    case PoolVerdict::idle:
      return fmt::format("both have room ({}): by load alone, fewer instances would do",
                         fullness_text(pools));
  }
  return {};
}

}  // namespace plimsoll
