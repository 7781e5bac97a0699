#include "cli/plan_fleet.h"

#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/parallel.h"
#include "base/text.h"
#include "cli/console.h"
#include "cli/plan_space.h"
#include "cli/planned.h"
#include "cli/progress.h"
#include "cli/style.h"
#include "report/fleet.h"

namespace plimsoll {
namespace {

constexpr int kIsInterrupted = 130;
constexpr int kSomeAreShort = 1;

// What each model says for itself, and outputs that are of one model.
Result<void> check_flags(const Options& options) {
  for (const std::string_view flag : {"--model", "--rate", "--html", "--summary", "--journal",
                                      "--resume", "--diff", "--emit", "--output-dir"}) {
    if (options.is_given(flag)) {
      return fail(ErrorKind::usage, std::string(flag) + " is for a plan of one model",
                  "each model of the list has its own; leave the flag out");
    }
  }
  return {};
}

// `model`: what is shown while it is planned, "chat, model 1 of 2".
Execution execution_of(const Options& options, const std::string& model,
                       const Interruption& interruption, ProgressLine* line) {
  Execution e;
  e.threads = options.threads > 0 ? static_cast<std::size_t>(options.threads) : processors();
  e.keep_going = [&interruption] { return !interruption.requested(); };
  e.tested = [line, model](const ProbeJob&, const LoadProbe& probe) {
    if (!line->is_due()) return;
    line->show(fmt::format("{}, {:.0f} s; {} at {} req/s", model, line->elapsed_s(),
                           counted(probe.instances, "replica"), three_digits(probe.rate_rps)));
  };
  return e;
}

Result<PlanReport> plan_of(const Command& command, PlanRequest request,
                           const Execution& execution) {
  PlanReport report;
  report.request = std::move(request);
  report.request.keeps_tradeoffs = true;
  auto completed = complete_request(command.options, &report.request, &report.assumed);
  if (!completed) return pass_on(completed);
  report.request.varies_model = false;  // the choice may be another than the best
  auto planned = Planned::prepare(command, report.request);
  if (!planned) return pass_on(planned);
  auto plan = make_plan(
      report.request, [&](const Candidate& candidate) { return planned->deploy(candidate); },
      execution);
  if (!plan) return pass_on(plan);
  report.plan = std::move(*plan);
  report.model = planned->model();
  report.assumed.insert(report.assumed.end(), planned->assumed().begin(), planned->assumed().end());
  return report;
}

}  // namespace

Result<int> plan_fleet(const Command& command, FleetRequest request) {
  const Options& options = command.options;
  if (auto checked = check_flags(options); !checked) return pass_on(checked);
  print_notes(options, command.notes);
  FleetReport report;
  Interruption interruption;
  ProgressLine line;
  std::vector<std::vector<FleetOption>> choices;
  for (std::size_t i = 0; i < request.models.size(); ++i) {
    const std::string model =
        fmt::format("{}, model {} of {}", request.names[i], i + 1, request.models.size());
    auto planned = plan_of(command, std::move(request.models[i]),
                           execution_of(options, model, interruption, &line));
    if (!planned) return pass_on(planned);
    report.models.push_back(std::move(*planned));
    choices.push_back(fleet_options(report.models.back().plan));
  }
  line.clear();
  const PlanRequest& first = report.models.front().request;
  const bool gpus_first = first.objective == Objective::least_gpus;
  report.caps = {
      options.max_gpus ? options.max_gpus : request.common.max_gpus,
      options.max_usd_per_hour ? options.max_usd_per_hour : request.common.max_usd_per_hour};
  report.names = std::move(request.names);
  report.choice = choose_fleet(choices, report.caps, gpus_first);
  const int printed =
      print_result(options.json    ? fleet_json(report)
                   : options.quiet ? fleet_verdict(report)
                                   : fleet_text(report, style_of_stdout(options.color)));
  if (printed != 0) return printed;
  if (interruption.requested()) return kIsInterrupted;
  return report.choice.is_complete() ? 0 : kSomeAreShort;
}

}  // namespace plimsoll
