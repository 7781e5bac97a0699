// The user's side of a running simulation: a line on stderr after the first second when that is a
// terminal, and Ctrl-C or another signal (signals.h) to stop and keep what there is.
// With a Caller (caller.h), the lines go to it, and its word stops.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "cli/signals.h"
#include "cluster/simulation.h"
#include "planner/load_probe.h"

namespace plimsoll {

struct Caller;  // cli/caller.h

/// How far the work is.
struct WorkSoFar {
  std::string phase{};            ///< "simulating"
  std::optional<double> share{};  ///< of all of it; none: nobody knows
  std::string detail{};
  /// So many are done of so many, whatever is counted; none: nobody knows.
  std::optional<std::size_t> done{};
  std::optional<std::size_t> of{};
  Json figures = Json::object();  ///< what else programs are told, by its keys
  bool is_even = true;            ///< each share takes as long as another: else no time is told
};

/// How much longer, if the rest takes as long as what is done. What it tells never rises.
class TimeLeft {
 public:
  /// In seconds, at a time when so much of all is done; none where nobody knows: nothing is done,
  /// the rest takes longer than was told, or next to nothing is left.
  std::optional<double> at(double elapsed_s, double share);

 private:
  double share_ = 0;
  double end_s_ = 0;
  double least_s_ = std::numeric_limits<double>::infinity();
};

/// "simulating [####------]  42 %, 12 s, about 16 s left; 420 of 1000 requests", with bar and
/// estimate where they are known.
std::string progress_text(const WorkSoFar& work, double elapsed_s, std::optional<double> left_s);

/// The same for programs: the line as "progress", with "phase", "elapsed_s", "share", "left_s",
/// "done" and "of", each null where nobody knows, and the figures of the work.
Json progress_json(const WorkSoFar& work, double elapsed_s, std::optional<double> left_s);

/// A test that is done, for the figures of the work: some of what `evidence` of --json has of it.
Json test_so_far_json(const LoadProbe& test, const std::vector<Slo>& slos);

/// A line on stderr that is written over and over, if that is a terminal. Used by one thread at a
/// time, not always the one that made it.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Now and then true, the first time after a second, or for a Caller more often and from the
  /// start: then it is time to show().
  bool is_due();
  /// Whether anybody looks.
  bool is_wanted() const { return wanted_; }
  /// Cut to the width of the terminal.
  void show(const WorkSoFar& work);
  /// Removes the line. Called before anything else is printed.
  void clear();
  double elapsed_s() const;

 private:
  Caller* caller_;
  bool wanted_ = false;
  bool shown_ = false;
  std::chrono::steady_clock::time_point begin_;
  std::chrono::steady_clock::time_point next_;
  TimeLeft left_;
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
