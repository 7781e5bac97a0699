// Charts as SVG: axes with units, lines, bands, points, limits and direct labels that keep clear of
// each other. Colours are classes of report/form/page.h.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plimsoll {

// Where the labels of a chart stand: beside what they name and clear of marks, lines and each
// other. A label of a point that finds no room beside it moves away and gets a leader; one that
// finds no room at all is left out, and the chart says how many are.
//
// In units of the picture, y downward.

struct Box {
  double left, top, right, bottom;

  bool touches(const Box& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

struct Segment {
  double x1, y1, x2, y2;

  bool crosses(const Box& box) const;
};

/// About how wide a text is drawn; wider in the style "pick-text", which is bold.
double drawn_width(std::string_view text, std::string_view style = "");

class ChartLabels {
 public:
  /// The beginning of a text, on its base line.
  struct Spot {
    double left, base;
  };

  explicit ChartLabels(const Box& inside) : inside_(inside) {}

  void avoid(const Box& mark) { marks_.push_back(mark); }
  void avoid(const Segment& line) { lines_.push_back(line); }

  /// Adds the label of a line or region: at the first spot that is free, else at the first one.
  void add(std::string text, std::string_view style, std::vector<Spot> spots);
  /// Adds the label of a point: the first of these texts that finds room.
  void add(double x, double y, std::vector<std::string> texts, std::string_view style);

  /// All of them: those of lines and regions first, then those of points, as they were added.
  std::string markup() const;

 private:
  struct OfLine {
    std::string text;
    std::string style;
    std::vector<Spot> spots;
  };
  struct OfPoint {
    double x, y;
    std::vector<std::string> texts;
    std::string style;
  };
  class Placing;

  Box inside_;
  std::vector<Box> marks_;
  std::vector<Segment> lines_;
  std::vector<OfLine> of_lines_;
  std::vector<OfPoint> of_points_;
};

struct Axis {
  std::string label;  ///< with its unit
  double low = 0;
  double high = 1;     ///< more than low
  bool whole = false;  ///< ticks are whole numbers
  bool dates = false;  ///< values are days since 1970, ticks whole ones: month and day
  bool log = false;    ///< ticks are 1, 2 and 5 times powers of ten; low is more than 0
  std::vector<std::string> names{};  ///< of the values 0, 1, 2 ..., in the place of ticks
};

/// Round values (1, 2 or 5 times a power of ten apart) within [low, high], about so many; of an
/// axis with names those values that have room for one.
std::vector<double> ticks(const Axis& axis, int about);

/// A share of a bar, with its name and how dark it is: classes p1 to p6.
struct BarPart {
  std::string name;
  double share = 0;
  int shade = 1;
};

/// One horizontal bar of parts that add up to 1; names stand in the text beside it.
std::string bar_svg(const std::vector<BarPart>& parts, std::string_view alternative);

/// Lines outside of the axes are drawn at the edge. Text, nowhere markup.
class Chart {
 public:
  using Points = std::vector<std::pair<double, double>>;

  /// `alternative` says in words what is seen.
  Chart(Axis x, Axis y, std::string_view alternative);

  void line(const Points& points, std::string_view style, bool steps = false);
  /// From the lower line to the upper one.
  void band(const Points& lower, const Points& upper);
  /// From one x to another, over the whole height: style "beyond" is what fails, "apart" what does
  /// not count.
  void region(double from, double to, std::string_view style, std::string_view label);
  /// From one x to another at the head of the chart, with its name: what is compared.
  void stretch(double from, double to, std::string_view label);
  /// From the foot of the chart to y, `width` wide, around x.
  void bar(double x, double width, double y, std::string_view hover);
  /// From one y to another.
  void whisker(double x, double low, double high);
  /// A circle, but a cross of style "fails" and a lozenge of "unclear". Beyond the axes: an
  /// arrowhead at the edge, to the right where x is.
  void dot(double x, double y, std::string_view style, double radius, std::string_view hover = {});
  void limit_y(double y, std::string_view label);
  /// A line to compare with, which is no limit.
  void reference_y(double y, std::string_view label);
  void limit_x(double x, std::string_view label);
  /// Names a point with the first of these texts that finds room.
  void label(double x, double y, std::vector<std::string> texts, std::string_view style);

  std::string svg() const;

 private:
  double at_x(double x) const;
  double at_y(double y) const;
  void text(double px, double py, std::string_view anchor, std::string_view style,
            std::string_view text);
  void axes();

  Axis x_;
  Axis y_;
  std::string alternative_;
  std::string body_;
  std::string axes_;    ///< their texts
  ChartLabels labels_;  ///< above everything else
};

}  // namespace plimsoll
