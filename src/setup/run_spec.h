// The specification of a run, typed: the model, the hardware and its layout, the step times, the
// engine, the cluster, the traffic. The one form in which the command line, a plan's candidates and
// other programs say what to simulate; setup.h and traffic.h make a deployment and requests of it,
// and `cli/flags.h` has the flag of each setting.
//
// A Setting has a usual value; an empty optional, text or list stands for "not said": the value is
// found elsewhere (catalog, GPU memory, semantics), or left out. Times are in the unit of the name.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/semantics.h"
#include "base/setting.h"
#include "catalog/kernels.h"
#include "catalog/model.h"
#include "cluster/deployment.h"
#include "perf/calibration.h"
#include "workload/arrival_process.h"
#include "workload/trace_formats.h"

namespace plimsoll {

enum class SessionMode { fixed, closed_loop };

struct ModelSpec {
  Setting<std::string> id;
  std::string config;  ///< config.json, or the folder that holds it
  Setting<bool> offline = false;
  std::string quantization;             ///< of the weights (quantization_names()); empty: as stored
  Setting<std::string> kv_cache_dtype;  ///< empty: as configured
  bool operator==(const ModelSpec&) const = default;
};

struct HardwareSpec {
  Setting<std::string> gpu;  ///< empty: as listed for the model
  std::string config;        ///< JSON table of GPUs instead of the catalog
  bool operator==(const HardwareSpec&) const = default;
};

struct LayoutSpec {
  std::optional<std::int64_t> tp;  ///< none: as listed for the model
  Setting<std::int64_t> pp = 1;
  Setting<std::int64_t> dp = 1;
  Setting<bool> expert_parallel = false;
  std::string moe_comm_backend;
  Setting<double> expert_imbalance = 1;
  bool operator==(const LayoutSpec&) const = default;
};

struct SpeculationSpec {
  Setting<std::int64_t> tokens = 0;  ///< proposed per step; 0: no speculation
  /// One for all positions, or one for each; empty: that of the preset.
  std::vector<double> acceptance_rates;
  std::string preset;  ///< of catalog/speculation.yaml
  std::string draft_model;
  std::optional<double> draft_ms;
  bool operator==(const SpeculationSpec&) const = default;
};

struct StepTimeSpec {
  std::optional<std::string> latency_model;
  std::optional<Sampling> sampling;
  std::optional<Engine> engine;  ///< whose kernels and overheads count
  std::string calibration;
  std::string profile;    ///< fitted_profile.json, metadata.json or their folder
  std::string telemetry;  ///< samples
  /// One that was fitted already and comes before these files; no flag says it.
  std::shared_ptr<const Calibration> fitted;
  std::vector<double> alpha_coeffs;
  std::vector<double> beta_coeffs;
  bool operator==(const StepTimeSpec&) const = default;
};

/// Limits that are not said are those of the batching rule.
struct EngineSpec {
  Setting<std::string> batching_rule{"vllm"};
  Setting<bool> no_async_scheduling = false;
  Setting<bool> no_prefix_caching = false;
  Setting<bool> no_chunked_prefill = false;
  std::optional<std::int64_t> max_num_seqs;
  std::optional<std::int64_t> max_num_batched_tokens;
  Setting<std::int64_t> long_prefill_token_threshold = 0;
  Setting<std::int64_t> prompt_wait_steps = 0;
  std::optional<std::int64_t> max_model_len;
  Setting<std::string> scheduler{"fcfs"};
  Setting<std::string> preemption{"fcfs"};
  ChosenParameters parameters;  ///< of these policies
  std::optional<std::int64_t> total_kv_blocks;
  std::optional<std::int64_t> block_size;
  Setting<double> gpu_memory_utilization = 0.9;
  Setting<bool> no_hybrid_cache = false;   ///< not said: has_hybrid_cache() (engine_limits.h)
  std::vector<std::string> ignored_rules;  ///< names of perf/engine_rules.h
  bool operator==(const EngineSpec&) const = default;
};

struct ClusterSpec {
  Setting<std::int64_t> num_instances = 1;
  Setting<std::string> router{"round-robin"};
  Setting<std::vector<ScorerWeight>> routing_scorers;  ///< empty: default_scorers()
  Setting<std::string> admission{"always-admit"};
  Setting<TenantShares> tenant_budgets;
  FlowControl flow_control;
  ChosenParameters parameters;  ///< of these policies
  Setting<SloPriorities> priorities;
  std::string policy_config;  ///< the file that says what is not asked of these policies
  Setting<std::int64_t> admission_latency_us = 0;
  Setting<std::int64_t> routing_latency_us = 0;
  Setting<std::int64_t> snapshot_refresh_interval_us = 50000;
  Setting<std::int64_t> cache_signal_delay_us = 50000;
  bool operator==(const ClusterSpec&) const = default;
};

/// Instances of a fleet that are all alike; what is not said of them is that of the run.
struct PoolSpec {
  std::string name = {};  ///< empty: the only pool
  PoolRole role = PoolRole::serve;
  Setting<std::int64_t> instances = 1;
  Setting<std::string> gpu = {};
  std::optional<std::int64_t> tp = std::nullopt;
  std::optional<std::int64_t> pp = std::nullopt;
  std::optional<std::int64_t> dp = std::nullopt;
  std::optional<bool> expert_parallel = std::nullopt;
  std::optional<std::int64_t> max_num_seqs = std::nullopt;
  std::optional<std::int64_t> max_num_batched_tokens = std::nullopt;
  std::optional<std::int64_t> max_model_len = std::nullopt;
  std::optional<std::int64_t> prompt_wait_steps = std::nullopt;
  std::optional<std::int64_t> total_kv_blocks = std::nullopt;
  std::optional<double> gpu_memory_utilization = std::nullopt;
  std::optional<double> usd_per_gpu_hour = std::nullopt;
  std::optional<double> weight = std::nullopt;             ///< Pool::speed; none: by arithmetic
  std::string calibration = {};                            ///< a file, in place of what the run has
  std::string transfer_link = {};                          ///< as SplitSpec::link
  std::optional<double> transfer_gb_per_s = std::nullopt;  ///< likewise, or by the link

