#include <vector>

#include "base/text.h"
#include "cli/executor.h"
#include "cli/flag_rows.h"
#include "planner/plan_request.h"
#include "report/emit/deployment_files.h"
#include "report/forecast/alerts.h"

namespace plimsoll {

void add_capacity_flags(std::vector<Flag>& all) {
  const Rows limits{all, FlagGroup::slo};
  limits.add(
      "--slo", text(&LimitsSpec::slo).usually("the queue must not grow"), "LIMITS",
      "Limits to keep: [CLASS:]METRIC_STATISTIC<TIME,... of ttft, tpot, itl and e2e, mean "
      "or any percentile, e.g. \"ttft_p99<500ms,tpot_p95<50ms\"; or a preset: chat, documents, "
      "batch (plimsoll list slo-presets)");
  limits.add(
      "--check", on_off(&LimitsSpec::check), "",
      "Exit with 1 if the limits are not kept; for capacity, if --num-instances does not hold "
      "--rate, or not with the --headroom asked for");
  const Rows rows{all, FlagGroup::capacity};
  rows.add("--min-instances", on_off(&CapacitySpec::min_instances), "",
           "Find the fewest instances (or groups of pools) that hold --rate; so does --rate "
           "without --num-instances");
  rows.add("--precision", number(&CapacitySpec::precision, {0.01, 50}), "PERCENT",
           "Largest gap between the highest rate that holds and the lowest that fails");
  rows.add("--headroom", number(&CapacitySpec::headroom, {0, 1000}), "PERCENT",
           "Percentage of load to keep in reserve, for bursts and growth");
  rows.add("--most-requests", integer(&CapacitySpec::most_requests, {1000, kMostRequests}), "N",
           "Maximum number of requests in a test; what it does not decide stays unclear");
}

void add_plan_flags(std::vector<Flag>& all) {
  const Rows rows{all, FlagGroup::plan};
  rows.add("--objective",
           one_of(&PlanSpec::objective, names_of(objectives()))
               .usually("with a rate least-cost, else qps-per-dollar"),
           "NAME", "What to optimise: " + join(names_of(objectives()), ", "));
  rows.add("--gpu-types",
           text(&PlanSpec::gpu_types).usually("of the request; else those with a list price"),
           "GPU,...", "GPU types to consider");
  rows.add("--disaggregation",
           text(&PlanSpec::disaggregation).usually("of the request; else aggregated"), "WAY,...",
           "How to serve: aggregated, split (prefill apart from decode) or aggregated,split");
  rows.add("--max-cost-per-hour", number(&PlanSpec::max_usd_per_hour, {0, 1e9, true}), "USD",
           "Budget in dollars per hour, a hard limit");
  rows.add("--max-gpus", integer(&PlanSpec::max_gpus, {1, kMostInstances}), "N",
           "Maximum number of GPUs, a hard limit");
  rows.add("--spare-instances", integer(&PlanSpec::spare_replicas, {0, 1000}), "K",
           "Instances to pay for beyond those the load needs, so that K may fail",
           {{"--spare-replicas", kOtherWord}});
  rows.add("--purchase", text(&PlanSpec::purchase).usually("on-demand=100"), "KIND=PERCENT,...",
           "How the instances are bought: on-demand, 1-year, 3-years, spot, e.g. "
           "on-demand=50,spot=50");
  rows.add("--spot-loss", number(&PlanSpec::spot_loss, {0, 90}), "PERCENT",
           "Spot instances that may be lost at once; extra ones are bought to make up for them");
  rows.add("--growth", number(&PlanSpec::growth, {0, 1000}), "PERCENT",
           "Load growth per minute to allow for; enough instances for the time a new one takes to "
           "start are kept warm");
  rows.add("--cold-start",
           number(&PlanSpec::cold_start_s, {0, 86'400}).usually("weights at 0.5 GB/s, plus 90 s"),
           "SECONDS", "Time until a new instance serves requests");
  rows.add("--api-price", text(&PlanSpec::api_price), "IN,OUT",
           "Compare with an API priced per token: dollars per million input and output tokens");
  rows.add("--duration", number(&PlanSpec::duration_s, {0, kLongestTestS, true}).usually("600"),
           "SECONDS", "Minimum simulated time of a test; longer where its answer needs it");
  rows.add("--turning-points", on_off(&PlanSpec::turning_points), "",
           "Also find the rate and prompt length at which splitting prefill from decode, or mixing "
           "GPU types, starts or stops paying; takes a few times as long");
  rows.add("--no-timing", on_off(&PlanFiles::no_timing), "",
           "Leave out of --json when the plan was made and how long that took");
  rows.add("--summary", text(&PlanFiles::summary), "FILE",
           "Write the plan as text to a file as well");
  rows.add("--diff", text(&PlanFiles::diff), "FILE",
           "Show what changed since another plan, given as its --json report");
  rows.add("--emit", one_of(&PlanFiles::emit, deployment_forms()), "FORM",
           "Write files that deploy the pick, and the load test that could refute the plan: " +
               join(deployment_forms(), ", "));
  rows.add("--output-dir", text(&PlanFiles::output_dir), "PATH", "The folder for --emit");
}

void add_sharing_flags(std::vector<Flag>& all) {
  const Rows rows{all, FlagGroup::sharing};
  rows.add("--journal", text(&SharingSpec::journal), "FILE",
           "Record each result (of a test, a run or a case) when it is there, so that Ctrl-C or a "
           "crash loses nothing; with --executor a folder");
  rows.add("--resume", text(&SharingSpec::resume), "FILE",
           "Continue the journal or the folder of an interrupted command; the answer is the same "
           "as without interruption");
  rows.add("--executor", one_of(&SharingSpec::executor, executors()), "NAME",
           "Share the work among processes: " + join(executors(), ", ") +
               "; the answer is the same. Needs --journal or --resume");
  rows.add("--shards", integer(&SharingSpec::shards, {1, 20'000}), "N",
           "Parts into which --executor divides the work");
  rows.add("--sbatch-args", text(&SharingSpec::sbatch_args), "WORDS",
           "Further arguments of sbatch: --sbatch-args=\"--partition=cpu --cpus-per-task=4\"");
  rows.add("--no-wait", on_off(&SharingSpec::no_wait), "",
           "Submit to Slurm and exit; continue with --resume");
}

void add_forecast_flags(std::vector<Flag>& all) {
  const Rows rows{all, FlagGroup::forecast};
  rows.add("--levers", on_off(&ForecastSpec::levers), "",
           "Try changes of the deployment (levers) even where nothing is tight");
  rows.add("--actuals", text(&ForecastSpec::actuals), "FILE",
           "Compare the forecast with actuals: a history (CSV) of the days it covers");
  rows.add("--emit", one_of(&PlanFiles::emit, alert_forms()), "FORM",
           "Write the thresholds as alert rules or a dashboard: " + join(alert_forms(), ", "));
  rows.add("--output-dir", text(&PlanFiles::output_dir), "PATH", "The folder for --emit");
}

}  // namespace plimsoll
