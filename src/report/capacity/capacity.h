// How much a deployment can take, or how many instances a rate needs: verdict, evidence, what
// binds, how sure that is, what to try next.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "catalog/price.h"
#include "metrics/pools.h"
#include "planner/capacity_answer.h"
#include "planner/purchase.h"
#include "report/answer/decision.h"
#include "report/answer/next_steps.h"
#include "report/run/terminal.h"
#include "setup/run_config.h"

namespace plimsoll {

struct CapacityReport : CapacityAnswer {
  bool tests_may_grow = true;  ///< false: the traffic is finite, all of it is in every test
  /// The sizes of several pools: all of their instances, or those of a group where `fewest` counts;
  /// and `gpus_per_instance` are the GPUs of these. None: all are alike.
  std::vector<PoolSize> pools;
  std::int64_t gpus_per_instance = 1;
  /// The bill of so many instances or groups, bought on demand; empty without a price.
  std::function<Bill(std::int64_t count)> bill = [](std::int64_t) { return Bill(); };
  std::vector<Price> prices;  ///< of the GPUs of the answer, each kind once; none: not known
  RunConfig config;
  std::vector<NextStep> next;

  bool counts_groups() const { return fewest && !pools.empty(); }
  std::int64_t gpus(std::int64_t count) const {
    return fewest || pools.empty() ? gpus_per_instance * count : gpus_per_instance;
  }
};

/// The pools of so many of these: "3 instances for prefill and 6 for decode".
std::string pools_text(const CapacityReport& report, std::int64_t count);

/// The part that gives way first where it fails: the key of an SLO, "queue", or what loses
/// requests, as Limit::limit has it: "deadlines", "admission".
std::string binding_of(const CapacityReport& report);

/// "200 req/s" as it was typed, or "64 users"; the rate of a trace has more digits than it needs.
std::string asked_load_text(const CapacityReport& report);

/// The note before the first test: tests of so many instances are long, or too short to settle
/// (requests_to_settle()). Empty: neither.
std::string note_on_length(std::int64_t instances, std::int64_t to_settle,
                           const ProbeEffort& effort);

Decision decision_of(const CapacityReport& report);
/// The decision as a text, with a line break at its end.
std::string capacity_verdict(const CapacityReport& report);
std::string capacity_text(const CapacityReport& report, const Style& style);
std::string capacity_json(const CapacityReport& report);
/// Latency against load as far as `answer` has it, as figures of a page; empty before any test.
std::string capacity_curves(const CapacityAnswer& answer);

// The tests behind the answer of `capacity`, as a table.

const std::vector<LoadProbe>& tests_of(const CapacityReport& report);

/// Those next to the answer on both sides, and what is to be deployed.
std::vector<Column> evidence(const CapacityReport& report);

// The assumptions about a deployment whose capacity was asked for, and what stood in.

/// GPUs, limits of the engine, traffic, price: one text each, in the words of flags.
std::vector<std::string> capacity_assumed(const CapacityReport& report);

// Why no load or no number of instances was shown to hold, and what the sentences of `capacity`
// have in common.

/// What so many instances do: "hold" a rate, "serves" users.
std::string serve_word(const CapacityReport& r, std::int64_t instances);

/// " at TTFT p99 < 500 ms"
std::string at_slos(const CapacityReport& r);

/// "4 instances (16 x H100)"
std::string fleet_text(const CapacityReport& r, std::int64_t instances);

/// The first test that turned requests away by their length; null if none did.
const LoadProbe* too_long_to_serve(const CapacityReport& r);

bool loses_requests(const LoadProbe& test);

/// Of a report that holds nothing.
std::string why_nothing_holds(const CapacityReport& r);

/// Without an answer: the tests decided it, or they were too few.
Answer tested_without_answer(const CapacityReport& r);

}  // namespace plimsoll
