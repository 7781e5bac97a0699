#include "cli/load_maker.h"

#include <limits>
#include <memory>
#include <utility>

#include "base/text.h"
#include "cli/traffic.h"
#include "workload/scaled_source.h"

namespace plimsoll {
namespace {

// Its requests point into the workload.
Load load_of(Traffic traffic) {
  Load load;
  load.seed = traffic.seed;
  load.horizon = traffic.horizon;
  load.keeps = std::shared_ptr<Workload>(std::move(traffic.workload));
  load.source = std::move(traffic.source);
  return load;
}

Load scaled(Load load, double factor) {
  load.source = std::make_unique<ScaledSource>(std::move(load.source), factor);
  if (load.horizon != kNever) {
    load.horizon = Time{} + duration_from_us(to_us(load.horizon - Time{}) * factor);
  }
  return load;
}

Options with_requests(Options options, std::int64_t requests) {
  options.num_requests = requests;
  options.given.insert_or_assign("--num-requests", std::to_string(requests));
  return options;
}

Options at_rate(Options options, double rate_rps) {
  options.rate_rps = rate_rps;
  options.given.insert_or_assign("--rate", shortest(rate_rps));
  return options;
}

struct Size {
  std::int64_t requests = 0;
  double rate_rps = 0;
};

Size size_of_traffic(RequestSource& source) {
  constexpr std::int64_t kMostLookedAt = 1'000'000;
  Size size;
  Request request;
  Time first;
  Time last;
  while (size.requests < kMostLookedAt && source.next(&request)) {
    if (size.requests == 0) first = request.arrival;
    last = request.arrival;
    size.requests += 1;
  }
  const double span_s = to_seconds(last - first);
  if (span_s > 0) size.rate_rps = static_cast<double>(size.requests - 1) / span_s;
  return size;
}

Result<void> check_open_loop(const Options& options, const Traffic& traffic) {
  if (!traffic.source->reacts()) return {};
  const std::string_view why = "users wait for their answers, so that there is no rate to choose";
  const std::string hint =
      options.concurrency > 0
          ? "`plimsoll compare --vary concurrency=8,16,32` shows what more users mean"
          : "give --rate, or a specification whose clients and sessions are not closed loops";
  return fail(ErrorKind::usage, std::string(why), hint);
}

}  // namespace

Result<ScalableTraffic> scalable_traffic(const Options& options, const std::string& model) {
  auto traffic = any_traffic(options, model);
  if (!traffic) return pass_on(traffic);
  if (auto open = check_open_loop(options, *traffic); !open) return pass_on(open);
  ScalableTraffic out;
  out.config = traffic->config;
  out.notes = traffic->notes;
  const bool recorded = asks_for_recorded(options);
  if (!recorded && options.workload_spec.empty()) {
    out.load = [options, model](double rate_rps, std::int64_t requests) -> Result<Load> {
      auto made = generated_traffic(with_requests(at_rate(options, rate_rps), requests), model);
      if (!made) return pass_on(made);
      return load_of(std::move(*made));
    };
    return out;
  }
  const bool bounded = recorded || traffic->requests.has_value() || traffic->horizon != kNever;
  const Size size = size_of_traffic(*traffic->source);
  if (!(size.rate_rps > 0)) {
    return fail(ErrorKind::usage,
                "the traffic has no rate: it needs two requests at least, at "
                "different moments");
  }
  out.natural_rps = size.rate_rps;
  if (bounded) out.whole_requests = size.requests;
  out.load = [options, model, bounded, natural = size.rate_rps](
                 double rate_rps, std::int64_t requests) -> Result<Load> {
    auto made = any_traffic(bounded ? options : with_requests(options, requests), model);
    if (!made) return pass_on(made);
    return scaled(load_of(std::move(*made)), natural / rate_rps);
  };
  return out;
}

}  // namespace plimsoll
