// Looks on while `observe` sends its load: shows how far it is, keeps what comes as it comes, and
// ends it at the first Ctrl-C.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "cli/observe_outputs.h"
#include "cli/progress.h"
#include "net/load_generator.h"

namespace plimsoll {

class LoadMonitor final : public LoadWatcher {
 public:
  /// `times`: null unless tokens are timed one by one.
  LoadMonitor(const Interruption& interruption, std::optional<std::int64_t> requests,
              AnswersSoFar* so_far, TokenTimesFile* times)
      : interruption_(interruption), requests_(requests), so_far_(so_far), times_(times) {}

  bool keep_going(const LoadProgress& p) override {
    if (line_.is_due()) {
      std::optional<double> share;
      if (requests_ && *requests_ > 0)
        share = static_cast<double>(p.finished) / static_cast<double>(*requests_);
      line_.show({"observing", share,
                  fmt::format("{} requests sent, {} answered, {} failed", p.sent,
                              p.finished - p.failed, p.failed)});
    }
    return !interruption_.requested();
  }
  bool wants_times() const override { return times_ != nullptr; }
  void on_answer(const Request& request, const ObservedAnswer& answer,
                 std::span<const Time> times) override {
    so_far_->add(request, answer);
    if (times_ != nullptr) times_->add(request.id, times);
  }

 private:
  const Interruption& interruption_;
  ProgressLine line_;
  std::optional<std::int64_t> requests_;
  AnswersSoFar* so_far_;
  TokenTimesFile* times_;
};

}  // namespace plimsoll
