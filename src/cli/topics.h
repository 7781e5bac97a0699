// The topics that `plimsoll list` can show: one row per topic, each with the maker of its table.
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
  std::vector<std::string_view> other_words = {};  ///< by which it is asked for, too
};

const std::vector<Topic>& topics();
std::vector<std::string> topic_names();
/// The name of the topic that has this other word; empty: none.
std::string_view name_of_topic(std::string_view other_word);

}  // namespace plimsoll
