// `plimsoll plan`: which deployment is cheapest for my limits?
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/console.h"
#include "cli/plan_candidates.h"
#include "cli/plan_emit.h"
#include "cli/plan_fleet.h"
#include "cli/run_functions.h"
#include "cli/style.h"
#include "planner/load_curve.h"
#include "planner/plan_search.h"
#include "planner/turning_points.h"
#include "report/plan/plan.h"
#include "setup/complete_request.h"
#include "setup/gpu_price.h"
#include "setup/planned.h"

namespace plimsoll {
namespace {

constexpr int kNothingFeasible = 1;

// ---- --turning-points: the same plan for other rates and for other lengths of prompts

// Plans for loads around the one that was asked about, each made once for all questions.
class PlansAround {
 public:
  /// `make` plans for so many times the load.
  explicit PlansAround(std::function<Result<Plan>(double factor)> make) : make_(std::move(make)) {}

  Result<Plan> at(double factor) {
    const auto found = plans_.find(factor);
    if (found != plans_.end()) return found->second;
    TRY(plan, make_(factor));
    return plans_.emplace(factor, std::move(plan)).first->second;
  }

 private:
  std::function<Result<Plan>(double factor)> make_;
  std::map<double, Plan> plans_;
};

bool is_limited(const PlanRequest& request) { return request.rate_rps && request.has_budget(); }

// What is asked of the best beyond that is not asked here. Limits on all GPUs and on money, which
// fit the rate that was asked about, say nothing of a way of dividing other loads; without a rate
// they are what instances are counted by.
Result<Plan> plan_for(PlanRequest request, const Planned& planned, const Execution& execution) {
  request.measures_best = false;
  if (is_limited(request)) request.drop_budget();
  const auto deploy = [&](const Candidate& candidate) { return planned.deploy(candidate); };
  return make_plan(request, deploy, execution);
}

std::vector<DivisionKind> divisions_of(const PlanRequest& request) {
  std::vector<DivisionKind> asked;
  if (request.space.disaggregation.size() > 1) asked.push_back(DivisionKind::split);
  if (request.space.mixes_gpus) asked.push_back(DivisionKind::mix);
  return asked;
}

bool has_lengths(const Planned& planned) { return planned.common().traffic.is_drawn(); }

double mean_prompt(const Planned& planned) {
  return static_cast<double>(*planned.common().traffic.prompt.mean);
}

// An error where the space of the request does not ask whether to split, or its traffic has neither
// a rate nor lengths that could be varied.
Result<void> check_turning_points(const PlanRequest& request, const Planned& planned) {
  if (divisions_of(request).empty()) {
    return fail(ErrorKind::usage,
                "--turning-points asks where splitting prefill from decode, or mixing GPU types, "
                "begins to pay, and this plan has one way",
                "--disaggregation aggregated,split, or config_space: {mix_gpu_types: true} in a "
                "request");
  }
  if (request.rate_rps || has_lengths(planned)) return {};
  return fail(ErrorKind::usage,
              "--turning-points varies the rate and the lengths of prompts, and this plan has "
              "neither",
              "give a rate to serve, or lengths instead of a file");
}

// Fills in the turns of a report that has its request and its plan; `planned` made its deployments.
// With fewer points where the execution does not keep going.
Result<void> add_turning_points(const Planned& planned, const Execution& execution,
                                PlanReport* report) {
  const PlanRequest& request = report->request;
  const auto look = [&](DivisionTurns turns, PlansAround plans) -> Result<void> {
    for (const DivisionKind division : divisions_of(request)) {
      if (!execution.keep_going()) return {};
      const auto ask = [&](double factor) -> Result<DivisionAnswer> {
        TRY(plan, plans.at(factor));
        return division_answer(division, request, plan);
      };
      turns.of = division;
      TRY(asked, is_limited(request) ? ask(1) : division_answer(division, request, report->plan));
      TRY_SET(turns.points, look_around(asked, ask, execution.keep_going));
      report->turns.push_back(turns);
    }
    return {};
  };
  if (request.rate_rps) {
    TRY_TO(look({"rate_rps", "req/s", *request.rate_rps, {}},
                PlansAround([&](double factor) -> Result<Plan> {
                  PlanRequest other = request;
                  other.rate_rps = *request.rate_rps * factor;
                  return plan_for(std::move(other), planned, execution);
                })));
  }
  if (!has_lengths(planned)) return {};
  return look({"prompt_tokens", "prompt tokens", mean_prompt(planned), {}},
              PlansAround([&](double factor) -> Result<Plan> {
                TRY(other, planned.with_prompts(factor));
                return plan_for(request, other, execution);
              }));
}

// ---- the verb

class PlanVerb {
 public:
  PlanVerb(const Command& command, const std::optional<RequestFile>& file)
      : command_(command), options_(command.options), file_(file), session_(command, file) {}