  bool answers() const { return role != PoolRole::prefill; }
  bool operator==(const PoolSpec&) const = default;
};

/// Prompts and answers on different instances, and flags for a pool of each; what is not said of
/// one side is that of the run. setup/pools.h makes pools of them.
struct SplitSpec {
  PoolSpec prefill{.name = "prefill", .role = PoolRole::prefill, .instances = 0};
  PoolSpec decode{.name = "decode", .role = PoolRole::decode, .instances = 0};
  Setting<bool> prefill_expert_parallel = false;  ///< or that of the run
  Setting<bool> decode_expert_parallel = false;   ///< likewise
  std::optional<std::string> decider;             ///< none: as the semantics have it
  Setting<std::vector<ScorerWeight>> prefill_scorers;
  Setting<std::vector<ScorerWeight>> decode_scorers;
  std::string link;  ///< of catalog/links.yaml; says the bandwidth
  Setting<double> transfer_gb_per_s = 25;
  std::optional<double> network_gb_per_s;  ///< of all transfers together; none: without limit
  Setting<double> transfer_latency_ms = 0.05;
  Setting<bool> contention = false;
  Setting<std::string> mode{"bulk"};           ///< one of transfer_modes() (split.h)
  Setting<std::string> first_token{"decode"};  ///< one of first_token_makers() (split.h)

  bool is_asked() const { return prefill.instances > 0 || decode.instances > 0; }
  bool operator==(const SplitSpec&) const = default;
};

/// Pools that a file describes, in place of the flags that count instances.
struct FleetSpec {
  std::string file;             ///< or its text, where that begins with "{"
  std::vector<PoolSpec> pools;  ///< of the file, once it was read (setup/fleet_file.h)
  bool operator==(const FleetSpec&) const = default;
};

/// Tokens; what is not said beside another mean follows it (setup/traffic.h).
struct LengthSpec {
  Setting<std::int64_t> mean = 512;
  Setting<std::int64_t> stdev = 256;
  Setting<std::int64_t> min = 2;
  Setting<std::int64_t> max = 7000;
  bool operator==(const LengthSpec&) const = default;
};

/// A trace to be played again.
struct TraceSpec {
  std::string path;
  std::optional<TraceFormat> format;
  std::string header;  ///< of a TraceV2 trace
  std::string data;
  Setting<SessionMode> session_mode = SessionMode::fixed;

  /// Any of it says that the traffic is recorded.
  bool is_asked() const {
    return !path.empty() || !header.empty() || !data.empty() || format.has_value();
  }
  bool operator==(const TraceSpec&) const = default;
};

/// Drawn by the settings below, described by a file, or recorded.
struct TrafficSpec {
  Setting<double> rate_rps = 1;
  std::optional<std::int64_t> num_requests;
  std::optional<ArrivalProcess> arrival;
  Setting<double> arrival_cv = 1;
  Setting<std::string> workload{"distribution"};  ///< or a preset
  std::string workload_spec;                      ///< a file
  Setting<std::int64_t> concurrency = 0;          ///< of users who wait; 0: requests come at a rate
  Setting<std::int64_t> prefix_tokens = 0;
  LengthSpec prompt;
  LengthSpec output;
  std::optional<std::int64_t> timeout_s;
  Setting<std::int64_t> think_time_ms = 0;
  std::string think_time_dist;
  TraceSpec trace;
  Setting<std::int64_t> seed = 42;
  std::optional<std::int64_t> horizon_us;

  /// Whether settings alone make it, so that there are as many requests as a test needs.
  bool is_drawn() const { return workload_spec.empty() && !trace.is_asked(); }
  bool operator==(const TrafficSpec&) const = default;
};

struct RunSpec {
  ModelSpec model;
  HardwareSpec hardware;
  LayoutSpec layout;
  SpeculationSpec speculation;
  StepTimeSpec step_time;
  EngineSpec engine;
  ClusterSpec cluster;
  SplitSpec split;
  FleetSpec fleet;
  TrafficSpec traffic;
  Setting<SemanticsMode> semantics = SemanticsMode::vllm;
  bool operator==(const RunSpec&) const = default;
};

}  // namespace plimsoll
