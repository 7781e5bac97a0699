// Prints the table of kinds of docs/explanation/forecast-accuracy.md: forecast_kinds [SERIES]
// [KIND]
#include <cstdio>

#include <fmt/format.h>

#include "forecast_kinds/measure.h"

namespace {

using namespace plimsoll;

// The single method with the least Brier score.
std::string best_alone(const Kind& kind, std::size_t series) {
  std::string best = "-";
  double least = 1;
  for (const Choice<ForecastMethod>& method : forecast_methods()) {
    if (method.value == ForecastMethod::combination) continue;
    const auto score = score_of(kind, series, method.value);
    if (!score || score->brier >= least) continue;
    least = score->brier;
    best = fmt::format("{:.3f} ({})", least, method.name);
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t series = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 40;
  fmt::print(
      "| kind | days | horizon | peak within | band | Brier | best alone | error | median peak |\n"
      "|---|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  for (const Kind& kind : kinds()) {
    if (argc > 2 && kind.name != argv[2]) continue;
    const auto score = score_of(kind, series);
    fmt::print("| {}: {} | {} | {} | {:.1f} % | {:.2f} | {:.3f} | {} | {:.2f} | {:+.1f} % |\n",
               kind.name, kind.about, kind.days, kind.horizon, 100 * score->peak_covered,
               score->band_width, score->brier, best_alone(kind, series), score->mase_ratio,
               100 * score->peak_bias);
    std::fflush(stdout);
  }
}
