// Is every config.json of a published model read right, or refused with one clear sentence? And do
// the entries of the catalog say what those files say? Skipped where the files are not at hand.
#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/hf_config.h"
#include "shared_data.h"

namespace plimsoll {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> config_folders() {
  const auto shared = shared_data_folder();
  std::vector<fs::path> folders;
  if (!shared || !fs::exists(*shared / "data/model-configs")) return folders;
  for (const auto& entry : fs::directory_iterator(*shared / "data/model-configs")) {
    if (entry.is_directory()) folders.push_back(entry.path());
  }
  return folders;
}

// "Qwen--Qwen3-14B" holds Qwen/Qwen3-14B.
std::string id_of(const fs::path& folder) {
  std::string id = folder.filename().string();
  return id.replace(id.find("--"), 2, "/");
}

TEST(RealConfigs, are_read_or_refused_with_one_sentence) {
  const std::vector<fs::path> folders = config_folders();
  if (folders.empty()) GTEST_SKIP() << "no model configurations here";
  std::size_t refused = 0;
  for (const fs::path& folder : folders) {
    const auto model = read_model_config(folder.string(), id_of(folder));
    if (model) continue;
    ++refused;
    EXPECT_EQ(model.error().diagnostics.size(), 1u) << format(model.error());
    EXPECT_NE(folder.string().find("DeepSeek-V4"), std::string::npos) << format(model.error());
    EXPECT_NE(format(model.error()).find("\"compress_ratios\" describes is not modelled"),
              std::string::npos);
  }
  EXPECT_EQ(refused, 6u);
}

// These copies are not what the hub has: one names its window in the words of another engine, one
// lost its quantization_config.
constexpr std::string_view kRewritten[]{"mistralai/mistral-7b-v0.1", "moonshotai/kimi-k2-thinking"};

TEST(RealConfigs, say_what_the_catalog_says) {
  const std::vector<fs::path> folders = config_folders();
  if (folders.empty()) GTEST_SKIP() << "no model configurations here";
  std::size_t compared = 0;
  for (const fs::path& folder : folders) {
    const auto entry = find_model(to_lower(id_of(folder)));
    if (!entry) continue;
    const auto read = read_model_config(folder.string(), id_of(folder));
    ASSERT_TRUE(read.has_value()) << format(read.error());
    ++compared;
    if (std::ranges::count(kRewritten, entry->config.id) > 0) continue;
    ModelConfig file = *read;
    ModelConfig ours = entry->config;
    // The catalog names the type that such models are served in.
    if (file.compute_bytes == 0) {
      file.compute_bytes = ours.compute_bytes;
      file.weight_bytes = ours.weight_bytes;
    }
    file.architecture = ours.architecture;              // the catalog holds decoders alone
    file.first_dense_layers = ours.first_dense_layers;  // some files list the layers instead
    EXPECT_EQ(file.layers_by_kind, ours.layers_by_kind) << ours.id;
    EXPECT_EQ(file.quantization, ours.quantization) << ours.id;
    EXPECT_EQ(file.max_model_len, ours.max_model_len) << ours.id;
    EXPECT_EQ(file.weight_bytes, ours.weight_bytes) << ours.id;
    EXPECT_EQ(file, ours) << ours.id;
  }
  EXPECT_GE(compared, 100u);
}

}  // namespace
}  // namespace plimsoll
