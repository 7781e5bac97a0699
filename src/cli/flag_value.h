// How the text of one flag becomes a setting of a specification, and the setting that text again. A
// Value is made by one of the functions below from the place it fills; flags.cc puts them into the
// table.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <tuple>
#include <utility>
#include <vector>

#include "cli/options.h"
#include "spec/spec_file.h"

namespace plimsoll {

/// Why a text was refused: `must` completes "--flag must be ...", or `message` stands alone.
struct Refusal {
  std::string must = {};
  std::string message = {};
  std::string hint = {};
};

/// The type of a value where it has one, as in Python. A list or pairs are text.
enum class ValueKind { text, integer, number };

struct Value {
  std::function<std::optional<Refusal>(Options&, std::string_view, Origin)> set;
  /// Who chose what the options say; nobody: `texts` may not be called.
  std::function<Origin(const Options&)> origin;
  /// The texts that the flag has to be given for the options to say it: one text, or more if
  /// repeatable.
  std::function<std::vector<std::string>(const Options&)> texts;
  ValueKind kind = ValueKind::text;
  bool asks = false;           ///< it is one of question_parts(), not of this machine
  bool is_repeatable = false;  ///< may be given more than once
  bool is_switch = false;      ///< may stand without a value
  std::string default_text;    ///< for the help; empty = none
  /// Likewise in words, where the field has none to show: "as listed for the model".
  std::string default_words;
  std::vector<std::string> choices;
  /// Names that are likely but not the only ones; for completion.
  std::vector<std::string> (*known_names)() = nullptr;
  /// The items that a list separated by commas may hold, each with what usually follows it; for
  /// completion.
  std::vector<std::string> items;

  Value with_items(std::vector<std::string> names, std::string_view ending = "") &&;
  Value usually(std::string words) &&;
};

/// The parts that ask: a stranger may say it, as far as it names no file.
inline auto question_parts(const Options& o) {
  const RunSpec& run = o.run;
  return std::tie(run, run.model, run.hardware, run.layout, run.speculation, run.step_time,
                  run.engine, run.cluster, run.cluster.flow_control, run.split, run.fleet,
                  run.traffic, run.traffic.trace, o.metrics, o.limits, o.capacity, o.plan,
                  o.forecast, o.compare, o.prices);
}

/// The parts that say what is done with it on this machine, or with others.
inline auto machine_parts(const Options& o) {
  return std::tie(o.calibration, o.server, o.server.limits, o.conversion, o.outputs, o.plan_files,
                  o.sharing, o.serve, o.console);
}

template <class Part, class Parts>
inline constexpr bool kIsAmong = false;
template <class Part, class... Parts>
inline constexpr bool kIsAmong<Part, std::tuple<const Parts&...>> = (std::is_same_v<Part, Parts> ||
                                                                     ...);
template <class Part>
inline constexpr bool kAsks = kIsAmong<Part, decltype(question_parts(Options()))>;

/// The one part of the options that has this type.
template <class Part>
const Part& part_of(const Options& o) {
  if constexpr (kAsks<Part>) {
    return std::get<const Part&>(question_parts(o));
  } else {
    return std::get<const Part&>(machine_parts(o));
  }
}

/// Where the value goes: `&EngineSpec::block_size`, or a function where a part occurs twice.
template <class Field>
class Place {
 public:
  template <class Part>
  Place(Field Part::*field)
      : at_([field](const Options& o) -> const Field& { return part_of<Part>(o).*field; }),
        asks_(kAsks<Part>) {}
  Place(std::function<const Field&(const Options&)> at, bool asks)
      : at_(std::move(at)), asks_(asks) {}

  const Field& operator()(const Options& options) const { return at_(options); }
  Field& operator()(Options& options) const {
    return const_cast<Field&>(at_(std::as_const(options)));
  }
  bool asks() const { return asks_; }

