// Why something is as it is, as data: a cause, and the figures that go with it in the order in
// which its enumerator names them. Made where it is found out, kept in journals; report/ has the
// words.
#pragma once

#include <array>

namespace plimsoll {

template <class Cause>
struct Because {
  Because() = default;
  template <class... Figures>
  Because(Cause why, Figures... of)  // NOLINT(google-explicit-constructor): a cause may be all
      : cause(why), figures{static_cast<double>(of)...} {}

  bool operator==(const Because&) const = default;

  Cause cause{};  ///< its first enumerator: no reason is given
  std::array<double, 5> figures{};
};

}  // namespace plimsoll
