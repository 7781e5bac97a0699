// Traffic made from a rate and length distributions, generated on demand: request i is a function
// of (seed, i) alone. Gaps are drawn at unit rate and scaled, so that another rate or another
// deployment sees the same requests in the same order (common random numbers).
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "workload/request.h"

namespace plimsoll {

enum class ArrivalProcess { constant, poisson, gamma, weibull };

/// constant, poisson, gamma, weibull, in this order; the index is the enum's value.
const std::vector<std::string>& arrival_process_names();

struct ArrivalSpec {
  ArrivalProcess process = ArrivalProcess::poisson;
  double cv = 1;  ///< standard deviation / mean of the gaps; gamma and weibull only
};

/// A normal distribution of token counts, clamped to [min, max], rounded, at least 1.
struct LengthSpec {
  double mean = 512;
  double stdev = 256;
  std::int64_t min = 2;
  std::int64_t max = 7000;

  static LengthSpec constant(std::int64_t tokens) {
    return {static_cast<double>(tokens), 0, tokens, tokens};
  }
};

struct SyntheticSpec {
  static constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

  std::uint64_t seed = 42;
  double rate_rps = 1;
  ArrivalSpec arrival;
  std::int64_t num_requests = 100;  ///< kUnlimited: only the horizon ends it
  Time horizon = kNever;            ///< no request arrives later
  LengthSpec prompt;
  LengthSpec output;
  std::int64_t prefix_tokens = 0;   ///< the same in front of every prompt
  std::uint64_t prefix_number = 0;  ///< which shared content that is
  Duration timeout = kNoDuration;   ///< from arrival to deadline; kNoDuration = none
};

/// The rates a generator can serve, in requests per second: gaps are whole microseconds of at least
/// one, and a request every twelve days is slow enough for anyone.
inline constexpr double kMaxRate = 1e6;
inline constexpr double kMinRate = 1e-6;

/// The longest prompt or answer that any reader or generator accepts.
inline constexpr std::int64_t kMaxTokens = 1'000'000'000;

/// `name` is the flag or key prefix for messages, e.g. "--prompt-tokens".
Result<void> validate(const LengthSpec& spec, const std::string& name);
Result<void> validate(const ArrivalSpec& spec);
/// All of the above, and that something bounds the run.
Result<void> validate(const SyntheticSpec& spec);

/// Requests 0, 1, 2, ... of a valid spec. The first arrives one gap after time zero.
class SyntheticSource final : public RequestSource {
 public:
  explicit SyntheticSource(const SyntheticSpec& spec);
  SyntheticSource(const SyntheticSource&) = delete;  // requests point into it
  SyntheticSource& operator=(const SyntheticSource&) = delete;

  bool next(Request* request) override;

 private:
  Duration gap(std::uint64_t index) const;

  SyntheticSpec spec_;
  double mean_gap_us_;
  double shape_ = 1;       // of gamma or weibull
  double unit_scale_ = 1;  // brings a draw of that shape to mean 1
  PrefixSegment prefix_;
  std::int64_t generated_ = 0;
  Time clock_;
};

}  // namespace plimsoll
