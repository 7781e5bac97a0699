// How much of the cluster a tenant's sheddable requests may fill: Deployment::tenant_budgets,
// kept while the simulation runs. Wraps whatever admission policy there is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cluster/deployment.h"
#include "workload/request.h"

namespace plimsoll {

class TenantBudgets {
 public:
  /// `source` names the tenants; it must outlive this.
  TenantBudgets(const Deployment& deployment, const RequestSource& source)
      : source_(source),
        priorities_(deployment.main().engine.priorities),
        budgets_(deployment.tenant_budgets),
        places_(places_of(deployment)) {}

  bool any() const { return !budgets_.empty(); }

  /// False for a sheddable request of a tenant that has more than its share already.
  bool admit(const Request& request) {
    if (!any() || request.tags.tenant < 0 || !priorities_.sheddable(request.slo_class)) return true;
    const auto tenant = static_cast<std::size_t>(request.tags.tenant);
    const auto budget = budgets_.find(source_.labels().tenants[tenant]);
    if (budget == budgets_.end() || tenant >= in_system_.size()) return true;
    return static_cast<double>(in_system_[tenant]) <= budget->second * places_;
  }

  /// From admission until it leaves, wherever that is.
  void enter(const Request& request) { count(request.tags, 1); }
  void leave(const RequestTags& tags) { count(tags, -1); }

 private:
  static double places_of(const Deployment& deployment) {
    double places = 0;
    for (const Pool& pool : deployment.pools) {
      if (!pool.answers()) continue;
      places +=
          static_cast<double>(pool.num_instances) * static_cast<double>(pool.engine.max_num_seqs);
    }
    return places;
  }

  void count(const RequestTags& tags, std::int64_t change) {
    if (!any() || tags.tenant < 0) return;
    const auto tenant = static_cast<std::size_t>(tags.tenant);
    if (tenant >= in_system_.size()) in_system_.resize(tenant + 1);
    in_system_[tenant] += change;
  }

  const RequestSource& source_;
  const SloPriorities priorities_;
  const TenantShares budgets_;
  const double places_;
  std::vector<std::int64_t> in_system_;  // by tenant
};

}  // namespace plimsoll
