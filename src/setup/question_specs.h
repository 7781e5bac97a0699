// The questions about a run or instead of one, typed: which figures, which limits to keep, what to
// search, compare, fit, convert or observe, and what GPUs cost. Beside setup/run_spec.h, in the
// same terms.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/setting.h"
#include "net/completion_api.h"
#include "net/http_limits.h"
#include "planner/headroom.h"
#include "workload/servegen.h"

namespace plimsoll {

struct MetricsSpec {
  Setting<std::string> definitions{"vllm"};
  Setting<std::string> warmup{"none"};
  std::string slo_ttft;  ///< "CLASS=TIME,...", as the other two
  std::string slo_itl;
  std::string slo_e2e;
  std::string fitness_weights;
  std::string fitness_references;
  std::string detectors;
  std::string saturation_config;
  std::string saturation_final_window;
  std::string saturation_report;  ///< a file for every verdict
  Setting<bool> no_model_error = false;
  Setting<bool> why = false;  ///< what parts of the steps predictions rest on
  bool operator==(const MetricsSpec&) const = default;
};

/// The limits that have to be kept.
struct LimitsSpec {
  std::string slo;
  Setting<bool> check = false;
  bool operator==(const LimitsSpec&) const = default;
};

struct CapacitySpec {
  Setting<bool> min_instances = false;
  Setting<double> precision = 1;                    ///< percent
  Setting<double> headroom = 100 * kUsualHeadroom;  ///< percent
  Setting<std::int64_t> most_requests = 400'000;
  bool operator==(const CapacitySpec&) const = default;
};

struct PlanSpec {
  std::string objective;
  std::string gpu_types;       ///< separated by commas
  std::string disaggregation;  ///< likewise: of disaggregations()
  std::optional<double> max_usd_per_hour;
  std::optional<std::int64_t> max_gpus;
  Setting<std::int64_t> spare_replicas = 0;
  std::string purchase;             ///< "on-demand=50,spot=50"
  std::optional<double> spot_loss;  ///< percent
  std::optional<double> growth;     ///< percent per minute
  std::optional<double> cold_start_s;
  std::string api_price;  ///< "0.15,0.6"
  std::optional<double> duration_s;
  Setting<bool> turning_points = false;
  bool operator==(const PlanSpec&) const = default;
};

struct ForecastSpec {
  Setting<bool> levers = false;
  std::string actuals;
  bool operator==(const ForecastSpec&) const = default;
};

struct CompareSpec {
  std::vector<std::string> variants;  ///< "NAME: FLAGS"
  std::string vary;                   ///< "FLAG=VALUE,VALUE"
  std::optional<std::int64_t> seeds;
  std::optional<std::string> leading_figure;
  bool operator==(const CompareSpec&) const = default;
};

struct PriceSpec {
  /// Dollars per GPU and hour by name of the GPU, as it was written; an empty name: all others.
  std::map<std::string, double> by_gpu;
  std::string file;
  bool operator==(const PriceSpec&) const = default;
};

struct CalibrationSpec {
  Setting<bool> no_base = false;
  std::string measured_on;  ///< a date
  bool operator==(const CalibrationSpec&) const = default;
};

struct ServerSpec {
  std::string url;
  Setting<ApiFormat> format = ApiFormat::completions;
  std::string api_key_env;
  Setting<std::int64_t> max_concurrency = 1024;
  Setting<std::int64_t> retries = 0;
  Setting<bool> no_streaming = false;
  Setting<bool> unconstrained_output = false;
  Setting<bool> record_itl = false;
  std::string expect;  ///< flags of the deployment that it is said to be
  HttpLimits limits;
  bool operator==(const ServerSpec&) const = default;
};

/// The settings of `convert`, `compose` and `calibrate`.
struct ConversionSpec {
  std::string preset;
  std::string import_path;  ///< of ServeGen data
  std::string metrics;      ///< a recording of counters
  std::string route_label;
  Setting<ServegenForm> servegen_form = ServegenForm::cohorts;
  std::optional<ServegenPeriod> servegen_period;
  Setting<std::int64_t> window_duration_s = 600;
  Setting<std::int64_t> drain_timeout_s = 180;
  std::string import_spec;  ///< a configuration of inference-perf
  std::vector<std::string> from;
  std::string output;
  bool operator==(const ConversionSpec&) const = default;
};

}  // namespace plimsoll
