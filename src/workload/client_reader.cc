#include "workload/client_reader.h"

#include <algorithm>

#include "base/lists.h"
#include "base/text.h"
#include "workload/slo_class.h"

namespace plimsoll {
namespace {

constexpr std::int64_t kMaxUs = 4'000'000'000'000'000;  // 126 years, and room for sums
constexpr std::int64_t kMaxRounds = 1'000'000;
constexpr std::int64_t kMaxConcurrency = 10'000'000;

// As optional_us(), of a key that must be there.
Duration read_us(SpecMap map, std::string_view key, std::int64_t least_us = 0) {
  return microseconds(map.integer(key, {least_us, kMaxUs}));
}

SloClass read_class(SpecMap map, ClientContext* context) {
  std::vector<std::string> names = names_of(slo_classes());
  names.emplace_back();
  if (context->old_version) names.insert(names.end(), {"realtime", "interactive"});
  std::string name = map.optional_choice("slo_class", names).value_or("");
  if (name == "realtime" || name == "interactive") {
    name = name == "realtime" ? "critical" : "standard";
    context->classes_renamed = true;
  }
  SloClass slo_class = SloClass::unset;
  parse_slo_class(name, &slo_class);
  return slo_class;
}

std::optional<LengthDistribution> optional_length(SpecMap map, std::string_view key) {
  if (auto length = map.optional_map(key)) return read_length(*length);
  return std::nullopt;
}

std::optional<ModalitySpec> read_modality(SpecMap map, const std::string& name) {
  const std::string tokens = name + "_distribution";
  const std::string count = name + "_count_distribution";
  if (!map.has(tokens) && !map.has(count)) return std::nullopt;
  return ModalitySpec{read_length(map.map(tokens)), read_length(map.map(count), 0)};
}

MultimodalSpec read_multimodal(SpecMap map) {
  MultimodalSpec spec{.text = optional_length(map, "text_distribution"),
                      .image = read_modality(map, "image"),
                      .audio = read_modality(map, "audio"),
                      .video = read_modality(map, "video")};
  if (!spec.text && !spec.image && !spec.audio && !spec.video) {
    map.error("", "a multimodal prompt needs a part",
              "add text_distribution, or image_distribution and image_count_distribution");
  }
  return spec;
}

MultiTurnSpec read_multi_turn(SpecMap map) {
  MultiTurnSpec spec;
  spec.max_rounds = map.integer("max_rounds", {1, kMaxRounds});
  spec.think_time = optional_us(map, "think_time_us").value_or(Duration{});
  spec.accumulate = map.optional_choice("context_growth", {"", "accumulate"}) == "accumulate";
  spec.single_session = map.optional_flag("single_session").value_or(false);
  return spec;
}

ReasoningSpec read_reasoning(SpecMap map) {
  ReasoningSpec spec;
  if (auto ratio = map.optional_map("reason_ratio_distribution")) {
    spec.reason_ratio = read_length(*ratio, 0);
  }
  if (auto turns = map.optional_map("multi_turn")) spec.multi_turn = read_multi_turn(*turns);
  return spec;
}

WindowSpec read_window(SpecMap map, const ClientContext& context) {
  WindowSpec window;
  window.begin = Time{} + read_us(map, "start_us");
  window.end = Time{} + read_us(map, "end_us");
  if (window.end <= window.begin) map.error("end_us", "the window ends before it starts");
  window.trace_rate = map.optional_number("trace_rate", {kMinRate, kMaxRate});
  if (context.absolute && !map.has("trace_rate")) {
    map.error("", "without an \"aggregate_rate\" each window needs its own rate",
              "add trace_rate: <requests per second>");
  }
  if (auto arrival = map.optional_map("arrival")) window.arrival = read_arrival(*arrival);
  window.input = optional_length(map, "input_distribution");
  window.output = optional_length(map, "output_distribution");
  return window;
}

void check_overlaps(SpecMap lifecycle, const std::vector<WindowSpec>& windows) {
  std::vector<std::pair<Time, Time>> spans;
  for (const WindowSpec& window : windows) spans.emplace_back(window.begin, window.end);
  std::sort(spans.begin(), spans.end());
  for (std::size_t i = 1; i < spans.size(); ++i) {
    if (spans[i].first >= spans[i - 1].second) continue;
    lifecycle.error("windows", "two windows overlap at " +
                                   std::to_string(spans[i].first.ns / microseconds(1).ns) + " us");
    return;
  }
}

std::vector<WindowSpec> read_windows(SpecMap lifecycle, const ClientContext& context) {
  std::vector<WindowSpec> windows;
  for (SpecMap window : lifecycle.maps("windows")) windows.push_back(read_window(window, context));
  check_overlaps(lifecycle, windows);
  return windows;
}

void read_prefix(SpecMap map, ClientSpec* client) {
  client->prefix_group = map.optional_text("prefix_group").value_or("");
  client->prefix_tokens = map.optional_integer("prefix_length", {0, kMaxTokens}).value_or(0);
  if (client->prefix_tokens > 0 && client->prefix_group.empty()) {
    map.error("prefix_length", "a prefix length needs a \"prefix_group\"");
  }
}

void read_lengths(SpecMap map, ClientContext* context, ClientSpec* client) {
  if (auto multimodal = map.optional_map("multimodal")) {
    client->multimodal = read_multimodal(*multimodal);
  }
  // A multimodal prompt is the sum of its parts; the reference demands the unused key all the same.
  const bool given = map.has("input_distribution");
  if (given && client->multimodal) {
    context->notes.insert(
        "\"input_distribution\" has no effect beside \"multimodal\": a prompt is "
        "the sum of its parts");
  }
  if (given || !client->multimodal) client->input = read_length(map.map("input_distribution"));
  client->output = read_length(map.map("output_distribution"));
}

void read_part(SpecMap map, ClientContext* context, ClientSpec* client) {
  client->part = map.optional_text("part").value_or("");
  context->absolute = context->whole_is_absolute;
  if (client->part.empty()) return;
  std::vector<std::string> names;
  for (const PartSpec& part : context->parts) {
    names.push_back(part.name);
    if (part.name == client->part) context->absolute = part.aggregate_rate_rps == 0;
  }
  if (contains(names, client->part)) return;
  const std::string hint = names.empty() ? "add parts: {" + client->part + ": {...}} at the top"
                                         : suggestion(client->part, names);
  map.error("part", "unknown part \"" + client->part + "\"", hint);
}

// What clients and cohorts have in common.
void read_common(SpecMap map, ClientContext* context, ClientSpec* client) {
  client->id = map.optional_text("id").value_or("");
  read_part(map, context, client);
  client->tenant = map.optional_text("tenant_id").value_or("");
  client->slo_class = read_class(map, context);
  client->model = map.optional_text("model").value_or("");
  client->adapter = map.optional_text("adapter").value_or("");
  read_prefix(map, client);
  read_lengths(map, context, client);
  if (auto reasoning = map.optional_map("reasoning")) {
    client->reasoning = read_reasoning(*reasoning);
  }
  if (const auto timeout = optional_us(map, "timeout")) {
    client->timeout = *timeout == Duration{} ? kNoDuration : *timeout;
  }
  client->slo_target = optional_us(map, "slo_target_us");
  client->closed_loop = map.optional_flag("closed_loop");
  client->streaming = map.optional_flag("streaming").value_or(false);
  if (auto network = map.optional_map("network")) {
    context->notes.insert(
        "\"network\" of clients changes no latency: servers are simulated, and "
        "not the way to them");
    client->network =
        NetworkSpec{network->optional_number("rtt_ms", kNonNegative).value_or(0),
                    network->optional_number("bandwidth_mbps", kNonNegative).value_or(0)};
  }
}

void read_rate(SpecMap map, ClientContext* context, ClientSpec* client) {
  constexpr NumberRange kFraction{1e-12, 1e12};
  if (context->absolute) {
    if (map.has("rate_fraction") && map.number("rate_fraction", kFraction) != 1) {
      context->notes.insert(
          "\"rate_fraction\" has no effect without an \"aggregate_rate\": windows "
          "have rates of their own");
    }
    client->rate_fraction = map.optional_number("rate_fraction", kFraction).value_or(1);
  } else {
    client->rate_fraction = map.number("rate_fraction", kFraction);
  }
  client->arrival = read_arrival(map.map("arrival"));
}

// Users who wait for their answers have no rate and no arrival process.
void check_concurrency(SpecMap map, const ClientSpec& client, ClientContext* context) {
  if (map.has("rate_fraction")) {
    map.error("rate_fraction", "a client has either \"rate_fraction\" or \"concurrency\"");
  }
  if (auto arrival = map.optional_map("arrival")) {
    read_arrival(*arrival);
    context->notes.insert(
        "\"arrival\" has no effect beside \"concurrency\": users send when they "
        "have their answers");
  }
  if (client.multi_turn() != nullptr) {
    map.error("concurrency", "the users of a concurrency client have no end of rounds",
              "leave out \"multi_turn\", or give a \"rate_fraction\" instead");
  }
  if (!client.windows.empty()) {
    map.error("lifecycle", "windows are for clients with a rate");
  }
  if (client.closed_loop == false) {
    map.error("closed_loop", "users who wait for their answers are a closed loop");
  }
}

DiurnalSpec read_diurnal(SpecMap map) {
  return {map.integer("peak_hour", {0, 23}), map.number("peak_to_trough_ratio", {1, 1e12})};
}

SpikeSpec read_spike(SpecMap map) {
  return {Time{} + read_us(map, "start_time_us"), read_us(map, "duration_us", 1),
          map.optional_number("trace_rate", {kMinRate, kMaxRate})};
}

DrainSpec read_drain(SpecMap map) {
  return {Time{} + read_us(map, "start_time_us"), read_us(map, "ramp_duration_us", 1)};
}

void check_absolute(SpecMap map, const CohortSpec& cohort) {
  const std::string why = "without an \"aggregate_rate\" ";
  if (!cohort.spike || !cohort.spike->trace_rate) {
    map.error("spike", why + "a cohort needs a \"spike\" with a \"trace_rate\"");
  }
  if (cohort.diurnal) map.error("diurnal", why + "there is no rate that could follow the day");
  if (cohort.drain) map.error("drain", why + "there is no rate that could drain");
}

}  // namespace

std::optional<Duration> optional_us(SpecMap map, std::string_view key, std::int64_t least_us) {
  const auto us = map.optional_integer(key, {least_us, kMaxUs});
  if (!us) return std::nullopt;
  return microseconds(*us);
}

ClientSpec read_client(SpecMap map, ClientContext* context) {
  ClientSpec client;
  read_common(map, context, &client);
  client.concurrency = map.optional_integer("concurrency", {0, kMaxConcurrency}).value_or(0);
  client.think_time = optional_us(map, "think_time_us").value_or(Duration{});
  if (auto lifecycle = map.optional_map("lifecycle")) {
    client.windows = read_windows(*lifecycle, *context);
  }
  if (client.concurrency > 0) {
    check_concurrency(map, client, context);
    return client;
  }
  read_rate(map, context, &client);
  if (client.think_time > Duration{}) {
    map.error("think_time_us", "only users of a \"concurrency\" client think here",
              "sessions have it in reasoning: {multi_turn: {think_time_us: ...}}");
  }
  if (context->absolute && client.windows.empty()) {
    map.error("", "without an \"aggregate_rate\" a client needs windows with their own rates",
              "add aggregate_rate at the top, or lifecycle: {windows: [...]} here");
  }
  return client;
}

CohortSpec read_cohort(SpecMap map, ClientContext* context) {
  CohortSpec cohort;
  read_common(map, context, &cohort.member);
  read_rate(map, context, &cohort.member);
  cohort.population = map.integer("population", {1, kMaxPopulation});
  cohort.prefix_per_member =
      map.optional_choice("prefix_sharing", {"shared", "per_member"}) == "per_member";
  if (cohort.prefix_per_member && cohort.member.prefix_group.empty()) {
    map.error("prefix_sharing", "a prefix per member needs a \"prefix_group\"");
  }
  if (auto diurnal = map.optional_map("diurnal")) cohort.diurnal = read_diurnal(*diurnal);
  if (auto spike = map.optional_map("spike")) cohort.spike = read_spike(*spike);
  if (auto drain = map.optional_map("drain")) cohort.drain = read_drain(*drain);
  if (context->absolute) check_absolute(map, cohort);
  return cohort;
}

}  // namespace plimsoll
