// One test of a plan as a line of its journal, without loss: what comes back prints the same bytes
// in every report. Called by planner/plan_journal.h.
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

/// None: not such a line, or not a whole one.
std::optional<JournalEntry> parse_journal_line(std::string_view line);

/// The first line: what the plan is an answer to.
struct JournalHead {
  std::string digest;   ///< of everything that decides the answer
  std::string command;  ///< for people
};
std::string journal_line(const JournalHead& head);
std::optional<JournalHead> parse_journal_head(std::string_view line);

}  // namespace plimsoll
