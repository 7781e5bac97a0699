#include "metrics/comparison.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/lists.h"

namespace plimsoll {
namespace {

using Cost = std::optional<double>;
using Value = std::optional<double>;

Value usd_per_million_tokens(const Summary& s, Cost usd_per_hour) {
  const double tokens_per_hour = 3600 * s.cluster.tokens_per_sec;
  if (!usd_per_hour || !(tokens_per_hour > 0)) return std::nullopt;
  return *usd_per_hour / tokens_per_hour * 1e6;
}

Value energy_j(const Summary& s, Cost) {
  const auto& use = s.cluster.efficiency;
  return use && use->energy_j_per_output_token > 0 ? Value(use->energy_j_per_output_token)
                                                   : std::nullopt;
}

Value value_of(const ComparedFigure& f, const Summary& run, Cost usd_per_hour) {
  if (f.figure.row == nullptr) return f.of(run, usd_per_hour);
  return f.figure.is_measured(run.cluster) ? Value(f.figure.of(run.cluster)) : std::nullopt;
}

VariantFigure figure_of(std::vector<double> by_seed) {
  const ReplicatedMean mean = replicated_mean(by_seed, kComparisonLevel);
  return {std::move(by_seed), mean};
}

std::vector<std::optional<VariantFigure>> figures_of(const VariantRuns& variant) {
  std::vector<std::optional<VariantFigure>> figures;
  for (const ComparedFigure& figure : compared_figures()) {
    std::vector<double> by_seed;
    for (const Summary& run : variant.runs) {
      if (const auto value = value_of(figure, run, variant.usd_per_hour)) by_seed.push_back(*value);
    }
    figures.emplace_back();
    if (by_seed.size() == variant.runs.size()) figures.back() = figure_of(std::move(by_seed));
  }
  return figures;
}

VerdictCounts count_verdicts(const std::vector<Summary>& runs) {
  const auto count = [&](SteadyVerdict verdict) {
    return static_cast<std::size_t>(
        std::ranges::count(runs, verdict, [](const Summary& s) { return s.steady_state.verdict; }));
  };
  return {count(SteadyVerdict::steady), count(SteadyVerdict::transient),
          count(SteadyVerdict::overloaded),
          count(SteadyVerdict::too_short) + count(SteadyVerdict::no_load)};
}

// Among equally frequent ones the first by name.
ShortResource most_frequent_resource(const std::vector<Summary>& runs) {
  std::map<ShortResource, std::size_t> counts;
  for (const Summary& run : runs) ++counts[run.bottleneck.resource];
  return std::ranges::max_element(counts, {}, [](const auto& c) { return c.second; })->first;
}

double least_kept_of(const std::vector<Summary>& runs) {
  double sum = 0;
  for (const Summary& run : runs) {
    const auto least = run.goodput ? least_kept(*run.goodput) : std::nullopt;
    sum += least ? least->share : 1;
  }
  return sum / static_cast<double>(runs.size());
}

ComparedVariant describe(const VariantRuns& variant) {
  ComparedVariant out;
  out.name = variant.name;
  out.figures = figures_of(variant);
  out.verdicts = count_verdicts(variant.runs);
  out.holds = 2 * out.verdicts.overloaded <= variant.runs.size();
  std::int64_t arrived = 0;
  std::int64_t completed = 0;
  std::int64_t too_long = 0;
  for (const Summary& run : variant.runs) {
    too_long += run.cluster.dropped_unservable;
    arrived += run.arrived;
    completed += run.cluster.completed;
    if (run.cluster.duration_s > 0)
      out.ending += run.cluster.e2e.p99_ms / 1e3 / run.cluster.duration_s /
                    static_cast<double>(variant.runs.size());
  }
  out.unserved_share = ratio_or_zero(arrived - completed, arrived);
  out.too_long_share = ratio_or_zero(too_long, arrived);
  out.resource = most_frequent_resource(variant.runs);
  out.least_kept = least_kept_of(variant.runs);
  return out;
}

class Comparer {
 public:
  Comparer(const std::vector<VariantRuns>& variants, std::size_t leading) {
    for (const VariantRuns& v : variants) out_.variants.push_back(describe(v));
    out_.seeds = variants.front().runs.size();
    out_.leading = leading;
    out_.pairs = variants.size() * (variants.size() - 1) / 2;
  }

  Comparison compare() {
    for (std::size_t v = 1; v < out_.variants.size(); ++v) {
      for (std::size_t f = 0; f < compared_figures().size(); ++f) {
        add_difference(v, 0, f, &out_.differences);
      }
    }
    choose_best();
    for (std::size_t v = 0; out_.best && v < out_.variants.size(); ++v) {
      if (v != *out_.best) add_difference(v, *out_.best, out_.leading, &out_.from_best);
    }
    return std::move(out_);
  }

