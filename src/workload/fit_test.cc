#include "workload/fit.h"

#include <gtest/gtest.h>

#include <numeric>

#include "workload/synthetic.h"
#include "workload/workload_spec_reader.h"
#include "workload/workload_spec_writer.h"

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
  EXPECT_EQ(fitted.weights.size(), 100u);
  EXPECT_EQ(fitted.weights.front().first, 51);  // 0.5 % of the way from 1 to 10001
  EXPECT_NEAR(mean(fitted), 5001, 0.5);
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
  const ClientSpec& chat = spec.clients[0];
  EXPECT_EQ(chat.id, "chat");
  EXPECT_DOUBLE_EQ(chat.rate_fraction, 0.75);
  EXPECT_EQ(chat.prefix_group, "system");
  EXPECT_EQ(chat.prefix_tokens, 100);
  EXPECT_EQ(chat.input, LengthDistribution(EmpiricalLength{{{50, 30}}, {}}));
  EXPECT_EQ(chat.arrival.process, ArrivalProcess::gamma);  // gaps of 1 and 2 s: no Poisson
  const ClientSpec& other = spec.clients[1];
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
