// `plimsoll observe`: what does my server really do under this load? Sends the traffic of `run` or
// `replay` to a real server, and records what it answers.
#include <sys/resource.h>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <memory>
#include <random>
#include <utility>

#include "base/lists.h"
#include "base/quoting.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "cli/console.h"
#include "cli/expected_deployment.h"
#include "cli/load_monitor.h"
#include "cli/observe_outputs.h"
#include "cli/run_functions.h"
#include "cli/style.h"
#include "net/download.h"
#include "net/load_generator.h"
#include "net/observation.h"
#include "net/server_probe.h"
#include "report/measured/observation.h"
#include "setup/config_log.h"
#include "setup/metric_request.h"
#include "setup/secret_key.h"
#include "setup/traffic.h"

namespace plimsoll {
namespace {

constexpr int kNothingAnswered = 3;
constexpr Duration kShortestProbe = seconds(1);  // limits of the load may be too tight for it
constexpr Duration kLongestProbe = seconds(60);
constexpr Duration kLongestLastProbe = seconds(5);  // the server may be worn out

// "http://host:8000/v1/" is the same server as "http://host:8000".
Result<std::string> server_url(const Options& options) {
  std::string url = options.server.url;
  while (url.ends_with('/')) url.pop_back();
  if (url.ends_with("/v1")) url.resize(url.size() - 3);
  while (url.ends_with('/')) url.pop_back();
  if (url.empty()) {
    return fail(ErrorKind::usage, "no server given",
                "give --server-url URL, for example http://localhost:8000");
  }
  const std::string start = to_lower(url);
  if (!(start.starts_with("http://") || start.starts_with("https://")) || host_of(url).empty() ||
      url.find_first_of("?# \t") != std::string::npos) {
    const std::string shown = url.substr(0, url.find_first_of("?#"));  // a key may follow
    return fail(ErrorKind::usage, "--server-url is not the address of a server: \"" + shown + "\"",
                "it looks like http://localhost:8000; keys go into an environment variable, see "
                "--api-key-env");
  }
  return url;
}

Result<std::string> api_key(const Options& options) {
  if (options.server.api_key_env.empty()) return std::string();
  auto key = secret_key(options.server.api_key_env);
  if (!key || !key->empty()) return key;
  return fail(ErrorKind::usage, "the environment variable " + options.server.api_key_env +
                                    " (--api-key-env) holds no key");
}

Result<void> check_load(const Options& options) {
  const bool said = !options.run.traffic.is_drawn();
  if (said) return {};
  if (!options.run.traffic.rate_rps.is_asked() && options.run.traffic.concurrency == 0) {
    return fail(ErrorKind::usage, "no load given",
                "give --rate, --concurrency, --workload-spec or a trace");
  }
  if (options.run.traffic.num_requests || options.run.traffic.horizon_us) return {};
  return fail(ErrorKind::usage, "no length of the run given", "give --num-requests or --horizon");
}

Result<ServerRequest> server_request(const Options& options) {
  TRY(url, server_url(options));
  if (options.run.model.id->empty()) {
    return fail(ErrorKind::usage, "no model given", "give --model NAME, as the server calls it");
  }
  if (options.server.no_streaming && options.server.record_itl) {
    return fail(ErrorKind::usage, "--record-itl and --no-streaming exclude each other",
                "tokens are timed as they are streamed");
  }
  TRY(key, api_key(options));
  return ServerRequest{.url = std::move(url),
                       .model = options.run.model.id,
                       .bearer_token = std::move(key),
                       .format = options.server.format,
                       .stream = !options.server.no_streaming,
                       .limits_length = !options.server.unconstrained_output};
}

// Every transfer is an open file. Returns how many there may be.
std::int64_t raise_file_limit(std::int64_t wanted) {
  constexpr std::int64_t kOthers = 64;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > 10'000'000) return wanted;
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(limit.rlim_cur) - kOthers, 1, wanted);
}

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

// Another one in every run: a server's prefix cache must not know the prompts.
std::uint64_t fresh_salt() {
  std::random_device device;
  return (std::uint64_t{device()} << 32) | device();
}

