#include "forecast/outlook/bends.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "forecast/outlook/season.h"
#include "random/portable_math.h"

namespace plimsoll {
namespace {

constexpr std::size_t kFewestBent = 56;
constexpr std::size_t kFewestBeforeBend = 28;
constexpr std::size_t kFewestSinceBend = 14;
constexpr std::size_t kMostBends = 3;
constexpr double kEven = 12;          // square of the standard errors at which it is a bend or not
constexpr double kEvenYoung = 8;      // likewise: one that is new decides more than it costs
constexpr std::size_t kYoung = 49;    // values
constexpr double kStepFound = 4;      // a shift that is one would have been found
constexpr double kUsualChange = 0.7;  // of the logarithm, from the first value to the last: twice
constexpr double kCertain = 0.98;
constexpr double kPossible = 0.05;
constexpr double kLongestLasting = 0.97;

/// A level at the bend, and a slope before and since: least squares of 1, min(t - at, 0) and
/// max(t - at, 0), of which the last two are never both other than zero.
struct BentLine {
  Bend bend;
  double level = 0;
  double squares = 0;          ///< that are left
  double change_variance = 0;  ///< in units of the variance of the noise
  double after_variance = 0;

  double at(std::size_t t) const {
    const double from = static_cast<double>(t) - static_cast<double>(bend.at);
    return level + from * (from < 0 ? bend.before : bend.after);
  }
};

BentLine fit_bend(std::span<const double> y, std::size_t at) {
  double u = 0, uu = 0, uy = 0, v = 0, vv = 0, vy = 0, all = 0;
  for (std::size_t t = 0; t < y.size(); ++t) {
    const double from = static_cast<double>(t) - static_cast<double>(at);
    all += y[t];
    if (from < 0) {
      u += from, uu += from * from, uy += from * y[t];
    } else {
      v += from, vv += from * from, vy += from * y[t];
    }
  }
  const double free = static_cast<double>(y.size()) - u * u / uu - v * v / vv;
  BentLine line;
  line.bend.at = at;
  line.level = (all - u * uy / uu - v * vy / vv) / free;
  line.bend.before = (uy - line.level * u) / uu;
  line.bend.after = (vy - line.level * v) / vv;
  for (std::size_t t = 0; t < y.size(); ++t) {
    const double off = y[t] - line.at(t);
    line.squares += off * off;
  }
  line.after_variance = 1 / vv + v / vv * (v / vv) / free;
  const double before_variance = 1 / uu + u / uu * (u / uu) / free;
  line.change_variance = line.after_variance + before_variance - 2 * (u / uu) * (v / vv) / free;
  return line;
}

// What a level that changes at once leaves, at the moment that leaves the least: a slope, and a
// step.
double squares_beside_step(std::span<const double> y) {
  constexpr std::size_t kFewest = 7;
  const auto n = static_cast<double>(y.size());
  double mean = 0, tt = 0, ty = 0, yy = 0, rest = 0;
  for (const double value : y) mean += value / n;
  for (std::size_t t = 0; t < y.size(); ++t) {
    const double from = static_cast<double>(t) - (n - 1) / 2;
    tt += from * from, ty += from * (y[t] - mean), yy += (y[t] - mean) * (y[t] - mean);
  }
  double least = yy - ty * ty / tt;
  for (std::size_t at = y.size() - 1; at >= kFewest; --at) {
    rest += y[at] - mean;  // from the step on
    if (y.size() - at < kFewest) continue;
    const double before = static_cast<double>(at);
    const double since = n - before;
    const double ts = since * before / 2;  // of the step and the time, around their means
    const double free = since * before / n - ts * ts / tt;
    const double size = (rest - ts * ty / tt) / free;
    least = std::min(least, yy - ty * ty / tt - size * size * free);
  }
  return least;
}

/// A straight line of the values, in units of the first, and what it leaves of their logarithms.
struct ValueLine {
  double first = 0;
  double last = 0;
  double squares = HUGE_VAL;
  std::vector<double> residuals{};
};

// A straight line of the values slows on logarithms and has no bend. By least squares of what lies
// off it as a share of each value.
ValueLine fit_value_line(std::span<const double> logs) {
  double w = 0, wt = 0, wtt = 0, wv = 0, wtv = 0;
  for (std::size_t t = 0; t < logs.size(); ++t) {
    const double value = portable_exp(logs[t] - logs.front());
    const double weight = 1 / (value * value);
    const auto time = static_cast<double>(t);
    w += weight, wt += weight * time, wtt += weight * time * time;
    wv += weight * value, wtv += weight * value * time;
  }
  const double slope = (w * wtv - wt * wv) / (w * wtt - wt * wt);
  const double first = (wv - slope * wt) / w;
  ValueLine fitted{first, first + slope * static_cast<double>(logs.size() - 1), 0};
  for (std::size_t t = 0; t < logs.size(); ++t) {
    const double line = first + slope * static_cast<double>(t);
    if (!(line > 0)) return {};
    const double off = logs[t] - logs.front() - portable_log(line);
    fitted.squares += off * off;
    fitted.residuals.push_back(off);
  }
  return fitted;
}

double squares_beside_line(std::span<const double> logs) { return fit_value_line(logs).squares; }

// The line with a bend not before `from` that leaves the least squares.
std::optional<BentLine> best_bent(std::span<const double> y, std::size_t from) {
  std::optional<BentLine> best;
  for (std::size_t at = from; at + kFewestSinceBend <= y.size(); ++at) {
    const BentLine line = fit_bend(y, at);
    if (!best || line.squares < best->squares) best = line;
  }
  return best;
}

// The likeliest bend, and the chance that it is one, and neither noise nor a step of the level nor
// a straight line.
std::optional<Bend> likeliest(std::span<const double> y, std::size_t from, double even) {
  const std::optional<BentLine> best = best_bent(y, from);
  if (!best) return std::nullopt;
  std::vector<double> residuals;
  for (std::size_t t = 0; t < y.size(); ++t) residuals.push_back(y[t] - best->at(t));
  const double variance = best->squares / static_cast<double>(y.size() - 4) * lasting_of(residuals);
  if (!(variance > 0)) return std::nullopt;
  Bend bend = best->bend;
  const double change = bend.after - bend.before;
  const double far = std::min(change * change / (best->change_variance * variance),
                              (squares_beside_line(y) - best->squares) / variance);
  bend.error = std::sqrt(best->after_variance * variance);
  // A few noisy weeks tell less of growth than that it is seldom larger than usual.
  const double off = bend.error * static_cast<double>(y.size()) / kUsualChange;
  const double known = 1 / (1 + off * off);
  bend.after *= known;
  bend.error *= std::sqrt(known);
  const auto odds = [](double squares) {
    return portable_exp(std::clamp(squares / 2, -50.0, 50.0));
  };
  const double by_step = (best->squares - squares_beside_step(y)) / variance;
  bend.chance = 1 / (1 + odds(even - far) + odds(by_step - kStepFound));
  return bend;
}

}  // namespace

double lasting_of(std::span<const double> residuals) {
  double squares = 0;
  double products = 0;
  for (std::size_t t = 0; t < residuals.size(); ++t) {
    squares += residuals[t] * residuals[t];
    if (t > 0) products += residuals[t] * residuals[t - 1];
  }
  if (!(squares > 0)) return 1;
  const double raw = products / squares;
  const double kept = raw + (2 + 4 * raw) / static_cast<double>(residuals.size());
  const double r = std::clamp(kept, 0.0, kLongestLasting);
  return (1 + r) / (1 - r);
}

double squares_of_lines(std::span<const double> y) {
  double least = squares_beside_line(y);
  if (const auto bent = best_bent(y, kFewestSinceBend)) least = std::min(least, bent->squares);
  return least;
}

double roughness_of(std::span<const double> values) {
  constexpr double kOfNeighbours = 1.5;  // times the variance of one: their middle varies, too
  double squares = 0;
  for (std::size_t t = 1; t + 1 < values.size(); ++t) {
    const double off = values[t] - (values[t - 1] + values[t + 1]) / 2;
    squares += off * off / kOfNeighbours;
  }
  return values.size() < 3 ? 0 : std::sqrt(squares / static_cast<double>(values.size() - 2));
}

bool is_straight(std::span<const double> logs) {
  constexpr std::size_t kFewest = 7;
  constexpr double kAsRough = 1.5;    // of variances
  constexpr double kRounding = 1e-6;  // of a logarithm
  constexpr double kSteep = 4;        // times as much at the end
  if (logs.size() < kFewest) return false;
  const double rough = roughness_of(logs);
  const double least = kAsRough * rough * rough + kRounding * kRounding;
  const ValueLine line = fit_value_line(logs);
  return line.last >= kSteep * line.first &&
         line.squares <= least * static_cast<double>(logs.size() - 2);
}

void straighten(const Bend& bend, std::vector<double>* logs) {
  const std::size_t until = std::min(bend.at, logs->size());
  for (std::size_t t = 0; t < until; ++t)
    (*logs)[t] += (bend.before - bend.after) * static_cast<double>(bend.at - t);
}

namespace {

/// A straight line of the logarithms.
struct LogLine {
  double per_step = 0;
  double spread = 0;  ///< of the times
  double squares = 0;
  double lasting = 1;
};

LogLine fit_line(std::span<const double> logs) {
  const auto n = static_cast<double>(logs.size());
  double mean = 0;
  for (const double log : logs) mean += log / n;
  LogLine line;
  double ty = 0;
  for (std::size_t t = 0; t < logs.size(); ++t) {
    const double from = static_cast<double>(t) - (n - 1) / 2;
    line.spread += from * from;
    ty += from * (logs[t] - mean);
  }
  line.per_step = ty / line.spread;
  std::vector<double> residuals;
  for (std::size_t t = 0; t < logs.size(); ++t) {
    const double from = static_cast<double>(t) - (n - 1) / 2;
    residuals.push_back(logs[t] - mean - line.per_step * from);
    line.squares += residuals.back() * residuals.back();
  }
  line.lasting = lasting_of(residuals);
  return line;
}

// The chance of what leaves so many noise variances less than the other, as likely before.
double likelihood_of(double better) {
  return 1 / (1 + portable_exp(std::clamp(-better / 2, -50.0, 50.0)));
}

GrowthSince growth_since(std::span<const double> logs, std::size_t bend) {
  constexpr std::size_t kNear = 21;
  constexpr std::size_t kFewest = 7;  // on either side
  GrowthSince since{0.5, bend};
  double of_logs = HUGE_VAL;
  double of_values = HUGE_VAL;
  double lasting_logs = 1;
  double lasting_values = 1;
  const std::size_t last = std::min(bend + kNear, logs.size() - std::min(logs.size(), kFewest));
  for (std::size_t at = std::max(kFewest, bend - std::min(bend, kNear)); at <= last; ++at) {
    const double before = fit_line(logs.first(at)).squares;
    const LogLine compound = fit_line(logs.subspan(at));
    const ValueLine straight = fit_value_line(logs.subspan(at));
    if (before + compound.squares < of_logs) {
      of_logs = before + compound.squares;
      lasting_logs = compound.lasting;
    }
    if (before + straight.squares < of_values) {
      of_values = before + straight.squares;
      lasting_values = lasting_of(straight.residuals);
      since.line_from = at;
    }
  }
  const double least = std::min(of_logs, of_values);
  const double lasting = of_logs <= of_values ? lasting_logs : lasting_values;
  const double variance = least / static_cast<double>(logs.size() - 4) * lasting;
  if (!(variance > 0) || !std::isfinite(least)) return since;
  since.compound = likelihood_of((of_values - of_logs) / variance);
  return since;
}

}  // namespace

std::vector<Bend> find_bends(std::span<const double> rest) {
  if (rest.size() < kFewestBent) return {};
  const std::size_t first = rest.size() - std::min(rest.size(), kMostSearched);
  std::vector<double> y(rest.begin() + static_cast<std::ptrdiff_t>(first), rest.end());
  const std::size_t youngest = std::max(kFewestBeforeBend, y.size() - kYoung);
  std::vector<Bend> bends;
  while (auto bend = likeliest(y, kFewestBeforeBend, kEven)) {
    if (bend->chance < 0.5) {
      if (const auto young = likeliest(y, youngest, kEvenYoung)) bend = young;
    }
    if (bend->chance < kPossible) break;
    const bool any_doubt =
        std::ranges::any_of(bends, [](const Bend& known) { return known.chance < kCertain; });
    if (any_doubt && bend->chance < kCertain) break;
    if (bends.size() == kMostBends) return {};
    bends.push_back(*bend);
    straighten(*bend, &y);
    if (bend->chance < 0.5) break;
  }
  for (Bend& bend : bends) {
    bend.at += first;
    if (bend.chance >= kCertain) bend.chance = 1;
  }
  std::ranges::sort(bends, {}, &Bend::at);
  const auto last = std::ranges::find(bends.rbegin(), bends.rend(), 1.0, &Bend::chance);
  if (last != bends.rend()) last->since = growth_since(rest, last->at);
  return bends;
}

double chance_of_compound(std::span<const double> values, std::size_t season) {
  constexpr std::size_t kFewest = 8;
  if (values.size() < kFewest) return 0.5;
  const std::vector<double> logs = without_season(values, season);
  const LogLine line = fit_line(logs);
  const ValueLine straight = fit_value_line(logs);
  // What lies off the wrong line lasts, because it bends away.
  const bool is_compound = line.squares <= straight.squares;
  const double variance = std::min(line.squares, straight.squares) /
                          static_cast<double>(logs.size() - 2) *
                          (is_compound ? line.lasting : lasting_of(straight.residuals));
  if (!(variance > 0)) return 0.5;
  return likelihood_of((straight.squares - line.squares) / variance);
}

LineGrowth line_growth_of(std::span<const double> values, std::size_t season) {
  if (values.size() < 3) return {};
  const std::vector<double> logs = without_season(values, season);
  const LogLine line = fit_line(logs);
  const auto n = static_cast<double>(logs.size());
  return {line.per_step, std::sqrt(line.squares / (n - 2) * line.lasting / line.spread)};
}

}  // namespace plimsoll
