// The scale on which demand is continued: logarithms, because demand grows by factors, is restless
// in proportion to its size and has seasons in proportion to it, too. A straight line there is
// compound growth. Units of the caller go in and come out.
//
// Where demand pauses (zero or nearly so) there is no logarithm: a floor is added first, the middle
// of the demand that is not zero where every tenth value pauses, a tenth of that where fewer do.
#pragma once

#include <span>
#include <vector>

namespace plimsoll {

class LogScale {
 public:
  /// The scale of values >= 0. All powers of two times a series have the same logarithms.
  explicit LogScale(std::span<const double> values);

  std::vector<double> logs_of(std::span<const double> values) const;
  /// >= 0.
  double value_of(double log) const;
  /// Next to nothing.
  bool is_pause(double value) const;
  /// How many times the demand before that of a logarithm is; of next to nothing, at most 50 times.
  double times(double log, double before) const;
  /// A tenth of the values or more.
  bool pauses_often() const { return floor_ >= 1; }
  /// And so between the first and the last that is no pause: demand that comes and goes, not one
  /// that began or ended.
  bool comes_and_goes() const { return comes_and_goes_; }

 private:
  double unit_ = 1;   // 0 of a series that is 0 throughout
  double floor_ = 0;  // in units
  bool comes_and_goes_ = false;
};

}  // namespace plimsoll
