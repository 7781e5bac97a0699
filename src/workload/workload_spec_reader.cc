#include "workload/workload_spec_reader.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "base/text.h"
#include "spec/spec_file.h"
#include "workload/client_reader.h"
#include "workload/imports.h"
#include "workload/slo_class.h"

namespace plimsoll {
namespace {

constexpr const char* kSources[]{"clients", "cohorts", "servegen_data", "inference_perf"};

bool read_version(SpecMap top) {
  const std::string version = top.optional_text("version").value_or("");
  if (version == "2") return false;
  if (!version.empty() && version != "1") {
    top.error("version", "there is no version \"" + version + "\" of workload specifications",
              "write version: \"2\"");
  }
  return true;
}

ServegenSpec read_servegen(SpecMap map) {
  ServegenSpec spec;
  spec.path = map.text("path");
  spec.window_duration_s =
      map.optional_integer("window_duration_secs", {1}).value_or(spec.window_duration_s);
  spec.drain_timeout_s =
      map.optional_integer("drain_timeout_secs", {0}).value_or(spec.drain_timeout_s);
  // Of older versions; the reference has no use for them any more.
  for (const char* key : {"time_window", "span_start", "span_end"}) map.has(key);
  return spec;
}

std::vector<std::pair<SloClass, SloTargets>> read_targets(SpecMap map) {
  std::vector<std::pair<SloClass, SloTargets>> targets;
  for (const std::string& name : map.keys()) {
    SloClass slo_class = SloClass::unset;
    if (!parse_slo_class(name, &slo_class)) {
      map.error(name, "there is no SLO class \"" + name + "\"",
                suggestion(name, names_of(slo_classes())));
    }
    SpecMap target = map.map(name);
    targets.emplace_back(slo_class, SloTargets{target.optional_number("ttft_ms", kPositive),
                                               target.optional_number("itl_ms", kPositive),
                                               target.optional_number("e2e_ms", kPositive)});
  }
  return targets;
}

void check_sources(SpecMap top) {
  const auto has = [&](const char* key) { return top.has(key); };
  if (std::none_of(std::begin(kSources), std::end(kSources), has)) {
    top.error("", "nothing makes requests",
              "add clients, cohorts, servegen_data or inference_perf");
  }
  int exclusive = 0;
  for (const char* key : {"clients", "servegen_data", "inference_perf"}) {
    if (!top.has(key)) continue;
    if (++exclusive == 2) {
      top.error(key, "clients, servegen_data and inference_perf exclude each other");
    }
  }
  for (const char* key : {"clients", "cohorts"}) {
    if (top.has(key) && top.maps(key).empty()) top.error(key, "at least one of them is needed");
  }
}

// Either every client has a class or none: a class beside none would be a third, unnamed one.
void check_classes(SpecMap top, const WorkloadSpec& spec) {
  std::size_t classed = 0;
  std::string without = "one";
  const auto look = [&](const ClientSpec& client) {
    if (client.slo_class != SloClass::unset) {
      classed += 1;
    } else if (!client.id.empty()) {
      without = "\"" + client.id + "\"";
    }
  };
  for (const ClientSpec& client : spec.clients) look(client);
  for (const CohortSpec& cohort : spec.cohorts) look(cohort.member);
  if (classed == 0 || classed == spec.clients.size() + spec.cohorts.size()) return;
  top.error(
      spec.clients.empty() ? "cohorts" : "clients",
      "either all clients and cohorts have an \"slo_class\" or none; " + without + " has none");
}

void check_loops(SpecMap top, const WorkloadSpec& spec) {
  const auto users = [](const ClientSpec& client) { return client.concurrency > 0; };
  const auto turns = [](const ClientSpec& client) { return client.multi_turn() != nullptr; };
  const bool any_users = std::any_of(spec.clients.begin(), spec.clients.end(), users);
  const bool any_turns = std::any_of(spec.clients.begin(), spec.clients.end(), turns) ||
                         std::any_of(spec.cohorts.begin(), spec.cohorts.end(),
                                     [&](const CohortSpec& c) { return turns(c.member); });
  if (any_users && any_turns) {
    top.error("clients", "concurrency clients and multi-turn clients cannot be mixed");
  }
}

WorkloadSpec read_spec(SpecMap top) {
  WorkloadSpec spec;
  ClientContext context;
  context.old_version = read_version(top);
  if (const auto seed = top.optional_integer("seed")) spec.seed = static_cast<std::uint64_t>(*seed);
  spec.category =
      top.optional_choice("category", {"", "language", "multimodal", "reasoning"}).value_or("");
  spec.aggregate_rate_rps = top.optional_number("aggregate_rate", kNonNegative).value_or(0);
  if (spec.aggregate_rate_rps > 0) top.number("aggregate_rate", {kMinRate, kMaxRate});
  context.absolute = !top.has("aggregate_rate") || spec.aggregate_rate_rps == 0;
  const std::int64_t count = top.optional_integer("num_requests", {0}).value_or(0);
  if (count > 0) spec.num_requests = count;
  if (const auto horizon = optional_us(top, "horizon"); horizon && *horizon > Duration{}) {
    spec.horizon = Time{} + *horizon;
  }
  check_sources(top);
  if (top.has("clients")) {
    for (SpecMap client : top.maps("clients")) {
      spec.clients.push_back(read_client(client, &context));
    }
  }
  if (top.has("cohorts")) {
    for (SpecMap cohort : top.maps("cohorts")) {
      spec.cohorts.push_back(read_cohort(cohort, &context));
    }
  }
  if (auto servegen = top.optional_map("servegen_data")) spec.servegen = read_servegen(*servegen);
  if (auto perf = top.optional_map("inference_perf")) {
    spec.inference_perf = read_inference_perf(*perf);
  }
  if (auto targets = top.optional_map("goodput_slo_targets")) {
    spec.goodput_slo_targets = read_targets(*targets);
  }
  if (!spec.servegen && !spec.inference_perf) check_classes(top, spec);
  check_loops(top, spec);
  if (context.old_version) {
    spec.notes.push_back("the workload specification is read as version 2" +
                         std::string(context.classes_renamed
                                         ? ": realtime is now critical, interactive standard"
                                         : ""));
  }
  return spec;
}

Result<void> read_length_files(const std::filesystem::path& folder, ClientSpec* client) {
  for (LengthDistribution* length : lengths_of(client)) {
    auto* empirical = std::get_if<EmpiricalLength>(length);
    if (empirical == nullptr || empirical->file.empty()) continue;
    auto read = read_length_file((folder / empirical->file).string());
    if (!read) return pass_on(read);
    empirical->weights = std::move(*read);
  }
  return {};
}

}  // namespace

Result<WorkloadSpec> parse_workload_spec(const std::string& text, const std::string& file) {
  Result<SpecFile> spec = SpecFile::parse(text, file);
  if (!spec) return pass_on(spec);
  WorkloadSpec workload = read_spec(spec->top());
  return spec->finish(std::move(workload));
}

Result<WorkloadSpec> read_workload_spec(const std::string& path) {
  Result<std::string> text = read_file(path);
  if (!text) return pass_on(text);
  Result<WorkloadSpec> spec = parse_workload_spec(*text, path);
  if (!spec) return spec;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  for (ClientSpec& client : spec->clients) {
    if (auto read = read_length_files(folder, &client); !read) return pass_on(read);
  }
  for (CohortSpec& cohort : spec->cohorts) {
    if (auto read = read_length_files(folder, &cohort.member); !read) return pass_on(read);
  }
  return expand_imports(std::move(*spec), path);
}

}  // namespace plimsoll
