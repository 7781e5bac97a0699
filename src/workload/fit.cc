#include "workload/compose.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <tuple>
#include <vector>

#include "base/text.h"
#include "stats/percentile.h"

namespace plimsoll {
namespace {

/// Which requests of a trace to call one prefix group, each of which has one prefix that all its
/// prompts begin with, so that most of what the prompts share is kept.
struct PrefixGrouping {
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  std::vector<std::size_t> group_of;  ///< of each request, or kNone
  std::vector<std::int64_t> tokens;   ///< of the prefix of each group
  std::int64_t prompt_tokens = 0;     ///< of all requests
  std::int64_t shared_tokens = 0;     ///< those that came before, in the prefixes of the trace
  std::int64_t kept_tokens = 0;       ///< those that came before in the groups
};

// The prefixes of all requests as a tree of segments. Parents stand before their children.
class PrefixTree {
 public:
  PrefixTree() : nodes_(1) {}

  /// Takes the prefix of the next request; returns the node where it ends.
  std::size_t add(const Request& request) {
    std::size_t at = 0;
    for (const PrefixSegment& segment : request.prefix) {
      const auto [child, is_new] =
          children_.emplace(std::tuple(at, segment.content, segment.tokens), nodes_.size());
      if (is_new) {
        Node& node = nodes_.emplace_back();
        node.parent = at;
        node.depth = nodes_[at].depth + segment.tokens;
      }
      at = child->second;
      nodes_[at].requests += 1;
    }
    nodes_[at].ending += 1;
    return at;
  }

  /// Chooses the nodes that become groups; a group costs as much as `price` saved tokens.
  // From the leaves up: is it better to have a group here, of all requests for which no group
  // further down is better, or to leave them alone?
  void choose(double price) {
    for (std::size_t i = nodes_.size(); --i > 0;) {
      Node& node = nodes_[i];
      const auto depth = static_cast<double>(node.depth);
      const double group = node.inside + static_cast<double>(node.ending) * depth - depth - price;
      node.is_group = group > node.beside;
      node.best = std::max(group, node.beside);
      Node& parent = nodes_[node.parent];
      parent.beside += node.best;
      const double in_parent =
          static_cast<double>(node.requests) * static_cast<double>(parent.depth);
      parent.inside += std::max(node.best, in_parent);
    }
    // From the root down: whoever is better off in the group above has none of its own.
    std::vector<bool> merged(nodes_.size());
    for (std::size_t i = 1; i < nodes_.size(); ++i) {
      Node& node = nodes_[i];
      const Node& parent = nodes_[node.parent];
      const double in_parent =
          static_cast<double>(node.requests) * static_cast<double>(parent.depth);
      merged[i] = merged[node.parent] || (parent.is_group && in_parent >= node.best);
      if (merged[i]) node.is_group = false;
    }
  }

  std::size_t size() const { return nodes_.size(); }
  std::size_t parent(std::size_t node) const { return nodes_[node].parent; }
  std::int64_t depth(std::size_t node) const { return nodes_[node].depth; }
  std::int64_t requests(std::size_t node) const { return nodes_[node].requests; }
  bool is_group(std::size_t node) const { return nodes_[node].is_group; }

 private:
  struct Node {
    std::size_t parent = 0;
    std::int64_t depth = 0;     // tokens from the start of the prompt to the end of this segment
    std::int64_t requests = 0;  // whose prefixes go through here or end here
    std::int64_t ending = 0;    // those that end here
    double best = 0;            // what groups here and below save, less their price
    double inside = 0;  // the same of the children, each the better of itself and of this group
    double beside = 0;  // the same of the children, without a group here
    bool is_group = false;
  };

