#include "profile/physics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/catalog.h"
#include "perf/latency_models.h"
#include "shared_data.h"

namespace plimsoll {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

ModelConfig llama() { return find_model("llama-2-7b-hf")->config; }

InstanceWork work_on(const char* gpu, std::int64_t tp = 1) {
  Parallelism layout;
  layout.tp = tp;
  return *instance_work(llama(), *find_gpu(gpu, SemanticsMode::vllm), layout);
}

ProfileRow prefill(std::int64_t tokens, std::int64_t batch, double ms) {
  return {ProfilePhase::prefill, tokens, 1, batch, ms};
}

ProfileRow decode(std::int64_t cached, std::int64_t batch, double ms, std::int64_t new_tokens = 1) {
  return {ProfilePhase::decode, cached, new_tokens, batch, ms};
}

std::vector<std::string> broken(const std::vector<Finding>& findings) {
  std::vector<std::string> out;
  for (const Finding& finding : findings) {
    if (finding.severity == Severity::broken) out.push_back(finding.sentence);
  }
  return out;
}

std::vector<Finding> findings_of(std::vector<ProfileRow> rows) {
  Profile profile;
  profile.rows = std::move(rows);
  return profile_findings(profile, llama(), work_on("A100"));
}

// The profile that seed data calls llama-7b on an A100 was measured with GPT-2, which
// is fifty times smaller.
TEST(Physics, no_gpu_computes_faster_than_its_dense_peak) {
  EXPECT_THAT(
      broken(findings_of({prefill(512, 8, 69.76)})),
      ElementsAre(AllOf(StartsWith("prefill 512 x 8 in 69.8 ms implies 7"),
                        HasSubstr("TFLOP/s, 2.4"), HasSubstr("times the dense peak of 312"))));
}

// With sparsity it would have 624: that rate is no measure of what dense matrices reach.
TEST(Physics, a_rate_between_the_dense_and_the_sparse_peak_is_impossible) {
  EXPECT_THAT(broken(findings_of({prefill(512, 8, 120)})), testing::SizeIs(1));
  EXPECT_THAT(findings_of({prefill(512, 8, 260)}), IsEmpty());
}

// 13.2 GB of weights at 2,039 GB/s take 6.5 ms.
TEST(Physics, no_decode_reads_its_weights_faster_than_the_memory_gives_them) {
  EXPECT_THAT(broken(findings_of({decode(512, 1, 5)})),
              ElementsAre(AllOf(HasSubstr("GB/s, 1.3"), HasSubstr("times the memory bandwidth"))));
  EXPECT_THAT(findings_of({decode(512, 1, 9)}), IsEmpty());
}

TEST(Physics, each_new_token_of_a_row_is_a_step) {
  EXPECT_THAT(findings_of({decode(512, 1, 32 * 9.0, 32)}), IsEmpty());
  EXPECT_THAT(broken(findings_of({decode(512, 1, 10.6, 32)})),
              ElementsAre(StartsWith("decode 512 x 1 for 32 tokens in 10.6 ms implies 40,")));
}

TEST(Physics, more_gpus_have_a_higher_peak) {
  Profile profile;
  profile.rows = {prefill(512, 8, 120)};
  EXPECT_THAT(profile_findings(profile, llama(), work_on("A100", 2)), IsEmpty());
}

TEST(Physics, a_decode_as_slow_as_the_prefill_of_its_context_had_no_cache) {
  const std::vector<ProfileRow> prompts{prefill(64, 1, 12), prefill(512, 2, 60)};
  std::vector<ProfileRow> rows = prompts;
  rows.push_back(decode(512, 2, 59));
  EXPECT_THAT(broken(findings_of(rows)),
              ElementsAre("decode scales like prefill: one token after 512 x 2 takes 59.0 ms, all "
                          "of them 60.0 ms: it ran without a KV cache"));
  rows = prompts;
  rows.push_back(decode(512, 2, 11));
  rows.push_back(decode(64, 1, 11.5));  // both are bound by reading the weights
  EXPECT_THAT(findings_of(rows), IsEmpty());
}

TEST(Physics, times_in_another_unit_are_asked_about) {
  EXPECT_THAT(findings_of({prefill(512, 8, 260e3), decode(512, 1, 9e3)}),
              ElementsAre(Field(&Finding::sentence, HasSubstr("are the times milliseconds?"))));
  EXPECT_THAT(broken(findings_of({prefill(512, 8, 0.260)})), Contains(HasSubstr("dense peak")));
}

TEST(Physics, the_files_must_be_of_the_named_model) {
  Profile profile;
  profile.rows = {decode(512, 1, 9)};
  profile.model = "llama-2-7b-hf";
  profile.memory_model = "gpt2";
  profile.parameters = 124439808;
  profile.dtype = "torch.float32";
  profile.kv_bytes_per_token = 256;
  const auto findings = profile_findings(profile, llama(), work_on("A100"));
  EXPECT_THAT(broken(findings),
              ElementsAre("model_memory.json is for gpt2, metadata.json for llama-2-7b-hf",
                          "model_memory.json counts 124 million parameters, "
                          "meta-llama/llama-2-7b-hf has 6,740 million",
                          "measured in torch.float32, served in 16.0 bits: these are the times of "
                          "other kernels"));
  EXPECT_EQ(findings.back().severity, Severity::doubtful);
  EXPECT_EQ(findings.back().sentence,
            "256 bytes of KV cache per token, where the model keeps 524,000");
  profile.model = "llama-2-13b-hf";
  EXPECT_THAT(broken(profile_findings(profile, llama(), work_on("A100"))),
              Contains("metadata.json is for llama-2-13b-hf, the deployment for "
                       "meta-llama/llama-2-7b-hf"));
  profile.model = "llama-2-7b-hf";
  profile.memory_model = "meta-llama/Llama-2-7b-hf";
  profile.parameters = 7e9;
  profile.dtype = "torch.float16";
  profile.kv_bytes_per_token = 524288;
  EXPECT_THAT(profile_findings(profile, llama(), work_on("A100")), IsEmpty());
}

TEST(Physics, coefficients_in_seconds_are_not_milliseconds) {
  Profile profile;
  profile.operators = OperatorProfile{2 * 3 * 4096.0 * 11008 / 100e12, 0.5};
  EXPECT_THAT(profile_findings(profile, llama(), work_on("A100")),
              ElementsAre(Field(&Finding::sentence, HasSubstr("is in seconds (100 TFLOP/s)"))));
  profile.operators->mlp_s /= 10;
  EXPECT_THAT(broken(profile_findings(profile, llama(), work_on("A100"))),
              ElementsAre(HasSubstr("implies 1,000 TFLOP/s on a peak of 312 even if")));
}

// Whatever the kernel model prices, on any GPU, can be.
TEST(Physics, the_times_of_the_step_time_model_stand_the_check) {
  for (const std::string& gpu : gpu_names()) {
    const GpuSpec spec = *find_gpu(gpu, SemanticsMode::vllm);
    const auto model = make_latency_model("kernel", {llama(), spec, {}, {}});
    ASSERT_TRUE(model) << gpu;
    Profile profile;
    for (const std::int64_t tokens : {64, 512, 4096}) {
      for (const std::int64_t batch : {1, 8}) {
        profile.rows.push_back(prefill(tokens, batch, 1));
        profile.rows.push_back(decode(tokens, batch, 1));
      }
    }
    const std::vector<MeasuredSteps> steps = steps_of(profile);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      profile.rows[i].ms = predicted_ms(steps[i], **model);
    }
    EXPECT_THAT(profile_findings(profile, llama(), *instance_work(llama(), spec, {})), IsEmpty())
        << gpu;
  }
}

