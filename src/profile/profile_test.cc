#include "profile/profile.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace plimsoll {
namespace {

namespace fs = std::filesystem;

constexpr char kRows[] = R"([
  {"type": "prefill", "seq_len": 512, "batch_size": 8, "mean_ms": 69.75, "median_ms": 69.76, "std_ms": 0.03},
  {"type": "decode", "kv_cache": 512, "new_tokens": 4, "batch_size": 2, "mean_ms": 19.34}
])";

class ProfileFolder {
 public:
  explicit ProfileFolder(const std::string& name)
      : folder_(fs::path(testing::TempDir()) / ("profile_" + name)) {
    fs::create_directories(folder_);
  }
  ~ProfileFolder() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  std::string path() const { return folder_.string(); }

 private:
  fs::path folder_;
};

TEST(Profile, rows_are_read_as_the_document_describes_them) {
  Profile profile;
  ASSERT_TRUE(parse_fitted_profile(kRows, "p.json", &profile));
  ASSERT_EQ(profile.rows.size(), 2U);
  EXPECT_EQ(profile.rows[0].phase, ProfilePhase::prefill);
  EXPECT_EQ(profile.rows[0].tokens, 512);
  EXPECT_EQ(profile.rows[0].batch_size, 8);
  EXPECT_EQ(profile.rows[0].new_tokens, 1);
  EXPECT_EQ(profile.rows[0].ms, 69.76) << "the median";
  EXPECT_EQ(profile.rows[1].phase, ProfilePhase::decode);
  EXPECT_EQ(profile.rows[1].tokens, 512);
  EXPECT_EQ(profile.rows[1].new_tokens, 4);
  EXPECT_EQ(profile.rows[1].ms, 19.34) << "the mean, where no median is";
}

TEST(Profile, the_three_files_are_found_from_each_of_them_and_from_the_folder) {
  const ProfileFolder folder("found");
  const std::string rows = folder.write("fitted_profile.json", kRows);
  const std::string metadata =
      folder.write("metadata.json",
                   R"({"model_name": "llama-7b", "fitted_profile": "elsewhere/fitted_profile.json",
          "hardware": {"gpu": "NVIDIA A100", "driver": "550"}, "predictors": {}, "notes": "n"})");
  folder.write("model_memory.json", R"({"model_params": 7000000000, "activation_memory_mb": 2048,
      "kv_cache_per_token_bytes": 256, "total_model_memory_gb": 14.5})");
  for (const std::string& path : {rows, metadata, folder.path()}) {
    const auto profile = read_profile(path);
    ASSERT_TRUE(profile) << path << ": " << format(profile.error());
    EXPECT_EQ(profile->rows.size(), 2U);
    EXPECT_EQ(profile->path, rows);
    EXPECT_EQ(profile->model, "llama-7b");
    EXPECT_EQ(profile->gpu, "NVIDIA A100");
    EXPECT_EQ(profile->tp, 0) << "not said";
    EXPECT_EQ(profile->parameters, 7e9);
    EXPECT_EQ(profile->kv_bytes_per_token, 256);
  }
}

TEST(Profile, the_other_keys_of_model_memory_are_read_too) {
  Profile profile;
  ASSERT_TRUE(parse_model_memory(R"({"model_name": "gpt2", "param_bytes": 497759232,
      "dtype": "torch.float32", "num_parameters": 124439808})",
                                 "m.json", &profile));
  EXPECT_EQ(profile.memory_model, "gpt2");
  EXPECT_EQ(profile.parameters, 124439808);
  EXPECT_EQ(profile.dtype, "torch.float32");
}

TEST(Profile, coefficients_of_operators_under_the_same_name_are_told_apart) {
  Profile profile;
  ASSERT_TRUE(parse_fitted_profile(R"({"model_name": "gpt2", "operators": {
      "attention_prefill": 6.0e-08, "attention_decode": 4.4e-06, "mlp": 2.6e-06,
      "layernorm": 4e-4, "embedding": 3.8e-05},
      "communication": {"allreduce_time_per_gb": 62.2},
      "memory": {"model_size_gb": 0.475, "kv_cache_per_token_mb": 0.3}})",
                                   "p.json", &profile));
  EXPECT_TRUE(profile.rows.empty());
  ASSERT_TRUE(profile.operators);
  EXPECT_EQ(profile.operators->mlp_s, 2.6e-06);
  EXPECT_EQ(profile.operators->kv_mb_per_token, 0.3);
}

TEST(Profile, all_that_is_wrong_in_all_files_is_said_at_once) {
  const ProfileFolder folder("wrong");
  const std::string rows = folder.write("fitted_profile.json",
                                        "[{\"type\": \"prefil\", \"batch_size\": 0},\n"
                                        " {\"type\": \"decode\", \"kv_cash\": 5,\n"
                                        "  \"batch_size\": 1, \"mean_ms\": -1}, 7]");
  folder.write("metadata.json", "{\"hardware\": 3}");
  const auto profile = read_profile(rows);
  ASSERT_FALSE(profile);
  const std::string text = format(profile.error());
  for (const char* part :
       {"fitted_profile.json:1:11: error: \"type\" cannot be the text \"prefil\"",
        "did you mean \"prefill\"?", "\"batch_size\" must be between 1 and 10000, got 0",
        "fitted_profile.json:2:21: error: unknown key \"kv_cash\"", "did you mean \"kv_cache\"?",
        "\"mean_ms\" must be greater than 0 and at most 3600000, got -1",
        "fitted_profile.json:3:36: error: expected keys and values, found a single value",
        "metadata.json:1:1: error: missing key \"model_name\"",
        "metadata.json:1:14: error: \"hardware\" must hold keys and values, got 3"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nin\n" << text;
  }
}

TEST(Profile, an_empty_one_is_no_profile) {
  Profile profile;
  const auto read = parse_fitted_profile("[]", "p.json", &profile);
  ASSERT_FALSE(read);
  EXPECT_EQ(format(read.error()),
            "p.json: error: the profile has no rows\n  measure at least one step\n");
}

}  // namespace
}  // namespace plimsoll
