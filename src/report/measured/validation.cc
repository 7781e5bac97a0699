// The findings of `validate` as text and page.
#include "report/measured/validation.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "report/form/page.h"
#include "report/form/text_report.h"

namespace plimsoll {
namespace {

std::string one_decimal(double value) { return fmt::format("{:.1f}", value); }
std::string signed_percent(double value) { return fmt::format("{:+.1f}", value); }

// How many measurements have an interval, and how many of these are in it.
struct Coverage {
  std::int64_t all = 0;
  std::int64_t covered = 0;

  // Fewer than nine times in ten are as few by chance, if intervals of 90 % are right.
  bool is_too_low() const {
    constexpr double kNineInTen = 1.28;  // standard errors, one-sided
    const auto n = static_cast<double>(all);
    return static_cast<double>(covered) < 0.9 * n - kNineInTen * std::sqrt(0.1 * 0.9 * n);
  }
};

Coverage coverage_of(const Validation& v) {
  Coverage found;
  for (const CaseResult& c : v.cases) {
    for (const auto& [name, metric] : c.metrics) {
      for (const ScoredFigure& one : metric.comparisons) {
        if (std::isnan(one.low) || repeats_whole_run(one, c)) continue;
        found.all += 1;
        found.covered += one.is_covered() ? 1 : 0;
      }
    }
  }
  return found;
}

std::string verdict_line(const Validation& v, const std::vector<ScoreRow>& rows) {
  std::vector<std::string> parts;
  for (const auto& [metric, name] :
       {std::pair{"ttft_ms.mean", "TTFT"}, {"tpot_ms.mean", "TPOT"}, {"e2e_ms.mean", "E2E"}}) {
    for (const ScoreRow& row : rows) {
      if (row.group != "all" || row.metric != metric) continue;
      parts.push_back(fmt::format("{} % ({})", one_decimal(row.median_ape), name));
    }
  }
  const auto compared = std::count_if(v.cases.begin(), v.cases.end(),
                                      [](const CaseResult& c) { return c.has_comparisons(); });
  const std::size_t skipped =
      v.cases.size() + v.skipped.size() - static_cast<std::size_t>(compared);
  const std::string left_out =
      skipped == 0 ? "" : fmt::format(" {} skipped.", counted(std::int64_t(skipped), "case"));
  if (parts.empty()) return counted(compared, "case") + " compared." + left_out;
  const Coverage coverage = coverage_of(v);
  const std::string contained = fmt::format("contain {} of {}", grouped(coverage.covered),
                                            counted(coverage.all, "measurement"));
  // Figures of one run hang together: they prove nothing of the intervals.
  const bool is_too_low = compared > 1 && coverage.is_too_low();
  return fmt::format(
      "{}Predicted means miss the measured ones{} by {}{}.{}",
      is_too_low ? "The 90 % intervals are too narrow here: they " + contained + ". " : "",
      compared == 1 ? "" : fmt::format(" (median of {})", counted(compared, "case")),
      join(parts, ", "), is_too_low || coverage.all == 0 ? "" : "; 90 % intervals " + contained,
      left_out);
}

void add_case(const CaseResult& c, TextReport* out) {
  std::vector<Column> columns =
      columns_of({"<metric", "predicted", "measured", "error %", "<90 % interval"});
  for (const auto& [name, metric] : c.metrics) {
    for (const ScoredFigure& one : metric.comparisons) {
      if (repeats_whole_run(one, c)) continue;
      add_row(&columns, {title_of_path(one.path), three_digits(one.predicted),
                         three_digits(one.measured), signed_percent(100 * one.error()),
                         std::isnan(one.low) ? "-"
                                             : fmt::format("{} to {}{}", three_digits(one.low),
                                                           three_digits(one.high),
                                                           one.is_covered() ? "" : "  missed")});
    }
  }
  out->heading(c.name);
  out->table(columns);
  for (const Verdict& verdict : c.verdicts) {
    const std::string text =
        fmt::format("saturated: predicted {}, measured {}", verdict.predicted ? "yes" : "no",
                    verdict.measured ? "yes" : "no");
    out->add(out->style().markup ? page_paragraph(text) : "  " + text + "\n\n");
  }
}

// A row for each metric of these cases: by how many percent it grows if a part takes 1 % longer.
std::vector<Column> effect_columns(const std::vector<CaseResult>& cases) {
  std::vector<Column> columns;
  if (cases.size() > 1) columns.push_back({"case", {}, false});
  columns.push_back({"sensitivity", {}, false});
  for (const StepPart part : kStepParts) columns.push_back({std::string(name_of(part)), {}, true});
  for (const CaseResult& c : cases) {
    if (c.effects.empty()) continue;
    for (const auto& [name, effect] : c.effects.front().of_metric) {
      std::vector<std::string> cells;
      if (cases.size() > 1) cells.push_back(c.name);
      cells.push_back(title_of_path(name));
      for (const PartEffect& of : c.effects)
        cells.push_back(fmt::format("{:.2f}", of.of_metric.at(name)));
      add_row(&columns, std::move(cells));
    }
  }
  return columns.front().cells.empty() ? std::vector<Column>{} : columns;
}

// No latency falls because a part of a step takes longer: its sign is luck of the one run.
bool falls_with_a_part(const std::vector<CaseResult>& cases) {
  constexpr double kClearly = -0.05;
  const auto falls = [&](const PartEffect& part) {
    return std::ranges::any_of(part.of_metric,
                               [&](const auto& effect) { return effect.second < kClearly; });
  };
  return std::ranges::any_of(
      cases, [&](const CaseResult& c) { return std::ranges::any_of(c.effects, falls); });
}

std::vector<Column> score_columns(const std::vector<ScoreRow>& rows, bool of_verdicts) {
  std::vector<Column> columns{{"group", {}, false}, {"metric", {}, false}, {"n", {}, true}};
  if (of_verdicts) {
    columns.push_back({"right %", {}, true});
  } else {
    for (const char* header : {"median %", "mean %", "bias %", "in interval %"}) {
      columns.push_back({header, {}, true});
    }
  }
  for (const ScoreRow& row : rows) {
    if ((row.metric == "saturated") != of_verdicts) continue;
    const std::string covered =
        std::isnan(row.coverage90) ? "-" : one_decimal(100 * row.coverage90);
    std::vector<std::string> cells{row.group, title_of_path(row.metric), std::to_string(row.n)};
    if (!of_verdicts) {
      cells.insert(cells.end(), {one_decimal(row.median_ape), one_decimal(row.mean_ape),
                                 signed_percent(row.bias)});
    }
    cells.push_back(covered);
    add_row(&columns, std::move(cells));
  }
  return columns[0].cells.empty() ? std::vector<Column>{} : columns;
}

using NamesByReason = std::map<std::string, std::vector<std::string>>;

// The same reason for many is one paragraph.
void add_reasons(const char* what, const NamesByReason& names, TextReport* out) {
  for (const auto& [reason, of] : names) {
    out->listing(fmt::format("{} {}: {}", what, of.size(), reason), of);
  }
}

void add_left_out(const Validation& v, TextReport* out) {
  NamesByReason assumed;
  NamesByReason not_compared;
  NamesByReason skipped;
  for (const CaseResult& c : v.cases) {
    for (const CaseAssumption& one : c.assumptions) {
      assumed[one.key + ": " + one.text].push_back(c.name);
    }
    for (const NotCompared& one : c.not_compared) {
      not_compared[one.reason].push_back(c.name + " " + one.path);
    }
  }
  for (const SkippedCase& c : v.skipped) skipped[c.reason].push_back(c.name);
  add_reasons("assumed in", assumed, out);
  add_reasons("not compared", not_compared, out);
  add_reasons("skipped", skipped, out);
}

}  // namespace

std::string validation_text(const Validation& validation, const Style& style) {
  const std::vector<ScoreRow> rows = scorecard(validation.cases);
  TextReport out(style);
  out.verdict(verdict_line(validation, rows), 0, Mood::none);
  out.figures([&] { return error_figures(validation.cases); });
  constexpr std::size_t kShownOneByOne = 3;
  if (validation.cases.size() <= kShownOneByOne) {
    for (const CaseResult& c : validation.cases) {
      if (c.has_comparisons()) add_case(c, &out);
    }
  } else {
    out.table(score_columns(rows, false));
    out.table(score_columns(rows, true));
  }
  out.table(effect_columns(validation.cases));
  if (falls_with_a_part(validation.cases))
    out.note(
        "A figure that falls where a part takes longer does so by chance: requests meet other "
        "steps.\n");
  add_left_out(validation, &out);
  std::string text = out.text();
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

std::string validation_verdict(const Validation& validation) {
  return verdict_line(validation, scorecard(validation.cases));
}

}  // namespace plimsoll
