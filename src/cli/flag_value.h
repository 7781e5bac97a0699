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
  std::string must;
  std::string message;
  std::string hint;
};

struct Value {
  std::function<std::optional<Refusal>(Options&, std::string_view)> set;
  bool is_repeatable = false;  ///< may be given more than once
  bool is_switch = false;      ///< may stand without a value
  std::string default_text;    ///< for the help; empty = none
  std::vector<std::string> choices;
  /// Names that are likely but not the only ones; for completion.
  std::vector<std::string> (*known_names)() = nullptr;
};

Value integer(std::int64_t Options::*field, IntRange range);
Value integer(std::optional<std::int64_t> Options::*field, IntRange range);
Value number(double Options::*field, NumberRange range);
/// Finite numbers of at least 0, separated by commas.
Value numbers(std::vector<double> Options::*field);
/// "name:weight,name:weight" of routing scorers.
Value scorer_list(std::vector<ScorerWeight> Options::*field);
/// Any text but the empty one.
Value text(std::string Options::*field, std::vector<std::string> (*known_names)() = nullptr);
/// A text each time the flag is given.
Value texts(std::vector<std::string> Options::*field);
Value on_off(bool Options::*field);
/// One of the names a table of another room knows.
Value one_of(std::string Options::*field, std::vector<std::string> names);
Value one_of(std::optional<std::string> Options::*field, std::vector<std::string> names);

Refusal unknown_choice(std::string_view text, const std::vector<std::string>& names);
/// `feature` will bring it; `names` are built.
Refusal not_built(std::string_view text, std::string_view feature,
                  const std::vector<std::string>& names);

/// One of an enumeration's names, for a field of E or optional<E>.
template <class Field, class E>
Value one_of(Field Options::*field, Choices<E> table) {
  Value value;
  value.choices = names_of(table);
  if constexpr (std::is_same_v<Field, E>) value.default_text = name_of(table, Options{}.*field);
  value.set = [field, table](Options& options, std::string_view text) -> std::optional<Refusal> {
    if (const std::optional<E> chosen = value_of(table, text)) {
      options.*field = *chosen;
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
