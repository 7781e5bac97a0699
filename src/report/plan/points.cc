#include "report/plan/points.h"

#include <fmt/format.h>

#include "base/text.h"
#include "planner/plan_choice.h"
#include "report/answer/words.h"
#include "report/form/table.h"

namespace plimsoll {
namespace {

constexpr std::size_t kRows = 9;
constexpr std::size_t kGutter = 10;  // figures of the axis at the left

/// Cells of a terminal; a mark may be more than one byte.
class Canvas {
 public:
  Canvas(std::size_t columns, std::size_t rows)
      : cells_(rows, std::vector<std::string>(columns, " ")) {}

  void mark(std::size_t column, std::size_t row, const std::string& sign) {
    cells_[row][column] = sign;
  }
  /// One space beside the mark, where nothing else stands: to the right, else to the left.
  void label(std::size_t column, std::size_t row, const std::string& text) {
    const std::size_t size = text.size() + 2;
    if (is_free(column + 1, row, size)) {
      write(column + 2, row, text);
    } else if (column >= size && is_free(column - size, row, size)) {
      write(column - size + 1, row, text);
    }
  }
  std::string line(std::size_t row) const {
    std::string text = join(cells_[row], "");
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  }

 private:
  bool is_free(std::size_t begin, std::size_t row, std::size_t size) const {
    const std::vector<std::string>& cells = cells_[row];
    if (begin + size > cells.size()) return false;
    const auto first = cells.begin() + static_cast<std::ptrdiff_t>(begin);
    return std::all_of(first, first + static_cast<std::ptrdiff_t>(size),
                       [](const std::string& cell) { return cell == " "; });
  }
  void write(std::size_t column, std::size_t row, const std::string& text) {
    for (const char c : text) cells_[row][column++] = std::string(1, c);
  }

  std::vector<std::vector<std::string>> cells_;
};

std::size_t cell_of(double value, double highest, std::size_t cells) {
  const double share = std::clamp(value / highest, 0.0, 1.0);
  return static_cast<std::size_t>(std::lround(share * static_cast<double>(cells - 1)));
}

class FrontierText {
 public:
  FrontierText(const PlanReport& report, const Style& style)
      : report_(report), points_(report), utf8_(style.utf8) {
    columns_ = style.text_columns() - kGutter - 3;
    for (const CandidateResult& r : report.plan.candidates) {
      if (!PlanPoints::is_shown(r)) continue;
      shown_.push_back(&r);
      highest_cost_ = std::max(highest_cost_, points_.cost(r));
      highest_value_ = std::max(highest_value_, points_.value(r));
    }
  }

  std::string text() const {
    if (shown_.size() < 2 || highest_cost_ <= 0 || highest_value_ <= 0) return {};
    Canvas canvas(columns_, kRows);
    for (const CandidateResult* r : shown_) mark(&canvas, *r, other_sign());
    for (const CandidateResult* r : shown_) {
      if (points_.is_on_frontier(*r)) mark(&canvas, *r, frontier_sign());
    }
    mark(&canvas, *report_.best(), utf8_ ? "●" : "*");
    label(&canvas, *report_.best(), short_name(report_.best()->candidate) + ", best");
    for (const CandidateResult* r : shown_) {
      if (points_.is_on_frontier(*r) && r != report_.best()) {
        label(&canvas, *r, short_name(r->candidate));
      }
    }
    return drawn(canvas);
  }

 private:
  std::size_t column(const CandidateResult& r) const {
    return cell_of(points_.cost(r), highest_cost_, columns_);
  }
  std::size_t row(const CandidateResult& r) const {
    return kRows - 1 - cell_of(points_.value(r), highest_value_, kRows);
  }
  void mark(Canvas* canvas, const CandidateResult& r, const std::string& sign) const {
    canvas->mark(column(r), row(r), sign);
  }
  void label(Canvas* canvas, const CandidateResult& r, const std::string& text) const {
    canvas->label(column(r), row(r), text);
  }

  const char* frontier_sign() const { return utf8_ ? "○" : "o"; }
  const char* other_sign() const { return utf8_ ? "·" : "."; }

  // Where there are others.
  std::string legend() const {
    const bool all = std::ranges::all_of(shown_, [this](const CandidateResult* r) {
      return r == report_.best() || points_.is_on_frontier(*r);
    });
    if (all) return {};
    return fmt::format("    {} on the frontier, {} others that hold", frontier_sign(),
                       other_sign());
  }

  std::string value_text(double value) const {
    return points_.by_latency() ? ms_or_s(value / 1e3) : three_digits(value);
  }

  // The name above its axis, and the legend beside it where there is room.
  std::string head() const {
    const std::string& name = points_.value_name();
    std::string text = name.size() <= kGutter ? fmt::format("{:>{}}", name, kGutter) : "  " + name;
    const bool has_room = width_of(text + legend()) <= columns_ + kGutter + 2;
    return text + (has_room ? "" : "\n") + legend() + "\n";
  }

  std::string drawn(const Canvas& canvas) const {
    const std::string bar = utf8_ ? "│" : "|";
    const std::string corner = utf8_ ? "└" : "+";
    std::string axis;
    for (std::size_t i = 0; i < columns_; ++i) axis += utf8_ ? "─" : "-";
    std::string text = head();
    for (std::size_t r = 0; r < kRows; ++r) {
      const std::string figure = r == 0           ? value_text(highest_value_)
                                 : r == kRows / 2 ? value_text(highest_value_ / 2)
                                                  : "";
      text += fmt::format("{:>{}} {}{}\n", figure, kGutter, bar, canvas.line(r));
    }
    text += fmt::format("{:>{}} {}{}\n", "0", kGutter, corner, axis);
    const std::string most =
        points_.priced() ? hourly_dollars(highest_cost_) : fmt::format("{} GPUs", highest_cost_);
    text += fmt::format("{:>{}}0{:>{}}\n", "", kGutter + 2, most, columns_ - 1);
    return text;
  }

  const PlanReport& report_;
  PlanPoints points_;
  bool utf8_;
  std::size_t columns_ = 0;
  std::vector<const CandidateResult*> shown_;
  double highest_cost_ = 0;
  double highest_value_ = 0;
};

}  // namespace

PlanPoints::PlanPoints(const PlanReport& report)
    : report_(report),
      priced_(report.best()->price.has_value()),
      by_latency_(report.request.rate_rps.has_value()),
      value_name_("req/s") {
  if (!by_latency_) return;
  const std::vector<Slo>& slos = report.request.slos;
  value_name_ = slos.empty() ? "TTFT p99" : name_of(slos.front());
}

double PlanPoints::cost(const CandidateResult& r) const {
  return priced_ ? r.usd_per_hour : static_cast<double>(r.candidate.total_gpus());
}

double PlanPoints::value(const CandidateResult& r) const {
  return by_latency_ ? compared_latency_ms(r) : r.good_rps;
}

std::string short_name(const Candidate& c) { return describe_hardware(c); }

std::string frontier_text(const PlanReport& report, const Style& style) {
  if (report.best() == nullptr) return {};
  return FrontierText(report, style).text();
}

}  // namespace plimsoll
