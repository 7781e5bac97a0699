// The answer that was shared among processes, in its folder (cli/run_folder.h):
// result.json, verdict.txt and, last, answer.record with the checksums of both, so that nobody is
// shown what the program did not write.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "cli/options.h"
#include "cli/run_folder.h"

namespace plimsoll {

struct SharedAnswer {
  std::string report;   ///< JSON
  std::string verdict;  ///< without the end of its last line
  std::string day{};    ///< on which it was kept (UTC), 2026-08-27
};

/// Now, or what SOURCE_DATE_EPOCH says: 2026-08-27T09:30:00Z; empty where nobody knows.
std::string utc_time();

/// In bytes, of a report that is read again.
inline constexpr std::int64_t kLargestReport = std::int64_t{1} << 28;

/// The answer while shards are missing that somebody else carries out: none is shown. `name` is the
/// folder as it was asked for.
std::string unfinished_text(const RunFolder& folder, const std::string& name,
                            const ConsoleSpec& console);

/// In place of what is there.
Result<void> keep_answer(const RunFolder& folder, const SharedAnswer& answer);

/// None: nobody has asked for it yet. A spec error where a file is not what was kept.
Result<std::optional<SharedAnswer>> answer_in(const RunFolder& folder);

}  // namespace plimsoll
