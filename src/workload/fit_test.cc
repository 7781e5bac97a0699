#include "workload/compose.h"

#include <gtest/gtest.h>

#include <numeric>

#include "stats/percentile.h"
#include "workload/synthetic.h"
#include "workload/workload_spec.h"

namespace plimsoll {
namespace {

double mean(const EmpiricalLength& length) {
  double total = 0;
  double sum = 0;
  for (const auto& [tokens, weight] : length.weights) {
    total += weight;
    sum += weight * static_cast<double>(tokens);
  }
  return sum / total;
}

TEST(FitLength, are_few_values_kept_and_many_become_hundredths) {
  EXPECT_EQ(fit_length({5, 7, 5}).weights,
            (std::vector<std::pair<std::int64_t, double>>{{5, 2}, {7, 1}}));
  std::vector<std::int64_t> many(10'001);
  std::iota(many.begin(), many.end(), 1);
  const EmpiricalLength fitted = fit_length(many);
  EXPECT_EQ(fitted.weights.front().first, 1);
  EXPECT_EQ(fitted.weights.back().first, 10'001);
  EXPECT_NEAR(mean(fitted), 5001, 3);
}

// What users look at most is in the tail.
TEST(FitLength, are_high_percentiles_kept) {
  std::vector<std::int64_t> tokens;
  for (int i = 1; i <= 20'000; ++i) tokens.push_back(100 + 10'000'000 / i);
  Percentiles<std::int64_t> expected(tokens);
  const EmpiricalLength fitted = fit_length(tokens);
  const LengthSampler sampler(fitted);
  std::vector<std::int64_t> drawn;
  for (std::uint64_t i = 0; i < 200'000; ++i) {
    drawn.push_back(sampler.draw(RandomStream(1, Purpose::prompt_length, i)));
  }
  Percentiles<std::int64_t> again(std::move(drawn));
  for (const double p : {50.0, 90.0, 95.0, 99.0}) {
    EXPECT_NEAR(again.at(p), expected.at(p), 0.06 * expected.at(p)) << p;
  }
}

// Twenty prompts of 1,000 tokens in one document of 800 tokens each, of which half begins with what
// all have; the names of groups are made up by the writer.
TEST(FitWorkload, is_most_of_what_prompts_share_kept) {
  Workload w;
  for (int i = 0; i < 200; ++i) {
    w.id.push_back(i);
    w.arrival.push_back(Time{} + seconds(i + 1));
    w.input_tokens.push_back(1000);
    w.output_tokens.push_back(10);
    w.tags.push_back({});
    w.tags.back().client = i;
    w.labels.clients.emplace_back().prefix_group = "shared-" + std::to_string(i);
    w.prefix_begin.push_back(static_cast<std::uint32_t>(w.prefix_segments.size()));
    w.prefix_count.push_back(2);
    w.prefix_segments.push_back({7, 400});
    w.prefix_segments.push_back({static_cast<std::uint64_t>(100 + i % 10), 400});
  }
  const WorkloadSpec spec = fit_workload(w);
  EXPECT_EQ(spec.clients.size(), 10u);
  EXPECT_EQ(spec.clients[0].prefix_tokens, 800);
  EXPECT_NE(spec.clients[0].prefix_group, spec.clients[1].prefix_group);
  EXPECT_EQ(spec.clients[0].input, LengthDistribution(EmpiricalLength{{{200, 20}}, {}}));
  ASSERT_EQ(spec.notes.size(), 1u);  // ten prefixes are computed, not one and ten halves
  EXPECT_EQ(
      spec.notes[0],
      "prompts share one prefix each: about 76.0 % of prompt tokens repeat an earlier prefix; "
      "in the trace, 77.8 %");
}

TEST(FitWorkload, are_prefixes_that_few_have_not_worth_a_client) {
  Workload w;
  for (int i = 0; i < 4000; ++i) {
    w.id.push_back(i);
    w.arrival.push_back(Time{} + seconds(i + 1));
    w.input_tokens.push_back(100);
    w.output_tokens.push_back(10);
    w.prefix_begin.push_back(static_cast<std::uint32_t>(w.prefix_segments.size()));
    w.prefix_count.push_back(2);
    w.prefix_segments.push_back({7, 50});
    w.prefix_segments.push_back({static_cast<std::uint64_t>(100 + i / 2), 10});
  }
  const WorkloadSpec spec = fit_workload(w);
  ASSERT_EQ(spec.clients.size(), 1u);
  EXPECT_EQ(spec.clients[0].prefix_tokens, 50);
}

TEST(FitWorkload, is_a_changing_rate_pointed_out) {
  Workload w;
  for (int i = 0; i < 400; ++i) {
    w.id.push_back(i);
    w.arrival.push_back(Time{} + seconds(i < 300 ? i : 300 + 7 * (i - 300)));
    w.input_tokens.push_back(5);
    w.output_tokens.push_back(5);
  }
  const WorkloadSpec spec = fit_workload(w);
  ASSERT_EQ(spec.notes.size(), 1u);
  EXPECT_EQ(spec.notes[0].rfind("the rate is that of the whole trace", 0), 0u) << spec.notes[0];
}

TEST(FitWorkload, has_each_client_its_share_lengths_and_prefix) {
  Workload w;
  for (int i = 0; i < 40; ++i) {
    const bool chat = i % 4 != 0;
    w.id.push_back(i);
    w.arrival.push_back(Time{} + seconds(i + 1));
    w.input_tokens.push_back(chat ? 150 : 900);
    w.output_tokens.push_back(chat ? 20 : 0);
    w.slo_class.push_back(chat ? SloClass::critical : SloClass::unset);
    w.tags.push_back({});
    w.tags.back().client = chat ? 0 : 1;
    w.tags.back().tenant = chat ? -1 : 0;
    w.prefix_begin.push_back(0);
    w.prefix_count.push_back(chat ? 1 : 0);
  }
  w.prefix_segments = {{11, 100}};
  w.labels.clients.resize(2);
  w.labels.clients[0].id = "chat";
  w.labels.clients[0].prefix_group = "system";
  w.labels.tenants = {"acme"};
  const WorkloadSpec spec = fit_workload(w);
  const auto again = parse_workload_spec(workload_spec_yaml(spec), "t");
  ASSERT_TRUE(again) << format(again.error());
  EXPECT_EQ(spec.num_requests, 40);
  EXPECT_DOUBLE_EQ(spec.aggregate_rate_rps, 1);
  ASSERT_EQ(spec.clients.size(), 2u);
  const ClientSpec& chat = spec.clients[1];
  EXPECT_EQ(chat.id, "chat");
  EXPECT_DOUBLE_EQ(chat.rate_fraction, 0.75);
  EXPECT_EQ(chat.prefix_group, "system");
  EXPECT_EQ(chat.prefix_tokens, 100);
  EXPECT_EQ(chat.input, LengthDistribution(EmpiricalLength{{{50, 30}}, {}}));
  EXPECT_EQ(chat.arrival.process, ArrivalProcess::gamma);  // gaps of 1 and 2 s: no Poisson
  const ClientSpec& other = spec.clients[0];
  EXPECT_EQ(other.id, "client");
  EXPECT_EQ(other.tenant, "acme");
  EXPECT_EQ(other.slo_class, SloClass::standard);  // either all have a class or none
  EXPECT_EQ(other.input, LengthDistribution(EmpiricalLength{{{900, 10}}, {}}));
  EXPECT_EQ(other.output, LengthDistribution(EmpiricalLength{{{1, 10}}, {}}));
}

TEST(FitWorkload, is_the_spread_of_gaps_found_again) {
  for (const double cv : {0.3, 1.0, 3.0}) {
    SyntheticSpec synthetic;
    synthetic.num_requests = 50'000;
    synthetic.arrival = {ArrivalProcess::gamma, cv, 0, 0};
    SyntheticSource source(synthetic);
    Workload w;
    Request request;
    while (source.next(&request)) {
      w.id.push_back(std::ssize(w.id));
      w.arrival.push_back(request.arrival);
      w.input_tokens.push_back(request.input_tokens);
      w.output_tokens.push_back(request.output_tokens);
    }
    const ArrivalSpec arrival = fit_workload(w).clients.at(0).arrival;
    EXPECT_EQ(arrival.process, cv == 1 ? ArrivalProcess::poisson : ArrivalProcess::gamma);
    EXPECT_NEAR(arrival.cv, cv, 0.05 * cv);
  }
}

TEST(FitWorkload, does_an_instant_trace_have_a_rate) {
  Workload w;
  w.id = {0, 1};
  w.arrival = {{0}, {0}};
  w.input_tokens = {5, 6};
  w.output_tokens = {7, 8};
  const WorkloadSpec spec = fit_workload(w);
  EXPECT_EQ(spec.aggregate_rate_rps, kMaxRate);
  EXPECT_TRUE(parse_workload_spec(workload_spec_yaml(spec), "t"));
}

}  // namespace
}  // namespace plimsoll
