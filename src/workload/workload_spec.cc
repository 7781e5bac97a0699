#include "workload/workload_spec.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/file.h"
#include "base/text.h"
#include "spec/spec_file.h"

namespace plimsoll {
namespace {

constexpr std::int64_t kDefaultPrefixTokens = 50;  // of a group without a length
constexpr std::int64_t kMaxHorizonUs = 4'000'000'000'000'000;

void refuse(SpecMap map, std::string_view key, const std::string& what) {
  map.error(key, what + " is not supported yet",
            "it arrives with a later version: workload specifications");
}

void refuse_keys(SpecMap map, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) {
    if (map.has(key)) refuse(map, key, "\"" + key + "\"");
  }
}

ArrivalSpec read_arrival(SpecMap map) {
  ArrivalSpec arrival;
  const std::string process = map.choice("process", arrival_process_names());
  const auto& names = arrival_process_names();
  const auto found = std::find(names.begin(), names.end(), process);
  if (found != names.end()) arrival.process = static_cast<ArrivalProcess>(found - names.begin());
  arrival.cv = map.optional_number("cv", kPositive).value_or(1);
  if (const Result<void> ok = validate(arrival); !ok) {
    map.error("cv", ok.error().diagnostics.front().message);
  }
  refuse_keys(map, {"shape", "scale"});
  return arrival;
}

// The reference reads every parameter as a floating-point number: 512.0 is a length, too.
std::int64_t whole_tokens(SpecMap params, std::string_view key, std::int64_t least) {
  const double value =
      params.number(key, {static_cast<double>(least), static_cast<double>(kMaxTokens)});
  if (value != std::floor(value)) params.error(key, "a length is a whole number of tokens");
  return static_cast<std::int64_t>(value);
}

LengthSpec read_length(SpecMap map) {
  const std::string type = map.choice("type", {"constant", "gaussian", "exponential", "lognormal",
                                               "pareto_lognormal", "empirical"});
  refuse_keys(map, {"file"});
  SpecMap params = map.map("params");
  if (type == "constant") return LengthSpec::constant(whole_tokens(params, "value", 1));
  if (type != "gaussian") {
    params.keys();
    if (!type.empty()) refuse(map, "type", "the length distribution \"" + type + "\"");
    return {};
  }
  LengthSpec length;
  length.mean = params.number("mean");
  length.stdev = params.number("std_dev", kNonNegative);
  length.min = whole_tokens(params, "min", 0);
  length.max = whole_tokens(params, "max", 1);
  if (length.min > length.max) params.error("min", "the minimum exceeds the maximum");
  return length;
}

// Prefix groups by name; the first client of a group decides the length for all.
class PrefixGroups {
 public:
  void read(SpecMap client, SyntheticSpec* spec) {
    const std::int64_t length =
        client.optional_integer("prefix_length", {0, kMaxTokens}).value_or(0);
    const std::string name = client.optional_text("prefix_group").value_or("");
    if (name.empty()) {
      if (length > 0) client.error("prefix_length", "a prefix length needs a \"prefix_group\"");
      return;
    }
    const Group fresh{groups_.size(), length > 0 ? length : kDefaultPrefixTokens};
    const Group& group = groups_.emplace(name, fresh).first->second;
    spec->prefix_number = group.number;
    spec->prefix_tokens = group.tokens;
    if (group.tokens > kMaxTokens - spec->prompt.max) {
      client.error("prefix_length", "prefix and prompt are too long together");
    }
  }

 private:
  struct Group {
    std::uint64_t number;
    std::int64_t tokens;
  };
  std::map<std::string, Group> groups_;
};

// rate_rps holds the client's fraction until all are known.
SyntheticSpec read_client(SpecMap map, PrefixGroups* groups) {
  SyntheticSpec client;
  map.optional_text("id");
  client.rate_rps = map.number("rate_fraction", kPositive);
  client.arrival = read_arrival(map.map("arrival"));
  client.prompt = read_length(map.map("input_distribution"));
  client.output = read_length(map.map("output_distribution"));
  groups->read(map, &client);
  refuse_keys(map, {"tenant_id", "slo_class", "model", "adapter", "concurrency", "think_time_us",
                    "streaming", "network", "lifecycle", "multimodal", "reasoning", "timeout",
                    "slo_target_us", "closed_loop"});
  return client;
}

void share_rate(SpecMap top, double aggregate_rps, std::vector<SyntheticSpec>* clients) {
  double sum = 0;
  for (const SyntheticSpec& client : *clients) sum += client.rate_rps;
  for (SyntheticSpec& client : *clients) {
    client.rate_rps = aggregate_rps * client.rate_rps / sum;
    if (client.rate_rps < kMinRate || client.rate_rps > kMaxRate) {
      top.error(
          "aggregate_rate",
          "a client's share of the rate is " + shortest(client.rate_rps) + " requests per second",
          "each share must lie in [" + shortest(kMinRate) + ", " + shortest(kMaxRate) + "]");
      return;
    }
  }
}

WorkloadSpec read_spec(SpecMap top) {
  WorkloadSpec spec;
  if (top.text("version") != "2") {
    top.error("version", "only version \"2\" is supported so far");
  }
  if (const auto seed = top.optional_integer("seed")) spec.seed = static_cast<std::uint64_t>(*seed);
  const std::string category =
      top.optional_choice("category", {"", "language", "multimodal", "reasoning"}).value_or("");
  if (category == "multimodal" || category == "reasoning") {
    refuse(top, "category", "the category \"" + category + "\"");
  }
  const std::int64_t count = top.optional_integer("num_requests", {0}).value_or(0);
  if (count > 0) spec.num_requests = count;
  if (const auto us = top.optional_integer("horizon", {0, kMaxHorizonUs}); us && *us > 0) {
    spec.horizon = Time{} + microseconds(*us);
  }
  PrefixGroups groups;
  for (SpecMap client : top.maps("clients")) spec.clients.push_back(read_client(client, &groups));
  if (top.has("clients") && spec.clients.empty())
    top.error("clients", "at least one client is needed");
  share_rate(top, top.number("aggregate_rate", kPositive), &spec.clients);
  refuse_keys(top, {"cohorts", "servegen_data", "inference_perf", "goodput_slo_targets"});
  return spec;
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
  return parse_workload_spec(*text, path);
}

}  // namespace plimsoll
