#include "metrics/workload_shape.h"

#include <numeric>
#include <unordered_map>
#include <utility>

#include "metrics/arrival_counts.h"
#include "stats/percentile.h"
#include "workload/slo_class.h"

namespace plimsoll {
namespace {

constexpr std::int64_t kMostBins = 14;

// The least of 1, 2, 5, 10, 20, 50, ... that is not below `least`.
std::int64_t round_step(double least) {
  std::int64_t step = 1;
  for (int i = 0; static_cast<double>(step) < least; ++i)
    step = i % 3 == 1 ? step / 2 * 5 : step * 2;
  return step;
}

// Where bins begin: the first one holds all below the second, the last one all above.
std::vector<std::int64_t> equal_steps(double low, double high) {
  const std::int64_t step = round_step((high - low) / static_cast<double>(kMostBins - 2));
  std::vector<std::int64_t> starts;
  for (std::int64_t at = static_cast<std::int64_t>(low) / step * step;
       static_cast<double>(at) <= high; at += step) {
    starts.push_back(at);
  }
  return starts;
}

std::vector<std::int64_t> powers_of_two(double low, double high) {
  std::vector<std::int64_t> starts;
  for (std::int64_t at = 1; static_cast<double>(at) <= high; at *= 2) {
    if (static_cast<double>(2 * at) > low) starts.push_back(at);
  }
  // More than are worth a line each: the shortest ones share the first bin.
  if (starts.size() > static_cast<std::size_t>(kMostBins)) {
    starts.erase(starts.begin(), starts.end() - kMostBins);
  }
  return starts;
}

std::vector<HistogramBin> histogram(const std::vector<std::int32_t>& tokens, const LengthShape& s,
                                    double p1, double p5) {
  // Most of the values decide the form, so that a few strays do not squeeze the rest.
  constexpr double kWide = 16;
  const bool wide = s.p95 > kWide * std::max(p5, 1.0);
  const std::vector<std::int64_t> starts = wide ? powers_of_two(p1, s.p99) : equal_steps(p1, s.p99);
  std::vector<HistogramBin> bins;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    bins.push_back({starts[i], i + 1 < starts.size() ? starts[i + 1] - 1 : s.max, 0});
  }
  bins.front().low = std::min(bins.front().low, s.min);
  for (const std::int32_t count : tokens) {
    const auto next = std::upper_bound(starts.begin() + 1, starts.end(), std::int64_t{count});
    bins[static_cast<std::size_t>(next - starts.begin() - 1)].count += 1;
  }
  return bins;
}

LengthShape length_shape(std::vector<std::int32_t> tokens) {
  LengthShape out;
  if (tokens.empty()) return out;
  out.total = std::accumulate(tokens.begin(), tokens.end(), std::int64_t{0});
  out.mean = static_cast<double>(out.total) / static_cast<double>(tokens.size());
  const auto [least, greatest] = std::minmax_element(tokens.begin(), tokens.end());
  out.min = *least;
  out.max = *greatest;
  Percentiles<std::int32_t> percentiles(tokens);
  out.p50 = percentiles.at(50);
  out.p90 = percentiles.at(90);
  out.p95 = percentiles.at(95);
  out.p99 = percentiles.at(99);
  out.histogram = histogram(tokens, out, percentiles.at(1), percentiles.at(5));
  return out;
}

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
    std::ranges::stable_sort(
        out, [](const GroupShape& a, const GroupShape& b) { return a.requests > b.requests; });
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

  void add(const Request& request) {
    shape_.requests += 1;
    arrivals_.add(request.arrival);
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

  WorkloadShape finish(const Labels& labels) {
    WorkloadShape shape = std::move(shape_);
    if (shape.requests == 0) return shape;
    const auto n = static_cast<double>(shape.requests);
    arrivals_.describe(&shape);
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

 private:
  SessionShape session_shape() const {
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
    std::ranges::sort(changes);
    std::int64_t open = 0;
    for (const auto& [at, closes] : changes) {
      open += closes == 0 ? 1 : -1;
      out.most_open = std::max(out.most_open, open);
    }
    out.mean_rounds = static_cast<double>(rounds) / static_cast<double>(out.sessions);
    const Time last = arrivals_.last();
    if (last.ns > 0) out.mean_open = open_ns / static_cast<double>(last.ns);
    return out;
  }

  WorkloadShape shape_;
  InfiniteCache cache_;
  ArrivalCounts arrivals_;
  std::vector<std::int32_t> prompts_;
  std::vector<std::int32_t> outputs_;
  double reason_ratios_ = 0;
  Groups clients_;
  Groups tenants_;
  Groups classes_;
  std::vector<OpenSession> sessions_;
};

}  // namespace

std::int64_t InfiniteCache::add(const Request& request) {
  content_pieces(request.prefix, request.own_content, block_tokens_, &pieces_);
  const std::int64_t hit = find(std::max(request.input_tokens - 1, 0) / block_tokens_);
  const std::int64_t kept = std::int64_t{request.input_tokens} +
                            (request.reusable ? std::int64_t{request.output_tokens} : 0);
  insert(kept / block_tokens_, request.reusable);
  return hit * block_tokens_;
}

// The first `blocks` blocks of the path, as far as they are known.
std::int64_t InfiniteCache::find(std::int64_t blocks) {
  std::int64_t hit = 0;
  for_each_piece(pieces_, 0, blocks,
                 [&](std::uint64_t path, std::int64_t first, std::int64_t last) {
                   const auto at = known_.find(path);
                   if (at == known_.end() || at->second.end <= first) return false;
                   hit = std::min(at->second.end, last);
                   std::int64_t& reused_end = at.value().reused_end;
                   if (hit > std::max(reused_end, first)) {
                     reused_blocks_ += hit - std::max(reused_end, first);
                     reused_end = hit;
                   }
                   return hit == last;
                 });
  return hit;
}

// Content that no other request has need not be remembered.
void InfiniteCache::insert(std::int64_t blocks, bool own_content) {
  if (!own_content) pieces_.pop_back();
  const std::int64_t end = pieces_.empty() ? 0 : std::min(blocks, pieces_.back().end_block);
  for_each_piece(pieces_, 0, end, [&](std::uint64_t path, std::int64_t, std::int64_t last) {
    Piece& piece = known_[path];
    piece.end = std::max(piece.end, last);
    return true;
  });
}

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
