#include "workload/workload_spec_reader.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

constexpr const char* kOneClient = R"(version: "2"
seed: 7
aggregate_rate: 20
num_requests: 1000
clients:
  - id: "c"
    rate_fraction: 1.0
    arrival: {process: constant}
    input_distribution: {type: constant, params: {value: 512}}
    output_distribution: {type: gaussian, params: {mean: 128, std_dev: 20, min: 1, max: 256}}
)";

constexpr const char* kEverything = R"(version: "2"
seed: -3
category: language
aggregate_rate: 20
num_requests: 1000
horizon: 5000000
goodput_slo_targets: {critical: {ttft_ms: 200, itl_ms: 50}, batch: {e2e_ms: 60000}}
clients:
  - id: chat
    tenant_id: acme
    slo_class: critical
    model: m
    adapter: a
    rate_fraction: 0.5
    arrival: {process: gamma, shape: 4, scale: 250}
    input_distribution: {type: lognormal, params: {mu: 6, sigma: 0.5, max: 4000}}
    output_distribution: {type: exponential, params: {mean: 100, min: 4}}
    prefix_group: system
    prefix_length: 256
    streaming: true
    network: {rtt_ms: 20, bandwidth_mbps: 100}
    timeout: 30000000
    slo_target_us: 500000
    closed_loop: false
    lifecycle:
      windows:
        - {start_us: 0, end_us: 1000000}
        - start_us: 2000000
          end_us: 3000000
          trace_rate: 4
          arrival: {process: constant}
          input_distribution: {type: constant, params: {value: 10}}
          output_distribution: {type: constant, params: {value: 20}}
    reasoning:
      reason_ratio_distribution: {type: constant, params: {value: 0}}
      multi_turn: {max_rounds: 5, think_time_us: 100, context_growth: accumulate, single_session: true}
  - id: pictures
    slo_class: batch
    rate_fraction: 0.5
    timeout: 0
    arrival: {process: poisson}
    output_distribution: {type: empirical, params: {64: 3, 16: 1, 128: 0}}
    multimodal:
      text_distribution: {type: constant, params: {value: 30}}
      image_distribution: {type: constant, params: {value: 576}}
      image_count_distribution: {type: constant, params: {value: 0}}
cohorts:
  - id: crowd
    slo_class: sheddable
    population: 10
    rate_fraction: 2
    arrival: {process: weibull, cv: 2}
    input_distribution:
      type: pareto_lognormal
      params: {alpha: 1.5, xm: 100, mu: 5, sigma: 1, mix_weight: 0.1}
    output_distribution: {type: constant, params: {value: 5}}
    prefix_group: own
    prefix_sharing: per_member
    diurnal: {peak_hour: 14, peak_to_trough_ratio: 4}
    spike: {start_time_us: 10, duration_us: 20, trace_rate: 3}
    drain: {start_time_us: 100, ramp_duration_us: 50}
)";

WorkloadSpec parsed(const std::string& text) {
  Result<WorkloadSpec> spec = parse_workload_spec(text, "w.yaml");
  if (!spec) {
    ADD_FAILURE() << format(spec.error());
    return {};
  }
  return std::move(*spec);
}

// `text` with its first `from` replaced.
std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string one_with(const std::string& from, const std::string& to) {
  return with(kOneClient, from, to);
}

