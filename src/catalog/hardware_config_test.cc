#include "catalog/gpu.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

constexpr const char* kRow =
    "\"TFlopsPeak\": 989.5, \"TFlopsFP8\": 1979.0, \"BwPeakTBs\": 3.35, \"mfuPrefill\": 0.45,"
    " \"mfuDecode\": 0.3, \"MemoryGiB\": 80.0";

TEST(HardwareConfig, finds_a_gpu_in_any_case) {
  const std::string text = std::string("{\"X\": {") + kRow + "}, \"H100\": {" + kRow + "}}";
  const auto gpu = parse_hardware_config(text, "hw.json", "h100");
  ASSERT_TRUE(gpu.has_value()) << format(gpu.error());
  EXPECT_EQ(gpu->name, "H100");
  EXPECT_EQ(gpu->tflops_bf16, 989.5);
  EXPECT_EQ(gpu->tflops_fp8, 1979);
  EXPECT_EQ(gpu->memory_bandwidth_tb_s, 3.35);
  EXPECT_EQ(gpu->mfu_prefill, 0.45);
  EXPECT_EQ(gpu->mfu_decode, 0.3);
  EXPECT_EQ(gpu->memory_gib, 80);
}

TEST(HardwareConfig, takes_a_gpu_without_a_memory_size) {
  const auto gpu = parse_hardware_config(
      "{\"X\": {\"TFlopsPeak\": 1, \"BwPeakTBs\": 1, \"mfuPrefill\": 1, \"mfuDecode\": 1}}",
      "hw.json", "X");
  ASSERT_TRUE(gpu.has_value()) << format(gpu.error());
  EXPECT_EQ(gpu->memory_gib, 0);
}

TEST(HardwareConfig, names_kernels_that_are_built_in_or_lie_beside_it) {
  const auto with = [](const std::string& kernels) {
    return parse_hardware_config(
        std::string("{\"X\": {") + kRow + ", \"PcieGBs\": 32, \"Kernels\": \"" + kernels + "\"}}",
        "folder/hw.json", "X");
  };
  const auto built_in = with("ada");
  ASSERT_TRUE(built_in.has_value()) << format(built_in.error());
  EXPECT_EQ(built_in->kernels, "ada");
  EXPECT_FALSE(built_in->kernels_measured);
  EXPECT_EQ(built_in->pcie_gb_s, 32);
  const auto own = with("mine.yaml");
  ASSERT_TRUE(own.has_value()) << format(own.error());
  EXPECT_EQ(own->kernels, "folder/mine.yaml");
  EXPECT_TRUE(own->kernels_measured);
  const auto unknown = with("hoper");
  ASSERT_FALSE(unknown.has_value());
  EXPECT_NE(format(unknown.error()).find("did you mean \"hopper\"?"), std::string::npos)
      << format(unknown.error());
}

TEST(HardwareConfig, gives_one_clear_error_for_what_is_unusable) {
  const std::pair<std::string, std::string> cases[] = {
      {std::string("{\"H100\": {") + kRow + "}}", "hw.json: error: no GPU \"H200\" here"},
      {"{\"H200\": 3}", "\"H200\" must hold keys and values, got 3"},
      {"{\"H200\": {}}", "missing key \"TFlopsPeak\""},
      {std::string("{\"H200\": {") + kRow + ", \"memoryGiB\": 1}}", "unknown key \"memoryGiB\""},
      {"{\"H200\": {\"TFlopsPeak\": -1}}", "\"TFlopsPeak\" must be greater than 0, got -1"},
      {"{\"H200\": {\"mfuPrefill\": 45}}", "at most 1, got 45"},
      {"{\"H200\": {\"BwPeakTBs\": NaN}}", "\"BwPeakTBs\" must be a number, got NaN"},
  };
  for (const auto& [text, message] : cases) {
    const auto gpu = parse_hardware_config(text, "hw.json", "H200");
    ASSERT_FALSE(gpu.has_value()) << text;
    EXPECT_NE(format(gpu.error()).find(message), std::string::npos) << format(gpu.error());
  }
}

TEST(HardwareConfig, takes_nodes_and_their_network) {
  const auto gpu = parse_hardware_config(
      std::string("{\"X\": {") + kRow + ", \"GpusPerNode\": 4, \"NetworkGBs\": 12.5}}", "hw.json",
      "X");
  ASSERT_TRUE(gpu.has_value()) << format(gpu.error());
  EXPECT_EQ(gpu->gpus_per_node, 4);
  EXPECT_EQ(gpu->network_gb_s, 12.5);
}

}  // namespace
}  // namespace plimsoll
