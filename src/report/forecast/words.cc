#include "report/forecast/words.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "report/answer/reasons.h"

namespace plimsoll {
namespace {

// The reason; the limit alone where the figure that breaks it stands in the list that follows.
std::string reason_beside_figures(const LoadProbe& probe, const std::vector<Slo>& slos) {
  if (probe.reason.cause != ProbeCause::slo_figure || probe.state.grows())
    return reason_text(probe, slos);
  const Slo& slo = slos[static_cast<std::size_t>(probe.reason.figures[0])];
  const bool is_listed =
      slo.metric != &GroupSummary::itl && (slo.percentile == 95.0 || slo.percentile == 99.0);
  return is_listed ? "it misses " + title_of(slo) : reason_text(probe, slos);
}

}  // namespace

std::string amount_text(double value) {
  if (!std::isfinite(value)) return "none";
  if (std::abs(value) >= 999'500'000) return three_digits(value / 1e9) + "G";
  if (std::abs(value) >= 999'500) return three_digits(value / 1e6) + "M";
  if (std::abs(value) >= 9'995) return three_digits(value / 1e3) + "k";
  return three_digits(value);
}

std::string cell_text(const std::optional<double>& value) {
  return value ? amount_text(*value) : std::string("-");
}

std::string cell_text(Resource resource, const std::optional<double>& value) {
  return value && resource == Resource::gpus ? fmt::format("{:.0f}", *value) : cell_text(value);
}

std::string cell_text(Resource resource, const std::optional<double>& value,
                      const std::optional<Interval>& band) {
  if (!value || !band) return cell_text(resource, value);
  return fmt::format("{} [{}, {}]", cell_text(resource, value), cell_text(resource, band->low),
                     cell_text(resource, band->high));
}

std::vector<Column> telling(std::vector<Column> columns) {
  std::erase_if(columns, [](const Column& column) {
    return !column.cells.empty() && std::ranges::all_of(column.cells, [](const std::string& text) {
      return text.empty() || text == "-" || text == "0 %";
    });
  });
  return columns;
}

Mood mood_of(Risk risk) {
  return risk == Risk::ok ? Mood::good : risk == Risk::tight ? Mood::doubtful : Mood::bad;
}

std::string run_out_text(Resource resource) {
  if (resource == Resource::budget) return "the budget is exceeded";
  if (resource == Resource::context_tokens) return "requests exceed the context window";
  if (resource == Resource::queue_delay) return "the queue delay exceeds its limit";
  if (resource == Resource::gpus) return "GPUs run out";
  return std::string(facts_of(resource).title) + " exceed capacity";
}

std::string amount_text(Resource resource, double value) {
  if (resource == Resource::budget) return "$" + amount_text(value) + " a month";
  return amount_text(value) + " " + std::string(facts_of(resource).title);
}

std::string share_text(double share) {
  return std::isfinite(share) ? percent(share) : std::string("none there");
}

double preemptions_per_1k(const LoadProbe& probe) {
  const double requests = static_cast<double>(std::max<std::int64_t>(1, probe.requests));
  return 1000 * static_cast<double>(probe.summary.cluster.preemptions) / requests;
}

std::string peak_sentence(const PeakCheck& peak, const std::vector<Slo>& slos) {
  const GroupSummary& c = peak.probe.summary.cluster;
  const double requests = static_cast<double>(std::max<std::int64_t>(1, peak.probe.requests));
  const auto latencies = [](const LatencySummary& l) {
    return fmt::format("p95 {}, p99 {}", ms_or_s(l.p95_ms / 1e3), ms_or_s(l.p99_ms / 1e3));
  };
  std::string text = fmt::format(
      "{} req/s simulated: {}. ", three_digits(peak.probe.rate_rps),
      peak.probe.answer != Answer::holds ? reason_beside_figures(peak.probe, slos)
      : refused_share(peak)
          ? "the others are held, but " + percent(*refused_share(peak)) + " are too long"
          : "held");
  text +=
      peak.probe.state.grows()
          ? "Latencies grow while the peak lasts"
          : fmt::format("TTFT {}; TPOT {}; E2E {}; {} preemptions per 1k requests; {} completed",
                        latencies(c.ttft), latencies(c.tpot), latencies(c.e2e),
                        three_digits(preemptions_per_1k(peak.probe)),
                        percent(static_cast<double>(c.completed) / requests));
  if (!peak.line.is_known) return text + ". The share that can be handled is too close to call";
  if (peak.line.factor <= 0) return text + ". No share of it can be handled";
  return text + fmt::format(". Handles {} of the forecast peak [{}, {}]", percent(peak.line.factor),
                            percent(peak.held().low), percent(peak.held().high));
}

std::string held_text(const std::optional<PeakCheck>& peak) {
  if (!peak) return "-";
  if (!peak->line.is_known) return "not known";
  if (peak->line.factor <= 0) return "none";
  const bool is_at_limit = peak->probe.answer == Answer::unclear && peak->line.factor == 1;
  return (is_at_limit ? "about " : "") + percent(peak->line.factor);
}

std::string titles_of(const std::vector<Resource>& resources) {
  constexpr std::size_t kMostNamed = 4;
  std::vector<std::string> titles;
  for (const Resource resource : resources) {
    if (titles.size() == kMostNamed) {
      titles.push_back(counted(std::ssize(resources) - std::int64_t{kMostNamed}, "other"));
      break;
    }
    titles.emplace_back(facts_of(resource).title);
  }
  return titles.empty() ? "nothing" : join(titles, ", ");
}

}  // namespace plimsoll
