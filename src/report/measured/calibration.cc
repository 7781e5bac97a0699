#include "report/measured/calibration.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "report/form/text_report.h"

namespace plimsoll {
namespace {

std::string error_figure(double value) { return fmt::format("{:.1f}", value); }

std::string title(const std::string& metric) {
  if (metric == "step_ms") return "step time";
  return metric == "ttft_ms" ? "TTFT" : "TPOT";
}

std::string where_measured(std::int64_t held_out) {
  if (held_out == 0) return "on the fitted measurements (too few to hold any out)";
  if (held_out >= kEnoughToTell) return "on held-out measurements";
  return fmt::format("on {} held out, too few to judge", counted(held_out, "measurement"));
}

std::string error_change_text(const ErrorChange& change) {
  const std::string name = title(change.metric) + " ";
  if (change.before < 0) return name + error_figure(change.after) + " %";
  return name + error_figure(change.before) + " -> " + error_figure(change.after) + " %";
}

std::string changes(const Calibration& c) {
  return join(mapped(changes_of(c), error_change_text), ", ");
}

constexpr double kShown = 0.05;

bool is_worse(const ErrorChange& change) {
  return change.gain() < kLeastImprovement && change.after >= change.before + kShown;
}

// A correction that is used for one metric may make another worse.
bool harms_any(const Calibration& c) {
  return c.base != kNoBase && std::ranges::any_of(changes_of(c), is_worse);
}

// Each metric by itself: one may lose what another gains.
std::string gains_and_losses(const Calibration& c, const std::string& where) {
  std::vector<std::string> better;
  std::vector<std::string> worse;
  std::vector<std::string> as_before;
  for (const ErrorChange& change : changes_of(c)) {
    const std::string text = error_change_text(change);
    if (change.gain() >= kLeastImprovement) {
      better.push_back(fmt::format("{} ({:.0f} % less)", text, 100 * change.gain()));
    } else {
      (is_worse(change) ? worse : as_before).push_back(text);
    }
  }
  std::string text = "The correction ";
  text += worse.empty() ? "cuts the error " + where + ": "
                        : "helps one figure and harms another " + where + ": worse " +
                              join(worse, ", ") + "; better ";
  text += join(better, ", ");
  if (!as_before.empty()) text += "; it leaves as before: " + join(as_before, ", ");
  return text + "\n";
}

std::string error_cell(double percent) { return percent < 0 ? "" : error_figure(percent); }

std::vector<Column> error_columns(const Calibration& c) {
  std::vector<Column> columns =
      columns_of({"<metric", "fitted", "before %", "after %", "held out", "before %", "after %"});
  for (const CalibrationErrors& e : c.errors) {
    const bool any = e.held_out > 0;
    add_row(&columns,
            {title(e.metric), grouped(e.fitted), error_cell(e.fitted_before),
             error_cell(e.fitted_after), any ? grouped(e.held_out) : "",
             any ? error_cell(e.held_out_before) : "", any ? error_cell(e.held_out_after) : ""});
  }
  return columns;
}

bool is_fitted(const CalibratedTerm& term) { return term.low < term.high; }

// Open: the value that changes nothing is in the interval.
std::string decided_by(const CorrectionTerm& term, const CalibratedTerm& fitted) {
  if (!fitted.identified) return "an assumption";
  const double none = Correction{}.*term.field;
  const bool is_open = fitted.low <= none && none <= fitted.high;
  return is_open ? "open" : "the data";
}

// Four digits of a factor near 1 or of a small part of a microsecond; whole microseconds of more.
std::string term_figure(double value) {
  return std::fabs(value) < 1000 ? fmt::format("{:.4g}", value) : grouped(std::llround(value));
}

std::vector<Column> term_columns(const Calibration& c) {
  std::vector<Column> columns =
      columns_of({"<parameter", "value", "<90 % interval", "<decided by", "<meaning"});
  for (std::size_t i = 0; i < c.terms.size(); ++i) {
    const CorrectionTerm& term = correction_terms()[i];
    const CalibratedTerm& fitted = c.terms[i];
    if (!is_fitted(fitted)) continue;
    add_row(&columns, {std::string(term.name), term_figure(c.correction.*term.field),
                       term_figure(fitted.low) + " to " + term_figure(fitted.high),
                       decided_by(term, fitted), std::string(term.meaning)});
  }
  return columns;
}

}  // namespace

std::string calibration_verdict(const Calibration& c) {
  const std::int64_t count = count_held_out(c);
  const std::string where = where_measured(count);
  if (c.base == kNoBase) {
    return fmt::format("A fitted law without a base model: error {} {}\n", changes(c), where);
  }
  const double gain = improvement(c);
  if (count < kEnoughToTell && gain >= kLeastImprovement) {
    return fmt::format("The correction was not shown to help: {}; on those {}: {}\n",
                       why_not_better(c), count > 0 ? "held out" : "fitted", changes(c));
  }
  if (gain < kLeastImprovement) {
    return fmt::format("The correction does not help: keep the model as it is; {} {}\n", changes(c),
                       where);
  }
  return gains_and_losses(c, where);
}

std::string next_purpose(const CalibrationReport& report) {
  const std::string use = report.is_written
                              ? "use the correction"
                              : "write the correction, then give it to run, capacity or plan with "
                                "--calibration";
  return use +
         (harms_any(report.calibration) ? ", if what it cuts matters more than what it harms" : "");
}

std::string calibration_report_text(const CalibrationReport& report, const Style& style) {
  const Calibration& c = report.calibration;
  TextReport out(style);
  out.verdict(calibration_verdict(c), 0, Mood::none);
  out.table(error_columns(c));
  out.table(term_columns(c));
  out.line("corrects",
           fmt::format("{} for {} on {}, TP {}", c.base == kNoBase ? "no model: a law" : c.base,
                       c.model, c.gpu, c.layout.tp));
  out.line("from", join(c.sources, ", "));
  for (const std::string& note : report.notes) out.line("left out", note);
  for (const std::string& remark : report.remarks) out.line("note", remark);
  out.next(report.next, next_purpose(report));
  return out.text();
}

}  // namespace plimsoll
