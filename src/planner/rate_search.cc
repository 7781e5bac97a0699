#include "planner/rate_search.h"

#include <cmath>

#include "cluster/longer_steps.h"
#include "random/portable_math.h"

namespace plimsoll {
namespace {

/// To four digits: rates that can be typed again.
double rounded(double rate) {
  const double digits = std::floor(std::log10(rate)) - 3;
  // Dividing by a whole power gives the double nearest to the decimal number.
  if (digits < 0) return std::round(rate * std::pow(10, -digits)) / std::pow(10, -digits);
  return std::round(rate / std::pow(10, digits)) * std::pow(10, digits);
}

double between(double low, double high, double share) { return low * std::pow(high / low, share); }

constexpr double kPrecision = 0.03;
constexpr std::int64_t kRequests = 100'000;

}  // namespace

RateSearchOptions headroom_search(double held_rps, bool confirms) {
  RateSearchOptions search;
  search.precision = 0.05;
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

std::vector<double> RateSearch::next() const {
  const double top = std::min(bad_, options_.highest);
  std::vector<double> rates;
  if (answers_.empty()) {
    rates = {options_.guess / reach(), options_.guess * reach()};
  } else if (good_ <= 0) {
    const double low = std::min(above_good_, top);
    if (low <= options_.lowest) return {};
    rates = {low / (reach() * reach()), low / reach()};
  } else if (std::isinf(bad_) && std::max(below_bad_, good_) < options_.highest) {
    const double high = std::max(below_bad_, good_);
    rates = {high * reach(), high * reach() * reach()};
  } else if (above_good_ < top) {
    if (!is_close(good_, above_good_)) rates.push_back(between(good_, above_good_, 0.5));
    if (!is_close(below_bad_, top)) rates.push_back(between(below_bad_, top, 0.5));
  } else if (!is_close(good_, top)) {
    rates = {between(good_, top, 1.0 / 3), between(good_, top, 2.0 / 3)};
    if (is_close(good_, rates[0])) rates = {between(good_, top, 0.5)};
  }
  for (double& rate : rates) {
    rate = std::clamp(rounded(rate), options_.lowest, options_.highest);
  }
  rates.erase(std::unique(rates.begin(), rates.end()), rates.end());
  std::erase_if(rates, [&](double rate) { return was_asked(rate); });
  return rates;
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
  return system;
}

RateSearchOptions search_with_longer_steps(double good_rps, double lowest_rps, double factor) {
  RateSearchOptions search;
  search.guess = good_rps / factor;  // steps that are longer by a factor leave about as much less
  search.precision = kPrecision;
  search.lowest = lowest_rps;
  search.first_step = std::sqrt(1 + 0.9 * kPrecision);
  return search;
}

ProbeEffort look_effort(ProbeEffort effort) {
  effort.most_requests = std::min(effort.most_requests, std::max(effort.first_requests, kRequests));
  return effort;
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
  return !answers_.empty() && !has_good() && !turned_away_ && top() < options_.most && !idle_;
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
    ask(options_.guess - 1);
    ask(options_.guess);
    return numbers;
  }
  auto step = std::int64_t{1} << std::min<std::size_t>(answers_.size(), 40) / 2;
  if (!has_good()) {
    if (turned_away_ || asks_idle() || (idle_ && *idle_ != Answer::holds)) return {};
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
    // The next to the smallest that holds decides; halving gets there.
    ask((bad_ + good_) / 2);
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
