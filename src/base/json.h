// A JSON value that is put together, read and written: what reports, journals and servers' answers
// are made of. Members keep the order in which they were added; adding and finding one are linear.
//
// A list in braces is an object where each element is a pair that begins with a text, and an array
// otherwise; Json::array({...}) is always an array. Asking a value for what it is not (a member of
// a number, the text of an array) gives null, empty or 0: ask is_...() first where it matters.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace plimsoll {

class Json {
 public:
  Json() = default;
  Json(std::nullptr_t) {}
  template <class T>
  requires std::is_arithmetic_v<T> Json(T value) {
    if constexpr (std::is_same_v<T, bool>) {
      kind_ = Kind::boolean;
      number_.integer = value ? 1 : 0;
    } else if constexpr (std::is_floating_point_v<T>) {
      kind_ = Kind::real;
      number_.real = static_cast<double>(value);
    } else if constexpr (std::is_signed_v<T>) {
      kind_ = Kind::integer;
      number_.integer = value;
    } else {
      kind_ = Kind::count;
      number_.count = value;
    }
  }
  Json(std::string text);
  Json(std::string_view text) : Json(std::string(text)) {}
  Json(const char* text) : Json(std::string(text)) {}
  Json(std::initializer_list<Json> list);
  /// Null where there is none.
  template <class T>
  Json(const std::optional<T>& value) {
    if (value) *this = Json(*value);
  }
  /// An array of the elements of any list.
  template <class List>
  requires(!std::convertible_to<List, std::string_view> && !std::same_as<List, Json> &&
           requires(const List& list) { list.begin() != list.end(); }) Json(const List& list)
      : kind_(Kind::array) {
    for (const auto& element : list) values_.emplace_back(element);
  }

  static Json array(std::initializer_list<Json> elements = {});
  static Json object();
  /// An array of what `make` makes of each element of a list.
  template <class List, class Make>
  static Json array_of(const List& list, Make make) {
    Json out = array();
    for (const auto& element : list) out.push_back(Json(make(element)));
    return out;
  }
  /// Null for what is no JSON, and for what is nested deeper than anything that is meant.
  static Json parse(std::string_view text);

  bool is_null() const { return kind_ == Kind::null; }
  bool is_boolean() const { return kind_ == Kind::boolean; }
  bool is_string() const { return kind_ == Kind::text; }
  bool is_array() const { return kind_ == Kind::array; }
  bool is_object() const { return kind_ == Kind::object; }
  bool is_structured() const { return is_array() || is_object(); }
  bool is_number_float() const { return kind_ == Kind::real; }
  bool is_number_unsigned() const { return kind_ == Kind::count; }
  bool is_number_integer() const { return kind_ == Kind::integer || is_number_unsigned(); }
  bool is_number() const { return is_number_float() || is_number_integer(); }

  bool as_bool() const { return is_boolean() && number_.integer != 0; }
  double as_double() const;
  std::int64_t as_integer() const;
  const std::string& as_string() const { return text_; }

  /// The number of elements of an array or object.
  std::size_t size() const { return values_.size(); }
  bool empty() const { return values_.empty(); }
  auto begin() { return values_.begin(); }
  auto end() { return values_.end(); }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }
  const Json& front() const { return values_.front(); }

  /// The value of a member; null where there is none.
  const Json* find(std::string_view key) const;
  bool contains(std::string_view key) const { return find(key) != nullptr; }
  /// The value of a member; null where there is none.
  const Json& operator[](std::string_view key) const;
  /// Adds the member where there is none; makes an object of null.
  Json& operator[](std::string_view key);
  Json& operator[](const char* key) { return (*this)[std::string_view(key)]; }
  const Json& operator[](const char* key) const { return (*this)[std::string_view(key)]; }
  /// All members as (key, value).
  std::vector<std::pair<std::string, const Json&>> items() const;
  void erase(std::string_view key);
  /// Adds the members of another object, or overwrites them.
  void update(const Json& other);
  /// Makes an array of null.
  Json& push_back(Json element);

  /// Numbers equal each other by value. Members are compared in order.
  bool operator==(const Json& other) const;

  /// In one line, or indented by so many spaces a level. What is not UTF-8 is replaced; numbers
  /// that JSON has no words for are null.
  std::string dump(int indent = -1) const;

 private:
  enum class Kind { null, boolean, integer, count, real, text, array, object };

  Kind kind_ = Kind::null;
  union {
    std::int64_t integer;  // of true: 1
    std::uint64_t count;
    double real;
  } number_{};
  std::string text_;
  std::vector<std::string> keys_;  // of an object, of each of values_
  std::vector<Json> values_;

  friend struct JsonLibrary;
};

/// The fault of a text that somebody sent as JSON, in words for them:
/// "it is empty", "no JSON from byte 27 on", "\"model\" is given twice", "it is nested too deep";
/// empty: nothing is.
std::string json_problem(std::string_view text);

}  // namespace plimsoll
