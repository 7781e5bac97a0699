// Traffic made from a rate and length distributions, generated on demand: request i is a function
// of (seed, i) alone. Gaps are drawn at unit rate and scaled, so that another rate or another
// deployment sees the same requests in the same order (common random numbers).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "workload/arrival_process.h"
#include "workload/length_distribution.h"
#include "workload/request.h"
#include "workload/workload_spec.h"

namespace plimsoll {

/// What is drawn for one request.
struct Draw {
  double gap = 0;  ///< since the one before; of mean 1
  std::int32_t prompt = 0;
  std::int32_t output = 0;
};

/// The draws behind the requests of a traffic, kept for other runs of it: at another rate, or on
/// another deployment, requests have the same lengths, and gaps that are the same up to a scale.
/// Whoever searches simulates the same requests tens of times. Any number of threads may ask.
class KeptDraws {
 public:
  static constexpr std::int64_t kMostRequests = 1 << 19;  ///< 8 MiB of them
  static constexpr std::size_t kAtATime = 1024;
  using Draws = std::array<Draw, kAtATime>;

  /// Those of kAtATime requests; `draw(i)` draws that of request i, the same whoever asks.
  template <class DrawOne>
  const Draws& of(std::size_t chunk, const DrawOne& draw) {
    const std::lock_guard lock(one_at_a_time_);
    if (chunk >= kept_.size()) kept_.resize(chunk + 1);
    if (!kept_[chunk]) {
      kept_[chunk] = std::make_unique<Draws>();
      for (std::size_t i = 0; i < kAtATime; ++i) (*kept_[chunk])[i] = draw(chunk * kAtATime + i);
    }
    return *kept_[chunk];
  }

 private:
  std::mutex one_at_a_time_;
  std::vector<std::unique_ptr<Draws>> kept_;
};

struct SyntheticSpec {
  std::uint64_t seed = 42;
  double rate_rps = 1;
  ArrivalSpec arrival;
  bool arrivals_start_in_mid_gap = true;  ///< see Semantics
  std::int64_t num_requests = 100;        ///< kUnlimited: only the horizon ends it
  Time horizon = kNever;                  ///< no request arrives later
  GaussianLength prompt;
  GaussianLength output;
  std::int64_t prefix_tokens = 0;   ///< the same in front of every prompt
  std::uint64_t prefix_number = 0;  ///< which shared content that is
  Duration timeout = kNoDuration;   ///< from arrival to deadline; kNoDuration = none
};

/// `name` is the flag or key prefix for messages, e.g. "--prompt-tokens".
Result<void> validate(const GaussianLength& spec, const std::string& name);
/// All of the above, and that something bounds the run.
Result<void> validate(const SyntheticSpec& spec);

/// Requests 0, 1, 2, ... of a valid spec.
class SyntheticSource final : public RequestSource {
 public:
  explicit SyntheticSource(const SyntheticSpec& spec);
  SyntheticSource(const SyntheticSource&) = delete;  // requests point into it
  SyntheticSource& operator=(const SyntheticSource&) = delete;

  /// Takes what was drawn for another source whose specification is the same but for rate, number
  /// of requests, horizon and timeout. Called before anything else; of a longer run nothing is
  /// kept.
  void share(std::shared_ptr<KeptDraws> draws);

  bool next(Request* request) override;
  std::int64_t skip(std::int64_t requests) override;

 private:
  double draw_gap(std::uint64_t index) const;
  std::int32_t draw_prompt(std::uint64_t index) const;
  std::int32_t draw_output(std::uint64_t index) const;
  const Draw& kept(std::uint64_t index);

  /// The next arrival; false where there is none.
  bool advance();

  SyntheticSpec spec_;
  double mean_gap_us_;
  UnitGaps gaps_;
  LengthSampler prompt_;
  LengthSampler output_;
  PrefixSegment prefix_;
  std::shared_ptr<KeptDraws> draws_;
  const KeptDraws::Draws* chunk_ = nullptr;  // of the last request
  std::size_t chunk_number_ = 0;
  std::int64_t generated_ = 0;
  Time clock_;
};

// Named workload shapes for `--workload`. The figures are those of the reference simulator (BLIS,
// `workloads` in its defaults.yaml).

struct Preset {
  std::string name;
  std::string help;
  GaussianLength prompt;
  GaussianLength output;
};

const std::vector<Preset>& presets();

/// An unknown name suggests the nearest; "distribution", the reference's word for no preset, is
/// the caller's business.
Result<Preset> find_preset(const std::string& name);

}  // namespace plimsoll
