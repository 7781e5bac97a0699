#include "setup/hub.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

TEST(HubId, is_an_owner_and_a_name_and_never_a_path) {
  for (const char* id : {"Qwen/Qwen3-14B", "01-ai/Yi-1.5", "a/b", "nvidia/Llama-3_3-x"}) {
    EXPECT_TRUE(is_hub_id(id)) << id;
  }
  for (const char* id :
       {"",       "llama",  "/",          "a/",    "/b",      "a/b/c", "../b",   "a/..",
        "a/.b",   "a/b..c", "a//b",       "a/b c", "a/b?x=1", "a/b#c", "a/b%2f", "a--b/c",
        "a/b--c", "a\\b/c", "\xc3\xa4/b", "a/b\n", "-a/b",    "a/-b"}) {
    EXPECT_FALSE(is_hub_id(id)) << id;
  }
  EXPECT_FALSE(is_hub_id("a/" + std::string(97, 'b')));
}

TEST(HubModel, is_not_downloaded_offline) {
  const auto model = find_hub_model("plimsoll-test/never-published", true);
  ASSERT_FALSE(model.has_value());
  EXPECT_NE(format(model.error()).find("downloads are off"), std::string::npos);
  EXPECT_EQ(exit_code(model.error()), 2);
}

}  // namespace
}  // namespace plimsoll
