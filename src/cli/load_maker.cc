#include "cli/load_maker.h"

#include <memory>
#include <utility>

#include "base/text.h"
#include "cli/traffic.h"

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

// A specification's own.
Options without_rate(Options options) {
  options.given.erase("--rate");
  return options;
}

Result<void> check_open_loop(const Options& options) {
  if (options.concurrency == 0) return {};
  return fail(ErrorKind::usage, "users wait for their answers, so that there is no rate to choose",
              "`plimsoll compare --vary concurrency=8,16,32` shows what more users mean");
}

ScalableTraffic drawn_traffic(const Options& options, const std::string& model) {
  ScalableTraffic out;
  out.load = [options, model](double rate_rps, std::int64_t requests) -> Result<Load> {
    auto made = generated_traffic(with_requests(at_rate(options, rate_rps), requests), model);
    if (!made) return pass_on(made);
    return load_of(std::move(*made));
  };
  return out;
}

Result<ScalableTraffic> whole_traffic(const Options& options, const std::string& model,
                                      const Traffic& traffic) {
  auto size = size_of(traffic);
  if (!size) return pass_on(size);
  ScalableTraffic out;
  out.natural_rps = size->rate_rps;
  out.whole_requests = size->requests;
  out.load = [options, model, natural = size->rate_rps](double rate_rps,
                                                        std::int64_t) -> Result<Load> {
    auto made = any_traffic(options, model);
    if (!made) return pass_on(made);
    stretch(natural / rate_rps, &*made);
    return load_of(std::move(*made));
  };
  return out;
}

}  // namespace

Result<ScalableTraffic> scalable_traffic(const Options& options, const std::string& model) {
  if (auto open = check_open_loop(options); !open) return pass_on(open);
  const bool drawn = options.workload_spec.empty() && !asks_for_recorded(options);
  const Options own = drawn ? options : without_rate(options);
  auto traffic = any_traffic(own, model);
  if (!traffic) return pass_on(traffic);
  auto out = drawn ? drawn_traffic(own, model) : whole_traffic(own, model, *traffic);
  if (!out) return pass_on(out);
  out->config = std::move(traffic->config);
  out->notes = std::move(traffic->notes);
  return out;
}

}  // namespace plimsoll
