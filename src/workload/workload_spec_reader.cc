#include "workload/workload_spec.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/file.h"
#include "spec/spec_file.h"
#include "workload/client_reader.h"
#include "workload/slo_class.h"

namespace plimsoll {
namespace {

constexpr const char* kSources[]{"clients", "cohorts", "servegen_data", "inference_perf"};

constexpr std::size_t kMaxParts = 1000;

bool read_version(SpecMap top) {
  const std::string version = top.optional_text("version").value_or("1");
  if (version == "2") return false;
  if (version != "1") {
    top.error("version", "unknown version \"" + version + "\" of workload specifications",
              "write version: \"2\"");
  }
  return true;
}

ServegenSpec read_servegen(SpecMap map) {
  ServegenSpec spec;
  spec.path = map.text("path");
  spec.window_duration_s = map.optional_integer("window_duration_secs", {1, kLongestPeriodS})
                               .value_or(spec.window_duration_s);
  spec.drain_timeout_s = map.optional_integer("drain_timeout_secs", {0, kLongestPeriodS})
                             .value_or(spec.drain_timeout_s);
  // Of older versions of the reference, which has no use for them any more.
  for (const char* key : {"time_window", "span_start", "span_end"}) {
    if (!map.has(key)) continue;
    map.error(key, "\"" + std::string(key) + "\" no longer has any effect",
              "leave it out; `plimsoll convert servegen --time PERIOD` takes one period of a day");
  }
  return spec;
}

double read_whole_rate(SpecMap map) {
  const auto rate = map.optional_number("aggregate_rate", kNonNegative);
  if (!rate && map.has("aggregate_rate")) return kMinRate;  // one error is enough
  return rate.value_or(0) > 0 ? map.number("aggregate_rate", {kMinRate, kMaxRate}) : 0;
}

Time read_horizon(SpecMap map) {
  const Duration horizon = optional_us(map, "horizon").value_or(Duration{});
  return horizon > Duration{} ? Time{} + horizon : kNever;
}

std::vector<PartSpec> read_parts(SpecMap map) {
  std::vector<PartSpec> parts;
  for (const std::string& name : map.keys()) {
    SpecMap part = map.map(name);
    parts.push_back({name, read_whole_rate(part), read_horizon(part)});
    if (name.empty()) map.error(name, "a part needs a name");
  }
  if (parts.size() > kMaxParts) {
    map.error("", "there are more than " + std::to_string(kMaxParts) + " parts");
  }
  return parts;
}

// What makes requests, item by item.
struct Members {
  std::vector<SpecMap> clients;
  std::vector<SpecMap> cohorts;
};

Members members_of(SpecMap top) {
  const auto list = [&](const char* key) {
    return top.has(key) ? top.maps(key) : std::vector<SpecMap>();
  };
  return {list("clients"), list("cohorts")};
}

void check_sources(SpecMap top, const Members& members) {
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
  const auto check = [&](const char* key, const std::vector<SpecMap>& list) {
    if (top.has_list(key) && list.empty()) top.error(key, "at least one of them is needed");
  };
  check("clients", members.clients);
  check("cohorts", members.cohorts);
}

// Either every client has a class or none: a class beside none would be a third, unnamed one.
void check_classes(SpecMap top, const WorkloadSpec& spec) {
  std::size_t classed = 0;
  std::string without = "one";
  for_each_member(spec, [&](const ClientSpec& client) {
    if (client.slo_class != SloClass::unset) {
      classed += 1;
    } else if (!client.id.empty()) {
      without = "\"" + client.id + "\"";
    }
  });
  if (classed == 0 || classed == spec.clients.size() + spec.cohorts.size()) return;
  top.error(
      spec.clients.empty() ? "cohorts" : "clients",
      "either all clients and cohorts have an \"slo_class\" or none; " + without + " has none");
}

// Reports and traces tell clients apart by their names.
void check_ids(const Members& members, const WorkloadSpec& spec) {
  std::set<std::string> ids;
  const auto check = [&](SpecMap map, const std::string& id) {
    if (id.empty() || ids.insert(id).second) return;
    map.error("id", "two clients or cohorts have the id \"" + id + "\"",
              "give each its own name, or none");
  };
  for (std::size_t i = 0; i < spec.clients.size(); ++i) {
    check(members.clients[i], spec.clients[i].id);
  }
  for (std::size_t i = 0; i < spec.cohorts.size(); ++i) {
    check(members.cohorts[i], spec.cohorts[i].member.id);
  }
}

// What is read and has no effect: files of the reference have it, so it is no error.
void note_idle_spreads(WorkloadSpec* spec) {
  std::string first;
  std::int64_t idle = 0;
  const auto look = [&](const ClientSpec& client, const ArrivalSpec& arrival) {
    const bool has_spread =
        arrival.process == ArrivalProcess::gamma || arrival.process == ArrivalProcess::weibull;
    if (arrival.cv == 1 || (has_spread && arrival.shape == 0)) return;
    if (idle++ == 0) {
      first = "\"" + client.id + "\": the cv of its arrivals is ignored: " +
              (has_spread ? std::string("the shape wins")
                          : name_of(arrival_processes(), arrival.process) +
                                " arrivals have no spread to choose");
    }
  };
  for_each_member(*spec, [&](const ClientSpec& client) {
    look(client, client.arrival);
    for (const WindowSpec& window : client.windows) {
      if (window.arrival) look(client, *window.arrival);
    }
  });
  if (idle == 0) return;
  if (idle > 1) first += " (and " + std::to_string(idle - 1) + " more)";
  spec->notes.push_back("client " + first);
}

void check_loops(SpecMap top, const WorkloadSpec& spec) {
  const auto users = [](const ClientSpec& client) { return client.concurrency > 0; };
  const auto turns = [](const ClientSpec& client) { return client.multi_turn() != nullptr; };
  if (any_member(spec, users) && any_member(spec, turns)) {
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
  spec.aggregate_rate_rps = read_whole_rate(top);
  context.whole_is_absolute = spec.aggregate_rate_rps == 0;
  if (auto parts = top.optional_map("parts")) spec.parts = read_parts(*parts);
  context.parts = spec.parts;
  const std::int64_t count =
      top.optional_integer("num_requests", {0, kMostRequestsOfRun}).value_or(0);
  if (count > 0) spec.num_requests = count;
  spec.horizon = read_horizon(top);
  const Members members = members_of(top);
  check_sources(top, members);
  for (const SpecMap& client : members.clients) {
    spec.clients.push_back(read_client(client, &context));
  }
  for (const SpecMap& cohort : members.cohorts) {
    spec.cohorts.push_back(read_cohort(cohort, &context));
  }
  if (auto servegen = top.optional_map("servegen_data")) spec.servegen = read_servegen(*servegen);
  if (auto perf = top.optional_map("inference_perf")) {
    spec.inference_perf = read_inference_perf(*perf);
  }
  if (auto targets = top.optional_map("goodput_slo_targets")) {
    spec.goodput_slo_targets = read_slo_targets(*targets);
  }
  if (!spec.servegen && !spec.inference_perf) check_classes(top, spec);
  check_ids(members, spec);
  check_loops(top, spec);
  note_idle_spreads(&spec);
  spec.notes.insert(spec.notes.end(), context.notes.begin(), context.notes.end());
  if (context.old_version) {
    spec.notes.push_back("the workload specification is read as version 2" +
                         std::string(context.classes_renamed
                                         ? ": realtime is now critical, interactive standard"
                                         : ""));
  }
  return spec;
}

// Where the specification names it stands in front: the file's own path is made of two.
Result<void> check_length_file(const std::string& spec, const EmpiricalLength& length,
                               const std::filesystem::path& path) {
  if (is_file(path.string())) return {};
  return fail_at(ErrorKind::io, spec, length.line, "no such file: " + path.string(),
                 "a path in a specification counts from the folder of the specification");
}

Result<void> read_length_files(const std::string& spec, ClientSpec* client) {
  const std::filesystem::path folder = std::filesystem::path(spec).parent_path();
  for (LengthDistribution* length : lengths_of(client)) {
    auto* empirical = std::get_if<EmpiricalLength>(length);
    if (empirical == nullptr || empirical->file.empty()) continue;
    const std::filesystem::path path = folder / empirical->file;
    TRY_TO(check_length_file(spec, *empirical, path));
    TRY_SET(empirical->weights, read_length_file(path.string()));
  }
  return {};
}

// Files of other verbs are written in the same form: one error says so instead of one per key.
Result<void> check_is_workload(SpecFile spec, const std::string& file) {
  constexpr std::pair<const char*, const char*> kOthers[]{
      {"routes", "forecast"}, {"config_space", "plan"}, {"constraints", "plan"}};
  SpecMap top = spec.top();
  for (const char* own : kSources) {
    if (top.has(own)) return {};
  }
  for (const auto& [key, verb] : kOthers) {
    if (!top.has(key)) continue;
    return fail_in(ErrorKind::spec, file, "unknown key \"" + std::string(key) + "\"",
                   "this looks like a file for `plimsoll " + std::string(verb) + "`");
  }
  return {};
}

}  // namespace

Result<WorkloadSpec> parse_workload_spec(const std::string& text, const std::string& file) {
  TRY(spec, SpecFile::parse(text, file));
  TRY_TO(check_is_workload(spec.unread(), file));
  WorkloadSpec workload = read_spec(spec.top());
  return spec.finish(std::move(workload));
}

Result<WorkloadSpec> read_workload_spec(const std::string& path) {
  TRY(text, read_file(path));
  TRY(spec, parse_workload_spec(text, path));
  for (ClientSpec& client : spec.clients) TRY_TO(read_length_files(path, &client));
  for (CohortSpec& cohort : spec.cohorts) TRY_TO(read_length_files(path, &cohort.member));
  return expand_imports(std::move(spec), path);
}

void inline_lengths(WorkloadSpec* spec) {
  for_each_member(*spec, [](ClientSpec& client) {
    for (LengthDistribution* length : lengths_of(&client)) {
      if (auto* empirical = std::get_if<EmpiricalLength>(length)) empirical->file.clear();
    }
  });
}

std::vector<std::string> files_named_by_workload_spec(const std::string& path) {
  namespace fs = std::filesystem;
  auto text = read_file(path);
  if (!text) return {};
  auto spec = parse_workload_spec(*text, path);
  if (!spec) return {};
  const fs::path folder = fs::path(path).parent_path();
  std::vector<std::string> files;
  for_each_member(*spec, [&](ClientSpec& client) {
    for (const LengthDistribution* length : lengths_of(&client)) {
      const auto* empirical = std::get_if<EmpiricalLength>(length);
      if (empirical == nullptr || empirical->file.empty()) continue;
      files.push_back((folder / empirical->file).string());
    }
  });
  if (!spec->servegen) return files;
  const std::size_t single = files.size();
  std::error_code failed;
  for (fs::directory_iterator entry(folder / spec->servegen->path, failed), end;
       !failed && entry != end; entry.increment(failed)) {
    files.push_back(entry->path().string());
  }
  std::sort(files.begin() + std::ptrdiff_t(single), files.end());
  return files;
}

}  // namespace plimsoll
