#include "profile/telemetry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/catalog.h"

namespace plimsoll {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

std::string sample_text(const std::string& batch, const std::string& phase,
                        const std::string& requests, const std::string& times,
                        const std::string& mfu = "0.3") {
  return R"({"request_id": "r1", "phase": ")" + phase + R"(", "batch_id": ")" + batch +
         R"(", "batch_composition": [)" + requests + R"(], "operator_timings": [)" + times +
         R"(], "gpu_mfu": )" + mfu + R"(, "timestamp": 1.5})";
}

constexpr char kPrompt[] = R"({"request_id": "r1", "prefill_len": 100, "kv_bytes": 52428800})";
constexpr char kDecode[] =
    R"({"request_id": "r2", "prefill_len": 200, "decode_len": 5, "kv_bytes": 107479040})";
constexpr char kTimes[] = R"({"name": "mlp", "time_ms": 7}, {"name": "attention", "time_ms": 3})";

InstanceWork work() {
  return *instance_work(find_model("llama-2-7b-hf")->config, *find_gpu("A100", SemanticsMode::vllm),
                        {});
}

TEST(Telemetry, a_step_is_its_batch_and_the_sum_of_its_operators) {
  const auto read = parse_telemetry(
      "[" + sample_text("b", "both", std::string(kPrompt) + "," + kDecode, kTimes) + "]", "t.json");
  ASSERT_TRUE(read) << format(read.error());
  ASSERT_EQ(read->steps.size(), 1U);
  const MeasuredSteps& step = read->steps[0].measured;
  EXPECT_EQ(step.ms, 10);
  EXPECT_EQ(step.batch.prefill_requests, 1);
  EXPECT_EQ(step.batch.prefill_tokens, 100);
  EXPECT_EQ(step.batch.decode_requests, 1);
  EXPECT_EQ(step.batch.decode_context, 204) << "the newest of five tokens is what is computed";
  EXPECT_EQ(read->steps[0].kv_tokens, 305);
}

TEST(Telemetry, each_request_of_a_batch_may_report_its_step) {
  const std::string requests = std::string(kPrompt) + "," + kDecode;
  const auto slow = [](const char* ms) {
    return std::string(R"({"name": "all", "time_ms": )") + ms + "}";
  };
  const auto read =
      parse_telemetry("{\"samples\": [" + sample_text("b", "both", requests, slow("9")) + "," +
                          sample_text("b", "both", requests, slow("10")) + "," +
                          sample_text("b", "both", requests, slow("20")) + "," +
                          sample_text("b", "both", kDecode, slow("8")) + "]}",
                      "t.json");
  ASSERT_TRUE(read) << format(read.error());
  ASSERT_EQ(read->steps.size(), 2U) << "another composition is another step";
  EXPECT_EQ(read->steps[0].measured.ms, 10);
  EXPECT_EQ(read->steps[1].measured.ms, 8);
}

TEST(Telemetry, the_phase_says_what_a_request_without_tokens_does) {
  const auto read = parse_telemetry("[" + sample_text("a", "prefill", kPrompt, kTimes) + "," +
                                        sample_text("b", "decode", kPrompt, kTimes) + "]",
                                    "t.json");
  ASSERT_TRUE(read) << format(read.error());
  EXPECT_EQ(read->steps[0].measured.batch.prefill_tokens, 100);
  EXPECT_EQ(read->steps[1].measured.batch.decode_context, 100);
}

TEST(Telemetry, samples_that_say_too_little_are_counted) {
  const auto read = parse_telemetry("[" + sample_text("a", "decode", "", kTimes) + "," +
                                        sample_text("b", "decode", kDecode, "") + "," +
                                        sample_text("c", "decode", kDecode, kTimes) + "]",
                                    "t.json");
  ASSERT_TRUE(read) << format(read.error());
  EXPECT_EQ(read->steps.size(), 1U);
  EXPECT_EQ(read->unusable, 2);
  const auto none = parse_telemetry("[]", "t.json");
  ASSERT_FALSE(none);
  EXPECT_THAT(format(none.error()), HasSubstr("no sample has both requests and operator times"));
}

TEST(Telemetry, all_that_is_wrong_is_said_at_once) {
  const auto read = parse_telemetry("[" + sample_text("a", "decoding", kPrompt, kTimes) + ",\n" +
                                        sample_text("b", "prefill", kDecode, kTimes, "45") + "]",
                                    "t.json");
  ASSERT_FALSE(read);
  const std::string text = format(read.error());
  EXPECT_THAT(text, HasSubstr("t.json:1:32: error: \"phase\" cannot be the text \"decoding\""));
  EXPECT_THAT(text, HasSubstr("a sample of prefill has a request that decodes"));
  EXPECT_THAT(text, HasSubstr("\"gpu_mfu\" must be at least 0 and at most 1, got 45"));
}

// 100 prompt tokens and a decode compute 1.33 TFLOP: in 10 ms 43 % of an A100's peak.
TEST(Telemetry, an_mfu_and_a_cache_of_other_batches_are_asked_about) {
  const auto findings = [](const char* mfu, const char* kv_bytes) {
    const std::string request =
        std::string(R"({"request_id": "r1", "prefill_len": 100, "kv_bytes": )") + kv_bytes + "}";
    const auto read =
        parse_telemetry("[" + sample_text("b", "prefill", request, kTimes, mfu) + "]", "t.json");
    return telemetry_findings(*read, work());
  };
  EXPECT_THAT(findings("0.43", "52428800"), IsEmpty());
  EXPECT_THAT(findings("0", "0"), IsEmpty()) << "not known";
  EXPECT_THAT(findings("0.95", "52428800"),
              ElementsAre(Field(&Finding::sentence, HasSubstr("gpu_mfu is 2.2"))));
  EXPECT_THAT(findings("0.43", "5242880"),
              ElementsAre(Field(&Finding::sentence, HasSubstr("kv_bytes is 0.100 times"))));
}

TEST(Telemetry, steps_beyond_the_peak_are_broken) {
  const auto read = parse_telemetry(
      "[" + sample_text("b7", "decode", kDecode, R"({"name": "x", "time_ms": 1})") + "]", "t.json");
  const auto findings = telemetry_findings(*read, work());
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].severity, Severity::broken);
  EXPECT_THAT(findings[0].sentence, HasSubstr("batch b7 in 1.00 ms implies"));
}

}  // namespace
}  // namespace plimsoll
