// Does the engine give exactly what the naive twin gives, whatever the input?
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>

#include "reference/case.h"
#include "reference/random_case.h"

namespace plimsoll::reference {
namespace {

void expect_equal_on_random_clusters(const Semantics& semantics) {
  const auto equal = [&semantics](const Scale& scale) {
    const Case scenario = *rc::gen::exec([&] { return pick_case(semantics, scale); });
    const std::string found = differences(scenario);
    if (!found.empty()) RC_FAIL(found);
  };
  check_property(2000, [&] { equal(kSmall); });
  check_property(300, [&] { equal(kMedium); });
}

TEST(EngineMatchesTwin, on_random_clusters_in_blis) {
  expect_equal_on_random_clusters(Semantics::blis());
}

TEST(EngineMatchesTwin, on_random_clusters_in_vllm) {
  expect_equal_on_random_clusters(Semantics::vllm());
}

TEST(EngineMatchesTwin, on_random_clusters_in_vllm_with_synchronous_scheduling) {
  Semantics synchronous = Semantics::vllm();
  synchronous.asynchronous_scheduling = false;
  expect_equal_on_random_clusters(synchronous);
}

}  // namespace
}  // namespace plimsoll::reference