std::string all_with(const std::string& from, const std::string& to) {
  return with(kEverything, from, to);
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

struct Bad {
  std::string text;
  std::string error;
};

void expect_errors(const std::vector<Bad>& cases) {
  for (const auto& [text, error] : cases) {
    const Result<WorkloadSpec> spec = parse_workload_spec(text, "w.yaml");
    ASSERT_FALSE(spec) << error;
    EXPECT_NE(format(spec.error()).find(error), std::string::npos)
        << format(spec.error()) << "expected " << error;
  }
}

TEST(WorkloadSpecReader, does_each_bad_top_level_give_its_error) {
  expect_errors({
      {"", "w.yaml: error: the file is empty"},
      {"version: 2\n", "nothing makes requests"},
      {"version: 2\naggregate_rate: 1\nclients: []\n", "at least one of them is needed"},
      {one_with("version: \"2\"", "version: \"3\""), "w.yaml:1:10: error: there is no version"},
      {one_with("version: \"2\"", "version: \"\""), "there is no version \"\""},
      {one_with("seed: 7\n",
                "servegen_data: {path: d, window_duration_secs: 9223372036854775807}"
                "\n"),
       "\"window_duration_secs\" must be between 1 and 31000000"},
      {one_with("seed: 7\n",
                "servegen_data: {path: d, drain_timeout_secs: 9223372036854775807}"
                "\n"),
       "\"drain_timeout_secs\" must be between 0 and 31000000"},
      {one_with("seed: 7\n", "horizon: 9223372036854775807\n"), "\"horizon\" must be"},
      {one_with("num_requests: 1000", "num_requests: 9223372036854775807"),
       "must be between 0 and 2000000000"},
      {one_with("seed: 7\n", "goodput_slo_targets: {batch: {ttft_ms: 1e300}}\n"),
       "at most 2678400000"},
      {one_with("seed: 7\n", "servegen_data: {}\n"), "missing key \"path\""},
      {one_with("seed: 7\n", "servegen_data: {path: d}\n"), "exclude each other"},
      {one_with("seed: 7\n", "inference_perf: {stages: []}\n"), "at least one stage is needed"},
      {one_with("seed: 7\n", "inference_perf: {stages: [{rate: 0, duration: 1}]}\n"), "\"rate\""},
      {one_with("seed: 7\n", "sed: 7\n"), "did you mean \"seed\"?"},
      {one_with("seed: 7\n", "seed: 7.5\n"), "w.yaml:2:7: error:"},
      {one_with("seed: 7\n", "category: languages\n"), "did you mean \"language\"?"},
      {one_with("aggregate_rate: 20", "aggregate_rate: -1"), "w.yaml:3:17: error:"},
      {one_with("aggregate_rate: 20", "aggregate_rate: .nan"), "w.yaml:3:17: error:"},
      {one_with("aggregate_rate: 20", "aggregate_rate: 1e9"), "at most 1000000"},
      {one_with("num_requests: 1000", "num_requests: -1"), "w.yaml:4:15: error:"},
      {one_with("seed: 7\n", "horizon: -1\n"), "w.yaml:2:10: error:"},
      {one_with("seed: 7\n", "goodput_slo_targets: {critcal: {ttft_ms: 5}}\n"),
       "did you mean \"critical\"?"},
      {one_with("seed: 7\n", "goodput_slo_targets: {batch: {ttft_ms: 0}}\n"), "greater than 0"},
      {one_with("aggregate_rate: 20\n", ""), "a client needs windows with their own rates"},
      {one_with("aggregate_rate: 20", "aggregate_rate: 0"), "windows with their own rates"},
  });
}

TEST(WorkloadSpecReader, does_each_bad_part_give_its_error) {
  const auto parts = [](const std::string& text, const std::string& of_client = "") {
    return with(one_with("seed: 7\n", "parts: " + text + "\n"), "rate_fraction: 1.0",
                "rate_fraction: 1.0" + of_client);
  };
  expect_errors({
      {parts("5"), "w.yaml:2:8: error: \"parts\" must hold"},
      {parts("[]"), "\"parts\" must hold"},
      {parts("{a: 5}"), "\"a\" must hold"},
      {parts("{\"\": {aggregate_rate: 1}}"), "a part needs a name"},
      {parts("{a: {aggregate_rate: -1}}"), "\"aggregate_rate\" must be"},
      {parts("{a: {aggregate_rate: 1e9}}"), "at most 1000000"},
      {parts("{a: {agregate_rate: 1}}"), "did you mean \"aggregate_rate\"?"},
      {parts("{a: {horizon: -1}}"), "\"horizon\" must be"},
      {parts("{a: {horizon: 1.5}}"), "w.yaml:2:22: error:"},
      {parts("{a: {aggregate_rate: 1}, a: {aggregate_rate: 2}}"), "w.yaml:2:33: error:"},
      {parts("{morning: {aggregate_rate: 1}}", "\n    part: mornin"),
       "w.yaml:8:11: error: there is no part \"mornin\""},
      {parts("{morning: {aggregate_rate: 1}}", "\n    part: mornin"), "did you mean \"morning\"?"},
      {one_with("rate_fraction: 1.0", "rate_fraction: 1.0\n    part: day"),
       "add parts: {day: {...}} at the top"},
      {parts("{a: {horizon: 5}}", "\n    part: a"), "a client needs windows with their own rates"},
  });
}

TEST(WorkloadSpecReader, is_an_id_that_two_clients_or_cohorts_have_an_error) {
  const std::string id = "error: two clients or cohorts have the id ";
  expect_errors({
      {all_with("id: pictures", "id: chat"), "w.yaml:37:9: " + id + "\"chat\""},
      {all_with("id: crowd", "id: chat"), id + "\"chat\""},
      {all_with("id: crowd", "id: pictures"), "give each a name of its own, or none"},
  });
  EXPECT_TRUE(parse_workload_spec(with(all_with("id: chat", "id: \"\""), "id: crowd", "id: \"\""),
                                  "w.yaml"));
}

TEST(WorkloadSpecReader, does_each_bad_client_give_its_error) {
  const auto client = [](const std::string& line) {
    return one_with("rate_fraction: 1.0", "rate_fraction: 1.0\n    " + line);
  };
  expect_errors({
      {one_with("rate_fraction: 1.0", "rate_fraction: -1"), "w.yaml:7:20: error:"},
      {client("rate_fracton: 1"), "unknown key \"rate_fracton\""},
      {client("slo_class: realtime"), "\"slo_class\" cannot be realtime"},
      {client("slo_class: critcal"), "did you mean \"critical\"?"},
      {client("timeout: -5"), "\"timeout\" must be"},
      {client("concurrency: 4"), "either \"rate_fraction\" or \"concurrency\""},
      {client("think_time_us: 4"), "only users of a \"concurrency\" client think here"},
      {client("prefix_length: 5"), "needs a \"prefix_group\""},
      {client("lifecycle: {windows: [{start_us: 5, end_us: 5}]}"), "ends before it starts"},
      {client("lifecycle: {windows: [{start_us: 5}]}"), "missing key \"end_us\""},
      {client("lifecycle: {windows: [{start_us: 0, end_us: 9}, {start_us: 8, end_us: 20}]}"),
       "two windows overlap at 8 us"},
      {client("lifecycle: {windows: [{start_us: 0, end_us: 9, trace_rate: 0}]}"), "trace_rate"},
      {client("multimodal: {}"), "a multimodal prompt needs a part"},
      {client("multimodal: {image_distribution: {type: constant, params: {value: 5}}}"),
       "missing key \"image_count_distribution\""},
      {client("reasoning: {multi_turn: {max_rounds: 0}}"), "\"max_rounds\" must be"},
      {client("reasoning: {multi_turn: {max_rounds: 2, context_growth: acumulate}}"),
       "did you mean \"accumulate\"?"},
      {client("network: {rtt_m: 5}"), "did you mean \"rtt_ms\"?"},
      {client("streaming: yes"), "must be true or false"},
      {all_with("    slo_class: batch\n", ""),
       "either all clients and cohorts have an \"slo_class\""},
      {all_with("rate_fraction: 0.5\n    timeout: 0", "concurrency: 3"), "cannot be mixed"},
  });
}

TEST(WorkloadSpecReader, does_each_bad_distribution_give_its_error) {
  const auto output = [](const std::string& text) {
    return one_with("{type: gaussian, params: {mean: 128, std_dev: 20, min: 1, max: 256}}", text);
  };
  expect_errors({
      {one_with("process: constant", "process: constnt"), "did you mean \"constant\"?"},
      {one_with("process: constant", "process: gamma, cv: 50"),
       "w.yaml:8:35: error: the coefficient"},
      {one_with("process: constant", "process: gamma, shape: 1e6"), "the shape of gamma arrivals"},
      {one_with("process: constant", "process: weibull, scale: 5"), "a scale without a shape"},
      {output("{type: constnat, params: {value: 5}}"), "did you mean \"constant\"?"},
      {output("{type: constant, params: {value: 0}}"), "\"value\" must be"},
      {output("{type: constant, params: {value: 512.5}}"), "a whole number of tokens"},
      {output("{type: constant, params: {valu: 512}}"), "missing key \"value\""},
      {output("{type: constant, file: a.csv, params: {value: 512}}"), "unknown key \"file\""},
      {output("{type: gaussian, params: {mean: 1, std_dev: -1, min: 1, max: 2}}"), "\"std_dev\""},
      {output("{type: gaussian, params: {mean: 1, std_dev: 1, min: 3, max: 2}}"),
       "the minimum exceeds the maximum"},
      {output("{type: gaussian, params: {mean: -600, std_dev: 1, min: 1, max: 2}}"),
       "\"mean\" must be at least 0"},
      {output("{type: gaussian, params: {mean: 600, std_dev: 1, min: 1, max: 2}}"),
       "the mean 600 lies outside of [1, 2]"},
      {output("{type: gaussian, params: {mean: 1, std_dev: 1e300, min: 1, max: 2}}"),
       "\"std_dev\""},
      {output("{type: exponential, params: {mean: 1e300}}"), "\"mean\" must be greater than 0"},
      {output("{type: lognormal, params: {mu: 700, sigma: 1}}"), "\"mu\" must be"},
      {output("{type: lognormal, params: {mu: -700, sigma: 1}}"), "\"mu\" must be"},
      {output("{type: lognormal, params: {mu: 1, sigma: 1e9}}"), "\"sigma\" must be"},
      {output("{type: pareto_lognormal, params: {alpha: 1, xm: 1e10, mu: 1, sigma: 1, "
              "mix_weight: 0}}"),
       "\"xm\" must be"},
      {output("{type: exponential, params: {mean: 0}}"), "\"mean\" must be greater than 0"},
      {output("{type: lognormal, params: {mu: 5}}"), "missing key \"sigma\""},
      {output("{type: lognormal, params: {mu: .inf, sigma: 1}}"), "\"mu\" must be a number"},
      {output("{type: lognormal, params: {mu: 5, sigma: 1, min: 10, max: 5}}"), "exceeds"},
      {output("{type: pareto_lognormal, params: {alpha: 1, xm: 1, mu: 1, sigma: 1, "
              "mix_weight: 2}}"),
       "\"mix_weight\" must be at least 0 and at most 1"},
      {output("{type: empirical}"), "either \"params\" or a \"file\""},
      {output("{type: empirical, params: {5: 1}, file: f}"), "either \"params\" or a \"file\""},
      {output("{type: empirical, params: {five: 1}}"), "\"five\" is not a number of tokens"},
      {output("{type: empirical, params: {5: 0}}"), "no token count has a weight above 0"},
      {output("{type: empirical, params: {5: -1}}"), "\"5\" must be at least 0"},
  });
}

TEST(WorkloadSpecReader, does_each_bad_cohort_give_its_error) {
  expect_errors({
      {all_with("population: 10", "population: 0"), "\"population\" must be between 1 and 100000"},
      {all_with("population: 10", "populaton: 10"), "did you mean \"population\"?"},
      {all_with("    prefix_group: own\n", ""), "a prefix per member needs a \"prefix_group\""},
      {all_with("per_member", "per_membr"), "did you mean \"per_member\"?"},
      {all_with("peak_hour: 14", "peak_hour: 24"), "\"peak_hour\" must be between 0 and 23"},
      {all_with("peak_to_trough_ratio: 4", "peak_to_trough_ratio: 0.5"), "at least 1"},
      {all_with("duration_us: 20", "duration_us: 0"), "\"duration_us\" must be"},
      {all_with("ramp_duration_us: 50", "ramp_duration_us: 0"), "\"ramp_duration_us\" must be"},
      {all_with("population: 10", "concurrency: 10"), "unknown key \"concurrency\""},
      {all_with("aggregate_rate: 20\n", ""), "there is no rate that could follow the day"},
      {all_with("aggregate_rate: 20\n", ""), "there is no rate that could drain"},
  });
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
