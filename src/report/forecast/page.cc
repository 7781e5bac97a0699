// The parts of a forecast's page that the text lacks: figures in large type, the limits and
// latencies of the peak, and the assumptions.
#include <cmath>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "report/answer/words.h"
#include "report/forecast/words.h"
#include "report/form/page.h"

namespace plimsoll {
namespace {

// The GPUs to order; where that is for a loss, also those that the demand alone takes.
std::string order_tiles(const ForecastReport& r, const GpuPlan& plan) {
  std::string text;
  const auto add = [&](const std::string& prefix, std::int64_t gpus,
                       const std::optional<double>& usd, const std::string& what) {
    text += tile(prefix + "add_gpus", static_cast<double>(gpus), counted(gpus, "GPU"), what);
    if (usd)
      text += tile(prefix + "add_usd_per_month", *usd, "$" + amount_text(*usd),
                   fmt::format("per month for {}", counted(gpus, "GPU")));
  };
  const std::optional<GpuOrder> order = gpus_to_order(r);
  const bool is_for_loss = order && !order->survives.empty();
  if (is_for_loss)
    add("order.", order->gpus, order->usd_per_month,
        "to order, to survive the loss of " + order->survives);
  add("", plan.add_gpus, plan.add_usd_per_month,
      fmt::format("{} ({})", is_for_loss ? "of them for the demand alone" : "to add",
                  confidence_text()));
  return text;
}

// Latencies are left out while the queue grows: they would only say how long the test was.
std::string latency_table(const LoadProbe& probe) {
  const GroupSummary& c = probe.summary.cluster;
  PageTable table("Latencies of that run", {"latency", "mean", "p95", "p99"});
  const auto add = [&](const char* title, const char* key, const LatencySummary& l) {
    const auto cell = [&](double ms, const char* statistic) {
      return PageTable::Cell{probe.state.grows() ? "grows" : ms_or_s(ms / 1e3), ms,
                             fmt::format("peak.{}.{}", key, statistic)};
    };
    table.add({{title}, cell(l.mean_ms, "mean"), cell(l.p95_ms, "p95"), cell(l.p99_ms, "p99")});
  };
  add("TTFT", "ttft_ms", c.ttft);
  add("TPOT", "tpot_ms", c.tpot);
  add("E2E", "e2e_ms", c.e2e);
  return table.markup();
}

}  // namespace

std::string forecast_tiles(const ForecastReport& r) {
  std::string text;
  for (const SheetRow& row : r.headroom.rows) {
    if (row.resource != r.headroom.binding) continue;
    text += tile("utilisation", *row.utilisation(), share_text(*row.utilisation()),
                 fmt::format("of {} used", facts_of(row.resource).title));
  }
  if (const auto& peak = r.headroom.forecast) {
    const double held = peak->line.is_known ? peak->line.factor : std::nan("");
    text += tile("held_factor", held, held_text(peak), "of the forecast peak is handled");
  }
  if (r.runway && !r.runway->gpu_plan.steps.empty()) {
    text += order_tiles(r, r.runway->gpu_plan);
  }
  return tiles(text);
}

std::string peak_tables(const ForecastReport& r, const PeakCheck& peak) {
  return limits_table(peak.probe, r.request.slos) + latency_table(peak.probe);
}

std::string forecast_foundations(const ForecastReport& r) {
  const ForecastRequest& q = r.request;
  std::vector<std::string> lines;
  const std::vector<std::string> slos =
      mapped(q.slos, [](const Slo& slo) { return title_of(slo); });
  lines.push_back(slos.empty() ? "no limit on latency: the queue must not grow"
                               : "limits: " + join(slos, ", "));
  lines.push_back(
      fmt::format("lengths: lognormal, coefficient of variation {}; arrivals: {}; seed {}",
                  three_digits(q.load.length_cv),
                  q.load.arrival.process == ArrivalProcess::gamma
                      ? "gamma, coefficient of variation " + three_digits(q.load.arrival.cv)
                      : "Poisson",
                  q.load.seed));
  lines.push_back(fmt::format("mean load of a month: {} of the peak", percent(q.mean_load)));
  lines.push_back(q.band ? fmt::format("band: {} to {} times the requests of the forecast",
                                       three_digits(q.band->low), three_digits(q.band->high))
                         : "band: none given, so the forecast is a single value");
  if (!q.history.path.empty()) lines.push_back("history: " + q.history.path);
  if (r.runway && r.runway->dated)
    lines.push_back("days and orders are counted from " + moment_text(*r.runway, r.runway->now_s));
  lines.push_back("forecast: " + q.file);
  return bullets(lines);
}

}  // namespace plimsoll
