// One test of a plan as a line of its journal, without loss: what comes back prints the same bytes
// in every report. A line is a record (planner/plan_journal.h) of JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "planner/load_probe.h"

namespace plimsoll {

struct JournalEntry {
  std::int64_t candidate = 0;  ///< its id
  double step_factor = 1;      ///< as ProbeJob has it
  LoadProbe probe;
  std::int64_t model = 0;  ///< PlanRequest::place
};

/// Ends in a newline.
std::string journal_line(const JournalEntry& entry);

/// From the text of a record. None: it is no test.
std::optional<JournalEntry> parse_journal_entry(std::string_view text);

/// The first line: what the plan is an answer to.
struct JournalHead {
  std::string digest;   ///< of everything that decides the answer
  std::string command;  ///< for people
};
std::string journal_line(const JournalHead& head);
std::optional<JournalHead> parse_journal_head(std::string_view text);

/// The mark that every first line has, whatever its version and however damaged the rest of it.
inline constexpr std::string_view kJournalMark = "plimsoll_plan_journal";
inline constexpr int kJournalVersion = 14;

/// Reads the version from the text of a record, or from a first line as versions 1 to 4 wrote it,
/// without a checksum; none: it begins no journal.
std::optional<int> journal_version(std::string_view text);

}  // namespace plimsoll
