#include "setup/chosen_speculation.h"

#include <gtest/gtest.h>

#include "catalog/catalog.h"
#include "perf/draft_head.h"

namespace plimsoll {
namespace {

ModelConfig config_of(const char* model) { return find_model(model)->config; }

RunSpec proposing(std::int64_t tokens) {
  RunSpec run;
  run.speculation.tokens = tokens;
  return run;
}

RunSpec with_rates(std::int64_t tokens, std::vector<double> rates) {
  RunSpec run = proposing(tokens);
  run.speculation.acceptance_rates = std::move(rates);
  run.speculation.draft_ms = 0;
  return run;
}

RunSpec with_preset(std::int64_t tokens, const char* preset) {
  RunSpec run = proposing(tokens);
  run.speculation.preset = preset;
  return run;
}

Speculation chosen(const RunSpec& run, const char* model = "llama-3.1-8b-instruct") {
  auto speculation = speculation_of(run, config_of(model));
  EXPECT_TRUE(speculation.has_value()) << format(speculation.error());
  return **speculation;
}

std::string error_of(const RunSpec& run, const char* model = "llama-3.1-8b-instruct") {
  const auto speculation = speculation_of(run, config_of(model));
  return speculation ? "" : format(speculation.error());
}

TEST(SpeculationOf, is_nothing_without_tokens) {
  EXPECT_FALSE(speculation_of(RunSpec(), config_of("qwen3-14b"))->has_value());
}

TEST(SpeculationOf, takes_one_rate_for_as_many_alike) {
  EXPECT_EQ(chosen(with_rates(3, {0.7})).acceptance,
            chosen(with_rates(3, {0.7, 0.7, 0.7})).acceptance);
  EXPECT_EQ(chosen(with_rates(2, {0.9, 0.4})).acceptance, (std::vector<double>{0.9, 0.4}));
}

TEST(SpeculationOf, wants_a_rate_for_each_position_or_one_for_all) {
  EXPECT_NE(
      error_of(with_rates(2, {0.9, 0.7, 0.5})).find("has 3 rates for --num-speculative-tokens 2"),
      std::string::npos);
  EXPECT_NE(error_of(with_rates(4, {0.9, 0.7})).find("give one rate for all positions, or 4"),
            std::string::npos);
}

TEST(SpeculationOf, has_the_acceptance_length_of_its_preset) {
  EXPECT_NEAR(tokens_per_step(chosen(with_preset(3, "eagle3-minimax-m3"))), 2.83, 1e-9);
  EXPECT_NE(error_of(with_preset(9, "eagle3-minimax-m3")).find("up to 8 speculative tokens, not 9"),
            std::string::npos);
  RunSpec both = with_rates(3, {0.7});
  both.speculation.preset = "eagle3-minimax-m3";
  EXPECT_NE(error_of(both).find("both say the acceptance"), std::string::npos);
}

TEST(SpeculationOf, has_the_draft_of_its_presets_scheme_unless_its_cost_is_given) {
  const char* const model = "deepseek-ai/deepseek-v3";
  const Speculation mtp = chosen(with_preset(1, "mtp-deepseek-v4-pro"), model);
  EXPECT_TRUE(mtp.draft_is_layer);
  EXPECT_EQ(*mtp.draft, prediction_layer(config_of(model)));
  const Speculation eagle = chosen(with_preset(1, "eagle3-minimax-m3"), model);
  EXPECT_FALSE(eagle.draft_is_layer);
  EXPECT_EQ(*eagle.draft, eagle_head(config_of(model)));
  EXPECT_NE(error_of(with_preset(1, "dspark-kimi-k3"), model).find("needs the cost of proposing"),
            std::string::npos);

  RunSpec given = with_preset(1, "mtp-deepseek-v4-pro");
  given.speculation.draft_ms = 0.5;
  EXPECT_FALSE(chosen(given, model).draft);
  EXPECT_EQ(chosen(given, model).draft_us_per_token, 500);
  given.speculation.draft_model = "qwen3-14b";
  EXPECT_NE(error_of(given, model).find("both say what proposing tokens costs"), std::string::npos);
}

TEST(NotesOnPreset, is_for_models_that_it_was_not_measured_with) {
  const RunSpec run = with_preset(3, "eagle3-minimax-m3");
  EXPECT_TRUE(notes_on_preset(run, config_of("minimax-m3")).empty());
  const std::vector<std::string> notes = notes_on_preset(run, config_of("qwen3-14b"));
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("was measured with minimax-m3: qwen/qwen3-14b"), std::string::npos);
  EXPECT_TRUE(notes_on_preset(with_preset(0, "eagle3-minimax-m3"), config_of("qwen3-14b")).empty());
}

}  // namespace
}  // namespace plimsoll
