// Draws inside a property, whose choices shrink when it fails (random_case.h).
#pragma once

#include <rapidcheck.h>

namespace plimsoll::reference {

/// Uniform whatever rapidcheck's notion of size; `low` is what failures shrink to.
template <class T>
T pick(T low, T high) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<T>(low, high + 1));
}

inline bool chance(int percent) { return pick(0, 99) >= 100 - percent; }

template <class Enum>
Enum pick_enum(int count) {
  return static_cast<Enum>(pick(0, count - 1));
}

}  // namespace plimsoll::reference
