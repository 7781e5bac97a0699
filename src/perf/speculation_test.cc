#include "perf/speculation.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "catalog/catalog.h"
#include "catalog/speculation_preset.h"
#include "perf/kv_capacity.h"
#include "perf/latency_models.h"

namespace plimsoll {
namespace {

const char* const kModel = "llama-3.1-8b-instruct";

LatencyInputs speculating(std::optional<Speculation> speculation = std::nullopt) {
  LatencyInputs in;
  in.model = find_model(kModel)->config;
  in.gpu = *find_gpu("H100", SemanticsMode::vllm);
  in.observer = Observer::engine;
  in.speculation = std::move(speculation);
  return in;
}

StepTimePtr kernel(const LatencyInputs& in) {
  auto made = make_latency_model("kernel", in);
  EXPECT_TRUE(made.has_value()) << format(made.error());
  return *made;
}

Speculation proposing(std::int64_t tokens, double acceptance, double draft_us = 0) {
  Speculation speculation;
  speculation.acceptance.assign(static_cast<std::size_t>(tokens), acceptance);
  speculation.draft_us_per_token = draft_us;
  return speculation;
}

Speculation accepting(std::vector<double> rates) {
  Speculation speculation;
  speculation.acceptance = std::move(rates);
  return speculation;
}

BatchShape decoding_batch(std::int64_t requests, std::int64_t context) {
  BatchShape batch;
  batch.decode_requests = requests;
  batch.decode_context = context;
  return batch;
}

TEST(Speculation, yields_the_expected_number_of_tokens_of_its_source) {
  EXPECT_DOUBLE_EQ(tokens_per_step(proposing(5, 0)), 1);
  EXPECT_DOUBLE_EQ(tokens_per_step(proposing(5, 1)), 6);
  EXPECT_NEAR(tokens_per_step(proposing(4, 0.8)), (1 - 0.32768) / 0.2, 1e-12);
}

TEST(Speculation, yields_what_each_position_adds_if_all_before_it_were_accepted) {
  EXPECT_DOUBLE_EQ(tokens_per_step(accepting({0.9, 0.7, 0.5})), 1 + 0.9 + 0.63 + 0.315);
  EXPECT_DOUBLE_EQ(tokens_per_step(accepting({0.9, 0, 0.5})), 1.9);
  EXPECT_DOUBLE_EQ(tokens_per_step(accepting({})), 1);
}

TEST(AcceptanceOf, a_smooth_measurement_is_what_each_draft_adds_over_the_one_before) {
  const std::vector<double> measured{1.8, 2.4, 2.7};
  const std::vector<double> rates = acceptance_of(measured, 3);
  ASSERT_EQ(rates.size(), 3u);
  EXPECT_NEAR(rates[0], 0.8, 1e-12);
  EXPECT_NEAR(rates[1], 0.6 / 0.8, 1e-12);
  EXPECT_NEAR(rates[2], 0.3 / 0.6, 1e-12);
}

TEST(AcceptanceOf, a_dip_is_shared_by_the_drafts_around_it) {
  // The second draft seems to take a tenth of a token away, which the third brings back.
  const std::vector<double> measured{1.5, 1.4, 1.7};
  const std::vector<double> three = acceptance_of(measured, 3);
  ASSERT_EQ(three.size(), 3u);
  EXPECT_NEAR(three[0], 0.5, 1e-12);
  EXPECT_NEAR(three[1], 0.1 / 0.5, 1e-12);
  EXPECT_NEAR(three[2], 1, 1e-12);
  // With two, the first alone cannot have brought more than both.
  const std::vector<double> two = acceptance_of(measured, 2);
  ASSERT_EQ(two.size(), 2u);
  EXPECT_NEAR(two[0], 0.4, 1e-12);
  EXPECT_EQ(two[1], 0);
  const std::vector<double> none = acceptance_of(std::vector<double>{1, 1}, 2);
  EXPECT_EQ(none, (std::vector<double>{0, 0}));
}

TEST(AcceptanceOf, every_preset_yields_what_was_measured_with_each_number_of_drafts) {
  const auto presets = read_speculation_presets();
  ASSERT_TRUE(presets.has_value()) << format(presets.error());
  EXPECT_GE(presets->size(), 8u);
  for (const SpeculationPreset& preset : *presets) {
    for (std::size_t k = 1; k <= preset.acceptance_lengths.size(); ++k) {
      const std::vector<double> rates =
          acceptance_of(preset.acceptance_lengths, static_cast<std::int64_t>(k));
      ASSERT_EQ(rates.size(), k);
      EXPECT_NEAR(tokens_per_step(accepting(rates)), preset.acceptance_lengths[k - 1], 1e-9)
          << preset.name << " " << k;
      EXPECT_TRUE(std::ranges::all_of(rates, [](double rate) { return rate >= 0 && rate <= 1; }))
          << preset.name << " " << k;
    }
  }
}

TEST(Speculation, is_never_slower_with_more_tokens_accepted) {
  double before = std::numeric_limits<double>::infinity();
  for (const double last : {0.0, 0.2, 0.5, 0.8, 1.0}) {
    Speculation speculation = proposing(3, 0.9, 50);
    speculation.acceptance.back() = last;
    const double us = kernel(speculating(speculation))->step_us(decoding_batch(16, 16000));
    EXPECT_LT(us, before);
    before = us;
  }
}

TEST(Speculation, prices_the_rows_it_verifies_and_reads_the_context_once) {
  const auto plain = kernel(speculating());
  const auto speculative = kernel(speculating(proposing(3, 0.7, 100)));
  const double tokens = 1 + 0.7 + 0.49 + 0.343;
  EXPECT_NEAR(speculative->step_us(decoding_batch(8, 8000)),
              (plain->step_us(decoding_batch(32, 8000)) + 300) / tokens, 1e-9);
}

TEST(Speculation, pays_off_with_few_requests_and_costs_with_many) {
  const auto plain = kernel(speculating());
  const auto speculative = kernel(speculating(proposing(4, 0.6)));
  EXPECT_LT(speculative->step_us(decoding_batch(4, 4000)),
            0.6 * plain->step_us(decoding_batch(4, 4000)));
  EXPECT_GT(speculative->step_us(decoding_batch(512, 100000)),
            plain->step_us(decoding_batch(512, 100000)));
}

TEST(Speculation, leaves_the_time_of_a_prompt_as_it_is) {
  const auto plain = kernel(speculating());
  const auto speculative = kernel(speculating(proposing(4, 0.6, 100)));
  BatchShape prompt;
  prompt.add_prefill(512, 0, 512);
  EXPECT_EQ(speculative->step_us(prompt), plain->step_us(prompt));
  BatchShape mixed = decoding_batch(8, 8000);
  mixed.add_prefill(512, 0, 512);
  BatchShape rows = mixed;
  rows.decode_requests = 40;
  const double added = plain->step_us(rows) - plain->step_us(decoding_batch(40, 8000));
  EXPECT_NEAR(speculative->step_us(mixed), speculative->step_us(decoding_batch(8, 8000)) + added,
              1e-9);
}

TEST(Speculation, with_a_draft_model_pays_for_its_steps_its_prompts_and_its_memory) {
  Speculation with_draft = proposing(4, 0.6);
  with_draft.draft = find_model("llama-3.1-8b-instruct")->config;
  LatencyInputs in = speculating(with_draft);
  in.model = find_model("llama-3.3-70b-instruct")->config;
  in.parallelism.tp = 4;
  const auto speculative = kernel(in);
  in.speculation = proposing(4, 0.6);
  const auto free_draft = kernel(in);
  LatencyInputs of_draft = speculating();
  of_draft.parallelism.tp = 4;
  const auto draft = kernel(of_draft);

  const double tokens = tokens_per_step(with_draft);
  EXPECT_NEAR(speculative->step_us(decoding_batch(8, 8000)),
              free_draft->step_us(decoding_batch(8, 8000)) +
                  4 * draft->step_us(decoding_batch(8, 8000 + 12)) / tokens,
              1e-6);
  BatchShape prompt;
  prompt.add_prefill(512, 0, 512);
  EXPECT_NEAR(speculative->step_us(prompt), free_draft->step_us(prompt) + draft->step_us(prompt),
              1e-6);

  KvSettings settings;
  const auto blocks = [&](const Speculation* speculation) {
    settings.speculation = speculation;
    return kv_capacity(in.model, in.gpu, in.parallelism, settings)->total_blocks;
  };
  const Speculation looked_up = proposing(4, 0.6);
  // 256 requests with room for 4 tokens each, in blocks of 16.
  EXPECT_EQ(blocks(nullptr) - blocks(&looked_up), 64);
  // 80 layers of 1,024 wide keys and values beside 32 of them, and 16 GB of weights.
  EXPECT_LT(blocks(&with_draft), blocks(nullptr) * 80 / 112);
  EXPECT_GT(blocks(&with_draft), blocks(nullptr) * 80 / 112 * 8 / 10);
}

TEST(Speculation, is_refused_by_models_that_do_not_know_it) {
  auto made = make_latency_model("roofline", speculating(proposing(3, 0.7)));
  ASSERT_FALSE(made.has_value());
  EXPECT_NE(format(made.error()).find("knows no speculative decoding"), std::string::npos);
}

}  // namespace
}  // namespace plimsoll
