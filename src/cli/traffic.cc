#include "cli/traffic.h"

#include "workload/scaled_source.h"

namespace plimsoll {

bool asks_for_recorded(const Options& options) {
  return !options.trace.empty() || !options.trace_header.empty() || !options.trace_data.empty() ||
         options.trace_format.has_value();
}

Result<Traffic> any_traffic(const Options& options, const std::string& model) {
  return asks_for_recorded(options) ? recorded_traffic(options, model)
                                    : generated_traffic(options, model);
}

tl::unexpected<Error> refuse_closed_loop() {
  return fail(ErrorKind::usage, "users wait for their answers, so that there is no rate to choose",
              "`plimsoll run --num-instances N` says whether N instances are enough for them, "
              "`plimsoll compare --vary num-instances=1,2,4` what more instances mean, and "
              "--vary concurrency=8,16,32 what more users do");
}

Result<TrafficSize> size_of(const Traffic& traffic) {
  if (traffic.source->reacts()) return refuse_closed_loop();
  constexpr std::int64_t kMostLookedAt = 1'000'000;
  TrafficSize size;
  Request request;
  Time first;
  Time last;
  while (size.requests < kMostLookedAt && traffic.source->next(&request)) {
    if (size.requests == 0) first = request.arrival;
    last = request.arrival;
    size.requests += 1;
  }
  const double span_s = to_seconds(last - first);
  if (span_s > 0) {
    size.rate_rps = static_cast<double>(size.requests - 1) / span_s;
    return size;
  }
  return fail(ErrorKind::usage,
              "the traffic has no rate: it needs two requests at least, at different moments");
}

void stretch(double factor, Traffic* traffic) {
  traffic->source = std::make_unique<ScaledSource>(std::move(traffic->source), factor);
  if (traffic->horizon == kNever) return;
  traffic->horizon = Time{} + duration_from_us(to_us(traffic->horizon - Time{}) * factor);
}

Result<void> refuse_adapter(const std::string& adapter, const std::string& file,
                            const std::string& model) {
  if (adapter.empty()) return {};
  const std::string base = model.empty() ? "the model" : model;
  return fail(ErrorKind::spec, Diagnostic{file,
                                          0,
                                          0,
                                          "requests are for the adapter \"" + adapter +
                                              "\", and LoRA adapters are not built yet",
                                          "without \"adapter\" they are for " + base + " itself",
                                          {}});
}

}  // namespace plimsoll
