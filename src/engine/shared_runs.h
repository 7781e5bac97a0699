// The KV blocks whose content several requests may ask for, as runs: neighbouring blocks of one
// piece of content (prompt_path.h) that have been treated alike so far. A run is split when a
// request claims part of it; so the cost follows the number of pieces, not of blocks.
//
// Content is found by its identity, each block on its own. Of several blocks with the same content
// the oldest is found, and when it is evicted the next one. In the reference the youngest is, and
// when any of them is evicted, the content is not found any more.
#pragma once

#include <cstdint>
#include <vector>

#include <tsl/robin_map.h>

#include "engine/free_list.h"
#include "engine/prompt_path.h"

namespace plimsoll {

/// Blocks of a piece [first, end) can be found from now on, or cannot any more.
struct ContentChange {
  std::uint64_t path = 0;
  std::int64_t first = 0;
  std::int64_t end = 0;
  bool found = false;
};

/// A request's hold on `blocks` neighbouring blocks that begin with run `run`.
struct RunClaim {
  std::uint32_t run = 0;
  std::int64_t blocks = 0;
};

/// Blocks are named by the path of their piece and their index; ranges are [first, last).
class SharedRuns {
 public:
  /// `free` outlives this; free blocks of runs lie there. `copies_stay`: not as in the reference.
  SharedRuns(FreeList& free, bool copies_stay) : free_(free), copies_stay_(copies_stay) {}
  SharedRuns(const SharedRuns&) = delete;
  SharedRuns& operator=(const SharedRuns&) = delete;

  /// From now on changes of what can be found are kept until they are taken.
  void log_changes() { logging_ = true; }
  /// The changes since the last call, in order.
  void take_changes(std::vector<ContentChange>* changes) {
    changes->clear();
    changes->swap(changes_);
  }

  /// Number of blocks from `first` on, up to `last`, that can be found without a gap.
  std::int64_t findable(std::uint64_t path, std::int64_t first, std::int64_t last) const;
  /// How many blocks of a range that can be found are free.
  std::int64_t free_among(std::uint64_t path, std::int64_t first, std::int64_t last) const;
  /// True if any block of the range can be found.
  bool any_findable(std::uint64_t path, std::int64_t first, std::int64_t last) const;
  /// The order in which blocks are taken and filled matters: evicting one hides another.
  bool order_matters() const { return !copies_stay_ && hidden_runs_ > 0; }
  bool copies_stay() const { return copies_stay_; }

  /// Claims a range that can be found.
  void claim(std::uint64_t path, std::int64_t first, std::int64_t last,
             std::vector<RunClaim>& claims);
  /// Blocks that the request has just filled can be found from now on.
  void add(std::uint64_t path, std::int64_t first, std::int64_t last,
           std::vector<RunClaim>& claims);
  /// The same of the blocks of an own extent in the free list.
  void add_free(std::uint64_t path, std::int64_t first, FreeList::Extent own);
  /// Gives up all claims, the last block first.
  void release(std::vector<RunClaim>& claims);
  /// The last n free blocks of a run have been taken for other content.
  void evict(std::uint32_t run, std::int64_t n);

 private:
  using RunId = std::uint32_t;
  static constexpr RunId kNone = 0xffffffff;

  struct Run {
    std::uint64_t path = 0;
    std::int64_t first = 0;
    std::int64_t count = 0;
    std::int32_t references = 0;
    bool findable = false;
    FreeList::Extent free_at = FreeList::kNone;  ///< valid while references == 0
    RunId rest = kNone;  ///< what was split off: claims that are older than the split go on there
    RunId next = kNone;  ///< the next findable run of the piece
  };

  std::int64_t end(const Run& run) const { return run.first + run.count; }
  RunId first_run(std::uint64_t path) const;
  bool is_before(const RunClaim& claim, std::uint64_t path, std::int64_t first) const;
  RunId create(const Run& run);
  RunId split(RunId id, std::int64_t low);
  void make_findable(RunId id);
  void make_unfindable(RunId id);
  void hide(std::uint64_t path, std::int64_t first, std::int64_t last);
  std::int64_t missing(std::uint64_t path, std::int64_t first, std::int64_t last) const;
  void add_found(std::uint64_t path, std::int64_t first, std::int64_t last,
                 std::vector<RunClaim>& claims);
  void find_copies(std::uint64_t path, std::int64_t first, std::int64_t last);
  void log(std::uint64_t path, std::int64_t first, std::int64_t end, bool found) {
    if (logging_ && first < end) changes_.push_back({path, first, end, found});
  }

  FreeList& free_;
  const bool copies_stay_;
  std::vector<Run> runs_;
  std::vector<RunId> unused_;
  /// The findable runs of each piece, by index, linked through `next`.
  tsl::robin_map<std::uint64_t, RunId, PathHash> pieces_;
  /// Runs of each piece whose content is found elsewhere, the oldest first; where copies stay.
  tsl::robin_map<std::uint64_t, std::vector<RunId>, PathHash> copies_;
  std::int64_t hidden_runs_ = 0;  ///< runs that are not findable
  std::vector<RunId> chain_;      ///< scratch
  bool logging_ = false;
  std::vector<ContentChange> changes_;
};

}  // namespace plimsoll
