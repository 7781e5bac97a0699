#include "workload/compose.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "workload/clients_source.h"
#include "workload/rate_plan.h"
#include "workload/workload_spec.h"

namespace plimsoll {
namespace {

const std::string kLengths =
    "arrival: {process: poisson}, input_distribution: {type: constant, params: {value: 9}}, "
    "output_distribution: {type: constant, params: {value: 5}}";

std::string client_text(const std::string& id, const std::string& more = "rate_fraction: 1") {
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
      composed({part("a.yaml", "aggregate_rate: 6\nclients:\n" + client_text("x") +
                                   client_text("y", "rate_fraction: 2")),
                part("b.yaml", "aggregate_rate: 4\ncohorts:\n" +
                                   client_text("z", "population: 8, rate_fraction: 100"))});
  EXPECT_DOUBLE_EQ(spec.aggregate_rate_rps, 10);
  ASSERT_EQ(spec.clients.size(), 2u);
  EXPECT_DOUBLE_EQ(spec.clients[0].rate_fraction, 0.2);
  EXPECT_DOUBLE_EQ(spec.clients[1].rate_fraction, 0.4);
  ASSERT_EQ(spec.cohorts.size(), 1u);
  EXPECT_DOUBLE_EQ(spec.cohorts[0].member.rate_fraction, 0.4);
  EXPECT_EQ(spec.cohorts[0].population, 8);
}

// Requests per second of all clients of a specification, each at ten times.
std::vector<std::vector<double>> rates_of(const WorkloadSpec& spec, Duration step) {
  const RatePlan plan(spec, false);
  std::vector<std::vector<double>> rates(spec.clients.size() + spec.cohorts.size());
  for (std::size_t c = 0; c < rates.size(); ++c) {
    for (int i = 0; i < 10; ++i) {
      const double gap_us = plan.at(c, Time{} + step * i).mean_gap_us;
      rates[c].push_back(gap_us == 0 ? 0 : 1e6 / gap_us);
    }
  }
  return rates;
}

void append(std::vector<std::vector<double>>* to, const std::vector<std::vector<double>>& from,
            std::size_t begin, std::size_t end) {
  to->insert(to->end(), from.begin() + static_cast<std::ptrdiff_t>(begin),
             from.begin() + static_cast<std::ptrdiff_t>(end));
}

void expect_rates_kept(const NamedSpec& a, const NamedSpec& b, Duration step) {
  const auto of_a = rates_of(a.spec, step);
  const auto of_b = rates_of(b.spec, step);
  std::vector<std::vector<double>> alone;  // in the order of the whole
  append(&alone, of_a, 0, a.spec.clients.size());
  append(&alone, of_b, 0, b.spec.clients.size());
  append(&alone, of_a, a.spec.clients.size(), of_a.size());
  append(&alone, of_b, b.spec.clients.size(), of_b.size());
  const auto whole = rates_of(composed({a, b}), step);
  ASSERT_EQ(whole.size(), alone.size());
  for (std::size_t c = 0; c < whole.size(); ++c) {
    for (std::size_t i = 0; i < whole[c].size(); ++i) {
      EXPECT_NEAR(whole[c][i], alone[c][i], 1e-9 * alone[c][i])
          << a.file << " and " << b.file << ", client " << c << " at " << i << " steps";
    }
  }
}

TEST(Compose, do_clients_of_all_examples_keep_their_rates_at_all_times) {
  const std::filesystem::path folder = PLIMSOLL_SOURCE_DIR "/examples";
  std::vector<NamedSpec> all;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "workloads")) {
    if (entry.path().extension() != ".yaml") continue;
    auto spec = read_workload_spec(entry.path().string());
    ASSERT_TRUE(spec) << format(spec.error());
    spec->goodput_slo_targets.clear();
    all.push_back({entry.path().string(), *spec});
  }
  ASSERT_GE(all.size(), 9u);
  for (const NamedSpec& a : all) {
    for (const NamedSpec& b : all) expect_rates_kept(a, b, seconds(97));
  }
}

TEST(Compose, do_rates_of_windows_stand_beside_an_aggregate_rate) {
  const std::string window =
      "lifecycle: {windows: [{start_us: 0, end_us: 5000000, trace_rate: 7}]}";
  const NamedSpec a =
      part("d/a.yaml", "aggregate_rate: 6\nhorizon: 9000000\nclients:\n" + client_text("x") +
                           client_text("y", "rate_fraction: 2") + "cohorts:\n" +
                           client_text("w", "population: 3, rate_fraction: 3"));
  const NamedSpec b = part("b.yaml", "clients:\n" + client_text("z", window));
  expect_rates_kept(a, b, seconds(1));
  const WorkloadSpec spec = composed({a, b});
  const std::vector<PartSpec> parts{{"a", 6, Time{} + seconds(9)}, {"b", 0, kNever}};
  EXPECT_EQ(spec.parts, parts);
  EXPECT_EQ(spec.clients[0].part, "a");
  EXPECT_EQ(spec.clients[2].part, "b");
  EXPECT_EQ(spec.notes.size(), 1u);
}

