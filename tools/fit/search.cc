#include "fit/search.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace plimsoll {
namespace {

constexpr int kStepsPerRound = 600;
constexpr int kRounds = 8;
constexpr double kFirstEdge = 0.15;
constexpr double kFlat = 1e-10;        // relative difference over the simplex
constexpr double kWorthARound = 1e-4;  // relative gain of the round before

struct Corner {
  std::vector<double> at;
  double value = 0;
};

class Simplex {
 public:
  Simplex(const std::function<double(const std::vector<double>&)>& f,
          const std::vector<double>& start)
      : f_(f) {
    corners_.push_back({start, f(start)});
    for (std::size_t i = 0; i < start.size(); ++i) {
      std::vector<double> at = start;
      at[i] += at[i] > 0.5 ? -kFirstEdge : kFirstEdge;
      corners_.push_back({at, f(at)});
    }
  }

  Corner descend() {
    for (int step = 0; step < kStepsPerRound; ++step) {
      std::sort(corners_.begin(), corners_.end(),
                [](const Corner& a, const Corner& b) { return a.value < b.value; });
      const double spread = corners_.back().value - corners_.front().value;
      if (spread <= kFlat * std::abs(corners_.front().value)) break;
      move_worst();
    }
    return *std::min_element(corners_.begin(), corners_.end(),
                             [](const Corner& a, const Corner& b) { return a.value < b.value; });
  }

 private:
  // The worst corner, mirrored at the centre of the others and `stretch` times as far.
  Corner mirrored(double stretch) const {
    const std::vector<double>& worst = corners_.back().at;
    Corner corner{std::vector<double>(worst.size()), 0};
    const auto others = static_cast<double>(corners_.size() - 1);
    for (std::size_t i = 0; i < worst.size(); ++i) {
      double centre = 0;
      for (std::size_t c = 0; c + 1 < corners_.size(); ++c) centre += corners_[c].at[i] / others;
      corner.at[i] = std::clamp(centre + stretch * (centre - worst[i]), 0.0, 1.0);
    }
    corner.value = f_(corner.at);
    return corner;
  }

  void move_worst() {
    const Corner reflected = mirrored(1);
    if (reflected.value < corners_.front().value) {
      const Corner expanded = mirrored(2);
      corners_.back() = expanded.value < reflected.value ? expanded : reflected;
      return;
    }
    if (reflected.value < corners_[corners_.size() - 2].value) {
      corners_.back() = reflected;
      return;
    }
    const Corner contracted = mirrored(reflected.value < corners_.back().value ? 0.5 : -0.5);
    if (contracted.value < std::min(reflected.value, corners_.back().value)) {
      corners_.back() = contracted;
      return;
    }
    for (std::size_t c = 1; c < corners_.size(); ++c) {
      for (std::size_t i = 0; i < corners_[c].at.size(); ++i) {
        corners_[c].at[i] = (corners_[c].at[i] + corners_[0].at[i]) / 2;
      }
      corners_[c].value = f_(corners_[c].at);
    }
  }

  const std::function<double(const std::vector<double>&)>& f_;
  std::vector<Corner> corners_;
};

}  // namespace

std::vector<double> minimise(const std::function<double(const std::vector<double>&)>& f,
                             std::vector<double> start) {
  if (start.empty()) return start;
  double value = f(start);
  for (int round = 0; round < kRounds; ++round) {
    Corner best = Simplex(f, start).descend();
    if (!(best.value < value)) break;
    const bool again = value - best.value > kWorthARound * value;
    start = std::move(best.at);
    value = best.value;
    if (!again) break;
  }
  return start;
}

}  // namespace plimsoll
