#include "report/compare/comparison.h"
#include "base/lists.h"
#include "report/answer/reasons.h"

#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "report/answer/words.h"
#include "report/form/text_report.h"

namespace plimsoll {
namespace {

constexpr std::size_t kMostDetailed = 3;  // variants against the first, each with all its figures

// ---- evidence

// Which figures stand in the tables: those of most interest, and the leading one.
std::vector<std::size_t> shown_figures(const Comparison& c,
                                       const std::vector<std::string_view>& keys) {
  std::vector<std::size_t> shown;
  for (std::size_t f = 0; f < compared_figures().size(); ++f) {
    const bool wanted = f == c.leading || std::ranges::count(keys, compared_figure(f).key) > 0;
    const bool any = std::ranges::any_of(
        c.variants, [&](const ComparedVariant& v) { return v.figures[f].has_value(); });
    if (wanted && any) shown.push_back(f);
  }
  return shown;
}

// To two digits: more say nothing beside the mean.
std::string half_width(double half) {
  if (half >= 9.95) return grouped(std::llround(half));
  int decimals = 1;
  for (double scaled = half; scaled < 0.995 && decimals < 9; scaled *= 10) ++decimals;
  return fmt::format("{:.{}f}", half, decimals);
}

double largest_mean(const Comparison& c, std::size_t f) {
  double largest = 0;
  for (const ComparedVariant& v : c.variants) {
    if (v.figures[f]) largest = std::max(largest, std::fabs(v.figures[f]->mean.mean));
  }
  return largest;
}

// The same in all tables.
Unit unit_of(const Comparison& c, std::size_t f) {
  return unit_of(compared_figure(f), largest_mean(c, f));
}

std::string title_of(const Comparison& c, std::size_t figure) {
  const ComparedFigure& f = compared_figure(figure);
  if (f.key == "usd_per_hour") return "$/h";
  if (f.key == "usd_per_million_tokens") return "$/1M tokens";
  if (f.unit != "ms" && f.unit != "%") return std::string(f.title);
  return fmt::format("{} {}", f.title, unit_of(c, figure).name);
}

Column figure_column(const Comparison& c, std::size_t f, bool utf8) {
  const double unit = unit_of(c, f).scale;
  Column column{title_of(c, f), {}};
  for (const ComparedVariant& v : c.variants) {
    std::string cell;
    if (v.figures[f]) {
      const ReplicatedMean& m = v.figures[f]->mean;
      cell = number_text(compared_figure(f), m.mean, unit);
      const double half = m.interval ? (m.interval->high - m.interval->low) / 2 / unit : 0;
      if (half > 0) cell += (utf8 ? " ± " : " +- ") + half_width(half);
    }
    column.cells.push_back(cell);
  }
  return column;
}

// `marks`: the best, which is more than the leading one.
Column names_column(const Comparison& c, bool marks) {
  Column column{"variant", {}, false};
  for (std::size_t v = 0; v < c.variants.size(); ++v) {
    column.cells.push_back(c.variants[v].name);
    column.moods.push_back(marks && c.best == v ? Mood::good : Mood::none);
  }
  return column;
}

std::vector<Column> figures_columns(const Comparison& c, const std::vector<std::size_t>& shown,
                                    bool marks, bool utf8) {
  std::vector<Column> columns{names_column(c, marks)};
  for (const std::size_t f : shown) columns.push_back(figure_column(c, f, utf8));
  return columns;
}

std::vector<Column> resources_columns(const Comparison& c, bool marks, bool utf8) {
  std::vector<Column> columns{names_column(c, marks)};
  for (std::size_t f = 0; f < compared_figures().size(); ++f) {
    const std::string_view key = compared_figure(f).key;
    const bool shown = key == "tokens_per_sec" || key.starts_with("usd_");
    if (shown && largest_mean(c, f) > 0) columns.push_back(figure_column(c, f, utf8));
  }
  const auto add = [&](const char* header, auto cell) {
    columns.push_back({header, mapped(c.variants, cell), false});
  };
  add("steady", [&](const ComparedVariant& v) {
    return fmt::format("{} of {}", v.verdicts.steady, c.seeds);
  });
  add("bound by", [](const ComparedVariant& v) { return std::string(name_of(v.resource)); });
  return columns;
}

std::string with_sign(double value) {
  const std::string text = three_digits(value);
  return value > 0 && text != "0" ? "+" + text : text;
}

// Whether an hour costs differently: only then the cost of tokens says more than their rate.
bool costs_differ(const Comparison& c) {
  return std::ranges::any_of(c.differences, [](const Difference& d) {
    return compared_figure(d.figure).key == "usd_per_hour" && !d.paired.equal;
  });
}

std::string reading(const Difference& d, std::size_t seeds) {
  if (d.paired.equal) return "equal";
  if (seeds < 2) return "one run";
  if (d.negligible) return "negligible";
  return d.paired.is_real() ? "real" : "not distinguishable";
}

// A page sorts and filters rows, so that each of them tells its variant there; a terminal has one
// column of both, which a table that has to be stacked repeats.
std::vector<Column> differences_columns(const Comparison& c, bool of_page) {
  const bool detailed = c.variants.size() <= kMostDetailed + 1;
  std::vector<std::string_view> keys;
  if (detailed) {
    keys = {"ttft_p50_ms",    "ttft_p99_ms",    "itl_mean_ms", "e2e_mean_ms",
            "tokens_per_sec", "slo_attainment", "fitness"};
    if (costs_differ(c)) keys.insert(keys.end(), {"usd_per_hour", "usd_per_million_tokens"});
  }
  const std::vector<std::size_t> shown = shown_figures(c, keys);
  std::vector<Column> columns = columns_of({"<variant", "<against " + c.variants.front().name,
                                            "difference", "<95 % interval", "%", "<"});
  std::size_t last = 0;
  for (const Difference& d : c.differences) {
    if (std::ranges::count(shown, d.figure) == 0) continue;
    const std::string& variant = c.variants[d.variant].name;
    if (!of_page && d.variant != last) add_row(&columns, {"", variant, "", "", "", ""});
    last = d.variant;
    const double unit = unit_of(c, d.figure).scale;
    std::string interval;
    if (d.paired.interval && !d.paired.equal) {
      interval = fmt::format("[{}, {}]", with_sign(d.paired.interval->low / unit),
                             with_sign(d.paired.interval->high / unit));
    }
    add_row(&columns, {variant, title_of(c, d.figure), with_sign(d.paired.mean / unit), interval,
                       with_sign(100 * d.relative), reading(d, c.seeds)});
  }
  if (c.seeds < 2) columns.erase(columns.begin() + 3);
  if (!of_page) columns.erase(columns.begin());
  return columns;
}

// ---- how far to trust it

std::string seeds_text(const ComparisonFacts& facts) {
  if (facts.seeds.size() == 1) return fmt::format("seed {}", facts.seeds.front());
  return fmt::format("seeds {} to {}", facts.seeds.front(), facts.seeds.back());
}

std::string paired_text(const Comparison& c, const ComparisonFacts& facts) {
  const std::string traffic =
      facts.closed_loop ? "the same users for all variants (their return times depend on the "
                          "answers)"
                        : fmt::format("the same {} requests{} for all variants",
                                      grouped(facts.arrived), c.seeds > 1 ? " per seed" : "");
  std::string text = traffic + ", " + seeds_text(facts);
  if (facts.recorded) text += ", of a trace";
  if (c.seeds < 2) return text + "; one run has no interval, so no difference is called real";
  text += "; means with 95 % intervals over seeds, differences by a paired t-test";
  if (c.pairs > 1) {
    text += fmt::format(", intervals widened to cover all {} pairs", c.pairs);
  }
  return text;
}

// Says in how many runs a variant was not steady; empty where it always was.
std::string doubts(const ComparedVariant& v, std::size_t seeds) {
  const std::pair<std::size_t, std::string_view> counts[]{
      {v.verdicts.overloaded, "overloaded"},
      {v.verdicts.transient, "without one steady level"},
      {v.verdicts.too_short, "too short to tell whether the load is held"}};
  std::vector<std::string> parts;
  for (const auto& [count, what] : counts) {
    if (count == 0) continue;
    std::string runs = fmt::format("{} of {} runs", count, seeds);
    if (count == seeds) runs = seeds == 1 ? "the run" : "all runs";
    parts.push_back(fmt::format("{} {} {}", runs, count == 1 ? "is" : "are", what));
  }
  if (v.unserved_share > kManyUnserved) {
    parts.push_back(fmt::format("{} % of the requests were not served, latencies are of the others",
                                three_digits(100 * v.unserved_share)));
  }
  return join(parts, ", ");
}

// A line for the variants with the same text: "a and b: ...".
std::vector<std::string> by_text(const Comparison& c, const std::vector<std::string>& texts) {
  std::vector<std::string> lines;
  for (std::size_t v = 0; v < texts.size(); ++v) {
    const auto first = std::ranges::find(texts, texts[v]) - texts.begin();
    if (texts[v].empty() || static_cast<std::size_t>(first) != v) continue;
    std::vector<std::string> same;
    for (std::size_t w = v; w < texts.size(); ++w) {
      if (texts[w] == texts[v]) same.push_back(c.variants[w].name);
    }
    const bool all = same.size() == texts.size();
    lines.push_back((all ? "all variants" : in_words(same)) + ": " + texts[v]);
  }
  return lines;
}

std::string cost_text(const ComparisonFacts& facts) {
  std::vector<std::string> parts;
  for (const VariantFacts& v : facts.variants) {
    const auto add = [&](std::string text) { add_once(&parts, std::move(text)); };
    if (v.prices.empty()) add("no on-demand price is known for " + v.unpriced);
    for (const Price& price : v.prices) {
      add(fmt::format("{}: {} on demand", price.gpu, offer_text(price)));
    }
  }
  return join(parts, "; ");
}

std::string flags_text(const Comparison& c, const ComparisonFacts& facts) {
  std::vector<std::string> parts;
  for (std::size_t v = 0; v < c.variants.size(); ++v) {
    const std::string& flags = facts.variants[v].flags;
    parts.push_back(fmt::format("{}: {}", c.variants[v].name, flags.empty() ? "as it is" : flags));
  }
  return join(parts, "; ");
}

}  // namespace

std::string trade_off(const Comparison& c, std::size_t behind) {
  constexpr double kMuch = 0.1;
  const bool from_best = *c.best == 0;
  if (!from_best && behind != 0) return {};  // differences are from the first
  const std::size_t differs = from_best ? behind : *c.best;
  std::vector<std::string> worse;
  for (const Difference& d : c.differences) {
    const ComparedFigure& f = compared_figure(d.figure);
    const bool is_shown =
        f.key == "ttft_p99_ms" || f.key == "itl_mean_ms" || f.key == "e2e_mean_ms";
    const double more = from_best ? -d.relative : d.relative;
    if (!is_shown || d.variant != differs || more < kMuch || !d.matters()) continue;
    worse.push_back(
        fmt::format("{} is {} {}", f.title, percent(more), from_best ? "lower" : "higher"));
  }
  if (worse.empty()) return {};
  return fmt::format(" But with {} {}.", c.variants[differs].name, in_words(worse));
}

std::string in_words(const std::vector<std::string>& all) {
  if (all.size() < 2) return join(all, "");
  return join({all.begin(), all.end() - 1}, ", ") + " and " + all.back();
}

std::string comparison_text(const Comparison& c, const ComparisonFacts& facts, const Style& style) {
  const ComparisonVerdict verdict = verdict_of(c, facts);
  TextReport out(style);
  out.verdict(comparison_verdict(c, facts), verdict.label().size(), verdict.mood());
  out.figures([&] { return comparison_chart(c); });
  const auto shown = shown_figures(
      c, {"ttft_p50_ms", "ttft_p99_ms", "itl_mean_ms", "e2e_mean_ms", "slo_attainment"});
  const bool marks = decision_of(c, facts).verdict == DecisionVerdict::yes;
  if (!shown.empty()) out.table(figures_columns(c, shown, marks, style.utf8));
  out.table(resources_columns(c, marks, style.utf8));
  out.table(differences_columns(c, style.markup));
  out.line("variants", flags_text(c, facts));
  out.line("paired", paired_text(c, facts));
  std::vector<std::string> trust;
  std::vector<std::string> routing;
  for (std::size_t v = 0; v < c.variants.size(); ++v) {
    trust.push_back(doubts(c.variants[v], c.seeds));
    routing.push_back(facts.variants[v].concentration);
  }
  out.lines("trust", by_text(c, trust));
  out.lines("routing", by_text(c, routing));
  out.line("cost", cost_text(facts));
  for (const NextStep& step : facts.next) out.next(step.command, step.purpose);
  return out.text();
}

}  // namespace plimsoll
