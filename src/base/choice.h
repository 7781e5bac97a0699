// Named values of an enumeration: the one way from a name to its value and back. The tables feed
// the parser, the readers of files, the help, `plimsoll list` and the error messages.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace plimsoll {

/// A value without an enumerator is known from the reference simulator but not built yet; `help`
/// then names the feature that brings it.
template <class E>
struct Choice {
  std::string_view name;
  std::optional<E> value;
  std::string_view help;  ///< one line
};

template <class E>
using Choices = std::span<const Choice<E>>;

/// None for a name that the table does not hold, or that is not built yet.
template <class E>
std::optional<E> value_of(Choices<E> table, std::string_view name) {
  for (const Choice<E>& choice : table) {
    if (choice.name == name) return choice.value;
  }
  return std::nullopt;
}

/// The first name of a value; empty when the table does not hold it.
template <class E>
std::string name_of(Choices<E> table, std::type_identity_t<E> value) {
  for (const Choice<E>& choice : table) {
    if (choice.value == value) return std::string(choice.name);
  }
  return {};
}

/// The names of the values that are built.
template <class E>
std::vector<std::string> names_of(Choices<E> table) {
  std::vector<std::string> names;
  for (const Choice<E>& choice : table) {
    if (choice.value) names.emplace_back(choice.name);
  }
  return names;
}

}  // namespace plimsoll
