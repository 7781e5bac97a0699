#include "workload/workload_spec.h"

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

WorkloadSpec parsed(const std::string& text) {
  Result<WorkloadSpec> spec = parse_workload_spec(text, "w.yaml");
  if (!spec) {
    ADD_FAILURE() << format(spec.error());
    return {};
  }
  return std::move(*spec);
}

// The text with its first `from` replaced.
std::string with(const std::string& from, const std::string& to) {
  std::string text = kOneClient;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(WorkloadSpec, does_one_client_give_what_the_flags_give) {
  const WorkloadSpec spec = parsed(kOneClient);
  EXPECT_EQ(spec.seed, 7u);
  EXPECT_EQ(spec.num_requests, 1000);
  SyntheticSpec flags;
  flags.seed = 7;
  flags.rate_rps = 20;
  flags.arrival.process = ArrivalProcess::constant;
  flags.num_requests = 1000;
  flags.prompt = LengthSpec::constant(512);
  flags.output = {128, 20, 1, 256};
  SyntheticSource expected(flags);
  ClientsSource source(spec, 7);
  Request a, b;
  while (expected.next(&a)) {
    ASSERT_TRUE(source.next(&b));
    ASSERT_EQ(a.id, b.id);
    ASSERT_EQ(a.arrival, b.arrival);
    ASSERT_EQ(a.input_tokens, b.input_tokens);
    ASSERT_EQ(a.output_tokens, b.output_tokens);
    ASSERT_EQ(a.own_content, b.own_content);
  }
  EXPECT_FALSE(source.next(&b));
  EXPECT_EQ(a.arrival, Time{} + microseconds(1000 * 49'999));
}

constexpr const char* kTwoClients = R"(version: 2
aggregate_rate: 30
num_requests: 6
clients:
  - id: slow
    rate_fraction: 1
    arrival: {process: constant}
    input_distribution: {type: constant, params: {value: 10}}
    output_distribution: {type: constant, params: {value: 1}}
    prefix_group: g
    prefix_length: 40
  - id: fast
    rate_fraction: 2
    arrival: {process: constant}
    input_distribution: {type: constant, params: {value: 20}}
    output_distribution: {type: constant, params: {value: 1}}
    prefix_group: g
)";

TEST(WorkloadSpec, do_clients_share_the_rate_and_merge_by_arrival) {
  ClientsSource source(parsed(kTwoClients), 42, seconds(3));
  std::vector<std::int64_t> ids, arrivals_us;
  std::vector<std::int32_t> inputs;
  Request r;
  while (source.next(&r)) {
    ids.push_back(r.id);
    arrivals_us.push_back(r.arrival.ns / 1000);
    inputs.push_back(r.input_tokens);
    EXPECT_EQ(r.deadline, r.arrival + seconds(3));
    ASSERT_EQ(r.prefix.size(), 1u);
    EXPECT_EQ(r.prefix[0].tokens, 40);  // the first client of the group decides
  }
  EXPECT_EQ(ids, (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(arrivals_us,
            (std::vector<std::int64_t>{49'999, 99'998, 99'999, 149'997, 199'996, 199'998}));
  EXPECT_EQ(inputs, (std::vector<std::int32_t>{60, 60, 50, 60, 60, 50}));
}

TEST(WorkloadSpec, are_equal_times_in_the_order_of_the_clients) {
  WorkloadSpec spec = parsed(kTwoClients);
  spec.clients[1].rate_rps = spec.clients[0].rate_rps;
  ClientsSource source(spec, 42);
  Request a, b;
  ASSERT_TRUE(source.next(&a));
  ASSERT_TRUE(source.next(&b));
  EXPECT_EQ(a.arrival, b.arrival);
  EXPECT_EQ(a.input_tokens, 50);
  EXPECT_EQ(b.input_tokens, 60);
}

TEST(WorkloadSpec, does_each_bad_file_give_its_error) {
  const std::string later = "it arrives with a later version: workload specifications";
  const struct {
    std::string text;
    std::string error;
  } cases[] = {
      {"", "w.yaml"},
      {with("version: \"2\"", "version: \"1\""), "w.yaml:1:10: error: only version \"2\""},
      {with("seed: 7\n", "cohorts: []\n"), "w.yaml:2:10: error: \"cohorts\" is not supported yet"},
      {with("seed: 7\n", "servegen_data: {}\n"), later},
      {with("seed: 7\n", "category: reasoning\n"), later},
      {with("seed: 7\n", "sed: 7\n"), "did you mean \"seed\"?"},
      {with("seed: 7\n", "seed: 7.5\n"), "w.yaml:2:7: error:"},
      {with("aggregate_rate: 20", "aggregate_rate: 0"), "w.yaml:3:17: error:"},
      {with("aggregate_rate: 20", "aggregate_rate: .nan"), "w.yaml:3:17: error:"},
      {with("aggregate_rate: 20", "aggregate_rate: 1e9"), "each share must lie in [1e-06, 1e+06]"},
      {with("num_requests: 1000", "num_requests: -1"), "w.yaml:4:15: error:"},
      {with("rate_fraction: 1.0", "rate_fraction: -1"), "w.yaml:7:20: error:"},
      {with("rate_fraction: 1.0", "rate_fraction: 1.0\n    timeout: 5"),
       "w.yaml:8:14: error: \"timeout\" is not supported yet"},
      {with("rate_fraction: 1.0", "rate_fraction: 1.0\n    rate_fracton: 1"), "did you mean"},
      {with("process: constant", "process: constnt"), "did you mean \"constant\"?"},
      {with("process: constant", "process: gamma, cv: 50"), "w.yaml:8:35: error: the coefficient"},
      {with("process: constant", "process: gamma, shape: 2"), "\"shape\" is not supported yet"},
      {with("type: constant", "type: lognormal"), later},
      {with("type: constant", "type: constnat"), "did you mean \"constant\"?"},
      {with("value: 512", "value: 0"), "w.yaml:9:58: error:"},
      {with("value: 512", "value: 512.5"), "a length is a whole number of tokens"},
      {with("value: 512", "valu: 512"), "missing key \"value\""},
      {with("std_dev: 20", "std_dev: -1"), "w.yaml:10:"},
      {with("min: 1,", "min: 300,"), "the minimum exceeds the maximum"},
      {with("rate_fraction: 1.0", "rate_fraction: 1.0\n    prefix_length: 5"),
       "needs a \"prefix_group\""},
      {"version: 2\naggregate_rate: 1\nclients: []\n", "at least one client is needed"},
  };
  for (const auto& [text, error] : cases) {
    const Result<WorkloadSpec> spec = parse_workload_spec(text, "w.yaml");
    ASSERT_FALSE(spec) << error;
    EXPECT_NE(format(spec.error()).find(error), std::string::npos)
        << format(spec.error()) << "expected " << error;
  }
}

}  // namespace
}  // namespace plimsoll
