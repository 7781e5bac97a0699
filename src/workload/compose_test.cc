#include "workload/compose.h"

#include <gtest/gtest.h>

#include "workload/workload_spec_reader.h"
#include "workload/workload_spec_writer.h"

namespace plimsoll {
namespace {

const std::string kLengths =
    "arrival: {process: poisson}, input_distribution: {type: constant, params: {value: 9}}, "
    "output_distribution: {type: constant, params: {value: 5}}";

std::string client(const std::string& id, const std::string& more = "rate_fraction: 1") {
  return "  - {id: " + id + ", " + more + ", " + kLengths + "}\n";
}

NamedSpec part(const std::string& file, const std::string& text) {
  auto spec = parse_workload_spec("version: \"2\"\n" + text, file);
  EXPECT_TRUE(spec) << format(spec.error());
  return {file, *spec};
}

WorkloadSpec composed(std::vector<NamedSpec> parts) {
  auto spec = compose(std::move(parts));
  EXPECT_TRUE(spec) << format(spec.error());
  const auto again = parse_workload_spec(workload_spec_yaml(*spec), "again");
  EXPECT_TRUE(again) << format(again.error());
  return *spec;
}

std::string error_of(std::vector<NamedSpec> parts) {
  const auto spec = compose(std::move(parts));
  return spec ? "no error" : format(spec.error());
}

// 6 req/s shared 1 : 2, and 4 req/s: 2, 4 and 4 of 10.
TEST(Compose, does_each_client_keep_its_rate) {
  const WorkloadSpec spec =
      composed({part("a.yaml", "aggregate_rate: 6\nclients:\n" + client("x") +
                                   client("y", "rate_fraction: 2")),
                part("b.yaml", "aggregate_rate: 4\ncohorts:\n" +
                                   client("z", "population: 8, rate_fraction: 100"))});
  EXPECT_DOUBLE_EQ(spec.aggregate_rate_rps, 10);
  ASSERT_EQ(spec.clients.size(), 2u);
  EXPECT_DOUBLE_EQ(spec.clients[0].rate_fraction, 0.2);
  EXPECT_DOUBLE_EQ(spec.clients[1].rate_fraction, 0.4);
  ASSERT_EQ(spec.cohorts.size(), 1u);
  EXPECT_DOUBLE_EQ(spec.cohorts[0].member.rate_fraction, 0.4);
  EXPECT_EQ(spec.cohorts[0].population, 8);
}

TEST(Compose, do_rates_of_windows_stand_beside_an_aggregate_rate) {
  const std::string window =
      "lifecycle: {windows: [{start_us: 0, end_us: 5000000, trace_rate: 7}]}";
  const WorkloadSpec spec =
      composed({part("a.yaml", "aggregate_rate: 6\nhorizon: 9000000\nclients:\n" + client("x") +
                                   client("y", "rate_fraction: 2") + "cohorts:\n" +
                                   client("w", "population: 3, rate_fraction: 3")),
                part("b.yaml", "clients:\n" + client("z", window))});
  EXPECT_EQ(spec.aggregate_rate_rps, 0);
  ASSERT_EQ(spec.clients.size(), 3u);
  EXPECT_EQ(spec.clients[1].windows.at(0).end, Time{} + seconds(9));
  EXPECT_DOUBLE_EQ(spec.clients[1].windows.at(0).trace_rate.value(), 2);
  EXPECT_EQ(spec.clients[2].windows.at(0).trace_rate, 7);
  EXPECT_DOUBLE_EQ(spec.cohorts[0].spike->trace_rate.value(), 3);
}

TEST(Compose, are_seed_limits_and_targets_merged) {
  const std::string rest = "aggregate_rate: 1\nclients:\n";
  const WorkloadSpec spec = composed(
      {part("a.yaml", "num_requests: 10\nhorizon: 5\ncategory: language\n" + rest + client("x")),
       part("b.yaml",
            "num_requests: 20\nhorizon: 7\nseed: 3\n"
            "goodput_slo_targets: {batch: {ttft_ms: 5}}\n" +
                rest + client("y")),
       part("c.yaml",
            "num_requests: 30\nhorizon: 6\nseed: 4\n"
            "goodput_slo_targets: {batch: {ttft_ms: 5}, critical: {e2e_ms: 1}}\n" +
                rest + client("z"))});
  EXPECT_EQ(spec.num_requests, 60);
  EXPECT_EQ(spec.horizon, Time{} + microseconds(7));
  EXPECT_EQ(spec.seed, 3u);
  EXPECT_EQ(spec.category, "language");
  EXPECT_EQ(spec.goodput_slo_targets.size(), 2u);
  EXPECT_TRUE(spec.notes.empty());
}

TEST(Compose, is_a_workload_without_end_pointed_out) {
  const std::string rest = "aggregate_rate: 1\nclients:\n";
  const WorkloadSpec spec = composed({part("a.yaml", "num_requests: 10\n" + rest + client("x")),
                                      part("b.yaml", "horizon: 9\n" + rest + client("y"))});
  EXPECT_EQ(spec.num_requests, kUnlimited);
  EXPECT_EQ(spec.horizon, kNever);
  ASSERT_EQ(spec.notes.size(), 1u);
  EXPECT_EQ(spec.notes[0].rfind("nothing ends the composed workload", 0), 0u);
}

TEST(Compose, do_clashing_ids_get_the_names_of_their_files) {
  const std::string rest = "num_requests: 1\naggregate_rate: 1\nclients:\n";
  const WorkloadSpec spec = composed({part("d/a.yaml", rest + client("x") + client("only")),
                                      part("b.yaml", rest + client("x") + client("x"))});
  EXPECT_EQ(spec.clients[0].id, "a-x");
  EXPECT_EQ(spec.clients[1].id, "only");
  EXPECT_EQ(spec.clients[2].id, "b-x");
  EXPECT_EQ(spec.clients[3].id, "b-x-2");
  EXPECT_EQ(spec.notes.size(), 3u);
}

TEST(Compose, do_prefix_groups_part_only_when_their_lengths_differ) {
  const std::string rest = "num_requests: 1\naggregate_rate: 1\nclients:\n";
  const auto with = [](const std::string& prefix) { return "rate_fraction: 1, " + prefix; };
  const WorkloadSpec spec =
      composed({part("a.yaml", rest + client("x", with("prefix_group: same, prefix_length: 50")) +
                                   client("y", with("prefix_group: other, prefix_length: 10"))),
                part("b.yaml", rest + client("z", with("prefix_group: same")) +  // 50 by default
                                   client("w", with("prefix_group: other, prefix_length: 11")))});
  EXPECT_EQ(spec.clients[2].prefix_group, "same");
  EXPECT_EQ(spec.clients[1].prefix_group, "other");
  EXPECT_EQ(spec.clients[3].prefix_group, "b-other");
  EXPECT_EQ(spec.notes.size(), 1u);
}

TEST(Compose, do_clients_without_a_class_become_standard_beside_others) {
  const std::string rest = "num_requests: 1\naggregate_rate: 1\nclients:\n";
  const WorkloadSpec spec =
      composed({part("a.yaml", rest + client("x")),
                part("b.yaml", rest + client("y", "rate_fraction: 1, slo_class: batch"))});
  EXPECT_EQ(spec.clients[0].slo_class, SloClass::standard);
  EXPECT_EQ(spec.clients[1].slo_class, SloClass::batch);
  EXPECT_EQ(spec.notes.size(), 1u);
}

TEST(Compose, is_one_file_itself) {
  const NamedSpec alone =
      part("a.yaml", "seed: 5\nnum_requests: 7\naggregate_rate: 3\nclients:\n" +
                         client("x", "rate_fraction: 0.25") + client("y", "rate_fraction: 0.75"));
  EXPECT_EQ(composed({alone}), alone.spec);
}

TEST(Compose, is_what_cannot_be_kept_an_error) {
  const std::string rest = "num_requests: 1\naggregate_rate: 1\nclients:\n";
  EXPECT_NE(
      error_of(
          {part("a.yaml", "goodput_slo_targets: {batch: {ttft_ms: 5}}\n" + rest + client("x")),
           part("b.yaml", "goodput_slo_targets: {batch: {ttft_ms: 6}}\n" + rest + client("y"))})
          .find("a.yaml and b.yaml have different goodput targets for batch"),
      std::string::npos);
  const std::string window = "lifecycle: {windows: [{start_us: 0, end_us: 5, trace_rate: 7}]}";
  EXPECT_NE(error_of({part("a.yaml", rest + client("x", "rate_fraction: 1, " + window)),
                      part("b.yaml", "clients:\n" + client("z", window))})
                .find("a.yaml: its windows share an aggregate rate"),
            std::string::npos);
}

TEST(Compose, do_users_who_wait_need_no_rate) {
  const WorkloadSpec spec =
      composed({part("a.yaml", "num_requests: 1\naggregate_rate: 2\nclients:\n" + client("x")),
                part("b.yaml", "num_requests: 1\nclients:\n" + client("u", "concurrency: 4"))});
  EXPECT_EQ(spec.aggregate_rate_rps, 2);
  EXPECT_EQ(spec.clients[1].concurrency, 4);
}

}  // namespace
}  // namespace plimsoll
