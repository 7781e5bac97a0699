// Sums over the decoding sequences of an instance. A step moves all of them by one token: the clock
// goes on, and nothing is done per sequence. What one of them has by now is the difference to what
// stood here when it joined.
#pragma once

#include <cassert>
#include <cstdint>
#include <vector>

#include "base/units.h"
#include "engine/itl_histogram.h"
#include "engine/sequence.h"

namespace plimsoll {

class DecodeSums {
 public:
  explicit DecodeSums(std::int64_t block_size)
      : block_size_(block_size), residues_(static_cast<std::size_t>(block_size)) {
    assert(block_size > 0);
  }

  std::int64_t count() const { return count_; }
  /// Those of them that register their answers.
  std::int64_t registering() const { return registering_; }
  /// Prompt and generated tokens.
  std::int64_t context() const { return context_; }
  /// Steps with decoding sequences so far.
  std::int64_t clock() const { return clock_; }
  Duration gaps() const { return gaps_; }
  std::int64_t generated(const Sequence& s) const { return clock_ - s.joined; }

  /// Those of the same residue need a block at the same time.
  std::size_t residue_due() const {
    return static_cast<std::size_t>((block_size_ - clock_ % block_size_) % block_size_);
  }
  std::size_t residue_after(std::size_t due) const {
    return due == 0 ? residues_.size() - 1 : due - 1;
  }
  std::int64_t blocks_due(std::size_t residue) const { return residues_[residue]; }

  /// With its prompt, and all that it generated before, in the cache.
  void join(Sequence& s) {
    s.joined = clock_;
    s.first_clock = clock_;
    s.held_at_join = s.unclaimed ? 0 : s.prefill_target;
    s.gaps_before = gaps_;
    s.gaps_missed = {};
    s.gap_so_far = {};
    s.stall_so_far = {};
    s.missed_clocks.clear();
    s.stalls_before = stalls_;
    s.stalls_missed = {};
    ++count_;
    registering_ += s.registers_answer ? 1 : 0;
    context_ += s.prefill_target;
    ++residues_[residue(s)];
  }
  void leave(Sequence& s) {
    s.stalled += stalls_ - s.stalls_before - s.stalls_missed;
    --count_;
    registering_ -= s.registers_answer ? 1 : 0;
    context_ -= s.prefill_target + generated(s);
    --residues_[residue(s)];
    ++s.epoch;
  }

  /// So many steps, of which each gave every sequence a token; `gap` and `stall` are those of all
  /// steps together, a stall what prompts took of them.
  void advance(std::int64_t steps, Duration gap, Duration stall) {
    gaps_ += gap;
    stalls_ += stall;
    clock_ += steps;
    context_ += count_ * steps;
  }
  /// Takes the last step back for a sequence that got no token in it.
  void miss(Sequence& s, Duration gap, Duration stall) {
    --residues_[residue(s)];
    ++s.joined;
    ++residues_[residue(s)];
    --context_;
    s.gaps_missed += gap;
    s.gap_so_far += gap;
    s.stalls_missed += stall;
    ++s.epoch;
  }

  /// The gap of each step, to take back those of sequences that end before their last token: the
  /// reference counts gaps of completed requests only. To be called before the clock goes on.
  void log_gap(Duration gap) { gap_log_.push_back(gap); }
  /// Nobody asks for those before this clock any more.
  void forget_gaps(std::int64_t before) {
    constexpr std::int64_t kWorthIt = 1024;
    const std::int64_t dead = before - gap_log_begin_;
    if (dead < kWorthIt || 2 * dead < static_cast<std::int64_t>(gap_log_.size())) return;
    gap_log_.erase(gap_log_.begin(), gap_log_.begin() + static_cast<std::ptrdiff_t>(dead));
    gap_log_begin_ = before;
  }
  /// Those of one that decodes, out of the histogram.
  void retract_gaps(const Sequence& s, ItlHistogram& from) const {
    auto missed = s.missed_clocks.begin();
    for (std::int64_t clock = s.first_clock; clock < clock_; ++clock) {
      if (missed != s.missed_clocks.end() && *missed == clock) {
        ++missed;
      } else {
        from.add(gap_log_[static_cast<std::size_t>(clock - gap_log_begin_)], -1);
      }
    }
  }

 private:
  std::size_t residue(const Sequence& s) const {
    const std::int64_t n = block_size_;
    return static_cast<std::size_t>(((s.held_at_join - s.joined) % n + n) % n);
  }

  const std::int64_t block_size_;
  std::int64_t count_ = 0;
  std::int64_t registering_ = 0;
  std::int64_t context_ = 0;
  std::vector<std::int32_t> residues_;  ///< how many sequences have each
  std::int64_t clock_ = 0;
  Duration gaps_;
  Duration stalls_;
  std::vector<Duration> gap_log_;  ///< of each clock from gap_log_begin_ on
  std::int64_t gap_log_begin_ = 0;
};

}  // namespace plimsoll
