#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "catalog/catalog.h"
#include "catalog/served_as.h"
#include "fit/borrowed_rows.h"
#include "fit/observations.h"
#include "fit/search.h"
#include "fit/tables.h"

namespace plimsoll {
namespace {

Device h100() {
  auto gpu = find_gpu("H100", SemanticsMode::vllm);
  EXPECT_TRUE(gpu.has_value());
  auto kernels = find_kernels("hopper");
  EXPECT_TRUE(kernels.has_value());
  auto overheads = read_step_overheads();
  EXPECT_TRUE(overheads.has_value());
  return {*gpu, *kernels, *overheads};
}

// The observations as a device with other efficiencies would have been measured, and every tenth
// one of them twice as slow.
void measure(const Device& truth, Family* family) {
  for (std::size_t i = 0; i < family->observations.size(); ++i) {
    OperatorSample& o = family->observations[i];
    o.measured_us = o.predicted_us(truth) * (i % 10 == 7 ? 2 : 1);
  }
}

// Fits from the shipped row. What is predicted must be right, and the fractions of the peaks; how a
// millisecond is divided between padding and sharpness few tables tell.
void expect_recovered(Family family, Device* device, Device truth) {
  measure(truth, &family);
  EXPECT_GT(errors_of(*device, family).median, 0.02) << family.section;
  EXPECT_LT(fit(device, family).median, 0.005) << family.section;
  for (const Parameter& p : family.parameters) {
    if (!p.fitted || p.high > 1) continue;
    EXPECT_NEAR(p.of(*device), p.of(truth), 0.05 * p.of(truth)) << family.section << " " << p.name;
  }
}

TEST(Fit, recovers_matrix_products_from_a_table_with_odd_rows) {
  Device device = h100();
  Device truth = h100();
  truth.kernels.sets[0].gemm["fp8"] = {0.55, 40, 200, 0.75, 9, 2, 1};
  Family family = gemm_family(&device, "fp8");
  for (const double side : {1024, 4096, 8192, 14336}) {
    for (const double depth : {512, 4096, 16384}) {
      for (double rows = 1; rows <= 16384; rows *= 2) {
        family.observations.push_back(gemm_observation(0, rows, side, depth, kFp8));
      }
    }
  }
  expect_recovered(std::move(family), &device, truth);
}

TEST(Fit, recovers_attention) {
  Device device = h100();
  Device truth = h100();
  truth.kernels.sets[0].prefill_attention["bf16"] = {0.5, 60, 8000, 6, 0};
  truth.kernels.sets[0].decode_attention["bf16"] = {0.7, 15, 3};
  Family prefill = prefill_attention_family(&device, "bf16");
  Family decode = decode_attention_family(&device, "bf16");
  for (const std::int64_t heads : {4, 8, 32}) {
    for (double batch = 1; batch <= 64; batch *= 4) {
      for (double tokens = 64; tokens <= 16384; tokens *= 2) {
        const AttentionCall call{batch, tokens, 0, heads, 4, 128, 2};
        prefill.observations.push_back(prefill_attention_observation(0, call));
        decode.observations.push_back(decode_attention_observation(0, call));
      }
    }
  }
  expect_recovered(std::move(prefill), &device, truth);
  expect_recovered(std::move(decode), &device, truth);
}

TEST(Fit, recovers_experts_and_all_reduce) {
  Device device = h100();
  Device truth = h100();
  truth.kernels.sets[0].experts["bf16"] = {0.5, 40, 0.8, 12, 3, 1.2};
  truth.kernels.sets[0].all_reduce["nvlink"] = {6, 0.3, 0.5, 3, 0.6};
  Family experts = experts_family(&device, "bf16");
  for (const std::int64_t tp : {1, 2, 8}) {
    for (double tokens = 1; tokens <= 16384; tokens *= 2) {
      experts.observations.push_back(
          experts_observation(0, {tokens, 4096, 1536, 128, 8, tp, 0}, {}));
      experts.observations.push_back(
          experts_observation(0, {tokens, 4096, 14336, 8, 2, tp, std::min(8.0, 2 * tokens)}, {}));
    }
  }
  expect_recovered(std::move(experts), &device, truth);
  Family all_reduce = all_reduce_family(&device, "nvlink");
  for (const double gpus : {2, 4, 8}) {
    for (double elements = 128; elements < 1e9; elements *= 2) {
      all_reduce.observations.push_back(all_reduce_observation(0, gpus, elements));
    }
  }
  expect_recovered(std::move(all_reduce), &device, truth);
}

TEST(Fit, keeps_what_whole_runs_decided) {
  Device device = h100();
  device.kernels.sets[0].prefill_attention["bf16"].decode_rereads = 0.42;
  Family family = prefill_attention_family(&device, "bf16");
  family.observations.push_back(
      prefill_attention_observation(100, AttentionCall{1, 1024, 0, 32, 8, 128, 2}));
  fit(&device, family);
  EXPECT_EQ(device.kernels.sets[0].prefill_attention["bf16"].decode_rereads, 0.42);
}

// Large products say nothing of a launch or of the bandwidth: the usual values decide.
TEST(Fit, ends_alike_whatever_was_there) {
  const Device truth = h100();
  Device near = h100();
  Device far = h100();
  far.kernels.sets[0].gemm["fp8"] = {0.2, 100, 500, 0.3, 40, 7, 4};
  Family family = gemm_family(&near, "fp8");
  for (double rows = 512; rows <= 16384; rows *= 2) {
    family.observations.push_back(gemm_observation(0, rows, 4096, 8192, kFp8));
    family.observations.push_back(gemm_observation(0, rows, 8192, 4096, kFp8));
  }
  measure(truth, &family);
  EXPECT_TRUE(differ(family, near, far));
  fit(&near, family);
  fit(&far, family);
  for (const Parameter& p : family.parameters) EXPECT_EQ(p.of(near), p.of(far)) << p.name;
}

TEST(Fit, tells_rows_apart_but_not_by_rounding) {
  const Device shipped = h100();
  Device other = shipped;
  const Family family = gemm_family(&other, "fp8");
  double& compute = other.kernels.sets[0].gemm["fp8"].compute;
  compute *= 1.005;
  EXPECT_FALSE(differ(family, shipped, other));
  compute *= 1.05;
  EXPECT_TRUE(differ(family, shipped, other));
}

// Hopper's Marlin kernel for MXFP4 was measured in no table: what of it is not int4's is launch_us.
TEST(BorrowedRows, keep_what_is_their_own) {
  const BorrowedRow& row = borrowed_rows().front();
  ASSERT_EQ(row.key, "mxfp4");
  ASSERT_EQ(row.own, std::vector<std::string>{"launch_us"});
  Device device = h100();
  ExpertEfficiency& int4 = device.kernels.sets[0].experts["int4"];
  ExpertEfficiency& mxfp4 = device.kernels.sets[0].experts["mxfp4"];
  int4 = {0.4, 12, 0.7, 21, 2, 3};
  mxfp4 = {0.9, 0, 0.9, 55, 5, 1};
  borrow(row, &device, &device);
  EXPECT_EQ(mxfp4.compute, 0.4);
  EXPECT_EQ(mxfp4.launch_us, 55);
  EXPECT_EQ(mxfp4.activation, 3);
}

TEST(Search, finds_a_valley_and_stays_in_the_box) {
  const auto valley = [](const std::vector<double>& x) {
    const double a = 4 * x[0] - 2;
    const double b = 4 * x[1] - 2;
    return 100 * (b - a * a) * (b - a * a) + (1 - a) * (1 - a);  // Rosenbrock
  };
  const std::vector<double> least = minimise(valley, {0.1, 0.9});
  EXPECT_NEAR(least[0], 0.75, 1e-3);
  EXPECT_NEAR(least[1], 0.75, 1e-3);
  const auto outside = [](const std::vector<double>& x) { return (x[0] - 3) * (x[0] - 3); };
  EXPECT_EQ(minimise(outside, {0.2})[0], 1);
}

class ProfileTables : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("plimsoll_fit_" + std::to_string(reinterpret_cast<std::uintptr_t>(this)));
    std::filesystem::create_directory(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void write(const char* name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }

  std::filesystem::path folder_;
};

TEST_F(ProfileTables, are_read_as_the_profiler_writes_them) {
  write("gemm.csv", "dtype,m,n,k,ms\nbfloat16,16,4096,4096,0.05\nfloat16,32,4096,4096,0.06\n");
  write("attention.csv",
        "phase,dtype,batch,query_tokens,context_tokens,heads,kv_heads,head_dim,ms\n"
        "prefill,bfloat16,2,512,512,32,8,128,0.2\n"
        "decode,bfloat16,8,1,1025,32,8,128,0.03\n");
  Device device = h100();
  const auto families = profiled_families(folder_.string(), &device);
  ASSERT_TRUE(families.has_value()) << format(families.error());
  ASSERT_EQ(families->size(), 3U);
  EXPECT_EQ((*families)[0].observations.size(), 2U);
  const OperatorSample& prefill = (*families)[1].observations.at(0);
  const OperatorSample& decode = (*families)[2].observations.at(0);
  EXPECT_DOUBLE_EQ(prefill.measured_us, 200);
  const AttentionCall two{2, 512, 0, 32, 8, 128, 2};
  EXPECT_DOUBLE_EQ(prefill.predicted_us(device),
                   prefill_attention_observation(0, two).predicted_us(device));
  const AttentionCall eight{8, 1025, 0, 32, 8, 128, 2};
  EXPECT_DOUBLE_EQ(decode.predicted_us(device),
                   decode_attention_observation(0, eight).predicted_us(device));
}

TEST_F(ProfileTables, of_other_types_are_refused) {
  write("gemm.csv", "dtype,m,n,k,ms\nfloat32,16,4096,4096,0.05\n");
  Device device = h100();
  const auto families = profiled_families(folder_.string(), &device);
  ASSERT_FALSE(families.has_value());
  EXPECT_NE(format(families.error()).find("gemm.csv:2:1"), std::string::npos)
      << format(families.error());
}

}  // namespace
}  // namespace plimsoll
