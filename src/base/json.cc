#include "base/json.h"

#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

namespace plimsoll {

// To and from the library that reads and writes the text.
struct JsonLibrary {
  using Value = nlohmann::ordered_json;
  static constexpr int kDeepest = 500;

  static Value value_of(const Json& json) {
    using Kind = Json::Kind;
    switch (json.kind_) {
      case Kind::null:
        return nullptr;
      case Kind::boolean:
        return json.as_bool();
      case Kind::integer:
        return json.number_.integer;
      case Kind::count:
        return json.number_.count;
      case Kind::real:
        return json.number_.real;
      case Kind::text:
        return json.text_;
      case Kind::array:
        break;
      case Kind::object: {
        Value::object_t members;
        members.reserve(json.size());
        for (std::size_t i = 0; i < json.size(); ++i) {
          // Keys differ: nothing to look for.
          members.Container::emplace_back(json.keys_[i], value_of(json.values_[i]));
        }
        return members;
      }
    }
    Value::array_t elements;
    elements.reserve(json.size());
    for (const Json& element : json) elements.push_back(value_of(element));
    return elements;
  }

  static Json json_of(Value&& value) {
    switch (value.type()) {
      case Value::value_t::boolean:
        return value.get<bool>();
      case Value::value_t::number_integer:
        return value.get<std::int64_t>();
      case Value::value_t::number_unsigned:
        return value.get<std::uint64_t>();
      case Value::value_t::number_float:
        return value.get<double>();
      case Value::value_t::string:
        return std::move(value.get_ref<std::string&>());
      case Value::value_t::array: {
        Json out = Json::array();
        for (Value& element : value) out.push_back(json_of(std::move(element)));
        return out;
      }
      case Value::value_t::object: {
        Json out = Json::object();
        for (auto& [key, member] : value.get_ref<Value::object_t&>()) {
          out.keys_.push_back(key);
          out.values_.push_back(json_of(std::move(member)));
        }
        return out;
      }
      default:
        return nullptr;
    }
  }

  // The library itself reads any depth; what walks over a value would not.
  static Json parse(std::string_view text) {
    bool too_deep = false;
    Value value = Value::parse(
        text,
        [&](int depth, Value::parse_event_t, const Value&) {
          too_deep = too_deep || depth > kDeepest;
          return !too_deep;
        },
        false);
    return too_deep ? Json() : json_of(std::move(value));
  }

  static std::string problem_of(std::string_view text) {
    if (text.find_first_not_of(" \t\r\n") == text.npos) return "it is empty";
    std::string problem;
    std::vector<std::set<std::string>> keys;  // of the objects that are open
    const auto look = [&](int depth, Value::parse_event_t event, const Value& value) {
      if (!problem.empty()) return false;  // of what is left out no end is told
      if (depth > kDeepest) problem = "it is nested too deep";
      if (event == Value::parse_event_t::object_start) keys.emplace_back();
      if (event == Value::parse_event_t::object_end) keys.pop_back();
      if (event == Value::parse_event_t::key) {
        const auto& key = value.get_ref<const std::string&>();
        constexpr std::size_t kShown = 60;
        const std::string name = key.size() > kShown ? "a key" : "\"" + key + "\"";
        if (!keys.back().insert(key).second) problem = name + " is given twice";
      }
      return problem.empty();
    };
    try {
      [[maybe_unused]] const Value read = Value::parse(text, look);
    } catch (const Value::parse_error& error) {
      if (problem.empty())
        problem = "not valid JSON from byte " + std::to_string(error.byte) + " on";
    } catch (const Value::out_of_range&) {
      if (problem.empty()) problem = "a number is too large";
    }
    return problem;
  }
};

std::string json_problem(std::string_view text) { return JsonLibrary::problem_of(text); }

Json::Json(std::string text) : kind_(Kind::text), text_(std::move(text)) {}

Json::Json(std::initializer_list<Json> list) : kind_(Kind::array) {
  const bool is_object = std::ranges::all_of(list, [](const Json& pair) {
    return pair.is_array() && pair.size() == 2 && pair.front().is_string();
  });
  if (!is_object) {
    values_ = list;
    return;
  }
  kind_ = Kind::object;
  keys_.reserve(list.size());
  values_.reserve(list.size());
  for (const Json& pair : list) (*this)[pair.front().text_] = pair.values_.back();
}

Json Json::array(std::initializer_list<Json> elements) {
  Json out;
  out.kind_ = Kind::array;
  out.values_ = elements;
  return out;
}

Json Json::object() {
  Json out;
  out.kind_ = Kind::object;
  return out;
}

Json Json::parse(std::string_view text) { return JsonLibrary::parse(text); }

double Json::as_double() const {
  if (kind_ == Kind::real) return number_.real;
  if (kind_ == Kind::count) return static_cast<double>(number_.count);
  return kind_ == Kind::integer ? static_cast<double>(number_.integer) : 0;
}

std::int64_t Json::as_integer() const {
  if (kind_ == Kind::real) return static_cast<std::int64_t>(number_.real);
  if (kind_ == Kind::count) return static_cast<std::int64_t>(number_.count);
  return kind_ == Kind::integer ? number_.integer : 0;
}

const Json* Json::find(std::string_view key) const {
  const auto at = std::ranges::find(keys_, key);
  return at == keys_.end() ? nullptr : &values_[static_cast<std::size_t>(at - keys_.begin())];
}

const Json& Json::operator[](std::string_view key) const {
  static const Json kNothing;
  const Json* value = find(key);
  return value == nullptr ? kNothing : *value;
}

Json& Json::operator[](std::string_view key) {
  if (const Json* value = find(key)) return const_cast<Json&>(*value);
  if (is_null()) kind_ = Kind::object;
  keys_.emplace_back(key);
  return values_.emplace_back();
}

std::vector<std::pair<std::string, const Json&>> Json::items() const {
  std::vector<std::pair<std::string, const Json&>> all;
  for (std::size_t i = 0; i < keys_.size(); ++i) all.emplace_back(keys_[i], values_[i]);
  return all;
}

void Json::erase(std::string_view key) {
  const auto at = std::ranges::find(keys_, key);
  if (at == keys_.end()) return;
  values_.erase(values_.begin() + (at - keys_.begin()));
  keys_.erase(at);
}

void Json::update(const Json& other) {
  for (const auto& [key, value] : other.items()) (*this)[key] = value;
}

Json& Json::push_back(Json element) {
  if (is_null()) kind_ = Kind::array;
  return values_.emplace_back(std::move(element));
}

bool Json::operator==(const Json& other) const {
  if (is_number() && other.is_number()) {
    const bool real = is_number_float() || other.is_number_float();
    return real ? as_double() == other.as_double() : number_.count == other.number_.count;
  }
  return kind_ == other.kind_ && as_bool() == other.as_bool() && text_ == other.text_ &&
         keys_ == other.keys_ && values_ == other.values_;
}

std::string Json::dump(int indent) const {
  return JsonLibrary::value_of(*this).dump(indent, ' ', false,
                                           JsonLibrary::Value::error_handler_t::replace);
}

}  // namespace plimsoll