 private:
  std::function<const Field&(const Options&)> at_;
  bool asks_;
};

/// The content of a field, how it is chosen, and by whom.
template <class Field>
struct FieldTraits {  // a text or a list, empty if by nobody
  using Content = Field;
  static void set(Field& field, Content value, Origin) { field = std::move(value); }
  static const Content& content(const Field& field) { return field; }
  static Origin origin(const Field& field) { return field.empty() ? Origin::usual : Origin::asked; }
};
template <class T>
struct FieldTraits<std::optional<T>> {
  using Content = T;
  static void set(std::optional<T>& field, T value, Origin) { field = std::move(value); }
  static const T& content(const std::optional<T>& field) { return *field; }
  static Origin origin(const std::optional<T>& field) {
    return field ? Origin::asked : Origin::usual;
  }
};
template <class T>
struct FieldTraits<Setting<T>> {
  using Content = T;
  static void set(Setting<T>& field, T value, Origin origin) {
    field.set(std::move(value), origin);
  }
  static const T& content(const Setting<T>& field) { return field; }
  static Origin origin(const Setting<T>& field) { return field.origin(); }
};

template <class Field>
using Content = typename FieldTraits<Field>::Content;
template <class T>
using Reading = tl::expected<T, Refusal>;

/// Any value: `read` takes a text for what is in the field, `write` makes a text that it reads the
/// same from.
template <class Field>
Value value_at(Place<Field> place, std::function<Reading<Content<Field>>(std::string_view)> read,
               std::function<std::string(const Content<Field>&)> write) {
  Value value;
  value.asks = place.asks();
  value.set = [place, read = std::move(read)](Options& options, std::string_view text,
                                              Origin origin) -> std::optional<Refusal> {
    auto content = read(text);
    if (!content) return std::move(content.error());
    FieldTraits<Field>::set(place(options), std::move(*content), origin);
    return std::nullopt;
  };
  value.origin = [place](const Options& options) {
    return FieldTraits<Field>::origin(place(options));
  };
  value.texts = [place, write = std::move(write)](const Options& options) {
    return std::vector{write(FieldTraits<Field>::content(place(options)))};
  };
  return value;
}

/// A number, or a whole one, in its range.
Reading<double> read_number(std::string_view text, NumberRange range, bool is_whole);

Value integer(Place<Setting<std::int64_t>> place, IntRange range);
Value integer(Place<std::optional<std::int64_t>> place, IntRange range);
Value number(Place<Setting<double>> place, NumberRange range);
Value number(Place<std::optional<double>> place, NumberRange range);
/// A whole number of microseconds.
Value duration_us(Place<Setting<Duration>> place, IntRange range);
/// Finite numbers in their range, separated by commas.
Value numbers(Place<std::vector<double>> place, NumberRange range = kNonNegative);
/// "name:weight,name:weight" of routing scorers.
Value scorer_list(Place<Setting<std::vector<ScorerWeight>>> place);
/// Any text but the empty one.
Value text(Place<std::string> place, std::vector<std::string> (*known_names)() = nullptr);
Value text(Place<Setting<std::string>> place, std::vector<std::string> (*known_names)() = nullptr);
/// A text each time the flag is given.
Value texts(Place<std::vector<std::string>> place);
/// Names of a table of another room, separated by commas.
Value some_of(Place<std::vector<std::string>> place, const std::vector<std::string>& names);
Value on_off(Place<Setting<bool>> place);
/// One of the names a table of another room knows.
Value one_of(Place<std::string> place, std::vector<std::string> names);
Value one_of(Place<Setting<std::string>> place, std::vector<std::string> names);
Value one_of(Place<std::optional<std::string>> place, std::vector<std::string> names);

/// Calls `put` for each of `name=value` pairs separated by commas, no name twice.
std::optional<Refusal> read_pairs(
    std::string_view text,
    const std::function<std::optional<Refusal>(std::string_view name, std::string_view value)>&
        put);

/// A value that such pairs make of the usual content.
template <class T>
Value pairs(Place<Setting<T>> place,
            std::optional<Refusal> (*put)(T* content, std::string_view name,
                                          std::string_view value),
            std::string (*write)(const T& content)) {
  const auto read = [put](std::string_view text) -> Reading<T> {
    T content{};
    auto refusal = read_pairs(text, [&](std::string_view name, std::string_view value) {
      return put(&content, name, value);
    });
    if (refusal) return tl::unexpected(std::move(*refusal));
    return content;
  };
  return value_at<Setting<T>>(std::move(place), read, write);
}

Refusal unknown_choice(std::string_view text, const std::vector<std::string>& names);
/// `feature` will bring it; `names` are built.
Refusal not_built(std::string_view text, std::string_view feature,
                  const std::vector<std::string>& names);

/// One of an enumeration's names, for a field of Setting<E> or optional<E>.
template <class Field, class Part, class E>
Value one_of(Field Part::*field, Choices<E> table) {
  Value value = value_at<Field>(
      field,
      [table](std::string_view text) -> Reading<E> {
        if (const std::optional<E> chosen = value_of(table, text)) return *chosen;
        for (const Choice<E>& choice : table) {
          if (choice.name == text) {
            return tl::unexpected(not_built(text, choice.help, names_of(table)));
          }
        }
        return tl::unexpected(unknown_choice(text, names_of(table)));
      },
      [table](const E& chosen) { return name_of(table, chosen); });
  value.choices = names_of(table);
  if constexpr (std::is_same_v<Field, Setting<E>>) {
    value.default_text = name_of(table, *(Part().*field));
  }
  return value;
}

}  // namespace plimsoll
