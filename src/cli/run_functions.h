// The run functions of the verbs, one file each; the table in verbs.cc names them.
#pragma once

namespace plimsoll {

struct Command;

int run_verb(const Command& command);
int replay_verb(const Command& command);
int capacity_verb(const Command& command);
int plan_verb(const Command& command);
int worker_verb(const Command& command);
int runs_list_verb(const Command& command);
int runs_show_verb(const Command& command);
int runs_compare_verb(const Command& command);
int forecast_verb(const Command& command);
int compare_verb(const Command& command);
int convert_preset_verb(const Command& command);
int convert_servegen_verb(const Command& command);
int convert_inference_perf_verb(const Command& command);
int convert_metrics_verb(const Command& command);
int convert_trace_verb(const Command& command);
int convert_tracev2_verb(const Command& command);
int compose_verb(const Command& command);
int describe_verb(const Command& command);
int validate_verb(const Command& command);
int observe_verb(const Command& command);
int serve_verb(const Command& command);
int calibrate_verb(const Command& command);
int list_verb(const Command& command);
int explain_verb(const Command& command);
int help_verb(const Command& command);
int completion_verb(const Command& command);
int man_verb(const Command& command);
int version_verb(const Command& command);

}  // namespace plimsoll
