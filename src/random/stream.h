// Counter-based random numbers. A stream is named by (seed, purpose, index), so request 17 draws
// the same lengths whatever else was drawn before it: runs of different deployments see the same
// traffic (common random numbers). The generator is Philox4x32-10 (Salmon et al., "Parallel random
// numbers: as easy as 1, 2, 3", SC'11), the same bits on every machine. Streams are cheap values;
// they share nothing, so threads need no care.
#pragma once

#include <array>
#include <cstdint>

namespace plimsoll {

/// The purpose for which a number is drawn. The values are part of every result: never renumber
/// them.
enum class Purpose : std::uint32_t {
  arrival = 1,
  prompt_length = 2,
  output_length = 3,
  image_tokens = 4,
  audio_tokens = 5,
  video_tokens = 6,
  reason_ratio = 7,
  think_time = 8,
  prompt_prefix = 9,     ///< index: number of the conversation
  import_window = 100,   ///< which part of recorded data is taken
  import_order = 101,    ///< in which order its clients are
  routing = 200,         ///< index: number of the decision
  forecast_path = 300,   ///< index: number of the sample path
  forecast_event = 301,  ///< of the sample path, its odd days
};

class RandomStream {
 public:
  RandomStream(std::uint64_t seed, Purpose purpose, std::uint64_t index)
      : seed_(seed), index_(index), purpose_(purpose) {}

  std::uint64_t bits() {
    if (left_ == 0) refill();
    return buffer_[--left_];
  }

  /// Uniform in the open interval (0, 1): never 0, never 1.
  double uniform() { return (static_cast<double>(bits() >> 12) + 0.5) * 0x1p-52; }

 private:
  void refill();

  std::uint64_t seed_;
  std::uint64_t index_;
  Purpose purpose_;
  std::uint32_t block_ = 0;
  std::uint32_t left_ = 0;
  std::array<std::uint64_t, 2> buffer_{};
};

}  // namespace plimsoll
