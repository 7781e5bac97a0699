#include "report/measured/observation.h"

#include <fmt/format.h>

#include "base/json.h"
#include "base/lists.h"
#include "base/text.h"
#include "report/answer/json.h"
#include "report/answer/reasons.h"
#include "report/form/text_report.h"
#include "report/run/terminal.h"

namespace plimsoll {
namespace {

std::string failure_counts(const ObservationFigures& f) {
  std::vector<std::string> parts = mapped(f.failures, [](const FailureCount& failure) {
    return fmt::format("{} {}", grouped(failure.requests), failure.reason);
  });
  return join(parts, ", ");
}

struct ObservedVerdict {
  std::string_view label;
  Mood mood;
};

bool is_overloaded(const ObservationReport& r) {
  return r.summary.steady_state.verdict == SteadyVerdict::overloaded;
}

ObservedVerdict verdict_of(const ObservationReport& r) {
  if (r.observation->interrupted) return {"interrupted", Mood::doubtful};
  if (r.figures.answered == 0) return {"nothing answered", Mood::bad};
  if (r.figures.generator_was_late) return {"generator late", Mood::bad};
  if (is_overloaded(r)) return {"overloaded", Mood::bad};
  if (!r.figures.failures.empty()) return {"failures", Mood::doubtful};
  return {"observed", Mood::good};
}

std::string schedule_text(const ObservationFigures& f) {
  if (f.generator_was_late) {
    return fmt::format("the load generator was late by {} on average, and latencies include it",
                       ms_or_s(f.lateness.mean_ms / 1000));
  }
  return fmt::format("99 % were sent within {} of their time", ms_or_s(f.lateness.p99_ms / 1000));
}

std::string sentence(const ObservationReport& r) {
  const ObservationFigures& f = r.figures;
  std::string text = fmt::format(
      "{} of {} sent to {} {} answered in {} s", grouped(f.answered), counted(f.sent, "request"),
      r.server, f.answered == 1 ? "was" : "were", three_digits(r.summary.cluster.duration_s));
  if (!f.failures.empty()) text += " (" + failure_counts(f) + ")";
  if (f.sent == 0) return text + ".";
  if (f.streamed && f.answered > 0) {
    text += ", TTFT p99 " + ms_or_s(r.summary.cluster.ttft.p99_ms / 1000);
  }
  text += "; " + schedule_text(f) + ".";
  if (!is_overloaded(r)) return text;
  return text + " The server did not keep up: " + reason_text(r.summary.steady_state) + ".";
}

std::string requests_text(const ObservationReport& r) {
  const GroupSummary& c = r.summary.cluster;
  std::string text = fmt::format("{} completed in {} s, {} req/s, {} tokens/s",
                                 grouped(c.completed), three_digits(c.duration_s),
                                 three_digits(c.responses_per_sec), three_digits(c.tokens_per_sec));
  if (r.figures.given_up > 0) {
    text += fmt::format("; {} given up when interrupted", grouped(r.figures.given_up));
  }
  if (r.figures.retries > 0) text += fmt::format("; resent {} times", grouped(r.figures.retries));
  if (r.observation->ended_sessions > 0) {
    text +=
        fmt::format("; {} ended by a failure", counted(r.observation->ended_sessions, "session"));
  }
  return text;
}

std::string failed_text(const ObservationFigures& f) {
  std::vector<std::string> parts;
  for (const FailureCount& failure : f.failures) {
    parts.push_back(fmt::format("{} {}", grouped(failure.requests), failure.reason));
    if (!failure.example.empty()) parts.back() += " (\"" + failure.example + "\")";
  }
  return join(parts, "; ");
}

std::string lengths_text(const ObservationFigures& f) {
  std::string text = fmt::format("prompts {} tokens asked for", three_digits(f.prompt.asked));
  if (f.prompt.had > 0) text += fmt::format(", {} counted", three_digits(f.prompt.had));
  text += fmt::format("; answers {} asked for, {} received", three_digits(f.output.asked),
                      three_digits(f.output.had));
  if (f.tokens_per_chunk > 1.02) {
    text += fmt::format("; {} tokens per event: ITL is between events, TPOT between tokens",
                        three_digits(f.tokens_per_chunk));
  }
  return text;
}

std::string generator_text(const ObservationReport& r) {
  const Observation& o = *r.observation;
  const LatencySummary& late = r.figures.lateness;
  std::string text = fmt::format(
      "late by {} at p50, {} at p99, {} at most; {} of one CPU core, longest pause {}",
      ms_or_s(late.p50_ms / 1000), ms_or_s(late.p99_ms / 1000), ms_or_s(r.figures.latest_ms / 1000),
      percent(ratio_or_zero(o.cpu_s, to_seconds(o.end))), ms_or_s(to_seconds(o.longest_turn)));
  if (o.held_back > 0) {
    text +=
        fmt::format("; {} waited for a place (--max-concurrency)", counted(o.held_back, "request"));
  }
  return text;
}

Json metrics_json(const std::vector<MetricSample>& samples) {
  Json out = Json::object();
  for (const auto& [name, value] : samples) out[name] = value;
  return out;
}

}  // namespace

std::string observation_verdict(const ObservationReport& r) {
  return fmt::format("{}: {}\n", verdict_of(r).label, sentence(r));
}

std::string observation_text(const ObservationReport& r, const Style& style) {
  const ObservedVerdict verdict = verdict_of(r);
  TextReport out(style);
  out.verdict(observation_verdict(r), verdict.label.size(), verdict.mood);
  if (r.figures.answered > 0) {
    std::vector<Column> columns = latency_columns(r.summary, r.figures.streamed);
    columns.push_back(latency_column("late", r.figures.lateness));
    out.table(columns);
    add_groups(r.summary, &out);
    out.figures([&] { return latency_share_figures(r); });
    add_over_time(r.summary, &out);
  }
  out.lines("expected", expected_texts(r));
  out.line("requests", requests_text(r));
  out.line("failed", failed_text(r.figures));
  if (!is_overloaded(r)) out.line("load", reason_text(r.summary.steady_state));
  if (r.figures.answered > 0) out.line("lengths", lengths_text(r.figures));
  if (r.prefix_hit_rate) {
    out.line("cache", fmt::format("the server counted {} of its prefix-cache lookups as hits",
                                  percent(*r.prefix_hit_rate)));
  }
  if (r.figures.sent > 0) out.line("generator", generator_text(r));
  add_sections(r.summary, &out);
  out.line("written", join(r.files, ", "));
  for (const NextStep& step : r.next) out.next(step.command, step.purpose);
  out.line("next", r.hint);
  return out.text();
}

std::string server_file_text(const ServerRecord& r) {
  const bool exact = r.request.limits_length && r.facts.takes_exact_length;
  Json out = {{"recorded_at", r.recorded_at},
              {"server_url", r.request.url},
              {"model", r.request.model},
              {"path", path_of(r.request.format)},
              {"streaming", r.request.stream},
              {"exact_output_length", exact},
              {"counts_tokens", r.facts.counts_tokens},
              {"tokens_per_word", r.facts.scale.per_word},
              {"tokens_around_a_prompt", r.facts.scale.overhead}};
  if (r.facts.model && r.facts.model->max_model_len > 0) {
    out["max_model_len"] = r.facts.model->max_model_len;
  }
  if (r.prefix_hit_rate) out["prefix_hit_rate"] = *r.prefix_hit_rate;
  out["load"] = config_json(r.load);
  out["metrics_before"] = metrics_json(r.facts.metrics);
  out["metrics_after"] = metrics_json(r.metrics_after);
  return out.dump(2) + "\n";
}

bool is_server_file(std::string_view text) {
  return text.starts_with("{\n  \"recorded_at\": ") &&
         text.find("\n  \"tokens_around_a_prompt\": ") != std::string_view::npos;
}

}  // namespace plimsoll
