// The warm-up that is left out at the start of a run. By default nothing is: headline figures are
// of the whole run. `--warmup` takes the requests that arrive before the cut out of all latencies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "engine/run_record.h"
#include "stats/steady_state.h"

namespace plimsoll {

struct WarmupChoice {
  enum class Kind { none, automatic, time, requests };

  Kind kind = Kind::none;
  Duration time;              ///< from the first arrival
  std::int64_t requests = 0;  ///< that arrive first
};

/// The choices that are words: none, auto.
std::vector<std::string> warmup_words();
/// "auto", "none", a time such as "30s" or a number of requests such as "500requests".
Result<WarmupChoice> parse_warmup(std::string_view text);

enum class WarmupOutcome : std::int8_t { not_asked, no_steady_state, cut };

struct Warmup {
  std::size_t excluded = 0;  ///< requests, the first of the record
  double until_s = 0;        ///< from the first arrival to that of the first request that counts
  WarmupOutcome outcome = WarmupOutcome::not_asked;
};

Warmup find_warmup(const RequestTable& table, const WarmupChoice& choice, const SteadyState& state);

/// A steady run of which the warm-up leaves less than 100 requests is too short for its figures.
SteadyState judge_what_is_left(const RequestTable& table, const Warmup& warmup, SteadyState state);

/// Did the deployment reach a steady state in this run? The record as stats/steady_state.h sees it.
/// Judges the record of a run. What gave up or was turned away is lost load; what could never be
/// served, by its length or since all of it is for another model, is none.
SteadyState judge_record(const RunRecord& record);

/// Conversations that begin during a run: at first those are missing that began before it, so that
/// fewer requests arrive than later, and a system fills up whatever its load. Returns after how
/// long nearly all are under way that would be, where they begin without end and do not wait for
/// answers.
Duration filling_of(const RequestTable& table);

}  // namespace plimsoll
