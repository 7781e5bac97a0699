#include "cli/topics.h"

#include <gtest/gtest.h>

#include <set>

namespace plimsoll {
namespace {

TEST(Topics, have_names_that_are_used_once_and_tables_with_rows_as_wide_as_their_head) {
  std::set<std::string_view> names;
  for (const Topic& topic : topics()) {
    EXPECT_TRUE(names.insert(topic.name).second) << topic.name;
    const auto table = topic.table();
    ASSERT_TRUE(table) << topic.name;
    EXPECT_FALSE(table->rows.empty()) << topic.name;
    std::set<std::string> rows;
    for (const auto& row : table->rows) {
      ASSERT_EQ(row.size(), table->columns.size()) << topic.name;
      EXPECT_TRUE(rows.insert(row[0]).second || !topic.explains) << topic.name << ' ' << row[0];
    }
  }
}

}  // namespace
}  // namespace plimsoll
