// A value that somebody may choose, and whether somebody did: what specifications
// (setup/run_spec.h) are made of. Reads like the value; assigning to it is choosing.
#pragma once

#include <concepts>
#include <utility>

namespace plimsoll {

enum class Origin : unsigned char {
  usual,  ///< nobody chose: the default
  asked,  ///< by whoever asks: a flag, or the program that fills the specification
  file    ///< by a file that was named
};

template <class T>
class Setting {
 public:
  constexpr Setting() = default;
  constexpr Setting(T usual) : value_(std::move(usual)) {}
  constexpr Setting& operator=(T value) {
    set(std::move(value), Origin::asked);
    return *this;
  }
  constexpr void set(T value, Origin origin) {
    value_ = std::move(value);
    origin_ = origin;
  }

  constexpr operator const T&() const { return value_; }
  constexpr const T& operator*() const { return value_; }
  constexpr const T* operator->() const { return &value_; }
  constexpr Origin origin() const { return origin_; }
  constexpr bool is_asked() const { return origin_ == Origin::asked; }

  bool operator==(const Setting&) const = default;
  template <class U>
  requires(!std::same_as<U, Setting>) friend constexpr bool operator==(const Setting& setting,
                                                                       const U& value) {
    return setting.value_ == value;
  }

 private:
  T value_{};
  Origin origin_ = Origin::usual;
};

}  // namespace plimsoll
