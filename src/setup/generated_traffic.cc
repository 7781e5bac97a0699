// Traffic that settings draw, or that a workload specification describes.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "base/text.h"
#include "setup/config_log.h"
#include "setup/setup.h"
#include "setup/traffic.h"
#include "workload/clients_source.h"
#include "workload/synthetic.h"
#include "workload/workload_spec.h"

namespace plimsoll {
namespace {

/// Flags, and whether somebody gave them.
using AskedFlags = std::vector<std::pair<std::string_view, bool>>;

AskedFlags length_flags(const TrafficSpec& t) {
  return {{"--prompt-tokens", t.prompt.mean.is_asked()},
          {"--prompt-tokens-stdev", t.prompt.stdev.is_asked()},
          {"--prompt-tokens-min", t.prompt.min.is_asked()},
          {"--prompt-tokens-max", t.prompt.max.is_asked()},
          {"--output-tokens", t.output.mean.is_asked()},
          {"--output-tokens-stdev", t.output.stdev.is_asked()},
          {"--output-tokens-min", t.output.min.is_asked()},
          {"--output-tokens-max", t.output.max.is_asked()}};
}

AskedFlags shape_flags(const TrafficSpec& t) {
  return {{"--arrival", t.arrival.has_value()},
          {"--arrival-cv", t.arrival_cv.is_asked()},
          {"--workload", t.workload.is_asked()},
          {"--prefix-tokens", t.prefix_tokens.is_asked()},
          {"--think-time-ms", t.think_time_ms.is_asked()},
          {"--think-time-dist", !t.think_time_dist.empty()}};
}

// Those that something else overrules.
void note_ignored(const AskedFlags& flags, const std::string& by, std::vector<std::string>* notes) {
  for (const auto& [flag, asked] : flags) {
    if (asked) notes->push_back(std::string(flag) + " is ignored: " + by);
  }
}

Duration timeout_of(const RunSpec& run, Duration otherwise) {
  if (!run.traffic.timeout_s) return otherwise;
  return *run.traffic.timeout_s < 0 ? kNoDuration : seconds(*run.traffic.timeout_s);
}

ArrivalProcess arrival_of(const RunSpec& run, const Semantics& semantics) {
  return run.traffic.arrival.value_or(
      semantics.constant_arrivals_by_default ? ArrivalProcess::constant : ArrivalProcess::poisson);
}

Result<void> check_timeout(const RunSpec& run) {
  if (run.traffic.timeout_s != 0) return {};
  return fail(ErrorKind::usage, "--timeout 0 would end every request as it arrives",
              "a negative number means no timeout");
}

std::int64_t or_unlimited(std::int64_t num_requests) {
  return num_requests == 0 ? kUnlimited : num_requests;
}

// Of so many requests at most, at this rate until the horizon; a rate of 0 is not known.
Result<void> check_memory_of(std::int64_t num_requests, double rate_rps, Time horizon) {
  double count = num_requests == kUnlimited ? 0 : as_double(num_requests);
  if (horizon != kNever && rate_rps > 0) {
    const double until_horizon = rate_rps * to_seconds(horizon);
    count = num_requests == kUnlimited ? until_horizon : std::min(count, until_horizon);
  }
  return check_memory(std::round(count), kBytesOfRequest, "requests",
                      "lower --num-requests or --horizon (\"num_requests\" or \"horizon\" of a "
                      "workload specification)");
}

Result<SyntheticSpec> synthetic_spec(const RunSpec& run, std::vector<std::string>* notes) {
  const Semantics semantics = semantics_of(run);
  SyntheticSpec spec;
  spec.seed = static_cast<std::uint64_t>(run.traffic.seed);
  spec.rate_rps = run.traffic.rate_rps;
  spec.arrival = {arrival_of(run, semantics), run.traffic.arrival_cv};
  spec.arrivals_start_in_mid_gap = semantics.arrivals_start_in_mid_gap;
  if (spec.arrival.process == ArrivalProcess::constant ||
      spec.arrival.process == ArrivalProcess::poisson) {
    note_ignored({{"--arrival-cv", run.traffic.arrival_cv.is_asked()}},
                 name_of(arrival_processes(), spec.arrival.process) +
                     " arrivals have no spread to choose; see --arrival gamma",
                 notes);
    spec.arrival.cv = 1;
  }
  spec.num_requests =
      or_unlimited(run.traffic.num_requests.value_or(semantics.default_num_requests));
  if (run.traffic.horizon_us) spec.horizon = horizon_from_us(*run.traffic.horizon_us);
  spec.prefix_tokens = run.traffic.prefix_tokens;
  spec.timeout = timeout_of(run, semantics.default_timeout);
  spec.prompt = length_of(run.traffic.prompt, semantics);
  spec.output = length_of(run.traffic.output, semantics);
  if (run.traffic.workload != "distribution") {
    TRY(preset, find_preset(run.traffic.workload));
    spec.prompt = preset.prompt;
    spec.output = preset.output;
    note_ignored(length_flags(run.traffic),
                 "--workload " + *run.traffic.workload + " sets the lengths", notes);
  } else {
    note_clamping("prompt", spec.prompt, notes);
    note_clamping("output", spec.output, notes);
  }
  TRY_TO(validate(spec));
  const double rate_rps = run.traffic.concurrency > 0 ? 0 : spec.rate_rps;
  TRY_TO(check_memory_of(spec.num_requests, rate_rps, spec.horizon));
  return spec;
}

void log_timeout(Duration timeout, const TrafficSpec& asked, ConfigLog* log) {
  log->value("timeout", timeout == kNoDuration ? -1.0 : to_seconds(timeout), asked.timeout_s);
}

// Means first: they are what a reader asks for.
void log_lengths(const SyntheticSpec& spec, const TrafficSpec& asked, ConfigLog* log) {
  const bool preset = asked.workload != "distribution";
  const auto note = [&](const std::string& key, std::int64_t tokens,
                        const Setting<std::int64_t>& setting) {
    preset ? log->fixed(key, tokens, "catalog") : log->value(key, tokens, setting);
  };
  const std::tuple<std::string, const GaussianLength*, const LengthSpec*> lengths[]{
      {"prompt-tokens", &spec.prompt, &asked.prompt},
      {"output-tokens", &spec.output, &asked.output}};
  for (const auto& [key, length, said] : lengths) {
    note(key, static_cast<std::int64_t>(length->mean), said->mean);
  }
  for (const auto& [key, length, said] : lengths) {
    note(key + "-stdev", static_cast<std::int64_t>(length->stdev), said->stdev);
    note(key + "-min", length->min, said->min);
    note(key + "-max", length->max, said->max);
  }
}

Result<Traffic> synthetic_traffic(const RunSpec& run) {
  Traffic traffic;
  TRY(spec, synthetic_spec(run, &traffic.notes));
  ConfigLog log;
  log.value("rate", spec.rate_rps, run.traffic.rate_rps);
  const bool unlimited = spec.num_requests == kUnlimited;
  log.value("num-requests", unlimited ? 0 : spec.num_requests, run.traffic.num_requests);
  log.value("arrival", name_of(arrival_processes(), spec.arrival.process), run.traffic.arrival);
  log_lengths(spec, run.traffic, &log);
  log.value("arrival-cv", spec.arrival.cv, run.traffic.arrival_cv);
  log.setting("workload", run.traffic.workload);
  log.setting("prefix-tokens", run.traffic.prefix_tokens);
  log_timeout(spec.timeout, run.traffic, &log);
  traffic.config = log.take();
  if (!unlimited) traffic.requests = spec.num_requests;
  traffic.horizon = spec.horizon;
  traffic.seed = spec.seed;
  traffic.source = std::make_unique<SyntheticSource>(spec);
  return traffic;
}

Result<void> check_concurrency(const RunSpec& run) {
  if (run.traffic.concurrency == 0) {
    const bool thinks =
        run.traffic.think_time_ms.is_asked() || !run.traffic.think_time_dist.empty();
    if (!thinks || !run.traffic.workload_spec.empty()) return {};
    return fail(ErrorKind::usage, "think times need --concurrency",
                "users think between an answer and their next request");
  }
  if (run.traffic.rate_rps.is_asked()) {
    return fail(ErrorKind::usage, "give --rate or --concurrency, not both",
                "requests come at a rate, or users wait for their answers");
  }
  if (!run.traffic.workload_spec.empty()) {
    return fail(ErrorKind::usage, "--workload-spec and --concurrency exclude each other",
                "a client of the specification may have \"concurrency\"");
  }
  return {};
}

void set_source(WorkloadSpec spec, const ClientsOptions& how, Traffic* traffic) {
  auto source = std::make_unique<ClientsSource>(std::move(spec), how);
  traffic->clients_of_users = source->clients_of_users();
  traffic->source = std::move(source);
}

// Users who wait for their answers: one client of a workload specification.
WorkloadSpec users_spec(const RunSpec& run, const SyntheticSpec& lengths) {
  WorkloadSpec spec;
  spec.num_requests = lengths.num_requests;
  if (!run.traffic.num_requests && run.traffic.horizon_us) spec.num_requests = kUnlimited;
  spec.horizon = lengths.horizon;
  ClientSpec& client = spec.clients.emplace_back();
  client.id = "users";
  client.concurrency = run.traffic.concurrency;
  client.input = lengths.prompt;
  client.output = lengths.output;
  if (run.traffic.prefix_tokens > 0) client.prefix_group = "shared";
  client.prefix_tokens = run.traffic.prefix_tokens;
  return spec;
}

Result<Traffic> users_traffic(const RunSpec& run, const std::string& model) {
  Traffic traffic;
  TRY(lengths, synthetic_spec(run, &traffic.notes));
  TRY(think_time, think_time_of(run));
  note_ignored({{"--arrival", run.traffic.arrival.has_value()},
                {"--arrival-cv", run.traffic.arrival_cv.is_asked()}},
               "--concurrency makes users send their requests", &traffic.notes);
  WorkloadSpec spec = users_spec(run, lengths);
  const bool unlimited = spec.num_requests == kUnlimited;
  ConfigLog log;
  log.setting("concurrency", run.traffic.concurrency);
  if (run.traffic.think_time_dist.empty()) log.setting("think-time-ms", run.traffic.think_time_ms);
  log.value("num-requests", unlimited ? 0 : spec.num_requests, run.traffic.num_requests);
  log_lengths(lengths, run.traffic, &log);
  log.setting("workload", run.traffic.workload);
  log.setting("prefix-tokens", run.traffic.prefix_tokens);
  log_timeout(lengths.timeout, run.traffic, &log);
  traffic.config = log.take();
  if (!unlimited) traffic.requests = spec.num_requests;
  traffic.horizon = spec.horizon;
  traffic.seed = lengths.seed;
  ClientsOptions how;
  how.seed = traffic.seed;
  how.timeout = lengths.timeout;
  how.served_model = model;
  how.think_time = think_time.value_or(ThinkTime{});
  set_source(std::move(spec), how, &traffic);
  return traffic;
}

bool has_arrival_scale(const WorkloadSpec& spec) {
  const auto scaled = [](const ClientSpec& client) {
    const auto in_window = [](const WindowSpec& window) {
      return window.arrival && window.arrival->scale_us > 0;
    };
    return client.arrival.scale_us > 0 || std::ranges::any_of(client.windows, in_window);
  };
  return any_member(spec, scaled);
}

bool has_media(const WorkloadSpec& spec) {
  const auto has = [](const ClientSpec& client) {
    const auto& parts = client.multimodal;
    return parts && (parts->image || parts->audio || parts->video);
  };
  return any_member(spec, has);
}

Result<void> check_adapters(const WorkloadSpec& spec, const std::string& file,
                            const std::string& model) {
  std::string adapter;
  for_each_member(spec,
                  [&](const ClientSpec& client) { adapter = std::max(adapter, client.adapter); });
  return refuse_adapter(adapter, file, model);
}

// The command line overrules what the file says.
Result<Traffic> specified_traffic(const RunSpec& run, const std::string& model) {
  TRY(spec, read_workload_spec(run.traffic.workload_spec));
  TRY_TO(check_adapters(spec, run.traffic.workload_spec, model));
  Traffic traffic;
  traffic.notes = spec.notes;
  if (has_media(spec)) note_media(model, &traffic.notes);
  traffic.goodput_slo_targets = spec.goodput_slo_targets;
  const std::string by = "--workload-spec describes the traffic";
  note_ignored(shape_flags(run.traffic), by, &traffic.notes);
  note_ignored(length_flags(run.traffic), by, &traffic.notes);
  if (run.traffic.num_requests) spec.num_requests = or_unlimited(*run.traffic.num_requests);
  if (run.traffic.horizon_us) spec.horizon = horizon_from_us(*run.traffic.horizon_us);
  TRY_TO(validate(spec));
  TRY_TO(check_memory_of(spec.num_requests, spec.aggregate_rate_rps, spec.horizon));
  const bool unlimited = spec.num_requests == kUnlimited;
  traffic.seed = static_cast<std::uint64_t>(run.traffic.seed);
  if (!run.traffic.seed.is_asked()) traffic.seed = spec.seed.value_or(traffic.seed);
  traffic.horizon = spec.horizon;
  if (!unlimited) traffic.requests = spec.num_requests;

  const Semantics semantics = semantics_of(run);
  ClientsOptions how;
  how.seed = traffic.seed;
  if (run.traffic.timeout_s) how.timeout = timeout_of(run, kNoDuration);
  how.closed_loop_timeout = semantics.default_timeout;
  how.served_model = model;
  how.context_has_last_token = semantics.context_has_last_token;
  how.arrival_scale_sets_rate = semantics.arrival_scale_sets_rate;
  how.arrivals_start_in_mid_gap = semantics.arrivals_start_in_mid_gap;
  if (!how.arrival_scale_sets_rate && has_arrival_scale(spec)) {
    traffic.notes.push_back(
        "the scale of gamma or weibull arrivals is not used: the shape gives their form, "
        "aggregate_rate or trace_rate their rate");
  }

  ConfigLog log;
  log.value("workload-spec", run.traffic.workload_spec, run.traffic.workload_spec);
  if (!unlimited) log.value("num-requests", spec.num_requests, run.traffic.num_requests, "file");
  if (how.timeout) log_timeout(*how.timeout, run.traffic, &log);
  traffic.config = log.take();
  set_source(std::move(spec), how, &traffic);
  return traffic;
}

// Of conversations, where most of the run is their beginning.
void note_filling(const TrafficSize& size, double rate_rps, std::vector<std::string>* notes) {
  constexpr double kTimes = 10;
  const double until_full_s = 2 * size.filling_s;  // rounds follow each other evenly
  const double enough = kTimes * rate_rps * until_full_s;
  if (enough <= 2 * static_cast<double>(size.requests)) return;
  notes->push_back(fmt::format(
      "the run begins without conversations under way: {} req/s arrive after about {} s",
      shortest(rate_rps), std::llround(until_full_s)));
}

// The same requests, faster or slower.
Result<Traffic> paced_traffic(const RunSpec& run, const std::string& model) {
  TRY(own, specified_traffic(run, model));
  TRY(size, size_of(own));
  TRY(traffic, specified_traffic(run, model));
  stretch(size.rate_rps / run.traffic.rate_rps, &traffic);
  note_filling(size, run.traffic.rate_rps, &traffic.notes);
  ConfigLog log;
  log.setting("rate", run.traffic.rate_rps);
  for (ConfigEntry& entry : log.take()) traffic.config.push_back(std::move(entry));
  return traffic;
}

}  // namespace

Result<Traffic> generated_traffic(const RunSpec& run, const std::string& model) {
  TRY_TO(check_timeout(run));
  TRY_TO(check_concurrency(run));
  if (run.traffic.concurrency > 0) return users_traffic(run, model);
  if (run.traffic.workload_spec.empty()) return synthetic_traffic(run);
  return run.traffic.rate_rps.is_asked() ? paced_traffic(run, model)
                                         : specified_traffic(run, model);
}

}  // namespace plimsoll
