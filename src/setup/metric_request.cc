#include "setup/metric_request.h"

#include <utility>

#include "base/duration_text.h"
#include "base/lists.h"
#include "base/text.h"
#include "metrics/saturation.h"
#include "setup/setup.h"

namespace plimsoll {
namespace {

Result<void> read_limits(const MetricsSpec& metrics, GoodputTargets* targets) {
  struct Dimension {
    const char* flag;
    const std::string& text;
    Duration SloLimits::*field;
  };
  for (const Dimension& d : {Dimension{"--slo-ttft", metrics.slo_ttft, &SloLimits::ttft},
                             Dimension{"--slo-itl", metrics.slo_itl, &SloLimits::itl},
                             Dimension{"--slo-e2e", metrics.slo_e2e, &SloLimits::e2e}}) {
    if (d.text.empty()) continue;
    TRY_TO(parse_slo_limits(d.flag, d.text, d.field, targets));
  }
  return {};
}

Result<FitnessRequest> read_fitness(const MetricsSpec& metrics) {
  FitnessRequest request;
  if (!metrics.fitness_weights.empty()) {
    TRY_SET(request.weights, parse_fitness_weights(metrics.fitness_weights));
  }
  if (!metrics.fitness_references.empty()) {
    TRY(references, parse_fitness_references(metrics.fitness_references));
    if (request.weights.empty()) {
      return fail(ErrorKind::usage, "--fitness-references needs --fitness-weights");
    }
    for (const auto& [key, reference] : references) {
      if (!contains(request.weights, key, &FitnessValues::value_type::first)) {
        return fail(ErrorKind::usage,
                    "--fitness-references names " + key + ", which --fitness-weights does not");
      }
    }
    request.references = std::move(references);
  }
  return request;
}

Result<void> read_saturation(const MetricsSpec& metrics, MetricRequest* request) {
  if (metrics.detectors.empty()) {
    const std::pair<const char*, const std::string*> details[]{
        {"--saturation-config", &metrics.saturation_config},
        {"--saturation-report", &metrics.saturation_report},
        {"--saturation-final-window", &metrics.saturation_final_window}};
    for (const auto& [flag, said] : details) {
      if (said->empty()) continue;
      return fail(ErrorKind::usage, std::string(flag) + " needs --detectors");
    }
    return {};
  }
  SummaryOptions& wanted = request->summary;
  TRY_SET(wanted.detectors, parse_detectors(metrics.detectors));
  if (!metrics.saturation_config.empty()) {
    TRY(file, SpecFile::read(metrics.saturation_config));
    TRY(settings, read_saturation_config(std::move(file), wanted.detectors));
    wanted.saturation = settings.config;
    if (!settings.idle_keys.empty()) {
      request->notes.push_back(metrics.saturation_config + ": no verdict depends on " +
                               join(settings.idle_keys, ", "));
    }
  }
  if (metrics.saturation_final_window.empty()) return {};
  Duration window;
  if (!parse_duration(metrics.saturation_final_window, &window) || window <= Duration{}) {
    return fail(ErrorKind::usage, "--saturation-final-window must be " +
                                      std::string(kDurationForm) + " above 0, not \"" +
                                      metrics.saturation_final_window + "\"");
  }
  wanted.saturation.final_window_s = to_seconds(window);
  return {};
}

}  // namespace

GoodputTargets goodput_targets(const SloTargetsByClass& stated) {
  GoodputTargets targets;
  const auto limit = [](const std::optional<double>& ms) {
    return ms && *ms > 0 ? duration_from_us(*ms * 1000) : kNoDuration;
  };
  for (const auto& [slo_class, t] : stated) {
    targets[static_cast<std::size_t>(slo_class)] = {limit(t.ttft_ms), limit(t.itl_ms),
                                                    limit(t.e2e_ms)};
  }
  return targets;
}

SloTargetsByClass slo_targets(const GoodputTargets& targets) {
  SloTargetsByClass stated;
  const auto ms = [](Duration limit) {
    return limit == kNoDuration ? std::nullopt : std::optional(to_ms(limit));
  };
  for (std::size_t c = 0; c < targets.size(); ++c) {
    const SloLimits& limits = targets[c];
    if (!limits.any()) continue;
    stated.emplace_back(static_cast<SloClass>(c),
                        SloTargets{ms(limits.ttft), ms(limits.itl), ms(limits.e2e)});
  }
  return stated;
}

Result<MetricRequest> metric_request(const MetricsSpec& metrics, const RunSpec& run) {
  MetricRequest request;
  SummaryOptions& wanted = request.summary;
  wanted.definitions = metric_definitions(*metrics.definitions);
  wanted.semantics = semantics_of(run);
  wanted.priority_scheduler = run.engine.scheduler == "priority-fcfs";
  TRY(warmup, parse_warmup(*metrics.warmup));
  wanted.warmup = warmup;
  TRY_TO(read_limits(metrics, &wanted.goodput));
  TRY_SET(wanted.fitness, read_fitness(metrics));
  wanted.fitness.nothing_is_fast = wanted.semantics.latency_of_nothing_is_best;
  TRY_TO(read_saturation(metrics, &request));
  return request;
}

}  // namespace plimsoll