RunConfig config_of(const Options& options, const ServerRequest& server, const Traffic& traffic) {
  ConfigLog log;
  log.value("server-url", server.url, options.server.url);
  log.setting("model", options.run.model.id);
  log.setting("max-concurrency", options.server.max_concurrency);
  log.setting("retries", options.server.retries);
  RunConfig config{
      .verb = "observe", .seed = static_cast<std::int64_t>(traffic.seed), .entries = log.take()};
  append(&config.entries, traffic.config);
  return config;
}

// With what the simulation expects beside it, the next question is what the recording corrects.
std::vector<NextStep> next_steps(const Options& options, const ObservationReport& report,
                                 const std::optional<ExpectedDeployment>& said) {
  if (report.figures.answered == 0) return {};
  const std::string prefix = shell_quoted(options.conversion.output);
  const std::string trace =
      fmt::format(" --trace-header {}.yaml --trace-data {}.csv", prefix, prefix);
  if (said && report.expected) {
    return {{"plimsoll calibrate" + flags_for("calibrate", *said) + trace,
             "correct the step-time model by this recording"}};
  }
  // A name that the server alone has is for the reader to replace.
  const bool is_known = find_model(*options.run.model.id).has_value();
  const std::string model = is_known ? shell_quoted(*options.run.model.id) : "MODEL";
  return {{"plimsoll replay --model " + model + trace,
           is_known ? "does the simulator agree?"
                    : "does the simulator agree? MODEL: one of plimsoll list models"}};
}

class Observing {
 public:
  Observing(const Command& command, Traffic traffic, MetricRequest wanted, ServerRequest server,
            std::optional<ExpectedDeployment> said)
      : command_(command),
        traffic_(std::move(traffic)),
        wanted_(std::move(wanted)),
        said_(std::move(said)),
        max_concurrency_(raise_file_limit(options_.server.max_concurrency)) {
    record_.request = std::move(server);
  }

  Result<int> run() {
    TRY_TO(ask_server());
    const Interruption interruption;  // until all that was recorded is written
    TRY_TO(load(interruption));
    return finish();
  }

 private:
  Result<std::unique_ptr<HttpTransfers>> probing(Duration longest) {
    HttpLimits limits = options_.server.limits;
    for (const auto limit : {&HttpLimits::first_byte, &HttpLimits::silence, &HttpLimits::whole}) {
      limits.*limit = std::clamp(*(limits.*limit), kShortestProbe, longest);
    }
    return HttpTransfers::open(clock_, limits);
  }

  Result<void> ask_server() {
    TRY(transfers, probing(kLongestProbe));
    TRY_SET(record_.facts, probe_server(*transfers, record_.request, salt_));
    record_.request.exact_length = record_.facts.takes_exact_length;
    print_notes(options_, record_.facts.notes);
    if (max_concurrency_ < options_.server.max_concurrency) {
      print_notes(options_, {fmt::format("at most {} requests can be in flight: open "
                                         "files are limited (ulimit -n)",
                                         max_concurrency_)});
    }
    return {};
  }

  Result<void> load(const Interruption& interruption) {
    LoadOptions how{.server = record_.request,
                    .limits = options_.server.limits,
                    .max_concurrency = max_concurrency_,
                    .retries = options_.server.retries,
                    .horizon = traffic_.horizon};
    record_.recorded_at = utc_now();
    if (options_.server.record_itl) times_.emplace(options_.conversion.output + ".itl.csv");
    PromptWriter prompts(record_.facts.scale, salt_);
    so_far_.emplace(options_.conversion.output + std::string(kSoFar));
    LoadMonitor monitor(interruption, traffic_.requests, &*so_far_, times_ ? &*times_ : nullptr);
    TRY_SET(observation_, generate_load(*traffic_.source, prompts, how, monitor));
    return {};
  }

  void ask_server_again() {
    auto transfers = probing(kLongestLastProbe);
    if (!transfers) return;
    record_.metrics_after = server_metrics(**transfers, record_.request);
    record_.prefix_hit_rate = prefix_hit_rate(record_.facts.metrics, record_.metrics_after);
  }