// Weights of windows share the rate of their own file only: 3 : 1 of 10 req/s, beside 10 req/s.
TEST(Compose, do_weights_of_windows_share_the_rate_of_their_file) {
  const std::string windows =
      "rate_fraction: 1, lifecycle: {windows: [{start_us: 0, end_us: 100000000, trace_rate: 3}, "
      "{start_us: 100000000, end_us: 200000000, trace_rate: 1}]}";
  WorkloadSpec spec =
      composed({part("one.yaml", "aggregate_rate: 10\nclients:\n" + client_text("a", windows) +
                                     client_text("b")),
                part("other.yaml", "aggregate_rate: 10\nclients:\n" + client_text("c"))});
  spec.horizon = Time{} + seconds(100);
  ClientsSource source(spec, {});
  std::vector<double> requests(3);
  for (Request request; source.next(&request);) {
    requests[static_cast<std::size_t>(request.tags.client)] += 1;
  }
  EXPECT_NEAR(requests[0], 750, 4 * std::sqrt(750));
  EXPECT_NEAR(requests[1], 250, 4 * std::sqrt(250));
  EXPECT_NEAR(requests[2], 1000, 4 * std::sqrt(1000));
}

// The first file's clients stop with it; those of the second go on.
TEST(Compose, does_each_file_keep_its_horizon) {
  const std::string rest = "aggregate_rate: 10\nclients:\n";
  const WorkloadSpec spec =
      composed({part("a.yaml", "horizon: 1000000\n" + rest + client_text("x")),
                part("b.yaml", "horizon: 30000000\n" + rest + client_text("y"))});
  EXPECT_EQ(spec.horizon, Time{} + seconds(30));
  ClientsSource source(spec, {});
  std::int64_t late = 0;
  for (Request request; source.next(&request);) {
    late += request.arrival > Time{} + seconds(1) ? 1 : 0;
    EXPECT_TRUE(request.tags.client == 1 || request.arrival <= Time{} + seconds(1));
  }
  EXPECT_GT(late, 200);
}

TEST(Compose, are_parts_of_composed_files_composed_again) {
  const std::string rest = "aggregate_rate: 1\nclients:\n";
  const NamedSpec a = part("a.yaml", "horizon: 5\n" + rest + client_text("x"));
  const NamedSpec b = part("b.yaml", "horizon: 7\n" + rest + client_text("y"));
  const WorkloadSpec once = composed({a, b});
  const WorkloadSpec twice = composed({{"once.yaml", once}, a});
  ASSERT_EQ(twice.parts.size(), 3u);
  EXPECT_EQ(twice.parts[1], once.parts[1]);
  EXPECT_EQ(twice.parts[2], (PartSpec{"a-2", 1, Time{} + microseconds(5)}));
  EXPECT_EQ(twice.clients[2].part, "a-2");
  EXPECT_EQ(composed({{"once.yaml", once}}).parts, once.parts);
}

TEST(Compose, are_seed_limits_and_targets_merged) {
  const std::string rest = "aggregate_rate: 1\nclients:\n";
  const WorkloadSpec spec =
      composed({part("a.yaml", "num_requests: 10\nhorizon: 5\ncategory: language\n" + rest +
                                   client_text("x")),
                part("b.yaml",
                     "num_requests: 20\nhorizon: 7\nseed: 3\n"
                     "goodput_slo_targets: {batch: {ttft_ms: 5}}\n" +
                         rest + client_text("y")),
                part("c.yaml",
                     "num_requests: 30\nhorizon: 6\nseed: 4\n"
                     "goodput_slo_targets: {batch: {ttft_ms: 5}, critical: {e2e_ms: 1}}\n" +
                         rest + client_text("z"))});
  EXPECT_EQ(spec.num_requests, 60);
  EXPECT_EQ(spec.horizon, Time{} + microseconds(7));
  EXPECT_EQ(spec.seed, 3u);
  EXPECT_EQ(spec.category, "language");
  EXPECT_EQ(spec.goodput_slo_targets.size(), 2u);
}

