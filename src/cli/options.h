// What the command line says, typed: one struct for all verbs, defaults in place. Filled by
// parse_flags() through the table in flags.h, read by the verbs.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include <string>
#include <string_view>
#include <vector>

#include "base/semantics.h"
#include "catalog/model.h"
#include "cluster/deployment.h"
#include "engine/engine_config.h"
#include "net/completion_api.h"
#include "net/http_limits.h"
#include "perf/calibration.h"
#include "workload/arrival_process.h"
#include "workload/servegen.h"
#include "workload/trace_formats.h"

namespace plimsoll {

enum class ColorChoice { automatic, always, never };
enum class LogLevel { error, warn, info };
enum class SessionMode { fixed, closed_loop };

/// An empty optional stands for "not said": the verb finds the value elsewhere (catalog, GPU
/// memory, semantics) or leaves it out.
struct Options {
  // Model and hardware.
  std::string model;
  std::string model_config;  ///< config.json, or the folder that holds it
  bool offline = false;
  std::string quantization;    ///< of the weights, by the server; empty: as configured
  std::string kv_cache_dtype;  ///< empty: as configured
  std::string hardware;
  std::string hardware_config;
  std::optional<std::int64_t> tp;
  std::int64_t pp = 1;
  std::int64_t dp = 1;
  bool expert_parallel = false;
  std::vector<std::string> ignored_rules;  ///< names of perf/engine_rules.h
  std::string moe_comm_backend;
  double expert_imbalance = 1;
  std::int64_t num_speculative_tokens = 0;
  std::optional<double> acceptance_rate;
  std::string draft_model;
  std::optional<double> draft_ms;
  std::optional<std::string> latency_model;
  std::optional<Sampling> sampling;
  std::string calibration;
  /// One that was fitted in this command and comes before the file.
  std::shared_ptr<const Calibration> fitted;
  std::vector<double> alpha_coeffs;
  std::vector<double> beta_coeffs;

  // Engine. Limits that are not given are those of the batching rule.
  std::string batching_rule = "vllm";
  bool no_async_scheduling = false;
  bool no_prefix_caching = false;
  bool no_chunked_prefill = false;
  std::int64_t max_num_seqs = 256;
  std::int64_t max_num_batched_tokens = 2048;
  std::int64_t long_prefill_token_threshold = 0;
  std::optional<std::int64_t> max_model_len;
  SchedulerPolicy scheduler = SchedulerPolicy::fcfs;
  PreemptionPolicy preemption = PreemptionPolicy::fcfs;
  std::optional<std::int64_t> total_kv_blocks;
  std::int64_t block_size = 16;
  double gpu_memory_utilization = 0.9;

  // Cluster.
  std::int64_t num_instances = 1;
  std::string router = "round-robin";
  std::vector<ScorerWeight> routing_scorers;
  AdmissionRules admission;
  FlowControl flow_control;
  SloPriorities priorities;
  std::string policy_config;
  std::int64_t admission_latency_us = 0;
  std::int64_t routing_latency_us = 0;
  std::int64_t snapshot_refresh_interval_us = 50000;
  std::int64_t cache_signal_delay_us = 50000;

  // Workload of `run`.
  double rate_rps = 1;
  std::optional<std::int64_t> num_requests;
  std::optional<ArrivalProcess> arrival;
  double arrival_cv = 1;
  std::string workload = "distribution";
  std::string workload_spec;
  std::int64_t concurrency = 0;
  std::int64_t prefix_tokens = 0;
  std::int64_t prompt_tokens = 512;
  std::int64_t prompt_tokens_stdev = 256;
  std::int64_t prompt_tokens_min = 2;
  std::int64_t prompt_tokens_max = 7000;
  std::int64_t output_tokens = 512;
  std::int64_t output_tokens_stdev = 256;
  std::int64_t output_tokens_min = 2;
  std::int64_t output_tokens_max = 7000;
  std::optional<std::int64_t> timeout_s;
  bool lazy_generation = false;

  // Trace of `replay`.
  std::string trace_header;
  std::string trace_data;
  std::string trace;
  std::optional<TraceFormat> trace_format;
  SessionMode session_mode = SessionMode::fixed;

