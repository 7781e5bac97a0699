#include "setup/traffic.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <unordered_map>

#include <fmt/format.h>

#include "base/text.h"
#include "setup/setup.h"
#include "workload/clients_source.h"

namespace plimsoll {
namespace {

double busiest_tenth(const std::vector<Time>& arrivals, double span_s) {
  std::array<double, 10> parts{};
  for (const Time at : arrivals) {
    const double share = to_seconds(at - arrivals.front()) / span_s;
    parts[std::min<std::size_t>(static_cast<std::size_t>(share * parts.size()),
                                parts.size() - 1)] += 1;
  }
  return std::ranges::max(parts) * parts.size() / static_cast<double>(arrivals.size());
}

// How long after the first round of its session a request comes. Sessions that begin at a steady
// rate have all their rounds under way only after a while: up to T arrive as many requests as at
// the rate from then on in T less the mean of these.
class Offsets {
 public:
  void add(const Request& request) {
    requests_ += 1;
    if (request.tags.session < 0) return;
    const auto [begun, is_new] = begun_.try_emplace(request.tags.session, request.arrival);
    if (!is_new) sum_s_ += to_seconds(request.arrival - begun->second);
  }
  double mean_s() const { return requests_ > 0 ? sum_s_ / requests_ : 0; }

 private:
  std::unordered_map<std::int32_t, Time> begun_;
  double sum_s_ = 0;
  double requests_ = 0;
};

// The same share of this mean as the part is of the usual one.
std::int64_t in_proportion(std::int64_t mean, std::int64_t usual_part, std::int64_t usual_mean) {
  const double share = static_cast<double>(usual_part) / static_cast<double>(usual_mean);
  const double tokens = std::fmin(share * static_cast<double>(mean), kMaxTokens);
  return std::llround(tokens);
}

// Only clients pace sessions.
std::int64_t rounds(const Traffic& traffic) {
  const auto* clients = dynamic_cast<const ClientsSource*>(traffic.source.get());
  assert(clients != nullptr);
  return clients->rounds_begun();
}

}  // namespace

Result<Traffic> any_traffic(const RunSpec& run, const std::string& model) {
  return run.traffic.trace.is_asked() ? recorded_traffic(run, model)
                                      : generated_traffic(run, model);
}

void note_media(const std::string& model, std::vector<std::string>* notes) {
  if (model.empty()) return;
  notes->push_back(
      "the traffic has images, audio or video: encoding them and the weights of the encoder are "
      "not "
      "simulated, so TTFT and memory are lower bounds; whether " +
      model + " takes them is not checked");
}

tl::unexpected<Error> refuse_closed_loop() {
  return fail(ErrorKind::usage, "users wait for answers, so there is no rate to set",
              "`plimsoll capacity --concurrency N` says how many instances N users need, `plimsoll "
              "run --num-instances N` whether N instances are enough");
}

Result<TrafficSize> size_of(const Traffic& traffic) {
  const bool paces_sessions = traffic.source->paces_sessions();
  if (traffic.source->reacts() && !paces_sessions) return refuse_closed_loop();
  TrafficSize size;
  std::vector<Time> arrivals;
  Offsets offsets;
  Request request;
  while (size.requests < kMostLookedAt && traffic.source->next(&request)) {
    arrivals.push_back(request.arrival);
    offsets.add(request);
    size.requests += 1;
  }
  const double span_s = arrivals.empty() ? 0 : to_seconds(arrivals.back() - arrivals.front());
  if (span_s > 0) {
    if (paces_sessions) size.filling_s = offsets.mean_s();
    size.moves_rounds = !paces_sessions && offsets.mean_s() > 0;
    size.rate_rps = static_cast<double>(size.requests - 1) / (span_s - size.filling_s);
    // Where all that is looked at is the filling, its rounds so far say little of that.
    if (paces_sessions) size.rate_rps = static_cast<double>(rounds(traffic)) / span_s;
    size.busiest_tenth = busiest_tenth(arrivals, span_s);
    return size;
  }
  return fail(ErrorKind::usage,
              "the traffic has no rate: it needs two requests at least, at different moments");
}

void stretch(double factor, Traffic* traffic) {
  if (traffic->source->paces_sessions()) return traffic->source->pace_sessions(factor);
  traffic->source = std::make_unique<ScaledSource>(std::move(traffic->source), factor);
  if (traffic->horizon == kNever) return;
  traffic->horizon = Time{} + duration_from_us(to_us(traffic->horizon - Time{}) * factor);
}

Result<std::optional<ThinkTime>> think_time_of(const RunSpec& run) {
  const bool constant = run.traffic.think_time_ms.is_asked();
  if (!run.traffic.think_time_dist.empty()) {
    if (constant) {
      return fail(ErrorKind::usage, "--think-time-ms and --think-time-dist exclude each other");
    }
    TRY(drawn, parse_think_time(run.traffic.think_time_dist));
    return std::optional(drawn);
  }
  const bool zero_counts = semantics_of(run).think_times_exclude_service;
  if (!constant || (run.traffic.think_time_ms == 0 && !zero_counts)) {
    return std::optional<ThinkTime>();
  }
  return std::optional(ThinkTime::of(milliseconds(run.traffic.think_time_ms)));
}

Result<void> refuse_adapter(const std::string& adapter, const std::string& file,
                            const std::string& model) {
  if (adapter.empty()) return {};
  const std::string base = model.empty() ? "the model" : model;
  return fail_in(
      ErrorKind::spec, file,
      "requests are for the adapter \"" + adapter + "\", and LoRA adapters are not supported yet",
      "without \"adapter\" they are for " + base + " itself");
}

GaussianLength length_of(const LengthSpec& asked, const Semantics& semantics) {
  const LengthSpec usual;
  LengthSpec t = asked;
  if (semantics.lengths_follow_their_mean) {
    if (!asked.stdev.is_asked()) t.stdev = in_proportion(t.mean, usual.stdev, usual.mean);
    if (!asked.max.is_asked()) {
      t.max =
          std::max<std::int64_t>({in_proportion(t.mean, usual.max, usual.mean), t.min, t.stdev});
    }
    if (!asked.min.is_asked()) {
      t.min = std::min<std::int64_t>({usual.min, t.mean, t.max, t.stdev > 0 ? t.stdev : t.mean});
    }
    // A deviation that nobody asked for is no reason to refuse limits that somebody did.
    if (!asked.stdev.is_asked() && t.min <= t.max) {
      t.stdev = std::clamp<std::int64_t>(t.stdev, t.min, t.max);
    }
  }
  return {static_cast<double>(t.mean), static_cast<double>(t.stdev), t.min, t.max};
}

void note_clamping(const std::string& what, const GaussianLength& length,
                   std::vector<std::string>* notes) {
  constexpr double kNoticed = 0.05;  // of the mean
  const double mean = clamped_mean(length);
  if (std::abs(mean - length.mean) < kNoticed * length.mean) return;
  notes->push_back(fmt::format(
      "{0} lengths have a mean of {1} tokens, not {2}: {2} +- {3} is clamped to {4} to {5} "
      "(--{0}-tokens-min, --{0}-tokens-max)",
      what, three_digits(mean), three_digits(length.mean), three_digits(length.stdev),
      grouped(length.min), grouped(length.max)));
}

}  // namespace plimsoll
