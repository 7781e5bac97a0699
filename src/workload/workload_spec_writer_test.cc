#include "workload/workload_spec.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace plimsoll {
namespace {

double any_number(double least, double most) {
  return least + (most - least) * *rc::gen::inRange(0, 1 << 20) / (1 << 20);
}

std::int64_t any_count(std::int64_t least, std::int64_t most) {
  return *rc::gen::inRange<std::int64_t>(least, most);
}

bool maybe() { return *rc::gen::arbitrary<bool>(); }

Duration any_us(std::int64_t least = 0) {
  return microseconds(*rc::gen::inRange<std::int64_t>(least, 1'000'000'000'000));
}

std::string any_text() {
  return *rc::gen::element<std::string>("chat", "a b", "x: y", "#1", "12", "true", "it's", "\"q\"",
                                        "back\\slash", "`id`", "ünï", "- dash", "{}", "null", "~",
                                        "a,b", "end ", "{{ x }} # ", "@at", "0x1F", "1e5");
}

LengthDistribution any_length(std::int64_t least = 1) {
  switch (any_count(0, 6)) {
    case 0:
      return ConstantLength{any_count(least, 1000)};
    case 1: {
      const double mean = any_number(9, 500);
      return GaussianLength{mean, any_number(0, 90), any_count(0, 9), any_count(500, 9000)};
    }
    case 2:
      return ExponentialLength{any_number(1, 500), any_count(0, 9), any_count(9, 9000)};
    case 3:
      return LognormalLength{any_number(-1, 9), any_number(0, 2)};
    case 4:
      return ParetoLognormalLength{any_number(1, 3), any_number(1, 9), any_number(0, 9),
                                   any_number(0, 2), any_number(0, 1)};
    default:
      break;
  }
  if (maybe()) return EmpiricalLength{{}, any_text()};
  EmpiricalLength inlined;
  std::int64_t tokens = 0;
  for (std::int64_t i = any_count(1, 40); i > 0; --i) {
    inlined.weights.emplace_back(tokens += any_count(1, 1000), any_number(0.001, 9));
  }
  return inlined;
}

ArrivalSpec any_arrival() {
  ArrivalSpec arrival;
  arrival.process = static_cast<ArrivalProcess>(any_count(0, 4));
  if (maybe()) arrival.cv = any_number(0.1, 9);
  if (maybe()) arrival.shape = any_number(0.2, 90);
  if (arrival.shape > 0 && maybe()) arrival.scale_us = any_number(1, 1e7);
  return arrival;
}

template <class Make>
auto sometimes(Make make) {
  return maybe() ? std::optional(make()) : std::nullopt;
}

MultimodalSpec any_multimodal() {
  MultimodalSpec spec;
  spec.text = any_length();
  const auto modality = [] { return ModalitySpec{any_length(), any_length(0)}; };
  spec.image = sometimes(modality);
  spec.audio = sometimes(modality);
  spec.video = sometimes(modality);
  return spec;
}

ClientSpec any_member(bool classes) {
  ClientSpec client;
  client.id = any_text();
  if (maybe()) client.tenant = any_text();
  if (classes) client.slo_class = static_cast<SloClass>(any_count(1, 6));
  if (maybe()) client.model = any_text();
  if (maybe()) client.adapter = any_text();
  if (maybe()) client.prefix_group = any_text();
  if (!client.prefix_group.empty()) client.prefix_tokens = any_count(0, 99);
  client.rate_fraction = any_number(0.001, 9);
  client.arrival = any_arrival();
  client.input = any_length();
  client.output = any_length();
  client.multimodal = sometimes(any_multimodal);
  if (maybe()) {
    ReasoningSpec reasoning{any_length(0), {}};
    if (maybe()) reasoning.multi_turn = MultiTurnSpec{any_count(1, 9), any_us(), maybe(), maybe()};
    client.reasoning = reasoning;
  }
  if (maybe()) client.timeout = maybe() ? kNoDuration : any_us(1);
  client.slo_target = sometimes([] { return any_us(); });
  client.closed_loop = sometimes(maybe);
  client.streaming = maybe();
  client.network = sometimes([] { return NetworkSpec{any_number(0, 9), any_number(0, 9)}; });
  return client;
}

ClientSpec any_client(bool classes) {
  ClientSpec client = any_member(classes);
  Time at;
  for (std::int64_t i = any_count(0, 4); i > 0; --i) {
    WindowSpec window;
    window.begin = at + any_us();
    window.end = window.begin + any_us(1);
    window.trace_rate = sometimes([] { return any_number(0.01, 99); });
    window.arrival = sometimes(any_arrival);
    window.input = sometimes([] { return any_length(); });
    window.output = sometimes([] { return any_length(); });
    at = window.end;
    client.windows.push_back(window);
  }
  return client;
}

// Users who wait have no rate, windows or rounds.
ClientSpec any_users(bool classes) {
  ClientSpec client = any_member(classes);
  client.concurrency = any_count(1, 99);
  client.think_time = any_us();
  client.rate_fraction = 1;
  client.arrival = {};
  client.reasoning.reset();
  client.closed_loop.reset();
  return client;
}

CohortSpec any_cohort(bool classes) {
  CohortSpec cohort;
  cohort.member = any_member(classes);
  cohort.population = any_count(1, 99);
  cohort.prefix_per_member = !cohort.member.prefix_group.empty() && maybe();
  cohort.diurnal = sometimes([] { return DiurnalSpec{any_count(0, 24), any_number(1, 9)}; });
  cohort.spike = sometimes([] {
    return SpikeSpec{Time{} + any_us(), any_us(1), sometimes([] { return any_number(1, 9); })};
  });
  cohort.drain = sometimes([] { return DrainSpec{Time{} + any_us(), any_us(1)}; });
  return cohort;
}

WorkloadSpec any_spec() {
  WorkloadSpec spec;
  const bool classes = maybe();
  spec.seed = sometimes([] { return static_cast<std::uint64_t>(any_count(0, 1'000'000)); });
  spec.category = *rc::gen::element<std::string>("", "language", "multimodal", "reasoning");
  spec.aggregate_rate_rps = any_number(0.1, 99);
  if (maybe()) spec.num_requests = any_count(1, 1'000'000);
  if (maybe()) spec.horizon = Time{} + any_us(1);
  for (std::int64_t i = any_count(1, 4); i > 0; --i) spec.clients.push_back(any_client(classes));
  for (std::int64_t i = any_count(0, 3); i > 0; --i) spec.cohorts.push_back(any_cohort(classes));
  if (maybe()) {
    spec.parts = {{any_text() + "part", any_number(0.1, 99), Time{} + any_us(1)}};
    spec.clients.front().part = spec.parts[0].name;
  }
  const bool turns = std::any_of(spec.clients.begin(), spec.clients.end(),
                                 [](const ClientSpec& c) { return c.multi_turn() != nullptr; }) ||
                     std::any_of(spec.cohorts.begin(), spec.cohorts.end(), [](const CohortSpec& c) {
                       return c.member.multi_turn() != nullptr;
                     });
  if (!turns && maybe()) spec.clients.push_back(any_users(classes));
  int number = 0;  // ids differ
  for (ClientSpec& client : spec.clients) client.id += std::to_string(number++);
  for (CohortSpec& cohort : spec.cohorts) cohort.member.id += std::to_string(number++);
  if (maybe()) {
    const SloTargets targets{any_number(1, 9), sometimes([] { return any_number(1, 9); }), {}};
    spec.goodput_slo_targets = {{SloClass::batch, targets}};
  }
  return spec;
}

RC_GTEST_PROP(WorkloadSpecWriter, is_what_was_written_read_back_equal, ()) {
  const WorkloadSpec spec = any_spec();
  const std::string text = workload_spec_yaml(spec);
  auto again = parse_workload_spec(text, "t");
  if (!again) RC_FAIL(format(again.error()) + text);
  again->notes.clear();
  if (!(*again == spec)) RC_FAIL(text + "\nread back:\n" + workload_spec_yaml(*again));
}

TEST(WorkloadSpecWriter, do_imports_stay_imports) {
  WorkloadSpec spec;
  spec.servegen = ServegenSpec{"some where", 60, 0};
  auto again = parse_workload_spec(workload_spec_yaml(spec), "t");
  ASSERT_TRUE(again) << format(again.error());
  EXPECT_EQ(*again, spec);
  spec.servegen.reset();
  spec.inference_perf = InferencePerfSpec{{{1.5, 2}, {3, 4}}, 5, 6, 7, 8, 9, true, {}, {}};
  again = parse_workload_spec(workload_spec_yaml(spec), "t");
  ASSERT_TRUE(again) << format(again.error());
  EXPECT_EQ(*again, spec);
}

TEST(WorkloadSpecWriter, are_defaults_left_out_and_long_lists_broken) {
  WorkloadSpec spec;
  spec.aggregate_rate_rps = 2;
  ClientSpec client;
  client.id = "c";
  EmpiricalLength length;
  for (int i = 1; i <= 30; ++i) length.weights.emplace_back(i * 100, 0.5);
  client.input = length;
  client.output = ConstantLength{7};
  spec.clients.push_back(client);
  EXPECT_EQ(workload_spec_yaml(spec), R"(version: "2"
aggregate_rate: 2
clients:
  - id: c
    rate_fraction: 1
    arrival: {process: poisson}
    input_distribution: {type: empirical, params: {100: 0.5, 200: 0.5, 300: 0.5, 400: 0.5, 500: 0.5,
      600: 0.5, 700: 0.5, 800: 0.5, 900: 0.5, 1000: 0.5, 1100: 0.5, 1200: 0.5, 1300: 0.5, 1400: 0.5,
      1500: 0.5, 1600: 0.5, 1700: 0.5, 1800: 0.5, 1900: 0.5, 2000: 0.5, 2100: 0.5, 2200: 0.5,
      2300: 0.5, 2400: 0.5, 2500: 0.5, 2600: 0.5, 2700: 0.5, 2800: 0.5, 2900: 0.5, 3000: 0.5}}
    output_distribution: {type: constant, params: {value: 7}}
)");
}

}  // namespace
}  // namespace plimsoll
