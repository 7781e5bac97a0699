#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kv_memory/cases.h"
#include "kv_memory/figures.h"
#include "perf/model_error.h"

namespace plimsoll::kv_memory {
namespace {

const std::vector<LoggedEngine>& cases() {
  static const std::vector<LoggedEngine> all =
      read_cases(PLIMSOLL_SOURCE_DIR "/tests/kv_memory/cases.csv").value();
  return all;
}

TEST(KvMemory, is_what_engines_logged) {
  std::vector<double> errors;
  for (const LoggedEngine& row : cases()) {
    const MemoryFigures here = figures_of(row).value();
    if (const auto left = left_gib(row); left && *left <= 0) {
      EXPECT_LE(here.kv_gib, 0) << row.model.id << ": " << row.source;
    }
    if (const auto error = kv_error(row, here)) {
      EXPECT_LT(std::abs(*error), 10) << row.model.id << ": " << row.source;
      errors.push_back(std::abs(*error));
    }
    if (const auto error = weights_error(row, here)) {
      EXPECT_LT(std::abs(*error), 3.5) << row.model.id << ": " << row.source;
    }
  }
  ASSERT_GE(errors.size(), 25U);
  std::ranges::sort(errors);
  EXPECT_LT(errors[errors.size() / 2], 3);
}

TEST(KvMemory, is_in_the_interval_of_nine_engines_in_ten) {
  int inside = 0;
  int all = 0;
  for (const LoggedEngine& row : cases()) {
    const auto left = left_gib(row);
    if (!left || *left <= 0) continue;
    const MemoryFigures here = figures_of(row).value();
    inside += *row.kv_gib >= here.low_gib && *row.kv_gib <= here.high_gib;
    ++all;
  }
  EXPECT_GE(10 * inside, 9 * all) << inside << " of " << all;
}

TEST(KvMemory, was_seen_on_the_gpus_that_the_interval_knows) {
  std::set<std::string> seen;
  for (const LoggedEngine& row : cases()) {
    if (row.kv_gib) seen.insert(row.gpu.name);
    EXPECT_EQ(has_memory_log(row.gpu), true) << row.gpu.name;
  }
  EXPECT_EQ(seen.size(), 7U);
}

}  // namespace
}  // namespace plimsoll::kv_memory
