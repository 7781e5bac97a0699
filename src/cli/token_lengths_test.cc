#include "cli/token_lengths.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "cli/parse.h"
#include "workload/synthetic.h"

namespace plimsoll {
namespace {

GaussianLength prompt(const std::vector<std::string>& words,
                      SemanticsMode mode = SemanticsMode::vllm) {
  const auto parsed = parse_command(*find_verb("run"), words);
  return parsed ? prompt_length(parsed->options, Semantics::of(mode)) : GaussianLength{};
}

TEST(TokenLengths, are_those_of_the_reference_where_nothing_is_said) {
  EXPECT_EQ(prompt({}), GaussianLength({512, 256, 2, 7000}));
}

TEST(TokenLengths, follow_a_mean_that_is_said) {
  EXPECT_EQ(prompt({"--prompt-tokens", "8000"}), GaussianLength({8000, 4000, 2, 109'375}));
  EXPECT_EQ(prompt({"--prompt-tokens", "100"}), GaussianLength({100, 50, 2, 1367}));
  EXPECT_EQ(prompt({"--prompt-tokens", "8000"}, SemanticsMode::blis),
            GaussianLength({8000, 256, 2, 7000}));
}

TEST(TokenLengths, keep_what_is_said) {
  EXPECT_EQ(prompt({"--prompt-tokens", "4000", "--prompt-tokens-stdev", "0"}),
            GaussianLength({4000, 0, 2, 54'688}));
  EXPECT_EQ(prompt({"--prompt-tokens", "100", "--prompt-tokens-min", "80"}),
            GaussianLength({100, 80, 80, 1367}));
}

RC_GTEST_PROP(TokenLengths, are_never_refused_for_a_mean_alone, ()) {
  const auto mean = *rc::gen::inRange<std::int64_t>(1, 50'000'000);
  const GaussianLength length = prompt({"--prompt-tokens", std::to_string(mean)});
  RC_ASSERT(validate(length, "--prompt-tokens").has_value());
  RC_ASSERT(length.mean == static_cast<double>(mean));
}

}  // namespace
}  // namespace plimsoll
