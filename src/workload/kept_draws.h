// The draws behind the requests of a traffic, kept for other runs of it: at another rate, or on
// another deployment, requests have the same lengths, and gaps that are the same up to a scale.
// Whoever searches simulates the same requests tens of times. Any number of threads may ask.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace plimsoll {

struct Draw {
  double gap = 0;  ///< since the one before; of mean 1
  std::int32_t prompt = 0;
  std::int32_t output = 0;
};

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

}  // namespace plimsoll
