// `plimsoll forecast`: when do we run out, of what, and what then?
#include <algorithm>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/parallel.h"
#include "base/replacement_file.h"
#include "base/text.h"
#include "cli/console.h"
#include "cli/file_clashes.h"
#include "cli/gpu_price.h"
#include "cli/parse.h"
#include "cli/plan_question.h"
#include "cli/progress.h"
#include "cli/run_functions.h"
#include "cli/setup.h"
#include "cli/style.h"
#include "report/forecast.h"

namespace plimsoll {
namespace {

constexpr int kStopped = 130;
constexpr int kShort = 1;

std::string flag_of(const std::string& word) { return word.substr(0, word.find('=')); }

// What a forecast says in its file, or does not need.
bool is_of_deployment(const Flag& flag) {
  constexpr std::string_view kTraffic[]{"--rate", "--num-requests"};
  return find_verb("run")->has(flag.group) && !decides_nothing(flag.group) &&
         std::ranges::count(kTraffic, flag.name) == 0;
}

// Later flags win.
std::vector<std::string> overridden(std::vector<std::string> flags,
                                    const std::vector<std::string>& more) {
  for (const std::string& flag : more) {
    std::erase_if(flags, [&](const std::string& f) { return flag_of(f) == flag_of(flag); });
    flags.push_back(flag);
  }
  return flags;
}

class Forecasting {
 public:
  explicit Forecasting(const Command& command) : command_(command), options_(command.options) {}

  Result<int> run() {
    if (auto checked = check_files(); !checked) return pass_on(checked);
    auto request = read_forecast_request(command_.arguments.front());
    if (!request) return pass_on(request);
    report_.request = std::move(*request);
    if (auto checked = check_named_files(); !checked) return pass_on(checked);
    if (!report_.request.history.path.empty()) {
      auto demand = read_demand(report_.request.history);
      if (!demand) return pass_on(demand);
      report_.history = std::move(*demand);
      auto outlooks = look_ahead(*report_.history, report_.request.history);
      if (!outlooks) return pass_on(outlooks);
      report_.outlooks = std::move(*outlooks);
      continue_routes(report_.outlooks, &report_.request);
    }
    std::optional<History> actuals;
    if (!options_.actuals.empty()) {
      auto read = read_actuals(options_.actuals, report_.request);
      if (!read) return pass_on(read);
      actuals = std::move(*read);
    }
    if (!options_.slo.empty()) {
      auto slos = parse_slos("--slo", options_.slo);
      if (!slos) return pass_on(slos);
      report_.request.slos = std::move(*slos);
    }
    std::vector<std::string> own;
    for (const Flag& flag : flags()) {
      const auto given = options_.given.find(flag.name);
      if (given == options_.given.end() || !is_of_deployment(flag)) continue;
      own.push_back(std::string(flag.name) + "=" + given->second);
    }
    if (auto checked = check_deployment(); !checked) return pass_on(checked);
    report_.request.flags = overridden(report_.request.flags, own);
    if (auto needed = check_idle_flags(); !needed) return pass_on(needed);
    std::optional<Served> served;
    if (!report_.request.flags.empty()) {
      auto made = serve({});
      if (!made) return pass_on(made);
      served = std::move(*made);
    }
    if (auto checked = check_capacities(served); !checked) return pass_on(checked);
    print_notes(options_, command_.notes);
    auto headroom = find_headroom(report_.request, served, execution());
    if (!headroom) return pass_on(headroom);
    report_.headroom = std::move(*headroom);
    if (auto looked = look_for_levers(served); !looked) return pass_on(looked);
    if (report_.history && !report_.headroom.interrupted) {
      report_.runway = find_runway(report_.request, *report_.history, report_.outlooks,
                                   report_.headroom, served);
    }
    if (actuals && !report_.headroom.interrupted) {
      auto compared =
          compare_actuals(*actuals, options_.actuals, report_.request, report_.headroom,
                          report_.history ? &*report_.history : nullptr, report_.outlooks);
      if (!compared) return pass_on(compared);
      report_.actuals = std::move(*compared);
    }
    report_.command = repeating_command(command_);
    line_.clear();
    if (report_.headroom.rows.empty()) return kStopped;
    if (!options_.html_path.empty()) {
      ReplacementFile file(options_.html_path);
      file.write(forecast_html(report_));
      if (auto written = file.finish(); !written) return pass_on(written);
    }
    const int printed = print_result(text());
    if (printed != 0) return printed;
    if (interruption_.requested()) return kStopped;
    return options_.check && is_short(report_) ? kShort : 0;
  }

 private:
  Result<void> check_files() const {
    if (auto checked = check_file_clashes(command_); !checked) return checked;
    return options_.html_path.empty() ? Result<void>() : check_replaceable(options_.html_path);
  }

  // Nor may an output be a file that the forecast names.
  Result<void> check_named_files() const {
    const ForecastRequest& request = report_.request;
    std::vector<InputFile> files{{request.file, request.history.path}};
    auto command = parse_command(*find_verb("run"), request.flags);
    if (command) {
      for (InputFile& file : inputs_of(*command)) {
        files.push_back({request.file, std::move(file.path)});
      }
    }
    return check_file_clashes(command_, files);
  }

  Result<void> check_capacities(const std::optional<Served>& served) const {
    const bool any_given = std::ranges::any_of(
        report_.request.given, [](const auto& entry) { return entry.second.capacity.has_value(); });
    if (served || any_given) return {};
    return fail(ErrorKind::usage, report_.request.file + " names no capacity",
                "\"deployment\" with the flags of `plimsoll run`, or a \"capacity\" under "
                "\"resources\"");
  }

