// Does each mistake in a specification give its error?
#include <gtest/gtest.h>

#include "workload/workload_spec.h"
#include "workload_texts.h"

namespace plimsoll {
namespace {

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

TEST(WorkloadSpecReader, of_a_file_for_another_verb_say_which) {
  const Result<WorkloadSpec> spec =
      parse_workload_spec("name: Growth\nroutes: {chat: {requests_per_s: 1}}\n", "growth.yaml");
  ASSERT_FALSE(spec);
  ASSERT_EQ(spec.error().diagnostics.size(), 1U);
  EXPECT_EQ(spec.error().diagnostics[0].hint, "this looks like a file for `plimsoll forecast`");
}

TEST(WorkloadSpecReader, does_each_bad_top_level_give_its_error) {
  expect_errors({
      {"", "w.yaml: error: the file is empty"},
      {"version: 2\n", "nothing makes requests"},
      {"version: 2\naggregate_rate: 1\nclients: []\n", "at least one of them is needed"},
      {one_with("version: \"2\"", "version: \"3\""), "w.yaml:1:10: error: unknown version"},
      {one_with("version: \"2\"", "version: \"\""), "unknown version \"\""},
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
       "w.yaml:8:11: error: unknown part \"mornin\""},
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
      {all_with("id: crowd", "id: pictures"), "give each its own name, or none"},
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
      {one_with("process: constant", "process: weibull, scale: 5"), "\"scale\" needs a \"shape\""},
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

}  // namespace
}  // namespace plimsoll
