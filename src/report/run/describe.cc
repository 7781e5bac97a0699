#include "report/run/terminal.h"

#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "metrics/latency.h"
#include "report/form/text_report.h"

namespace plimsoll {
namespace {

/// `share` (0 to 1) of `cells` columns: in UTF-8 to an eighth of a column, else in whole `#`.
/// Anything above zero shows.
std::string bar(double share, int cells, bool utf8) {
  constexpr std::array<std::string_view, 8> kEighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const long parts_per_cell = utf8 ? 8 : 1;
  long parts =
      std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(cells * parts_per_cell));
  if (share > 0) parts = std::max(parts, 1L);
  std::string out;
  for (long i = 0; i < parts / parts_per_cell; ++i) out += utf8 ? "█" : "#";
  if (utf8) out += kEighths[static_cast<std::size_t>(parts % parts_per_cell)];
  return out;
}

/// The unit that a reader would choose for a span.
struct SpanUnit {
  double s;
  std::string_view name;
};

SpanUnit unit_of(double s) {
  if (s < 120) return {1, "s"};
  if (s < 2 * 3600) return {60, "min"};
  return s < 2 * 86'400 ? SpanUnit{3600, "h"} : SpanUnit{86'400, "days"};
}

std::string span_text(double s) {
  const SpanUnit unit = unit_of(s);
  return fmt::format("{} {}", three_digits(s / unit.s), unit.name);
}

// Widths are whole numbers of their units.
std::string width_name(std::int64_t s) {
  if (s == 1) return "second";
  if (s == 60) return "minute";
  if (s == 3600) return "hour";
  if (s == 86'400) return "day";
  const SpanUnit unit = unit_of(static_cast<double>(s));
  return fmt::format("{:.0f} {}", static_cast<double>(s) / unit.s, unit.name);
}

// ---- verdict

/// How the times between arrivals compare with those of a Poisson process, whose CV is 1.
std::string_view burstiness(double cv) {
  if (cv < 0.2) return "evenly spaced";
  if (cv < 0.85) return "smoother than Poisson";
  if (cv <= 1.15) return "about Poisson";
  return cv <= 3 ? "bursty" : "very bursty";
}

std::string arrivals_verdict(const WorkloadShape& s) {
  if (s.mean_rps == 0) return " all at once";
  std::string text =
      fmt::format(" in {}: {} req/s", span_text(s.last_arrival_s), three_digits(s.mean_rps));
  if (s.gap_cv) {
    text += fmt::format(", {} (CV of the gaps {})", burstiness(*s.gap_cv), three_digits(*s.gap_cv));
  }
  for (const ArrivalWindows& w : s.windows) {
    if (w.width_s == 60) text += ", " + three_digits(w.peak_rps) + " in the busiest minute";
  }
  return text;
}

// Rounded, but not beyond the exact maximum.
std::string percentile_text(double value, std::int64_t max) {
  double unit = 1;  // of the third digit
  while (value / unit >= 999.5) unit *= 10;
  const bool beyond = std::round(value / unit) * unit > static_cast<double>(max);
  return unit > 1 && beyond ? grouped(std::llround(value)) : three_digits(value);
}

std::string lengths_verdict(const std::string& what, const LengthShape& l) {
  return fmt::format("{} {} tokens on average (p99 {})", what, three_digits(l.mean),
                     percentile_text(l.p99, l.max));
}

std::string reuse_verdict(const WorkloadShape& s, const ShapeNotes& notes) {
  if (!notes.prefixes_are_known) return "The trace does not record which prompts share a prefix.";
  if (s.reuse.hit_tokens == 0) return "No two prompts share a prefix that a cache could keep.";
  return fmt::format(
      "{} of prompt tokens repeat an earlier prefix: a prefix cache avoids computing them.",
      percent(ratio_or_zero(s.reuse.hit_tokens, s.prompt.total)));
}

// ---- evidence

std::vector<Column> lengths_columns(const WorkloadShape& s) {
  std::vector<Column> columns{{"tokens", {"prompt", "answer"}, false}};
  const auto add = [&](const std::string& header, double prompt, double output) {
    columns.push_back(
        {header, {percentile_text(prompt, s.prompt.max), percentile_text(output, s.output.max)}});
  };
  add("mean", s.prompt.mean, s.output.mean);
  add("p50", s.prompt.p50, s.output.p50);
  add("p90", s.prompt.p90, s.output.p90);
  add("p95", s.prompt.p95, s.output.p95);
  add("p99", s.prompt.p99, s.output.p99);
  columns.push_back({"max", {grouped(s.prompt.max), grouped(s.output.max)}});
  columns.push_back({"total", {grouped(s.prompt.total), grouped(s.output.total)}});
  return columns;
}

/// Lines of less than `columns`: the longer the ranges, the shorter the bars.
std::vector<std::string> histogram_lines(const std::string& title, const LengthShape& l,
                                         std::int64_t requests, std::size_t columns, bool utf8) {
  constexpr std::size_t kAlike = 16;   // ranges up to the hundreds of thousands: bars of one length
  constexpr std::size_t kAround = 10;  // of the range: margins and the share
  std::vector<std::string> labels;
  std::size_t widest = 0;
  std::int64_t most = 1;
  for (const HistogramBin& bin : l.histogram) {
    labels.push_back(bin.low == bin.high ? grouped(bin.low)
                                         : grouped(bin.low) + "-" + grouped(bin.high));
    widest = std::max(widest, labels.back().size());
    most = std::max(most, bin.count);
  }
  const std::size_t taken = std::max(widest, kAlike) + kAround;
  const int cells = columns > taken ? static_cast<int>(columns - taken) : 1;
  std::vector<std::string> lines{title};
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::int64_t count = l.histogram[i].count;
    lines.push_back(fmt::format("{:>{}} {:>4} {}", labels[i], widest,
                                fmt::format("{:.0f}%", 100 * ratio_or_zero(count, requests)),
                                bar(ratio_or_zero(count, most), cells, utf8)));
    lines.back().erase(lines.back().find_last_not_of(' ') + 1);
  }
  return lines;
}

