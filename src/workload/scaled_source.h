// The requests of another source, faster or slower: moments are scaled, lengths stay. What makes a
// trace or a specification arrive at another rate.
#pragma once

#include <cassert>
#include <cmath>
#include <memory>
#include <utility>

#include "workload/request.h"

namespace plimsoll {

class ScaledSource final : public RequestSource {
 public:
  /// `factor` on all moments, positive: 0.5 is twice the rate. Clients wait as long as before. What
  /// would arrive after the end of the clock does not.
  ScaledSource(std::unique_ptr<RequestSource> source, double factor)
      : source_(std::move(source)), factor_(factor) {
    assert(factor > 0);
  }

  bool next(Request* request) override {
    if (!source_->next(request)) return false;
    const Time arrival = request->arrival;
    const double moved_ns = static_cast<double>(arrival.ns) * factor_;
    if (!(moved_ns < static_cast<double>(Time::kEnd))) return false;
    request->arrival = Time{std::llround(moved_ns)};
    if (request->deadline != kNever) {
      request->deadline = request->arrival + (request->deadline - arrival);
    }
    return true;
  }

  const Labels& labels() const override { return source_->labels(); }

 private:
  std::unique_ptr<RequestSource> source_;
  double factor_;
};

}  // namespace plimsoll
