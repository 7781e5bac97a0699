#include "workload/clients_source.h"

#include <gtest/gtest.h>

#include "workload/workload_spec_reader.h"

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

TEST(ClientsSource, does_one_client_give_what_the_flags_give) {
  const WorkloadSpec spec = parsed(kOneClient);
  EXPECT_EQ(spec.seed, 7u);
  EXPECT_EQ(spec.num_requests, 1000);
  SyntheticSpec flags;
  flags.seed = 7;
  flags.rate_rps = 20;
  flags.arrival.process = ArrivalProcess::constant;
  flags.num_requests = 1000;
  flags.prompt = GaussianLength::constant(512);
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

TEST(ClientsSource, do_clients_share_the_rate_and_merge_by_arrival) {
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

TEST(ClientsSource, are_equal_times_in_the_order_of_the_clients) {
  WorkloadSpec spec = parsed(kTwoClients);
  spec.clients[1].rate_fraction = spec.clients[0].rate_fraction;
  ClientsSource source(spec, 42);
  Request a, b;
  ASSERT_TRUE(source.next(&a));
  ASSERT_TRUE(source.next(&b));
  EXPECT_EQ(a.arrival, b.arrival);
  EXPECT_EQ(a.input_tokens, 50);
  EXPECT_EQ(b.input_tokens, 60);
}

}  // namespace
}  // namespace plimsoll