  // The recording first: whatever comes after it, it is kept. What fails of it is told after the
  // figures, which nobody can measure again.
  int finish() {
    SummaryOptions& wanted = wanted_.summary;
    wanted.labels = &traffic_.source->labels();
    fill_in(goodput_targets(traffic_.goodput_slo_targets), &wanted.goodput);
    ObservationReport found;
    found.config = config_of(options_, record_.request, traffic_);
    record_.load = found.config.entries;
    const auto trace =
        write_observed_trace(options_, traffic_, observation_, wanted.goodput, record_);
    const auto times = times_ ? times_->finish() : Result<void>();
    ask_server_again();
    const auto server = write_server_file(options_, record_);
    describe(wanted, &found);
    const auto expected = trace ? expect(wanted.definitions, &found) : Result<void>();
    found.next = next_steps(options_, found, said_);
    if (found.summary.steady_state.verdict == SteadyVerdict::overloaded) {
      found.next.clear();
      found.hint =
          "observe at a lower rate before you calibrate: latencies of an overload say how long it "
          "lasted, not how long a step takes";
    }
    if (trace && times && server) found.files = files();
    if (trace) so_far_->remove();
    std::vector<SideFile> side_files{[&] { return trace ? trace : so_far_->left_by(trace); },
                                     [&] { return times; }, [&] { return server; },
                                     [&] { return expected; }};
    append(&side_files, page_of(command_, "Observed: " + found.model + " at " + found.server,
                                [&](const Style& s) { return observation_text(found, s); }));
    return hand_over(text_of(found), side_files, exit_code(found));
  }

  int exit_code(const ObservationReport& found) const {
    if (observation_.interrupted) return interrupted_code();
    return found.figures.answered > 0 || found.figures.sent == 0 ? 0 : kNothingAnswered;
  }

  void describe(const SummaryOptions& wanted, ObservationReport* found) const {
    found->server = record_.request.url;
    found->model = options_.run.model.id;
    found->observation = &observation_;
    found->figures = figures_of(observation_);
    const RunRecord record = run_record_of(observation_);
    found->summary = summarize(record, wanted);
    if (wants_page(options_.console)) {
      found->summary.over_time =
          latencies_over_time(record.requests, wanted.definitions, found->summary.steady_state);
    }
    found->latencies =
        latency_curves(record.requests, wanted.definitions, found->summary.warmup.excluded);
    found->prefix_hit_rate = record_.prefix_hit_rate;
  }

  /// By the recording, which is written by now.
  Result<void> expect(const MetricDefinitions& how, ObservationReport* found) const {
    if (!said_ || found->figures.answered == 0) return {};
    TRY_SET(found->expected,
            expect_of(*said_, options_.conversion.output, how, found->summary.warmup.excluded));
    return {};
  }

  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const char* ending : {".csv", ".yaml", ".server.json"}) {
      names.push_back(options_.conversion.output + ending);
    }
    if (options_.server.record_itl) names.push_back(options_.conversion.output + ".itl.csv");
    return names;
  }

  std::string text_of(const ObservationReport& found) const {
    return in_form_asked_for(
        options_.console,
        {[&] { return observation_json(found); }, [&] { return observation_verdict(found); },
         [&](const Style& style) { return observation_text(found, style); }});
  }

  const Command& command_;
  const Options& options_ = command_.options;
  Traffic traffic_;
  MetricRequest wanted_;
  const std::optional<ExpectedDeployment> said_;
  const std::int64_t max_concurrency_;
  const std::uint64_t salt_ = fresh_salt();
  Stopwatch clock_;
  ServerRecord record_;
  std::optional<AnswersSoFar> so_far_;
  std::optional<TokenTimesFile> times_;
  Observation observation_;
};

}  // namespace

Result<int> observe_verb(const Command& command) {
  const Options& options = command.options;
  TRY(server, server_request(options));
  TRY_TO(check_load(options));
  TRY_TO(check_observe_outputs(command));
  TRY(wanted, metric_request(options.metrics, options.run));
  TRY(traffic, any_traffic(options.run, options.run.model.id));
  TRY(said, expected_deployment(options));
  for (const auto& notes : {command.notes, wanted.notes, traffic.notes}) {
    print_notes(options, notes);
  }
  if (said) print_notes(options, said->setup.notes);
  return Observing(command, std::move(traffic), std::move(wanted), std::move(server),
                   std::move(said))
      .run();
}

}  // namespace plimsoll
