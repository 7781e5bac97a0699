#include "report/answer/limits_table.h"

#include <fmt/format.h>

#include "base/text.h"
#include "report/form/page.h"

namespace plimsoll {
namespace {

std::string kept_text(Answer answer) {
  switch (answer) {
    case Answer::holds:
      return "yes";
    case Answer::fails:
      return "no";
    case Answer::unclear:
      break;
  }
  return "unclear";
}

}  // namespace

std::string limits_table(const LoadProbe& probe, const std::vector<Slo>& slos,
                         const std::string& prefix) {
  PageTable table(fmt::format("At {} req/s, over {} requests", three_digits(probe.rate_rps),
                              grouped(probe.requests)),
                  {"limit", "value", "90 % interval", "target", "margin", "kept?"});
  for (std::size_t i = 0; i < slos.size() && i < probe.slos.size(); ++i) {
    const SloFigure& f = probe.slos[i];
    const double target = to_ms(slos[i].limit);
    const auto text_of_ms = [](double ms) { return ms_or_s(ms / 1e3); };
    const bool by_share = slos[i].metric == &GroupSummary::itl && slos[i].percentile;
    const std::string interval =
        f.interval_ms ? text_of_ms(f.interval_ms->low) + " to " + text_of_ms(f.interval_ms->high)
        : by_share    ? "judged by the share of gaps above the target"
                      : "run too short";
    table.add({{name_of(slos[i])},
               {text_of_ms(f.value_ms), f.value_ms, prefix + key_of(slos[i])},
               {interval},
               {text_of_ms(target), target},
               {percent(1 - f.value_ms / target), 1 - f.value_ms / target},
               {kept_text(f.answer)}});
  }
  return table.markup();
}

}  // namespace plimsoll
