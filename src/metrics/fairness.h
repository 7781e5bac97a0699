// Who gets less than others: between tenants, between priorities, between instances.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "engine/run_record.h"
#include "metrics/traffic_groups.h"
#include "workload/slo_class.h"

namespace plimsoll {

/// (sum x)^2 / (n sum x^2) (Jain, Chiu and Hawe 1984): 1 = all alike, 1/n = one has everything. 1
/// if all are zero, 0 for none.
double jain_index(std::span<const double> shares);

struct TenantFairness {
  double jain_tokens = 0;    ///< of tokens generated for each tenant
  double jain_requests = 0;  ///< of completed requests
  double jain_service = 0;   ///< of the share of each tenant's requests that completed
};

TenantFairness tenant_fairness(std::span<const TrafficGroup> tenants);

struct PriorityInversions {
  /// Pairs of requests on one instance, the one of lower priority of which was put into a batch
  /// while the other, which had arrived before, was still waiting for its first batch.
  std::int64_t pairs = 0;
  std::int64_t requests = 0;  ///< those that were overtaken
};

PriorityInversions priority_inversions(const RequestTable& table, std::size_t instances,
                                       const SloPriorities& priorities);

/// Counts what the reference has under that name (only for its priority-fcfs scheduler): pairs of
/// one class on one instance of which the earlier had more than twice the E2E latency of the later.
std::int64_t unequal_pairs(const RequestTable& table, std::size_t instances);

/// Mean length of the wait queue over the steps of an instance.
double mean_queue_depth(const InstanceRecord& instance);

/// Instances whose queue is more than twice as long as the mean of the others' and at least one
/// request long. `with_itself` takes the mean over all, without a least length, as
/// the reference does: of two instances then none ever counts.
std::int64_t blocked_instances(std::span<const InstanceRecord> instances, bool with_itself);

// How evenly the router spread the requests over the instances.

struct Balance {
  std::int64_t routed = 0;   ///< requests that were given an instance
  std::size_t busiest = 0;   ///< the first instance with the most of them
  double busiest_share = 0;  ///< its part of all
  double max_over_mean = 0;  ///< the most of an instance, divided by the mean of all; 1 = even
  double jain = 1;  ///< fairness index of Jain, Chiu and Hawe (1984): 1 = even, 1/n = all to one
  bool concentrated = false;  ///< so uneven that the choice of the router is worth another look
};

/// The balance of the instances from `first` on: those before compute prompts for them. `speeds`,
/// where those are unlike: requests that are spread by speed are not concentrated, nor are those
/// dealt evenly.
Balance balance_of(const RunRecord& record, std::size_t first = 0,
                   const std::vector<double>& speeds = {});

/// One sentence that says who got how much, for a run that is concentrated.
std::string concentration_text(const Balance& balance, std::size_t instances);

}  // namespace plimsoll
