// The bands by which people read how well GPUs and their memory are used. Called by every report.
#pragma once

#include <string_view>

namespace plimsoll {

/// Of MFU while busy: the rest of the peak goes to memory traffic and overheads. Above 1 it is the
/// step-time model that is wrong.
constexpr std::string_view mfu_reading(double mfu) {
  return mfu < 0.5 ? "low" : mfu <= 0.7 ? "good" : mfu <= 1 ? "high" : "impossible";
}

/// Of the mean share of KV blocks in use: at risk of preemptions.
constexpr std::string_view kv_memory_reading(double share) {
  return share < 0.6 ? "over-provisioned" : share <= 0.85 ? "healthy" : "at risk";
}

}  // namespace plimsoll
