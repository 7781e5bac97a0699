// Run records for tests, one call per request.
#pragma once

#include <cstdint>

#include "engine/run_record.h"

namespace plimsoll::test {

struct RowMs {
  double arrival = 0;
  Outcome outcome = Outcome::completed;
  int instance = 0;
  double delay = -1;  ///< -1 = never admitted; likewise below
  double ttft = -1;
  double e2e = -1;
  int input = 100;
  int output = 11;
  SloClass slo_class = SloClass::unset;
  int tenant = -1;
  int session = -1;
  int round = 0;
  int client = -1;
};

inline Duration duration_ms(double ms) {
  return ms < 0 ? kNoDuration : microseconds(static_cast<std::int64_t>(ms * 1000 + 0.5));
}

/// Adds the row, and what follows from it to the instance's counters. A completed request with
/// `output` tokens has output - 1 equal gaps.
inline void add_row(RunRecord* record, const RowMs& row) {
  RequestTable& t = record->requests;
  const bool done = row.outcome == Outcome::completed || row.outcome == Outcome::length_capped;
  Request request;
  request.id = static_cast<std::int64_t>(t.size());
  request.arrival = Time{} + duration_ms(row.arrival);
  request.input_tokens = row.input;
  request.output_tokens = row.output;
  request.slo_class = row.slo_class;
  request.tags.tenant = row.tenant;
  request.tags.session = row.session;
  request.tags.round = row.round;
  request.tags.client = row.client;
  t.add(request);
  t.generated_tokens.back() = done ? row.output : 0;
  t.outcome.back() = row.outcome;
  t.instance.back() = row.instance;
  t.scheduling_delay.back() = duration_ms(row.delay);
  t.ttft.back() = duration_ms(row.ttft);
  t.e2e.back() = duration_ms(row.e2e);
  if (done) t.phases.back().prefill = t.ttft.back() - t.scheduling_delay.back();
  const int gaps = done ? row.output - 1 : 0;
  t.itl_count.back() = gaps;
  t.itl_sum.back() = gaps > 0 ? t.e2e.back() - t.ttft.back() : Duration{};
  if (row.instance < 0) return;

  const auto index = static_cast<std::size_t>(row.instance);
  if (record->instances.size() <= index) record->instances.resize(index + 1);
  InstanceRecord& r = record->instances[index];
  r.completed += done;
  r.length_capped += row.outcome == Outcome::length_capped;
  r.timed_out += row.outcome == Outcome::timed_out;
  r.dropped += row.outcome == Outcome::dropped;
  r.still_running += row.outcome == Outcome::unfinished;
  if (row.outcome != Outcome::dropped) r.total_input_tokens += row.input;
  if (!done) return;
  r.total_output_tokens += row.output;
  if (gaps > 0) r.itl.add(Duration{t.itl_sum.back().ns / gaps}, gaps);
  if (t.arrival.back() + t.e2e.back() > r.end) r.end = t.arrival.back() + t.e2e.back();
}

}  // namespace plimsoll::test
