#include "cli/flag_value.h"

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
Value integer_value(Field Options::*field, IntRange range) {
  Value value;
  value.set = [=](Options& options, std::string_view text) -> std::optional<Refusal> {
    long long number = 0;
    if (!read(text, range, &number))
      return Refusal{.must = describe(range), .message = {}, .hint = {}};
    options.*field = number;
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

Refusal unknown_choice(std::string_view text, const std::vector<std::string>& names) {
  return {.must = {},
          .message = "has no value \"" + std::string(text) + "\"",
          .hint = suggestion(text, names)};
}

Refusal not_built(std::string_view text, std::string_view feature,
                  const std::vector<std::string>& names) {
  return {.must = {},
          .message = std::string(text) + " is not built yet (" + std::string(feature) + ")",
          .hint = "built so far: " + join(names, ", ")};
}

Value integer(std::int64_t Options::*field, IntRange range) {
  Value value = integer_value(field, range);
  value.default_text = std::to_string(Options{}.*field);
  return value;
}

Value integer(std::optional<std::int64_t> Options::*field, IntRange range) {
  return integer_value(field, range);
}

Value number(double Options::*field, NumberRange range) {
  Value value;
  value.default_text = shortest(Options{}.*field);
  value.set = [=](Options& options, std::string_view text) -> std::optional<Refusal> {
    if (read(text, range, &(options.*field))) return std::nullopt;
    return Refusal{.must = describe(range), .message = {}, .hint = {}};
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
        return Refusal{
            .must = "numbers of at least 0 separated by commas", .message = {}, .hint = {}};
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
    if (given.empty()) return Refusal{.must = {}, .message = "needs a value", .hint = {}};
    options.*field = std::string(given);
    return std::nullopt;
  };
  return value;
}

Value texts(std::vector<std::string> Options::*field) {
  Value value;
  value.is_repeatable = true;
  value.set = [=](Options& options, std::string_view given) -> std::optional<Refusal> {
    if (given.empty()) return Refusal{.must = {}, .message = "needs a value", .hint = {}};
    (options.*field).emplace_back(given);
    return std::nullopt;
  };
  return value;
}

Value on_off(bool Options::*field) {
  Value value;
  value.is_switch = true;
  value.set = [=](Options& options, std::string_view text) -> std::optional<Refusal> {
    if (text != "true" && text != "false") {
      return Refusal{.must = "true or false", .message = {}, .hint = {}};
    }
    options.*field = text == "true";
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
