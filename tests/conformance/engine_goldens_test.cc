// Does the engine give what the public reference simulator was observed to give? A single instance
// in the reference's stand-alone loop, which stops only after the first event past the horizon.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "engine/instance.h"
#include "reference/goldens.h"

namespace plimsoll {
namespace {

using reference::GoldenResult;
using reference::GoldenTotals;
using reference::Json;

struct StandAlone {
  std::vector<GoldenResult> results;
  GoldenTotals totals;
  InstanceRecord record;
  std::int64_t used_blocks_at_end = 0;
};

StandAlone run_stand_alone(const EngineConfig& config, const StepTimeModel& model,
                           const std::vector<Request>& requests, Time horizon) {
  StandAlone out;
  RequestTable table;
  for (const Request& request : requests) table.add(request);
  Instance instance(config, model, Semantics::blis(), kNever, table);
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < requests.size(); ++i) order.push_back(i);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return requests[i].arrival; });

  InstanceRecord before;
  Time now;
  for (std::size_t next = 0; now <= horizon;) {
    const Time arrival = next < order.size() ? requests[order[next]].arrival : kNever;
    now = std::min(arrival, instance.next_event());
    if (now == kNever) break;
    if (arrival == now) {
      instance.inject(requests[order[next]], order[next], now);
      ++next;
      continue;
    }
    instance.run_next_event(now, Time{now.ns + 1});
    const InstanceRecord after = instance.record();
    if (after.steps > before.steps) {
      out.totals.batch_sizes.push_back(after.batch_request_steps - before.batch_request_steps);
      out.totals.queue_lengths.push_back(instance.queue_depth());
    }
    before = after;
  }
  out.record = instance.record();
  out.totals.sum = out.record;
  out.totals.sum.end = std::min(out.record.end, horizon);
  out.totals.kv_block_us = static_cast<double>(out.record.kv_block_us);
  out.used_blocks_at_end = instance.used_kv_blocks();
  for (std::size_t i = 0; i < requests.size(); ++i) {
    out.results.push_back({table.outcome[i], -1, table.scheduling_delay[i], table.ttft[i],
                           table.e2e[i], table.itl_sum[i], table.itl_count[i]});
  }
  return out;
}

TEST(EngineMatchesGoldens, in_every_case_of_a_single_instance) {
  int compared = 0;
  for (const Json& golden : reference::golden_cases("engine")) {
    const std::string name = golden.at("name");
    if (!reference::is_engine_feature(name)) continue;
    SCOPED_TRACE(name);
    reference::GoldenRequests requests = reference::read_requests(golden.at("requests"));
    for (Request& request : requests.requests) request.reusable = true;  // answers are asked again
    const Time horizon =
        golden.contains("horizon_us") ? reference::at_us(golden.at("horizon_us")) : kNever;
    const reference::LinearModel model = reference::read_model(golden);
    const StandAlone run =
        run_stand_alone(reference::read_engine(golden), model, requests.requests, horizon);
    const Json& expected = golden.at("expected");
    reference::expect_rows(expected.at("requests"), requests, run.results);
    reference::expect_totals(expected, run.totals);
    EXPECT_EQ(run.used_blocks_at_end, expected.at("final_used_blocks"));
    EXPECT_NEAR(run.record.itl.percentile_us(99) / 1e3, expected.at("itl_p99_ms").get<double>(),
                1e-9);
    EXPECT_EQ(run.record.itl.count(),
              static_cast<std::int64_t>(
                  expected.value("all_itls_sorted_us", std::vector<std::int64_t>{}).size()));
    ++compared;
  }
  if (compared == 0) GTEST_SKIP() << "no recorded runs of the reference here";
  EXPECT_EQ(compared, 35);
}

}  // namespace
}  // namespace plimsoll
