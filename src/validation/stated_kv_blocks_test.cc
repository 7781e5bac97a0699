// How far is the computed KV cache from that of real engines? Two deployments of the shared cases
// state their blocks; docs/explanation/latency-models.md has the table.
#include <filesystem>

#include <gtest/gtest.h>

#include "catalog/catalog.h"
#include "shared_data.h"
#include "validation/case.h"
#include "validation/case_simulation.h"

namespace plimsoll {
namespace {

struct Stated {
  const char* folder;
  std::int64_t blocks;
  double error;  ///< of ours
};

const Stated kStated[] = {
    {"blis-req-llama-2-7b-tp1-h100-general", 7462, 0.002},
    {"blis-req-codellama-34b-tp2-h100-general", 26602, 0.003},
};

TEST(StatedKvBlocks, are_as_near_as_the_docs_say) {
  const auto shared = shared_data_folder();
  if (!shared) GTEST_SKIP() << "no shared cases here";
  for (const Stated& stated : kStated) {
    const auto folder = *shared / "data" / "cases" / stated.folder;
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no " << folder;
    auto measured = read_case(folder.string());
    ASSERT_TRUE(measured.has_value()) << format(measured.error());
    EXPECT_EQ(measured->deployment.kv_blocks, stated.blocks) << stated.folder;
    measured->deployment.kv_blocks.reset();
    const auto model = find_model(measured->deployment.model);
    ASSERT_TRUE(model.has_value()) << format(model.error());
    const auto computed = deploy(*measured, model->config, Sampling::greedy, "kernel", nullptr, 0);
    ASSERT_TRUE(computed.has_value()) << format(computed.error());
    const auto blocks = static_cast<double>(computed->deployment.main().engine.total_kv_blocks);
    EXPECT_NEAR(blocks / static_cast<double>(stated.blocks) - 1, stated.error, 0.001)
        << stated.folder;
  }
}

}  // namespace
}  // namespace plimsoll
