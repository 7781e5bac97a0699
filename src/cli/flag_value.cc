#include "cli/flag_value.h"

#include <cmath>
#include <set>

#include "base/lists.h"
#include "base/text.h"
#include "cluster/scorer.h"

namespace plimsoll {
namespace {

const Options kUsual = Options();

std::string describe(IntRange range) {
  const bool has_low = range.min != IntRange{}.min;
  const bool has_high = range.max != IntRange{}.max;
  if (has_low && has_high) {
    return "a whole number from " + std::to_string(range.min) + " to " + std::to_string(range.max);
  }
  if (has_low) return "a whole number of at least " + std::to_string(range.min);
  return "a whole number";
}

std::string describe(NumberRange range) {
  const bool has_high = range.max < NumberRange{}.max;
  return std::string(has_high ? "a number " : "a finite number ") +
         (range.above_min ? "greater than " : "of at least ") + shortest(range.min) +
         (has_high ? " and at most " + shortest(range.max) : "");
}

std::string describe_list(NumberRange range) {
  const bool has_high = range.max < NumberRange{}.max;
  return (has_high ? "numbers from " + shortest(range.min) + " to " + shortest(range.max)
                   : "numbers of at least " + shortest(range.min)) +
         " separated by commas";
}

// "2000000" or "2e6".
bool read_whole(std::string_view text, long long* value) {
  if (parse_int(text, value)) return true;
  constexpr double kExact = 9e15;  // every whole number up to it is a double
  double number = 0;
  const bool has_exponent = text.find_first_of("eE") != std::string_view::npos;
  if (!has_exponent || !parse_double(text, &number)) return false;
  if (std::trunc(number) != number || std::fabs(number) > kExact) return false;
  *value = static_cast<long long>(number);
  return true;
}

bool read(std::string_view text, IntRange range, long long* value) {
  return read_whole(text, value) && *value >= range.min && *value <= range.max;
}

bool read(std::string_view text, NumberRange range, double* value) {
  return parse_double(text, value) && *value >= range.min && *value <= range.max &&
         !(range.above_min && *value == range.min);
}

// Each item of a list separated by commas.
template <class T>
Reading<std::vector<T>> read_list(std::string_view text,
                                  const std::function<Reading<T>(std::string_view)>& read_item) {
  std::vector<T> list;
  for (const std::string_view part : split_at(text, ',')) {
    auto item = read_item(part);
    if (!item) return tl::unexpected(std::move(item.error()));
    list.push_back(std::move(*item));
  }
  return list;
}

template <class Field>
Value integer_value(Place<Field> place, IntRange range) {
  Value value = value_at<Field>(
      std::move(place),
      [=](std::string_view text) -> Reading<std::int64_t> {
        long long number = 0;
        if (read(text, range, &number)) return number;
        return tl::unexpected(Refusal{.must = describe(range)});
      },
      [](const std::int64_t& number) { return std::to_string(number); });
  value.kind = ValueKind::integer;
  return value;
}

template <class Field>
Value number_value(Place<Field> place, NumberRange range) {
  Value value = value_at<Field>(
      std::move(place), [=](std::string_view text) { return read_number(text, range, false); },
      [](const double& number) { return shortest(number); });
  value.kind = ValueKind::number;
  return value;
}

template <class Field>
Value text_value(Place<Field> place, std::vector<std::string> (*known_names)()) {
  Value value = value_at<Field>(
      std::move(place),
      [](std::string_view given) -> Reading<std::string> {
        if (!given.empty()) return std::string(given);
        return tl::unexpected(Refusal{.message = "needs a value"});
      },
      [](const std::string& content) { return content; });
  value.known_names = known_names;
  return value;
}

Reading<std::string> read_name(std::string_view text, const std::vector<std::string>& names) {
  if (contains(names, text)) return std::string(text);
  return tl::unexpected(unknown_choice(text, names));
}

template <class Field>
Value named_value(Place<Field> place, const std::vector<std::string>& names) {
  Value value = value_at<Field>(
      std::move(place), [names](std::string_view text) { return read_name(text, names); },
      [](const std::string& name) { return name; });
  value.choices = names;
  return value;
}

}  // namespace

Value Value::with_items(std::vector<std::string> names, std::string_view ending) && {
  items = std::move(names);
  for (std::string& item : items) item += ending;
  return std::move(*this);
}

Value Value::usually(std::string words) && {
  default_words = std::move(words);
  return std::move(*this);
}

Refusal unknown_choice(std::string_view text, const std::vector<std::string>& names) {
  return {.message = "cannot be \"" + std::string(text) + "\"", .hint = suggestion(text, names)};
}

Refusal not_built(std::string_view text, std::string_view feature,
                  const std::vector<std::string>& names) {
  return {.message = std::string(text) + " is not supported yet (" + std::string(feature) + ")",
          .hint = "supported: " + join(names, ", ")};
}

Reading<double> read_number(std::string_view text, NumberRange range, bool is_whole) {
  if (is_whole) {
    const IntRange whole{static_cast<std::int64_t>(range.min),
                         static_cast<std::int64_t>(range.max)};
    long long number = 0;
    if (read(text, whole, &number)) return static_cast<double>(number);
    return tl::unexpected(Refusal{.must = describe(whole)});
  }
  double number = 0;
  if (read(text, range, &number)) return number;
  Refusal refusal{.must = describe(range)};
  const std::string_view bare = text.substr(0, text.size() - 1);
  if (text.ends_with('%') && read(bare, range, &number))
    refusal.hint = "leave out the percent sign: " + std::string(bare);
  return tl::unexpected(std::move(refusal));
}

Value integer(Place<Setting<std::int64_t>> place, IntRange range) {
  Value value = integer_value(place, range);
  value.default_text = std::to_string(*place(kUsual));
  return value;
}

Value integer(Place<std::optional<std::int64_t>> place, IntRange range) {
  return integer_value(std::move(place), range);
}

Value number(Place<Setting<double>> place, NumberRange range) {
  Value value = number_value(place, range);
  value.default_text = shortest(*place(kUsual));
  return value;
}

Value number(Place<std::optional<double>> place, NumberRange range) {
  return number_value(std::move(place), range);
}

Value duration_us(Place<Setting<Duration>> place, IntRange range) {
  const auto write = [](const Duration& span) { return std::to_string(span.ns / 1000); };
  std::string usual = write(place(kUsual));
  Value value = value_at<Setting<Duration>>(
      std::move(place),
      [=](std::string_view text) -> Reading<Duration> {
        long long us = 0;
        if (read(text, range, &us)) return microseconds(us);
        return tl::unexpected(Refusal{.must = describe(range)});
      },
      write);
  value.kind = ValueKind::integer;
  value.default_text = std::move(usual);
  return value;
}

std::optional<Refusal> read_pairs(
    std::string_view text,
    const std::function<std::optional<Refusal>(std::string_view name, std::string_view value)>&
        put) {
  std::set<std::string_view> names;
  for (const std::string_view pair : split_at(text, ',')) {
    const std::size_t equals = pair.find('=');
    if (equals == 0 || equals == std::string_view::npos || equals + 1 == pair.size()) {
      return Refusal{.must = "NAME=VALUE pairs separated by commas"};
    }
    const std::string_view name = pair.substr(0, equals);
    if (!names.insert(name).second) {
      return Refusal{.message = "names \"" + std::string(name) + "\" twice"};
    }
    if (auto refusal = put(name, pair.substr(equals + 1))) return refusal;
  }
  return std::nullopt;
}

Value numbers(Place<std::vector<double>> place, NumberRange range) {
  return value_at<std::vector<double>>(
      std::move(place),
      [range](std::string_view text) {
        return read_list<double>(text, [range](std::string_view item) -> Reading<double> {
          double number = 0;
          if (read(item, range, &number)) return number;
          return tl::unexpected(Refusal{.must = describe_list(range)});
        });
      },
      [](const std::vector<double>& list) { return join(mapped(list, shortest), ","); });
}

Value scorer_list(Place<Setting<std::vector<ScorerWeight>>> place) {
  return value_at<Setting<std::vector<ScorerWeight>>>(
      std::move(place),
      [](std::string_view text) -> Reading<std::vector<ScorerWeight>> {
        auto list = parse_scorers(text);
        if (list) return std::move(*list);
        const Diagnostic& wrong = list.error().diagnostics.front();
        return tl::unexpected(Refusal{.message = wrong.message, .hint = wrong.hint});
      },
      scorers_text);
}

Value text(Place<std::string> place, std::vector<std::string> (*known_names)()) {
  return text_value(std::move(place), known_names);
}

Value text(Place<Setting<std::string>> place, std::vector<std::string> (*known_names)()) {
  Value value = text_value(place, known_names);
  value.default_text = *place(kUsual);
  return value;
}

Value texts(Place<std::vector<std::string>> place) {
  Value value;
  value.is_repeatable = true;
  value.set = [place](Options& options, std::string_view given, Origin) -> std::optional<Refusal> {
    if (given.empty()) return Refusal{.message = "needs a value"};
    place(options).emplace_back(given);
    return std::nullopt;
  };
  value.origin = [place](const Options& options) {
    return place(options).empty() ? Origin::usual : Origin::asked;
  };
  value.texts = [place](const Options& options) { return place(options); };
  return value;
}

Value some_of(Place<std::vector<std::string>> place, const std::vector<std::string>& names) {
  Value value = value_at<std::vector<std::string>>(
      std::move(place),
      [names](std::string_view text) {
        return read_list<std::string>(
            text, [&](std::string_view name) { return read_name(name, names); });
      },
      [](const std::vector<std::string>& list) { return join(list, ","); });
  value.items = names;
  return value;
}

Value on_off(Place<Setting<bool>> place) {
  Value value = value_at<Setting<bool>>(
      std::move(place),
      [](std::string_view text) -> Reading<bool> {
        if (text == "true" || text == "false") return text == "true";
        return tl::unexpected(Refusal{.must = "true or false"});
      },
      [](const bool& on) { return std::string(on ? "true" : "false"); });
  value.is_switch = true;
  return value;
}

Value one_of(Place<std::string> place, std::vector<std::string> names) {
  return named_value(std::move(place), names);
}

Value one_of(Place<Setting<std::string>> place, std::vector<std::string> names) {
  Value value = named_value(place, names);
  value.default_text = *place(kUsual);
  return value;
}

Value one_of(Place<std::optional<std::string>> place, std::vector<std::string> names) {
  return named_value(std::move(place), names);
}

}  // namespace plimsoll
