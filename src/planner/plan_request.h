// The request of a plan: the traffic, the limits, and what may be varied. Read from a file in
// the form of seed documents of capacity planners (docs/how-to/planning.md); keys of both families
// found in the wild are understood.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/choice.h"
#include "base/lists.h"
#include "base/result.h"
#include "planner/purchase.h"
#include "planner/slo.h"
#include "workload/length_distribution.h"

namespace plimsoll {

enum class Objective { qps_per_dollar, least_cost, least_gpus, lowest_latency };

Choices<Objective> objectives();

/// Prefill and decode on the same instances, or each on its own.
enum class Disaggregated : std::uint8_t { no, yes };

Choices<Disaggregated> disaggregations();

/// Instances for prefill and for decode, in lowest terms.
struct PoolRatio {
  std::int64_t prefill = 1;
  std::int64_t decode = 1;
  bool operator==(const PoolRatio&) const = default;
};

/// Every combination is a candidate. Empty lists stand for what the deployment has by itself.
struct ConfigSpace {
  std::vector<std::string> gpus;
  std::vector<std::int64_t> num_gpus;  ///< of an instance: has to be TP x PP x DP
  std::vector<std::int64_t> tp;
  std::vector<std::int64_t> pp;
  std::vector<std::int64_t> dp;
  std::vector<bool> expert_parallel;
  std::vector<std::string> quantizations;  ///< of the weights (quantization_names())
  std::vector<std::int64_t> replicas;
  std::vector<std::string> batching_rules;
  std::vector<std::int64_t> max_num_seqs;
  std::vector<std::int64_t> max_num_batched_tokens;
  /// One more token budget for candidates that do not split, where none are listed: prompts in
  /// small chunks are what a split competes with, and short gaps between tokens ask for; 0: none.
  std::int64_t small_chunks = 0;
  std::vector<std::string> routers;  ///< empty text: the usual one, of mixes `mix_router`
  std::vector<Disaggregated> disaggregation;
  std::vector<PoolRatio> pool_ratios;     ///< of those that split; a replica is so many instances
  std::vector<std::string> prefill_gpus;  ///< of those that split; empty: that of the others
  std::vector<std::int64_t> prefill_tp;   ///< likewise
  std::vector<std::int64_t> prefill_dp;
  std::vector<bool> prefill_expert_parallel;
  std::vector<std::string> pd_deciders;
  std::vector<std::string> pd_links;  ///< of catalog/links.yaml
  /// Instances of two of the GPU types may serve side by side (planner/mixes.h).
  bool mixes_gpus = false;
  /// The router of mixes where none are listed: one that goes by the speed of instances.
  std::string mix_router = "least-loaded";
};

/// The GPUs of both pools, each once.
std::vector<std::string> all_gpus(const ConfigSpace& space);

/// How many tokens prompts or answers have, and which of its parts were said; others stand in.
struct AskedLength {
  GaussianLength length;
  bool says_mean = true;
  bool says_stdev = true;
  bool says_min = true;
  bool says_max = true;
};

/// Set aside for a warm-up of which nobody says how long it is.
inline constexpr double kUsualWarmupS = 60;
/// The longest that may be asked for, so that a test stays within memory.
inline constexpr double kLongestTestS = 14'400;
inline constexpr double kLongestWarmupS = 3'600;

struct PlanRequest {
  std::string file;  ///< it was read from; empty: made from flags

  std::string model;
  std::string profile;      ///< path of fitted_profile.json
  std::string telemetry;    ///< path; decides together with the profile
  std::string calibration;  ///< path

  // Traffic. A target rate is served; without one, the most that a candidate serves is sought
  // within the range.
  std::optional<double> rate_rps;
  double lowest_rps = 0;
  double highest_rps = 0;
  std::optional<AskedLength> prompt;  ///< none: by default
  std::optional<AskedLength> answer;
  std::string workload_spec;  ///< path; instead of lengths

  // Limits, all of them hard.
  std::vector<Slo> slos;
  std::optional<double> max_usd_per_hour;
  std::optional<std::int64_t> max_gpus;
  std::map<std::string, std::int64_t> available_gpus;  ///< by type; of others there is no end
  double min_rps = 0;

  ConfigSpace space;
  Objective objective = Objective::qps_per_dollar;
  std::int64_t spare = 0;  ///< replicas to keep beyond what the load needs, for failures
  Economics economics;
  /// Whether several models share one fleet: with a target rate, a candidate is left only for
  /// another that costs no more and takes no more GPUs.
  bool keeps_tradeoffs = false;
  std::int64_t place = 0;     ///< in the list of these models, from 1; 0: it is alone
  bool varies_model = true;   ///< ask what the step-time model's error means for the best
  bool measures_best = true;  ///< ask for more of it than that it is the best

  /// More is better: without a target rate, all that the limits allow.
  bool wants_most() const {
    return objective == Objective::qps_per_dollar || objective == Objective::lowest_latency;
  }
  /// All GPUs or money are limited.
  bool has_budget() const { return max_gpus || max_usd_per_hour; }
  bool has_limits() const { return has_budget() || !available_gpus.empty(); }
  /// A candidate may have more than one instance.
  bool may_have_several() const {
    if (space.mixes_gpus || contains(space.disaggregation, Disaggregated::yes)) return true;
    if (space.replicas.empty()) return rate_rps || (wants_most() && has_limits());
    return std::ranges::max(space.replicas) > 1;
  }
  void drop_budget() {
    max_gpus.reset();
    max_usd_per_hour.reset();
  }
  /// The rate that has to be served at least, where no target rate is given.
  double least_rps() const { return std::max(min_rps, lowest_rps); }

  /// The time that a test covers at least after its warm-up; it is longer where its answer needs
  /// that.
  double duration_s = 600;
  /// Seconds from the first arrival on that no test counts; none: as many as it shows by itself.
  std::optional<double> warmup_s;
  std::optional<std::int64_t> seed;
};

/// All errors of the file at once. Paths in it are relative to its folder.
Result<PlanRequest> parse_plan_request(const std::string& text, const std::string& file);

}  // namespace plimsoll
