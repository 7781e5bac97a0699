#include "workload/inference_perf.h"

#include <gtest/gtest.h>

#include "workload/workload_spec.h"

namespace plimsoll {
namespace {

WorkloadSpec expanded(const std::string& text) {
  const auto perf = parse_inference_perf(text, "t");
  EXPECT_TRUE(perf) << format(perf.error());
  const auto spec = expand_inference_perf(*perf);
  EXPECT_TRUE(spec) << format(spec.error());
  const auto again = parse_workload_spec(workload_spec_yaml(*spec), "again");
  EXPECT_TRUE(again) << format(again.error());
  return *spec;
}

// 9.5 req/s for 10 s are 95 requests of 2 x 3 users, who each have a sixth of the rate.
TEST(InferencePerf, does_one_stage_share_its_rate_among_the_users) {
  const WorkloadSpec spec = expanded(R"(
stages: [{rate: 9.5, duration: 10}]
shared_prefix:
  num_unique_system_prompts: 2
  num_users_per_system_prompt: 3
  system_prompt_len: 100
  question_len: 20
  output_len: 30
)");
  EXPECT_EQ(spec.category, "language");
  EXPECT_EQ(spec.aggregate_rate_rps, 9.5);
  EXPECT_EQ(spec.num_requests, 95);
  ASSERT_EQ(spec.clients.size(), 6u);
  const ClientSpec& client = spec.clients[4];  // the second user of the second prompt
  EXPECT_EQ(client.id, "prompt-1-user-1");
  EXPECT_EQ(client.tenant, "prompt-1");
  EXPECT_EQ(client.prefix_group, "prompt-1");
  EXPECT_EQ(client.prefix_tokens, 100);
  EXPECT_EQ(client.slo_class, SloClass::standard);
  EXPECT_EQ(client.rate_fraction, spec.clients[0].rate_fraction);
  EXPECT_EQ(client.input, LengthDistribution(ConstantLength{20}));
  EXPECT_EQ(client.output, LengthDistribution(ConstantLength{30}));
  EXPECT_TRUE(client.windows.empty());
  EXPECT_FALSE(client.reasoning);
}

// 11 requests among 4 users: three of three rounds, one of two. Each user speaks every 4 / 5.5 s.
TEST(InferencePerf, are_the_rounds_of_a_chat_dealt_out_evenly) {
  const WorkloadSpec spec = expanded(R"(
stages: [{rate: 5.5, duration: 2}]
shared_prefix: {num_unique_system_prompts: 2, num_users_per_system_prompt: 2, system_prompt_len: 8,
  question_len: 5, output_len: 7, enable_multi_turn_chat: true}
)");
  EXPECT_EQ(spec.category, "reasoning");
  EXPECT_EQ(spec.num_requests, 11);
  ASSERT_EQ(spec.clients.size(), 4u);
  const std::int64_t rounds[]{3, 3, 3, 2};
  for (std::size_t i = 0; i < 4; ++i) {
    const MultiTurnSpec* turns = spec.clients[i].multi_turn();
    ASSERT_NE(turns, nullptr);
    EXPECT_EQ(turns->max_rounds, rounds[i]);
    EXPECT_EQ(turns->think_time, microseconds(727'273));
    EXPECT_TRUE(turns->single_session);
    EXPECT_FALSE(turns->accumulate);
  }
}

TEST(InferencePerf, do_users_without_a_round_stay_away) {
  const WorkloadSpec spec = expanded(R"(
stages: [{rate: 1, duration: 2.9}]
shared_prefix: {num_unique_system_prompts: 1, num_users_per_system_prompt: 5, system_prompt_len: 0,
  question_len: 0, output_len: 0, enable_multi_turn_chat: true}
)");
  EXPECT_EQ(spec.clients.size(), 2u);
  EXPECT_EQ(spec.clients[0].prefix_group, "");  // nothing to share
  EXPECT_EQ(spec.clients[0].input, LengthDistribution(ConstantLength{1}));
}

// Stages follow each other; each has its own rate, not the sum of all.
TEST(InferencePerf, does_each_of_several_stages_keep_its_rate) {
  const WorkloadSpec spec = expanded(R"(
stages: [{rate: 4, duration: 30}, {rate: 10, duration: 15.5}]
shared_prefix: {num_unique_system_prompts: 2, num_users_per_system_prompt: 1, system_prompt_len: 64,
  question_len: 5, output_len: 7}
)");
  EXPECT_EQ(spec.aggregate_rate_rps, 0);
  EXPECT_EQ(spec.num_requests, kUnlimited);
  EXPECT_EQ(spec.horizon, Time{} + milliseconds(45'500));
  ASSERT_EQ(spec.clients.size(), 4u);
  EXPECT_EQ(spec.clients[3].id, "stage-1-prompt-1-user-0");
  EXPECT_EQ(spec.clients[3].prefix_group, "prompt-1");
  const WindowSpec& first = spec.clients[0].windows.at(0);
  EXPECT_EQ(first.begin, Time{});
  EXPECT_EQ(first.end, Time{} + seconds(30));
  EXPECT_EQ(first.trace_rate, 2);
  const WindowSpec& second = spec.clients[3].windows.at(0);
  EXPECT_EQ(second.begin, Time{} + seconds(30));
  EXPECT_EQ(second.end, Time{} + milliseconds(45'500));
  EXPECT_EQ(second.trace_rate, 5);
}

TEST(InferencePerf, are_its_own_configurations_read) {
  const WorkloadSpec spec = expanded(R"(
load:
  type: constant
  stages:
  - {rate: 2, duration: 50}
api: {type: completion, streaming: true}
data:
  type: shared_prefix
  shared_prefix:
    num_groups: 3
    num_prompts_per_group: 2
    system_prompt_len: 100
    question_len: 50
    output_len: 50
server: {type: vllm, base_url: "http://0.0.0.0:8000"}
)");
  EXPECT_EQ(spec.clients.size(), 6u);
  EXPECT_EQ(spec.num_requests, 100);
  EXPECT_EQ(spec.clients[0].arrival.process, ArrivalProcess::constant);
  EXPECT_TRUE(spec.notes.empty());
}

TEST(InferencePerf, does_the_type_of_a_load_say_how_requests_arrive) {
  const auto arrival_of = [](const std::string& load) {
    const WorkloadSpec spec =
        expanded("load: {" + load +
                 "stages: [{rate: 2, duration: 50}]}\ndata: {type: shared_prefix, "
                 "shared_prefix: {num_groups: 1, num_prompts_per_group: 1, system_prompt_len: 1, "
                 "question_len: 1, output_len: 1}}");
    return std::pair(spec.clients.at(0).arrival.process, spec.notes);
  };
  using Notes = std::vector<std::string>;
  EXPECT_EQ(arrival_of("type: poisson, "), std::pair(ArrivalProcess::poisson, Notes{}));
  EXPECT_EQ(arrival_of("type: constant, "), std::pair(ArrivalProcess::constant, Notes{}));
  EXPECT_EQ(arrival_of(""), std::pair(ArrivalProcess::constant, Notes{}));
  EXPECT_EQ(arrival_of("interval: 1.0, num_workers: 4, "),
            std::pair(ArrivalProcess::constant, Notes{"load: interval, num_workers not used"}));
}

TEST(InferencePerf, does_the_key_in_a_specification_mean_the_same) {
  const std::string block =
      "{stages: [{rate: 2, duration: 50}], shared_prefix: {num_unique_system_prompts: 1, "
      "num_users_per_system_prompt: 1, system_prompt_len: 1, question_len: 2, output_len: 3}}";
  const auto alone = parse_inference_perf(block, "t");
  const auto inside = parse_workload_spec("version: \"2\"\ninference_perf: " + block, "t");
  ASSERT_TRUE(alone) << format(alone.error());
  ASSERT_TRUE(inside) << format(inside.error());
  EXPECT_EQ(inside->inference_perf, *alone);
}

TEST(InferencePerf, does_each_bad_input_give_one_clear_error) {
  const std::string prefix =
      "shared_prefix: {num_unique_system_prompts: 2, num_users_per_system_prompt: 2, "
      "system_prompt_len: 8, question_len: 5, output_len: 7}\n";
  const std::string stages = "stages: [{rate: 5, duration: 2}]\n";
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = prefix;
    return stages + text.replace(text.find(from), from.size(), to);
  };
  const std::string own =
      "load: {stages: [{rate: 5, duration: 2}]}\ndata: {type: shared_prefix, shared_prefix: "
      "{num_groups: 2, num_prompts_per_group: 2, system_prompt_len: 8, question_len: 5, "
      "output_len: 7}}\n";
  const auto own_with = [&](const std::string& from, const std::string& to) {
    std::string text = own;
    return text.replace(text.find(from), from.size(), to);
  };
  ASSERT_TRUE(parse_inference_perf(stages + prefix, "t"));
  ASSERT_TRUE(parse_inference_perf(own, "t"));
  const std::pair<std::string, const char*> cases[]{
      {"", "the file is empty"},
      {"[1]", "found a list"},
      {"stages: {", "cannot parse this"},
      {prefix, "missing key \"stages\""},
      {stages, "missing key \"shared_prefix\""},
      {"stages: []\n" + prefix, "at least one stage"},
      {"stages: 5\n" + prefix, "\"stages\""},
      {"stages: [{rate: 0, duration: 2}]\n" + prefix, "\"rate\""},
      {"stages: [{rate: -1, duration: 2}]\n" + prefix, "\"rate\""},
      {"stages: [{rate: 1, duration: 0}]\n" + prefix, "\"duration\""},
      {"stages: [{rate: .nan, duration: 1}]\n" + prefix, "\"rate\""},
      {"stages: [{rate: 1}]\n" + prefix, "missing key \"duration\""},
      {"stages: [{rate: 1, duration: 1, ramp: 3}]\n" + prefix, "unknown key \"ramp\""},
      {with("question_len", "question_length"), "unknown key \"question_length\""},
      {with("prompts: 2", "prompts: 0"), "\"num_unique_system_prompts\""},
      {with("prompt: 2", "prompt: -3"), "\"num_users_per_system_prompt\""},
      {with("_len: 8", "_len: -1"), "\"system_prompt_len\""},
      {with("_len: 5", "_len: 1.5"), "\"question_len\""},
      {with("_len: 7", "_len: many"), "\"output_len\""},
      {with("output_len: 7", "output_len: 7, enable_multi_turn_chat: yes"),
       "\"enable_multi_turn_chat\""},
      {stages + prefix + "stages: []\n", "duplicate key"},
      {own_with("type: shared_prefix", "type: random"), "\"type\" cannot be random"},
      {own_with("load: {", "load: {type: concurrent, "), "\"type\" cannot be concurrent"},
      {own_with("num_groups: 2", "num_groups: 0"), "\"num_groups\""},
      {own_with("stages: [{rate: 5, duration: 2}]", "stages: []"), "at least one stage"},
      {own_with("data:", "dat:"), "missing key \"data\""},
  };
  for (const auto& [text, expected] : cases) {
    const auto perf = parse_inference_perf(text, "t");
    ASSERT_FALSE(perf) << text;
    EXPECT_NE(format(perf.error()).find(expected), std::string::npos)
        << text << "\n"
        << format(perf.error()) << "expected " << expected;
  }
}

// A number of seconds in milliseconds, above all: 1e12 s are 31,700 years, and more than 2^63 ns.
TEST(InferencePerf, are_times_beyond_the_clock_refused_one_by_one_and_in_all) {
  const auto text = [](const std::string& stages) {
    return "stages: [" + stages +
           "]\nshared_prefix: {num_unique_system_prompts: 1, "
           "num_users_per_system_prompt: 1, system_prompt_len: 0, question_len: 1, output_len: "
           "1}\n";
  };
  for (const char* duration : {"1000000000000", "1e18", "1e308", "0", "1e-9"}) {
    const auto perf =
        parse_inference_perf(text("{rate: 1, duration: " + std::string(duration) + "}"), "t");
    ASSERT_FALSE(perf) << duration;
    EXPECT_NE(format(perf.error()).find("\"duration\" must be at least"), std::string::npos);
  }
  const auto error_of_all = [&](const std::string& stages) {
    const auto perf = parse_inference_perf(text(stages), "t");
    EXPECT_TRUE(perf) << stages;
    const auto spec = expand_inference_perf(*perf);
    return spec ? std::string("no error") : format(spec.error());
  };
  const std::string longest = "{rate: 1e-6, duration: 4e9}";
  EXPECT_EQ(error_of_all(longest), "no error");
  EXPECT_NE(error_of_all(longest + ", " + longest).find("more than 4e+09"), std::string::npos);
  EXPECT_NE(error_of_all("{rate: 1e6, duration: 4e9}").find("more than 2,000,000,000"),
            std::string::npos);
}

TEST(InferencePerf, is_a_crowd_refused) {
  InferencePerfSpec perf;
  perf.stages = {{1, 1}};
  perf.unique_system_prompts = 1'000'000;
  perf.users_per_system_prompt = 1'000'000;
  const auto spec = expand_inference_perf(perf);
  ASSERT_FALSE(spec);
  EXPECT_NE(format(spec.error()).find("20000 clients"), std::string::npos);
}

}  // namespace
}  // namespace plimsoll
