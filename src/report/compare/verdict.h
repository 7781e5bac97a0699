// The first line of a comparison: which variant is best, and whether that is more than chance.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/comparison.h"
#include "report/compare/comparison.h"

namespace plimsoll {

struct ComparisonVerdict {
  std::string_view label;
  std::string_view color;  ///< for a terminal
  std::string sentence;
};

ComparisonVerdict verdict_of(const Comparison& comparison, const ComparisonFacts& facts);

/// How values of a figure are written: divided by `scale`, the unit behind them, dollars in front.
struct Unit {
  double scale = 1;
  std::string name;

  std::string with(const std::string& number) const {
    if (name == "$") return name + number;
    return name.empty() ? number : number + " " + name;
  }
};

/// For values up to `largest`.
Unit unit_of(const ComparedFigure& f, double largest);

const ComparedFigure& compared_figure(std::size_t f);

/// "a, b and c"
std::string in_words(const std::vector<std::string>& all);

}  // namespace plimsoll
