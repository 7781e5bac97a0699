// How much a deployment can take, or how many instances a rate needs: verdict, evidence, what
// binds, how sure that is, what to try next.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "catalog/price.h"
#include "perf/model_error.h"
#include "planner/capacity.h"
#include "planner/estimate.h"
#include "planner/headroom.h"
#include "planner/purchase.h"
#include "report/answer/decision.h"
#include "report/answer/next_steps.h"
#include "report/run/terminal.h"
#include "setup/run_config.h"

namespace plimsoll {

struct CapacityReport {
  std::vector<Slo> slos;
  double rate_rps = 0;         ///< asked for; 0 = none
  std::int64_t instances = 1;  ///< deployed, where the rate is the question
  double headroom = 0;         ///< percent
  /// One of the two is there.
  std::optional<RateAnswer> rate;
  std::optional<InstancesAnswer> fewest;
  /// What the fewest instances take beyond the rate that was asked for.
  std::optional<RateAnswer> spare;
  /// The same answers if steps were as short and as long as the model's error allows: rates, or
  /// numbers of instances (0: none).
  std::optional<Interval> model;
  std::optional<ModelError> model_error;
  CapacityEstimate estimate;
  bool tests_may_grow = true;  ///< false: the traffic is finite, all of it is in every test
  /// One instance that is nearly idle, where not even the best answer holds.
  std::optional<LoadProbe> idle;
  std::int64_t gpus_per_instance = 1;
  std::vector<Price> offers;   ///< for its GPUs
  std::optional<Price> price;  ///< of the GPUs of the answer
  RunConfig config;
  std::vector<NextStep> next;

  /// What holds, and what fails beside it; null where there is none.
  const LoadProbe* best() const;
  const LoadProbe* failing() const;
  bool holds() const { return best() != nullptr; }
  /// Whether the deployment holds the rate that was asked for, where `rate` is there.
  Answer of_asked_rate() const;
  /// The test of one instance less than the fewest; null if there was none.
  const LoadProbe* one_fewer() const;
  /// What is to spare, as a share of the rate that was asked for; 0 where none could be shown.
  double headroom_of_fewest() const;
  /// For a rate that is larger by --headroom, each with the load that one of the fewest was shown
  /// to hold.
  std::int64_t instances_with_headroom() const;
  /// Sampling and the model's error together, of the largest rate or the fewest instances.
  Interval interval() const;
  /// What the answer takes, whether it holds or not.
  std::int64_t instances_of_answer() const { return rate ? instances : fewest->instances; }
  /// Bought on demand; empty without a price.
  Bill bill(std::int64_t of_instances) const;
};

/// What gives way first where it fails: the key of an SLO, "queue", or what loses requests, as
/// Limit::limit has it: "deadlines", "admission".
std::string binding_of(const CapacityReport& report);

/// "200 req/s" as it was typed; that of a trace has more digits than it needs.
std::string asked_rate_text(const CapacityReport& report);

Decision decision_of(const CapacityReport& report);
/// The decision as a text, with a line break at its end.
std::string capacity_verdict(const CapacityReport& report);
std::string capacity_text(const CapacityReport& report, const Style& style);
std::string capacity_json(const CapacityReport& report);

// The tests behind the answer of `capacity`, as a table.

const std::vector<LoadProbe>& tests_of(const CapacityReport& report);

/// Those next to the answer on both sides, and what --headroom asks for.
std::vector<Column> evidence(const CapacityReport& report);

// What nobody said of a deployment whose capacity was asked for, and what stood in.

/// "prompt-tokens 512 +- 256 from 2 to 7,000" for the key "prompt-tokens", of it what was not said;
/// empty: all of it was.
std::string assumed_length(const RunConfig& config, const std::string& key);

/// GPUs, limits of the engine, traffic, price: one text each, in the words of flags.
std::vector<std::string> capacity_assumed(const CapacityReport& report);

}  // namespace plimsoll
