// One pass over a CSV table with a header: rows are handed to a function that asks for cells by the
// number of their column. Other columns are nobody's business.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "workload/csv.h"

namespace plimsoll {

inline constexpr double kUsPerMs = 1e3;
inline constexpr double kMostMilliseconds = 1e6;
inline constexpr std::int64_t kMostCount = 1'000'000'000;

/// A table may be packed by gzip or, read through the program `xz`, by xz. Columns are numbered
/// through: those that it must have, then those that it has only where their values differ.
Result<void> for_each_row(const std::string& path, std::vector<std::string> columns,
                          const std::function<void(CsvTable&)>& row,
                          std::vector<std::string> optional = {});

/// A count as a number to calculate with.
inline double count_at(CsvTable& table, std::size_t column) {
  return static_cast<double>(table.integer(column, 0, kMostCount));
}

}  // namespace plimsoll
