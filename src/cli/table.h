// A plain table for people (aligned text) or programs (a JSON array of objects): where nothing else
// is said, the same keys head the columns and name the values.
#pragma once

#include <string>
#include <vector>

#include "report/form/table.h"

namespace plimsoll {

struct Table {
  struct Column {
    std::string key;
    /// To the right in text, without quotes in JSON; "-" where there is none, null in JSON.
    bool is_number = false;
    bool is_json_only = false;  ///< too long for a line of text
    std::string head = {};      ///< in text; empty: the key
  };
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
};

/// Within the width of the style.
std::string as_text(const Table& table, const Style& style);

std::string as_json(const Table& table);

}  // namespace plimsoll
