// How good an instance is for a request, by one point of view. The routing policy `weighted` adds
// up several. A scorer is a file in scorers/, which ends with its row, and its line in the table of
// scorer.cc (base/policy.h says what follows from a row). Names and formulas are those of the llm-d
// router, as the BLIS reference has them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cluster/deployment.h"
#include "cluster/instance_views.h"
#include "workload/request.h"

namespace plimsoll {

class Scorer {
 public:
  virtual ~Scorer() = default;
  /// Called once per routed request, in order of routing. Fills scores[i] for every instance: 1 is
  /// best, 0 worst; what lies outside is cut.
  virtual void score(const Request& request, const InstanceViews& views,
                     std::span<double> scores) = 0;
  /// Where that request went, for scorers that remember.
  virtual void routed(const Request& /*request*/, const InstanceViews& /*views*/,
                      std::size_t /*instance*/) {}
  /// The columns of the views that score() and routed() read.
  virtual ViewNeeds needs() const = 0;
};

using ScorerRow = MadeRow<Scorer, const Deployment&>;

const std::vector<ScorerRow>& scorers();

/// `name` must be one of scorers().
std::unique_ptr<Scorer> make_scorer(std::string_view name, const Deployment& deployment);

/// precise-prefix-cache:2,queue-depth:1,kv-utilization:1
const std::vector<ScorerWeight>& default_scorers();

/// Reads "name:weight,name:weight": known names, each once, weights above 0. The error has one
/// sentence and a hint; it does not know which flag the text came from.
Result<std::vector<ScorerWeight>> parse_scorers(std::string_view text);

/// The text that parse_scorers() reads.
std::string scorers_text(const std::vector<ScorerWeight>& scorers);

}  // namespace plimsoll
