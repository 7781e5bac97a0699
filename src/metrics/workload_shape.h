// The shape of a workload before anything serves it: how requests arrive, how long they are, what
// they share, whose they are. Measured for `plimsoll describe`; docs/reference/conversions.md shows
// it.
//
// A prefix cache without limits, which would find every block of every earlier prompt, by the block
// identities of the engine (engine/prompt_path.h). Measures how much of a workload comes again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tsl/robin_map.h>

#include "base/units.h"
#include "engine/prompt_path.h"
#include "workload/request.h"

namespace plimsoll {

class InfiniteCache {
 public:
  /// Blocks of this many tokens; only whole blocks are shared.
  explicit InfiniteCache(std::int64_t block_tokens) : block_tokens_(block_tokens) {}

  /// The tokens at the start of this prompt that are there already; then adds its blocks, and those
  /// of its answer if later prompts may begin with them. The last token of a prompt is always
  /// computed, so a prompt is never found whole.
  std::int64_t add(const Request& request);

  /// The content that was found at least once: what is worth keeping.
  std::int64_t reused_tokens() const { return reused_blocks_ * block_tokens_; }

 private:
  struct Piece {
    std::int64_t end = 0;         // index after its last block that is there
    std::int64_t reused_end = 0;  // index after its last block that was found
  };

  std::int64_t find(std::int64_t blocks);
  void insert(std::int64_t blocks, bool own_content);

  std::int64_t block_tokens_;
  std::int64_t reused_blocks_ = 0;
  tsl::robin_map<std::uint64_t, Piece, PathHash> known_;
  std::vector<ContentPiece> pieces_;  // of the request at hand
};

/// Requests per stretch of time of one width, counted from time zero.
struct ArrivalWindows {
  std::int64_t width_s = 1;
  double peak_rps = 0;  ///< of the busiest stretch
  /// Variance over mean of the counts of the whole stretches: 1 for Poisson traffic, 0 for a
  /// metronome, more for bursts and trends (Cox and Lewis 1966). Absent below 10 stretches.
  std::optional<double> dispersion;
};

struct HistogramBin {
  std::int64_t low = 0;  ///< first and last value
  std::int64_t high = 0;
  std::int64_t count = 0;
};

struct LengthShape {
  std::int64_t total = 0;
  double mean = 0;
  double p50 = 0;
  double p90 = 0;
  double p95 = 0;
  double p99 = 0;
  std::int64_t min = 0;
  std::int64_t max = 0;
  std::vector<HistogramBin> histogram;  ///< bins of equal width, or of powers of two
};

struct PrefixReuse {
  std::int64_t hit_tokens = 0;     ///< prompt tokens that a cache without limits would find
  std::int64_t requests = 0;       ///< requests that find anything
  std::int64_t reused_tokens = 0;  ///< distinct tokens that are found at least once
};

/// Requests with one name: of a client, tenant, SLO class or model.
struct GroupShape {
  std::string name;
  std::int64_t requests = 0;
  std::int64_t prompt_tokens = 0;
  std::int64_t output_tokens = 0;
};

struct SessionShape {
  std::int64_t sessions = 0;
  double mean_rounds = 0;
  std::int64_t most_rounds = 0;
  /// Sessions between the arrivals of their first and last rounds; the mean is over all the time.
  double mean_open = 0;
  std::int64_t most_open = 0;
};

struct WorkloadShape {
  std::int64_t requests = 0;
  bool cut = false;  ///< there are more requests than were looked at
  double last_arrival_s = 0;
  double mean_rps = 0;  ///< 1 / mean gap between arrivals; 0 if all come at once
  /// Standard deviation over mean of the times between arrivals. Absent below three requests and
  /// where all come at once.
  std::optional<double> gap_cv;
  std::vector<ArrivalWindows> windows;  ///< a second, ten seconds, a minute, an hour: as they fit
  std::int64_t bucket_s = 1;            ///< of the following: at most 24 buckets
  std::vector<std::int64_t> requests_over_time;

  LengthShape prompt;
  LengthShape output;
  PrefixReuse reuse;
  std::int64_t media_tokens = 0;  ///< image, audio and video tokens, part of the prompts
  double mean_reason_ratio = 0;   ///< share of reasoning in the answers, by request

  /// In the order of falling numbers of requests; empty where all requests are alike.
  std::vector<GroupShape> clients;
  std::vector<GroupShape> tenants;
  std::vector<GroupShape> slo_classes;
  std::vector<GroupShape> models;
  std::optional<SessionShape> sessions;
};

struct ShapeOptions {
  std::int64_t block_tokens = 16;              ///< of the prefix cache
  std::int64_t most_requests = 0;              ///< 0 = all
  Time horizon = kNever;                       ///< later requests do not count
  Duration time_per_token = milliseconds(20);  ///< of answers that a closed loop waits for
};

/// Takes the source to its end. In a closed loop, an awaited answer leaves output_tokens *
/// time_per_token after its request arrived.
WorkloadShape shape_of(RequestSource& source, const ShapeOptions& options);

}  // namespace plimsoll
