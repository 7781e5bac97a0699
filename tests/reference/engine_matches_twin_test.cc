// Does the engine give exactly what the naive twin gives, whatever the input?
#include <gtest/gtest.h>

#include <rapidcheck.h>
#include <string>

#include "reference/case.h"
#include "reference/random_case.h"

namespace plimsoll::reference {
namespace {

bool equal_on_random_clusters(const Semantics& semantics) {
  configure_rapidcheck();
  return rc::check("product and twin agree on every number", [&] {
    const Case scenario = *rc::gen::exec([&] { return pick_case(semantics); });
    const std::string found = differences(scenario);
    if (!found.empty()) RC_FAIL(found + "\n" + to_code(scenario));
  });
}

TEST(EngineMatchesTwin, OnRandomClustersInBlis) {
  EXPECT_TRUE(equal_on_random_clusters(Semantics::blis()));
}

TEST(EngineMatchesTwin, OnRandomClustersInVllm) {
  EXPECT_TRUE(equal_on_random_clusters(Semantics::vllm()));
}

TEST(EngineMatchesTwin, OnRandomClustersInVllmWithSynchronousScheduling) {
  Semantics synchronous = Semantics::vllm();
  synchronous.asynchronous_scheduling = false;
  EXPECT_TRUE(equal_on_random_clusters(synchronous));
}

}  // namespace
}  // namespace plimsoll::reference
