// A struct as JSON without loss: what comes back prints the same bytes in every report. A type says
// its fields once, for writing and for reading, in a function beside it (not in an unnamed
// namespace) that takes it apart by name, so that one with a new field does not compile until it
// is named there; an enumeration, its last value:
//
//   template <class Visitor>
//   void visit_fields(Visitor& v, Interval& s) {
//     auto& [low, high] = s;
//     v("low", low)("high", high);
//   }
//   constexpr Answer last_of(Answer) { return Answer::unclear; }
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/because.h"
#include "base/json.h"

namespace plimsoll {

template <class Visitor, class Cause>
void visit_fields(Visitor& v, Because<Cause>& s) {
  auto& [cause, figures] = s;
  v("cause", cause)("figures", figures);
}

struct FieldVisitor {
  template <class... T>
  static void leaves_out(const T&...) {}
};

class FieldWriter : public FieldVisitor {
 public:
  template <class T>
  FieldWriter& operator()(std::string_view key, T& value) {
    out_[std::string(key)] = json_of(value);
    return *this;
  }
  Json& out() { return out_; }

 private:
  template <class T>
  static Json json_of(T& value) {
    if constexpr (std::is_same_v<T, double>) {
      // JSON has no words for these. Other numbers are written with all their digits.
      if (std::isnan(value)) return "nan";
      if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
      return value;
    } else if constexpr (std::is_enum_v<T>) {
      return static_cast<std::int64_t>(value);
    } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
      return value;
    } else {
      return json_of_parts(value);
    }
  }
  template <class T>
  static Json json_of_parts(std::optional<T>& value) {
    return value ? json_of(*value) : Json();
  }
  template <class T>
  static Json json_of_parts(std::map<std::string, T>& values) {
    Json all = Json::object();
    for (auto& [key, value] : values) all[key] = json_of(value);
    return all;
  }
  template <std::ranges::range T>
  static Json json_of_parts(T& values) {
    Json all = Json::array();
    for (auto& value : values) all.push_back(json_of(value));
    return all;
  }
  template <class T>
  static Json json_of_parts(T& value) {
    FieldWriter parts;
    visit_fields(parts, value);
    return std::move(parts.out());
  }

  Json out_ = Json::object();
};

class FieldReader : public FieldVisitor {
 public:
  explicit FieldReader(const Json& from) : from_(from) {}

  template <class T>
  FieldReader& operator()(std::string_view key, T& value) {
    const Json* at = from_.find(key);
    ok_ = ok_ && at != nullptr && read(*at, value);
    return *this;
  }
  bool ok() const { return ok_; }

 private:
  template <class T>
  static bool read(const Json& from, T& value) {
    if constexpr (std::is_same_v<T, double>) {
      return read_number(from, value);
    } else if constexpr (std::is_same_v<T, bool>) {
      if (from.is_boolean()) value = from.as_bool();
      return from.is_boolean();
    } else if constexpr (std::is_enum_v<T>) {
      const std::int64_t number = from.is_number_integer() ? from.as_integer() : -1;
      if (number >= 0) value = static_cast<T>(number);
      return number >= 0 && number <= static_cast<std::int64_t>(last_of(T{}));
    } else if constexpr (std::is_integral_v<T>) {
      if (from.is_number_integer()) value = static_cast<T>(from.as_integer());
      return from.is_number_integer();
    } else if constexpr (std::is_same_v<T, std::string>) {
      if (from.is_string()) value = from.as_string();
      return from.is_string();
    } else {
      return read_parts(from, value);
    }
  }
  static bool read_number(const Json& from, double& value) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (from.is_number()) {
      value = from.as_double();
    } else if (from == "nan") {
      value = std::numeric_limits<double>::quiet_NaN();
    } else if (from == "inf" || from == "-inf") {
      value = from == "inf" ? kInfinity : -kInfinity;
    } else {
      return false;
    }
    return true;
  }
  template <class T>
  static bool read_parts(const Json& from, std::optional<T>& value) {
    value.reset();
    return from.is_null() || read(from, value.emplace());
  }
  template <class T>
  static bool read_parts(const Json& from, std::vector<T>& values) {
    if (!from.is_array()) return false;
    for (const Json& element : from) {
      if (!read(element, values.emplace_back())) return false;
    }
    return true;
  }
  template <class T>
  static bool read_parts(const Json& from, std::map<std::string, T>& values) {
    if (!from.is_object()) return false;
    for (const auto& [key, element] : from.items()) {
      if (!read(element, values[key])) return false;
    }
    return true;
  }
  template <std::size_t N>
  static bool read_parts(const Json& from, std::array<double, N>& values) {
    if (!from.is_array() || from.size() != N) return false;
    auto value = values.begin();
    for (const Json& element : from) {
      if (!read(element, *value++)) return false;
    }
    return true;
  }
  template <class T>
  static bool read_parts(const Json& from, T& value) {
    if (!from.is_object()) return false;
    FieldReader parts(from);
    visit_fields(parts, value);
    return parts.ok();
  }

  const Json& from_;
  bool ok_ = true;
};

template <class T>
Json json_of_fields(const T& value) {
  T copy = value;  // fields are visited for writing as for reading
  FieldWriter writer;
  visit_fields(writer, copy);
  return std::move(writer.out());
}

/// None: the JSON lacks one of its fields, or has something else there.
template <class T>
std::optional<T> read_fields(const Json& json) {
  T value;
  if (!json.is_object()) return {};
  FieldReader reader(json);
  visit_fields(reader, value);
  if (!reader.ok()) return {};
  return value;
}

}  // namespace plimsoll
