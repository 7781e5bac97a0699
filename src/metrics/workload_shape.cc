#include "metrics/workload_shape.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <unordered_map>
#include <utility>

#include "metrics/infinite_cache.h"
#include "metrics/length_shape.h"
#include "workload/slo_class.h"

namespace plimsoll {
namespace {

constexpr std::size_t kMostBuckets = 24;

/// Requests in order of arrival, those of a closed loop among them: each awaited answer is taken to
/// need a fixed time per token.
class ArrivalOrder {
 public:
  ArrivalOrder(RequestSource& source, Duration time_per_token)
      : source_(source), time_per_token_(time_per_token) {
    has_head_ = source_.next(&head_);
  }

  bool next(Request* request) {
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

 private:
  struct Leaving {
    Departure departure;
    std::int64_t number = 0;
    bool operator<(const Leaving& other) const {
      return std::pair(departure.at, number) > std::pair(other.departure.at, other.number);
    }
  };
  struct FollowUp {
    Request request;
    std::int64_t number = 0;
    bool operator<(const FollowUp& other) const {
      return std::pair(request.arrival, number) > std::pair(other.request.arrival, other.number);
    }
  };

  void await(const Request& request) {
    const std::int64_t id = request.id < 0 ? given_ : request.id;
    const Time at = request.arrival + time_per_token_ * request.output_tokens;
    const Departure departure{.request_id = id,
                              .row = static_cast<std::uint32_t>(given_),
                              .tags = request.tags,
                              .at = at,
                              .awaited = true,
                              .completed = true,
                              .generated_tokens = request.output_tokens};
    departures_.push({departure, given_});
  }

  void depart() {
    FollowUp follow_up;
    if (source_.follow_up(departures_.top().departure, &follow_up.request)) {
      follow_up.number = made_++;
      follow_ups_.push(follow_up);
    }
    departures_.pop();
  }

  RequestSource& source_;
  Duration time_per_token_;
  Request head_;
  bool has_head_ = false;
  std::priority_queue<Leaving> departures_;
  std::priority_queue<FollowUp> follow_ups_;
  std::int64_t given_ = 0;
  std::int64_t made_ = 0;
};

/// Requests by second of arrival; seconds without any are left out.
struct SecondCount {
  std::int64_t second = 0;
  std::int64_t requests = 0;
};

/// Totals by index of a label; index -1, "no label", comes first.
class Groups {
 public:
  void add(std::int32_t label, const Request& request) {
    const auto at = static_cast<std::size_t>(label + 1);
    if (at >= all_.size()) all_.resize(at + 1);
    all_[at].requests += 1;
    all_[at].prompt_tokens += request.input_tokens;
    all_[at].output_tokens += request.output_tokens;
  }

  /// `name(label)` of each; requests with equal names are one group.
  template <class Name>
  std::vector<GroupShape> named(Name name) const {
    std::vector<GroupShape> out;
    std::unordered_map<std::string, std::size_t> place;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (all_[i].requests == 0) continue;
      const std::string text = i == 0 ? std::string() : name(i - 1);
      const auto [at, is_new] = place.emplace(text, out.size());
      if (is_new) out.push_back({text, 0, 0, 0});
      out[at->second].requests += all_[i].requests;
      out[at->second].prompt_tokens += all_[i].prompt_tokens;
      out[at->second].output_tokens += all_[i].output_tokens;
    }
    std::stable_sort(out.begin(), out.end(), [](const GroupShape& a, const GroupShape& b) {
      return a.requests > b.requests;
    });
    const bool nameless = out.size() == 1 && out.front().name.empty();
    return nameless ? std::vector<GroupShape>() : out;
  }

 private:
  std::vector<GroupShape> all_;
};

struct OpenSession {
  std::int64_t rounds = 0;
  Time first;
  Time last;
};

/// Everything that is kept while the requests go by.
class Measurement {
 public:
  explicit Measurement(std::int64_t block_tokens) : cache_(block_tokens) {}

  void add(const Request& request);
  WorkloadShape finish(const Labels& labels);

 private:
  void add_arrival(Time arrival);
  void set_windows(WorkloadShape* shape) const;
  void set_buckets(WorkloadShape* shape) const;
  ArrivalWindows windows_of(std::int64_t width_s, double last_s) const;
  SessionShape session_shape() const;

