#include "engine/shared_runs.h"

#include <algorithm>

namespace plimsoll {

std::int64_t SharedRuns::findable(std::uint64_t path, std::int64_t first, std::int64_t last) const {
  std::int64_t block = first;
  for (RunId id = first_run(path); id != kNone && block < last; id = runs_[id].next) {
    const Run& run = runs_[id];
    if (run.first > block) break;
    block = std::max(block, end(run));
  }
  return std::min(block, last) - first;
}

std::int64_t SharedRuns::free_among(std::uint64_t path, std::int64_t first,
                                    std::int64_t last) const {
  std::int64_t blocks = 0;
  for (RunId id = first_run(path); id != kNone; id = runs_[id].next) {
    const Run& run = runs_[id];
    if (run.references > 0) continue;
    blocks += std::max<std::int64_t>(0, std::min(end(run), last) - std::max(run.first, first));
  }
  return blocks;
}

bool SharedRuns::any_findable(std::uint64_t path, std::int64_t first, std::int64_t last) const {
  for (RunId id = first_run(path); id != kNone; id = runs_[id].next) {
    if (runs_[id].first < last && end(runs_[id]) > first) return true;
  }
  return false;
}

void SharedRuns::claim(std::uint64_t path, std::int64_t first, std::int64_t last,
                       std::vector<RunClaim>& claims) {
  RunId id = first_run(path);
  while (first < last) {
    while (end(runs_[id]) <= first) id = runs_[id].next;
    if (end(runs_[id]) > last) split(id, last - runs_[id].first);
    Run& run = runs_[id];
    if (run.references++ == 0) free_.claim_shared(run.free_at);
    claims.push_back({id, run.count});
    first += run.count;
  }
}

// How many blocks from `first` on, up to `last`, cannot be found.
std::int64_t SharedRuns::missing(std::uint64_t path, std::int64_t first, std::int64_t last) const {
  for (RunId id = first_run(path); id != kNone; id = runs_[id].next) {
    if (end(runs_[id]) > first)
      return std::max<std::int64_t>(0, std::min(runs_[id].first, last) - first);
  }
  return last - first;
}

void SharedRuns::add(std::uint64_t path, std::int64_t first, std::int64_t last,
                     std::vector<RunClaim>& claims) {
  if (!copies_stay_) {
    hide(path, first, last);
    return add_found(path, first, last, claims);
  }
  while (first < last) {
    const std::int64_t known = findable(path, first, last);
    if (known > 0) {
      const RunId id = create({path, first, known, 1});
      copies_[path].push_back(id);
      claims.push_back({id, known});
      first += known;
    }
    const std::int64_t unknown = missing(path, first, last);
    if (unknown > 0) add_found(path, first, first + unknown, claims);
    first += unknown;
  }
}

// None of them could be found.
void SharedRuns::add_found(std::uint64_t path, std::int64_t first, std::int64_t last,
                           std::vector<RunClaim>& claims) {
  if (!claims.empty() && is_before(claims.back(), path, first)) {
    runs_[claims.back().run].count += last - first;
    claims.back().blocks += last - first;
    log(path, first, last, true);
    return;
  }
  const RunId id = create({path, first, last - first, 1});
  make_findable(id);
  claims.push_back({id, last - first});
}

// Does a request that alone holds this run hold no more of it, and go on where it ends? Then both
// are treated alike.
bool SharedRuns::is_before(const RunClaim& claim, std::uint64_t path, std::int64_t first) const {
  const Run& run = runs_[claim.run];
  return run.path == path && end(run) == first && run.findable && run.references == 1 &&
         run.count == claim.blocks;
}

void SharedRuns::add_free(std::uint64_t path, std::int64_t first, FreeList::Extent own) {
  const std::int64_t count = free_.count(own);
  if (!copies_stay_) hide(path, first, first + count);
  const RunId id = create({path, first, count, 0, false, own});
  free_.share(own, id);
  if (!copies_stay_) return make_findable(id);
  copies_[path].push_back(id);
  find_copies(path, first, first + count);
}

void SharedRuns::release(std::vector<RunClaim>& claims) {
  for (; !claims.empty(); claims.pop_back()) {
    chain_.clear();
    std::int64_t blocks = claims.back().blocks;
    for (RunId id = claims.back().run; blocks > 0; id = runs_[id].rest) {
      chain_.push_back(id);
      blocks -= runs_[id].count;
    }
    for (auto id = chain_.rbegin(); id != chain_.rend(); ++id) {
      Run& run = runs_[*id];
      if (--run.references == 0) run.free_at = free_.add_shared(*id, run.count);
    }
  }
}

void SharedRuns::evict(RunId id, std::int64_t n) {
  Run& run = runs_[id];
  run.count -= n;
  const std::uint64_t path = run.path;
  const std::int64_t first = end(run);
  const bool copy = !run.findable;
  if (!copy) log(path, first, first + n, false);
  if (run.count == 0) {
    if (!copy) {
      make_unfindable(id);
    } else if (copies_stay_) {
      const auto copies = copies_.find(path);
      std::erase(copies.value(), id);
      if (copies->second.empty()) copies_.erase(copies);
    }
    --hidden_runs_;
    unused_.push_back(id);
  }
  if (copies_stay_) {
    if (!copy) find_copies(path, first, first + n);
  } else if (copy) {
    hide(path, first, first + n);
  }
}

// Of blocks of the range that cannot be found the oldest copies are found from now on.
void SharedRuns::find_copies(std::uint64_t path, std::int64_t first, std::int64_t last) {
  const auto found = copies_.find(path);
  if (found == copies_.end()) return;
  std::vector<RunId>& copies = found.value();
  for (std::size_t i = 0; i < copies.size();) {
    const RunId id = copies[i];
    std::int64_t begin = std::max(runs_[id].first, first);
    const std::int64_t most = std::min(end(runs_[id]), last);
    if (begin < most) begin += findable(path, begin, most);
    if (begin >= most) {
      ++i;
    } else if (begin > runs_[id].first) {
      split(id, begin - runs_[id].first);
      ++i;  // what was split off comes next
    } else {
      const std::int64_t count = missing(path, begin, most);
      if (count < runs_[id].count) split(id, count);
      copies.erase(copies.begin() + static_cast<std::ptrdiff_t>(i));
      make_findable(id);
    }
  }
  if (copies.empty()) copies_.erase(found);
}

SharedRuns::RunId SharedRuns::first_run(std::uint64_t path) const {
  const auto piece = pieces_.find(path);
  return piece == pieces_.end() ? kNone : piece->second;
}

SharedRuns::RunId SharedRuns::create(const Run& run) {
  ++hidden_runs_;  // until it is made findable
  if (unused_.empty()) {
    runs_.push_back(run);
    return static_cast<RunId>(runs_.size()) - 1;
  }
  const RunId id = unused_.back();
  unused_.pop_back();
  runs_[id] = run;
  return id;
}

// Leaves the first `low` blocks in the run; the rest becomes a run that is treated alike from now
// on only by those who hold both.
SharedRuns::RunId SharedRuns::split(RunId id, std::int64_t low) {
  Run high = runs_[id];
  high.first += low;
  high.count -= low;
  const RunId rest = create(high);
  Run& run = runs_[id];
  if (run.references == 0) runs_[rest].free_at = free_.split_shared(run.free_at, low, rest);
  run.count = low;
  run.rest = rest;
  if (run.findable) {
    run.next = rest;
    --hidden_runs_;
  } else if (copies_stay_) {
    std::vector<RunId>& copies = copies_.find(run.path).value();
    copies.insert(std::ranges::find(copies, id) + 1, rest);
  }
  return rest;
}

void SharedRuns::make_findable(RunId id) {
  Run& run = runs_[id];
  run.findable = true;
  --hidden_runs_;
  log(run.path, run.first, end(run), true);
  const auto [piece, inserted] = pieces_.insert({run.path, id});
  if (inserted) {
    run.next = kNone;
    return;
  }
  if (runs_[piece->second].first > run.first) {
    run.next = piece->second;
    piece.value() = id;
    return;
  }
  RunId before = piece->second;
  while (runs_[before].next != kNone && runs_[runs_[before].next].first < run.first) {
    before = runs_[before].next;
  }
  run.next = runs_[before].next;
  runs_[before].next = id;
}

void SharedRuns::make_unfindable(RunId id) {
  Run& run = runs_[id];
  run.findable = false;
  ++hidden_runs_;
  log(run.path, run.first, end(run), false);
  const auto piece = pieces_.find(run.path);
  if (piece->second != id) {
    RunId before = piece->second;
    while (runs_[before].next != id) before = runs_[before].next;
    runs_[before].next = run.next;
  } else if (run.next != kNone) {
    piece.value() = run.next;
  } else {
    pieces_.erase(piece);
  }
}

// Makes sure that no block of the range can be found.
void SharedRuns::hide(std::uint64_t path, std::int64_t first, std::int64_t last) {
  RunId id = first_run(path);
  while (id != kNone && runs_[id].first < last) {
    if (end(runs_[id]) <= first) {
      id = runs_[id].next;
    } else if (runs_[id].first < first) {
      id = split(id, first - runs_[id].first);
    } else {
      if (end(runs_[id]) > last) split(id, last - runs_[id].first);
      const RunId next = runs_[id].next;
      make_unfindable(id);
      id = next;
    }
  }
}

}  // namespace plimsoll
