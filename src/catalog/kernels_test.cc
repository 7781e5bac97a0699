#include "catalog/kernels.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace plimsoll {
namespace {

constexpr const char* kGemm =
    "{compute: 0.7, row_padding: 0, depth_padding: 0, memory: 0.8, launch_us: 5, sharpness: 3, "
    "quantise: 0}";

class KernelFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ =
        (std::filesystem::temp_directory_path() /
         ("plimsoll_kernels_" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) +
          "_" + ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".yaml"))
            .string();
  }
  void TearDown() override { std::filesystem::remove(path_); }
  Result<Kernels> read(const std::string& text) const {
    std::ofstream(path_) << "source: test\n" << text;
    return find_kernels(path_);
  }

  std::string path_;
};

TEST_F(KernelFiles, come_first_and_the_rest_is_the_mean_of_all) {
  const auto kernels = read(std::string("otherwise: []\ngemm:\n  bf16: ") + kGemm + "\n");
  ASSERT_TRUE(kernels.has_value()) << format(kernels.error());
  const GemmEfficiency* gemm = kernels->find(&KernelSet::gemm, {"bf16"});
  ASSERT_NE(gemm, nullptr);
  EXPECT_EQ(gemm->compute, 0.7);
  EXPECT_NE(kernels->find(&KernelSet::experts, {"int4"}), nullptr);
  EXPECT_NE(kernels->find(&KernelSet::all_reduce, {"pcie"}), nullptr);
  EXPECT_NE(kernels->find(&KernelSet::latent_attention, {"fp8-blocks/bf16"}), nullptr);
}

TEST_F(KernelFiles, with_names_that_nothing_looks_for_are_refused) {
  const std::pair<std::string, std::string> cases[] = {
      {std::string("otherwise: []\ngemm:\n  bf61: ") + kGemm + "\n", "did you mean \"bf16\"?"},
      {"otherwise: [hoper]\n", "did you mean \"hopper\"?"},
      {"otherwise: []\ngem:\n  bf16: 3\n", "did you mean \"gemm\"?"},
      {"otherwise: []\ngemm:\n  bf16: {compute: 1.5}\n", "\"compute\" must be"},
  };
  for (const auto& [text, message] : cases) {
    const auto kernels = read(text);
    ASSERT_FALSE(kernels.has_value()) << text;
    EXPECT_NE(format(kernels.error()).find(message), std::string::npos) << format(kernels.error());
  }
}

TEST_F(KernelFiles, that_are_missing_are_named) {
  const auto kernels = find_kernels("nowhere.yaml");
  ASSERT_FALSE(kernels.has_value());
  EXPECT_NE(format(kernels.error()).find("nowhere.yaml"), std::string::npos);
}

std::string set_of(const std::string& name, Engine engine) {
  const auto kernels = find_kernels(name, engine);
  return kernels ? kernels->sets.front().name : format(kernels.error());
}

TEST(Kernels, are_those_of_the_engine_where_they_were_measured) {
  EXPECT_EQ(set_of("hopper", Engine::vllm), "hopper");
  EXPECT_EQ(set_of("hopper", Engine::trtllm), "hopper-trtllm");
  EXPECT_EQ(set_of("blackwell", Engine::sglang), "blackwell-sglang");
  EXPECT_EQ(set_of("ampere", Engine::sglang), "ampere");
  EXPECT_EQ(set_of("", Engine::trtllm), "default");
}

TEST(Kernels, know_engines_by_name) {
  for (const Engine engine : {Engine::vllm, Engine::sglang, Engine::trtllm}) {
    EXPECT_EQ(engine_of(name_of(engine)), engine);
    EXPECT_TRUE(read_step_overheads(engine).has_value());
  }
  EXPECT_FALSE(engine_of("VLLM").has_value());
}

}  // namespace
}  // namespace plimsoll
