#include "cli/plan_fleet.h"

#include <filesystem>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "cli/plan_candidates.h"
#include "cli/plan_emit.h"
#include "cli/style.h"
#include "cli/typed_flags.h"
#include "planner/load_curve.h"
#include "planner/plan_search.h"
#include "report/emit/deployment_files.h"
#include "report/plan/fleet.h"
#include "setup/complete_request.h"
#include "setup/gpu_price.h"
#include "setup/planned.h"

namespace plimsoll {
namespace {

constexpr int kSomeAreShort = 1;

// What each model says for itself.
Result<void> check_fleet_flags(const Options& options, const std::vector<std::string>& names) {
  for (const std::string_view flag : {"--model", "--model-config", "--rate"}) {
    if (!is_given(options, flag)) continue;
    return fail(ErrorKind::usage, std::string(flag) + " is for a plan of one model",
                "each model of the list has its own; leave the flag out");
  }
  if (is_given(options, "--turning-points")) {
    return fail(ErrorKind::usage, "--turning-points is for a plan of one model",
                "plan each model that may be split alone; leave the flag out");
  }
  std::set<std::string> folders;
  for (const std::string& name : names) {
    if (options.plan_files.emit.empty() || folders.insert(resource_name(name)).second) continue;
    return fail(ErrorKind::usage,
                "--emit: two models would have the folder \"" + resource_name(name) + "\"",
                "give them names that differ in letters or digits");
  }
  return {};
}

// The fastest deployment of one model is all that the limit allows.
Result<void> check_objective(const PlanRequest& request) {
  if (request.objective != Objective::lowest_latency) return {};
  return fail(ErrorKind::usage, "the objective lowest-latency is for a plan of one model",
              "several models share what there is for the least cost or the fewest GPUs: limit the "
              "latency of each (slo), or plan each alone");
}

/// One model on its way.
struct ModelPlan {
  Planned planned;
  Execution execution;
  std::unique_ptr<PlanSearch> search;
};

class FleetVerb {
 public:
  FleetVerb(const Command& command, const std::optional<RequestFile>& file, FleetRequest request)
      : command_(command),
        options_(command.options),
        session_(command, file),
        request_(std::move(request)) {}

  Result<int> run() {
    TRY_TO(check_fleet_flags(options_, request_.names));
    TRY_TO(session_.begin(true));
    TRY_TO(check_emission(options_, folders()));
    print_notes(options_, command_.notes);
    report_.names = request_.names;
    TRY_TO(prepare());
    print_notes(options_, notes_on_unused_prices(options_.prices, considered_gpus()));
    TRY(ended, session_.open_journal(request_.models));
    if (ended) return *ended;
    TRY_TO(search());
    if (session_.shard() != nullptr) return session_.finish_shard();
    choose();
    TRY_TO(finish());
    report_.command = session_.command();
    report_.timestamp = session_.timestamp();
    report_.elapsed_s = session_.elapsed_s();
    return session_.finish(
        answer(), [this] { return emit(); }, report_.is_interrupted(),
        report_.choice.is_complete() ? 0 : kSomeAreShort);
  }

 private:
  // All models, before any of them costs time.
  Result<void> prepare() {
    report_.models.resize(request_.models.size());
    for (std::size_t i = 0; i < request_.models.size(); ++i) {
      PlanRequest& request = request_.models[i];
      request.keeps_tradeoffs = true;
      request.place = static_cast<std::int64_t>(i) + 1;
      TRY_TO(complete_request(asked_of_plan(options_), &request, &report_.models[i].assumed));
      TRY_TO(check_objective(request));
      TRY(planned, prepare_plan(command_, &request));
      report_.models[i].request = request;
      models_.push_back({std::move(planned), execution_of(i), nullptr});
    }
    return {};
  }

  std::vector<std::string> considered_gpus() const {
    std::set<std::string> gpus;
    for (const PlanReport& model : report_.models) {
      for (std::string& gpu : all_gpus(model.request.space)) gpus.insert(std::move(gpu));
    }
    return {gpus.begin(), gpus.end()};
  }

