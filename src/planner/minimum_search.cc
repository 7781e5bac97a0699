#include "planner/minimum_search.h"

#include <algorithm>

namespace plimsoll {

MinimumSearch::MinimumSearch(const MinimumSearchOptions& options)
    : options_(options), good_(options.most + 1), bad_(options.least - 1) {
  options_.guess = std::clamp(options_.guess, options_.least, options_.most);
}

bool MinimumSearch::is_asked(std::int64_t number) const {
  return std::ranges::find(answers_, number, &std::pair<std::int64_t, Answer>::first) !=
         answers_.end();
}

bool MinimumSearch::asks_idle() const {
  return !answers_.empty() && !has_good() && !turned_away_ && top() < options_.most && !idle_;
}

std::vector<std::int64_t> MinimumSearch::next() const {
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
    constexpr std::size_t kSome = 6;
    if (answers_.size() >= kSome) step = std::max(step, top() / 2);
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
  tell(test.instances, test.answer);
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
  bad_ = options_.least - 1;
  good_ = options_.most + 1;
  for (const auto& [asked, said] : answers_) {
    if (said == Answer::fails) bad_ = std::max(bad_, asked);
  }
  for (const auto& [asked, said] : answers_) {
    if (said == Answer::holds && asked > bad_) good_ = std::min(good_, asked);
  }
}

}  // namespace plimsoll
