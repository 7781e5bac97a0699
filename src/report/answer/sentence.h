// A sentence about figures, as its form says: each {} of the form takes the next figure. Called by
// report/answer/reasons.h and limit_words.h.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "base/because.h"

namespace plimsoll {

/// {n} a whole number with its thousands apart, {i} one without, {n replica} "3 replicas", {%} a
/// share, {s} seconds, {d} three digits, {$} dollars, {-} nothing, {?words} the words if it is
/// above 0.
std::string sentence(std::string_view form, const decltype(Because<int>::figures)& figures);

template <class Cause>
struct SentenceForm {
  Cause cause;
  std::string_view form;
};

/// By its row; empty without one.
template <class Cause, std::size_t N>
std::string sentence(const SentenceForm<Cause> (&rows)[N], const Because<Cause>& reason) {
  const auto row = std::ranges::find(rows, reason.cause, &SentenceForm<Cause>::cause);
  return row == std::end(rows) ? "" : sentence(row->form, reason.figures);
}

}  // namespace plimsoll