  Result<int> run() {
    TRY_TO(session_.begin(false));
    TRY_TO(check_emission(options_, {options_.plan_files.output_dir}));
    TRY_TO(make_request());
    TRY(planned, prepare_plan(command_, &request()));
    if (options_.plan.turning_points) TRY_TO(check_turning_points(request(), planned));
    print_notes(options_, command_.notes);
    print_notes(options_, notes_on_length());
    print_notes(options_, notes_on_unused_prices(options_.prices, all_gpus(request().space)));
    TRY(ended, session_.open_journal({request()}));
    if (ended) return *ended;
    const auto deploy = [&](const Candidate& candidate) {
      return deploy_with_words(planned, options_, candidate);
    };
    const auto watch = [this](const PlanProgress& progress) { progress_ = progress; };
    const Execution execution =
        session_.execution([this](const LoadProbe& probe) { return work_so_far(probe); });
    if (const Shard* shard = session_.shard()) {
      PlanSearch search(request(), execution, session_.journal());
      TRY_TO(search.test_shard(deploy, *shard));
      return session_.finish_shard();
    }
    TRY_SET(report_.plan, make_plan(request(), deploy, execution, session_.journal(), watch));
    TRY_TO(fill_report(command_, planned, &report_));
    if (options_.plan.turning_points) {
      progress_ = {};
      TRY_TO(add_turning_points(planned, execution, &report_));
    }
    if (wants_page(options_.console)) {
      TRY_SET(report_.brief, brief_tests(report_.plan, deploy, session_.quietly()));
    }
    report_.command = session_.command();
    report_.timestamp = session_.timestamp();
    report_.elapsed_s = session_.elapsed_s();
    return session_.finish(
        answer(), [&] { return emit(planned); }, !execution.keep_going(),
        report_.best() == nullptr ? kNothingFeasible : 0);
  }

 private:
  PlanRequest& request() { return report_.request; }

  Result<void> make_request() {
    if (file_) {
      TRY_SET(request(), parse_plan_request(file_->text, file_->name));
    }
    return complete_request(asked_of_plan(options_), &request(), &report_.assumed);
  }

  // The highest rate of every GPU type takes a minute or more to find.
  std::vector<std::string> notes_on_length() {
    constexpr std::size_t kMany = 8;
    const std::size_t types = request().space.gpus.size();
    if (request().rate_rps || types < kMany) return {};
    return {
        fmt::format("finding the highest rate of {} GPU types takes a while; --gpu-types "
                    "H100,L4 considers two of them",
                    types)};
  }

  WorkSoFar work_so_far(const LoadProbe& probe) {
    WorkSoFar work;
    work.phase = report_.best() == nullptr ? "planning" : "looking for turning points";
    work.detail = counted(session_.tests(), "test");
    work.figures["tests"] = session_.tests();
    if (progress_.candidates > 0) {
      // The best is tried with other rates once all candidates are settled: as one more of them.
      work.share =
          static_cast<double>(progress_.settled) / static_cast<double>(progress_.candidates + 1);
      work.done = progress_.settled;
      work.of = progress_.candidates;
      work.detail =
          fmt::format("{} of {}, {}", progress_.settled,
                      counted(std::int64_t(progress_.candidates), "candidate"), work.detail);
    }
    if (!progress_.best.empty()) {
      work.detail += "; best so far " + progress_.best;
      work.figures["best"] = Json{{"config_id", progress_.best_id},
                                  {"deployment", progress_.best},
                                  {"cost_per_hour", progress_.best_usd_per_hour}};
    }
    work.detail += fmt::format("; {} at {} req/s", counted(probe.instances, "instance"),
                               three_digits(probe.rate_rps));
    work.figures["test"] = test_so_far_json(probe, request().slos);
    return work;
  }

  Result<void> emit(const Planned& planned) {
    if (options_.plan_files.emit.empty() || report_.best() == nullptr) return {};
    TRY(paths, emit_deployment({options_.plan_files.emit, options_.plan_files.output_dir, ""},
                               planned, report_));
    print_notes(options_, {"wrote " + join(paths, ", ")});
    return {};
  }

  PlanAnswer answer() const {
    return {[this] { return plan_text(report_, style_of_stdout(options_.console.color)); },
            [this] { return plan_verdict(report_); }, [this] { return plan_json(report_); },
            [this] { return plan_html(report_); }, [this] { return plan_summary(report_); }};
  }

  const Command& command_;
  const Options& options_;
  const std::optional<RequestFile>& file_;
  PlanSession session_;
  PlanReport report_;
  PlanProgress progress_;
};

}  // namespace

Result<int> plan_verb(const Command& command) {
  TRY(file, read_request_file(command));
  if (file) {
    TRY(fleet, parse_fleet_request(file->text, file->name));
    if (fleet) return plan_fleet(command, file, std::move(*fleet));
  }
  return PlanVerb(command, file).run();
}

}  // namespace plimsoll
