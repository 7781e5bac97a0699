// The KV cache of one instance: how many blocks each request holds, and which cached content a
// prompt can start from. Rules: prefix caching by chained block identity, LRU eviction, release of
// a sequence from its tail (vLLM V1; details and quirks as in the BLIS reference).
//
// Content that no other request can ask for is kept as counts; content that others may ask for, the
// prefix of a prompt or all tokens of a reusable request, as runs (shared_runs.h).
#pragma once

#include <cstdint>
#include <vector>

#include "engine/free_list.h"
#include "engine/prompt_path.h"
#include "engine/shared_runs.h"
#include "workload/request.h"

namespace plimsoll {

class KvCache {
 public:
  /// The blocks of one request. `tokens` below always is the number of tokens held in them; the
  /// request then owns ceil(tokens / block_size) blocks, the leading ones shared.
  struct Table {
    std::vector<ContentPiece>
        pieces;                      ///< of all tokens of the request, if anybody may ask for them
    std::vector<RunClaim> claims;    ///< leading blocks with shareable content
    std::int64_t shared_blocks = 0;  ///< number of them
    /// Full blocks, of those to be prefilled, that others may share: the ones wholly inside the
    /// prefix, or all if the request is reusable.
    std::int64_t shareable_blocks = 0;
    FreeList::Extent remains = FreeList::kNone;  ///< own blocks that survived a preemption
    std::int64_t set_aside = 0;                  ///< Room::set_aside of its admission
  };

  /// The room that an admission asks for beyond the blocks it takes.
  struct Room {
    /// So many blocks in all are the request's from now on: those it does not hold yet are free for
    /// nobody else, though they keep their content until it is overwritten.
    std::int64_t set_aside = 0;
    std::int64_t leave_free = 0;  ///< so many are to be free afterwards
  };

  /// `one_token_answer_blocks`: generated tokens can be found again with block size 1, too.
  /// `copies_stay`: see SharedRuns.
  KvCache(std::int64_t total_blocks, std::int64_t block_size, bool prefix_caching,
          bool one_token_answer_blocks, bool copies_stay);

  std::int64_t total_blocks() const { return total_blocks_; }
  /// For anybody: those set aside count as used.
  std::int64_t free_blocks() const { return free_.blocks() - set_aside_; }
  std::int64_t used_blocks() const { return total_blocks_ - free_blocks(); }
  std::int64_t set_aside_blocks() const { return set_aside_; }
  std::int64_t hit_blocks() const { return hits_; }
  std::int64_t miss_blocks() const { return misses_; }

  /// Blocks needed to go from `from` held tokens to `to`.
  std::int64_t blocks_between(std::int64_t from, std::int64_t to) const;

  /// Prepares the empty table of a request that enters the instance.
  void open(Table& table, const Request& request) const;

  /// Puts the prefix of a request into the cache, as if another one had asked with it and left;
  /// nothing where too few blocks are free. Counts neither as hits nor as misses.
  void add_prefix(const Request& request);

  /// Number of leading full blocks that are in the cache, of those a prefill would look up. Changes
  /// nothing.
  std::int64_t cached_blocks(const Table& table) const;

  /// Claims the `cached` leading blocks (at most as many as cached_blocks said just before) and
  /// takes blocks for the tokens up to `end`. False, with nothing changed, when too few are free.
  bool admit(Table& table, const Request& request, std::int64_t cached, std::int64_t end,
             const Room& room);

  /// Takes blocks for the prompt tokens [begin, end) of a request that holds `begin` tokens.
  /// False, with nothing changed, when too few are free.
  bool extend_prompt(Table& table, std::int64_t begin, std::int64_t end);

  /// Takes n blocks for generated tokens (n <= free_blocks()).
  void take(std::int64_t n);
  /// The same of blocks that were set aside for the requests that take them.
  void take_set_aside(std::int64_t n);

  /// Makes the full blocks of a reusable request that holds `tokens` findable. Giving blocks up
  /// does so too, which is early enough unless older copies of them are around.
  void register_own_blocks(Table& table, const Request& request, std::int64_t tokens,
                           bool answer_only);

  /// For those who follow from outside which content can be found: see SharedRuns.
  void log_changes() { runs_.log_changes(); }
  void take_changes(std::vector<ContentChange>* changes) { runs_.take_changes(changes); }

  /// True while the order in which blocks are taken and prefix blocks are filled in one step
  /// could matter: a free block holds the same content as another one.
  bool order_matters() const { return runs_.order_matters(); }

  /// Returns the blocks of a request that is done; its own content cannot be asked for again
  /// unless it is reusable. `answer_only`: the held tokens are generated ones alone.
  void release(Table& table, const Request& request, std::int64_t tokens, bool answer_only);

  /// Returns the blocks of a request that lost its place. When it is admitted again it will look up
  /// the first `again` tokens.
  void release_preempted(Table& table, const Request& request, std::int64_t tokens,
                         std::int64_t again, bool answer_only);

  /// A waiting request leaves for good.
  void forget(Table& table);

 private:
  void share_remains(Table& table, const Request& request);
  void take_prompt_blocks(Table& table, std::int64_t begin, std::int64_t end);
  void take_shareable_blocks(Table& table, std::int64_t owned, std::int64_t full);
  void release_claims(Table& table);
  void release_set_aside(Table& table, std::int64_t tokens);

  std::int64_t total_blocks_;
  std::int64_t block_size_;
  bool prefix_caching_;
  bool answers_cached_;
  FreeList free_;
  SharedRuns runs_;
  std::int64_t set_aside_ = 0;  ///< and not taken yet
  std::int64_t hits_ = 0;
  std::int64_t misses_ = 0;
};

}  // namespace plimsoll
