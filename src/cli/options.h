// The options of the command line, typed: the specifications of setup/, which other programs fill
// without a command line, and what is of the command line alone: files, streams, threads. Filled by
// parse_command() through the table in flags.h, read by the verbs.
#pragma once

#include <cstdint>
#include <string>

#include "base/setting.h"
#include "setup/question_specs.h"
#include "setup/run_spec.h"

namespace plimsoll {

enum class ColorChoice { automatic, always, never };
enum class LogLevel { error, warn, info };

/// The files written beside the answer of `run`, `replay` and `observe`.
struct OutputSpec {
  std::string metrics_path;
  std::string results_path;
  std::string timeline;
  Setting<std::int64_t> timeline_limit = 1'000'000;
  std::string trace_prefix;
  Setting<std::string> trace_level{"none"};
  Setting<std::int64_t> counterfactual_k = 0;
  Setting<bool> summarize_trace = false;
  std::string decisions_path;
  bool operator==(const OutputSpec&) const = default;
};

/// The files read and written beside the answer of `plan`.
struct PlanFiles {
  Setting<bool> no_timing = false;
  std::string summary;
  std::string diff;
  std::string emit;  ///< a form of report/emit/
  std::string output_dir;
  bool operator==(const PlanFiles&) const = default;
};

/// Where the units of an answer are kept, and who works them out; without a name, the program
/// itself.
struct SharingSpec {
  std::string journal;
  std::string resume;
  std::string executor;  ///< one of executors() (cli/executor.h)
  Setting<std::int64_t> shards = 16;
  std::string sbatch_args;  ///< words for sbatch, between spaces
  Setting<bool> no_wait = false;
  bool operator==(const SharingSpec&) const = default;
};

struct ConsoleSpec {
  Setting<bool> json = false;
  Setting<bool> quiet = false;
  Setting<ColorChoice> color = ColorChoice::automatic;
  Setting<LogLevel> log = LogLevel::warn;
  std::string page;                       ///< HTML
  Setting<std::int64_t> threads = 0;      ///< 0 = as many as there are processors
  Setting<bool> lazy_generation = false;  ///< always so
  bool operator==(const ConsoleSpec&) const = default;
};

/// Where `serve` listens, for whom, and how much it does for them.
struct ServeSpec {
  Setting<std::int64_t> port = 8642;
  std::string listen;     ///< empty: this machine alone
  std::string token_env;  ///< the variable that holds what requests have to show
  Setting<double> time_limit_s = 60;
  Setting<std::int64_t> max_simulations = 0;  ///< 0 = as many as there are processors
  bool operator==(const ServeSpec&) const = default;
};

struct Options {
  RunSpec run;
  MetricsSpec metrics;
  LimitsSpec limits;
  CapacitySpec capacity;
  PlanSpec plan;
  ForecastSpec forecast;
  CompareSpec compare;
  PriceSpec prices;
  CalibrationSpec calibration;
  ServerSpec server;
  ConversionSpec conversion;
  OutputSpec outputs;
  PlanFiles plan_files;
  SharingSpec sharing;
  ServeSpec serve;
  ConsoleSpec console;
  bool operator==(const Options&) const = default;
};

}  // namespace plimsoll
