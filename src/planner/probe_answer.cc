// What a test says of its load besides the answer: how far it is from its limits, what is served.
#include <cmath>

#include "metrics/latency.h"
#include "planner/load_probe.h"
#include "random/portable_math.h"

namespace plimsoll {

std::string_view name_of(Answer answer) {
  switch (answer) {
    case Answer::holds:
      return "holds";
    case Answer::fails:
      return "fails";
    case Answer::unclear:
      break;
  }
  return "unclear";
}

std::optional<double> LoadProbe::strain() const {
  double most = 0;
  for (const SloFigure& figure : slos)
    most = std::fmax(most, ratio_or_zero(figure.value_ms, figure.limit_ms));
  return most > 0 && !state.grows() ? std::optional(portable_log(most)) : std::nullopt;
}

std::optional<double> LoadProbe::served_rps() const {
  const double growth = state.backlog_growth_rps;
  const bool grows = answer == Answer::fails && state.grows() && growth > 0;
  return grows && growth < rate_rps ? std::optional(rate_rps - growth) : std::nullopt;
}

double unserved_share(const LoadProbe& test) {
  const GroupSummary& all = test.summary.cluster;
  double share = ratio_or_zero(all.timed_out + all.dropped_unservable, all.injected);
  for (const SloFigure& figure : test.slos) share = std::fmax(share, figure.unserved_share);
  return std::fmax(share, test.lost_share);
}

}  // namespace plimsoll
