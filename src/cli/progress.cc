#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/caller.h"
#include "cli/console.h"

namespace plimsoll {
ProgressLine::ProgressLine()
    : caller_(current_caller()),
      wanted_(caller_ != nullptr ? bool(caller_->on_progress) : isatty(STDERR_FILENO) == 1),
      begin_(std::chrono::steady_clock::now()),
      next_(begin_ + std::chrono::seconds(1)) {}

bool ProgressLine::is_due() {
  if (!wanted_) return false;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return false;
  next_ = now + std::chrono::milliseconds(200);
  return true;
}

void ProgressLine::show(const std::string& text) {
  if (caller_ != nullptr) return caller_->on_progress(text);
  print_progress("\r\x1b[K\x1b[?7l", text, "\x1b[?7h");  // cut at the edge, not wrapped
  shown_ = true;
}

void ProgressLine::clear() {
  if (shown_) print_progress("\r\x1b[K", "", "");
  shown_ = false;
}

double ProgressLine::elapsed_s() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

void TimeLeft::set_done(double share, double elapsed_s) {
  end_s_ = share > 0 ? elapsed_s / share : 0;
}

std::string TimeLeft::text(double elapsed_s, std::string_view how) const {
  const double left = end_s_ - elapsed_s;
  return left >= 1 ? fmt::format(", {} {:.0f} s left", how, left) : "";
}

bool ProgressMonitor::keep_going(const Progress& progress) {
  if (line_.is_due()) show(progress);
  return !interruption_.requested();
}

void ProgressMonitor::show(const Progress& progress) {
  const auto done = static_cast<double>(progress.finished);
  const double per_second = done / line_.elapsed_s();
  std::string line = fmt::format("{} requests done", progress.finished);
  if (requests_ && *requests_ > 0) {
    const auto all = static_cast<double>(*requests_);
    line += fmt::format(" of {} ({:.0f} %)", *requests_, 100 * done / all);
    if (done > 0) line += fmt::format(", {:.0f} s left", (all - done) / per_second);
  }
  line +=
      fmt::format(", simulated {:.0f} s, {:.0f} requests/s", to_seconds(progress.now), per_second);
  line_.show(line);
}

}  // namespace plimsoll
