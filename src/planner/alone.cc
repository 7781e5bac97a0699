#include "planner/alone.h"

#include <memory>
#include <utility>

namespace plimsoll {
namespace {

class OneByOne final : public RequestSource {
 public:
  /// Those that arrive up to the horizon.
  OneByOne(std::unique_ptr<RequestSource> source, Time horizon, Duration gap)
      : source_(std::move(source)), horizon_(horizon), gap_(gap) {}

  bool next(Request* request) override {
    if (!source_->next(request) || request->arrival > horizon_) return false;
    if (request->deadline != kNever) {
      request->deadline = next_ + (request->deadline - request->arrival);
    }
    request->arrival = next_;
    next_ = next_ + gap_;
    return true;
  }

  const Labels& labels() const override { return source_->labels(); }

 private:
  std::unique_ptr<RequestSource> source_;
  Time horizon_;
  Duration gap_;
  Time next_;
};

}  // namespace

ProbedSystem alone(ProbedSystem system) {
  system.prefixes_are_cached = true;
  system.load = [load = std::move(system.load)](double rate_rps,
                                                std::int64_t requests) -> Result<Load> {
    TRY(made, load(rate_rps, requests));
    made.source = std::make_unique<OneByOne>(std::move(made.source), made.horizon,
                                             duration_from_us(1e6 / rate_rps));
    made.horizon = kNever;
    return made;
  };
  return system;
}

}  // namespace plimsoll