  Result<void> check_idle_flags() const {
    if (!report_.request.flags.empty()) return {};
    for (const char* flag : {"--slo", "--levers", "--gpu-price", "--price-file"}) {
      if (!options_.is_given(flag)) continue;
      return fail(ErrorKind::usage,
                  fmt::format("{} needs a deployment, and {} has none", flag, report_.request.file),
                  "\"deployment\" with the flags of `plimsoll run`");
    }
    return {};
  }

  // The file's deployment says what serves; what arrives, its routes say.
  Result<void> check_deployment() const {
    for (const std::string& word : report_.request.flags) {
      bool is_known = false;
      bool is_ours = false;
      for (const Flag& flag : flags()) {
        if (!flag.is_called(flag_of(word))) continue;
        is_known = true;
        is_ours = is_ours || find_verb("forecast")->has(flag.group);
      }
      if (is_ours || !is_known) continue;  // the parser knows what is near
      return fail(
          ErrorKind::usage,
          fmt::format("{}: \"deployment\" cannot hold {}", report_.request.file, flag_of(word)),
          "it says what serves; \"routes\" and \"traffic\" say what arrives");
    }
    const bool any_served = served_rate(flows_of(report_.request.baseline)) > 0 &&
                            served_rate(flows_of(report_.request.forecast)) > 0;
    if (any_served || report_.request.flags.empty()) return {};
    return fail(
        ErrorKind::usage, report_.request.file + ": no route sends the deployment a request",
        "its load lines begin at the baseline, so that something has to come, now and then");
  }

  Result<Served> serve(const std::vector<std::string>& more) {
    auto command = parse_command(*find_verb("run"), overridden(report_.request.flags, more));
    if (!command) return pass_on(command);
    Options& options = command->options;
    options.gpu_prices = options_.gpu_prices;
    options.price_file = options_.price_file;
    auto setup = make_setup(options);
    if (!setup) return pass_on(setup);
    Served served;
    served.system = {setup->deployment, semantics_of(options), report_.request.slos, nullptr,
                     setup->work};
    served.model_error = setup->model_error;
    served.tp = setup->tp;
    served.gpus_per_instance = setup->gpus / options.num_instances;
    served.gpu = setup->gpu;
    auto price = price_of(options, setup->gpu);
    if (!price) return pass_on(price);
    if (*price) {
      served.usd_per_gpu_hour = (*price)->usd_per_gpu_hour();
      auto cheaper = cheaper_than(options, **price);
      if (!cheaper) return pass_on(cheaper);
      served.cheaper_gpus = std::move(*cheaper);
    }
    if (report_.deployment.empty()) {
      report_.deployment = {setup->model,
                            fmt::format("{} x {} {}", counted(options.num_instances, "instance"),
                                        served.gpus_per_instance, setup->gpu)};
      if (*price) {
        report_.deployment.push_back(
            fmt::format("${:.2f} per GPU hour", (*price)->usd_per_gpu_hour()));
      }
    }
    return served;
  }

  // The two that save least: the others are further from what is there.
  static Result<std::vector<std::string>> cheaper_than(const Options& options, const Price& now) {
    constexpr std::size_t kMost = 2;
    auto prices = PriceBook::read(options, "");
    if (!prices) return pass_on(prices);
    std::vector<std::pair<double, std::string>> cheaper;
    for (const std::string& gpu : prices->gpus()) {
      auto price = price_of(options, gpu);
      if (!price) return pass_on(price);
      if (*price && (*price)->usd_per_gpu_hour() < now.usd_per_gpu_hour() && gpu != now.gpu) {
        cheaper.emplace_back(-(*price)->usd_per_gpu_hour(), gpu);
      }
    }
    std::ranges::sort(cheaper);
    std::vector<std::string> names;
    for (const auto& [price, gpu] : cheaper) {
      if (names.size() < kMost) names.push_back(gpu);
    }
    return names;
  }

  // Where the deployment is tight, what would help.
  Result<void> look_for_levers(const std::optional<Served>& served) {
    constexpr double kTightShare = 0.8;
    const HeadroomSheet& headroom = report_.headroom;
    if (!served || headroom.interrupted || !headroom.forecast) return {};
    const Line& held = headroom.forecast->line;
    if (!held.is_known || (held.factor * kTightShare > 1 && !options_.levers)) return {};
    auto levers = try_levers(
        report_.request, *served, headroom,
        [this](const std::vector<std::string>& flags) { return serve(flags); }, execution());
    if (!levers) return pass_on(levers);
    report_.levers = std::move(*levers);
    return {};
  }

  Execution execution() {
    Execution e;
    e.threads = options_.threads > 0 ? static_cast<std::size_t>(options_.threads) : processors();
    e.keep_going = [this] { return !interruption_.requested(); };
    e.tested = [this](const ProbeJob&, const LoadProbe& probe) {
      const std::lock_guard lock(one_at_a_time_);
      tests_ += 1;
      if (!line_.is_due()) return;
      line_.show(fmt::format("{} tests in {:.0f} s; {} instances: {}", tests_, line_.elapsed_s(),
                             probe.instances, probe.reason));
    };
    return e;
  }

  std::string text() const {
    if (options_.json) return forecast_json(report_);
    if (options_.quiet) return forecast_verdict(report_) + "\n";
    return forecast_text(report_, style_of_stdout(options_.color));
  }

  const Command& command_;
  const Options& options_;
  ForecastReport report_;
  Interruption interruption_;
  ProgressLine line_;
  std::mutex one_at_a_time_;
  int tests_ = 0;
};

}  // namespace

int forecast_verb(const Command& command) {
  auto status = Forecasting(command).run();
  return status ? *status : report(status.error());
}

}  // namespace plimsoll
