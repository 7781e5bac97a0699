#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <memory>
#include <numeric>

#include "reference/case.h"
#include "reference/cluster.h"
#include "reference/product_run.h"

namespace plimsoll::reference {
namespace {

/// Collects what differs. Names come first in each line, then the product's value.
class Comparison {
 public:
  template <class T>
  void expect(const std::string& name, const T& product, const T& twin) {
    if (product != twin) text_ += fmt::format("{}: {} should be {}\n", name, product, twin);
  }
  /// Of request or instance number `of`.
  template <class T>
  void expect(const char* whose, std::int64_t of, const char* what, const T& product,
              const T& twin) {
    if (product != twin) expect(fmt::format("{} {} {}", whose, of, what), product, twin);
  }
  void expect_close(const std::string& name, double product, double twin, double tolerance = 1e-9) {
    if (std::abs(product - twin) > tolerance * std::max(1.0, std::abs(twin))) {
      expect(name, product, twin);
    }
  }
  void fail(const std::string& text) { text_ += text + "\n"; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// The product's row of each request; requests that arrive past the horizon may have none.
std::map<std::int64_t, std::size_t> rows_by_id(const RequestTable& table) {
  std::map<std::int64_t, std::size_t> rows;
  for (std::size_t row = 0; row < table.size(); ++row) rows[table.id[row]] = row;
  return rows;
}

/// The twin's parts are found one by one, so their sum is a check of the definitions, too.
void compare_breakdown(const Breakdown& product, const RequestResult& result, std::int64_t id,
                       Comparison* comparison) {
  const Breakdown& twin = result.breakdown;
  const auto expect = [&](const char* part, Duration value, Duration wanted) {
    comparison->expect("request", id, part, value.ns, wanted.ns);
    if (value < Duration{}) comparison->fail(fmt::format("request {} {} < 0", id, part));
  };
  expect("time in the gateway", product.gateway, twin.gateway);
  expect("time in the queue", product.queue, twin.queue);
  expect("time in prefill", product.prefill, twin.prefill);
  expect("wait for decode", product.decode_wait, twin.decode_wait);
  expect("transfer", product.transfer, twin.transfer);
  expect("queue for decode", product.decode_queue, twin.decode_queue);
  expect("prefill stall", product.prefill_stall, twin.prefill_stall);
  expect("time in decode", product.decode, twin.decode);
  expect("preemption loss", product.preemption, twin.preemption);
  if (is_completed(result.outcome)) expect("sum of the parts", twin.total(), result.e2e);
}

void compare_request(const RequestTable& table, std::size_t row, const Request& request,
                     const RequestResult& twin, Comparison* comparison) {
  const auto expect = [&](const char* what, std::int64_t product, std::int64_t wanted) {
    comparison->expect("request", request.id, what, product, wanted);
  };
  comparison->expect("request", request.id, "outcome", name_of(table.outcome[row]),
                     name_of(twin.outcome));
  expect("arrival", table.arrival[row].ns, request.arrival.ns);
  expect("input tokens", table.input_tokens[row], request.input_tokens);
  expect("output tokens", table.output_tokens[row], request.output_tokens);
  expect("instance", table.instance[row], twin.instance);
  expect("prefill instance", table.handoff[row].prefill_instance, twin.prefill_instance);
  expect("generated tokens", table.generated_tokens[row], twin.generated_tokens);
  expect("scheduling delay", table.scheduling_delay[row].ns, twin.scheduling_delay.ns);
  expect("ttft", table.ttft[row].ns, twin.ttft.ns);
  expect("e2e", table.e2e[row].ns, twin.e2e.ns);
  if (twin.outcome == Outcome::completed || twin.outcome == Outcome::length_capped) {
    Duration sum;
    for (const Duration gap : twin.itl) sum += gap;
    expect("itl sum", table.itl_sum[row].ns, sum.ns);
    expect("itl count", table.itl_count[row], std::ssize(twin.itl));
  }
  compare_breakdown(breakdown_of(table, row), twin, request.id, comparison);
}

double percentile_us(const std::vector<Duration>& sorted, double p) {
  if (sorted.empty()) return 0;
  const double rank = p / 100 * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double fraction = rank - static_cast<double>(below);
  return to_us(sorted[below]) + fraction * (to_us(sorted[above]) - to_us(sorted[below]));
}

void compare_instance(const InstanceRecord& product, const InstanceResult& result, int index,
                      bool exact_itl, Comparison* comparison) {
  const InstanceRecord& twin = result.counters;
  const auto expect = [&](const char* what, std::int64_t value, std::int64_t wanted) {
    comparison->expect("instance", index, what, value, wanted);
  };
  expect("completed", product.completed, twin.completed);
  expect("length capped", product.length_capped, twin.length_capped);
  expect("timed out", product.timed_out, twin.timed_out);
  expect("dropped", product.dropped, twin.dropped);
  expect("evicted", product.evicted, twin.evicted);
  expect("handed over", product.handed_over, twin.handed_over);
  expect("still queued", product.still_queued, twin.still_queued);
  expect("still running", product.still_running, twin.still_running);
  expect("input tokens", product.total_input_tokens, twin.total_input_tokens);
  expect("output tokens", product.total_output_tokens, twin.total_output_tokens);
  expect("preemptions", product.preemptions, twin.preemptions);
  expect("kv allocation failures", product.kv_allocation_failures, twin.kv_allocation_failures);
  expect("cache hit blocks", product.cache_hit_blocks, twin.cache_hit_blocks);
  expect("cache miss blocks", product.cache_miss_blocks, twin.cache_miss_blocks);
  expect("steps", product.steps, twin.steps);
  expect("prefill tokens", product.prefill_tokens, twin.prefill_tokens);
  expect("decode tokens", product.decode_tokens, twin.decode_tokens);
  expect("busy", product.busy.ns, twin.busy.ns);
  expect("prefill busy", product.prefill_busy.ns, twin.prefill_busy.ns);
  expect("prefill work", product.prefill_work.ns, twin.prefill_work.ns);
  expect("peak kv blocks", product.peak_kv_blocks, twin.peak_kv_blocks);
  expect("total kv blocks", product.total_kv_blocks, twin.total_kv_blocks);
  expect("batch request steps", product.batch_request_steps, twin.batch_request_steps);
  expect("queued request steps", product.queued_request_steps, twin.queued_request_steps);
  expect("short of blocks", product.short_of_blocks, twin.short_of_blocks);
  expect("short of places", product.short_of_places, twin.short_of_places);
  expect("short of tokens", product.short_of_tokens, twin.short_of_tokens);
  expect("short of turns", product.short_of_turns, twin.short_of_turns);
  expect("end", product.end.ns, twin.end.ns);
  const auto expect_close = [&](const std::string& what, double value, double wanted) {
    comparison->expect_close(fmt::format("instance {} {}", index, what), value, wanted);
  };
  expect_close("kv block us", static_cast<double>(product.kv_block_us),
               static_cast<double>(result.kv_block_ns) / 1e3);

  std::vector<Duration> gaps = result.itl;
  for (Duration& gap : gaps) gap = microseconds(gap.ns / 1000);  // as ItlHistogram counts them
  std::sort(gaps.begin(), gaps.end());
  expect("itl count", product.itl.count(), std::ssize(gaps));
  Duration sum;
  for (const Duration gap : gaps) sum += gap;
  if (!gaps.empty()) {
    expect_close("itl mean", product.itl.mean_us(), to_us(sum) / static_cast<double>(gaps.size()));
  }
  for (const double p : {0.0, 37.0, 50.0, 90.0, 99.0, 100.0}) {
    const double wanted = percentile_us(gaps, p);
    const double tolerance = exact_itl ? 1e-9 : 1e-3;
    comparison->expect_close(fmt::format("instance {} itl p{}", index, p),
                             product.itl.percentile_us(p), wanted, tolerance);
  }
}

void compare_transfers(const TransferRecord& product, const TransferRecord& twin,
                       Comparison* comparison) {
  comparison->expect("transfers begun", product.begun, twin.begun);
  comparison->expect("transfers ended", product.ended, twin.ended);
  comparison->expect("transfers given up", product.given_up, twin.given_up);
  comparison->expect("time of transfers", product.time.ns, twin.time.ns);
  comparison->expect("most transfers", product.most_at_once, twin.most_at_once);
  comparison->expect("transfers at starts", product.under_way_at_starts, twin.under_way_at_starts);
  comparison->expect_close("bytes sent", product.bytes.sent, twin.bytes.sent);
  comparison->expect_close("bytes received", product.bytes.received, twin.bytes.received);
  const auto sum = [](const std::vector<double>& all) {
    return std::accumulate(all.begin(), all.end(), 0.0);
  };
  comparison->expect_close("begun bytes of all ports", sum(product.begun_at_port),
                           sum(twin.begun_at_port));
  comparison->expect_close("begun bytes in the network", product.begun_whole, twin.begun_whole);
}

// With steps of their own for each pool: of one for prefill half as long again, of a fast pool
// shorter than of a slow one.
Deployment deployment_of(const Case& scenario) {
  Deployment deployment = scenario.deployment;
  for (Pool& pool : deployment.pools) {
    LinearModel model = scenario.model;
    if (!pool.answers()) model.step *= 1.5;
    model.step /= pool.speed;
    pool.step_time = std::make_shared<LinearModel>(model);
  }
  return deployment;
}

}  // namespace

std::string differences(const Case& scenario) {
  const std::vector<Request> requests = requests_of(scenario);
  const Deployment deployment = deployment_of(scenario);
  const ProductRun product = run_product(scenario, deployment, requests);
  const RequestTable& table = product.record.requests;
  const std::map<std::int64_t, std::size_t> rows = rows_by_id(table);

  Comparison comparison;
  // Which of several equally loaded instances is a draw: any of them is right.
  const auto first_answer = static_cast<int>(deployment.num_prefill_instances());
  const TieBreak follow_product = [&](std::size_t request, const std::vector<int>& tied,
                                      bool for_prompt) {
    const auto row = rows.find(static_cast<std::int64_t>(request));
    int drawn = -1;
    if (row != rows.end()) {
      const int prefill = table.handoff[row->second].prefill_instance;
      const int instance = table.instance[row->second];
      // A prompt whose token is the whole answer is of the instance for prefill.
      const bool ends_there = prefill < 0 && instance < first_answer;
      drawn = !for_prompt ? instance - first_answer : ends_there ? instance : prefill;
      if (!for_prompt && ends_there) return tied.front();
    }
    if (std::find(tied.begin(), tied.end(), drawn) != tied.end()) return drawn;
    comparison.fail(
        fmt::format("request {} went to instance {}, which was not among the least "
                    "loaded",
                    request, drawn));
    return tied.front();
  };
  const Time horizon = horizon_of(scenario);
  const Record twin = simulate(deployment, scenario.semantics, requests, horizon, follow_product);

  std::int64_t finished = twin.rejected_admission + twin.rejected_routing + twin.gateway_losses;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const auto row = rows.find(requests[i].id);
    if (row != rows.end()) {
      compare_request(table, row->second, requests[i], twin.requests[i], &comparison);
    } else if (requests[i].arrival <= horizon) {
      comparison.fail(fmt::format("request {} has no row", requests[i].id));
    }
  }
  comparison.expect("rows", table.size(), rows.size());
  comparison.expect("instances", product.record.instances.size(), twin.instances.size());
  if (product.record.instances.size() != twin.instances.size()) return comparison.text();
  for (std::size_t i = 0; i < twin.instances.size(); ++i) {
    compare_instance(product.record.instances[i], twin.instances[i], static_cast<int>(i),
                     scenario.semantics.exact_itl_counts, &comparison);
    const InstanceRecord& counters = twin.instances[i].counters;
    finished += counters.completed + counters.timed_out + counters.dropped + counters.evicted;
  }
  compare_transfers(product.record.transfers, twin.transfers, &comparison);
  comparison.expect("rejected by admission", product.record.rejected_admission,
                    twin.rejected_admission);
  comparison.expect("rejected by routing", product.record.rejected_routing, twin.rejected_routing);
  comparison.expect("finished so far", product.progress.finished, finished);
  return comparison.text();
}

}  // namespace plimsoll::reference
