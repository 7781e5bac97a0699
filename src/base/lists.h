// The questions to lists and the lists made of them that are most common, in one expression each.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

namespace plimsoll {

/// Returns what `make`, a function or a member, is of each element, in their order.
template <class List, class Make>
auto mapped(List&& list, Make make) {
  std::vector<std::decay_t<decltype(std::invoke(make, *std::begin(list)))>> out;
  for (auto&& element : list) out.push_back(std::invoke(make, element));
  return out;
}

/// Whether an element is `key`, or its `member` is.
template <class List, class Key, class Member = std::identity>
bool contains(const List& list, const Key& key, Member member = {}) {
  return std::ranges::find(list, key, member) != std::ranges::end(list);
}

/// The sum of what `of`, a function or a member, is of each element, in their order.
template <class List, class Of>
auto total_of(const List& list, Of of) {
  std::decay_t<decltype(std::invoke(of, *std::begin(list)))> sum{};
  for (const auto& element : list) sum += std::invoke(of, element);
  return sum;
}

/// The first element of which `member` is the key; null if there is none.
template <class List, class Key, class Member>
auto find_in(List& list, const Key& key, Member member) -> decltype(&*std::begin(list)) {
  const auto found = std::ranges::find(list, key, member);
  return found == std::end(list) ? nullptr : &*found;
}

/// The first element that is as wanted; null if there is none.
template <class List, class Wanted>
auto find_where(List& list, Wanted wanted) -> decltype(&*std::begin(list)) {
  const auto found = std::ranges::find_if(list, wanted);
  return found == std::end(list) ? nullptr : &*found;
}

/// Adds all of another list, whose elements are moved if nobody needs it any more.
template <class T, class List>
void append(std::vector<T>* list, List&& more) {
  if constexpr (std::is_lvalue_reference_v<List>) {
    list->insert(list->end(), std::begin(more), std::end(more));
  } else {
    list->insert(list->end(), std::make_move_iterator(std::begin(more)),
                 std::make_move_iterator(std::end(more)));
  }
}

/// Adds what is not in the list yet, or nothing of the same `member`.
template <class T, class Member = std::identity>
void add_once(std::vector<T>* list, std::type_identity_t<T> element, Member member = {}) {
  const auto& key = std::invoke(member, element);
  if (!contains(*list, key, member)) list->push_back(std::move(element));
}

}  // namespace plimsoll
