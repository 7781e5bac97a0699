#include "engine/preemption.h"

#include <tuple>

namespace plimsoll {
namespace {

/// The least urgent, then the latest arrived.
class LeastUrgent final : public PreemptionRule {
 public:
  bool gives_way(const RunningKey& a, const RunningKey& b) const override {
    return std::tie(a.priority, a.arrival) > std::tie(b.priority, b.arrival);
  }
};

}  // namespace

const std::vector<PreemptionRow>& preemption_rules() {
  static const std::vector<PreemptionRow> rows{
      {"fcfs", "preempt the request admitted last", {}},
      {"priority", "preempt the least urgent request", {}, made<PreemptionRule, LeastUrgent>},
  };
  return rows;
}

}  // namespace plimsoll
