// The two semantics and every difference between them. `blis` reproduces the public reference
// simulator, defaults included, so that runs can be compared number by number; `vllm` is the
// engine as it really behaves. Code elsewhere asks for a named behaviour, never for the mode.
#pragma once

#include "base/units.h"

namespace plimsoll {

enum class SemanticsMode { vllm, blis };

struct Semantics {
  SemanticsMode mode = SemanticsMode::vllm;

  /// Step times and per-request overheads are truncated to whole multiples of this.
  Duration time_grain = microseconds(1);

  /// A request whose prompt and answer together exceed the whole KV cache can never finish. The
  /// reference preempts and restarts it for ever; true refuses it on arrival.
  bool refuse_what_can_never_fit = true;

  /// A replay without --horizon stops at twice the last arrival, cutting off the tail.
  bool replay_stops_at_twice_last_arrival = false;

  /// A synthetic request without --timeout gives up after this long; kNoDuration: it waits.
  Duration default_timeout = kNoDuration;

  /// Flag-made workloads arrive at constant intervals unless told otherwise (else Poisson).
  bool constant_arrivals_by_default = false;

  static Semantics vllm();
  static Semantics blis();
  static Semantics of(SemanticsMode mode);
};

}  // namespace plimsoll
