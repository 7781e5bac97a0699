// The common part of the files that fill the table of flags.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/lists.h"
#include "cli/flags.h"
#include "workload/synthetic.h"
#include "workload/think_time.h"

namespace plimsoll {

// Far more than any deployment or any run; keeps every product of two of them inside 63 bits.
inline constexpr long long kMostTokens = kMaxTokens;
inline constexpr std::int64_t kMostRequests = kMostRequestsOfRun;
inline constexpr long long kMostSeeds = 1000;
inline constexpr long long kMostUsers = 1'000'000;
inline constexpr long long kLongestThinkMs = kMostThinkTime.ns / 1'000'000;
inline constexpr long long kLongestUs = 1'000'000'000'000;  // 11 days

/// Adds rows of one group.
struct Rows {
  std::vector<Flag>& all;
  FlagGroup group;

  void add(std::string_view name, Value value, std::string_view placeholder, std::string help,
           std::vector<Alias> aliases = {}, std::vector<Condition> conditions = {}) const {
    all.push_back({std::string(name), group, std::move(value), placeholder, std::move(help),
                   std::move(aliases), std::move(conditions)});
  }
};

/// The names in a table of another room.
template <class Row>
std::vector<std::string> names_of(const std::vector<Row>& table) {
  return mapped(table, &Row::name);
}

/// capacity_flags.cc: which SLOs have to be kept, how sure the answer has to be, and who works it
/// out.
void add_capacity_flags(std::vector<Flag>& all);
void add_plan_flags(std::vector<Flag>& all);
void add_sharing_flags(std::vector<Flag>& all);
void add_forecast_flags(std::vector<Flag>& all);
/// compare_flags.cc: what is compared, and what GPUs cost.
void add_compare_flags(std::vector<Flag>& all);
void add_price_flags(std::vector<Flag>& all);
/// calibration_flags.cc: what is fitted to measurements.
void add_calibration_flags(std::vector<Flag>& all);
/// workload_flags.cc: what arrives, and the inputs and outputs of conversions.
void add_workload_flags(std::vector<Flag>& all);
void add_trace_flags(std::vector<Flag>& all);
void add_session_flags(std::vector<Flag>& all);
void add_convert_flags(std::vector<Flag>& all);
/// admission_flags.cc: who is let in, and what waits at the gateway.
void add_admission_flags(std::vector<Flag>& all);
void add_gateway_flags(std::vector<Flag>& all);
/// split_flags.cc: prefill and decode on different instances.
void add_split_flags(std::vector<Flag>& all);
/// policy_flags.cc: the parameters that the policies declare which `flag` chooses from; the first
/// condition that does not hold is named, last that the policy is not chosen.
void add_parameter_flags(const Rows& rows, std::string_view flag,
                         const std::vector<Condition>& conditions = {});
/// report_flags.cc: what is measured and how, and where it goes.
void add_metric_flags(std::vector<Flag>& all);
void add_slo_flags(std::vector<Flag>& all);
void add_output_flags(std::vector<Flag>& all);

/// serve_flags.cc: where `serve` listens, and how much it does for whom.
void add_serve_flags(std::vector<Flag>& all);
/// observe_flags.cc: which real server is loaded, and how.
void add_server_flags(std::vector<Flag>& all);

}  // namespace plimsoll
