// How the text of one flag becomes a field of Options. A Value is made by one of the functions
// below from the field it fills; flags.cc puts them into the table.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/text.h"
#include "cli/choices.h"
#include "cli/options.h"
#include "spec/spec_file.h"

namespace plimsoll {

/// Why a text was refused: `must` completes "--flag must be ...", or `message` stands alone.
struct Refusal {
  std::string must = {};
  std::string message = {};
  std::string hint = {};
};

struct Value {
  std::function<std::optional<Refusal>(Options&, std::string_view)> set;
  bool is_repeatable = false;  ///< may be given more than once
  bool is_switch = false;      ///< may stand without a value
  std::string default_text;    ///< for the help; empty = none
  std::vector<std::string> choices;
  /// Names that are likely but not the only ones; for completion.
  std::vector<std::string> (*known_names)() = nullptr;
  /// What a list separated by commas may hold, each with what usually follows it; for completion.
  std::vector<std::string> items;

  Value with_items(std::vector<std::string> names, std::string_view ending = "") &&;
};

/// Where the value goes: `&Options::field`, or a function for a field further inside.
template <class T>
using Place = std::function<T&(Options&)>;

Value integer(Place<std::int64_t> place, IntRange range);
Value integer(Place<std::optional<std::int64_t>> place, IntRange range);
Value number(Place<double> place, NumberRange range);
Value number(Place<std::optional<double>> place, NumberRange range);
/// A whole number of microseconds.
Value duration_us(Place<Duration> place, IntRange range);
/// Finite numbers of at least 0, separated by commas.
Value numbers(std::vector<double> Options::*field);
/// "name:weight,name:weight" of routing scorers.
Value scorer_list(std::vector<ScorerWeight> Options::*field);
/// Any text but the empty one.
Value text(std::string Options::*field, std::vector<std::string> (*known_names)() = nullptr);
/// A text each time the flag is given.
Value texts(std::vector<std::string> Options::*field);
/// Names of a table of another room, separated by commas.
Value some_of(std::vector<std::string> Options::*field, const std::vector<std::string>& names);
Value on_off(Place<bool> place);
/// One of the names a table of another room knows.
Value one_of(std::string Options::*field, std::vector<std::string> names);
Value one_of(std::optional<std::string> Options::*field, std::vector<std::string> names);

/// `name=value` pairs separated by commas, no name twice. `start` is called before the first,
/// `set` for each pair.
Value pairs(
    std::function<void(Options&)> start,
    std::function<std::optional<Refusal>(Options&, std::string_view name, std::string_view value)>
        set);

Refusal unknown_choice(std::string_view text, const std::vector<std::string>& names);
/// `feature` will bring it; `names` are built.
Refusal not_built(std::string_view text, std::string_view feature,
                  const std::vector<std::string>& names);

/// One of an enumeration's names, for a field of E or optional<E>.
template <class Where, class E>
Value one_of(Where where, Choices<E> table) {
  Value value;
  value.choices = names_of(table);
  Options usual;
  using Field = std::remove_cvref_t<std::invoke_result_t<Where, Options&>>;
  if constexpr (std::is_same_v<Field, E>) {
    value.default_text = name_of(table, std::invoke(where, usual));
  }
  value.set = [where, table](Options& options, std::string_view text) -> std::optional<Refusal> {
    if (const std::optional<E> chosen = value_of(table, text)) {
      std::invoke(where, options) = *chosen;
      return std::nullopt;
    }
    for (const Choice<E>& choice : table) {
      if (choice.name == text) return not_built(text, choice.help, names_of(table));
    }
    return unknown_choice(text, names_of(table));
  };
  return value;
}

}  // namespace plimsoll
