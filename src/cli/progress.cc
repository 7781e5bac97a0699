#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "cli/caller.h"
#include "cli/console.h"
#include "report/answer/reasons.h"

namespace plimsoll {
ProgressLine::ProgressLine()
    : caller_(current_caller()),
      wanted_(caller_ != nullptr ? bool(caller_->on_progress) : isatty(STDERR_FILENO) == 1),
      begin_(std::chrono::steady_clock::now()),
      next_(begin_ + std::chrono::seconds(caller_ != nullptr ? 0 : 1)) {}

bool ProgressLine::is_due() {
  if (!wanted_) return false;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return false;
  next_ = now + std::chrono::milliseconds(caller_ != nullptr ? 40 : 200);
  return true;
}

void ProgressLine::show(const WorkSoFar& work) {
  const double elapsed = elapsed_s();
  const auto left = work.share && work.is_even ? left_.at(elapsed, *work.share) : std::nullopt;
  if (caller_ != nullptr) return caller_->on_progress(progress_json(work, elapsed, left));
  std::string text = progress_text(work, elapsed, left);
  const int columns = terminal_columns(STDERR_FILENO).value_or(80);
  text.resize(std::min(text.size(), static_cast<std::size_t>(columns - 1)));
  print_progress("\r\x1b[K", text, "");
  shown_ = true;
}

void ProgressLine::clear() {
  if (shown_) print_progress("\r\x1b[K", "", "");
  shown_ = false;
}

double ProgressLine::elapsed_s() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

std::optional<double> TimeLeft::at(double elapsed_s, double share) {
  if (share <= 0) return std::nullopt;
  if (share != share_) end_s_ = elapsed_s / share;
  share_ = share;
  const double left = end_s_ - elapsed_s;
  if (left < 1 || left > least_s_) return std::nullopt;
  least_s_ = left;
  return left;
}

std::string progress_text(const WorkSoFar& work, double elapsed_s, std::optional<double> left_s) {
  constexpr std::size_t kCells = 20;
  std::string text = work.phase;
  if (work.share) {
    const double share = std::clamp(*work.share, 0.0, 1.0);
    const auto done = static_cast<std::size_t>(share * kCells);
    text += fmt::format(" [{}{}] {:3.0f} %", std::string(done, '#'),
                        std::string(kCells - done, '-'), 100 * share);
  }
  text += fmt::format(", {:.0f} s", elapsed_s);
  if (left_s) text += fmt::format(", about {:.0f} s left", *left_s);
  return work.detail.empty() ? text : text + "; " + work.detail;
}

Json progress_json(const WorkSoFar& work, double elapsed_s, std::optional<double> left_s) {
  Json out{{"progress", progress_text(work, elapsed_s, left_s)},
           {"phase", work.phase},
           {"elapsed_s", elapsed_s},
           {"share", work.share},
           {"left_s", left_s},
           {"done", work.done},
           {"of", work.of}};
  for (const auto& [key, value] : work.figures.items()) out[key] = value;
  return out;
}

Json test_so_far_json(const LoadProbe& test, const std::vector<Slo>& slos) {
  return {{"instances", test.instances},
          {"rate_rps", test.rate_rps},
          {"requests", test.requests},
          {"answer", name_of(test.answer)},
          {"reason", reason_text(test, slos)}};
}

bool ProgressMonitor::keep_going(const Progress& progress) {
  if (line_.is_due()) show(progress);
  return !interruption_.requested();
}

void ProgressMonitor::show(const Progress& progress) {
  const auto done = static_cast<double>(progress.finished);
  WorkSoFar work;
  work.phase = "simulating";
  work.detail = fmt::format("{} requests", grouped(progress.finished));
  work.done = static_cast<std::size_t>(progress.finished);
  work.figures["simulated_s"] = to_seconds(progress.now);
  if (requests_ && *requests_ > 0) {
    work.share = done / static_cast<double>(*requests_);
    work.of = static_cast<std::size_t>(*requests_);
    work.detail = fmt::format("{} of {} requests", grouped(progress.finished), grouped(*requests_));
  }
  work.detail +=
      fmt::format(" ({}/s), {:.0f} s simulated", grouped(std::llround(done / line_.elapsed_s())),
                  to_seconds(progress.now));
  line_.show(work);
}

}  // namespace plimsoll
