#include "cli/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plimsoll {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

std::vector<std::string> after(const std::vector<std::string>& words) {
  std::vector<std::string> texts;
  for (const Completions::Word& word : complete(words).words) texts.push_back(word.text);
  return texts;
}

TEST(Completion, offers_verbs_first) {
  EXPECT_THAT(after({"r"}), ElementsAre("run", "replay", "runs"));
  EXPECT_THAT(after({""}), Contains("list"));
  EXPECT_THAT(after({"--"}), ElementsAre("--help", "--version"));
  EXPECT_THAT(after({"nosuch", ""}), IsEmpty());
  EXPECT_THAT(after({}), IsEmpty());
}

TEST(Completion, offers_the_flags_of_the_verb_that_are_not_given_yet) {
  EXPECT_THAT(after({"run", "--prefix"}), ElementsAre("--prefix-tokens"));
  EXPECT_THAT(after({"replay", "--prefix"}), IsEmpty());
  EXPECT_THAT(after({"run", "--see"}), ElementsAre("--seed"));
  EXPECT_THAT(after({"run", "--seed", "1", "--see"}), IsEmpty());
  EXPECT_THAT(after({"run", "--seed=1", "--see"}), IsEmpty());
  EXPECT_THAT(after({"run", ""}), Contains("--model"));
  EXPECT_THAT(after({"run", "--json", "--qui"}), ElementsAre("--quiet"));
}

TEST(Completion, offers_the_values_of_a_flag) {
  EXPECT_THAT(after({"run", "--scheduler", "s"}), ElementsAre("sjf"));
  EXPECT_THAT(after({"run", "--hardware", "H1"}), Contains("H100"));
  EXPECT_THAT(after({"run", "--hardware", "H1"}), Not(Contains("A10G")));
  EXPECT_THAT(after({"run", "--rate", ""}), IsEmpty());
  EXPECT_THAT(after({"run", "--log", ""}), Not(Contains("debug")));
}

TEST(Completion, takes_the_part_of_a_model_after_the_slash) {
  EXPECT_THAT(after({"run", "--model", "qwen/qwen3-14"}), ElementsAre("qwen/qwen3-14b"));
  EXPECT_THAT(after({"run", "--model", "qwen3-14"}), ElementsAre("qwen3-14b"));
}

TEST(Completion, understands_an_equals_sign_as_one_word_or_three) {
  EXPECT_THAT(after({"run", "--scheduler=s"}), ElementsAre("--scheduler=sjf"));
  EXPECT_THAT(after({"run", "--scheduler", "=", "s"}), ElementsAre("sjf"));
  EXPECT_THAT(after({"run", "--color", "="}), ElementsAre("auto", "always", "never"));
  EXPECT_TRUE(complete(std::vector<std::string>{"replay", "--trace="}).files);
  EXPECT_TRUE(complete(std::vector<std::string>{"replay", "--trace", "="}).files);
  EXPECT_THAT(after({"run", "=", "x"}), IsEmpty());
  EXPECT_THAT(after({"run", "="}), IsEmpty());
}

TEST(Completion, offers_the_next_item_of_a_list) {
  EXPECT_THAT(after({"run", "--detectors", "c"}), ElementsAre("composite"));
  EXPECT_THAT(after({"run", "--detectors", "composite,"}),
              ElementsAre("composite,threshold", "composite,backlog-drift"));
  EXPECT_THAT(after({"run", "--routing-scorers", "kv-utilization:2,queue"}),
              ElementsAre("kv-utilization:2,queue-depth:1"));
  EXPECT_THAT(after({"run", "--fitness-weights=p99_t"}),
              ElementsAre("--fitness-weights=p99_ttft:1"));
  EXPECT_THAT(after({"run", "--warmup", ""}), ElementsAre("none", "auto"));
}

TEST(Completion, offers_the_next_item_where_the_shell_parts_words_at_colons) {
  EXPECT_THAT(after({"run", "--routing-scorers", "kv-utilization", ":", "2,queue"}),
              ElementsAre("2,queue-depth:1"));
  EXPECT_THAT(after({"run", ":", "x"}), IsEmpty());
}

TEST(Completion, asks_for_file_names_where_a_file_is_meant) {
  EXPECT_TRUE(complete(std::vector<std::string>{"replay", "--trace", ""}).files);
  EXPECT_FALSE(complete(std::vector<std::string>{"replay", "--model", ""}).files);
  EXPECT_EQ(completion_lines({{}, true}), ":files\n");
}

TEST(Completion, offers_what_a_verb_takes_beside_flags) {
  EXPECT_THAT(after({"list", "sch"}), ElementsAre("schedulers"));
  EXPECT_THAT(after({"list", "--"}), ElementsAre("--price-file", "--json", "--help"));
  EXPECT_THAT(after({"completion", ""}), ElementsAre("bash", "zsh", "fish"));
}

}  // namespace
}  // namespace plimsoll
