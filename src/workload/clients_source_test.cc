#include "workload/clients_source.h"

#include <gtest/gtest.h>

#include "made_clients.h"
#include "workload/synthetic.h"
#include "workload/workload_spec.h"

namespace plimsoll {
namespace {

TEST(ClientsSource, does_one_client_give_what_the_flags_give) {
  SyntheticSpec flags;
  flags.seed = 7;
  flags.rate_rps = 20;
  flags.arrival = {ArrivalProcess::gamma, 2};
  flags.num_requests = 1000;
  flags.prompt = {600, 200, 1, 900};
  flags.output = {128, 20, 1, 256};
  ClientSpec one = client("c");
  one.arrival = flags.arrival;
  one.input = flags.prompt;
  one.output = flags.output;
  SyntheticSource expected(flags);
  ClientsOptions options;
  options.seed = 7;
  ClientsSource source(workload(20, {one}, 1000), options);
  Request a, b;
  while (expected.next(&a)) {
    ASSERT_TRUE(source.next(&b));
    ASSERT_EQ(a.id, b.id);
    ASSERT_EQ(a.arrival, b.arrival);
    ASSERT_EQ(a.input_tokens, b.input_tokens);
    ASSERT_EQ(a.output_tokens, b.output_tokens);
    ASSERT_EQ(a.max_output_tokens, b.max_output_tokens);
    ASSERT_EQ(a.own_content, b.own_content);
  }
  EXPECT_FALSE(source.next(&b));
}

TEST(ClientsSource, are_constant_intervals_those_of_the_reference) {
  const std::vector<Request> requests = made(workload(20, {client("c")}, 1000));
  EXPECT_EQ(us(requests.back().arrival), 1000 * 49'999);
}

TEST(ClientsSource, do_clients_share_the_rate_and_merge_by_arrival) {
  const auto requests = made(workload(30, {client("slow", 1), client("fast", 2)}, 6));
  std::vector<std::int64_t> ids, arrivals;
  std::vector<std::int32_t> clients;
  for (const Request& r : requests) {
    ids.push_back(r.id);
    arrivals.push_back(us(r.arrival));
    clients.push_back(r.tags.client);
  }
  EXPECT_EQ(ids, (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(arrivals,
            (std::vector<std::int64_t>{49'999, 99'998, 99'999, 149'997, 199'996, 199'998}));
  EXPECT_EQ(clients, (std::vector<std::int32_t>{1, 1, 0, 1, 1, 0}));
}

TEST(ClientsSource, are_equal_times_in_the_order_of_the_clients) {
  const auto requests = made(workload(30, {client("a"), client("b"), client("c")}, 9));
  for (std::size_t i = 0; i < requests.size(); ++i) {
    EXPECT_EQ(requests[i].tags.client, static_cast<std::int32_t>(i % 3));
  }
}

TEST(ClientsSource, do_the_first_client_of_a_group_and_the_default_decide_the_prefix) {
  std::vector<ClientSpec> clients{client("a"), client("b"), client("c"), client("d")};
  clients[0].prefix_group = clients[1].prefix_group = "g";
  clients[0].prefix_tokens = 40;
  clients[1].prefix_tokens = 70;
  clients[2].prefix_group = "h";
  ClientsSource source(workload(40, clients, 4), in_step());
  const std::vector<Request> requests = all_of(&source);
  EXPECT_EQ(requests[0].input_tokens, 50);
  EXPECT_EQ(requests[1].input_tokens, 50);
  EXPECT_EQ(requests[2].input_tokens, 10 + kDefaultPrefixTokens);
  EXPECT_EQ(requests[0].prefix[0].tokens, 40);
  EXPECT_EQ(requests[0].prefix[0].content, requests[1].prefix[0].content);
  EXPECT_NE(requests[0].prefix[0].content, requests[2].prefix[0].content);
  EXPECT_TRUE(requests[3].prefix.empty());
}

TEST(ClientsSource, are_tags_classes_deadlines_and_models_those_of_the_client) {
  std::vector<ClientSpec> clients{client("a"), client(""), client("c")};
  clients[0].tenant = clients[2].tenant = "acme";
  clients[0].slo_class = SloClass::batch;
  clients[0].timeout = seconds(3);
  clients[0].model = "Served";
  clients[0].adapter = "lora";
  clients[0].streaming = true;
  clients[1].model = "other";
  clients[2].timeout = kNoDuration;
  clients[2].reasoning = ReasoningSpec{ConstantLength{150}, {}};
  ClientsOptions options = in_step();
  options.served_model = "served";
  ClientsSource source(workload(30, clients, 3), options);
  const std::vector<Request> r = all_of(&source);
  EXPECT_EQ(r[0].slo_class, SloClass::batch);
  EXPECT_EQ(r[0].deadline, r[0].arrival + seconds(3));
  EXPECT_EQ(r[0].tags.tenant, 0);
  EXPECT_EQ(r[0].tags.session, -1);
  EXPECT_FALSE(r[0].other_model);
  EXPECT_TRUE(r[1].other_model);
  EXPECT_EQ(r[1].deadline, kNever);
  EXPECT_EQ(r[1].tags.tenant, -1);
  EXPECT_EQ(r[2].deadline, kNever);
  EXPECT_EQ(r[2].tags.tenant, 0);
  EXPECT_EQ(r[0].tags.reason_ratio, 0);
  EXPECT_EQ(r[2].tags.reason_ratio, 1);
  const Labels& labels = source.labels();
  EXPECT_EQ(labels.tenants, std::vector<std::string>{"acme"});
  ASSERT_EQ(labels.clients.size(), 3u);
  EXPECT_EQ(labels.clients[0].id + labels.clients[0].model + labels.clients[0].adapter,
            "aServedlora");
  EXPECT_TRUE(labels.clients[0].streaming);
  EXPECT_EQ(labels.clients[1].id, "client_1");
}

TEST(ClientsSource, does_a_timeout_from_outside_overrule_those_of_the_clients) {
  std::vector<ClientSpec> clients{client("a"), client("b")};
  clients[0].timeout = seconds(3);
  ClientsOptions options = in_step();
  options.timeout = seconds(9);
  for (const Request& r : made(workload(30, clients, 4), options)) {
    EXPECT_EQ(r.deadline, r.arrival + seconds(9));
  }
  options.timeout = kNoDuration;
  for (const Request& r : made(workload(30, clients, 4), options)) EXPECT_EQ(r.deadline, kNever);
}

TEST(ClientsSource, are_cohort_members_clients_of_their_own) {
  WorkloadSpec spec;
  spec.aggregate_rate_rps = 40;
  spec.clients.push_back(client("single"));
  CohortSpec crowd{client("crowd", 3), 3, true, {}, {}, {}};
  crowd.member.prefix_group = "p";
  spec.cohorts.push_back(crowd);
  spec.num_requests = 400;
  ClientsSource source(spec, in_step());
  const std::vector<Request> requests = all_of(&source);
  ASSERT_EQ(source.labels().clients.size(), 4u);
  EXPECT_EQ(source.labels().clients[3].id, "crowd-2");
  EXPECT_EQ(source.labels().clients[3].prefix_group, "p-2");
  std::vector<int> counts(4);
  for (const Request& r : requests) counts[static_cast<std::size_t>(r.tags.client)] += 1;
  EXPECT_EQ(counts, (std::vector<int>{100, 100, 100, 100}));
  EXPECT_NE(requests[1].prefix[0].content, requests[2].prefix[0].content);
}

// The members' lengths, too, are drawn apart from each other.
TEST(ClientsSource, do_members_draw_different_lengths) {
  WorkloadSpec spec;
  spec.aggregate_rate_rps = 2;
  spec.cohorts.push_back({client("crowd"), 2, false, {}, {}, {}});
  spec.cohorts[0].member.input = ExponentialLength{1e6};
  spec.num_requests = 2;
  const std::vector<Request> r = made(spec);
  EXPECT_NE(r[0].input_tokens, r[1].input_tokens);
}

TEST(ClientsSource, is_a_multimodal_prompt_the_sum_of_its_parts) {
  ClientSpec pictures = client("p");
  pictures.prefix_group = "g";
  pictures.prefix_tokens = 7;
  pictures.multimodal = MultimodalSpec{
      ConstantLength{100},
      ModalitySpec{ConstantLength{576}, EmpiricalLength{{{0, 1}, {1, 1}, {3, 1}}, ""}},
      ModalitySpec{ConstantLength{50}, ConstantLength{0}},
      {}};
  std::vector<int> images(4);
  for (const Request& r : made(workload(10, {pictures}, 300))) {
    ASSERT_EQ(r.tags.image_tokens % 576, 0);
    images[static_cast<std::size_t>(r.tags.image_tokens / 576)] += 1;
    EXPECT_EQ(r.tags.audio_tokens, 0);
    EXPECT_EQ(r.tags.video_tokens, 0);
    EXPECT_EQ(r.input_tokens, 107 + r.tags.image_tokens);
  }
  EXPECT_NEAR(images[0], 100, 35);
  EXPECT_NEAR(images[1], 100, 35);
  EXPECT_EQ(images[2], 0);
  EXPECT_NEAR(images[3], 100, 35);
}

// Lengths and order are those of the client alone, whoever else sends.
TEST(ClientsSource, is_a_request_a_function_of_seed_client_and_number) {
  ClientSpec a = client("a");
  a.arrival.process = ArrivalProcess::poisson;
  a.input = LognormalLength{6, 1};
  a.windows.push_back({{}, Time{} + seconds(100), 5, {}, {}, {}});
  ClientSpec b = client("b");
  b.windows.push_back({{}, Time{} + seconds(50), 20, {}, {}, {}});
  const std::vector<Request> alone = made(workload(0, {a}, kUnlimited));
  std::vector<Request> together = made(workload(0, {a, b}, kUnlimited));
  EXPECT_GT(together.size(), alone.size() + 900);
  std::erase_if(together, [](const Request& r) { return r.tags.client == 1; });
  ASSERT_EQ(together.size(), alone.size());
  for (std::size_t i = 0; i < alone.size(); ++i) {
    ASSERT_EQ(together[i].arrival, alone[i].arrival);
    ASSERT_EQ(together[i].input_tokens, alone[i].input_tokens);
  }
}

TEST(ClientsSource, does_another_rate_see_the_same_requests_at_other_times) {
  ClientSpec a = client("a");
  a.arrival = {ArrivalProcess::gamma, 2};
  a.input = LognormalLength{6, 1};
  ClientSpec b = client("b", 3);
  b.arrival.process = ArrivalProcess::weibull;
  b.output = ExponentialLength{100};
  for (const std::int32_t who : {0, 1}) {
    const auto of_one = [&](double rate_rps) {
      std::vector<Request> requests = made(workload(rate_rps, {a, b}, 2000));
      std::erase_if(requests, [who](const Request& r) { return r.tags.client != who; });
      return requests;
    };
    const std::vector<Request> slow = of_one(1);
    const std::vector<Request> fast = of_one(100);
    const std::size_t both = std::min(slow.size(), fast.size());
    ASSERT_GT(both, 400u);
    for (std::size_t i = 0; i < both; ++i) {
      ASSERT_EQ(slow[i].input_tokens, fast[i].input_tokens);
      ASSERT_EQ(slow[i].output_tokens, fast[i].output_tokens);
      // Truncation to whole microseconds, once per gap.
      ASSERT_NEAR(static_cast<double>(us(slow[i].arrival)),
                  100 * static_cast<double>(us(fast[i].arrival)), 100 * static_cast<double>(i + 1));
    }
  }
}

TEST(ClientsSource, do_more_requests_begin_with_the_fewer) {
  const Result<WorkloadSpec> spec =
      read_workload_spec(PLIMSOLL_SOURCE_DIR "/examples/clients.yaml");
  ASSERT_TRUE(spec) << format(spec.error());
  WorkloadSpec few = *spec;
  WorkloadSpec many = *spec;
  few.num_requests = 500;
  many.num_requests = 1000;
  const std::vector<Request> first = made(few);
  const std::vector<Request> all = made(many);
  ASSERT_EQ(first.size(), 500u);
  for (std::size_t i = 0; i < first.size(); ++i) {
    ASSERT_EQ(first[i].arrival, all[i].arrival);
    ASSERT_EQ(first[i].input_tokens, all[i].input_tokens);
  }
}

TEST(ClientsSource, does_the_horizon_end_it) {
  WorkloadSpec spec = workload(10, {client("a")}, kUnlimited);
  spec.horizon = Time{} + microseconds(999'990);  // the tenth arrival
  EXPECT_EQ(made(spec).size(), 10u);
  spec.horizon = Time{} + microseconds(999'989);
  EXPECT_EQ(made(spec).size(), 9u);
}

TEST(ClientsSource, must_something_end_a_run) {
  WorkloadSpec spec = workload(10, {client("a")}, kUnlimited);
  const Result<void> endless = validate(spec);
  ASSERT_FALSE(endless);
  EXPECT_NE(format(endless.error()).find("nothing ends this run"), std::string::npos);
  spec.clients[0].windows.push_back({{}, Time{} + seconds(5), {}, {}, {}, {}});
  EXPECT_TRUE(validate(spec));
  spec.cohorts.push_back({client("c"), 2, false, DiurnalSpec{}, {}, {}});
  EXPECT_FALSE(validate(spec));
  spec.cohorts[0].drain = DrainSpec{Time{} + seconds(1), seconds(1)};
  EXPECT_TRUE(validate(spec));
}

TEST(ClientsSource, is_an_unreasonable_population_refused) {
  WorkloadSpec spec = workload(10, {}, 5);
  const CohortSpec crowd{client("c"), kMaxPopulation, false, {}, {}, {}};
  spec.cohorts.assign(10, crowd);
  EXPECT_TRUE(validate(spec));
  spec.cohorts.push_back(crowd);
  EXPECT_FALSE(validate(spec));
}

}  // namespace
}  // namespace plimsoll
