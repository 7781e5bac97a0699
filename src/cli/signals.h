// Signals that ask the program to end: SIGINT (Ctrl-C), SIGTERM, and SIGHUP (a terminal that was
// closed). While somebody waits for one, the first of each kind is remembered: the work stops, and
// what there is is kept and told. Otherwise, and when one comes again, the program ends at once and
// leaves no temporary files.
#pragma once

namespace plimsoll {

struct Caller;  // cli/caller.h

/// From now on signals are handled so. One that is ignored (nohup) stays so, but Ctrl-C. main() and
/// every Interruption call it.
void catch_signals();

/// Waits for a signal while it lives; one within the life of another hears of the same signals.
/// Used by one thread at a time; those of Callers wait for their word alone, on any thread.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  /// May be called from any thread.
  bool requested() const;

 private:
  Caller* caller_;
};

/// The exit code of what was interrupted, as shells have it: 130 after Ctrl-C or the word of a
/// Caller, 143 after SIGTERM, 129 after SIGHUP.
int interrupted_code();

}  // namespace plimsoll
