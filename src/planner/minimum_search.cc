#include "planner/minimum_search.h"

#include <cassert>
#include <cmath>

#include "base/lists.h"

namespace plimsoll {

MinimumSearch::MinimumSearch(const MinimumSearchOptions& options)
    : options_(options), good_(options.most + 1), bad_(options.least - 1) {
  assert(0 < options.least && options.least <= options.most);
  options_.guess = std::clamp(options_.guess, options_.least, options_.most);
}

bool MinimumSearch::is_asked(std::int64_t number) const {
  return contains(answers_, number, &std::pair<std::int64_t, Answer>::first);
}

bool MinimumSearch::asks_idle() const {
  return !answers_.empty() && !has_good() && !hopeless_ && top() < options_.most && !idle_ &&
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

std::int64_t MinimumSearch::highest() const {
  constexpr std::int64_t kFarAbove = 8;
  const std::int64_t needed = std::max(options_.guess, serving_all_);
  return idle_ == Answer::unclear ? std::min(options_.most, kFarAbove * needed) : options_.most;
}

std::vector<std::int64_t> MinimumSearch::next() const {
  std::vector<std::int64_t> numbers = next_above();
  const bool looks_below = (has_good() || bad_ == options_.most) && !is_hopeless();
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
    if (hopeless_ || asks_idle()) return {};
    if (has_aim()) return {std::min(serving_all_, options_.most)};
    // Up from the largest that was asked, in growing steps; after some, in shares of it.
    constexpr std::size_t kCloseTogether = 6;
    if (answers_.size() >= kCloseTogether) step = std::max(step, top() / 2);
    ask(std::min(top() + step / 2, highest()));
    ask(std::min(top() + step, highest()));
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

// At least twice as many as in an earlier test serve hardly more than those did, in both of which
// the router left instances idle.
bool MinimumSearch::serves_no_more(const LoadProbe& test, double served_rps) {
  constexpr double kHardlyMore = 1.25;
  if (test.summary.bottleneck.lever.cause != Remedy::spread_requests) return false;
  const std::int64_t number = asked_by(test);
  const bool no_more = std::ranges::any_of(uneven_, [&](const auto& earlier) {
    return number >= 2 * earlier.first && served_rps < kHardlyMore * earlier.second;
  });
  uneven_.emplace_back(number, served_rps);
  return no_more;
}

void MinimumSearch::tell(std::int64_t number, Answer answer) {
  answers_.emplace_back(number, answer);
  conclude();
}

void MinimumSearch::tell(const LoadProbe& test) {
  hopeless_ = hopeless_ || test.is_turned_away;
  finds_in_caches_ = finds_in_caches_ || test.summary.cluster.cache_hit_rate > 0;
  if (const auto served = test.served_rps()) {
    const double beside =
        static_cast<double>(options_.beside) / static_cast<double>(options_.instances);
    const double all =
        (static_cast<double>(asked_by(test)) + beside) * test.rate_rps / *served - beside;
    serving_all_ = std::llround(std::fmin(std::ceil(all), static_cast<double>(options_.most)));
    hopeless_ = hopeless_ || serves_no_more(test, *served);
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