TEST(Physics, the_published_profile_of_another_model_is_called_out) {
  const auto shared = shared_data_folder();
  if (!shared) GTEST_SKIP() << "no shared data";
  const auto profile = read_profile((*shared / "spec/data/simfaasinfer/llama-7b").string());
  ASSERT_TRUE(profile) << format(profile.error());
  EXPECT_THAT(broken(profile_findings(*profile, llama(), work_on("A100"))),
              ElementsAre(HasSubstr("TFLOP/s"), HasSubstr("GB/s"),
                          HasSubstr("decode scales like prefill"), HasSubstr("is for gpt2"),
                          HasSubstr("124 million parameters"), HasSubstr("torch.float32")));
}

TEST(Physics, what_is_broken_is_refused_and_what_is_doubtful_is_not) {
  EXPECT_TRUE(refuse_broken({{Severity::doubtful, "odd"}}, "p.json"));
  const auto refused = refuse_broken(
      {{Severity::broken, "a"}, {Severity::doubtful, "b"}, {Severity::broken, "c"}}, "p.json");
  ASSERT_FALSE(refused);
  EXPECT_EQ(exit_code(refused.error()), 2);
  EXPECT_EQ(format(refused.error()),
            "p.json: error: a\np.json: error: c\n"
            "  measure again on this GPU, or name the model and GPU that were measured\n");
}

}  // namespace
}  // namespace plimsoll