TEST(Compose, is_a_workload_without_end_pointed_out) {
  const std::string rest = "aggregate_rate: 1\nclients:\n";
  const WorkloadSpec spec =
      composed({part("a.yaml", "num_requests: 10\n" + rest + client_text("x")),
                part("b.yaml", "horizon: 9\n" + rest + client_text("y"))});
  EXPECT_EQ(spec.num_requests, kUnlimited);
  EXPECT_EQ(spec.horizon, kNever);
  ASSERT_EQ(spec.notes.size(), 2u);
  EXPECT_EQ(spec.notes[1].rfind("nothing ends the composed workload", 0), 0u);
}

TEST(Compose, do_clashing_ids_get_the_names_of_their_files) {
  const std::string rest = "num_requests: 1\naggregate_rate: 1\nclients:\n";
  const WorkloadSpec spec =
      composed({part("d/a.yaml", rest + client_text("x") + client_text("only")),
                part("b.yaml", rest + client_text("x") + client_text("b-x"))});
  EXPECT_EQ(spec.clients[0].id, "a-x");
  EXPECT_EQ(spec.clients[1].id, "only");
  EXPECT_EQ(spec.clients[2].id, "b-x-2");
  EXPECT_EQ(spec.clients[3].id, "b-x");
  EXPECT_EQ(spec.notes.size(), 2u);
}

// Counting from the start for each would take minutes.
TEST(Compose, do_many_files_of_one_name_get_numbers) {
  constexpr std::size_t kMany = 20'000;
  const NamedSpec one =
      part("a.yaml", "num_requests: 1\naggregate_rate: 1\nclients:\n" + client_text("x"));
  const WorkloadSpec spec = composed(std::vector<NamedSpec>(kMany, one));
  EXPECT_EQ(spec.clients.front().id, "a-x");
  EXPECT_EQ(spec.clients.back().id, "a-x-20000");
}

TEST(Compose, do_prefix_groups_part_only_when_their_lengths_differ) {
  const std::string rest = "num_requests: 1\naggregate_rate: 1\nclients:\n";
  const auto with = [](const std::string& prefix) { return "rate_fraction: 1, " + prefix; };
  const WorkloadSpec spec = composed(
      {part("a.yaml", rest + client_text("x", with("prefix_group: same, prefix_length: 50")) +
                          client_text("y", with("prefix_group: other, prefix_length: 10"))),
       part("b.yaml", rest + client_text("z", with("prefix_group: same")) +  // 50 by default
                          client_text("w", with("prefix_group: other, prefix_length: 11")))});
  EXPECT_EQ(spec.clients[2].prefix_group, "same");
  EXPECT_EQ(spec.clients[1].prefix_group, "other");
  EXPECT_EQ(spec.clients[3].prefix_group, "b-other");
  EXPECT_EQ(spec.notes.size(), 1u);
}

TEST(Compose, do_clients_without_a_class_become_standard_beside_others) {
  const std::string rest = "num_requests: 1\naggregate_rate: 1\nclients:\n";
  const WorkloadSpec spec =
      composed({part("a.yaml", rest + client_text("x")),
                part("b.yaml", rest + client_text("y", "rate_fraction: 1, slo_class: batch"))});
  EXPECT_EQ(spec.clients[0].slo_class, SloClass::standard);
  EXPECT_EQ(spec.clients[1].slo_class, SloClass::batch);
  EXPECT_EQ(spec.notes.size(), 1u);
}

TEST(Compose, is_one_file_itself) {
  const NamedSpec alone = part("a.yaml", "seed: 5\nnum_requests: 7\naggregate_rate: 3\nclients:\n" +
                                             client_text("x", "rate_fraction: 0.25") +
                                             client_text("y", "rate_fraction: 0.75"));
  EXPECT_EQ(composed({alone}), alone.spec);
}

TEST(Compose, is_what_cannot_be_kept_an_error) {
  const std::string rest = "num_requests: 1\naggregate_rate: 1\nclients:\n";
  EXPECT_NE(error_of({part("a.yaml", "goodput_slo_targets: {batch: {ttft_ms: 5}}\n" + rest +
                                         client_text("x")),
                      part("b.yaml", "goodput_slo_targets: {batch: {ttft_ms: 6}}\n" + rest +
                                         client_text("y"))})
                .find("a.yaml and b.yaml have different goodput targets for batch"),
            std::string::npos);
}

TEST(Compose, do_users_who_wait_need_no_rate) {
  const WorkloadSpec spec = composed(
      {part("a.yaml", "num_requests: 1\naggregate_rate: 2\nclients:\n" + client_text("x")),
       part("b.yaml", "num_requests: 1\nclients:\n" + client_text("u", "concurrency: 4"))});
  EXPECT_EQ(spec.aggregate_rate_rps, 2);
  EXPECT_EQ(spec.clients[1].concurrency, 4);
}

}  // namespace
}  // namespace plimsoll
