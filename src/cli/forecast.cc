// `plimsoll forecast`: when do we run out, of what, and what then?
#include <algorithm>
#include <cmath>
#include <iterator>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/file.h"
#include "base/parallel.h"
#include "base/text.h"
#include "cli/console.h"
#include "cli/emitted_file.h"
#include "cli/forecast_deployment.h"
#include "cli/parse.h"
#include "cli/progress.h"
#include "cli/question.h"
#include "cli/run_functions.h"
#include "cli/style.h"
#include "cli/verbs.h"
#include "forecast/runway/bill.h"
#include "forecast/runway/counted_routes.h"
#include "forecast/runway/demand_growth.h"
#include "forecast/runway/sheet.h"
#include "report/answer/reasons.h"
#include "report/forecast/alerts.h"
#include "report/forecast/forecast.h"
#include "setup/input_file.h"

namespace plimsoll {
namespace {

constexpr int kShort = 1;

class Forecasting {
 public:
  explicit Forecasting(const Command& command) : command_(command), options_(command.options) {}

  Result<int> run() {
    const PlanFiles& files = options_.plan_files;
    TRY_TO(check_emission(files, alert_forms().front(), {files.output_dir},
                          alert_files(files.emit, report_)));  // for their names
    TRY_TO(read_files());
    TRY_TO(make_deployment());
    print_notes(options_, command_.notes);
    print_notes(options_, notes_on_idle_keys(report_.request));
    TRY_TO(find_sheet());
    TRY_TO(compare_with_time());
    TRY_TO(look_for_levers());
    report_.headroom.interrupted |= interruption_.requested();
    report_.command = repeating_command(command_);
    line_.clear();
    return tell();
  }

 private:
  // ---- what is asked

  Result<void> read_files() {
    const std::string& file = command_.arguments.front();
    const RoutesOf routes_of = [this](const HistoryRequest& history) -> Result<std::vector<Route>> {
      TRY_SET(past_, read_past(history));
      return counted_routes(*past_, history.path);
    };
    const bool is_request = !is_history_file(file);
    auto request = is_request ? read_forecast_request(file, deployment_keys(), routes_of)
                              : forecast_of_history(file, routes_of);
    if (!request) {
      const auto text = read_file(file);
      if (is_request && text) TRY_TO(check_is_for("forecast", file, *text));
      return pass_on(request);
    }
    report_.request = std::move(*request);
    if (!report_.request.history.path.empty()) TRY_TO(continue_history());
    if (options_.forecast.actuals.empty()) return {};
    TRY_SET(actuals_, read_actuals(options_.forecast.actuals, report_.request));
    return {};
  }

  Result<void> continue_history() {
    if (!past_) TRY_SET(past_, read_past(report_.request.history));
    TRY_SET(report_.history,
            demand_of_past(*past_, report_.request.history.path, report_.request.forecast));
    History& history = report_.history->history;
    TRY_TO(check_migrations(history.end_s()));
    follow_shape(&history, &report_.request);
    if (report_.request.routes_from_history)
      history.notes.push_back(note_on_counted_routes(report_.request));
    TRY_SET(report_.outlooks, look_ahead(*report_.history, report_.request.history));
    follow_mean_load(report_.outlooks, &*report_.history, &report_.request);
    TRY_SET(report_.routes_ahead, look_ahead_routes(*report_.history, report_.outlooks));
    const bool is_stated = says_what_will_be(report_.request);
    TRY_TO(continue_routes(report_.outlooks, report_.routes_ahead, &report_.request));
    if (!is_stated)
      TRY_TO(add_busy_hours(*past_, *report_.history, report_.outlooks, &report_.request));
    return follow_spend(report_.outlooks, is_stated, &*report_.history, &report_.request);
  }

  // What begins after the forecast ends is no part of it.
  Result<void> check_migrations(double history_end_s) const {
    const double end_s = history_end_s + report_.request.history.horizon_days * kDayS;
    for (const Migration& migration : report_.request.migrations) {
      if (!migration.from_s || *migration.from_s < end_s) continue;
      return fail_in(ErrorKind::spec, report_.request.file,
                     fmt::format("the migration {} begins at {}, after the forecast ends at {}",
                                 migration.name, iso_time(*migration.from_s), iso_time(end_s)),
                     "an earlier \"from\", or a longer \"horizon_days\"");
    }
    return {};
  }

  // ---- what serves

