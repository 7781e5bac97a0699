#include "report/form/glossary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plimsoll {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(Glossary, are_the_rows_of_tables_as_plain_text) {
  const auto found = definitions_in(
      "# Page\n"
      "a | b is no table\n"
      "| term | meaning |\n"
      "|---|---|\n"
      "| load, offered rate | what *arrives* ([page](x.md)) |\n"
      "\n"
      "## Counts\n"
      "| key | unit | definition |\n"
      "|---|---|---|\n"
      "| `ttft` (`p50` *new*, `p99`) | s | *new*: first `token` |\n"
      "| `empty` |  | known |",
      "page");
  ASSERT_EQ(found.size(), 3u);
  EXPECT_THAT(found[0].names, ElementsAre("load", "offered rate"));
  EXPECT_EQ(found[0].source, "page");
  EXPECT_THAT(found[0].facts, ElementsAre(Pair("meaning", "what arrives (page)")));
  EXPECT_THAT(found[1].names, ElementsAre("ttft"));
  EXPECT_EQ(found[1].source, "page, Counts");
  EXPECT_THAT(found[1].facts, ElementsAre(Pair("unit", "s"), Pair("definition", "first token")));
  EXPECT_THAT(found[2].facts, ElementsAre(Pair("definition", "known")));
  EXPECT_THAT(found[1].values, ElementsAre("token"));
}

TEST(Glossary, survive_damaged_tables) {
  for (const char* page : {"", "|", "||", "| a |", "| a |\n|---|", "| a |\n|---|\n|", "|a\n|-\n|b",
                           "| a |\n|---|\n| [x](y |", "| a | b |\n|---|---|\n| c | `d |",
                           "| a | b |\n|---|---|\n| c | d | e |"}) {
    for (const Definition& definition : definitions_in(page, "page")) {
      EXPECT_FALSE(definition.names.empty());
    }
  }
}

TEST(Glossary, know_metrics_of_vllm_by_their_names) {
  const auto all = definitions_of_pages();
  for (const char* word : {"vllm:num_requests_running", "num_requests_running"})
    EXPECT_EQ(definitions_of(all, word).size(), 1U) << word;
}

// "ttft_p99" is a key of JSON as well, of something else.
TEST(Glossary, explain_a_percentile_by_its_metric_before_any_key_of_json) {
  const auto all = definitions_of_pages();
  for (const char* word : {"TTFT p99", "ttft_p99", "TTFT p99 ms", "TTFT (P99)", "p50_ttft_ms"}) {
    const auto found = definitions_of(all, word);
    ASSERT_FALSE(found.empty()) << word;
    EXPECT_EQ(found[0].names[0], "TTFT") << word;
  }
}

}  // namespace
}  // namespace plimsoll