std::string side_by_side(const std::vector<std::string>& left,
                         const std::vector<std::string>& right, std::size_t left_width) {
  std::string out;
  for (std::size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
    std::string line = "  " + (i < left.size() ? left[i] : std::string());
    const std::size_t used = width_of(line);
    if (i < right.size())
      line += std::string(std::max(left_width, used + 2) - used, ' ') + right[i];
    out += line + "\n";
  }
  return out;
}

std::string histograms(const WorkloadShape& s, const Style& style) {
  const std::size_t half = style.text_columns() / 2;
  return side_by_side(histogram_lines("prompt tokens", s.prompt, s.requests, half, style.utf8),
                      histogram_lines("answer tokens", s.output, s.requests, half, style.utf8),
                      half);
}

std::string arrivals_text(const WorkloadShape& s) {
  std::vector<std::string> peaks;
  std::vector<std::string> dispersions;
  for (const ArrivalWindows& w : s.windows) {
    peaks.push_back(three_digits(w.peak_rps) + " in the busiest " + width_name(w.width_s));
    if (w.dispersion) {
      dispersions.push_back(three_digits(*w.dispersion) + " per " + width_name(w.width_s));
    }
  }
  std::string text = three_digits(s.mean_rps) + " req/s on average";
  if (!peaks.empty()) text += ", " + join(peaks, ", ");
  if (s.gap_cv) text += "; CV of the gaps " + three_digits(*s.gap_cv);
  if (!dispersions.empty()) {
    text += "; index of dispersion " + join(dispersions, ", ") + " (Poisson: 1)";
  }
  return text;
}

