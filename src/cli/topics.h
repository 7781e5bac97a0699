// What `plimsoll list` can show: one row per topic, each with the maker of its table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/table.h"

namespace plimsoll {

struct Topic {
  std::string_view name;
  std::string_view what;  ///< one line
  Result<Table> (*table)();
  bool explains = true;  ///< a row has a name and says what it is: for `plimsoll explain`
};

const std::vector<Topic>& topics();
std::vector<std::string> topic_names();

}  // namespace plimsoll
