// Charts as SVG: axes with units, lines, bands, points, limits and direct labels that keep clear of
// each other. Called by the pages of reports; colours are classes of report/form/page.h.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plimsoll {

struct Axis {
  std::string label;  ///< with its unit
  double low = 0;
  double high = 1;     ///< more than low
  bool whole = false;  ///< ticks are whole numbers
  bool dates = false;  ///< values are days since 1970, ticks whole ones: month and day
};

/// Round values (1, 2 or 5 times a power of ten apart) within [low, high], about so many.
std::vector<double> ticks(const Axis& axis, int about);

/// A share of a bar, with its name and how dark it is: classes p1 to p4.
struct BarPart {
  std::string name;
  double share = 0;
  int shade = 1;
};

/// One horizontal bar of parts that add up to 1; names stand in the text beside it.
std::string bar_svg(const std::vector<BarPart>& parts, std::string_view alternative);

/// Points outside of the axes are drawn at the edge. Text, nowhere markup.
class Chart {
 public:
  using Points = std::vector<std::pair<double, double>>;

  /// `alternative` says in words what is seen.
  Chart(Axis x, Axis y, std::string_view alternative);

  void line(const Points& points, std::string_view style, bool steps = false);
  /// From the lower line to the upper one.
  void band(const Points& lower, const Points& upper);
  /// Everything right of it.
  void beyond(double x, std::string_view label);
  void dot(double x, double y, std::string_view style, double radius, std::string_view hover = {});
  void limit_y(double y, std::string_view label);
  void limit_x(double x, std::string_view label);
  /// Where there is room beside the point; false, and nothing drawn, where there is none.
  bool label(double x, double y, std::string_view text, std::string_view style);

  std::string svg() const;

 private:
  struct Box {
    double left, top, right, bottom;
  };
  double at_x(double x) const;
  double at_y(double y) const;
  bool is_free(const Box& box) const;
  void text(double px, double py, std::string_view anchor, std::string_view style,
            std::string_view text);
  void axes();

  Axis x_;
  Axis y_;
  std::string alternative_;
  std::string body_;
  std::string labels_;  // above everything else
  std::vector<Box> taken_;
};

}  // namespace plimsoll
