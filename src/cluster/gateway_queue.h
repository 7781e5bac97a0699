// The gateway's queue: requests wait here, outside the instances, while the cluster is full. Bands
// by priority of the SLO class, in each band one queue per tenant. Nothing here draws random
// numbers. Rules after the reference (BLIS, its llm-d-style flow control);
// docs/explanation/admission.md describes them.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/policy.h"
#include "base/semantics.h"
#include "base/units.h"
#include "cluster/deployment.h"
#include "workload/request.h"

namespace plimsoll {

/// Which request leaves the gateway first.
struct DispatchOrderRow {
  std::string name;
  std::string help;  ///< one line
  std::vector<PolicyParameter> parameters = {};
  bool by_class = true;      ///< the most urgent class first; else by entry, whatever the class
  bool by_deadline = false;  ///< of a tenant's requests the one that is due first
};

/// Which tenant of a band is served next.
struct FairnessRow {
  std::string name;
  std::string help;  ///< one line
  std::vector<PolicyParameter> parameters = {};
  bool takes_turns = false;  ///< one after the other, by name; else the one that waited longest
};

/// The first ones are the defaults.
const std::vector<DispatchOrderRow>& dispatch_orders();
const std::vector<FairnessRow>& fairness_policies();

class GatewayQueue {
 public:
  struct Waiting {
    Request request;
    std::uint32_t row = 0;
    Time entered;
  };

  GatewayQueue(const FlowControl& rules, const SloPriorities& priorities,
               const Semantics& semantics)
      : rules_(rules),
        order_(policy_of(dispatch_orders(), *rules.order)),
        fairness_(policy_of(fairness_policies(), *rules.fairness)),
        priorities_(priorities),
        semantics_(semantics) {}

  struct Entry {
    bool accepted = false;
    std::optional<Waiting> victim;  ///< a waiting request that had to go for this one
  };
  /// `tenant` is its name, empty for none; `slo_target` the request's own, or zero.
  Entry enter(const Request& request, std::uint32_t row, Time now, const std::string& tenant,
              Duration slo_target);

  /// The request that may go at this saturation, if any; it leaves the queue.
  std::optional<Waiting> dispatch(double saturation);

  /// When the next request will have waited too long; kNever if none.
  Time next_expiry();
  /// Takes that request out; only if next_expiry() is not kNever.
  Waiting expire();

  bool empty() const { return entries_.empty(); }
  std::int64_t size() const { return static_cast<std::int64_t>(entries_.size()); }
  bool protected_request_waits() const;  ///< one that is not sheddable

 private:
  using Number = std::int64_t;  // by order of entry
  struct Item {
    Waiting waiting;
    std::int32_t priority;
    std::string tenant;
    Time deadline;  // kNever unless the order is by deadline
  };
  using Flow = std::set<std::pair<Time, Number>>;  // of one tenant: by deadline, then by entry
  struct Line {
    std::set<Number> by_entry;
    std::map<std::string, Flow> flows;  // none is empty
    std::string last_tenant;            // that round-robin served

    std::int64_t size() const { return static_cast<std::int64_t>(by_entry.size()); }
    void insert(Number number, const Item& item);
    void erase(Number number, const Item& item);
  };

  bool in_one_line() const;
  std::optional<Number> sheddable_victim(std::int32_t newcomer) const;
  Number next_of(Line& line) const;
  const Flow& flow_after(Line& line) const;
  Waiting remove(Number number);

  const FlowControl rules_;
  const DispatchOrderRow& order_;
  const FairnessRow& fairness_;
  const SloPriorities priorities_;
  const Semantics semantics_;
  std::map<Number, Item> entries_;
  std::map<std::int32_t, Line, std::greater<>> bands_;  // ever used, the most urgent first
  Line all_;                                            // of every band, only if in_one_line()
  std::deque<std::pair<Time, Number>> expiries_;        // may name requests that have left
  Number entered_ = 0;
};

}  // namespace plimsoll
