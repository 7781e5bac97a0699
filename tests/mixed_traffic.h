// Traffic for suites that every policy has to pass: prompts of many lengths, some of which share
// prefixes, short and longer answers, and sessions.
#pragma once

#include <array>
#include <cstdint>

#include "random/stream.h"
#include "workload/request.h"

namespace plimsoll {

class MixedTraffic final : public RequestSource {
 public:
  explicit MixedTraffic(int requests, std::uint64_t longest_gap_us = 3000)
      : requests_(requests), longest_gap_us_(longest_gap_us) {}

  bool next(Request* request) override {
    if (made_ == requests_) return false;
    const auto index = static_cast<std::uint64_t>(made_);
    RandomStream draw(7, Purpose::arrival, index);
    clock_ = clock_ + microseconds(static_cast<std::int64_t>(draw.bits() % longest_gap_us_));
    *request = Request{};
    request->id = made_++;
    request->arrival = clock_;
    request->input_tokens = 16 + static_cast<std::int32_t>(draw.bits() % 300);
    request->output_tokens = 1 + static_cast<std::int32_t>(draw.bits() % 40);
    request->own_content = 1000 + index;
    request->tags.session = static_cast<std::int32_t>(draw.bits() % 50);
    const std::size_t group = draw.bits() % (kGroups.size() + 1);
    if (group < kGroups.size() && request->input_tokens >= kGroups[group].tokens) {
      request->prefix = {&kGroups[group], 1};
    }
    return true;
  }

 private:
  static constexpr std::array<PrefixSegment, 3> kGroups{{{1, 64}, {2, 100}, {3, 250}}};
  int requests_;
  std::uint64_t longest_gap_us_;
  int made_ = 0;
  Time clock_;
};

}  // namespace plimsoll
