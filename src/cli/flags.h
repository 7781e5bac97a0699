// The flags of all verbs as one table of rows. The parser, the help and the error messages read
// nothing else, so a new flag is one row and one field of a specification.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/flag_value.h"

namespace plimsoll {

/// Flags that a verb takes all or none of, in the order of the help. Two groups may stand under
/// one heading.
enum class FlagGroup {
  slo,
  capacity,
  plan,
  forecast,
  compared,
  threads,
  sharing,
  prices,
  price_file,
  server,
  serve,
  model,
  step_time,
  calibrated,
  profile,
  workload,
  trace,
  sessions,
  cluster,
  split,
  transfer,
  admission,
  engine,
  stream,
  control,
  metrics,
  detectors,
  json,
  console,
  page,
  model_error,
  step_parts,
  output,
  preset,
  servegen,
  inference_perf,
  recorded_metrics,
  plain_trace,
  trace_v2,
  calibration,
  composed,
  spec_output,
  trace_output
};

/// Another name of a flag: that of vLLM, of an older release of the reference simulator, or simply
/// another word for it.
struct Alias {
  std::string_view name;
  /// The words of a note before the name of the flag; empty: there is none, and help shows it.
  std::string_view remark = {};
  bool opposite = false;  ///< of a switch: it says that the switch is off
};
inline constexpr std::string_view kDeprecated = "is deprecated: use ";
inline constexpr std::string_view kOtherWord = "is called ";

/// The condition on the rest of a specification for a flag to change anything.
struct Condition {
  std::function<bool(const RunSpec& run)> holds;
  std::string otherwise;  ///< "has no effect ..."
};

struct Flag {
  std::string name;
  FlagGroup group = FlagGroup::control;
  Value value;
  std::string_view placeholder;  ///< of the value, in the help
  std::string help;
  std::vector<Alias> aliases;
  /// The first that does not hold is the one to name.
  std::vector<Condition> conditions;

  bool is_called(std::string_view word) const;    ///< by its name or an alias
  bool is_opposite(std::string_view word) const;  ///< the word says that this switch is off
  bool takes_path() const;                        ///< the value names a file or folder
};

/// All flags by group, in the order of the help.
const std::vector<Flag>& flags();

/// A flag that the reference simulator has and Plimsoll does not have yet.
struct LaterFlag {
  std::string_view name;
  std::string_view feature;
  std::string_view reference_default;

  /// The value is the reference's default: whoever gives it loses nothing.
  bool asks_for_nothing(std::string_view value) const;
};

std::span<const LaterFlag> later_flags();

/// Flags of what is printed and written, not of what is simulated.
bool decides_nothing(FlagGroup group);

/// The heading of a group in the help.
std::string_view title(FlagGroup group);

}  // namespace plimsoll
