#include "workload/workload_spec.h"

#include <gtest/gtest.h>

#include "workload_texts.h"

namespace plimsoll {
namespace {

WorkloadSpec parsed(const std::string& text) {
  Result<WorkloadSpec> spec = parse_workload_spec(text, "w.yaml");
  if (!spec) {
    ADD_FAILURE() << format(spec.error());
    return {};
  }
  return std::move(*spec);
}

TEST(WorkloadSpecReader, does_every_key_arrive) {
  const WorkloadSpec spec = parsed(kEverything);
  EXPECT_EQ(spec.seed, static_cast<std::uint64_t>(-3));
  EXPECT_EQ(spec.category, "language");
  EXPECT_EQ(spec.aggregate_rate_rps, 20);
  EXPECT_EQ(spec.num_requests, 1000);
  EXPECT_EQ(spec.horizon, Time{} + seconds(5));
  ASSERT_EQ(spec.goodput_slo_targets.size(), 2u);
  EXPECT_EQ(spec.goodput_slo_targets[0].first, SloClass::critical);
  EXPECT_EQ(spec.goodput_slo_targets[0].second.itl_ms, 50);
  EXPECT_FALSE(spec.goodput_slo_targets[0].second.e2e_ms.has_value());
  ASSERT_EQ(spec.notes.size(), 1u);
  EXPECT_NE(spec.notes[0].find("\"network\" of clients changes no latency"), std::string::npos);
  ASSERT_EQ(spec.clients.size(), 2u);
  ASSERT_EQ(spec.cohorts.size(), 1u);
}

TEST(WorkloadSpecReader, does_every_key_of_a_client_arrive) {
  const WorkloadSpec spec = parsed(kEverything);
  const ClientSpec& chat = spec.clients.at(0);
  EXPECT_EQ(chat.id, "chat");
  EXPECT_EQ(chat.tenant, "acme");
  EXPECT_EQ(chat.slo_class, SloClass::critical);
  EXPECT_EQ(chat.model + chat.adapter, "ma");
  EXPECT_EQ(chat.rate_fraction, 0.5);
  EXPECT_EQ(chat.arrival.process, ArrivalProcess::gamma);
  EXPECT_EQ(chat.arrival.shape, 4);
  EXPECT_EQ(chat.arrival.scale_us, 250);
  EXPECT_EQ(std::get<LognormalLength>(chat.input).max, 4000);
  EXPECT_EQ(std::get<ExponentialLength>(chat.output).min, 4);
  EXPECT_EQ(chat.prefix_group, "system");
  EXPECT_EQ(chat.prefix_tokens, 256);
  EXPECT_TRUE(chat.streaming);
  EXPECT_EQ(chat.network->bandwidth_mbps, 100);
  EXPECT_EQ(chat.timeout, seconds(30));
  EXPECT_EQ(chat.slo_target, milliseconds(500));
  EXPECT_FALSE(chat.is_closed_loop());
  ASSERT_EQ(chat.windows.size(), 2u);
  EXPECT_FALSE(chat.windows[0].trace_rate.has_value());
  EXPECT_EQ(chat.windows[1].begin, Time{} + seconds(2));
  EXPECT_EQ(chat.windows[1].trace_rate, 4);
  EXPECT_EQ(chat.windows[1].arrival->process, ArrivalProcess::constant);
  EXPECT_EQ(std::get<ConstantLength>(*chat.windows[1].output).tokens, 20);
  EXPECT_EQ(std::get<ConstantLength>(*chat.reasoning->reason_ratio).tokens, 0);
  EXPECT_EQ(chat.multi_turn()->max_rounds, 5);
  EXPECT_EQ(chat.multi_turn()->think_time, microseconds(100));
  EXPECT_TRUE(chat.multi_turn()->accumulate);
  EXPECT_TRUE(chat.multi_turn()->single_session);

  const ClientSpec& pictures = spec.clients.at(1);
  EXPECT_EQ(pictures.timeout, kNoDuration);
  EXPECT_EQ(std::get<EmpiricalLength>(pictures.output).weights,
            (std::vector<std::pair<std::int64_t, double>>{{16, 1}, {64, 3}}));
  EXPECT_EQ(std::get<ConstantLength>(*pictures.multimodal->text).tokens, 30);
  EXPECT_EQ(std::get<ConstantLength>(pictures.multimodal->image->tokens).tokens, 576);
  EXPECT_EQ(std::get<ConstantLength>(pictures.multimodal->image->count).tokens, 0);
  EXPECT_FALSE(pictures.multimodal->video.has_value());
}

TEST(WorkloadSpecReader, does_every_key_of_a_cohort_arrive) {
  const CohortSpec crowd = parsed(kEverything).cohorts.at(0);
  EXPECT_EQ(crowd.population, 10);
  EXPECT_EQ(crowd.member.rate_fraction, 2);
  EXPECT_EQ(std::get<ParetoLognormalLength>(crowd.member.input).mix_weight, 0.1);
  EXPECT_TRUE(crowd.prefix_per_member);
  EXPECT_EQ(crowd.diurnal->peak_hour, 14);
  EXPECT_EQ(crowd.diurnal->peak_to_trough_ratio, 4);
  EXPECT_EQ(crowd.spike->begin, Time{} + microseconds(10));
  EXPECT_EQ(crowd.spike->duration, microseconds(20));
  EXPECT_EQ(crowd.spike->trace_rate, 3);
  EXPECT_EQ(crowd.drain->ramp, microseconds(50));
}

TEST(WorkloadSpecReader, are_old_versions_upgraded_with_a_note) {
  const std::string old = all_with("version: \"2\"", "version: \"1\"");
  const WorkloadSpec spec = parsed(with(old, "slo_class: critical", "slo_class: realtime"));
  EXPECT_EQ(spec.clients.at(0).slo_class, SloClass::critical);
  ASSERT_EQ(spec.notes.size(), 2u);  // the other one is on "network"
  EXPECT_NE(spec.notes[1].find("realtime is now critical"), std::string::npos);
  EXPECT_EQ(parsed(one_with("version: \"2\"\n", "")).notes.size(), 1u);
}

TEST(WorkloadSpecReader, are_other_sources_read) {
  const WorkloadSpec servegen =
      parsed("version: 2\nservegen_data: {path: data, drain_timeout_secs: 0}\n");
  EXPECT_EQ(servegen.servegen->path, "data");
  EXPECT_FALSE(
      parse_workload_spec("version: 2\nservegen_data: {path: data, span_start: 3}\n", "w"));
  EXPECT_EQ(servegen.servegen->window_duration_s, 600);
  EXPECT_EQ(servegen.servegen->drain_timeout_s, 0);
  const WorkloadSpec perf = parsed(R"(version: 2
inference_perf:
  stages: [{rate: 8, duration: 600}, {rate: 20, duration: 600}]
  shared_prefix:
    {num_unique_system_prompts: 9, num_users_per_system_prompt: 5, system_prompt_len: 100,
     question_len: 447, output_len: 248, enable_multi_turn_chat: true}
)");
  ASSERT_EQ(perf.inference_perf->stages.size(), 2u);
  EXPECT_EQ(perf.inference_perf->stages[1].rate_rps, 20);
  EXPECT_EQ(perf.inference_perf->unique_system_prompts, 9);
  EXPECT_EQ(perf.inference_perf->question_tokens, 447);
  EXPECT_TRUE(perf.inference_perf->multi_turn_chat);
}

TEST(WorkloadSpecReader, are_all_errors_of_a_file_reported_at_once) {
  std::string text = one_with("seed: 7", "seeed: 7");
  text = with(text, "process: constant", "process: constnt");
  text = with(text, "std_dev: 20", "std_dev: -1");
  const Result<WorkloadSpec> spec = parse_workload_spec(text, "w.yaml");
  ASSERT_FALSE(spec.has_value());
  EXPECT_EQ(spec.error().diagnostics.size(), 3u) << format(spec.error());
}

TEST(WorkloadSpecReader, says_which_files_a_specification_names) {
  const std::string folder = PLIMSOLL_SOURCE_DIR "/examples/workloads/";
  EXPECT_EQ(
      files_named_by_workload_spec(folder + "lengths.yaml"),
      (std::vector<std::string>{folder + "prompt-lengths.csv", folder + "answer-lengths.json"}));
  EXPECT_TRUE(files_named_by_workload_spec(folder + "absent.yaml").empty());
}

}  // namespace
}  // namespace plimsoll