  // Closed loops.
  std::int64_t think_time_ms = 0;
  std::string think_time_dist;

  // Of `capacity`.
  std::string slo;
  bool min_instances = false;
  double precision = 1;  ///< percent
  double headroom = 25;  ///< percent
  std::int64_t most_requests = 400'000;
  bool check = false;

  // Of `plan`.
  std::string objective;
  std::optional<double> max_usd_per_hour;
  std::optional<std::int64_t> max_gpus;
  std::int64_t spare_replicas = 0;
  std::string gpu_types;  ///< separated by commas
  std::optional<double> duration_s;
  bool no_timing = false;
  std::string summary_path;
  std::string purchase;             ///< "on-demand=50,spot=50"
  std::optional<double> spot_loss;  ///< percent
  std::optional<double> growth;     ///< percent per minute
  std::optional<double> cold_start_s;
  std::string api_price;  ///< "0.15,0.6"
  std::string journal_path;
  std::string resume_path;
  std::string diff_path;
  std::string emit;
  std::string output_dir;

  // Of `forecast`.
  bool levers = false;
  std::string actuals;

  // Of `plan` and `forecast`.
  std::string html_path;

  // Of `compare`.
  std::vector<std::string> variants;  ///< "NAME: FLAGS"
  std::string vary;                   ///< "FLAG=VALUE,VALUE"
  std::optional<std::int64_t> seeds;
  std::optional<std::string> leading_figure;
  std::int64_t threads = 0;  ///< 0 = as many as there are processors
  /// Dollars per GPU and hour by name of the GPU in small letters; an empty name: all others.
  std::map<std::string, double> gpu_prices;
  std::string price_file;

  // Of `calibrate`.
  std::string profile;    ///< fitted_profile.json, metadata.json or their folder
  std::string telemetry;  ///< samples
  bool no_base = false;
  std::string measured_on;  ///< a date

  // Of `observe`.
  std::string server_url;
  ApiFormat api_format = ApiFormat::completions;
  std::string api_key_env;
  std::int64_t max_concurrency = 1024;
  std::int64_t retries = 0;
  bool no_streaming = false;
  bool unconstrained_output = false;
  bool record_itl = false;
  HttpLimits http_limits;

  // Of `convert`, `compose` and `calibrate`.
  std::string preset_name;
  std::string import_path;  ///< of ServeGen data
  ServegenForm servegen_form = ServegenForm::cohorts;
  std::optional<ServegenPeriod> servegen_period;
  std::int64_t window_duration_s = 600;
  std::int64_t drain_timeout_s = 180;
  std::string import_spec;  ///< a configuration of inference-perf
  std::vector<std::string> from;
  std::string output;

  // Run control and output.
  SemanticsMode semantics = SemanticsMode::vllm;
  std::int64_t seed = 42;
  std::optional<std::int64_t> horizon_us;
  std::string metric_definitions = "vllm";
  std::string warmup = "none";
  std::string slo_ttft;
  std::string slo_itl;
  std::string slo_e2e;
  std::string fitness_weights;
  std::string fitness_references;
  std::string detectors;
  std::string saturation_config;
  std::string saturation_final_window;
  std::string saturation_report;
  std::string metrics_path;
  std::string results_path;
  std::string timeline;
  std::int64_t timeline_limit = 1'000'000;
  std::string trace_output;  ///< prefix of the files
  std::string trace_level = "none";
  std::int64_t counterfactual_k = 0;
  bool summarize_trace = false;
  bool no_model_error = false;
  std::string decisions_output;
  bool json = false;
  bool quiet = false;
  ColorChoice color = ColorChoice::automatic;
  LogLevel log = LogLevel::warn;

  /// The flags that were on the command line, by their canonical names, with the text given.
  std::map<std::string, std::string, std::less<>> given;
  bool is_given(std::string_view flag) const { return given.find(flag) != given.end(); }
  /// Those that a policy bundle set.
  std::set<std::string, std::less<>> from_file;
};

}  // namespace plimsoll
