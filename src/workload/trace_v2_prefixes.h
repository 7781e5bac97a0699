// Which prompts of a TraceV2 trace begin alike: by prefix groups, or row by row in the column
// prefix_path.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "workload/csv.h"
#include "workload/workload.h"

namespace plimsoll::trace_v2 {

/// Requests of a group share the tokens in front of their prompts; the first positive length of the
/// group counts for all. Rows are added in the order of the file.
class PrefixGroups {
 public:
  /// The group of the current row, whose prefix comes on top of its input tokens.
  void add(std::string_view name, std::int64_t tokens);
  /// Writes prefixes and full prompt lengths of all rows.
  void settle(Workload* workload) const;

 private:
  static constexpr std::size_t kNoGroup = static_cast<std::size_t>(-1);

  std::unordered_map<std::string, std::size_t> numbers_;
  std::vector<std::int64_t> tokens_;  // by group
  std::vector<std::size_t> group_;    // by row
};

/// Paths such as "s0:512 r17:300 +": 512 tokens of shared content number 0, then 300 of what
/// request 17 alone has (the rest of its prompt, then its answer); "+" = later rows may name this
/// request. Writes the prefix columns of the workload, row by row.
class PrefixPaths {
 public:
  /// Reads the cell of the current row, a request of this id with so many prompt tokens.
  void add(CsvTable& table, std::int64_t id, std::int64_t prompt_tokens, Workload* workload);
  /// To be called when the rows have been sorted: fills in the contents that rows are named for.
  void settle(Workload* workload) const;

 private:
  bool read_segment(std::string_view text, std::int64_t* left, Workload* workload);

  std::unordered_map<std::int64_t, bool> rows_;  // by id so far: may others go on from it?
  struct Reference {
    std::size_t segment;
    std::int64_t id;
  };
  std::vector<Reference> references_;
  std::string problem_;  // with the current row
};

}  // namespace plimsoll::trace_v2
