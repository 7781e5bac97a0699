#include "workload/inference_perf.h"

#include <algorithm>

#include "base/file.h"
#include "base/lists.h"
#include "base/text.h"
#include "base/units.h"
#include "spec/spec_file.h"
#include "workload/client_reader.h"

namespace plimsoll {
namespace {

constexpr std::int64_t kMostClients = 20'000;

// Its load generator sends at even gaps unless told otherwise.
ArrivalProcess read_load_type(SpecMap load) {
  const std::string type = load.optional_choice("type", {"constant", "poisson"}).value_or("");
  return type == "poisson" ? ArrivalProcess::poisson : ArrivalProcess::constant;
}

void note_unused(const std::string& where, SpecMap map, const std::vector<std::string>& used,
                 std::vector<std::string>* notes) {
  std::vector<std::string> unused = map.keys();
  std::erase_if(unused, [&](const std::string& key) { return contains(used, key); });
  if (!unused.empty()) notes->push_back(where + ": " + join(unused, ", ") + " not used");
}

std::vector<InferencePerfSpec::Stage> read_stages(SpecMap map) {
  std::vector<InferencePerfSpec::Stage> stages;
  for (SpecMap stage : map.maps("stages")) {
    stages.push_back(
        {stage.number("rate", {kMinRate, kMaxRate}), stage.number("duration", kSpanS)});
  }
  return stages;
}

// `prompts`, `users`: the keys that say how many there are, `most` of each.
void read_shared_prefix(SpecMap prefix, const char* prompts, const char* users, std::int64_t most,
                        InferencePerfSpec* spec) {
  spec->unique_system_prompts = prefix.integer(prompts, {1, most});
  spec->users_per_system_prompt = prefix.integer(users, {1, most});
  spec->system_prompt_tokens = prefix.integer("system_prompt_len", {0, kMaxTokens});
  spec->question_tokens = prefix.integer("question_len", {0, kMaxTokens});
  spec->output_tokens = prefix.integer("output_len", {0, kMaxTokens});
  spec->multi_turn_chat = prefix.optional_flag("enable_multi_turn_chat").value_or(false);
}

// Configurations of inference-perf itself: only what shapes the load matters.
InferencePerfSpec read_own_configuration(SpecMap top) {
  top.accept_foreign_keys();
  InferencePerfSpec spec;
  SpecMap load = top.map("load");
  spec.arrival.process = read_load_type(load);
  note_unused("load", load, {"type", "stages"}, &spec.notes);
  spec.stages = read_stages(load);
  SpecMap data = top.map("data");
  data.choice("type", {"shared_prefix"});
  SpecMap prefix = data.map("shared_prefix");
  read_shared_prefix(prefix, "num_groups", "num_prompts_per_group", kMostClients, &spec);
  note_unused("data", data, {"type", "shared_prefix"}, &spec.notes);
  note_unused("data.shared_prefix", prefix,
              {"num_groups", "num_prompts_per_group", "system_prompt_len", "question_len",
               "output_len", "enable_multi_turn_chat"},
              &spec.notes);
  return spec;
}

/// A stage as a whole, and what falls to each of its clients.
struct StagePlan {
  std::string id_prefix;
  InferencePerfSpec::Stage stage;
  Time begin;
  bool windowed = false;  ///< the stage is one of several
};

std::int64_t requests_of(const InferencePerfSpec::Stage& stage) {
  return std::max(static_cast<std::int64_t>(stage.rate_rps * stage.duration_s), std::int64_t{1});
}

LengthDistribution at_least_one(std::int64_t tokens) {
  return ConstantLength{std::max(tokens, std::int64_t{1})};
}

ClientSpec make_client(const InferencePerfSpec& perf, std::int64_t prompt) {
  ClientSpec client;
  client.tenant = "prompt-" + std::to_string(prompt);
  client.slo_class = SloClass::standard;
  if (perf.system_prompt_tokens > 0) {
    client.prefix_group = client.tenant;
    client.prefix_tokens = perf.system_prompt_tokens;
  }
  client.input = at_least_one(perf.question_tokens);
  client.output = at_least_one(perf.output_tokens);
  client.arrival = perf.arrival;
  return client;
}

void set_load(const InferencePerfSpec& perf, const StagePlan& plan, std::int64_t users,
              std::int64_t number, ClientSpec* client) {
  const double rate = plan.stage.rate_rps / static_cast<double>(users);
  if (plan.windowed) {
    client->windows.push_back({.begin = plan.begin,
                               .end = plan.begin + span_of_seconds(plan.stage.duration_s),
                               .trace_rate = rate,
                               .arrival = {},
                               .input = {},
                               .output = {}});
  }
  if (!perf.multi_turn_chat) return;
  const std::int64_t total = requests_of(plan.stage);
  MultiTurnSpec turns{.max_rounds = total / users + (number < total % users ? 1 : 0),
                      .think_time = span_of_seconds(1 / rate),
                      .single_session = true};
  client->reasoning = ReasoningSpec{{}, turns};
}

void add_stage(const InferencePerfSpec& perf, const StagePlan& plan, WorkloadSpec* spec) {
  const std::int64_t users = perf.unique_system_prompts * perf.users_per_system_prompt;
  for (std::int64_t number = 0; number < users; ++number) {
    const std::int64_t prompt = number / perf.users_per_system_prompt;
    ClientSpec client = make_client(perf, prompt);
    client.id = plan.id_prefix + client.tenant + "-user-" +
                std::to_string(number % perf.users_per_system_prompt);
    set_load(perf, plan, users, number, &client);
    // More users than requests: the last ones never ask.
    if (perf.multi_turn_chat && client.multi_turn()->max_rounds == 0) break;
    spec->clients.push_back(std::move(client));
  }
}

// Of all stages together: each of them alone is in range.
Result<void> check_sums(const InferencePerfSpec& perf) {
  double s = 0;
  double requests = 0;
  for (const InferencePerfSpec::Stage& stage : perf.stages) {
    s += stage.duration_s;
    requests += stage.rate_rps * stage.duration_s;
  }
  if (s > kLongestSpanS) {
    return fail(ErrorKind::spec,
                "inference-perf: the stages last " + shortest(s) + " seconds in all, more than " +
                    shortest(kLongestSpanS),
                "\"duration\" counts seconds; are these milliseconds or microseconds?");
  }
  if (requests > static_cast<double>(kMostRequestsOfRun)) {
    return fail(ErrorKind::spec,
                "inference-perf: the stages make " + shortest(std::round(requests)) +
                    " requests, more than " + grouped(kMostRequestsOfRun),
                "lower a \"rate\" or a \"duration\"");
  }
  return {};
}

Result<void> check_size(const InferencePerfSpec& perf) {
  TRY_TO(check_sums(perf));
  const double clients = static_cast<double>(perf.unique_system_prompts) *
                         static_cast<double>(perf.users_per_system_prompt) *
                         static_cast<double>(perf.stages.size());
  if (clients <= static_cast<double>(kMostClients)) return {};
  return fail(ErrorKind::spec,
              "inference-perf: system prompts times users times stages make more than " +
                  std::to_string(kMostClients) + " clients",
              "fewer users of each system prompt give the same load");
}

}  // namespace

InferencePerfSpec read_inference_perf(SpecMap map) {
  constexpr std::int64_t kMaxGroups = 1'000'000;
  InferencePerfSpec spec;
  spec.stages = read_stages(map);
  if (map.has("stages") && spec.stages.empty()) map.error("stages", "at least one stage is needed");
  read_shared_prefix(map.map("shared_prefix"), "num_unique_system_prompts",
                     "num_users_per_system_prompt", kMaxGroups, &spec);
  return spec;
}

Result<InferencePerfSpec> parse_inference_perf(const std::string& text, const std::string& file) {
  TRY(spec, SpecFile::parse(text, file));
  SpecMap top = spec.top();
  const bool own = top.has("load") || top.has("data");
  InferencePerfSpec perf = own ? read_own_configuration(top) : read_inference_perf(top);
  if (perf.stages.empty() && spec.ok()) top.error("", "at least one stage is needed");
  return spec.finish(std::move(perf));
}

Result<InferencePerfSpec> read_inference_perf_file(const std::string& path) {
  TRY(text, read_file(path));
  return parse_inference_perf(text, path);
}

Result<WorkloadSpec> expand_inference_perf(const InferencePerfSpec& perf) {
  TRY_TO(check_size(perf));
  WorkloadSpec spec;
  spec.category = perf.multi_turn_chat ? "reasoning" : "language";
  spec.notes = perf.notes;
  if (perf.multi_turn_chat) {
    spec.notes.push_back(
        "the rounds of a chat wait for their answers: requests come more slowly than the rate "
        "asked "
        "for by the time that answers take");
  }
  if (perf.stages.size() == 1) {
    spec.aggregate_rate_rps = perf.stages[0].rate_rps;
    spec.num_requests = requests_of(perf.stages[0]);
    add_stage(perf, {"", perf.stages[0], {}, false}, &spec);
    return spec;
  }
  Time begin;
  for (std::size_t s = 0; s < perf.stages.size(); ++s) {
    add_stage(perf, {"stage-" + std::to_string(s) + "-", perf.stages[s], begin, true}, &spec);
    begin = begin + span_of_seconds(perf.stages[s].duration_s);
  }
  spec.horizon = begin;
  return spec;
}

}  // namespace plimsoll
