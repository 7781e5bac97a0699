#include "cli/glossary.h"

#include <gtest/gtest.h>

#include <set>

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

}  // namespace
}  // namespace plimsoll
