#include "reference/routing.h"

#include <algorithm>

#include "cluster/scorer.h"

namespace plimsoll::reference {
namespace {

/// (most - value) / (most - least), or 1 for all when they are equal.
std::vector<double> less_is_better(const std::vector<double>& values) {
  const double least = *std::min_element(values.begin(), values.end());
  const double most = *std::max_element(values.begin(), values.end());
  std::vector<double> scores;
  for (const double value : values) {
    scores.push_back(most == least ? 1 : (most - value) / (most - least));
  }
  return scores;
}

double load(const Seen& seen) { return seen.queue + seen.batch + seen.in_flight; }

template <class Figure>
std::vector<double> each(const std::vector<Seen>& seen, Figure figure) {
  std::vector<double> values;
  for (const Seen& instance : seen) values.push_back(figure(instance));
  return values;
}

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

const std::vector<std::string>& known_routers() {
  static const std::vector<std::string> names{
      "round-robin", "least-loaded",   "power-of-two",        "session-affinity",
      "weighted",    "always-busiest", "weighted-round-robin"};
  return names;
}

const std::vector<std::string>& known_scorers() {
  static const std::vector<std::string> names{
      "queue-depth",          "running-requests", "vllm-dp",         "kv-utilization",
      "load-balance",         "load-aware",       "active-requests", "prefix-affinity",
      "precise-prefix-cache", "no-hit-lru",       "load-for-speed"};
  return names;
}

Routing::Routing(const Deployment& deployment)
    : deployment_(deployment), n_(static_cast<std::size_t>(deployment.num_instances())), sent_(n_) {
  for (std::size_t i = 0; i < n_; ++i) cold_order_.push_back(static_cast<int>(i));
  double fastest = 0;
  for (const Pool& pool : deployment.pools) fastest = std::max(fastest, pool.speed);
  for (const Pool& pool : deployment.pools) {
    for (int i = 0; i < pool.num_instances; ++i) {
      speed_.push_back(pool.speed / fastest);
      memory_.push_back(deployment.router_memory_blocks > 0 ? deployment.router_memory_blocks
                                                            : pool.engine.total_kv_blocks);
    }
  }
  credit_.resize(n_);
}

Routing::Scores Routing::loads_for_speed(const std::vector<Seen>& seen) const {
  Scores loads = each(seen, load);
  for (std::size_t i = 0; i < n_; ++i) loads[i] = (loads[i] + 2) / speed_[i];
  return loads;
}

// Everybody is owed its speed at each turn, the one that is owed most takes it for all.
int Routing::next_by_weight() {
  double all = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    credit_[i] += speed_[i];
    all += speed_[i];
  }
  const int next = best(credit_).front();
  credit_[static_cast<std::size_t>(next)] -= all;
  return next;
}

std::vector<int> Routing::candidates(const Request& request, const std::vector<Seen>& seen) {
  const std::size_t decision = decisions_++;
  const std::string& policy = deployment_.router;
  if (!knows_policy()) return anyone();
  if (policy == "round-robin") {
    return goes_round() ? std::vector{static_cast<int>(decision % n_)} : anyone();
  }
  if (policy == "weighted-round-robin") return {next_by_weight()};
  if (policy == "least-loaded") {
    Scores loads = loads_for_speed(seen);
    for (double& l : loads) l = -l;
    return best(loads);
  }
  if (policy == "always-busiest") return {best(each(seen, load)).front()};
  if (policy == "power-of-two") {
    // Whoever is the less loaded, or as loaded, of some pair.
    std::vector<int> possible;
    const Scores loads = loads_for_speed(seen);
    for (std::size_t i = 0; i < n_; ++i) {
      const auto no_less = std::count_if(loads.begin(), loads.end(),
                                         [&](double other) { return other >= loads[i]; });
      if (no_less > 1 || n_ == 1) possible.push_back(static_cast<int>(i));
    }
    return possible;
  }
  if (policy == "session-affinity") {
    const auto known = affinity_.find(affinity_key(request));
    if (known != affinity_.end()) return {known->second};
    return anyone();  // whoever the hash says
  }
  Scores totals(n_, 0);
  double sum = 0;
  const auto& profile = deployment_.scorers.empty() ? default_scorers() : deployment_.scorers;
  for (const ScorerWeight& s : profile) sum += s.weight;
  for (const ScorerWeight& s : profile) {
    const Scores scores = score(s.name, request, seen);
    for (std::size_t i = 0; i < n_; ++i) {
      totals[i] += s.weight / sum * std::clamp(scores[i], 0.0, 1.0);
    }
  }
  return best(totals);
}

// Several gateways do so each by itself, and which of them has a request is chance.
bool Routing::goes_round() const {
  const auto gateways = deployment_.parameters.find("gateways");
  return deployment_.router == "round-robin" &&
         (gateways == deployment_.parameters.end() || *gateways->second == 1);
}

bool Routing::knows_policy() const {
  return holds(known_routers(), deployment_.router) &&
         std::all_of(deployment_.scorers.begin(), deployment_.scorers.end(),
                     [](const ScorerWeight& s) { return holds(known_scorers(), s.name); });
}

void Routing::routed(const Request& request, int instance) {
  affinity_.insert({affinity_key(request), instance});
  std::vector<HashChain>& sent = sent_[static_cast<std::size_t>(instance)];
  for (const HashChain& block : full_blocks(request)) {
    std::erase(sent, block);
    sent.push_back(block);
  }
  while (std::ssize(sent) > memory_[static_cast<std::size_t>(instance)]) sent.erase(sent.begin());
  if (!cold_) return;
  std::erase(cold_order_, instance);
  cold_order_.push_back(instance);
}

std::vector<int> Routing::best(const Scores& scores) const {
  std::vector<int> best;
  for (std::size_t i = 0; i < n_; ++i) {
    if (!best.empty() && scores[i] < scores[static_cast<std::size_t>(best.front())]) continue;
    if (!best.empty() && scores[i] > scores[static_cast<std::size_t>(best.front())]) best.clear();
    best.push_back(static_cast<int>(i));
  }
  return best;
}

Routing::Scores Routing::score(const std::string& name, const Request& request,
                               const std::vector<Seen>& seen) {
  const auto cached =
      each(seen, [&](const Seen& s) { return static_cast<double>(most_cached(request, s)); });
  if (name == "queue-depth") return less_is_better(each(seen, [](auto& s) { return s.queue; }));
  if (name == "running-requests")
    return less_is_better(each(seen, [](auto& s) { return s.batch; }));
  if (name == "vllm-dp") {
    return less_is_better(each(seen, [](auto& s) { return 4 * s.queue + s.batch; }));
  }
  if (name == "kv-utilization") return each(seen, [](auto& s) { return 1 - s.kv_utilization; });
  if (name == "load-balance") return each(seen, [](auto& s) { return 1 / (1 + load(s)); });
  if (name == "load-for-speed") return less_is_better(loads_for_speed(seen));
  if (name == "load-aware") {
    return each(seen, [](auto& s) { return 0.5 * (1 - std::min(s.queue, 128.0) / 128); });
  }
  if (name == "active-requests") {
    double most = 0;
    for (const Seen& s : seen) most = std::max(most, s.in_flight);
    return each(seen, [&](auto& s) { return s.in_flight == 0 ? 1 : (most - s.in_flight) / most; });
  }
  if (name == "precise-prefix-cache") {
    const double least = *std::min_element(cached.begin(), cached.end());
    const double most = *std::max_element(cached.begin(), cached.end());
    Scores scores;
    for (const double c : cached)
      scores.push_back(most == least ? 1 : (c - least) / (most - least));
    return scores;
  }
  if (name == "no-hit-lru") return least_used(seen, cached);
  // prefix-affinity
  Scores scores(n_, 0);
  const std::size_t blocks = full_blocks(request).size();
  for (std::size_t i = 0; i < n_ && blocks > 0; ++i) {
    const std::set<HashChain> known(sent_[i].begin(), sent_[i].end());
    scores[i] = static_cast<double>(leading(request, known)) / static_cast<double>(blocks);
  }
  return scores;
}

Routing::Scores Routing::least_used(const std::vector<Seen>& seen, const Scores& cached) {
  cold_ = std::all_of(cached.begin(), cached.end(), [](double blocks) { return blocks == 0; });
  if (!cold_) return Scores(n_, 0.5);
  Scores scores(n_, 1);
  for (std::size_t rank = 0; rank < seen.size() && n_ > 1; ++rank) {
    scores[static_cast<std::size_t>(cold_order_[rank])] =
        1 - static_cast<double>(rank) / static_cast<double>(n_ - 1);
  }
  return scores;
}

std::int64_t Routing::leading(const Request& request, const std::set<HashChain>& blocks) const {
  const std::vector<HashChain> all = full_blocks(request);
  return std::find_if(all.begin(), all.end(),
                      [&](const HashChain& block) { return blocks.count(block) == 0; }) -
         all.begin();
}

/// On the rank that has most of it.
std::int64_t Routing::most_cached(const Request& request, const Seen& seen) const {
  std::int64_t most = 0;
  for (const std::set<HashChain>& rank : seen.cached) most = std::max(most, leading(request, rank));
  return most;
}

std::vector<HashChain> Routing::full_blocks(const Request& request) const {
  const std::vector<Token> tokens = all_tokens(request);
  std::vector<HashChain> blocks;
  for (std::int64_t end = deployment_.main().engine.block_size; end <= request.input_tokens;
       end += deployment_.main().engine.block_size) {
    blocks.emplace_back(tokens.begin(), tokens.begin() + end);
  }
  return blocks;
}

std::string Routing::affinity_key(const Request& request) {
  if (request.tags.session >= 0) return "session " + std::to_string(request.tags.session);
  if (!request.prefix.empty()) return "prefix " + std::to_string(request.prefix.front().content);
  if (request.tags.tenant >= 0) return "tenant " + std::to_string(request.tags.tenant);
  return "request " + std::to_string(request.id);
}

}  // namespace plimsoll::reference