// The last bucket may be cut by the end of the workload: a bar shows its count as it is.
void draw_over_time(const WorkloadShape& s, TextReport* out) {
  constexpr std::array<std::string_view, 9> kBlocks{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  constexpr std::array<std::string_view, 9> kLetters{" ", ".", ":", "-", "=", "+", "*", "#", "@"};
  const std::int64_t most = *std::ranges::max_element(s.requests_over_time);
  std::string line;
  for (const std::int64_t count : s.requests_over_time) {
    const std::int64_t level = (8 * count + most - 1) / most;
    line += (out->style().utf8 ? kBlocks : kLetters)[static_cast<std::size_t>(level)];
  }
  out->drawing("over time", "|" + line + "|");
  out->line("", fmt::format("one mark per {}, the highest {} req/s", width_name(s.bucket_s),
                            three_digits(ratio_or_zero(most, s.bucket_s))));
}

std::string token_rates_text(const WorkloadShape& s) {
  // At the rate that is shown, of the gaps between arrivals.
  const auto per_second = [&](const LengthShape& tokens) {
    return three_digits(s.mean_rps * tokens.mean);
  };
  return fmt::format("{} prompt and {} answer tokens/s; {} prompt tokens per answer token",
                     per_second(s.prompt), per_second(s.output),
                     three_digits(ratio_or_zero(s.prompt.total, s.output.total)));
}

std::string reuse_text(const WorkloadShape& s, const ShapeNotes& notes) {
  if (!notes.prefixes_are_known) return "not in this trace";
  if (s.reuse.hit_tokens == 0) return "no prompt shares a prefix with an earlier one";
  return fmt::format(
      "an unlimited cache finds {} of the prompt tokens, in {} of the requests; {} distinct "
      "tokens are found again (blocks of {})",
      percent(ratio_or_zero(s.reuse.hit_tokens, s.prompt.total)),
      percent(ratio_or_zero(s.reuse.requests, s.requests)), grouped(s.reuse.reused_tokens),
      notes.block_tokens);
}

std::string sessions_text(const SessionShape& s) {
  return fmt::format("{} of {} rounds on average, at most {}; {} open at a time, at most {}",
                     grouped(s.sessions), three_digits(s.mean_rounds), grouped(s.most_rounds),
                     three_digits(s.mean_open), grouped(s.most_open));
}

std::vector<Column> groups_columns(const std::string& what, const std::vector<GroupShape>& groups,
                                   std::int64_t requests) {
  constexpr std::size_t kMostRows = 8;
  std::vector<GroupShape> rows = groups;
  if (rows.size() > kMostRows) {
    GroupShape rest;
    for (std::size_t i = kMostRows - 1; i < rows.size(); ++i) {
      rest.requests += rows[i].requests;
      rest.prompt_tokens += rows[i].prompt_tokens;
      rest.output_tokens += rows[i].output_tokens;
    }
    rest.name = fmt::format("{} others", rows.size() - kMostRows + 1);
    rows.resize(kMostRows - 1);
    rows.push_back(rest);
  }
  std::vector<Column> columns{
      {what, {}, false}, {"requests", {}}, {"share %", {}}, {"prompt", {}}, {"answer", {}}};
  for (const GroupShape& g : rows) {
    add_row(&columns, {g.name.empty() ? "(none)" : g.name, grouped(g.requests),
                       three_digits(100 * ratio_or_zero(g.requests, requests)),
                       three_digits(ratio_or_zero(g.prompt_tokens, g.requests)),
                       three_digits(ratio_or_zero(g.output_tokens, g.requests))});
  }
  return columns;
}

}  // namespace

std::string shape_verdict(const WorkloadShape& s, const ShapeNotes& notes) {
  if (s.requests == 0) return "No request arrives.\n";
  return fmt::format("{}{}{}. {}, {}. {}\n", s.cut ? "The first " : "",
                     counted(s.requests, "request"), arrivals_verdict(s),
                     lengths_verdict("Prompts of", s.prompt),
                     lengths_verdict("answers of", s.output), reuse_verdict(s, notes));
}

std::string shape_text(const WorkloadShape& s, const ShapeNotes& notes, const Style& style) {
  TextReport out(style);
  out.verdict(shape_verdict(s, notes), 0, Mood::none);
  if (s.requests == 0) return out.text();
  out.table(lengths_columns(s));
  out.figures([&] { return shape_figures(s); });
  if (!style.markup) out.add(histograms(s, style) + "\n");
  if (s.mean_rps > 0) {
    out.line("arrivals", arrivals_text(s));
    if (s.requests_over_time.size() > 1 && !style.markup) draw_over_time(s, &out);
    out.line("tokens", token_rates_text(s));
  }
  out.line("prefixes", reuse_text(s, notes));
  if (s.sessions) out.line("sessions", sessions_text(*s.sessions));
  if (s.media_tokens > 0) {
    out.line("media", percent(ratio_or_zero(s.media_tokens, s.prompt.total)) +
                          " of the prompt tokens are images, audio or video");
  }
  if (s.mean_reason_ratio > 0) {
    out.line("reasoning", percent(s.mean_reason_ratio) + " of an answer, on average");
  }
  out.add(style.markup ? "" : "\n");
  for (const auto& [what, groups] :
       {std::pair{"class", &s.slo_classes}, std::pair{"tenant", &s.tenants},
        std::pair{"client", &s.clients}, std::pair{"model", &s.models}}) {
    if (groups->size() > 1) out.table(groups_columns(what, *groups, s.requests));
  }
  out.line("assumed", join(notes.assumed, "; "));
  out.next(notes.next_command, "what happens under this load?");
  return out.text();
}

}  // namespace plimsoll