  std::vector<Node> nodes_;
  std::map<std::tuple<std::size_t, std::uint64_t, std::int64_t>, std::size_t> children_;
};

// Every group saves at least a thousandth of the prompt tokens, so there are at most a thousand.
PrefixGrouping group_by_prefix(const Workload& workload) {
  PrefixGrouping grouping;
  PrefixTree tree;
  std::vector<std::size_t> ends;  // by request
  WorkloadSource source(workload);
  for (Request request; source.next(&request);) {
    grouping.prompt_tokens += request.input_tokens;
    ends.push_back(tree.add(request));
  }
  tree.choose(static_cast<double>(grouping.prompt_tokens) / 1000);

  std::vector<std::size_t> group_of_node(tree.size(), PrefixGrouping::kNone);
  for (std::size_t i = 1; i < tree.size(); ++i) {
    const std::int64_t segment = tree.depth(i) - tree.depth(tree.parent(i));
    grouping.shared_tokens += (tree.requests(i) - 1) * segment;
    group_of_node[i] = group_of_node[tree.parent(i)];
    if (!tree.is_group(i)) continue;
    group_of_node[i] = grouping.tokens.size();
    grouping.tokens.push_back(tree.depth(i));
    grouping.kept_tokens -= tree.depth(i);  // whoever comes first shares nothing
  }
  for (const std::size_t end : ends) {
    grouping.group_of.push_back(group_of_node[end]);
    if (group_of_node[end] != PrefixGrouping::kNone) {
      grouping.kept_tokens += grouping.tokens[group_of_node[end]];
    }
  }
  return grouping;
}

/// The requests of one client, tenant and class whose prompts begin alike.
struct Group {
  std::vector<Time> arrivals;
  std::vector<std::int64_t> inputs;  ///< without the shared prefix
  std::vector<std::int64_t> outputs;
};

// A client name is a key of the specification, and so unique.
std::string unique_name(const std::string& wanted, const char* otherwise,
                        std::set<std::string>* taken) {
  const std::string stem = wanted.empty() ? otherwise : wanted;
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
  explicit Fit(const Workload& workload)
      : workload_(workload), prefixes_(group_by_prefix(workload)) {}

  WorkloadSpec spec() {
    collect();
    note_losses();
    note_rates();
    const auto n = static_cast<double>(workload_.size());
    const double last_s = to_seconds(workload_.arrival.back());
    // Requests that come all at once have no rate: as fast as generators go.
    spec_.aggregate_rate_rps = last_s > 0 ? std::clamp(n / last_s, kMinRate, kMaxRate) : kMaxRate;
    spec_.num_requests = static_cast<std::int64_t>(workload_.size());
    bool classes = false;
    for (const auto& [key, group] : groups_) classes |= key.slo_class != SloClass::unset;
    for (const auto& [key, group] : groups_) {
      spec_.clients.push_back(client_of(key, group));
      SloClass& slo_class = spec_.clients.back().slo_class;
      if (classes && slo_class == SloClass::unset) slo_class = SloClass::standard;
    }
    return std::move(spec_);
  }

 private:
  struct Key {
    Labels::Client client;  // without the name of its prefix group
    std::int32_t tenant;
    SloClass slo_class;
    std::size_t prefix;  // group, or PrefixGrouping::kNone

    auto tie() const {
      return std::tie(client.id, tenant, slo_class, prefix, client.model, client.adapter,
                      client.streaming, client.slo_target);
    }
    bool operator<(const Key& other) const { return tie() < other.tie(); }
  };

  // Names of prefix groups are no part of the key: those of block traces are made up by whoever
  // wrote them down, one for each content.
  Fit::Key key_of(const Request& request, std::size_t i) {
    Key key{{}, request.tags.tenant, request.slo_class, prefixes_.group_of[i]};
    std::string name;
    if (request.tags.client >= 0) {
      key.client = workload_.labels.clients[static_cast<std::size_t>(request.tags.client)];
      name = std::exchange(key.client.prefix_group, {});
    }
    if (key.prefix != PrefixGrouping::kNone && prefix_names_[key.prefix].empty()) {
      prefix_names_[key.prefix] = name;
    }
    return key;
  }

  void collect() {
    prefix_names_.resize(prefixes_.tokens.size());
    WorkloadSource source(workload_);
    Request request;
    for (std::size_t i = 0; source.next(&request); ++i) {
      const Key key = key_of(request, i);
      const std::int64_t prefix =
          key.prefix == PrefixGrouping::kNone ? 0 : prefixes_.tokens[key.prefix];
      Group& group = groups_[key];
      group.arrivals.push_back(request.arrival);
      group.inputs.push_back(std::max(request.input_tokens - prefix, std::int64_t{1}));
      group.outputs.push_back(std::max(request.output_tokens, 1));
    }
    std::set<std::string> taken;
    for (std::string& name : prefix_names_) name = unique_name(name, "prefix", &taken);
  }

  void note_losses() {
    bool sessions = false;
    bool deadlines = false;
    for (const RequestTags& tags : workload_.tags) sessions |= tags.session >= 0;
    for (const Time deadline : workload_.deadline) deadlines |= deadline != kNever;
    if (sessions) spec_.notes.push_back("the rounds of sessions become requests on their own");
    if (deadlines) spec_.notes.push_back("deadlines are left out");
    if (prefixes_.kept_tokens < prefixes_.shared_tokens) {
      const auto percent = [&](std::int64_t tokens) {
        return three_digits(100 * static_cast<double>(tokens) /
                            static_cast<double>(prefixes_.prompt_tokens)) +
               " %";
      };
      spec_.notes.push_back("prompts share one prefix each: about " +
                            percent(prefixes_.kept_tokens) +
                            " of prompt tokens repeat an earlier prefix; in the trace, " +
                            percent(prefixes_.shared_tokens));
    }
  }

  // A client has one rate. How much is lost by that shows in the busiest tenth of the time.
  void note_rates() {
    constexpr std::size_t kFewest = 100;
    constexpr double kEven = 1.5;
    std::array<double, 10> tenths{};
    const double span = to_seconds(workload_.arrival.back() - workload_.arrival.front());
    if (workload_.size() < kFewest || span <= 0) return;
    for (const Time arrival : workload_.arrival) {
      const double at = to_seconds(arrival - workload_.arrival.front()) / span;
      tenths[std::min<std::size_t>(9, static_cast<std::size_t>(10 * at))] += 1;
    }
    const double most = *std::max_element(tenths.begin(), tenths.end());
    const double ratio = most * 10 / static_cast<double>(workload_.size());
    if (ratio < kEven) return;
    spec_.notes.push_back("the rate is that of the whole trace, whose busiest tenth has " +
                          three_digits(ratio) + " times as much");
  }

  ClientSpec client_of(const Key& key, const Group& group) {
    const Labels::Client& from = key.client;
    ClientSpec client;
    client.id = unique_name(from.id, "client", &ids_);
    client.model = from.model;
    client.adapter = from.adapter;
    client.streaming = from.streaming;
    if (from.slo_target > Duration{}) client.slo_target = from.slo_target;
    if (key.tenant >= 0) {
      client.tenant = workload_.labels.tenants[static_cast<std::size_t>(key.tenant)];
    }
    client.slo_class = key.slo_class;
    client.rate_fraction =
        static_cast<double>(group.arrivals.size()) / static_cast<double>(workload_.size());
    client.arrival = fit_arrival(group.arrivals);
    if (key.prefix != PrefixGrouping::kNone) {
      client.prefix_group = prefix_names_[key.prefix];
      client.prefix_tokens = prefixes_.tokens[key.prefix];
    }
    client.input = fit_length(group.inputs);
    client.output = fit_length(group.outputs);
    return client;
  }

  const Workload& workload_;
  const PrefixGrouping prefixes_;
  std::vector<std::string> prefix_names_;
  std::map<Key, Group> groups_;
  std::set<std::string> ids_;
  WorkloadSpec spec_;
};

}  // namespace

EmpiricalLength fit_length(std::vector<std::int64_t> tokens) {
  constexpr std::size_t kMostValues = 150;
  constexpr double kTail = 95;  // percent; from there on steps are ten times finer
  std::map<std::int64_t, double> weights;
  for (const std::int64_t count : tokens) weights[count] += 1;
  if (weights.size() > kMostValues) {
    weights.clear();
    Percentiles<std::int64_t> percentiles(std::move(tokens));
    const auto add = [&](double percentile, double weight) {
      weights[std::llround(percentiles.at(percentile))] += weight;
    };
    // The middle of each step; the shortest and the longest stand for half of theirs.
    add(0, 0.5);
    add(0.75, 0.5);
    for (int i = 1; i < static_cast<int>(kTail); ++i) add(i + 0.5, 1);
    for (int i = 0; i < 49; ++i) add(kTail + (i + 0.5) / 10, 0.1);
    add(99.925, 0.05);
    add(100, 0.05);
  }
  return {{weights.begin(), weights.end()}, {}};
}

WorkloadSpec fit_workload(const Workload& workload) { return Fit(workload).spec(); }

}  // namespace plimsoll
