#include "report/form/svg.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "report/form/page.h"

namespace plimsoll {
namespace {

constexpr double kLetter = 6.5;  // mean width, of wide fonts
constexpr double kBold = 1.15;
constexpr double kAbove = 10;  // of a text, over its base line
constexpr double kBelow = 2;

Box box_of(const ChartLabels::Spot& spot, double wide) {
  return {spot.left, spot.base - kAbove, spot.left + wide, spot.base + kBelow};
}

std::string text_markup(const ChartLabels::Spot& spot, std::string_view style,
                        std::string_view text) {
  return fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"start\">{}</text>",
                     style, spot.left, spot.base, escaped(text));
}

// Around a point, `away` from it: to the right, to the left, above, below, and at the corners.
std::array<ChartLabels::Spot, 8> spots_around(double x, double y, double wide, double away) {
  const double side = away + 3;
  const double corner = 0.7 * away;
  return {{{x + side, y + 4},
           {x - side - wide, y + 4},
           {x - wide / 2, y - away - 4},
           {x - wide / 2, y + away + 13},
           {x + corner + 2, y - corner - 4},
           {x - corner - 2 - wide, y - corner - 4},
           {x + corner + 2, y + corner + 13},
           {x - corner - 2 - wide, y + corner + 13}}};
}

}  // namespace

double drawn_width(std::string_view text, std::string_view style) {
  // Of UTF-8: continuation bytes take no room.
  const auto letters = std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; });
  return kLetter * static_cast<double>(letters) * (style == "pick-text" ? kBold : 1);
}

// By Liang and Barsky: the share of the line that lies between each pair of sides.
bool Segment::crosses(const Box& box) const {
  double from = 0;
  double to = 1;
  const auto clip = [&](double step, double room) {  // step * share <= room
    if (step == 0) return room >= 0;
    const double share = room / step;
    if (step < 0)
      from = std::max(from, share);
    else
      to = std::min(to, share);
    return from <= to;
  };
  return clip(x1 - x2, x1 - box.left) && clip(x2 - x1, box.right - x1) &&
         clip(y1 - y2, y1 - box.top) && clip(y2 - y1, box.bottom - y1);
}

void ChartLabels::add(std::string text, std::string_view style, std::vector<Spot> spots) {
  of_lines_.push_back({std::move(text), std::string(style), std::move(spots)});
}

void ChartLabels::add(double x, double y, std::vector<std::string> texts, std::string_view style) {
  of_points_.push_back({x, y, std::move(texts), std::string(style)});
}

class ChartLabels::Placing {
 public:
  explicit Placing(const ChartLabels& labels) : labels_(labels), taken_(labels.marks_) {}

  void place(const OfLine& label) {
    const double wide = drawn_width(label.text, label.style);
    const auto free =
        std::ranges::find_if(label.spots, [&](const Spot& s) { return is_free(box_of(s, wide)); });
    put(free == label.spots.end() ? label.spots.front() : *free, label.style, label.text);
  }

  void place(const OfPoint& label) {
    constexpr double kBeside = 5;
    for (const std::string& text : label.texts)
      if (place_around(label, text, kBeside)) return;
    for (double away = 14; away <= 50; away += 12)
      if (place_around(label, label.texts.back(), away)) return;
    ++left_out_;
  }

  std::string markup() const {
    if (left_out_ == 0) return body_;
    const std::string words = counted(left_out_, "mark") + " unnamed: point at them";
    constexpr double kBase = 12;  // beside the name of the axis, over all labels
    return body_ + text_markup({labels_.inside_.right - drawn_width(words), kBase}, "dim", words);
  }

 private:
  bool is_free(const Box& box) const {
    const Box& in = labels_.inside_;
    if (box.left < in.left || box.right > in.right || box.top < in.top || box.bottom > in.bottom)
      return false;
    return std::ranges::none_of(taken_, [&](const Box& other) { return box.touches(other); }) &&
           std::ranges::none_of(labels_.lines_,
                                [&](const Segment& line) { return line.crosses(box); });
  }

  bool place_around(const OfPoint& label, const std::string& text, double away) {
    const double wide = drawn_width(text, label.style);
    for (const Spot& spot : spots_around(label.x, label.y, wide, away)) {
      const Box box = box_of(spot, wide);
      if (!is_free(box)) continue;
      constexpr double kNear = 10;
      if (away > kNear) lead(label, box);
      put(spot, label.style, text);
      return true;
    }
    return false;
  }

  void lead(const OfPoint& label, const Box& box) {
    body_ += fmt::format("<path class=\"leader\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"/>", label.x,
                         label.y, std::clamp(label.x, box.left, box.right),
                         std::clamp(label.y, box.top + kBelow, box.bottom));
  }

  void put(const Spot& spot, const std::string& style, const std::string& text) {
    body_ += text_markup(spot, style, text);
    taken_.push_back(box_of(spot, drawn_width(text, style)));
  }

  const ChartLabels& labels_;
  std::vector<Box> taken_;
  std::string body_;
  std::int64_t left_out_ = 0;
};

std::string ChartLabels::markup() const {
  Placing placing(*this);
  for (const OfLine& label : of_lines_) placing.place(label);
  for (const OfPoint& label : of_points_) placing.place(label);
  return placing.markup();
}

}  // namespace plimsoll
