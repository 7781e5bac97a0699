// The reference twin's routing: policies and scorers written down one after the other, prompts
// compared token by token. It says which instances may be chosen; between equals the product draws,
// and of a policy that stands not here any choice is right.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "cluster/deployment.h"
#include "reference/blocks.h"
#include "workload/request.h"

namespace plimsoll::reference {

/// What the router believes about an instance.
struct Seen {
  double queue = 0;
  double batch = 0;
  double kv_utilization = 0;
  double in_flight = 0;
  std::vector<std::set<HashChain>> cached;  ///< by rank: blocks that can be found, by their tokens
};

/// The rows of the product's tables that are written down here.
const std::vector<std::string>& known_routers();
const std::vector<std::string>& known_scorers();

class Routing {
 public:
  explicit Routing(const Deployment& deployment);

  /// The instances that may get the request, in order of their index.
  std::vector<int> candidates(const Request& request, const std::vector<Seen>& instances);
  /// In turn, not by chance.
  bool goes_round() const;
  /// Whose turn the last decision was, counted from 0.
  std::size_t last_turn() const { return decisions_ - 1; }
  /// Where it went.
  void routed(const Request& request, int instance);

 private:
  using Scores = std::vector<double>;

  Scores loads_for_speed(const std::vector<Seen>& seen) const;
  int next_by_weight();
  bool knows_policy() const;
  std::vector<int> anyone() const { return best(Scores(n_, 0)); }
  std::vector<int> best(const Scores& scores) const;
  Scores score(const std::string& name, const Request& request, const std::vector<Seen>& seen);
  Scores least_used(const std::vector<Seen>& seen, const Scores& cached);
  std::int64_t leading(const Request& request, const std::set<HashChain>& blocks) const;
  std::int64_t most_cached(const Request& request, const Seen& seen) const;
  std::vector<HashChain> full_blocks(const Request& request) const;
  std::string affinity_key(const Request& request);

  const Deployment& deployment_;
  std::size_t n_;
  std::size_t decisions_ = 0;
  Scores speed_;                              // of the fastest instance: 1
  Scores credit_;                             // weighted-round-robin: what each is owed
  std::map<std::string, int> affinity_;       // where the first request of each key went
  std::vector<std::vector<HashChain>> sent_;  // prefix-affinity, the latest last
  std::vector<std::int64_t> memory_;          // blocks of it that are remembered
  std::vector<int> cold_order_;               // no-hit-lru: longest without a cold request first
  bool cold_ = false;
};

}  // namespace plimsoll::reference
