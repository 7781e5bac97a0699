#include "cli/glossary.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

namespace plimsoll {
namespace {

TEST(Glossary, of_the_program_hold_words_figures_flags_and_names) {
  const std::vector<std::string> words = explained_words();
  const std::set<std::string> known(words.begin(), words.end());
  for (const char* word :
       {"goodput", "ttft", "utilization", "max-num-seqs", "sjf", "h100", "run"}) {
    EXPECT_TRUE(known.contains(word)) << word;
  }
}

TEST(Glossary, finds_words_as_they_are_printed) {
  const auto all = all_definitions();
  ASSERT_TRUE(all);
  for (const auto& [printed, name] :
       {std::pair("the model's error", "model's error"), std::pair("TP2", "DP"),
        std::pair("PP16", "DP"), std::pair("lowest, median, highest", "lowest")}) {
    const std::vector<Definition> found = senses_of(*all, printed);
    ASSERT_FALSE(found.empty()) << printed;
    EXPECT_EQ(found[0].names[0], name);
  }
  EXPECT_TRUE(senses_of(*all, "H10").empty());
}

TEST(Glossary, says_first_what_a_word_means_on_the_terminal) {
  const auto all = all_definitions();
  ASSERT_TRUE(all);
  for (const auto& [word, source] :
       {std::pair("steady", "glossary"), std::pair("batch", "glossary"),
        std::pair("seed", "glossary"), std::pair("--seed", "flag"),
        std::pair("lever", "labels, Lines of every report")}) {
    const std::vector<Definition> found = senses_of(*all, word);
    ASSERT_FALSE(found.empty()) << word;
    EXPECT_EQ(found[0].source, source) << word;
  }
}

}  // namespace
}  // namespace plimsoll
