#include "cli/flag_rows.h"

namespace plimsoll {

void add_capacity_flags(std::vector<Flag>& all) {
  const Rows rows{all, FlagGroup::capacity};
  rows.add(
      "--slo", text(&Options::slo), "LIMITS",
      "What has to be kept: [CLASS:]METRIC_STATISTIC<TIME,... of ttft, tpot, itl and e2e, mean "
      "or any percentile, e.g. \"ttft_p99<500ms,tpot_p95<50ms\" [the queue must not grow]");
  rows.add("--min-instances", on_off(&Options::min_instances), "",
           "Find the fewest instances that hold --rate; so does --rate without --num-instances");
  rows.add("--precision", number(&Options::precision, {0.01, 50}), "PERCENT",
           "How far apart the largest rate that holds and the smallest that fails may be");
  rows.add("--headroom", number(&Options::headroom, {0, 1000}), "PERCENT",
           "Instances to keep beyond the fewest, for bursts and growth");
  rows.add("--most-requests", integer(&Options::most_requests, {1000, kMostRequests}), "N",
           "Longest run of a test; what is not clear by then stays unclear");
  rows.add("--check", on_off(&Options::check), "",
           "Exit with 1 if --num-instances do not hold --rate");
}

}  // namespace plimsoll