  WorkloadShape shape_;
  InfiniteCache cache_;
  std::vector<SecondCount> seconds_;
  Time last_;
  double gap_mean_ns_ = 0;
  double gap_squares_ = 0;  // sum of squared deviations from the mean (Welford 1962)
  std::vector<std::int32_t> prompts_;
  std::vector<std::int32_t> outputs_;
  double reason_ratios_ = 0;
  Groups clients_;
  Groups tenants_;
  Groups classes_;
  std::vector<OpenSession> sessions_;
};

void Measurement::add(const Request& request) {
  add_arrival(request.arrival);
  prompts_.push_back(request.input_tokens);
  outputs_.push_back(request.output_tokens);
  const std::int64_t hit = cache_.add(request);
  shape_.reuse.hit_tokens += hit;
  shape_.reuse.requests += hit > 0 ? 1 : 0;
  const RequestTags& tags = request.tags;
  shape_.media_tokens += std::int64_t{tags.image_tokens} + tags.audio_tokens + tags.video_tokens;
  reason_ratios_ += static_cast<double>(tags.reason_ratio);
  clients_.add(tags.client, request);
  tenants_.add(tags.tenant, request);
  classes_.add(static_cast<std::int32_t>(request.slo_class) - 1, request);  // -1 = unset
  if (tags.session < 0) return;
  const auto session = static_cast<std::size_t>(tags.session);
  if (session >= sessions_.size()) sessions_.resize(session + 1);
  OpenSession& open = sessions_[session];
  if (open.rounds == 0) open.first = request.arrival;
  open.last = request.arrival;
  open.rounds += 1;
}

void Measurement::add_arrival(Time arrival) {
  shape_.requests += 1;
  const std::int64_t second = arrival.ns / seconds(1).ns;
  if (seconds_.empty() || seconds_.back().second != second) seconds_.push_back({second, 0});
  seconds_.back().requests += 1;
  if (shape_.requests > 1) {
    const auto gap = static_cast<double>((arrival - last_).ns);
    const double off = gap - gap_mean_ns_;
    gap_mean_ns_ += off / static_cast<double>(shape_.requests - 1);
    gap_squares_ += off * (gap - gap_mean_ns_);
  }
  last_ = arrival;
}

ArrivalWindows Measurement::windows_of(std::int64_t width_s, double last_s) const {
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
void Measurement::set_windows(WorkloadShape* shape) const {
  for (const std::int64_t width_s : {1, 10, 60, 3600}) {
    if (shape->last_arrival_s < 2 * static_cast<double>(width_s)) break;
    shape->windows.push_back(windows_of(width_s, shape->last_arrival_s));
  }
}

void Measurement::set_buckets(WorkloadShape* shape) const {
  const std::int64_t end_s = seconds_.back().second + 1;
  constexpr std::int64_t kDay = 86'400;
  for (const std::int64_t width_s : {std::int64_t{1},
                                     std::int64_t{2},
                                     std::int64_t{5},
                                     std::int64_t{10},
                                     std::int64_t{15},
                                     std::int64_t{30},
                                     std::int64_t{60},
                                     std::int64_t{120},
                                     std::int64_t{300},
                                     std::int64_t{600},
                                     std::int64_t{900},
                                     std::int64_t{1800},
                                     std::int64_t{3600},
                                     std::int64_t{7200},
                                     std::int64_t{10'800},
                                     std::int64_t{21'600},
                                     std::int64_t{43'200},
                                     kDay,
                                     2 * kDay,
                                     7 * kDay,
                                     30 * kDay}) {
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

SessionShape Measurement::session_shape() const {
  SessionShape out;
  std::vector<std::pair<Time, int>> changes;  // openings (0) before closings (1) at equal times
  double open_ns = 0;
  std::int64_t rounds = 0;
  for (const OpenSession& session : sessions_) {
    if (session.rounds == 0) continue;
    out.sessions += 1;
    rounds += session.rounds;
    out.most_rounds = std::max(out.most_rounds, session.rounds);
    open_ns += static_cast<double>((session.last - session.first).ns);
    changes.emplace_back(session.first, 0);
    changes.emplace_back(session.last, 1);
  }
  std::sort(changes.begin(), changes.end());
  std::int64_t open = 0;
  for (const auto& [at, closes] : changes) {
    open += closes == 0 ? 1 : -1;
    out.most_open = std::max(out.most_open, open);
  }
  out.mean_rounds = static_cast<double>(rounds) / static_cast<double>(out.sessions);
  if (last_.ns > 0) out.mean_open = open_ns / static_cast<double>(last_.ns);
  return out;
}

WorkloadShape Measurement::finish(const Labels& labels) {
  WorkloadShape shape = std::move(shape_);
  if (shape.requests == 0) return shape;
  const auto n = static_cast<double>(shape.requests);
  shape.last_arrival_s = to_seconds(last_);
  if (gap_mean_ns_ > 0) shape.mean_rps = 1e9 / gap_mean_ns_;
  if (shape.requests > 2 && gap_mean_ns_ > 0) {
    shape.gap_cv = std::sqrt(gap_squares_ / (n - 2)) / gap_mean_ns_;
  }
  set_windows(&shape);
  set_buckets(&shape);
  shape.prompt = length_shape(std::move(prompts_));
  shape.output = length_shape(std::move(outputs_));
  shape.reuse.reused_tokens = cache_.reused_tokens();
  shape.mean_reason_ratio = reason_ratios_ / n;
  shape.clients = clients_.named([&](std::size_t i) { return labels.clients[i].id; });
  shape.models = clients_.named([&](std::size_t i) { return labels.clients[i].model; });
  shape.tenants = tenants_.named([&](std::size_t i) { return labels.tenants[i]; });
  shape.slo_classes = classes_.named(
      [](std::size_t i) { return name_of(slo_classes(), static_cast<SloClass>(i + 1)); });
  if (!sessions_.empty()) shape.sessions = session_shape();
  return shape;
}

}  // namespace

WorkloadShape shape_of(RequestSource& source, const ShapeOptions& options) {
  Measurement measurement(options.block_tokens);
  ArrivalOrder arrivals(source, options.time_per_token);
  Request request;
  bool cut = false;
  for (std::int64_t n = 0; arrivals.next(&request); ++n) {
    if (request.arrival > options.horizon) break;
    cut = options.most_requests > 0 && n == options.most_requests;
    if (cut) break;
    measurement.add(request);
  }
  WorkloadShape shape = measurement.finish(source.labels());
  shape.cut = cut;
  return shape;
}

}  // namespace plimsoll
