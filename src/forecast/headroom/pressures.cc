#include "forecast/headroom/pressures.h"

#include <algorithm>

#include "metrics/figures.h"

namespace plimsoll {
namespace {

constexpr Figure kFigures[]{figure("ttft_p99_ms"), figure("tpot_p99_ms"), figure("e2e_p99_ms"),
                            figure("kv_utilization")};

}  // namespace

std::vector<Pressure> worse_figures(const LoadProbe& tested_before, const LoadProbe& tested_after) {
  std::vector<Pressure> worse;
  if (tested_before.state.grows() || tested_after.state.grows()) {
    const double was = std::max(0.0, tested_before.state.backlog_growth_rps);
    const double is = tested_after.state.backlog_growth_rps;
    if (tested_after.state.grows() && is > was + kFelt * tested_after.rate_rps)
      worse.push_back({"queue growth req/s", was, is});
    return worse;
  }
  const GroupSummary& before = tested_before.summary.cluster;
  const GroupSummary& after = tested_after.summary.cluster;
  for (const Figure& figure : kFigures) {
    const double unit = figure.row->unit == "%" ? 100 : 1;
    const double was = unit * figure.of(before);
    const double is = unit * figure.of(after);
    const std::string title = figure.title() + " " + std::string(figure.row->unit);
    if (is > was * (1 + kFelt)) worse.push_back({title, was, is});
  }
  return worse;
}

}  // namespace plimsoll