  Result<void> make_deployment() {
    ForecastRequest& request = report_.request;
    if (!options_.limits.slo.empty()) {
      TRY_SET(request.slos, parse_forecast_slos("--slo", options_.limits.slo));
    }
    request.flags = overridden(request.flags, deployment_flags(options_));
    print_notes(options_, follow_instances(past_, &request.flags));
    TRY_TO(check_deployment(request));
    if (request.flags.empty()) return check_without_deployment(request, options_);
    TRY(deployed, deploy(request, {}, options_));
    print_notes(options_, deployed.notes);
    report_.deployment = std::move(deployed.words);
    served_ = std::move(deployed.served);
    report_.longer_requests = remedy_of_length(served_->system.deployment.main());
    report_.splits = served_->system.deployment.splits();
    report_.gpus = static_cast<double>(served_->gpus());
    report_.instances = served_->system.deployment.num_instances();
    report_.usd_per_month = usd_per_month(*served_, report_.gpus).value_or(0);
    return check_losses();
  }

  // ---- what is found

  Result<void> find_sheet() {
    auto headroom = find_headroom(report_.request, served_, execution());
    if (!headroom) {
      Diagnostic& what = headroom.error().diagnostics.front();
      if (what.hint.empty()) what.hint = "each route's requests must fit the model and a KV cache";
      return tl::unexpected<Error>(located_in(report_.request.file, std::move(headroom.error())));
    }
    report_.headroom = std::move(*headroom);
    return {};
  }

  // Where the deployment is tight, what would help.
  Result<void> look_for_levers() {
    const HeadroomSheet& headroom = report_.headroom;
    if (!served_ || headroom.interrupted || !headroom.forecast) return {};
    const bool is_uncovered_sheet = !report_.history && is_uncovered(headroom);
    const bool is_wanted = options_.forecast.levers || is_tight(headroom) || is_uncovered_sheet;
    const bool any = is_wanted || !report_.request.migrations.empty();
    if (!headroom.forecast->line.is_known || !any) return {};
    const Serve serve = [this](const std::vector<std::string>& flags) -> Result<Served> {
      TRY(deployed, deploy(report_.request, flags, options_));
      return std::move(deployed.served);
    };
    TRY_SET(report_.levers,
            try_levers(report_.request, *served_, headroom, serve, execution(),
                       {.only_migrations = !is_wanted, .enough = enough_instances()}));
    if (report_.runway)
      date_levers(loads_of(*report_.runway, headroom), headroom.forecast->line.factor,
                  &report_.levers);
    return {};
  }

  // The GPUs for the highest demand of a history, and for the losses that have to be survived.
  std::optional<std::int64_t> enough_instances() const {
    std::int64_t gpus = 0;
    if (report_.runway && !report_.runway->gpu_plan.steps.empty())
      gpus = report_.runway->gpu_plan.most[kNinety];
    for (const LossPlan& loss : report_.losses) gpus = std::max(gpus, loss.gpus);
    return gpus > 0 ? std::optional(gpus / served_->gpus_per_replica()) : std::nullopt;
  }

  // Of a sheet that was cut short, nothing follows.
  Result<void> compare_with_time() {
    if (report_.headroom.interrupted) return {};
    execution().progressed(kCountingGpus, 0, 1);
    const DemandHistory* history = report_.history ? &*report_.history : nullptr;
    if (history != nullptr) {
      report_.runway = find_runway(report_.request, *history, report_.outlooks, report_.headroom);
      TRY_TO(plan_gpus_ahead());
      lead_by_date(*report_.runway, &report_.headroom);
    }
    TRY_TO(plan_for_losses());
    TRY_TO(plan_reservation());
    if (!actuals_) return {};
    TRY_SET(report_.actuals, compare_actuals(*actuals_, options_.forecast.actuals, report_.request,
                                             report_.headroom, history, report_.outlooks));
    return {};
  }

  Result<void> plan_gpus_ahead() {
    if (!served_) return {};
    const Execution tests = execution();
    RunwaySheet& runway = *report_.runway;
    const std::vector<LoadAhead> loads = loads_of(runway, report_.headroom);
    TRY_SET(runway.gpu_plan,
            plan_gpus(loads, *served_,
                      fewest_by_tests(report_.request, report_.headroom, *served_, tests),
                      share_by_tests(report_.request, report_.headroom, *served_, tests)));
    settle_orders(report_.request, loads, &runway);
    for (RunwayRow& row : gpu_rows(report_.request, *report_.history, report_.outlooks,
                                   report_.headroom, *served_, loads, runway)) {
      runway.rows.push_back(std::move(row));
    }
    return {};
  }

  // Of what the load needs and of what the dearest loss adds to it.
  Result<void> plan_reservation() {
    if (!served_ || !report_.runway || !report_.request.reserve) return {};
    const ReservePrices& prices = *report_.request.reserve;
    const auto usd = prices.on_demand_usd ? prices.on_demand_usd : served_->usd_per_gpu_hour;
    if (!usd) {
      return fail(ErrorKind::usage, report_.request.file + ": a GPU on demand has no price",
                  "\"on_demand_usd_per_gpu_hour\" under \"reserve\", or --gpu-price");
    }
    report_.reserve =
        plan_reserve(report_.runway->gpu_plan, loads_of(*report_.runway, report_.headroom),
                     prices.reserved_usd, *usd, spare_gpus());
    return {};
  }