 private:
  const std::optional<VariantFigure>& figure(std::size_t variant, std::size_t f) const {
    return out_.variants[variant].figures[f];
  }

  // A run is as long as its last answer takes: of the same load, both serve the same.
  double least_difference(std::size_t variant, std::size_t from, std::size_t f) const {
    const ComparedVariant& a = out_.variants[variant];
    const ComparedVariant& b = out_.variants[from];
    if (!compared_figures()[f].is_per_time || !a.holds || !b.holds) return kNegligible;
    return kNegligible + std::max(a.ending, b.ending);
  }

  void add_difference(std::size_t variant, std::size_t from, std::size_t f,
                      std::vector<Difference>* to) const {
    const auto& a = figure(variant, f);
    const auto& b = figure(from, f);
    if (!a || !b) return;
    const double level = level_of_each(kComparisonLevel, out_.pairs);
    Difference d{variant, from, f, paired_difference(a->by_seed, b->by_seed, level), 0, false};
    const double base = b->mean.mean;
    if (base != 0) d.relative = d.paired.mean / std::fabs(base);
    if (const auto& interval = d.paired.interval; interval && !d.paired.equal) {
      const double far = std::fmax(std::fabs(interval->low), std::fabs(interval->high));
      d.negligible = far <= least_difference(variant, from, f) * std::fabs(base);
    }
    to->push_back(d);
  }

  // Equals: the first.
  void choose_best() {
    const bool more = compared_figures()[out_.leading].more_is_better;
    const auto rank = [&](std::size_t v) {
      const ComparedVariant& variant = out_.variants[v];
      const double mean = figure(v, out_.leading)->mean.mean;
      const double too_long = variant.turns_lengths_away() ? variant.too_long_share : 0;
      return std::tuple(variant.tier(), too_long, more ? -mean : mean);
    };
    for (std::size_t v = 0; v < out_.variants.size(); ++v) {
      if (figure(v, out_.leading) && (!out_.best || rank(v) < rank(*out_.best))) out_.best = v;
    }
  }

  Comparison out_;
};

}  // namespace

const std::vector<ComparedFigure>& compared_figures() {
  static const std::vector<ComparedFigure> rows = [] {
    std::vector<ComparedFigure> all;
    for (const Figure& f :
         {figure("ttft_mean_ms"), figure("ttft_p50_ms"), figure("ttft_p99_ms"),
          figure("itl_mean_ms"), figure("itl_p99_ms"), figure("e2e_mean_ms"), figure("e2e_p99_ms"),
          figure("responses_per_sec"), figure("tokens_per_sec")}) {
      all.push_back({f.key(), f.title(), f.row->unit, f.row->better == Better::more,
                     f.key().ends_with("_per_sec"), f});
    }
    const auto add = [&](std::string key, std::string title, std::string_view unit, bool more,
                         Value (*of)(const Summary&, Cost)) {
      const bool is_per_time = key == "goodput_rps" || key == "usd_per_million_tokens";
      all.push_back({std::move(key), std::move(title), unit, more, is_per_time, {}, of});
    };
    add("slo_attainment", "SLO attainment", "%", true, [](const Summary& s, Cost) {
      return s.goodput ? Value(s.goodput->all.attainment) : std::nullopt;
    });
    add("goodput_rps", "goodput", "req/s", true, [](const Summary& s, Cost) {
      return s.goodput ? Value(s.goodput->all.goodput_rps) : std::nullopt;
    });
    add("fitness", "fitness", "", true,
        [](const Summary& s, Cost) { return s.fitness ? Value(s.fitness->score) : std::nullopt; });
    add("usd_per_hour", "cost per hour", "$", false, [](const Summary&, Cost usd) { return usd; });
    add("usd_per_million_tokens", "cost per 1M tokens", "$", false, usd_per_million_tokens);
    add("energy_j_per_output_token", "energy per output token", "J", false, energy_j);
    return all;
  }();
  return rows;
}

std::vector<std::string> compared_figure_keys() {
  return mapped(compared_figures(),
                [](const ComparedFigure& figure) { return std::string(figure.key); });
}

Comparison compare_variants(const std::vector<VariantRuns>& variants, std::size_t leading) {
  assert(variants.size() >= 2 && leading < compared_figures().size());
  return Comparer(variants, leading).compare();
}

}  // namespace plimsoll
