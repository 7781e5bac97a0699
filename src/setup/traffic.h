// The requests that arrive at the cluster during a run, and until when: made from settings or a
// workload specification, or read from a trace.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/semantics.h"
#include "base/units.h"
#include "setup/run_config.h"
#include "setup/run_spec.h"
#include "workload/length_distribution.h"
#include "workload/request.h"
#include "workload/slo_class.h"
#include "workload/think_time.h"
#include "workload/workload.h"

namespace plimsoll {

/// A row of the record and what figures take beside it, as measured; classes and tenants included.
inline constexpr double kBytesOfRequest = 150;

struct Traffic {
  std::unique_ptr<Workload> workload;  ///< what the source reads from, when that is in memory
  std::unique_ptr<RequestSource> source;
  std::optional<std::int64_t> requests;  ///< how many will arrive at most, when known
  Time horizon = kNever;
  std::uint64_t seed = 42;
  std::vector<std::int32_t> clients_of_users;  ///< see ClientsSource
  SloTargetsByClass goodput_slo_targets;       ///< of the specification or the recorded run
  std::vector<ConfigEntry> config;
  std::vector<std::string> notes;  ///< for stderr
};

/// Makes the traffic for a deployment that serves the model of this id.
using TrafficMaker = Result<Traffic> (*)(const RunSpec& run, const std::string& model);

/// Drawn or as a specification describes it, and as a trace recorded it.
Result<Traffic> generated_traffic(const RunSpec& run, const std::string& model);
Result<Traffic> recorded_traffic(const RunSpec& run, const std::string& model);

/// Of images, audio and video in prompts: what is left out of the answer. Nothing where no model
/// serves them.
void note_media(const std::string& model, std::vector<std::string>* notes);

/// Where limits shift the mean of lengths by 5 % or more. `what`: "prompt", as in its flags.
void note_clamping(const std::string& what, const GaussianLength& length,
                   std::vector<std::string>* notes);

/// Recorded if a trace is named.
Result<Traffic> any_traffic(const RunSpec& run, const std::string& model);

struct TrafficSize {
  std::int64_t requests = 0;
  double rate_rps = 0;  ///< on the average; where sessions begin, once all rounds are under way
  bool moves_rounds = false;  ///< at another rate users would think longer or shorter
  double filling_s = 0;       ///< after which that is, on the average of the requests; 0: at once
  double busiest_tenth = 1;   ///< how many times as many arrive in the busiest of ten equal parts
};
/// Where users wait for their answers, there is no rate to choose: an error with what answers then.
tl::unexpected<Error> refuse_closed_loop();

/// More of them take too long to be looked at before the first run.
inline constexpr std::int64_t kMostLookedAt = 20'000'000;

/// The size of its first kMostLookedAt requests. An error in a closed loop, and where nothing tells
/// a rate.
Result<TrafficSize> size_of(const Traffic& traffic);

/// The same requests, faster or slower: all moments times the factor, the horizon too; where
/// sessions begin without end, those of their beginnings.
void stretch(double factor, Traffic* traffic);

/// --horizon in microseconds; the reference's 2^63-1 and all else beyond the clock is kNever.
inline Time horizon_from_us(std::int64_t us) {
  return us > kNever.ns / 1000 ? kNever : Time{} + microseconds(us);
}

/// None if neither flag is given, or if a zero counts as not given
/// (Semantics::think_times_exclude_service). Giving both is an error.
Result<std::optional<ThinkTime>> think_time_of(const RunSpec& run);

/// Requests for a LoRA adapter, which would be served by the model alone: an error that names the
/// file they are from. `model` serves them; empty: nothing does, they are only described.
Result<void> refuse_adapter(const std::string& adapter, const std::string& file,
                            const std::string& model);

/// Deviation and limits that are not given are the usual share of the mean: a half, and from
/// 2 tokens to 13.7 times as many. Around the usual mean of 512 tokens these are +- 256 from 2 to
/// 7,000, the defaults of the public simulator BLIS. Where semantics say that lengths do not follow
/// their mean, they are those whatever the mean.
GaussianLength length_of(const LengthSpec& asked, const Semantics& semantics);

}  // namespace plimsoll
