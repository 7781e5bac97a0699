// A share of a large cluster in place of all of it. Where instances do not depend on each other,
// each instance of the share does to the nanosecond what it does in the whole cluster (tested), and
// all instances are alike. So as many of them are simulated as a verdict takes, for as long as the
// whole cluster would be.
#pragma once

#include <cstdint>
#include <memory>

#include "cluster/deployment.h"
#include "planner/load_probe.h"
#include "workload/request.h"

namespace plimsoll {

/// Which instance gets a request follows from its number alone, and nobody is turned away on the
/// way there: round-robin over one pool, behind no admission policy.
bool are_independent(const Deployment& deployment);

/// How many instances of a run of so many requests are simulated; all unless fewer are worth while.
std::int32_t simulated_instances(const ProbedSystem& system, const ProbeEffort& effort,
                                 std::int64_t requests);

/// The requests that round-robin over `all` instances gives to so many of them, which lie evenly
/// between the others, in the same order: round-robin over those alone gives each its own again.
class ShareOfRequests final : public RequestSource {
 public:
  ShareOfRequests(std::unique_ptr<RequestSource> source, std::int32_t all, std::int32_t share)
      : source_(std::move(source)), all_(all), share_(share) {}

  bool next(Request* request) override;
  const Labels& labels() const override { return source_->labels(); }

  /// The requests of the whole cluster, up to the last one that was given out, or to the end.
  std::int64_t passed() const { return passed_; }

 private:
  std::unique_ptr<RequestSource> source_;
  std::int64_t all_;
  std::int64_t share_;
  std::int64_t given_ = 0;
  std::int64_t passed_ = 0;
};

/// Counts and rates of a share become those of a cluster so many times as large.
void scale_up(double factor, SteadyState* state);
void scale_up(double factor, SloFigure* figure);
void scale_up(double factor, ProbeSummary* summary);

}  // namespace plimsoll
