// The run functions of the verbs, one file each; the table in verbs.cc names them.
#pragma once

#include "base/result.h"

namespace plimsoll {

struct Command;

Result<int> run_verb(const Command& command);
Result<int> replay_verb(const Command& command);
Result<int> capacity_verb(const Command& command);
Result<int> plan_verb(const Command& command);
Result<int> worker_verb(const Command& command);
Result<int> runs_list_verb(const Command& command);
Result<int> runs_show_verb(const Command& command);
Result<int> runs_compare_verb(const Command& command);
Result<int> forecast_verb(const Command& command);
Result<int> compare_verb(const Command& command);
Result<int> convert_preset_verb(const Command& command);
Result<int> convert_servegen_verb(const Command& command);
Result<int> convert_inference_perf_verb(const Command& command);
Result<int> convert_metrics_verb(const Command& command);
Result<int> convert_trace_verb(const Command& command);
Result<int> convert_tracev2_verb(const Command& command);
Result<int> compose_verb(const Command& command);
Result<int> describe_verb(const Command& command);
Result<int> validate_verb(const Command& command);
Result<int> observe_verb(const Command& command);
Result<int> serve_verb(const Command& command);
/// A hint for a flag that `serve` has not; may be empty.
std::string place_at_server(std::string_view flag);
Result<int> calibrate_verb(const Command& command);
Result<int> list_verb(const Command& command);
Result<int> explain_verb(const Command& command);
Result<int> help_verb(const Command& command);
Result<int> completion_verb(const Command& command);
Result<int> man_verb(const Command& command);
Result<int> version_verb(const Command& command);

}  // namespace plimsoll
