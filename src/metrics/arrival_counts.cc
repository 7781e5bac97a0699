#include "metrics/arrival_counts.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "metrics/latency.h"
#include "metrics/step_sums.h"

namespace plimsoll {
namespace {

constexpr std::size_t kMostBuckets = 24;

// The first token of an answer comes of its prompt.
std::int32_t decoded(const RequestTable& table, std::size_t row) {
  return std::max(0, table.output_tokens[row] - 1);
}

}  // namespace

void ArrivalCounts::add(Time arrival) {
  requests_ += 1;
  const std::int64_t second = arrival.ns / seconds(1).ns;
  if (seconds_.empty() || seconds_.back().second != second) seconds_.push_back({second, 0});
  seconds_.back().requests += 1;
  if (requests_ > 1) {
    const auto gap = static_cast<double>((arrival - last_).ns);
    const double off = gap - gap_mean_ns_;
    gap_mean_ns_ += off / static_cast<double>(requests_ - 1);
    gap_squares_ += off * (gap - gap_mean_ns_);
  }
  last_ = arrival;
}

void ArrivalCounts::describe(WorkloadShape* shape) const {
  shape->last_arrival_s = to_seconds(last_);
  if (gap_mean_ns_ > 0) shape->mean_rps = 1e9 / gap_mean_ns_;
  if (requests_ > 2 && gap_mean_ns_ > 0) {
    shape->gap_cv = std::sqrt(gap_squares_ / static_cast<double>(requests_ - 2)) / gap_mean_ns_;
  }
  set_windows(shape);
  set_buckets(shape);
}

ArrivalWindows ArrivalCounts::windows_of(std::int64_t width_s, double last_s) const {
  constexpr std::int64_t kFewest = 10;
  ArrivalWindows out;
  out.width_s = width_s;
  const auto whole = static_cast<std::int64_t>(last_s) / width_s;
  std::int64_t most = 0;
  double sum = 0;
  double squares = 0;
  for (std::size_t i = 0; i < seconds_.size();) {
    const std::int64_t window = seconds_[i].second / width_s;
    std::int64_t count = 0;
    for (; i < seconds_.size() && seconds_[i].second / width_s == window; ++i) {
      count += seconds_[i].requests;
    }
    most = std::max(most, count);
    if (window >= whole) continue;
    sum += static_cast<double>(count);
    squares += static_cast<double>(count) * static_cast<double>(count);
  }
  out.peak_rps = static_cast<double>(most) / static_cast<double>(width_s);
  if (whole >= kFewest && sum > 0) {
    const auto n = static_cast<double>(whole);
    const double mean = sum / n;
    out.dispersion = (squares - n * mean * mean) / (n - 1) / mean;
  }
  return out;
}

// Widths of which at least two fit.
void ArrivalCounts::set_windows(WorkloadShape* shape) const {
  for (const std::int64_t width_s : {1, 10, 60, 3600}) {
    if (shape->last_arrival_s < 2 * static_cast<double>(width_s)) break;
    shape->windows.push_back(windows_of(width_s, shape->last_arrival_s));
  }
}

void ArrivalCounts::set_buckets(WorkloadShape* shape) const {
  const std::int64_t end_s = seconds_.back().second + 1;
  constexpr std::int64_t kDay = 86'400;
  constexpr std::int64_t kWidths[]{1,      2,      5,      10,   15,       30,       60,
                                   120,    300,    600,    900,  1800,     3600,     7200,
                                   10'800, 21'600, 43'200, kDay, 2 * kDay, 7 * kDay, 30 * kDay};
  for (const std::int64_t width_s : kWidths) {
    shape->bucket_s = width_s;
    if ((end_s + width_s - 1) / width_s <= static_cast<std::int64_t>(kMostBuckets)) break;
  }
  const auto buckets = static_cast<std::size_t>((end_s + shape->bucket_s - 1) / shape->bucket_s);
  shape->requests_over_time.assign(buckets, 0);
  for (const SecondCount& count : seconds_) {
    shape->requests_over_time[static_cast<std::size_t>(count.second / shape->bucket_s)] +=
        count.requests;
  }
}

ArrivalOrder::ArrivalOrder(RequestSource& source, Duration time_per_token)
    : source_(source), time_per_token_(time_per_token) {
  has_head_ = source_.next(&head_);
}

bool ArrivalOrder::next(Request* request) {
  while (!departures_.empty() && !(has_head_ && head_.arrival < departures_.top().departure.at) &&
         !(!follow_ups_.empty() &&
           follow_ups_.top().request.arrival < departures_.top().departure.at)) {
    depart();
  }
  if (has_head_ && (follow_ups_.empty() || head_.arrival <= follow_ups_.top().request.arrival)) {
    *request = head_;
    has_head_ = source_.next(&head_);
  } else if (!follow_ups_.empty()) {
    *request = follow_ups_.top().request;
    follow_ups_.pop();
  } else {
    return false;
  }
  if (request->awaited) await(*request);
  given_ += 1;
  return true;
}

void ArrivalOrder::await(const Request& request) {
  const Time at = request.arrival + time_per_token_ * request.output_tokens;
  const Departure departure{.row = static_cast<std::uint32_t>(given_),
                            .tags = request.tags,
                            .at = at,
                            .awaited = true,
                            .completed = true,
                            .generated_tokens = request.output_tokens};
  departures_.push({departure, given_});
}

void ArrivalOrder::depart() {
  FollowUp follow_up;
  if (source_.follow_up(departures_.top().departure, &follow_up.request)) {
    follow_up.number = made_++;
    follow_ups_.push(follow_up);
  }
  departures_.pop();
}

double offered_rps_of(const RequestTable& table) {
  if (table.arrival.empty()) return 0;
  return ratio_or_zero(static_cast<double>(table.size() - 1),
                       to_seconds(table.arrival.back() - table.arrival.front()));
}

ArrivingTokens arriving_tokens(const RequestTable& table, double offered_rps) {
  double prompts = 0;
  double answers = 0;
  double asked = 0;
  double cached = 0;
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (table.outcome[row] == Outcome::dropped) continue;  // nobody serves it
    prompts += table.input_tokens[row];
    answers += decoded(table, row);
    if (table.scheduling_delay[row] == kNoDuration) continue;
    asked += table.input_tokens[row];
    cached += table.cached_tokens[row];
  }
  const double per_request = ratio_or_zero(offered_rps, static_cast<double>(table.size()));
  const double computed = 1 - ratio_or_zero(cached, asked);
  return {per_request * prompts * computed, per_request * answers};
}

ArrivingWork arriving_work(const RunRecord& record, double offered_rps) {
  StepSums steps;
  for (const InstanceRecord& r : record.instances) steps.add(r);
  double decode_s = steps.per_decode_token_s();
  if (std::ranges::count(record.requests.outcome, Outcome::timed_out) > 0)
    decode_s = std::min(decode_s, steps.per_decode_token_s(steps.places));
  const ArrivingTokens tokens = arriving_tokens(record.requests, offered_rps);
  return {tokens.prompts * steps.per_prompt_token_s(), tokens.answers * decode_s};
}

double share_too_slow_alone(const RunRecord& record, double lone_decode_s) {
  const RequestTable& table = record.requests;
  Duration longest;  // that anybody waited; kNoDuration is less than any
  for (std::size_t row = 0; row < table.size(); ++row) {
    longest = std::max({longest, table.ttft[row], table.e2e[row]});
  }
  if (longest == Duration{}) return 0;
  std::int64_t late = 0;
  for (std::size_t row = 0; row < table.size(); ++row) {
    late += decoded(table, row) * lone_decode_s > to_seconds(longest) ? 1 : 0;
  }
  return ratio_or_zero(late, std::ssize(table.arrival));
}

}  // namespace plimsoll
