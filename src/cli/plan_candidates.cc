#include "cli/plan_candidates.h"

#include <algorithm>
#include <iterator>

#include "base/lists.h"
#include "cli/plan_question.h"
#include "cli/policy_bundle.h"
#include "cli/style.h"
#include "cli/typed_flags.h"
#include "cli/verbs.h"
#include "report/answer/next_steps.h"

namespace plimsoll {
namespace {

// What the request and the candidate say comes behind what the command line says, in this order.
constexpr std::string_view kSaidLast[]{
    "--model",
    "--seed",
    "--workload-spec",
    "--prompt-tokens",
    "--prompt-tokens-stdev",
    "--prompt-tokens-min",
    "--prompt-tokens-max",
    "--output-tokens",
    "--output-tokens-stdev",
    "--output-tokens-min",
    "--output-tokens-max",
    "--hardware",
    "--tp",
    "--pp",
    "--dp",
    "--enable-expert-parallel",
    "--quantization",
    "--batching-rule",
    "--max-num-seqs",
    "--max-num-batched-tokens",
    "--routing-policy",
    "--prefill-hardware",
    "--prefill-tp",
    "--prefill-dp",
    "--prefill-enable-expert-parallel",
    "--decode-enable-expert-parallel",
    "--pd-decider",
    "--pd-transfer-link",
    "--calibration",
    "--profile",
    "--telemetry",
};

// What a candidate decides, whatever the command line says.
bool is_varied(std::string_view flag) {
  constexpr std::string_view kVaried[]{
      "--hardware",    "--tp",      "--pp",       "--dp", "--enable-expert-parallel",
      "--calibration", "--profile", "--telemetry"};
  return contains(kVaried, flag);
}

// What a specification says, in the order of a command: what the command line had comes first.
std::vector<AskedFlag> said_by(const RunSpec& run, const Options& asked) {
  Options said;
  said.run = run;
  const GivenFlags given = flags_of(asked);
  const auto was_given = [&](const Flag& flag) {
    return given.contains(flag.name) && !is_varied(flag.name);
  };
  const auto place = [](std::string_view name) { return std::ranges::find(kSaidLast, name); };
  const auto is_last = [&](const Flag& flag) {
    return place(flag.name) != std::end(kSaidLast) && !was_given(flag);
  };
  std::vector<AskedFlag> last = asked_flags(said, is_last);
  std::ranges::stable_sort(last, {}, [&](const AskedFlag& one) { return place(one.flag->name); });
  std::vector<AskedFlag> all = asked_flags(said, was_given);
  std::ranges::move(last, std::back_inserter(all));
  return all;
}

// What a report says elsewhere: of the model, of the traffic.
bool is_said_elsewhere(const Flag& flag) {
  return flag.name == "--model" || flag.group == FlagGroup::workload ||
         flag.group == FlagGroup::stream;
}

// All but the files.
PlanInputs plan_inputs(const Planned& planned, const Options& asked) {
  PlanInputs inputs;
  inputs.seed = static_cast<std::int64_t>(planned.seed());
  for (const ConfigEntry& entry : planned.traffic_config()) {
    // A plan sets the rate, and its tests are as long as they have to be.
    const bool of_a_run = entry.key == "rate" || entry.key == "num-requests";
    if (!of_a_run) inputs.traffic.push_back(entry);
  }
  for (const auto& [flag, text] : said_by(planned.common(), asked)) {
    if (is_said_elsewhere(*flag)) continue;
    inputs.flags.push_back({std::string(flag->name.substr(2)), value_of_flag(*flag, text), "flag"});
  }
  return inputs;
}

}  // namespace

PlanAsked asked_of_plan(const Options& options) {
  return {options.run, options.plan, options.limits, options.prices, options.metrics};
}

Result<Planned> prepare_plan(const Command& command, PlanRequest* request) {
  TRY(asked, with_files(command.options));
  TRY(planned, Planned::prepare(asked.run, asked.prices, *request));
  request->slos = planned.slos();
  request->space.quantizations = planned.quantizations();
  request->space.routers = planned.routers();
  print_notes(command.options, planned.notes());
  return planned;
}

Result<Deployed> deploy_with_words(const Planned& planned, const Options& asked,
                                   const Candidate& candidate) {
  TRY(deployed, planned.deploy(candidate));
  for (const auto& [flag, text] : said_by(planned.spec_of(candidate), asked)) {
    deployed.flags.push_back(flag_word(*flag, text));
  }
  return deployed;
}

Result<void> fill_report(const Command& command, const Planned& planned, PlanReport* report) {
  report->inputs = plan_inputs(planned, command.options);
  report->inputs.files = files_behind(command, report->request);
  report->model = planned.model();
  report->traffic = planned.traffic();
  for (const CandidateResult& r : report->plan.candidates) {
    report->extrapolations.push_back(planned.extrapolation(r.candidate));
  }
  append(&report->assumed, planned.assumed());
  append(&report->provenance, planned.provenance());
  if (const CandidateResult* best = report->best()) {
    for (const ConfigEntry& entry : planned.assumed_of(best->candidate)) {
      report->assumed.push_back(entry_text(entry));
    }
  }
  return {};
}

}  // namespace plimsoll
