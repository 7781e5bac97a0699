#include "report/form/page.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

TEST(WholeQuantities, KeepNumbersAndUnitsTogether) {
  EXPECT_EQ(with_whole_quantities("1.22 s at 64.0 req/s, 8.9 %"),
            "1.22\u00a0s at 64.0\u00a0req/s, 8.9\u00a0%");
  EXPECT_EQ(with_whole_quantities("<td>1,234 ms</td>"), "<td>1,234\u00a0ms</td>");
}

TEST(WholeQuantities, KeepDatesOnOneLine) {
  EXPECT_EQ(with_whole_quantities("by 2026-12-21 (50 %)"),
            "by <time>2026-12-21</time> (50\u00a0%)");
  EXPECT_EQ(with_whole_quantities("<td>2026-12-21T06:00Z</td>"),
            "<td><time>2026-12-21T06:00Z</time></td>");
  for (const char* text : {"12026-12-21", "a-2026-12-21", "2026-12-21-a", "2026-12-2",
                           "<time>2026-12-21</time>", "<svg><text>2026-12-21</text></svg>"})
    EXPECT_EQ(with_whole_quantities(text), text);
}

TEST(WholeQuantities, AreNoNamesAndNoWords) {
  for (const char* text : {"TTFT p99 ms", "2 servers", "2 x H100", "10.0 req/s/GPU", "a s", "1 "})
    EXPECT_EQ(with_whole_quantities(text), text);
}

TEST(WholeQuantities, LeaveTagsScriptsAndCommandsAlone) {
  for (const char* text : {"<a title=\"2 s\">", "<script>x = 2 %3</script>", "<pre>wait 2 s</pre>",
                           "<script>2 s", "<pre", "<"})
    EXPECT_EQ(with_whole_quantities(text), text);
}

}  // namespace
}  // namespace plimsoll
