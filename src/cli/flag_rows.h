// What the files that fill the table of flags have in common.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/flags.h"
#include "workload/synthetic.h"
#include "workload/think_time.h"

namespace plimsoll {

// Far more than any deployment or any run; keeps every product of two of them inside 63 bits.
inline constexpr long long kMostInstances = 100'000;
inline constexpr long long kMostTokens = kMaxTokens;
inline constexpr long long kMostRequests = 2'000'000'000;
inline constexpr long long kMostSeeds = 1000;
inline constexpr long long kMostUsers = 1'000'000;
inline constexpr long long kLongestThinkMs = kMostThinkTime.ns / 1'000'000;
inline constexpr long long kLongestUs = 1'000'000'000'000;  // 11 days

/// Adds rows of one group.
struct Rows {
  std::vector<Flag>& all;
  FlagGroup group;

  void add(std::string_view name, Value value, std::string_view placeholder, std::string help,
           std::vector<Alias> aliases = {}) const {
    all.push_back(
        {name, group, std::move(value), placeholder, std::move(help), std::move(aliases)});
  }
};

/// admission_flags.cc: who is let in, and what waits at the gateway.
void add_admission_flags(std::vector<Flag>& all);

/// observe_flags.cc: which real server is loaded, and how.
void add_server_flags(std::vector<Flag>& all);

}  // namespace plimsoll
