#include "cli/variants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plimsoll {
namespace {

using testing::ElementsAre;

Command command_of(const std::vector<std::string>& words) {
  return *parse_command(*find_verb("compare"), words);
}

std::string compare_error_of(const std::vector<std::string>& words) {
  const auto variants = read_variants(command_of(words));
  return variants ? "" : format(variants.error());
}

TEST(SplitWords, splits_at_spaces_outside_of_quotes) {
  EXPECT_THAT(*split_words("  --a  1 "), ElementsAre("--a", "1"));
  EXPECT_THAT(*split_words("--a 'x y' --b=\"it's\""), ElementsAre("--a", "x y", "--b=it's"));
  EXPECT_THAT(*split_words("--a ''"), ElementsAre("--a", ""));
  EXPECT_THAT(*split_words(""), ElementsAre());
  EXPECT_FALSE(split_words("--a 'x"));
}

TEST(ReadVariants, a_word_for_nothing_given_has_its_form) {
  EXPECT_THAT(compare_error_of({"--model", "m", "--vary", "quantization=bf16,fp8"}),
              testing::HasSubstr("--variant \"bf16:\" beside --vary is the one without this flag"));
  EXPECT_THAT(compare_error_of({"--model", "m", "--vary", "quantization=fp9,fp8"}),
              testing::Not(testing::HasSubstr("--variant")));
  EXPECT_TRUE(read_variants(
      command_of({"--model", "m", "--vary", "quantization=fp8", "--variant", "none:"})));
}

TEST(ReadVariants, own_flags_stand_in_for_common_ones) {
  const auto variants = read_variants(
      command_of({"--model", "m", "--num-instances", "3", "--no-prefix-caching", "--variant",
                  "as it is:", "--variant", "two: --num-instances 2 --no-prefix-caching=false"}));
  ASSERT_TRUE(variants);
  ASSERT_EQ(variants->size(), 2u);
  EXPECT_EQ((*variants)[0].name, "as it is");
  EXPECT_TRUE((*variants)[0].own.empty());
  EXPECT_EQ((*variants)[0].command.options.run.cluster.num_instances, 3);
  EXPECT_TRUE((*variants)[0].command.options.run.engine.no_prefix_caching);
  EXPECT_EQ((*variants)[1].name, "two");
  EXPECT_EQ((*variants)[1].own.find("--num-instances")->second, "2");
  EXPECT_EQ((*variants)[1].command.options.run.cluster.num_instances, 2);
  EXPECT_FALSE((*variants)[1].command.options.run.engine.no_prefix_caching);
  EXPECT_EQ((*variants)[1].command.options.run.model.id, "m");
}

TEST(ReadVariants, varied_ones_come_first_and_are_named_by_their_values) {
  const auto variants = read_variants(
      command_of({"--variant", "even: --routing-policy weighted --routing-scorers load-balance:1",
                  "--vary", "routing-policy=round-robin,least-loaded"}));
  ASSERT_TRUE(variants);
  ASSERT_EQ(variants->size(), 3u);
  EXPECT_EQ((*variants)[0].name, "round-robin");
  EXPECT_EQ((*variants)[1].command.options.run.cluster.router, "least-loaded");
  EXPECT_EQ((*variants)[2].name, "even");
  const auto numbers = read_variants(command_of({"--vary=--num-instances=4,5"}));
  ASSERT_TRUE(numbers);
  EXPECT_EQ((*numbers)[1].name, "num-instances=5");
}

TEST(ReadVariants, refuses_what_would_change_the_traffic) {
  for (const char* flag : {"--rate 5", "--seed 1", "--prompt-tokens 100", "--trace x.csv",
                           "--horizon 5", "--think-time-ms 5", "--semantics blis"}) {
    EXPECT_NE(compare_error_of({"--variant", "a:", "--variant", std::string("b: ") + flag})
                  .find("changes the traffic"),
              std::string::npos)
        << flag;
  }
}

TEST(ReadVariants, refuses_what_must_be_measured_alike) {
  for (const char* flag : {"--slo-ttft 1s", "--warmup auto", "--json", "--seeds 3", "--vary a=b"}) {
    EXPECT_NE(compare_error_of({"--variant", "a:", "--variant", std::string("b: ") + flag})
                  .find("must be the same for all variants"),
              std::string::npos)
        << flag;
  }
}

TEST(ReadVariants, errors_name_their_variant) {
  EXPECT_EQ(compare_error_of({"--variant", "a: --num-instances none", "--variant", "b: --tpp 1"}),
            "error: variant \"a\": --num-instances must be a whole number from 1 to 100000, not "
            "\"none\"\n"
            "error: variant \"b\": unknown flag --tpp\n"
            "  did you mean --tp?\n");
}

TEST(ReadVariants, takes_no_fewer_than_two_with_names_of_their_own) {
  const std::string form =
      "  give --variant \"NAME: FLAGS\", such as --variant \"busy: "
      "--routing-policy weighted --num-instances 4\"\n";
  EXPECT_EQ(compare_error_of({}).find("error: no variants given"), 0u);
  EXPECT_EQ(compare_error_of({"--variant", "a:"}).find("error: \"a\" is the only variant"), 0u);
  EXPECT_EQ(compare_error_of({"--variant=--tp 2", "--variant", "b:"}),
            "error: --variant \"--tp 2\" has no name\n" + form);
  EXPECT_EQ(compare_error_of({"--variant", ": --tp 2", "--variant", "b:"}),
            "error: --variant \": --tp 2\" has no name\n" + form);
  EXPECT_EQ(compare_error_of({"--variant", "a:", "--variant", "a:"}),
            "error: two variants are called \"a\"\n");
  EXPECT_EQ(compare_error_of({"--vary", "tp=2,2"}), "error: two variants are called \"tp=2\"\n");
  EXPECT_NE(compare_error_of({"--variant", std::string(31, 'x') + ":", "--variant", "b:"})
                .find("is longer than 30 bytes"),
            std::string::npos);
}

TEST(ReadVariants, vary_wants_a_flag_with_values) {
  EXPECT_EQ(compare_error_of({"--vary", "num-instancs=1,2"}),
            "error: --vary names an unknown flag --num-instancs\n"
            "  did you mean --num-instances?\n");
  EXPECT_EQ(compare_error_of({"--vary", "tp"}),
            "error: --vary must be FLAG=VALUE,VALUE, not \"tp\"\n  such as --vary tp=1,2,4\n");
  EXPECT_EQ(compare_error_of({"--vary", "tp="}),
            "error: --vary must be FLAG=VALUE,VALUE, not \"tp=\"\n  such as --vary tp=1,2,4\n");
  EXPECT_NE(compare_error_of({"--vary", "routing-scorers=a:1,b:2"}).find("they contain commas"),
            std::string::npos);
  EXPECT_EQ(compare_error_of({"--vary", "tp=1,"}),
            "error: variant \"tp=\": --tp must be a whole number from 1 to 1024, not \"\"\n");
}

}  // namespace
}  // namespace plimsoll
