#include "cluster/prefix_holdings.h"

#include <algorithm>

namespace plimsoll {

void PrefixHoldings::add(std::uint64_t path, std::uint32_t instance, std::int64_t first,
                         std::int64_t end) {
  const auto [piece, inserted] = pieces_.insert({path, kNone});
  Id before = kNone;
  Id after = piece->second;
  while (after != kNone && (ranges_[after].instance < instance ||
                            (ranges_[after].instance == instance && ranges_[after].end <= first))) {
    before = after;
    after = ranges_[after].next;
  }
  const auto touches = [&](Id id) { return id != kNone && ranges_[id].instance == instance; };
  const bool joins_before = touches(before) && ranges_[before].end == first;
  const bool joins_after = touches(after) && ranges_[after].first == end;
  if (joins_before) {
    ranges_[before].end = joins_after ? ranges_[after].end : end;
    if (joins_after) unlink(path, before, after);
  } else if (joins_after) {
    ranges_[after].first = first;
  } else {
    const Id id = create({first, end, instance, after});
    (before == kNone ? piece.value() : ranges_[before].next) = id;
  }
}

void PrefixHoldings::remove(std::uint64_t path, std::uint32_t instance, std::int64_t first,
                            std::int64_t end) {
  Id before = kNone;
  Id id = pieces_.at(path);
  while (ranges_[id].instance != instance || ranges_[id].end <= first) {
    before = id;
    id = ranges_[id].next;
  }
  Range& range = ranges_[id];
  if (range.first == first && range.end == end) {
    unlink(path, before, id);
  } else if (range.first == first) {
    range.first = end;
  } else if (range.end == end) {
    range.end = first;
  } else {
    const Range rest{end, range.end, instance, range.next};
    range.end = first;
    const Id high = create(rest);
    ranges_[id].next = high;
  }
}

void PrefixHoldings::count_leading(std::span<const ContentPiece> pieces, std::int64_t blocks,
                                   std::span<double> leading) const {
  std::fill(leading.begin(), leading.end(), 0);
  for_each_piece(pieces, 0, blocks, [&](std::uint64_t path, std::int64_t, std::int64_t last) {
    const auto piece = pieces_.find(path);
    if (piece == pieces_.end()) return false;
    bool goes_on = false;
    for (Id id = piece->second; id != kNone; id = ranges_[id].next) {
      const Range& range = ranges_[id];
      double& reached = leading[range.instance];
      const auto at = static_cast<std::int64_t>(reached);
      if (range.first > at || at >= range.end) continue;
      reached = static_cast<double>(std::min(range.end, last));
      goes_on = goes_on || range.end >= last;
    }
    return goes_on;
  });
}

PrefixHoldings::Id PrefixHoldings::create(const Range& range) {
  if (unused_.empty()) {
    ranges_.push_back(range);
    return static_cast<Id>(ranges_.size()) - 1;
  }
  const Id id = unused_.back();
  unused_.pop_back();
  ranges_[id] = range;
  return id;
}

void PrefixHoldings::unlink(std::uint64_t path, Id before, Id id) {
  const Id next = ranges_[id].next;
  unused_.push_back(id);
  if (before != kNone) {
    ranges_[before].next = next;
  } else if (next != kNone) {
    pieces_[path] = next;
  } else {
    pieces_.erase(path);
  }
}

}  // namespace plimsoll
