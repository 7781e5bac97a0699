#include "planner/rate_search.h"

#include <cmath>

#include "cluster/longer_steps.h"
#include "metrics/intervals.h"
#include "planner/rate_grid.h"
#include "random/portable_math.h"

namespace plimsoll {
namespace {

double between(double low, double high, double share) { return low * std::pow(high / low, share); }

// By a test that fails since its queue grows.
std::optional<double> served_rps(const LoadProbe& test) {
  const double growth = test.state.backlog_growth_rps;
  const bool grows = test.answer == Answer::fails && test.state.grows() && growth > 0;
  return grows && growth < test.rate_rps ? std::optional(test.rate_rps - growth) : std::nullopt;
}

constexpr double kPrecision = 0.03;
constexpr std::int64_t kRequests = 100'000;  // where the limits can be told with fewer

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

bool RateSearch::was_asked(double rate) const {
  return std::ranges::find(answers_, rate, &std::pair<double, Answer>::first) != answers_.end();
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

std::vector<double> RateSearch::next() const {
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
    ask(options_.guess * reach(), 0,
        kInfinite);  // what fails costs least, and may say what is served
  } else if (good_ <= 0) {
    const double low = std::min(above_good_, top);
    const double first = on_rate_grid(options_.guess / options_.first_step, options_.precision);
    if (low <= options_.lowest) return {};
    ask(served_ > 0 ? aimed(0, low) : first < low ? first : low / (reach() * reach()), 0, low);
  } else if (std::isinf(bad_) && high < options_.highest && high * reach() < furthest) {
    ask(high * reach(), high, kInfinite);
  } else if (above_good_ < top) {
    if (!is_close(good_, above_good_)) ask(between(good_, above_good_, 0.5), good_, above_good_);
    if (std::isfinite(top) && !is_close(below_bad_, top))
      ask(between(below_bad_, top, 0.5), below_bad_, top);
  } else if (std::isinf(top)) {
    return {};
  } else if (!is_close(good_, top) && served_ > 0) {
    ask(aimed(good_, top), good_, top);
  } else if (!is_close(good_, top)) {
    ask(between(good_, top, 1.0 / 3), good_, top);
    ask(between(good_, top, 2.0 / 3), good_, top);
  }
  rates.erase(std::unique(rates.begin(), rates.end()), rates.end());
  std::erase_if(rates, [&](double rate) { return was_asked(rate); });
  return rates;
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
  if (test.rate_rps < bad_) served_ = served_rps(test).value_or(served_);
  tell(test.rate_rps, test.answer);
}

void RateSearch::tell(double rate, Answer answer) {
  answers_.emplace_back(rate, answer);
  conclude();
}

std::optional<double> RateSearch::unconfirmed() const {
  const bool known = good_ <= 0 || good_ == options_.known_good || good_ == confirmed_;
  if (!options_.confirms || known || !next().empty()) return {};
  return good_;
}

void RateSearch::confirm(double rate, Answer answer) {
  if (answer == Answer::holds) confirmed_ = rate;
  std::ranges::find(answers_, rate, &std::pair<double, Answer>::first)->second =
      answer == Answer::holds ? answer : Answer::unclear;
  conclude();
}

void RateSearch::conclude() {
  good_ = 0;
  bad_ = std::numeric_limits<double>::infinity();
  for (const auto& [asked, said] : answers_) {
    if (said == Answer::fails) bad_ = std::min(bad_, asked);
  }
  // One of the answers may be wrong: what holds above a failure is in doubt.
  for (const auto& [asked, said] : answers_) {
    if (said == Answer::holds && asked < bad_) good_ = std::max(good_, asked);
  }
  above_good_ = bad_;
  below_bad_ = good_;
  for (const auto& [asked, said] : answers_) {
    if (said != Answer::unclear || asked <= good_ || asked >= bad_) continue;
    above_good_ = std::min(above_good_, asked);
    below_bad_ = std::max(below_bad_, asked);
  }
}

std::array<double, 2> step_factors(const ModelError& error) {
  const double z = portable_exp(error.step);
  return {1 / z, z};
}

ProbedSystem with_longer_steps(ProbedSystem system, double factor) {
  system.deployment = with_longer_steps(std::move(system.deployment), factor);
  if (!system.model_error) return system;
  for (Slo& slo : system.slos) {
    const double beside =
        error_beside_steps(*system.model_error, slo.metric, slo.percentile.value_or(0));
    const double stricter = portable_exp(factor > 1 ? beside : -beside);
    slo.limit = duration_from_us(1e3 * to_ms(slo.limit) / stricter);
  }
  return system;
}

RateSearchOptions search_with_longer_steps(double good_rps, double lowest_rps, double factor,
                                           bool confirms) {
  RateSearchOptions search;
  search.guess = good_rps / factor;  // steps that are longer by a factor leave about as much less
  search.precision = kPrecision;
  search.lowest = std::max(lowest_rps, good_rps / kMostWithLongerSteps);
  search.first_step = std::sqrt(1 + 0.9 * kPrecision);
  search.confirms = confirms && factor > 1;
  return search;
}

ProbeEffort effort_with_longer_steps(ProbeEffort effort, double factor,
                                     const std::vector<Slo>& slos) {
  if (factor > 1) return effort;
  const std::int64_t enough =
      std::max({effort.first_requests, kRequests, 2 * fewest_requests(slos)});
  effort.most_requests = std::min(effort.most_requests, enough);
  return effort;
}

Interval rates_with_model_error(double rate_rps, double with_long_rps, double with_short_rps) {
  return {std::fmin(with_long_rps, rate_rps), std::fmax(with_short_rps, rate_rps)};
}

Interval whole_interval(double answer, const Interval& sampled,
                        const std::optional<Interval>& model) {
  if (!model) return sampled;
  return {answer - std::hypot(answer - sampled.low, answer - model->low),
          answer + std::hypot(sampled.high - answer, model->high - answer)};
}

MinimumSearch::MinimumSearch(const MinimumSearchOptions& options)
    : options_(options), good_(options.most + 1), bad_(options.least - 1) {
  assert(0 < options.least && options.least <= options.most);
  options_.guess = std::clamp(options_.guess, options_.least, options_.most);
}

bool MinimumSearch::is_asked(std::int64_t number) const {
  return std::ranges::find(answers_, number, &std::pair<std::int64_t, Answer>::first) !=
         answers_.end();
}

bool MinimumSearch::asks_idle() const {
  return !answers_.empty() && !has_good() && !turned_away_ && top() < options_.most && !idle_ &&
         !has_aim();
}

std::int64_t MinimumSearch::largest_below_good() const {
  std::int64_t largest = bad_;
  for (const auto& [asked, said] : answers_) {
    if (asked < good_) largest = std::max(largest, asked);
  }
  return largest;
}

// Those next below the largest that fails, ascending, that nobody asked for yet.
std::vector<std::int64_t> MinimumSearch::below_bad() const {
  std::vector<std::int64_t> numbers;
  if (!finds_in_caches_) return numbers;
  constexpr std::int64_t kAskedBelow = 4;  // docs/explanation/capacity-search.md, "Pruning"
  for (std::int64_t n = std::max(bad_ - kAskedBelow, options_.least); n < bad_; ++n) {
    if (!is_asked(n)) numbers.push_back(n);
  }
  return numbers;
}

std::int64_t MinimumSearch::least_possible() const {
  const std::vector<std::int64_t> below = below_bad();
  return below.empty() ? bad_ + 1 : below.front();
}

std::vector<std::int64_t> MinimumSearch::next() const {
  std::vector<std::int64_t> numbers = next_above();
  const bool looks_below = (has_good() || bad_ == options_.most) && !is_turned_away();
  if (!numbers.empty() || !looks_below || idle_ == Answer::fails) return numbers;
  constexpr std::size_t kAtATime = 2;
  numbers = below_bad();
  if (numbers.size() > kAtATime) numbers.erase(numbers.begin(), numbers.end() - kAtATime);
  return numbers;
}

std::vector<std::int64_t> MinimumSearch::next_above() const {
  std::vector<std::int64_t> numbers;
  const auto ask = [&](std::int64_t number) {
    if (number > bad_ && number < good_ && !is_asked(number)) numbers.push_back(number);
  };
  if (idle_ == Answer::fails) return {};
  if (answers_.empty()) {
    ask(options_.guess);
    return numbers;
  }
  auto step = std::int64_t{1} << std::min<std::size_t>(answers_.size(), 40) / 2;
  constexpr std::int64_t kFinest = 64;  // one more of hundreds decides nothing
  step *= std::max<std::int64_t>(1, std::ranges::max(answers_).first / kFinest);
  if (!has_good()) {
    if (turned_away_ || asks_idle() || (idle_ && *idle_ != Answer::holds)) return {};
    if (has_aim()) return {std::min(serving_all_, options_.most)};
    // Up from the largest that was asked, in growing steps; after some, in shares of it.
    constexpr std::size_t kCloseTogether = 6;
    if (answers_.size() >= kCloseTogether) step = std::max(step, top() / 2);
    ask(std::min(top() + step / 2, options_.most));
    ask(std::min(top() + step, options_.most));
  } else if (bad() == 0 && std::ranges::min(answers_).first > options_.least) {
    const std::int64_t low = std::ranges::min(answers_).first;
    ask(std::max(low - step, options_.least));
    ask(std::max(low - step / 2, options_.least));
  } else {
    // The next to the smallest that holds decides; halving gets there. Where the middle stayed
    // unclear, all below it that was asked did: what is above that is halved.
    const std::int64_t low = is_asked((bad_ + good_) / 2) ? largest_below_good() : bad_;
    ask((low + good_) / 2);
    ask(good_ - 1);
  }
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

void MinimumSearch::tell(std::int64_t number, Answer answer) {
  answers_.emplace_back(number, answer);
  conclude();
}

void MinimumSearch::tell(const LoadProbe& test) {
  turned_away_ = turned_away_ || test.is_turned_away;
  finds_in_caches_ = finds_in_caches_ || test.summary.cluster.cache_hit_rate > 0;
  if (const auto served = served_rps(test)) {
    const double beside =
        static_cast<double>(options_.beside) / static_cast<double>(options_.instances);
    const double all =
        (static_cast<double>(asked_by(test)) + beside) * test.rate_rps / *served - beside;
    serving_all_ = std::llround(std::fmin(std::ceil(all), static_cast<double>(options_.most)));
  }
  tell(asked_by(test), test.answer);
}

std::optional<std::int64_t> MinimumSearch::unconfirmed() const {
  const bool open = options_.confirms && good() > 0 && good() != confirmed_;
  if (!open || !next().empty()) return {};
  return good();
}

void MinimumSearch::confirm(std::int64_t number, Answer answer) {
  if (answer == Answer::holds) confirmed_ = number;
  std::ranges::find(answers_, number, &std::pair<std::int64_t, Answer>::first)->second =
      answer == Answer::holds ? answer : Answer::unclear;
  conclude();
}

void MinimumSearch::conclude() {
  const auto largest_failing = [&](std::int64_t below) {
    std::int64_t largest = options_.least - 1;
    for (const auto& [asked, said] : answers_) {
      if (said == Answer::fails && asked < below) largest = std::max(largest, asked);
    }
    return largest;
  };
  const std::int64_t above = finds_in_caches_ ? 0 : largest_failing(options_.most + 1);
  good_ = options_.most + 1;
  for (const auto& [asked, said] : answers_) {
    if (said == Answer::holds && asked > above) good_ = std::min(good_, asked);
  }
  bad_ = largest_failing(good_);
}

}  // namespace plimsoll
