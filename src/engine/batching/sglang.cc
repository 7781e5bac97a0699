// SGLang: while somebody can be let in, batches of prompts alone, cut to the budget, the prompt
// that was begun first; else batches of decodes alone. What has come is received after a batch of
// prompts, when nothing runs, and after every so many batches of decodes (SchedulerRecvSkipper,
// --scheduler-recv-interval). Who was received and found no room may enter in any batch.
#include "base/numbers.h"
#include "engine/batching/rooms.h"
#include "engine/batching_rule.h"

namespace plimsoll {
namespace {

constexpr const char* kInterval = "scheduler-recv-interval";

class Sglang final : public BatchingRule {
 public:
  explicit Sglang(const Parameters& p) : interval_(static_cast<std::int64_t>(p[kInterval])) {}

  void form(BatchDraft& batch) override {
    const bool receives = after_prompts_ || batch.empty() || decodes_ >= interval_;
    if (receives) decodes_ = 0;
    if (receives || somebody_waits_) {
      after_prompts_ = serve_prompts(batch);
      somebody_waits_ = batch.somebody_waits();
      if (after_prompts_) return batch.hold_decodes();
    }
    if (batch.decoding() > 0) ++decodes_;
    batch.serve_decodes();
    somebody_waits_ |= batch.preempted();
  }

  std::int64_t sure_decodes() const override {
    return after_prompts_ || somebody_waits_ ? 0 : interval_ - decodes_;
  }
  void skip(std::int64_t batches, bool somebody_waits) override {
    const bool received = after_prompts_ || decodes_ + batches - 1 >= interval_;
    decodes_ =
        after_prompts_ ? (batches - 1) % interval_ + 1 : (decodes_ + batches - 1) % interval_ + 1;
    after_prompts_ = false;
    somebody_waits_ = somebody_waits && (somebody_waits_ || received);
  }

 private:
  // A prompt gets all its blocks when it is let in.
  static bool serve_prompts(BatchDraft& batch) {
    batch.serve_prompts();
    const EngineConfig& limits = batch.limits();
    bool any = batch.tokens_left() < limits.max_num_batched_tokens;
    while (batch.has_candidate()) {
      if (batch.tokens_left() <= 0) {
        batch.lack_tokens();
        break;
      }
      const BatchDraft::Candidate candidate = batch.candidate();
      const KvCache::Room room{.set_aside = ceil_div(candidate.to_prefill, limits.block_size),
                               .leave_free = watermark_blocks(limits)};
      if (!batch.admit(candidate, batch.chunk_of(candidate), room)) break;
      any = true;
    }
    return any;
  }

  const std::int64_t interval_;
  std::int64_t decodes_ = 0;     ///< batches since something was received
  bool after_prompts_ = false;   ///< the last batch was one of prompts
  bool somebody_waits_ = false;  ///< was received, and found no room
};

}  // namespace

BatchingRuleRow sglang_rule() {
  return {.name = "sglang",
          .help = "SGLang: prompts first, in chunks and alone; decodes while none can enter",
          .parameters = {{kInterval,
                          1,
                          {1, 1'000'000},
                          "STEPS",
                          "Decode steps after which sglang takes up new requests",
                          true}},
          .make = made<BatchingRule, Sglang>,
          // What its scheduler takes at least; up to twice as many where KV cache and context allow
          // (max_num_reqs in sglang/srt/model_executor/model_runner.py).
          .max_num_seqs = 2048,
          .max_num_batched_tokens = 8192,
          .chunks_prompts = true};
}

}  // namespace plimsoll
