// Where the labels of a chart stand: beside what they name and clear of marks, lines and each
// other. A label of a point that finds no room beside it moves away and gets a leader; one that
// finds no room at all is left out, and the chart says how many are.
//
// In units of the picture, y downward.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plimsoll {

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

}  // namespace plimsoll