  Execution execution_of(std::size_t i) {
    const std::string model =
        fmt::format("{}, model {} of {}", request_.names[i], i + 1, request_.models.size());
    const double share = static_cast<double>(i) / static_cast<double>(request_.models.size());
    const std::vector<Slo>& slos = request_.models[i].slos;
    return session_.execution([this, model, share, &slos](const LoadProbe& probe) {
      WorkSoFar work;
      work.phase = "planning";
      work.share = share;
      work.detail = fmt::format("{}; {} at {} req/s", model, counted(probe.instances, "instance"),
                                three_digits(probe.rate_rps));
      work.figures["tests"] = session_.tests();
      work.figures["test"] = test_so_far_json(probe, slos);
      return work;
    });
  }

  Result<void> search() {
    for (std::size_t i = 0; i < models_.size(); ++i) {
      ModelPlan& model = models_[i];
      model.search = std::make_unique<PlanSearch>(report_.models[i].request, model.execution,
                                                  session_.journal());
      const Deploy deploy = deploy_of(model);
      const Shard* shard = session_.shard();
      TRY_TO(shard == nullptr ? model.search->search(deploy, {})
                              : model.search->test_shard(deploy, *shard));
    }
    return {};
  }

  Deploy deploy_of(const ModelPlan& model) const {
    return [this, &model](const Candidate& c) {
      return deploy_with_words(model.planned, options_, c);
    };
  }

  void choose() {
    std::vector<std::vector<FleetOption>> options;
    for (const ModelPlan& model : models_) options.push_back(fleet_options(model.search->plan()));
    const PlanRequest& common = request_.common;
    report_.caps = {
        options_.plan.max_gpus ? options_.plan.max_gpus : common.max_gpus,
        options_.plan.max_usd_per_hour ? options_.plan.max_usd_per_hour : common.max_usd_per_hour};
    const bool gpus_first = report_.models.front().request.objective == Objective::least_gpus;
    report_.choice = choose_fleet(options, report_.caps, gpus_first);
  }

  // What each is worth that was chosen.
  Result<void> finish() {
    for (std::size_t i = 0; i < models_.size(); ++i) {
      const auto& chosen = report_.choice.chosen[i];
      TRY_SET(report_.models[i].plan,
              models_[i].search->finish(chosen ? std::optional(chosen->candidate) : std::nullopt));
      TRY_TO(fill_report(command_, models_[i].planned, &report_.models[i]));
      report_.models[i].others = left_for(chosen);
      if (!wants_page(options_.console)) continue;
      TRY_SET(report_.models[i].brief,
              brief_tests(report_.models[i].plan, deploy_of(models_[i]), session_.quietly()));
    }
    return {};
  }

  // What the others leave for a model.
  FleetCaps left_for(const std::optional<FleetOption>& chosen) const {
    FleetCaps left = report_.caps;
    const FleetOption own = chosen.value_or(FleetOption{});
    if (left.gpus) *left.gpus -= report_.choice.gpus - own.gpus;
    if (left.usd_per_hour) *left.usd_per_hour -= report_.choice.usd_per_hour - own.usd_per_hour;
    return left;
  }

  // One for each model.
  std::vector<std::string> folders() const {
    return mapped(request_.names, [&](const std::string& name) {
      return (std::filesystem::path(options_.plan_files.output_dir) / resource_name(name)).string();
    });
  }

  Result<void> emit() {
    if (options_.plan_files.emit.empty()) return {};
    for (std::size_t i = 0; i < models_.size(); ++i) {
      if (report_.models[i].best() == nullptr) continue;
      const std::string name = resource_name(report_.names[i]);
      TRY(paths, emit_deployment({options_.plan_files.emit, folders()[i], name}, models_[i].planned,
                                 report_.models[i]));
      print_notes(options_, {"wrote " + join(paths, ", ")});
    }
    return {};
  }

  PlanAnswer answer() const {
    return {[this] { return fleet_text(report_, style_of_stdout(options_.console.color)); },
            [this] { return fleet_verdict(report_); }, [this] { return fleet_json(report_); },
            [this] { return fleet_html(report_); }, [this] { return fleet_summary(report_); }};
  }

  const Command& command_;
  const Options& options_;
  PlanSession session_;
  FleetRequest request_;
  FleetReport report_;
  std::vector<ModelPlan> models_;
};

}  // namespace

Result<int> plan_fleet(const Command& command, const std::optional<RequestFile>& file,
                       FleetRequest request) {
  return FleetVerb(command, file, std::move(request)).run();
}

}  // namespace plimsoll
