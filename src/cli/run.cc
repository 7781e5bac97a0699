// `plimsoll run`: what happens under this load? Traffic comes from flags or a workload
// specification.
#include <algorithm>
#include <cmath>

#include "base/memory.h"
#include "base/numbers.h"
#include "cli/config_log.h"
#include "cli/run_functions.h"
#include "cli/setup.h"
#include "cli/simulate.h"
#include "cli/think_flags.h"
#include "cli/token_lengths.h"
#include "workload/clients_source.h"
#include "workload/presets.h"
#include "workload/synthetic.h"
#include "workload/workload_spec_reader.h"

namespace plimsoll {
namespace {

// Flags that a preset or a specification file overrules.
constexpr std::string_view kLengthFlags[]{
    "--prompt-tokens", "--prompt-tokens-stdev", "--prompt-tokens-min", "--prompt-tokens-max",
    "--output-tokens", "--output-tokens-stdev", "--output-tokens-min", "--output-tokens-max"};
constexpr std::string_view kShapeFlags[]{
    "--arrival",       "--arrival-cv",    "--workload",
    "--prefix-tokens", "--think-time-ms", "--think-time-dist",
};

void note_ignored(const Options& options, std::string_view flag, const std::string& by,
                  std::vector<std::string>* notes) {
  if (options.is_given(flag)) notes->push_back(std::string(flag) + " is ignored: " + by);
}

Duration timeout_of(const Options& options, Duration otherwise) {
  if (!options.timeout_s) return otherwise;
  return *options.timeout_s < 0 ? kNoDuration : seconds(*options.timeout_s);
}

ArrivalProcess arrival_of(const Options& options, const Semantics& semantics) {
  return options.arrival.value_or(semantics.constant_arrivals_by_default ? ArrivalProcess::constant
                                                                         : ArrivalProcess::poisson);
}

Result<void> check_timeout(const Options& options) {
  if (options.timeout_s != 0) return {};
  return fail(ErrorKind::usage, "--timeout 0 would end every request as it arrives",
              "a negative number means no timeout");
}

std::int64_t or_unlimited(std::int64_t num_requests) {
  return num_requests == 0 ? kUnlimited : num_requests;
}

// Of so many requests at most, at this rate until the horizon; a rate of 0 is not known.
Result<void> check_memory_of(std::int64_t num_requests, double rate_rps, Time horizon) {
  // A row of the record and what figures take beside it, as measured; classes and tenants included.
  constexpr double kBytesOfRequest = 150;
  double count = num_requests == kUnlimited ? 0 : as_double(num_requests);
  if (horizon != kNever && rate_rps > 0) {
    const double until_horizon = rate_rps * to_seconds(horizon);
    count = num_requests == kUnlimited ? until_horizon : std::min(count, until_horizon);
  }
  return check_memory(std::round(count), kBytesOfRequest, "requests",
                      "lower --num-requests or --horizon (\"num_requests\" or \"horizon\" of a "
                      "workload specification)");
}

Result<SyntheticSpec> synthetic_spec(const Options& options, std::vector<std::string>* notes) {
  const Semantics semantics = semantics_of(options);
  SyntheticSpec spec;
  spec.seed = static_cast<std::uint64_t>(options.seed);
  spec.rate_rps = options.rate_rps;
  spec.arrival = {arrival_of(options, semantics), options.arrival_cv};
  spec.arrivals_start_in_mid_gap = semantics.arrivals_start_in_mid_gap;
  if (spec.arrival.process == ArrivalProcess::constant ||
      spec.arrival.process == ArrivalProcess::poisson) {
    note_ignored(options, "--arrival-cv",
                 name_of(arrival_processes(), spec.arrival.process) +
                     " arrivals have no spread to choose; see --arrival gamma",
                 notes);
    spec.arrival.cv = 1;
  }
  spec.num_requests = or_unlimited(options.num_requests.value_or(semantics.default_num_requests));
  if (options.horizon_us) spec.horizon = horizon_from_us(*options.horizon_us);
  spec.prefix_tokens = options.prefix_tokens;
  spec.timeout = timeout_of(options, semantics.default_timeout);
  spec.prompt = prompt_length(options, semantics);
  spec.output = answer_length(options, semantics);
  if (options.workload != "distribution") {
    auto preset = find_preset(options.workload);
    if (!preset) return pass_on(preset);
    spec.prompt = preset->prompt;
    spec.output = preset->output;
    for (const std::string_view flag : kLengthFlags) {
      note_ignored(options, flag, "--workload " + options.workload + " sets the lengths", notes);
    }
  }
  if (auto valid = validate(spec); !valid) return pass_on(valid);
  const double rate_rps = options.concurrency > 0 ? 0 : spec.rate_rps;
  auto fits = check_memory_of(spec.num_requests, rate_rps, spec.horizon);
  if (!fits) return pass_on(fits);
  return spec;
}

// Means first: they are what a reader asks for.
void log_lengths(const SyntheticSpec& spec, bool preset, ConfigLog* log) {
  const auto note = [&](const std::string& flag, std::int64_t tokens) {
    preset ? log->fixed(flag, tokens, "catalog") : log->flag(flag, tokens);
  };
  const std::pair<std::string, const GaussianLength*> lengths[]{{"--prompt-tokens", &spec.prompt},
                                                                {"--output-tokens", &spec.output}};
  for (const auto& [flag, length] : lengths) note(flag, static_cast<std::int64_t>(length->mean));
  for (const auto& [flag, length] : lengths) {
    note(flag + "-stdev", static_cast<std::int64_t>(length->stdev));
    note(flag + "-min", length->min);
    note(flag + "-max", length->max);
  }
}

Result<Traffic> synthetic_traffic(const Options& options) {
  Traffic traffic;
  auto spec = synthetic_spec(options, &traffic.notes);
  if (!spec) return pass_on(spec);
  ConfigLog log(options);
  log.flag("--rate", spec->rate_rps);
  const bool unlimited = spec->num_requests == kUnlimited;
  log.flag("--num-requests", unlimited ? 0 : spec->num_requests);
  log.flag("--arrival", name_of(arrival_processes(), spec->arrival.process));
  log_lengths(*spec, options.workload != "distribution", &log);
  log.flag("--arrival-cv", spec->arrival.cv);
  log.flag("--workload", options.workload);
  log.flag("--prefix-tokens", options.prefix_tokens);
  log.flag("--timeout", spec->timeout == kNoDuration ? -1.0 : to_seconds(spec->timeout));
  traffic.config = log.take();
  if (!unlimited) traffic.requests = spec->num_requests;
  traffic.horizon = spec->horizon;
  traffic.seed = spec->seed;
  traffic.source = std::make_unique<SyntheticSource>(*spec);
  return traffic;
}

Result<void> check_concurrency(const Options& options) {
  if (options.concurrency == 0) {
    const bool thinks = options.is_given("--think-time-ms") || !options.think_time_dist.empty();
    if (!thinks || !options.workload_spec.empty()) return {};
    return fail(ErrorKind::usage, "think times need --concurrency",
                "users think between an answer and their next request");
  }
  if (options.is_given("--rate")) {
    return fail(ErrorKind::usage, "--rate and --concurrency exclude each other",
                "either requests come at a rate, or users wait for their answers");
  }
  if (!options.workload_spec.empty()) {
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
WorkloadSpec users_spec(const Options& options, const SyntheticSpec& lengths) {
  WorkloadSpec spec;
  spec.num_requests = lengths.num_requests;
  if (!options.num_requests && options.horizon_us) spec.num_requests = kUnlimited;
  spec.horizon = lengths.horizon;
  ClientSpec& client = spec.clients.emplace_back();
  client.id = "users";
  client.concurrency = options.concurrency;
  client.input = lengths.prompt;
  client.output = lengths.output;
  if (options.prefix_tokens > 0) client.prefix_group = "shared";
  client.prefix_tokens = options.prefix_tokens;
  return spec;
}

Result<Traffic> users_traffic(const Options& options, const std::string& model) {
  Traffic traffic;
  auto lengths = synthetic_spec(options, &traffic.notes);
  if (!lengths) return pass_on(lengths);
  auto think_time = think_time_of(options);
  if (!think_time) return pass_on(think_time);
  for (const std::string_view flag : {"--arrival", "--arrival-cv"}) {
    note_ignored(options, flag, "--concurrency makes users send their requests", &traffic.notes);
  }
  WorkloadSpec spec = users_spec(options, *lengths);
  const bool unlimited = spec.num_requests == kUnlimited;
  ConfigLog log(options);
  log.flag("--concurrency", options.concurrency);
  if (options.think_time_dist.empty()) log.flag("--think-time-ms", options.think_time_ms);
  log.flag("--num-requests", unlimited ? 0 : spec.num_requests);
  log_lengths(*lengths, options.workload != "distribution", &log);
  log.flag("--workload", options.workload);
  log.flag("--prefix-tokens", options.prefix_tokens);
  log.flag("--timeout", lengths->timeout == kNoDuration ? -1.0 : to_seconds(lengths->timeout));
  traffic.config = log.take();
  if (!unlimited) traffic.requests = spec.num_requests;
  traffic.horizon = spec.horizon;
  traffic.seed = lengths->seed;
  ClientsOptions how;
  how.seed = traffic.seed;
  how.timeout = lengths->timeout;
  how.served_model = model;
  how.think_time = think_time->value_or(ThinkTime{});
  set_source(std::move(spec), how, &traffic);
  return traffic;
}

bool has_arrival_scale(const WorkloadSpec& spec) {
  const auto scaled = [](const ClientSpec& client) {
    const auto in_window = [](const WindowSpec& window) {
      return window.arrival && window.arrival->scale_us > 0;
    };
    return client.arrival.scale_us > 0 ||
           std::any_of(client.windows.begin(), client.windows.end(), in_window);
  };
  return std::any_of(spec.clients.begin(), spec.clients.end(), scaled) ||
         std::any_of(spec.cohorts.begin(), spec.cohorts.end(),
                     [&](const CohortSpec& cohort) { return scaled(cohort.member); });
}

Result<void> check_adapters(const WorkloadSpec& spec, const std::string& file,
                            const std::string& model) {
  std::string adapter;
  for (const ClientSpec& client : spec.clients) adapter = std::max(adapter, client.adapter);
  for (const CohortSpec& cohort : spec.cohorts) adapter = std::max(adapter, cohort.member.adapter);
  return refuse_adapter(adapter, file, model);
}

// The command line overrules what the file says.
Result<Traffic> specified_traffic(const Options& options, const std::string& model) {
  auto spec = read_workload_spec(options.workload_spec);
  if (!spec) return pass_on(spec);
  if (auto base = check_adapters(*spec, options.workload_spec, model); !base) return pass_on(base);
  Traffic traffic;
  traffic.notes = spec->notes;
  traffic.goodput_slo_targets = spec->goodput_slo_targets;
  const std::string by = "--workload-spec describes the traffic";
  for (const std::string_view flag : kShapeFlags) note_ignored(options, flag, by, &traffic.notes);
  for (const std::string_view flag : kLengthFlags) note_ignored(options, flag, by, &traffic.notes);
  if (options.num_requests) spec->num_requests = or_unlimited(*options.num_requests);
  if (options.horizon_us) spec->horizon = horizon_from_us(*options.horizon_us);
  if (auto valid = validate(*spec); !valid) return pass_on(valid);
  auto fits = check_memory_of(spec->num_requests, spec->aggregate_rate_rps, spec->horizon);
  if (!fits) return pass_on(fits);
  const bool unlimited = spec->num_requests == kUnlimited;
  traffic.seed = static_cast<std::uint64_t>(options.seed);
  if (!options.is_given("--seed")) traffic.seed = spec->seed.value_or(traffic.seed);
  traffic.horizon = spec->horizon;
  if (!unlimited) traffic.requests = spec->num_requests;

  const Semantics semantics = semantics_of(options);
  ClientsOptions how;
  how.seed = traffic.seed;
  if (options.timeout_s) how.timeout = timeout_of(options, kNoDuration);
  how.closed_loop_timeout = semantics.default_timeout;
  how.served_model = model;
  how.context_has_last_token = semantics.context_has_last_token;
  how.arrival_scale_sets_rate = semantics.arrival_scale_sets_rate;
  how.arrivals_start_in_mid_gap = semantics.arrivals_start_in_mid_gap;
  if (!how.arrival_scale_sets_rate && has_arrival_scale(*spec)) {
    traffic.notes.push_back(
        "the scale of gamma or weibull arrivals is not used: the shape gives their form, "
        "aggregate_rate or trace_rate their rate");
  }

  ConfigLog log(options);
  log.flag("--workload-spec", options.workload_spec);
  if (!unlimited) log.flag("--num-requests", spec->num_requests, "file");
  if (how.timeout)
    log.flag("--timeout", how.timeout == kNoDuration ? -1.0 : to_seconds(*how.timeout));
  traffic.config = log.take();
  set_source(std::move(*spec), how, &traffic);
  return traffic;
}

// The same requests, faster or slower.
Result<Traffic> paced_traffic(const Options& options, const std::string& model) {
  auto own = specified_traffic(options, model);
  if (!own) return pass_on(own);
  auto size = size_of(*own);
  if (!size) return pass_on(size);
  auto traffic = specified_traffic(options, model);
  if (!traffic) return pass_on(traffic);
  stretch(size->rate_rps / options.rate_rps, &*traffic);
  ConfigLog log(options);
  log.flag("--rate", options.rate_rps);
  for (ConfigEntry& entry : log.take()) traffic->config.push_back(std::move(entry));
  return traffic;
}

}  // namespace

Result<Traffic> generated_traffic(const Options& options, const std::string& model) {
  if (auto checked = check_timeout(options); !checked) return pass_on(checked);
  if (auto checked = check_concurrency(options); !checked) return pass_on(checked);
  if (options.concurrency > 0) return users_traffic(options, model);
  if (options.workload_spec.empty()) return synthetic_traffic(options);
  return options.is_given("--rate") ? paced_traffic(options, model)
                                    : specified_traffic(options, model);
}

int run_verb(const Command& command) { return simulating_verb(command, generated_traffic); }

}  // namespace plimsoll
