#include "cli/flag_value.h"

#include <algorithm>
#include <set>

#include "cluster/scorer.h"

namespace plimsoll {
namespace {

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
  std::string out = range.above_min ? "a number greater than " : "a number of at least ";
  out += shortest(range.min);
  if (range.max < NumberRange{}.max) out += " and at most " + shortest(range.max);
  return out;
}

bool read(std::string_view text, IntRange range, long long* value) {
  return parse_int(text, value) && *value >= range.min && *value <= range.max;
}

bool read(std::string_view text, NumberRange range, double* value) {
  return parse_double(text, value) && *value >= range.min && *value <= range.max &&
         !(range.above_min && *value == range.min);
}

template <class Field>
Value integer_value(Place<Field> place, IntRange range) {
  Value value;
  value.set = [=](Options& options, std::string_view text) -> std::optional<Refusal> {
    long long number = 0;
    if (!read(text, range, &number)) return Refusal{.must = describe(range)};
    place(options) = number;
    return std::nullopt;
  };
  return value;
}

template <class Field>
Value named_value(Field Options::*field, std::vector<std::string> names) {
  Value value;
  value.choices = names;
  value.set = [field, names = std::move(names)](Options& options,
                                                std::string_view text) -> std::optional<Refusal> {
    for (const std::string& name : names) {
      if (name != text) continue;
      options.*field = name;
      return std::nullopt;
    }
    return unknown_choice(text, names);
  };
  return value;
}

}  // namespace

Value Value::with_items(std::vector<std::string> names, std::string_view ending) && {
  items = std::move(names);
  for (std::string& item : items) item += ending;
  return std::move(*this);
}

Refusal unknown_choice(std::string_view text, const std::vector<std::string>& names) {
  return {.message = "has no value \"" + std::string(text) + "\"", .hint = suggestion(text, names)};
}

Refusal not_built(std::string_view text, std::string_view feature,
                  const std::vector<std::string>& names) {
  return {.message = std::string(text) + " is not built yet (" + std::string(feature) + ")",
          .hint = "built so far: " + join(names, ", ")};
}

Value integer(Place<std::int64_t> place, IntRange range) {
  Value value = integer_value(place, range);
  Options usual;
  value.default_text = std::to_string(place(usual));
  return value;
}

Value integer(Place<std::optional<std::int64_t>> place, IntRange range) {
  return integer_value(place, range);
}

Value number(Place<double> place, NumberRange range) {
  Value value;
  Options usual;
  value.default_text = shortest(place(usual));
  value.set = [=](Options& options, std::string_view text) -> std::optional<Refusal> {
    if (read(text, range, &place(options))) return std::nullopt;
    return Refusal{.must = describe(range)};
  };
  return value;
}

Value number(Place<std::optional<double>> place, NumberRange range) {
  Value value;
  value.set = [=](Options& options, std::string_view text) -> std::optional<Refusal> {
    double number = 0;
    if (!read(text, range, &number)) return Refusal{.must = describe(range)};
    place(options) = number;
    return std::nullopt;
  };
  return value;
}

Value duration_us(Place<Duration> place, IntRange range) {
  Value value;
  Options usual;
  value.default_text = std::to_string(place(usual).ns / 1000);
  value.set = [=](Options& options, std::string_view text) -> std::optional<Refusal> {
    long long us = 0;
    if (!read(text, range, &us)) {
      return Refusal{.must = describe(range)};
    }
    place(options) = microseconds(us);
    return std::nullopt;
  };
  return value;
}

Value pairs(
    std::function<void(Options&)> start,
    std::function<std::optional<Refusal>(Options&, std::string_view name, std::string_view value)>
        set) {
  Value value;
  value.set = [=](Options& options, std::string_view text) -> std::optional<Refusal> {
    start(options);
    std::set<std::string_view> names;
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t comma = std::min(text.find(',', begin), text.size());
      const std::string_view pair = text.substr(begin, comma - begin);
      const std::size_t equals = pair.find('=');
      if (equals == 0 || equals == std::string_view::npos || equals + 1 == pair.size()) {
        return Refusal{.must = "NAME=VALUE pairs separated by commas"};
      }
      const std::string_view name = pair.substr(0, equals);
      if (!names.insert(name).second) {
        return Refusal{
            .must = {}, .message = "names \"" + std::string(name) + "\" twice", .hint = {}};
      }
      if (auto refusal = set(options, name, pair.substr(equals + 1))) return refusal;
      begin = comma + 1;
    }
    return std::nullopt;
  };
  return value;
}

Value numbers(std::vector<double> Options::*field) {
  Value value;
  value.set = [=](Options& options, std::string_view text) -> std::optional<Refusal> {
    std::vector<double> list;
    std::size_t begin = 0;
    while (true) {
      const std::size_t comma = std::min(text.find(',', begin), text.size());
      double number = 0;
      if (!read(text.substr(begin, comma - begin), kNonNegative, &number)) {
        return Refusal{.must = "numbers of at least 0 separated by commas"};
      }
      list.push_back(number);
      if (comma == text.size()) break;
      begin = comma + 1;
    }
    options.*field = std::move(list);
    return std::nullopt;
  };
  return value;
}

Value scorer_list(std::vector<ScorerWeight> Options::*field) {
  Value value;
  value.set = [=](Options& options, std::string_view text) -> std::optional<Refusal> {
    auto list = parse_scorers(text);
    if (list) {
      options.*field = std::move(*list);
      return std::nullopt;
    }
    const Diagnostic& wrong = list.error().diagnostics.front();
    return Refusal{.must = {}, .message = wrong.message, .hint = wrong.hint};
  };
  return value;
}

Value text(std::string Options::*field, std::vector<std::string> (*known_names)()) {
  Value value;
  value.known_names = known_names;
  value.default_text = Options{}.*field;
  value.set = [=](Options& options, std::string_view given) -> std::optional<Refusal> {
    if (given.empty()) return Refusal{.message = "needs a value"};
    options.*field = std::string(given);
    return std::nullopt;
  };
  return value;
}

Value texts(std::vector<std::string> Options::*field) {
  Value value;
  value.is_repeatable = true;
  value.set = [=](Options& options, std::string_view given) -> std::optional<Refusal> {
    if (given.empty()) return Refusal{.message = "needs a value"};
    (options.*field).emplace_back(given);
    return std::nullopt;
  };
  return value;
}

Value some_of(std::vector<std::string> Options::*field, const std::vector<std::string>& names) {
  Value value;
  value.items = names;
  value.set = [=](Options& options, std::string_view text) -> std::optional<Refusal> {
    std::vector<std::string> list;
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t comma = std::min(text.find(',', begin), text.size());
      const std::string_view name = text.substr(begin, comma - begin);
      if (std::ranges::find(names, name) == names.end()) return unknown_choice(name, names);
      list.emplace_back(name);
      begin = comma + 1;
    }
    options.*field = std::move(list);
    return std::nullopt;
  };
  return value;
}

Value on_off(Place<bool> place) {
  Value value;
  value.is_switch = true;
  value.set = [=](Options& options, std::string_view text) -> std::optional<Refusal> {
    if (text != "true" && text != "false") {
      return Refusal{.must = "true or false"};
    }
    place(options) = text == "true";
    return std::nullopt;
  };
  return value;
}

Value one_of(std::string Options::*field, std::vector<std::string> names) {
  Value value = named_value(field, std::move(names));
  value.default_text = Options{}.*field;
  return value;
}

Value one_of(std::optional<std::string> Options::*field, std::vector<std::string> names) {
  return named_value(field, std::move(names));
}

}  // namespace plimsoll
