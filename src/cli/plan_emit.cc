#include "cli/plan_emit.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "cli/emitted_file.h"
#include "cli/emitted_inputs.h"
#include "cli/flags.h"
#include "cli/unset_of_pools.h"
#include "cli/vllm_arguments.h"
#include "metrics/intervals.h"
#include "perf/model_size.h"
#include "planner/capacity.h"
#include "random/portable_math.h"
#include "report/emit/deployment_files.h"
#include "report/form/field_text.h"
#include "report/plan/figures.h"
#include "setup/engine_limits.h"
#include "setup/fleet_file.h"
#include "setup/mixed_pools.h"
#include "setup/pools.h"
#include "setup/setup.h"

namespace plimsoll {
namespace {

std::string word_of(const std::string& flag) { return flag.substr(0, flag.find('=')); }

// Of a flag of `run` as "--name=value": what a command line of `observe` has of it, "" if nothing.
std::string traffic_flag(const std::string& flag) {
  const std::string name = word_of(flag);
  const bool elsewhere = name == "--model" || name == "--num-requests";
  if (elsewhere || name.size() == flag.size()) return {};
  const bool traffic = std::ranges::any_of(flags(), [&](const Flag& known) {
    return known.name == name &&
           (known.group == FlagGroup::workload || known.group == FlagGroup::stream);
  });
  return traffic ? typed_word(flag).substr(1) : "";
}

// The same run again, with steps that are longer by the factor.
Result<std::vector<LoadProbe>> runs_again(const ProbedSystem& system, const LoadProbe& shown,
                                          const std::vector<double>& step_factors) {
  std::vector<ProbeJob> jobs;
  for (const double factor : step_factors) {
    ProbeJob job{&system, shown.rate_rps, shown.instances, {}};
    job.draw = shown.draw;
    job.effort.first_requests = job.effort.most_requests = shown.requests;
    job.step_factor = factor;
    jobs.push_back(std::move(job));
  }
  TRY(tests, run_probes(jobs, Execution{}));
  return without_numbers(std::move(tests));
}

// Of a test what a band is made of. Limits on all requests come first.
Summary with_intervals(const LoadProbe& test, const std::vector<Slo>& slos) {
  Summary summary;
  summary.steady_state = test.state;
  for (std::size_t i = 0; i < slos.size(); ++i) {
    const auto& interval = test.slos[i].interval_ms;
    if (!slos[i].slo_class && interval)
      summary.intervals.push_back({key_of(slos[i]), interval->low, interval->high});
  }
  for (const MetricInterval& more : test.summary.intervals) {
    if (find_interval(summary.intervals, more.metric) == nullptr) summary.intervals.push_back(more);
  }
  return summary;
}

// What was measured of it; `metric` is one of with_intervals().
double expected_value(const LoadProbe& test, const std::vector<Slo>& slos,
                      const std::string& metric) {
  for (std::size_t i = 0; i < slos.size(); ++i) {
    if (!slos[i].slo_class && key_of(slos[i]) == metric) return test.slos[i].value_ms;
  }
  return find_figure(metric).of(test.summary.cluster);
}

constexpr std::string_view kExpected[]{"ttft_mean_ms", "ttft_p99_ms", "tpot_mean_ms",
                                       "itl_mean_ms",  "e2e_mean_ms", "e2e_p99_ms"};

// The interval of the finite run, and what the error of the step-time model makes of the figure:
// that of `run`, which runs it again at both ends of the error, too.
Result<std::vector<ExpectedFigure>> expectations(const CandidateResult& best,
                                                 const ProbedSystem& system,
                                                 const std::vector<Slo>& slos) {
  const LoadProbe& shown = *best.at_good;
  const Summary central = with_intervals(shown, slos);
  std::optional<ModelBand> band;
  if (best.model_error) {
    const double z = portable_exp(best.model_error->step);
    TRY(ends, runs_again(system, shown, {1 / z, z}));
    band = model_band(*best.model_error, central, with_intervals(ends.front(), slos),
                      with_intervals(ends.back(), slos));
  }
  std::vector<ExpectedFigure> figures;
  for (std::size_t i = 0; i < central.intervals.size(); ++i) {
    const MetricInterval& sampled = central.intervals[i];
    const bool is_limit = std::ranges::any_of(
        slos, [&](const Slo& slo) { return !slo.slo_class && key_of(slo) == sampled.metric; });
    if (!is_limit && !contains(kExpected, sampled.metric)) continue;
    figures.push_back({expected_value(shown, slos, sampled.metric), sampled,
                       band ? std::optional(band->model[i]) : std::nullopt});
  }
  return figures;
}

RecommendedPool pool_of(const Setup& setup, std::int64_t instances,
                        std::vector<std::string> engine_args) {
  RecommendedPool pool;
  pool.gpu = setup.gpu;
  pool.replicas = instances;
  pool.gpus_per_replica = setup.layout.gpus();
  pool.gpus_per_machine = setup.gpus_per_machine;
  pool.tp = setup.layout.tp;
  pool.pp = setup.layout.pp;
  pool.dp = setup.layout.dp;
  pool.engine_args = std::move(engine_args);
  return pool;
}

// What the instances of one of several pools are told, by themselves.
Result<RecommendedPool> pool_alone(const RunSpec& run, const PoolSpec& asked,
                                   std::int64_t instances) {
  Options options;
  options.run = run_of(run, asked);
  if (splits(run)) options.run.engine.no_hybrid_cache = !has_hybrid_cache(run);
  options.run.split = {};
  options.run.fleet = {};
  TRY(setup, make_setup(options.run));
  return pool_of(setup, instances, vllm_arguments(options, setup).engine);
}

// The best as the servers run it. Where they schedule in step although the plan does not, its test
// is run again so: the load test has to refute what was started.
struct StartedBest {
  CandidateResult result;
  RunSpec run;
  ProbedSystem system;
  bool is_in_step = false;
};

Result<StartedBest> started(const Planned& planned, const CandidateResult& best) {
  StartedBest out{best, planned.spec_of(best.candidate), {}};
  out.is_in_step = semantics_of(out.run).asynchronous_scheduling && !starts_async(out.run);
  if (out.is_in_step) out.run.engine.no_async_scheduling = true;
  TRY(deployed, planned.deploy_as(out.run, best.candidate));
  out.system = std::move(deployed.system);
  if (!out.is_in_step) return out;
  TRY(tests, runs_again(out.system, *best.at_good, {1}));
  out.result.at_good = std::move(tests.front());
  out.result.flags.emplace_back("--no-async-scheduling");
  return out;
}

// With the weights that servers download, before they make others of them.
Result<Setup> as_stored(RunSpec run) {
  run.model.quantization.clear();
  run.engine.total_kv_blocks = 1'000'000;  // no cache is asked for: they need not fit
  return make_setup(run);
}

Result<void> check_name(const std::string& model) {
  if (!model.starts_with('-') && model.find_first_of("${") == model.npos) return {};
  return fail(ErrorKind::usage,
              "--emit: servers, clusters or charts would take the name of the model, " + model +
                  ", for more than a name",
              "give the model a name that does not begin with - and has no $ or {");
}

// What is started beside the engine that answers: instances for prefill, or of another GPU.
Result<void> add_other_pool(const Candidate& c, const Options& options, const Setup& setup,
                            const std::vector<PoolSpec>& pools, RecommendedDeployment* d) {
  const std::int64_t others = c.other_instances(c.replicas + c.spare);
  if (c.splits()) {
    TRY_SET(d->prefill, pool_alone(options.run, pools.front(), others));
  } else if (c.mixes()) {
    TRY_SET(d->beside, pool_alone(options.run, pools.back(), others));
    d->fleet = fleet_file(pools_of_mix(c, c.replicas));
    add_unset_of_mix(setup, *options.run.cluster.router, &d->unset);
  }
  return {};
}

// What files say of the plan, which may advise another deployment, or a larger one.
std::string text_of_files(const PlanReport& report) {
  std::string text = plan_verdict(report);
  text.resize(text.find_last_not_of('\n') + 1);
  if (!decision_of(report).action.empty()) {
    text = fmt::format("These files deploy {}. The plan: {}",
                       deployment_text(report.request, report.best()->candidate), text);
  }
  const std::string caveat = weights_text(report);
  return caveat.empty() ? text : text + " " + capitalised(caveat) + ".";
}

Result<RecommendedDeployment> recommended(const Planned& planned, const PlanReport& report,
                                          const std::string& form) {
  TRY(as_started, started(planned, *report.best()));
  CandidateResult& best = as_started.result;
  TRY(inputs, emitted_inputs(best.flags, planned.calibration_text(best.candidate)));
  best.flags = inputs.flags;
  Options options;
  options.run = as_started.run;
  TRY(setup, make_setup(options.run));
  RecommendedDeployment d;
  d.verdict = text_of_files(report);
  d.model = setup.hub_id.empty() ? report.model : setup.hub_id;
  TRY_TO(check_name(d.model));
  const std::string& weights = options.run.model.quantization;
  if (!weights.empty() && !is_made_at_start(weights)) d.weights = weights;
  const Candidate& c = best.candidate;
  const std::vector<PoolSpec> pools = asked_pools(options.run);
  Options told = options;
  told.run.layout = run_of(options.run, *std::ranges::find_if(pools, &PoolSpec::answers)).layout;
  VllmArguments arguments = vllm_arguments(told, setup);
  d.unset = std::move(arguments.unset);
  static_cast<RecommendedPool&>(d) =
      pool_of(setup, c.own_instances(c.replicas + c.spare), std::move(arguments.engine));
  TRY_TO(add_other_pool(c, options, setup, pools, &d));
  d.spare = c.instances(c.replicas + c.spare) - c.instances(c.replicas);
  d.is_in_step = as_started.is_in_step;
  if (d.is_in_step) {
    d.unset.push_back({"asynchronous scheduling, which the plan has",
                       "vLLM 0.11 has none with pipeline stages or speculative decoding: the "
                       "figures of the load test are without it."});
  }
  add_unset_of_split(c, options.run.split, form, &d.unset);
  if (d.replicas > 1 && !c.splits() && !c.mixes())
    add_unset_router(*options.run.cluster.router, form, &d.unset);
  TRY(downloaded, is_made_at_start(weights) ? as_stored(options.run) : Result<Setup>(setup));
  d.weight_gib = stored_weight_bytes(downloaded.architecture) / (1024.0 * 1024 * 1024);
  d.run_command = run_command(best) + inputs.run_words;
  std::vector<std::string> traffic = mapped(best.flags, traffic_flag);
  std::erase(traffic, "");
  // Three times what is under way on the average (Little 1961).
  const double under_way = best.at_good->rate_rps * best.at_good->summary.cluster.e2e.mean_ms / 1e3;
  const auto most = static_cast<std::int64_t>(std::ceil(std::min(3 * under_way, 1e5)));
  if (most > options.server.max_concurrency)
    traffic.push_back("--max-concurrency " + std::to_string(most));
  d.observe_flags = trimmed(join(traffic, " ") + inputs.traffic_words);
  d.beside_scripts = std::move(inputs.files);
  d.rate_rps = best.at_good->rate_rps;
  d.requests = best.at_good->requests;
  if (best.model_error) d.model_error = std::expm1(best.model_error->step);
  TRY_SET(d.expected, expectations(best, as_started.system, report.request.slos));
  for (const Slo& slo : report.request.slos) {
    (slo.slo_class ? d.class_limits : d.limits).push_back(title_of(slo));
  }
  return d;
}

// What joins machines, or two kinds of instances, is no matter of a Deployment or of the chart's
// plain values.
Result<void> check_form(const std::string& form, const RecommendedDeployment& d) {
  if (d.beside && form != "vllm") {
    return fail(
        ErrorKind::usage,
        fmt::format("the pick mixes {} and {}, and --emit {} describes instances on GPUs of "
                    "one type",
                    d.gpu, d.beside->gpu, form),
        "--emit vllm writes servers for both, or plan without mix_gpu_types");
  }
  if (is_split(d) && form == "kubernetes") {
    return fail(ErrorKind::usage,
                "the pick splits prefill from decode, and --emit kubernetes describes instances "
                "that are all alike",
                "--emit vllm, llm-d or dynamo writes servers for both, or plan with "
                "disaggregation: [aggregated]");
  }
  const bool amd = is_amd(d) || (is_split(d) && is_amd(*d.prefill));
  if (amd && form == "dynamo") {
    return fail(ErrorKind::usage, "the pick has AMD GPUs, and --emit dynamo starts CUDA images",
                "--emit vllm, kubernetes or llm-d");
  }
  if (form == "llm-d" && is_split(d) && is_amd(d) != is_amd(*d.prefill)) {
    return fail(ErrorKind::usage,
                "the pick has GPUs of two vendors, and --emit llm-d has one accelerator for both",
                "--emit vllm writes servers for both");
  }
  const RecommendedPool& widest =
      is_split(d) && d.prefill->gpus_per_replica > d.gpus_per_replica ? *d.prefill : d;
  if (!spans_machines(widest)) return {};
  if (is_split(d)) {
    return fail(ErrorKind::usage,
                fmt::format("an instance of {} GPUs takes more than one machine of {}, and --emit "
                            "describes split instances of one machine each",
                            widest.gpus_per_replica, widest.gpus_per_machine),
                "plan with a smaller TP, PP or DP");
  }
  if (form == "vllm") return {};
  return fail(ErrorKind::usage,
              fmt::format("a replica of {} GPUs takes more than one machine of {}, and --emit {} "
                          "describes replicas of one machine",
                          d.gpus_per_replica, d.gpus_per_machine, form),
              "--emit vllm writes what each machine of a replica starts");
}

}  // namespace

Result<void> check_emission(const Options& options, const std::vector<std::string>& folders) {
  std::vector<DeploymentFile> files =
      deployment_files(options.plan_files.emit, {});  // for their names
  RecommendedDeployment split;
  split.prefill = RecommendedPool{};
  RecommendedDeployment mix;
  mix.beside = RecommendedPool{};
  for (const RecommendedDeployment& kind : {split, mix}) {
    for (DeploymentFile& file : deployment_files(options.plan_files.emit, kind)) {
      add_once(&files, std::move(file), &DeploymentFile::name);
    }
  }
  append(&files, possible_inputs());
  return check_emission(options.plan_files, deployment_forms().front(), folders, files);
}

Result<std::vector<std::string>> emit_deployment(const Emission& emission, const Planned& planned,
                                                 const PlanReport& report) {
  TRY(deployment, recommended(planned, report, emission.form));
  TRY_TO(check_form(emission.form, deployment));
  deployment.name = emission.name;
  return write_emitted(emission.folder, deployment_files(emission.form, deployment));
}

}  // namespace plimsoll
