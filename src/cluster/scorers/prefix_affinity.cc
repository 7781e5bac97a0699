// Remembers which prompts went where, without asking the instances: what they have evicted since
// the router does not know.
#include <vector>

#include "cluster/recent_blocks.h"
#include "cluster/scorer.h"
#include "engine/prompt_path.h"

namespace plimsoll {
namespace {

class PrefixAffinity final : public Scorer {
 public:
  PrefixAffinity(const Parameters&, const Deployment& deployment)
      : block_size_(deployment.main().engine.block_size) {
    std::uint32_t instance = 0;
    for (const Pool& pool : deployment.pools) {
      const std::int64_t blocks = deployment.router_memory_blocks > 0
                                      ? deployment.router_memory_blocks
                                      : pool.engine.total_kv_blocks;
      for (std::int32_t i = 0; i < pool.num_instances; ++i) {
        sent_.emplace_back(instance++, blocks, holdings_);
      }
    }
  }

  void score(const Request& request, const InstanceViews&, std::span<double> scores) override {
    blocks_ = prompt_blocks(request, block_size_, &pieces_);
    holdings_.count_leading(pieces_, blocks_.shareable, scores);
    if (blocks_.all == 0) return;
    const auto all = static_cast<double>(blocks_.all);
    for (double& score : scores) score /= all;
  }

  void routed(const Request&, const InstanceViews&, std::size_t instance) override {
    sent_[instance].touch(pieces_, blocks_.shareable, blocks_.all);
  }

  ViewNeeds needs() const override { return {}; }

 private:
  std::int64_t block_size_;
  PrefixHoldings holdings_;
  std::vector<RecentBlocks> sent_;
  // Of the request being routed.
  std::vector<ContentPiece> pieces_;
  PromptBlocks blocks_;
};

}  // namespace

ScorerRow prefix_affinity_scorer() {
  return {"prefix-affinity",
          "largest share of the prompt sent there lately",
          {},
          made<Scorer, PrefixAffinity>};
}

}  // namespace plimsoll
