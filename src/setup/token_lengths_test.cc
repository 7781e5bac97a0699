#include "setup/traffic.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "workload/synthetic.h"

namespace plimsoll {
namespace {

GaussianLength length(const LengthSpec& asked, SemanticsMode mode = SemanticsMode::vllm) {
  return length_of(asked, Semantics::of(mode));
}

LengthSpec of_mean(std::int64_t mean) {
  LengthSpec asked;
  asked.mean = mean;
  return asked;
}

TEST(TokenLengths, are_those_of_the_reference_where_nothing_is_said) {
  EXPECT_EQ(length({}), GaussianLength({512, 256, 2, 7000}));
}

TEST(TokenLengths, follow_a_mean_that_is_said) {
  EXPECT_EQ(length(of_mean(8000)), GaussianLength({8000, 4000, 2, 109'375}));
  EXPECT_EQ(length(of_mean(100)), GaussianLength({100, 50, 2, 1367}));
  EXPECT_EQ(length(of_mean(8000), SemanticsMode::blis), GaussianLength({8000, 256, 2, 7000}));
}

TEST(TokenLengths, keep_what_is_said) {
  LengthSpec even = of_mean(4000);
  even.stdev = 0;
  EXPECT_EQ(length(even), GaussianLength({4000, 0, 2, 54'688}));
  LengthSpec long_ones = of_mean(100);
  long_ones.min = 80;
  EXPECT_EQ(length(long_ones), GaussianLength({100, 80, 80, 1367}));
}

RC_GTEST_PROP(TokenLengths, are_never_refused_for_a_mean_alone, ()) {
  const auto mean = *rc::gen::inRange<std::int64_t>(1, 50'000'000);
  const GaussianLength found = length(of_mean(mean));
  RC_ASSERT(validate(found, "--prompt-tokens").has_value());
  RC_ASSERT(found.mean == static_cast<double>(mean));
}

}  // namespace
}  // namespace plimsoll
