#include "report/run/timeline.h"

#include <algorithm>

#include "base/lists.h"
#include "report/form/field_text.h"
#include "workload/trace_v2_writer.h"

namespace plimsoll {
namespace {

constexpr int kStepTrack = 1;
constexpr int kRequestTrack = 2;

// Timestamps are microseconds.
void append_us(std::int64_t ns, fmt::memory_buffer* out) { append_decimal(ns, 3, out); }

std::string name_of(const StepSpan& span) {
  if (span.steps > 1) return fmt::format("{} decode steps", span.steps);
  if (span.prefill_tokens == 0) return span.decode_requests > 0 ? "decode" : "empty";
  return span.decode_requests > 0 ? "prefill and decode" : "prefill";
}

/// What a trace says of an outcome.
struct OutcomeWords {
  Outcome outcome;
  std::string_view status;
  std::string_view error_message = "";
  std::string_view finish_reason = "";
};

constexpr OutcomeWords kOutcomes[]{{Outcome::completed, "ok"},
                                   {Outcome::length_capped, "ok", "", "length"},
                                   {Outcome::timed_out, "timeout"},
                                   {Outcome::unfinished, "incomplete"},
                                   {Outcome::dropped, "error", "can never be served"},
                                   {Outcome::rejected, "error", "rejected"},
                                   {Outcome::shed, "error", "shed"}};

// The gaps of a request are known when it has completed.
TraceV2Result result_of(const RequestTable& table, std::size_t row) {
  TraceV2Result result;
  const OutcomeWords& words = *find_in(kOutcomes, table.outcome[row], &OutcomeWords::outcome);
  result.status = words.status;
  result.error_message = words.error_message;
  result.finish_reason = words.finish_reason;
  if (table.ttft[row] == kNoDuration) return result;
  result.first_chunk = table.ttft[row];
  result.last_chunk = table.ttft[row] + table.itl_sum[row];
  result.chunks = 1 + table.itl_count[row];
  return result;
}

}  // namespace

TimelineWriter::TimelineWriter(const std::string& path, std::int64_t limit)
    : file_(path), limit_(limit) {
  file_.write("{\"displayTimeUnit\": \"ms\", \"traceEvents\": [");
}

void TimelineWriter::steps(std::int32_t instance, const StepSpan& span) {
  if (full(span.begin)) return;
  name_instance(instance);
  const auto head = [&](char kind, std::string_view name) {
    start_event(kind, instance, kStepTrack, name, span.begin);
  };
  head('X', name_of(span));
  append(", \"dur\": ");
  append_us(span.duration.ns, &buffer_);
  append(
      fmt::format(", \"args\": {{\"batch\": {}, \"prefill_requests\": {}, \"prefill_tokens\": {}, "
                  "\"decode_requests\": {}, \"waiting\": {}, \"kv_blocks\": {}}}}}",
                  span.running, span.prefill_requests, span.prefill_tokens, span.decode_requests,
                  span.waiting, span.kv_blocks));
  head('C', "requests");
  append(fmt::format(", \"args\": {{\"running\": {}, \"waiting\": {}}}}}", span.running,
                     span.waiting));
  head('C', "KV blocks");
  append(fmt::format(", \"args\": {{\"used\": {}}}}}", span.kv_blocks));
  last_ = std::max(last_, span.begin + span.duration);
}

void TimelineWriter::request(std::int32_t instance, const Request& request, Moment moment, Time at,
                             Outcome outcome) {
  if (full(at)) return;
  name_instance(instance);
  const Key key{instance, request.id};
  // The instance that answers in a split never queues what another one has computed.
  if (moment == Moment::queued) {
    enter(key, request, "gateway");
  } else if (!here_.contains(key)) {
    enter(key, request, "prefill elsewhere");
  }
  switch (moment) {
    case Moment::queued:
      move_to(key, "queue", at);
      break;
    case Moment::admitted:
      move_to(key, here_.at(key).has_token ? "recompute" : "prefill", at);
      break;
    case Moment::token:
      here_.at(key).has_token = true;
      move_to(key, "decode", at);
      break;
    case Moment::preempted:
      move_to(key, "preempted", at);
      break;
    case Moment::left:
      leave(key, at, outcome);
      break;
  }
  last_ = std::max(last_, at);
}

bool TimelineWriter::full(Time now) {
  if (events_ < limit_) return false;
  cut_ = std::min(cut_, now);
  return true;
}

void TimelineWriter::enter(const Key& key, const Request& request, std::string_view phase) {
  start_event('b', key.first, kRequestTrack, fmt::format("request_{}", key.second),
              request.arrival);
  append(
      fmt::format(", \"cat\": \"request\", \"id\": {}, \"args\": {{\"input_tokens\": {}, "
                  "\"output_tokens\": {}}}}}",
                  key.second, request.input_tokens, request.output_tokens));
  here_[key] = {phase, request.arrival, false};
}

// A phase is written when it ends, unless it took no time.
void TimelineWriter::move_to(const Key& key, std::string_view phase, Time at) {
  Life& life = here_.at(key);
  if (at > life.since) {
    for (const auto& [kind, time] : {std::pair('b', life.since), std::pair('e', at)}) {
      start_event(kind, key.first, kRequestTrack, life.phase, time);
      append(fmt::format(", \"cat\": \"request\", \"id\": {}}}", key.second));
    }
    life.since = at;
  }
  life.phase = phase;
}

void TimelineWriter::leave(const Key& key, Time at, Outcome outcome) {
  move_to(key, "", at);
  start_event('e', key.first, kRequestTrack, fmt::format("request_{}", key.second),
              here_.at(key).since);
  append(fmt::format(", \"cat\": \"request\", \"id\": {}, \"args\": {{\"outcome\": \"{}\"}}}}",
                     key.second, plimsoll::name_of(outcome)));
  here_.erase(key);
}

void TimelineWriter::name_instance(std::int32_t instance) {
  if (!named_.insert(instance).second) return;
  start_event('M', instance, 0, "process_name", Time{});
  append(fmt::format(", \"args\": {{\"name\": \"instance_{}\"}}}}", instance));
  start_event('M', instance, kStepTrack, "thread_name", Time{});
  append(", \"args\": {\"name\": \"steps\"}}");
}

void TimelineWriter::start_event(char kind, std::int32_t instance, int track, std::string_view name,
                                 Time at) {
  file_.write_if_long(&buffer_);
  append(fmt::format("{}\n{{\"ph\": \"{}\", \"pid\": {}, \"tid\": {}, \"name\": \"{}\", \"ts\": ",
                     events_ == 0 ? "" : ",", kind, instance + 1, track, name));
  append_us((at - Time{}).ns, &buffer_);
  ++events_;
}

Result<void> TimelineWriter::finish() {
  while (!here_.empty()) {
    const auto& [key, life] = *here_.begin();
    leave(Key(key), std::max(last_, life.since), Outcome::unfinished);
  }
  append("\n]}\n");
  file_.write({buffer_.data(), buffer_.size()});
  return file_.finish();
}

SaturationReport::SaturationReport(const std::string& path) : file_(path) {
  file_.write("{\"trace\": [");
}

void SaturationReport::add(Time at, const std::string& detector, const SaturationVerdict& verdict) {
  std::string signals;
  for (const auto& [name, value] : verdict.signals) {
    signals += fmt::format("{}\"{}\": {}", signals.empty() ? "" : ", ", name, value);
  }
  file_.write(
      fmt::format("{}{{\"timestamp\": {}, \"detector\": \"{}\", \"result\": {{\"level\": \"{}\", "
                  "\"score\": {}, "
                  "\"confidence\": {}, \"signals\": {{{}}}}}}}",
                  between_, at.ns / 1000, detector, level_name(verdict.level), verdict.score,
                  verdict.confidence, signals));
  between_ = ",\n";
}

Result<void> SaturationReport::finish(const std::vector<SaturationLabel>& labels) {
  std::string last;
  for (const SaturationLabel& label : labels) {
    last += fmt::format("{}\"{}\": \"{}\"", last.empty() ? "" : ", ", label.detector,
                        level_name(label.level));
  }
  file_.write(fmt::format("\n], \"final\": {{{}}}}}\n", last));
  return file_.finish();
}

Result<void> TraceRecorder::write(const std::string& prefix, const TraceV2Header& header,
                                  const RunRecord& record, const Labels& labels) const {
  return write_trace_v2(prefix, header, requests_, labels,
                        [&](std::size_t row) { return result_of(record.requests, row); });
}

}  // namespace plimsoll
