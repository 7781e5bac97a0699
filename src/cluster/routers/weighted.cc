#include <algorithm>

#include "cluster/router.h"
#include "cluster/routers/random_tie.h"
#include "cluster/scorer.h"

namespace plimsoll {
namespace {

/// The highest sum of weighted scores wins. Weights add up to 1 and scores lie between 0 and 1.
class Weighted final : public Router {
 public:
  Weighted(const Parameters&, const Deployment& deployment, std::uint64_t seed)
      : tie_(seed),
        totals_(static_cast<std::size_t>(deployment.num_instances())),
        scores_(totals_.size()) {
    const auto& profile = deployment.scorers.empty() ? default_scorers() : deployment.scorers;
    double sum = 0;
    for (const ScorerWeight& s : profile) sum += s.weight;
    for (const ScorerWeight& s : profile) {
      scorers_.push_back({make_scorer(s.name, deployment), s.weight / sum});
    }
  }

  std::size_t route(const Request& request, const InstanceViews& views) override {
    std::fill(totals_.begin(), totals_.end(), 0);
    for (const Part& part : scorers_) {
      part.scorer->score(request, views, scores_);
      for (std::size_t i = 0; i < totals_.size(); ++i) {
        totals_[i] += part.weight * std::min(std::max(scores_[i], 0.0), 1.0);
      }
    }
    const std::size_t chosen = tie_.greatest(totals_);
    for (const Part& part : scorers_) part.scorer->routed(request, views, chosen);
    return chosen;
  }

  ViewNeeds needs() const override {
    ViewNeeds needs;
    for (const Part& part : scorers_) needs = needs | part.scorer->needs();
    return needs;
  }

  std::span<const double> scores() const override { return totals_; }

 private:
  struct Part {
    std::unique_ptr<Scorer> scorer;
    double weight;
  };

  RandomTie tie_;
  std::vector<Part> scorers_;
  std::vector<double> totals_;
  std::vector<double> scores_;
};

}  // namespace

RouterRow weighted_router() {
  return {"weighted",
          "the best by a weighted sum of scores (--routing-scorers)",
          {},
          made<Router, Weighted>};
}

}  // namespace plimsoll
