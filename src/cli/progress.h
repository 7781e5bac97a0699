// What a user sees and can do while a simulation runs: a line on stderr after the first second
// when that is a terminal, and Ctrl-C to stop and keep what there is.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "cluster/simulation.h"

namespace plimsoll {

/// Catches SIGINT while it lives: the first Ctrl-C is remembered, a second one ends the program. At
/// most one exists at a time.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  /// May be called from any thread.
  bool requested() const;
};

/// The first Ctrl-C stops the simulation between two events.
class ProgressMonitor final : public Monitor {
 public:
  /// `requests`: how many will arrive, when that is known.
  explicit ProgressMonitor(std::optional<std::int64_t> requests);
  ~ProgressMonitor() override;
  ProgressMonitor(const ProgressMonitor&) = delete;
  ProgressMonitor& operator=(const ProgressMonitor&) = delete;

  bool keep_going(const Progress& progress) override;

  /// Removes the line. Called before anything else is printed.
  void clear();

  bool interrupted() const { return interruption_.requested(); }

 private:
  void show(const Progress& progress, double elapsed_s);

  Interruption interruption_;
  std::optional<std::int64_t> requests_;
  bool on_terminal_ = false;
  bool shown_ = false;
  std::chrono::steady_clock::time_point begin_;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace plimsoll
