#include "planner/candidate.h"

#include <gtest/gtest.h>

#include "planner/plan_request.h"

namespace plimsoll {
namespace {

TEST(Candidate, has_each_format_of_weights_of_the_space) {
  const auto request =
      parse_plan_request("config_space: {gpu_types: [H100], quantization: [none, fp8]}", "r.yaml");
  ASSERT_TRUE(request);
  const auto all = candidates_of(*request);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_FALSE(all[0].quantizes());
  EXPECT_TRUE(all[1].quantizes());
  EXPECT_NE(all[0].machine(), all[1].machine()) << "what one is refused for, the other may take";
  EXPECT_NE(all[0].engine(), all[1].engine()) << "a request that is alone is served otherwise";
  EXPECT_EQ(describe(all[1]), "H100 (TP1, fp8 weights)");
}

TEST(Candidate, has_no_weights_that_nobody_knows) {
  const auto request = parse_plan_request("config_space: {quantization: [fp7]}", "r.yaml");
  ASSERT_FALSE(request);
  EXPECT_EQ(request.error().diagnostics.front().message,
            "unknown value \"fp7\" of \"quantization\"");
}

}  // namespace
}  // namespace plimsoll
