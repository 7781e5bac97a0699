// How many tokens: the distributions of prompts, answers, and of items and their tokens in
// multimodal prompts. Plain data for specifications, and the sampler that draws from it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/choice.h"
#include "base/result.h"
#include "random/stream.h"

namespace plimsoll {

/// The longest prompt or answer that any reader or generator accepts.
inline constexpr std::int64_t kMaxTokens = 1'000'000'000;
inline std::int32_t at_most_max(std::int64_t tokens) {
  return static_cast<std::int32_t>(tokens < kMaxTokens ? tokens : kMaxTokens);
}

struct ConstantLength {
  std::int64_t tokens = 1;
  friend bool operator==(const ConstantLength&, const ConstantLength&) = default;
};

/// A normal distribution clamped to [min, max].
struct GaussianLength {
  double mean = 512;
  double stdev = 256;
  std::int64_t min = 2;
  std::int64_t max = 7000;

  friend bool operator==(const GaussianLength&, const GaussianLength&) = default;
};

/// The mean of what is drawn, but for rounding: above or below `mean` where one side of the
/// distribution is clamped more than the other.
double clamped_mean(const GaussianLength& length);

/// Clamped to [min, max], as the next one is.
struct ExponentialLength {
  double mean = 1;
  std::int64_t min = 0;
  std::int64_t max = kMaxTokens;
  friend bool operator==(const ExponentialLength&, const ExponentialLength&) = default;
};

/// exp of a normal distribution with mean mu and standard deviation sigma.
struct LognormalLength {
  double mu = 0;
  double sigma = 1;
  std::int64_t min = 0;
  std::int64_t max = kMaxTokens;
  friend bool operator==(const LognormalLength&, const LognormalLength&) = default;
};

/// With probability mix_weight a Pareto distribution (shape alpha, least value xm), else lognormal.
struct ParetoLognormalLength {
  double alpha = 1;
  double xm = 1;
  double mu = 0;
  double sigma = 1;
  double mix_weight = 0;
  friend bool operator==(const ParetoLognormalLength&, const ParetoLognormalLength&) = default;
};

/// Token counts with weights of any positive sum, in order of tokens. `file` names where they came
/// from, as the specification wrote it; empty if they stand in the specification itself.
struct EmpiricalLength {
  std::vector<std::pair<std::int64_t, double>> weights;
  std::string file;
  int line = 0;  ///< of the specification, where the file is named; for messages
  friend bool operator==(const EmpiricalLength& a, const EmpiricalLength& b) {
    return a.weights == b.weights && a.file == b.file;
  }
};

using LengthDistribution = std::variant<ConstantLength, GaussianLength, ExponentialLength,
                                        LognormalLength, ParetoLognormalLength, EmpiricalLength>;

/// The value is the index of the alternative in LengthDistribution.
Choices<std::size_t> length_distributions();

/// The weights of an empirical distribution: CSV rows `tokens,weight` (a header line may come
/// first) or a JSON object from tokens to weight.
Result<std::vector<std::pair<std::int64_t, double>>> read_length_file(const std::string& path);

/// Draws whole token counts, rounded to nearest, from `least` to kMaxTokens. A count of items may
/// be 0, a length is at least 1; only a gaussian whose min and max are both 0 gives 0 all the same.
class LengthSampler {
 public:
  explicit LengthSampler(const LengthDistribution& distribution, std::int64_t least = 1);

  std::int32_t draw(RandomStream stream) const { return draw_from(stream); }
  /// For several draws from one stream.
  std::int32_t draw_from(RandomStream& stream) const;

 private:
  LengthDistribution distribution_;
  std::int64_t least_;
  std::vector<double> cumulative_;  // of an empirical distribution, ending at 1
};

}  // namespace plimsoll
