#include "planner/cluster_share.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "metrics/figures.h"

namespace plimsoll {
namespace {

constexpr std::int32_t kFewestInstances = 16;

std::int64_t scaled(std::int64_t count, double factor) {
  return std::llround(static_cast<double>(count) * factor);
}

bool is_rate(const GroupFigure& row) { return row.unit.ends_with("/s"); }

}  // namespace

bool are_independent(const Deployment& deployment) {
  return deployment.router == "round-robin" && deployment.admission == "always-admit" &&
         deployment.pools.size() == 1 && deployment.tenant_budgets.empty() &&
         !deployment.flow_control.enabled;
}

std::int32_t simulated_instances(const ProbedSystem& system, const ProbeEffort& effort,
                                 std::int64_t requests) {
  const std::int32_t all = system.deployment.num_instances();
  if (effort.share >= 1 || !are_independent(system.deployment)) return all;
  const double least = static_cast<double>(fewest_requests(system.slos)) /
                       static_cast<double>(std::max<std::int64_t>(1, requests));
  const double wanted = std::ceil(std::fmax(effort.share, least) * all);
  const auto share = static_cast<std::int32_t>(std::fmin(all, wanted));
  return 2 * share > all ? all : std::min(all, std::max(share, kFewestInstances));
}

bool ShareOfRequests::next(Request* request) {
  const std::int64_t round = given_ / share_;
  const std::int64_t instance = given_ % share_ * all_ / share_;
  const std::int64_t before = round * all_ + instance - passed_;
  const std::int64_t skipped = source_->skip(before);
  passed_ += skipped;
  if (skipped < before || !source_->next(request)) return false;
  passed_ += 1;
  given_ += 1;
  return true;
}

void scale_up(double factor, SteadyState* state) {
  state->backlog_growth_rps *= factor;
  state->enough_requests = scaled(state->enough_requests, factor);
}

void scale_up(double factor, SloFigure* figure) {
  figure->requests = scaled(figure->requests, factor);
}

void scale_up(double factor, ProbeSummary* summary) {
  for (const GroupFigure& row : kGroupFigures) {
    if (const auto* count = std::get_if<Count>(&row.member)) {
      summary->cluster.** count = scaled(summary->cluster.**count, factor);
    } else if (const auto* number = std::get_if<Number>(&row.member); number && is_rate(row)) {
      summary->cluster.** number *= factor;
    }
  }
  for (MetricInterval& interval : summary->intervals) {
    const Figure figure = find_figure(interval.metric);
    if (figure.row == nullptr || !is_rate(*figure.row)) continue;
    interval.low *= factor;
    interval.high *= factor;
  }
}

}  // namespace plimsoll
