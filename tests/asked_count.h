// How many cases a test of many tries.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace plimsoll::test {

/// A few, or as many as the environment says: tools/check-full asks for more.
inline std::uint64_t asked_count(const char* variable, std::uint64_t usual) {
  const char* asked = std::getenv(variable);
  return asked != nullptr ? std::strtoull(asked, nullptr, 10) : usual;
}

}  // namespace plimsoll::test
