#include "planner/rate_search.h"

#include <cmath>

#include "base/lists.h"
#include "planner/rate_grid.h"
#include "random/portable_math.h"

namespace plimsoll {
namespace {

constexpr int kFewRefuted = 3;  // by luck, next to the limit

double between(double low, double high, double share) { return low * std::pow(high / low, share); }

}  // namespace

RateSearchOptions headroom_search(double held_rps, bool confirms) {
  RateSearchOptions search;
  search.lowest = search.known_good = held_rps;
  search.confirms = confirms;
  return search;
}

// Where the guess is further off, steps grow fast: 1.1, 1.21, 1.46, 2.1.
double RateSearch::reach() const {
  return std::pow(options_.first_step, std::exp2(static_cast<double>(answers_.size()) / 2));
}

const RateSearch::Told* RateSearch::told(double rate) const {
  return find_in(answers_, rate, &Told::rate);
}

bool RateSearch::is_close(double low, double high) const {
  return next_rate_above(low, options_.precision) >= high;
}

// The rate of the grid next to this one that lies between both, which are not close.
double RateSearch::inside(double rate, double low, double high) const {
  rate = on_rate_grid(rate, options_.precision);
  if (rate >= high) rate = next_rate_below(high, options_.precision);
  return rate <= low ? next_rate_above(low, options_.precision) : rate;
}

// Where the seed decides, as it does where a router gathers what shares a prompt, rates far apart
// may all hold with the first seed and fail with another: then each is confirmed when it is asked.
bool RateSearch::is_doubted() const { return refuted_ > kFewRefuted; }

// Further and further below what was refuted; then halfway to it from what all seeds hold.
std::optional<double> RateSearch::next_doubted() const {
  double high = std::min(bad_, options_.highest);
  for (const Told& one : answers_) {
    if (one.rate > good_ && one.answer != Answer::holds) high = std::min(high, one.rate);
  }
  if (good_ > 0 ? is_close(good_, high) : high <= options_.lowest) return {};
  constexpr int kMost = 30;
  const double steps = std::ldexp(1, std::min(refuted_ - kFewRefuted, kMost));
  const double rate = high * std::pow(1 + options_.precision, -steps);
  const double middle = good_ > 0 ? between(good_, high, 0.5) : 0;
  return std::max(inside(std::max(rate, middle), good_, high), options_.lowest);
}

std::vector<double> RateSearch::next() const {
  if (is_doubted()) {
    const auto rate = next_doubted();
    return rate && told(*rate) == nullptr ? std::vector{*rate} : std::vector<double>();
  }
  const double top = std::min(bad_, options_.highest);
  std::vector<double> rates;
  const auto ask = [&](double rate, double low, double high) {
    rate = std::clamp(rate, options_.lowest, options_.highest);  // steps grow without end
    rates.push_back(std::clamp(inside(rate, low, high), options_.lowest, options_.highest));
  };
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  // All the traffic at once may still be too close to call: there is no end of such rates.
  constexpr double kFurthest = 1e4;
  const double furthest = kFurthest * std::max(options_.guess, good_);
  const double high = std::max(below_bad_, good_);
  if (answers_.empty()) {
    // Above the guess first: what fails costs least, and may say what is served.
    ask(options_.guess * reach(), 0, kInfinite);
  } else if (good_ <= 0) {
    // Nothing holds yet: go down.
    const double low = std::min(above_good_, top);
    if (low <= options_.lowest) return {};
    ask(below(low), 0, low);
  } else if (std::isinf(bad_) && high < options_.highest && high * reach() < furthest) {
    // Nothing fails yet: go up.
    ask(high * reach(), high, kInfinite);
  } else if (above_good_ < top) {
    // What is between stayed unclear: go from both of its ends towards what is clear.
    if (!is_close(good_, above_good_)) ask(away(above_good_, good_), good_, above_good_);
    if (std::isfinite(top) && !is_close(below_bad_, top))
      ask(away(below_bad_, top), below_bad_, top);
  } else if (std::isinf(top) || is_close(good_, top)) {
    return {};
  } else if (const auto rate = between_limits()) {
    ask(*rate, good_, top);
  } else {
    ask(between(good_, top, 1.0 / 3), good_, top);
    ask(between(good_, top, 2.0 / 3), good_, top);
  }
  rates.erase(std::unique(rates.begin(), rates.end()), rates.end());
  std::erase_if(rates, [&](double rate) { return told(rate) != nullptr; });
  return rates;
}

// From what stayed unclear towards what did not. Limits are close to it: first the next rate, then
// further away, the more there is that stays unclear, at most half the way.
double RateSearch::away(double unclear, double clear) const {
  constexpr std::int64_t kMost = 60;
  const auto others = std::ranges::count(answers_, Answer::unclear, &Told::answer) - 1;
  const double steps = std::exp2(static_cast<double>(std::min(others, kMost))) - 1;
  const double all = std::fabs(portable_log(clear / unclear));
  return between(unclear, clear, std::fmin(0.5, steps * options_.precision / all));
}

// Below the lowest rate that was asked, which does not hold. Latencies as powers of the rate, whose
// exponent two tests show, say where they meet their limits; the more often that was too high, the
// further below.
double RateSearch::below(double low) const {
  constexpr std::size_t kDoubtful = 3;
  constexpr double kNear = 1.5;
  // Is there anything to be found above the end? One test there says so.
  if (answers_.size() >= kDoubtful && low < kNear * options_.lowest) return options_.lowest;
  const Told& lowest = *told(low);
  if (!lowest.strain && served_ > 0) return aimed(0, low);
  if (!lowest.strain) {
    const double first = on_rate_grid(options_.guess / options_.first_step, options_.precision);
    return first < low ? first : low / (reach() * reach());
  }
  const Told* next = nullptr;
  int strained = 0;
  for (const Told& one : answers_) {
    if (!one.strain) continue;
    strained += 1;
    if (one.rate > low && (next == nullptr || one.rate < next->rate)) next = &one;
  }
  const bool is_near_overload = low < 1.05 * served_;
  double exponent = is_near_overload ? 15 : 1.5;  // of TTFT there, of E2E about 1
  constexpr double kLeastExponent = 0.3;
  if (next != nullptr) {
    exponent = (*next->strain - *lowest.strain) / portable_log(next->rate / low);
    exponent = std::fmax(exponent, kLeastExponent);
  }
  const double furthest = is_near_overload ? 0.04 : 0.5;
  const double excess = lowest.answer == Answer::fails ? std::fmax(*lowest.strain, 0) : 0;
  const double drop = excess / exponent + options_.precision;
  return low * portable_exp(-std::ldexp(std::fmin(drop, furthest), std::max(0, strained - 4)));
}

// Where a straight line says that latencies meet their limits (in logarithms), or queues begin to
// grow. An end that stays counts half as much with each test (the Illinois algorithm).
std::optional<double> RateSearch::between_limits() const {
  const Told* holds = told(good_);
  const Told* fails = told(bad_);
  if (fails == nullptr) return {};
  if (!fails->strain && served_ > 0) return aimed(good_, bad_);
  if (!fails->strain || !holds->strain || *holds->strain >= 0 || *fails->strain <= 0) return {};
  const auto others =
      std::ranges::find_if(answers_.rbegin(), answers_.rend(),
                           [&](const Told& one) { return one.answer != answers_.back().answer; });
  const auto stays = static_cast<int>(others - answers_.rbegin()) - 1;
  double to_good = -*holds->strain;
  double to_bad = *fails->strain;
  double& of_other = answers_.back().answer == Answer::holds ? to_bad : to_good;
  of_other = std::ldexp(of_other, -stays);
  return between(good_, bad_, to_good / (to_good + to_bad));
}

// Near what was served, then away from there in growing steps; the first one of them, if it is the
// last one, too, leaves good and bad close enough.
double RateSearch::aimed(double good, double bad) const {
  const double step = 1 + options_.precision;
  const double aim = served_ / step;
  double rate = aim;
  if (aim <= good) rate = good * step * std::fmax(1, good / aim);
  if (aim >= bad) rate = bad / step * std::fmin(1, bad / aim);
  return good <= 0 || (rate > good && rate < bad) ? rate : between(good, bad, 0.5);
}

void RateSearch::tell(const LoadProbe& test) {
  if (test.rate_rps < bad_) served_ = test.served_rps().value_or(served_);
  answers_.push_back({test.rate_rps, test.answer, test.strain()});
  conclude();
}

void RateSearch::tell(double rate, Answer answer) {
  answers_.push_back({rate, answer, {}});
  conclude();
}

std::optional<double> RateSearch::unconfirmed() const {
  if (is_doubted()) return next().empty() ? next_doubted() : std::nullopt;
  const bool known = good_ <= 0 || good_ == options_.known_good || good_ == confirmed_;
  if (!options_.confirms || known || !next().empty()) return {};
  return good_;
}

void RateSearch::confirm(double rate, Answer answer) {
  if (answer == Answer::holds) confirmed_ = rate;
  if (answer != Answer::holds) refuted_ += 1;
  std::ranges::find(answers_, rate, &Told::rate)->answer =
      answer == Answer::holds ? answer : Answer::unclear;
  conclude();
}

void RateSearch::conclude() {
  good_ = 0;
  bad_ = std::numeric_limits<double>::infinity();
  for (const auto& [asked, said, strain] : answers_) {
    if (said == Answer::fails) bad_ = std::min(bad_, asked);
  }
  // One of the answers may be wrong: what holds above a failure is in doubt.
  for (const auto& [asked, said, strain] : answers_) {
    if (said == Answer::holds && asked < bad_) good_ = std::max(good_, asked);
  }
  if (is_doubted()) good_ = std::max(confirmed_, options_.known_good);
  above_good_ = bad_;
  below_bad_ = good_;
  for (const auto& [asked, said, strain] : answers_) {
    if (said != Answer::unclear || asked <= good_ || asked >= bad_) continue;
    above_good_ = std::min(above_good_, asked);
    below_bad_ = std::max(below_bad_, asked);
  }
}

}  // namespace plimsoll
