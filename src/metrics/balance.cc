#include "metrics/balance.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace plimsoll {
namespace {

constexpr double kConcentratedJain = 0.8;  // as if a fifth of the instances got nothing
constexpr double kEnoughRequests = 10;     // per instance; fewer are uneven by chance

}  // namespace

Balance balance_of(const RunRecord& record) {
  std::vector<std::int64_t> routed(record.instances.size());
  for (const std::int32_t instance : record.requests.instance) {
    if (instance >= 0) ++routed[static_cast<std::size_t>(instance)];
  }
  Balance b;
  double squares = 0;
  for (const std::int64_t n : routed) {
    b.routed += n;
    squares += static_cast<double>(n) * static_cast<double>(n);
  }
  if (b.routed == 0) return b;
  const auto n = static_cast<double>(routed.size());
  const auto all = static_cast<double>(b.routed);
  const auto most = std::max_element(routed.begin(), routed.end());
  b.busiest = static_cast<std::size_t>(most - routed.begin());
  b.busiest_share = static_cast<double>(*most) / all;
  b.max_over_mean = b.busiest_share * n;
  b.jain = all * all / (n * squares);
  b.concentrated = b.jain < kConcentratedJain && all >= kEnoughRequests * n;
  return b;
}

std::string concentration_text(const Balance& b, std::size_t instances) {
  return fmt::format(
      "instance_{} got {} % of {} requests, {} times an even share of {} instances (Jain index {}; "
      "1 is even): the routing policy concentrates this traffic",
      b.busiest, three_digits(100 * b.busiest_share), grouped(b.routed),
      three_digits(b.max_over_mean), instances, three_digits(b.jain));
}

}  // namespace plimsoll
