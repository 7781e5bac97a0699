// The rows of the requests that are at one instance, where threads run several: in memory of its
// own, since neighbours in the record of the run are at different instances, and threads that write
// to the same cache lines wait for each other. Once a request has left, its row goes to the record.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/run_record.h"

namespace plimsoll {

class ActiveRows {
 public:
  ActiveRows() { table_.notes_ended = true; }

  /// What the instance writes to.
  RequestTable& table() { return table_; }

  // By the thread that runs the instance.
  /// Returns the row in table() of a request that has `row` in the record.
  std::uint32_t open(std::uint32_t row);
  /// Puts the rows of requests that have left aside.
  void collect();

  // While nobody runs it.
  /// What was put aside is for write_ended().
  void hand_in() { ended_.swap(handed_in_); }

  /// Writes what was handed in to the record, while somebody may run it.
  void write_ended(RequestTable* record);
  /// Writes all that it has, once, with the rows of requests that are still there.
  void write_all(RequestTable* record) const;

 private:
  struct Ended {
    std::uint32_t row;
    MeasuredRow measured;
  };

  RequestTable table_;
  std::vector<std::uint32_t> rows_;  ///< by row of the table, that in the record
  std::vector<std::uint32_t> free_;  ///< rows of the table
  std::vector<Ended> ended_;
  std::vector<Ended> handed_in_;
};

}  // namespace plimsoll
