#include "cluster/active_rows.h"

#include <cstddef>

namespace plimsoll {

std::uint32_t ActiveRows::open(std::uint32_t row) {
  if (free_.empty()) {
    table_.add({});
    rows_.push_back(row);
    return static_cast<std::uint32_t>(rows_.size() - 1);
  }
  const std::uint32_t own = free_.back();
  free_.pop_back();
  table_.set_measured(own, {});
  rows_[own] = row;
  return own;
}

void ActiveRows::collect() {
  for (const std::uint32_t own : table_.ended) {
    ended_.push_back({rows_[own], table_.measured(own)});
    free_.push_back(own);
  }
  table_.ended.clear();
}

void ActiveRows::write_ended(RequestTable* record) {
  for (const Ended& ended : handed_in_) record->set_measured(ended.row, ended.measured);
  handed_in_.clear();
}

// A row of the table that is free still has what its request was written with.
void ActiveRows::write_all(RequestTable* record) const {
  for (std::size_t own = 0; own < rows_.size(); ++own) {
    record->set_measured(rows_[own], table_.measured(own));
  }
  for (const auto* some : {&handed_in_, &ended_}) {
    for (const Ended& ended : *some) record->set_measured(ended.row, ended.measured);
  }
}

}  // namespace plimsoll
