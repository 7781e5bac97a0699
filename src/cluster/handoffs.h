// Requests whose prompt one instance computes and another one answers: who does what, when KV
// blocks travel, when the one that computed them may give them up.
//
// The path of such a request: the instance of the answer is routed to, the decider sends the prompt
// away, an instance for prefill is routed to; its prefill; room for the blocks where the answer
// comes from; the transfer; the answer. Owned by the simulation; holds nothing of requests that
// stay whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <tsl/robin_map.h>

#include "base/semantics.h"
#include "cluster/decision_log.h"
#include "cluster/deployment.h"
#include "cluster/instance_group.h"
#include "cluster/kv_links.h"
#include "cluster/pd_decider.h"
#include "cluster/router.h"
#include "engine/handoff.h"
#include "engine/run_record.h"

namespace plimsoll {

class Handoffs {
 public:
  /// `answers`: the router of all requests, which chooses for prompts, too, where the semantics say
  /// so. `log`: null, or told of what is decided. All of them outlive this.
  Handoffs(const Deployment& deployment, const Semantics& semantics, std::uint64_t seed,
           Router& answers, InstanceGroup& instances, RequestTable& rows, DecisionLog* log);

  /// The figures that are read of the instances that answer, and of those for prefill.
  ViewNeeds needs_of_answers() const { return {.cached_blocks = decider_->needs_cached_blocks()}; }
  ViewNeeds needs_of_prefills() const { return decider_->needs() | prefill_router().needs(); }

  /// A request was routed to the instance number `answer` of all, number `seen` of the views. True:
  /// its prompt goes elsewhere; false: it stays whole, and nothing was done.
  bool split(const Request& request, std::uint32_t row, std::size_t answer, std::size_t seen,
             Time now);
  /// Takes the notices that an instance gave in one event.
  void told(std::span<HandoffNotice> notices, Time now);

  Time next_event() const { return links_.next_event(); }
  void run_event(Time now);

  /// Where the request stands, if it is on its way from one instance to another.
  std::optional<std::size_t> holder(std::uint32_t row) const;

  const TransferRecord& transfers() const { return links_.record(); }

 private:
  using Kind = HandoffNotice::Kind;

  struct Split {
    Request request = {};
    std::size_t prefill = 0;
    std::size_t answer = 0;
    Ranks::Slot prefill_slot = 0;
    Ranks::Slot answer_slot = 0;
    bool prefilled = false;
    bool holds = false;  ///< the instance for prefill has its blocks
    bool sends = false;
    Time prefilled_at = {};
    Duration prefill_time = {};
    Time sent_from = {};
  };

  Router& prefill_router() const { return own_router_ ? *own_router_ : shared_router_; }
  /// None: the prompt stays with its answer.
  std::optional<std::size_t> instance_for_prompt(const Request& request, std::int64_t uncached,
                                                 std::size_t answer);
  void prefilled(const HandoffNotice& notice, Time now);
  void has_room(const HandoffNotice& notice, Time now);
  void gone(const HandoffNotice& notice, Time now);
  void arrive(std::uint32_t row, Time now);
  bool is_answered_by_prefill(const Request& request, std::size_t answer) const;
  void release(Split& split, Time now);
  /// Of a transfer from port to port.
  KvLinks::Load load_of(const Split& split, const HandoffNotice& notice) const;
  const Pool& pool_of(std::size_t instance) const { return *pools_[instance]; }

  const Deployment& deployment_;
  const Semantics semantics_;
  std::vector<const Pool*> pools_;  ///< by instance
  std::unique_ptr<PdDecider> decider_;
  Router& shared_router_;
  std::unique_ptr<Router> own_router_;
  InstanceGroup& instances_;
  RequestTable& rows_;
  DecisionLog* const log_;
  std::vector<std::size_t> first_ports_;  ///< by instance
  KvLinks links_;
  tsl::robin_map<std::uint32_t, Split> splits_;  ///< by row; never walked through
};

}  // namespace plimsoll
