#include "workload/fit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "stats/percentile.h"

namespace plimsoll {
namespace {

/// The requests of one client, tenant and class.
struct Group {
  std::vector<Time> arrivals;
  std::vector<std::int64_t> inputs;  ///< without the shared prefix
  std::vector<std::int64_t> outputs;
  std::int64_t prefix_tokens = 0;
};

// A client name is a key of the specification, and so unique.
std::string unique_name(const std::string& wanted, std::set<std::string>* taken) {
  const std::string stem = wanted.empty() ? "client" : wanted;
  std::string name = stem;
  for (int i = 2; !taken->insert(name).second; ++i) name = stem + "-" + std::to_string(i);
  return name;
}

double gap_cv(const std::vector<Time>& arrivals) {
  const auto n = static_cast<double>(arrivals.size() - 1);
  const double mean = static_cast<double>((arrivals.back() - arrivals.front()).ns) / n;
  double squares = 0;
  for (std::size_t i = 1; i < arrivals.size(); ++i) {
    const double off = static_cast<double>((arrivals[i] - arrivals[i - 1]).ns) - mean;
    squares += off * off;
  }
  return mean > 0 ? std::sqrt(squares / (n - 1)) / mean : 0;
}

// Few requests say nothing about a spread; a CV near 1 is what Poisson arrivals have.
ArrivalSpec fit_arrival(const std::vector<Time>& arrivals) {
  constexpr std::size_t kFewest = 30;
  constexpr double kSame = 0.1;
  constexpr double kLeast = 0.01;
  constexpr double kMost = 10;
  ArrivalSpec arrival;
  if (arrivals.size() < kFewest) return arrival;
  const double cv = gap_cv(arrivals);
  if (std::abs(cv - 1) <= kSame) return arrival;
  if (cv < kLeast) return {ArrivalProcess::constant, 1, 0, 0};
  return {ArrivalProcess::gamma, std::round(std::min(cv, kMost) * 1000) / 1000, 0, 0};
}

class Fit {
 public:
  explicit Fit(const Workload& workload) : workload_(workload) {}

  WorkloadSpec spec();

 private:
  using Key = std::tuple<std::int32_t, std::int32_t, SloClass>;

  void collect();
  void note_losses();
  ClientSpec client_of(const Key& key, const Group& group);

  const Workload& workload_;
  std::map<Key, Group> groups_;
  std::set<std::string> ids_;
  WorkloadSpec spec_;
};

void Fit::collect() {
  WorkloadSource source(workload_);
  Request request;
  while (source.next(&request)) {
    Group& group = groups_[{request.tags.client, request.tags.tenant, request.slo_class}];
    // What a specification can say: one prefix of one length for the whole client.
    const std::int64_t prefix = request.prefix.size() == 1 ? request.prefix[0].tokens : 0;
    if (group.arrivals.empty()) group.prefix_tokens = prefix;
    group.prefix_tokens = std::min(group.prefix_tokens, prefix);
    group.arrivals.push_back(request.arrival);
    group.inputs.push_back(request.input_tokens);
    group.outputs.push_back(std::max(request.output_tokens, 1));
  }
}

void Fit::note_losses() {
  bool sessions = false;
  bool deadlines = false;
  for (const RequestTags& tags : workload_.tags) sessions |= tags.session >= 0;
  for (const Time deadline : workload_.deadline) deadlines |= deadline != kNever;
  if (sessions) spec_.notes.push_back("the rounds of sessions become requests on their own");
  if (deadlines) spec_.notes.push_back("deadlines are left out");
  const bool paths = std::any_of(workload_.prefix_count.begin(), workload_.prefix_count.end(),
                                 [](std::uint32_t count) { return count > 1; });
  if (paths) {
    spec_.notes.push_back(
        "prefixes of several parts are left out: prompts share less than they did");
  }
}

ClientSpec Fit::client_of(const Key& key, const Group& group) {
  const auto& [label, tenant, slo_class] = key;
  ClientSpec client;
  if (label >= 0) {
    const Labels::Client& from = workload_.labels.clients[static_cast<std::size_t>(label)];
    client.id = from.id;
    client.prefix_group = from.prefix_group;
    client.model = from.model;
    client.adapter = from.adapter;
    client.streaming = from.streaming;
    if (from.slo_target > Duration{}) client.slo_target = from.slo_target;
  }
  if (tenant >= 0) client.tenant = workload_.labels.tenants[static_cast<std::size_t>(tenant)];
  client.id = unique_name(client.id, &ids_);
  client.slo_class = slo_class;
  client.rate_fraction =
      static_cast<double>(group.arrivals.size()) / static_cast<double>(workload_.size());
  client.arrival = fit_arrival(group.arrivals);
  std::vector<std::int64_t> inputs = group.inputs;
  if (group.prefix_tokens == 0 || client.prefix_group.empty()) {
    client.prefix_group.clear();
  } else {
    client.prefix_tokens = group.prefix_tokens;
    for (std::int64_t& tokens : inputs) {
      tokens = std::max(tokens - group.prefix_tokens, std::int64_t{1});
    }
  }
  client.input = fit_length(std::move(inputs));
  client.output = fit_length(group.outputs);
  return client;
}

WorkloadSpec Fit::spec() {
  collect();
  note_losses();
  const auto n = static_cast<double>(workload_.size());
  const double last_s = to_seconds(workload_.arrival.back());
  // Requests that come all at once have no rate: as fast as generators go.
  spec_.aggregate_rate_rps = last_s > 0 ? std::clamp(n / last_s, kMinRate, kMaxRate) : kMaxRate;
  spec_.num_requests = static_cast<std::int64_t>(workload_.size());
  bool classes = false;
  for (const auto& [key, group] : groups_) classes |= std::get<SloClass>(key) != SloClass::unset;
  for (const auto& [key, group] : groups_) {
    spec_.clients.push_back(client_of(key, group));
    SloClass& slo_class = spec_.clients.back().slo_class;
    if (classes && slo_class == SloClass::unset) slo_class = SloClass::standard;
  }
  return std::move(spec_);
}

}  // namespace

EmpiricalLength fit_length(std::vector<std::int64_t> tokens) {
  constexpr std::size_t kMostValues = 100;
  std::map<std::int64_t, double> weights;
  for (const std::int64_t count : tokens) weights[count] += 1;
  if (weights.size() > kMostValues) {
    weights.clear();
    // The middle of each hundredth.
    Percentiles<std::int64_t> percentiles(std::move(tokens));
    for (std::size_t i = 0; i < kMostValues; ++i) {
      weights[std::llround(percentiles.at(static_cast<double>(i) + 0.5))] += 1;
    }
  }
  return {{weights.begin(), weights.end()}, {}};
}

WorkloadSpec fit_workload(const Workload& workload) { return Fit(workload).spec(); }

}  // namespace plimsoll