  std::int64_t spare_gpus() const {
    std::int64_t spare = 0;
    for (const LossPlan& loss : report_.losses)
      spare = std::max(spare, loss.gpus - report_.runway->gpu_plan.most[kNinety]);
    return spare;
  }

  Result<void> plan_for_losses() {
    if (!served_ || report_.request.losses.empty()) return {};
    const Execution tests = execution();
    const RunwaySheet* runway = report_.runway ? &*report_.runway : nullptr;
    const std::vector<LoadAhead> loads =
        runway != nullptr ? loads_of(*runway, report_.headroom) : std::vector<LoadAhead>{};
    const FewestFor fewest = fewest_by_tests(report_.request, report_.headroom, *served_, tests);
    TRY(peak, loss_peak(report_.headroom, runway, loads, *served_, fewest));
    TRY_SET(report_.losses, plan_losses(report_.request, peak, *served_, fewest,
                                        held_by_tests(report_.request, report_.headroom, tests)));
    return {};
  }

  Result<void> check_losses() const {
    const std::int64_t deployed = served_->system.deployment.num_instances();
    for (const Loss& loss : report_.request.losses) {
      if (loss.kind != LossKind::instances || loss.count <= deployed) continue;
      return fail_in(ErrorKind::spec, report_.request.file,
                     fmt::format("a loss of {} is more than is deployed: {}",
                                 counted(loss.count, "instance"), counted(deployed, "instance")),
                     fmt::format("at most {} under \"loss\"", deployed));
    }
    return {};
  }

  Execution execution() {
    Execution e;
    e.threads = threads_for(options_.console.threads);
    e.keep_going = [this] { return !interruption_.requested(); };
    e.progressed = [this](std::string_view phase, std::size_t done, std::size_t of) {
      const std::lock_guard lock(one_at_a_time_);
      enter(phase, of == 0 ? 0 : static_cast<double>(done) / static_cast<double>(of));
    };
    e.tested = [this](const ProbeJob& job, const LoadProbe& probe) {
      const std::lock_guard lock(one_at_a_time_);
      tests_ += 1;
      if (!line_.is_due()) return;
      WorkSoFar work{.phase = phase_, .share = share_, .is_even = false};
      work.detail =
          fmt::format("{}; {}: {}", counted(tests_, "test"), counted(probe.instances, "instance"),
                      reason_text(probe, job.system->slos));
      work.figures["tests"] = tests_;
      work.figures["test"] = test_so_far_json(probe, job.system->slos);
      line_.show(work);
    };
    return e;
  }

  // So much of the phase is done; threads may say so in another order.
  void enter(std::string_view phase, double share) {
    const auto* at = std::ranges::find(kForecastPhases, phase);
    const auto before = static_cast<double>(at - std::begin(kForecastPhases));
    phase_ = phase;
    share_ = std::fmax(share_, (before + share) / std::size(kForecastPhases));
  }

  // ---- what is told

  Result<int> tell() {
    if (report_.headroom.interrupted && report_.headroom.rows.empty()) {
      print_error(fmt::format(
          "interrupted after {:.1f} s and {}: too early to say anything about headroom\n",
          line_.elapsed_s(), counted(tests_, "test")));
      return interrupted_code();
    }
    std::vector<SideFile> files =
        page_of(command_, "Forecast: " + report_.name(),
                [this](const Style& style) { return forecast_text(report_, style); });
    if (!options_.plan_files.emit.empty()) files.push_back([this] { return emit(); });
    const DecisionVerdict verdict = decision_of(report_).verdict;
    const bool holds = verdict == DecisionVerdict::yes || verdict == DecisionVerdict::likely;
    const int code = options_.limits.check && !holds ? kShort : 0;
    return hand_over(text(), files, interruption_.requested() ? interrupted_code() : code);
  }

  Result<void> emit() const {
    const PlanFiles& files = options_.plan_files;
    TRY(paths, write_emitted(files.output_dir, alert_files(files.emit, report_)));
    print_notes(options_, {"wrote " + join(paths, ", ")});
    return {};
  }

  std::string text() const {
    return in_form_asked_for(
        options_.console, {[this] { return forecast_json(report_); },
                           [this] { return forecast_verdict(report_) + "\n"; },
                           [this](const Style& style) { return forecast_text(report_, style); }});
  }

  const Command& command_;
  const Options& options_;
  ForecastReport report_;
  std::optional<History> past_;
  std::optional<History> actuals_;
  std::optional<Served> served_;
  Interruption interruption_;
  ProgressLine line_;
  std::mutex one_at_a_time_;
  int tests_ = 0;
  std::string phase_{kFindingCapacities};
  double share_ = 0;  // of all phases, of which each counts as much as another
};

}  // namespace

Result<int> forecast_verb(const Command& command) { return Forecasting(command).run(); }

}  // namespace plimsoll
