#include "report/form/page.h"

#include <gmock/gmock.h>

namespace plimsoll {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(DataTable, SaysTextsOnceAndHowOftenTheyStand) {
  DataTable table("all", "see --json", {"GPU", "empty", "why"});
  for (int i = 0; i < 3; ++i) table.add({"H100", "", i == 1 ? "dear" : "slow"});
  EXPECT_THAT(table.markup(), HasSubstr(R"({"head":"GPU","texts":["H100"],"runs":"0*3"})"));
  EXPECT_THAT(table.markup(), HasSubstr(R"("texts":["slow","dear"],"runs":"0 1 0")"));
  EXPECT_THAT(table.markup(), Not(HasSubstr("empty")));
}

TEST(DataTable, KeepsMarkupOutOfTheScript) {
  DataTable table("all", "<none>", {"name"});
  table.add({"</script><b>&amp;"});
  EXPECT_THAT(table.markup(), Not(HasSubstr("</script><b>")));
  EXPECT_THAT(table.markup(), HasSubstr("\\u003c/script>"));
  EXPECT_THAT(table.markup(), HasSubstr("&lt;none&gt;"));
}

TEST(DataTable, OfNothingIsNothing) { EXPECT_EQ(DataTable("all", "", {"name"}).markup(), ""); }

}  // namespace
}  // namespace plimsoll
