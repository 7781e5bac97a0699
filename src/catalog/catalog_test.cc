#include "catalog/catalog.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/text.h"
#include "catalog/embedded.h"

namespace plimsoll {
namespace {

TEST(Catalog, reads_every_model_it_names) {
  const std::vector<std::string> names = model_names();
  EXPECT_GE(names.size(), 37u);
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  for (const std::string& name : names) {
    const auto model = find_model(name);
    ASSERT_TRUE(model.has_value()) << format(model.error());
    EXPECT_EQ(model->config.id, name);
    EXPECT_TRUE(find_gpu(model->default_gpu, SemanticsMode::vllm).has_value()) << name;
  }
}

TEST(Catalog, reads_every_gpu_it_names) {
  const std::vector<std::string> names = gpu_names();
  EXPECT_GE(names.size(), 14u);
  for (const std::string& name : names) {
    const auto gpu = find_gpu(name, SemanticsMode::vllm);
    ASSERT_TRUE(gpu.has_value()) << format(gpu.error());
    EXPECT_EQ(gpu->name, name);
  }
}

// A lookup by name opens the file of that name; without it every lookup would parse all files.
TEST(Catalog, keeps_every_gpu_in_the_file_of_its_name) {
  const auto& files = embedded_catalog();
  for (const std::string& name : gpu_names()) {
    const std::string path = "gpus/" + to_lower(name) + ".yaml";
    EXPECT_TRUE(std::any_of(files.begin(), files.end(), [&](const EmbeddedFile& file) {
      return file.path == path;
    })) << path;
  }
}

TEST(FindModel, takes_the_full_id_or_its_last_part_in_any_case) {
  for (const char* name : {"qwen/qwen3-14b", "Qwen/Qwen3-14B", "qwen3-14b", "QWEN3-14B"}) {
    const auto model = find_model(name);
    ASSERT_TRUE(model.has_value()) << name;
    EXPECT_EQ(model->config.id, "qwen/qwen3-14b");
    EXPECT_EQ(model->config.layers, 40);
    EXPECT_EQ(model->default_gpu, "H100");
    EXPECT_EQ(model->default_tp, 1);
  }
}

TEST(FindModel, knows_how_the_hub_spells_every_id) {
  EXPECT_EQ(find_model("qwen3-14b")->hub_id, "Qwen/Qwen3-14B");
  std::size_t with_capitals = 0;
  for (const std::string& id : model_names()) {
    const auto model = find_model(id);
    ASSERT_TRUE(model.has_value()) << id;
    EXPECT_EQ(to_lower(model->hub_id), id);
    with_capitals += model->hub_id != id ? 1 : 0;
  }
  EXPECT_GT(with_capitals, model_names().size() / 2);
}

TEST(FindModel, suggests_the_nearest_for_an_unknown_name) {
  for (const char* name : {"qwen/qwen3-41b", "qwen3-14", "meta-llama/llama3.1-8b-instruct"}) {
    const auto model = find_model(name);
    ASSERT_FALSE(model.has_value()) << name;
    EXPECT_EQ(exit_code(model.error()), 2);
    EXPECT_NE(format(model.error()).find("did you mean \""), std::string::npos) << name;
  }
  const auto odd = find_model("../../etc/passwd");
  ASSERT_FALSE(odd.has_value());
  EXPECT_NE(format(odd.error()).find("--model-config"), std::string::npos);
  EXPECT_FALSE(find_model("").has_value());
}

TEST(FindGpu, knows_the_names_that_drivers_give) {
  const std::pair<const char*, const char*> rows[]{{"NVIDIA A100-SXM4-80GB", "A100-80"},
                                                   {"NVIDIA A100-PCIE-40GB", "A100-40-PCIe"},
                                                   {"NVIDIA H100 80GB HBM3", "H100"},
                                                   {"NVIDIA H100 PCIe", "H100-PCIe"},
                                                   {"NVIDIA L40S", "L40S"},
                                                   {"NVIDIA GeForce RTX 4090", "RTX-4090"},
                                                   {"NVIDIA H200", "H200"},
                                                   {"NVIDIA A100", "A100-80"}};
  for (const auto& [driver, name] : rows) {
    const auto gpu = find_gpu(driver, SemanticsMode::vllm);
    ASSERT_TRUE(gpu.has_value()) << driver;
    EXPECT_EQ(gpu->name, name) << driver;
  }
}

TEST(FindGpu, knows_aliases_in_any_case) {
  for (const char* name : {"A100-SXM", "a100-80", "A100", "A100-80GB"}) {
    const auto gpu = find_gpu(name, SemanticsMode::vllm);
    ASSERT_TRUE(gpu.has_value()) << name;
    EXPECT_EQ(gpu->name, "A100-80");
    EXPECT_EQ(gpu->tflops_fp8, 0);
  }
  EXPECT_EQ(find_gpu("h100", SemanticsMode::vllm)->name, "H100");
}

TEST(FindGpu, gives_the_reference_its_own_rows) {
  const auto theirs = find_gpu("L40S", SemanticsMode::blis);
  const auto ours = find_gpu("L40S", SemanticsMode::vllm);
  EXPECT_EQ(theirs->tflops_fp8, 1466);  // with sparsity
  EXPECT_EQ(ours->tflops_fp8, 733);
  EXPECT_EQ(find_gpu("H100", SemanticsMode::blis)->tflops_bf16, 989.5);
  EXPECT_EQ(find_gpu("A100-SXM", SemanticsMode::blis)->memory_bandwidth_tb_s, 2.039);
}

TEST(FindGpu, refuses_gpus_the_reference_does_not_know) {
  const auto gpu = find_gpu("H200", SemanticsMode::blis);
  ASSERT_FALSE(gpu.has_value());
  EXPECT_NE(format(gpu.error()).find("--hardware-config"), std::string::npos);
}

TEST(FindGpu, suggests_the_nearest_for_an_unknown_name) {
  EXPECT_NE(format(find_gpu("H10O", SemanticsMode::vllm).error()).find("did you mean \"H100\"?"),
            std::string::npos);
  EXPECT_NE(format(find_gpu("Gaudi", SemanticsMode::vllm).error()).find("known GPUs: "),
            std::string::npos);
}

TEST(GpuCatalog, holds_plausible_figures_of_every_gpu) {
  EXPECT_GE(gpu_names().size(), 27u);
  for (const std::string& name : gpu_names()) {
    const auto gpu = find_gpu(name, SemanticsMode::vllm);
    ASSERT_TRUE(gpu.has_value()) << format(gpu.error());
    // Narrower types are never slower, and no more than twice as fast from one to the next, but
    // for the FP4 of the B300 and GB300 (built for it) and of the RTX (FP8 with FP32 sums).
    if (gpu->tflops_fp8 > 0) {
      EXPECT_NEAR(gpu->tflops_fp8 / gpu->tflops_bf16, 2, 0.03) << name;
    }
    if (gpu->tflops_fp4 > 0) {
      EXPECT_GE(gpu->tflops_fp4, 1.99 * gpu->tflops_fp8) << name;
    }
    EXPECT_GT(gpu->pcie_gb_s, 0) << name;
    EXPECT_TRUE(gpu->link_gb_s == 0 || gpu->link_gb_s > gpu->pcie_gb_s) << name;
    EXPECT_GE(gpu->gpus_per_node, 4) << name;
    EXPECT_GE(gpu->tdp_w, 70) << name;
    EXPECT_LE(gpu->tdp_w, 1400) << name;
    EXPECT_LT(gpu->mfu_decode, gpu->mfu_prefill) << name;
  }
}

// Data sheets print twice as much, "with sparsity": no served model has that.
TEST(GpuCatalog, gives_dense_peaks) {
  const auto bf16 = [](const char* gpu) { return find_gpu(gpu, SemanticsMode::vllm)->tflops_bf16; };
  EXPECT_NEAR(bf16("A100"), 624 / 2.0, 1);
  EXPECT_NEAR(bf16("H100"), 1979 / 2.0, 1);
  EXPECT_NEAR(bf16("L40S"), 733 / 2.0, 5);
  EXPECT_NEAR(bf16("B200"), 4500 / 2.0, 10);
  EXPECT_NEAR(find_gpu("H100", SemanticsMode::vllm)->tflops_fp8, 3958 / 2.0, 1);
}

// "48 GB" on the box are 46,068 MiB to the driver and 44.39 GiB to CUDA, of which vLLM takes its
// share.
TEST(GpuCatalog, gives_memory_as_cuda_reports_it) {
  const auto gib = [](const char* gpu) { return find_gpu(gpu, SemanticsMode::vllm)->memory_gib; };
  EXPECT_NEAR(gib("L40S"), 44.39, 0.1);
  EXPECT_NEAR(gib("L40"), 44.39, 0.1);
  EXPECT_NEAR(gib("L4"), 22.03, 0.1);
  EXPECT_NEAR(gib("A10"), 22.06, 0.1);
  EXPECT_NEAR(gib("A10G"), 22.06, 0.1);
  EXPECT_NEAR(gib("T4"), 14.56, 0.1);
  EXPECT_NEAR(gib("H200"), 139.81, 0.1);
  EXPECT_NEAR(gib("A100"), 79.15, 0.1);
  EXPECT_NEAR(gib("H100"), 79.18, 0.1);
}

TEST(GpuCatalog, gives_links_one_way) {
  EXPECT_EQ(find_gpu("H100", SemanticsMode::vllm)->link_gb_s, 450);  // NVLink 4: 900 both ways
  EXPECT_EQ(find_gpu("L4", SemanticsMode::vllm)->link_gb_s, 0);      // PCIe alone
  EXPECT_EQ(find_gpu("B200", SemanticsMode::vllm)->link_gb_s, 900);
}

TEST(Prices, name_gpus_of_the_catalog_and_their_dates) {
  const auto prices = read_prices();
  ASSERT_TRUE(prices.has_value()) << format(prices.error());
  EXPECT_GE(prices->size(), 50u);
  for (const Price& price : *prices) {
    const auto gpu = find_gpu(price.gpu, SemanticsMode::vllm);
    ASSERT_TRUE(gpu.has_value()) << format(gpu.error());
    EXPECT_EQ(gpu->name, price.gpu) << "an alias";
    EXPECT_GT(price.usd_per_gpu_hour(), 0.3) << price.gpu << " " << price.instance;
    EXPECT_LT(price.usd_per_gpu_hour(), 20) << price.gpu << " " << price.instance;
    EXPECT_TRUE(price.date.starts_with("202")) << price.date;
  }
}

TEST(Prices, are_of_the_instance_and_differ_by_its_shape) {
  const auto prices = read_prices();
  double alone = 0;
  double in_fours = 0;
  for (const Price& price : *prices) {
    if (price.instance == "g6e.xlarge") alone = price.usd_per_gpu_hour();
    if (price.instance == "g6e.12xlarge") in_fours = price.usd_per_gpu_hour();
  }
  EXPECT_EQ(alone, 1.861);
  EXPECT_NEAR(in_fours, 2.62316, 1e-9);
}

TEST(FindBlackboxRow, gives_the_row_of_model_gpu_and_tp) {
  const auto row = find_blackbox_row("meta-llama/llama-3.1-8b-instruct", "H100", 2);
  ASSERT_TRUE(row.has_value()) << format(row.error());
  EXPECT_EQ(row->alpha,
            (std::vector<double>{1601.350510688092, 3.512476196805965, 1805.5430360826988}));
  EXPECT_EQ(row->beta,
            (std::vector<double>{6910.420479880494, 17.67057489844186, 2.8377471109943855}));
}

TEST(FindBlackboxRow, names_the_rows_there_are_when_it_has_none) {
  const auto row = find_blackbox_row("meta-llama/llama-3.1-8b-instruct", "H100", 16);
  ASSERT_FALSE(row.has_value());
  EXPECT_NE(format(row.error()).find("H100 TP 2"), std::string::npos);
  const auto none = find_blackbox_row("01-ai/yi-34b", "H100", 1);
  ASSERT_FALSE(none.has_value());
  EXPECT_NE(format(none.error()).find("--alpha-coeffs"), std::string::npos);
}

TEST(TrainedPhysicsCoefficients, are_complete) {
  const auto fitted = trained_physics_coefficients();
  ASSERT_TRUE(fitted.has_value()) << format(fitted.error());
  EXPECT_EQ(fitted->alpha.size(), 3u);
  EXPECT_EQ(fitted->beta.size(), 11u);
}

}  // namespace
}  // namespace plimsoll
