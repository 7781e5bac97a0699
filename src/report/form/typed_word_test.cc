#include "report/form/field_text.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

TEST(TypedWord, is_what_a_shell_takes) {
  EXPECT_EQ(typed_word("--rate=10"), " --rate 10");
  EXPECT_EQ(typed_word("--workload-spec=my traffic/it's.yaml"),
            " --workload-spec 'my traffic/it'\\''s.yaml'");
  EXPECT_EQ(typed_word("--routing-scorers=a:1,b:2"), " --routing-scorers a:1,b:2");
}

TEST(TypedWord, gives_a_switch_no_word_of_its_own_for_a_value) {
  EXPECT_EQ(typed_word("--enable-expert-parallel"), " --enable-expert-parallel");
  EXPECT_EQ(typed_word("--no-prefix-caching=false"), " --no-prefix-caching=false");
}

}  // namespace
}  // namespace plimsoll
