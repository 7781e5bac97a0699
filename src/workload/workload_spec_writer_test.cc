#include "workload/workload_spec.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <tuple>

#include "workload/compose.h"

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

// The fields of each struct. One that is added does not compile here until it is named, and fails
// below until any_spec() draws it; then the properties say who loses it.
auto fields(const ClientSpec& s) {
  const auto& [id, part, tenant, slo_class, model, adapter, fraction, users, think, arrival,
               windows, input, output, group, prefix, multimodal, reasoning, timeout, target,
               closed, stream, network] = s;
  return std::tie(id, part, tenant, slo_class, model, adapter, fraction, users, think, arrival,
                  windows, input, output, group, prefix, multimodal, reasoning, timeout, target,
                  closed, stream, network);
}
auto fields(const CohortSpec& s) {
  const auto& [member, population, prefix_per_member, diurnal, spike, drain] = s;
  return std::tie(member, population, prefix_per_member, diurnal, spike, drain);
}
auto fields(const PartSpec& s) {
  const auto& [name, rate, horizon] = s;
  return std::tie(name, rate, horizon);
}
auto fields(const WindowSpec& s) {
  const auto& [begin, end, rate, arrival, input, output] = s;
  return std::tie(begin, end, rate, arrival, input, output);
}
auto fields(const MultiTurnSpec& s) {
  const auto& [rounds, think, accumulate, single] = s;
  return std::tie(rounds, think, accumulate, single);
}
auto fields(const ArrivalSpec& s) {
  const auto& [process, cv, shape, scale] = s;
  return std::tie(process, cv, shape, scale);
}
// The imports are no part of what is drawn: see do_imports_stay_imports.
auto fields(const WorkloadSpec& s) {
  const auto& [seed, category, rate, requests, horizon, parts, clients, cohorts, servegen, perf,
               targets, notes] = s;
  return std::tie(seed, category, rate, requests, horizon, parts, clients, cohorts, targets);
}

class Drawn {  // which fields of which structs differed from those of a new one
 public:
  template <class Struct>
  void look(const Struct& s) {
    const Struct fresh{};
    std::size_t i = 0;
    std::apply(
        [&](const auto&... drawn) {
          std::apply([&](const auto&... usual) { (note(s, i++, drawn == usual), ...); },
                     fields(fresh));
        },
        fields(s));
  }
  void expect_all() const {
    for (const auto& [field, drawn] : drawn_) {
      EXPECT_TRUE(drawn) << "any_spec() never draws field " << field.second << " of "
                         << field.first;
    }
  }

 private:
  template <class Struct>
  void note(const Struct&, std::size_t i, bool usual) {
    drawn_[{typeid(Struct).name(), i}] |= !usual;
  }
  std::map<std::pair<std::string, std::size_t>, bool> drawn_;
};

TEST(WorkloadSpecWriter, is_every_field_drawn) {
  Drawn drawn;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const WorkloadSpec spec = rc::gen::exec(any_spec)(rc::Random(i), 50).value();
    drawn.look(spec);
    for (const PartSpec& part : spec.parts) drawn.look(part);
    for (const CohortSpec& cohort : spec.cohorts) drawn.look(cohort);
    for (const ClientSpec& client : spec.clients) {
      drawn.look(client);
      drawn.look(client.arrival);
      for (const WindowSpec& window : client.windows) drawn.look(window);
      if (client.multi_turn() != nullptr) drawn.look(*client.multi_turn());
    }
  }
  drawn.expect_all();
}

RC_GTEST_PROP(WorkloadSpecWriter, does_composing_one_file_keep_every_field, ()) {
  WorkloadSpec spec = any_spec();
  const auto composed = compose({{"t", spec}});
  if (!composed) RC_FAIL(format(composed.error()));
  const auto forget_file = [](ClientSpec& client) {  // paths are not kept, their weights are
    for (LengthDistribution* length : lengths_of(&client)) {
      if (auto* empirical = std::get_if<EmpiricalLength>(length)) empirical->file.clear();
    }
  };
  for (ClientSpec& client : spec.clients) forget_file(client);
  for (CohortSpec& cohort : spec.cohorts) forget_file(cohort.member);
  WorkloadSpec whole = *composed;
  whole.notes.clear();
  RC_ASSERT(whole == spec);
}

RC_GTEST_PROP(WorkloadSpecWriter, does_an_import_keep_every_field_of_the_file, ()) {
  WorkloadSpec spec = any_spec();
  spec.clients.clear();
  spec.cohorts.clear();
  spec.parts.clear();
  WorkloadSpec with_import = spec;
  with_import.inference_perf = InferencePerfSpec{{{1.5, 2}}, 1, 1, 7, 8, 9, false, {}, {}};
  auto expanded = expand_imports(with_import, "t");
  if (!expanded) RC_FAIL(format(expanded.error()));
  RC_ASSERT(!expanded->clients.empty());
  expanded->clients.clear();
  expanded->notes.clear();
  // What the file leaves open is the import's.
  if (spec.num_requests == kUnlimited) expanded->num_requests = kUnlimited;
  if (spec.horizon == kNever) expanded->horizon = kNever;
  if (!spec.seed) expanded->seed.reset();
  if (spec.category.empty()) expanded->category.clear();
  RC_ASSERT(*expanded == spec);
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
