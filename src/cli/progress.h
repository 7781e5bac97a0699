// What a user sees and can do while a simulation runs: a line on stderr after the first second
// when that is a terminal, and Ctrl-C or another signal (signals.h) to stop and keep what there is.
// With a Caller (caller.h), the lines go to it, and its word stops.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cli/signals.h"
#include "cluster/simulation.h"

namespace plimsoll {

struct Caller;  // cli/caller.h

/// A line on stderr that is written over and over, if that is a terminal. Used by one thread at a
/// time, not always the one that made it.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Now and then true, the first time after a second: then it is time to show().
  bool is_due();
  void show(const std::string& text);
  /// Removes the line. Called before anything else is printed.
  void clear();
  double elapsed_s() const;

 private:
  Caller* caller_;
  bool wanted_ = false;
  bool shown_ = false;
  std::chrono::steady_clock::time_point begin_;
  std::chrono::steady_clock::time_point next_;
};

/// How much longer, if the rest takes as long as what is done.
class TimeLeft {
 public:
  /// So much of all, after so long.
  void set_done(double share, double elapsed_s);
  /// ", about 12 s left"; empty where nobody knows: nothing is done, or the rest takes longer.
  std::string text(double elapsed_s, std::string_view how = "about") const;

 private:
  double end_s_ = 0;
};

/// The first Ctrl-C stops the simulation between two events.
class ProgressMonitor final : public Monitor {
 public:
  /// `requests`: how many will arrive, when that is known.
  ProgressMonitor(const Interruption& interruption, std::optional<std::int64_t> requests)
      : interruption_(interruption), requests_(requests) {}

  bool keep_going(const Progress& progress) override;

 private:
  void show(const Progress& progress);

  const Interruption& interruption_;
  ProgressLine line_;
  std::optional<std::int64_t> requests_;
};

}  // namespace plimsoll
