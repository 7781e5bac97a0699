#include "planner/plan_request.h"

#include "base/file.h"
#include "base/lists.h"
#include "base/text.h"
#include "engine/batching_rule.h"
#include "planner/shared_fleet.h"
#include "planner/space_lists.h"
#include "spec/spec_file.h"
#include "workload/synthetic.h"

namespace plimsoll {
namespace {

constexpr IntRange kReplicas{1, 100'000};
constexpr IntRange kTokens{1, kMaxTokens};
constexpr NumberRange kRate{0, 1e6, true};
constexpr NumberRange kUsd{0, 1e9, true};

/// The same thing by the names that files have for it.
std::string key_in(SpecMap& map, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (map.has(name)) return name;
  }
  return *names.begin();
}

// Where no limits are said, none is felt: four deviations away, and no higher at the lower end than
// the deviation itself, as lengths have to be that are drawn by flags.
AskedLength read_length(SpecMap map, const std::string& key) {
  AskedLength asked;
  GaussianLength& length = asked.length;
  const std::string kind =
      map.optional_choice("distribution", {"normal", "constant", "fixed"}).value_or("normal");
  length.mean = map.number("mean", {1, static_cast<double>(kMaxTokens)});
  const std::string deviation = key_in(map, {"std", "stdev"});
  length.stdev = map.optional_number(deviation, {0, static_cast<double>(kMaxTokens)}).value_or(0);
  asked.says_stdev = map.has(deviation) || kind != "normal";
  if (kind != "normal") length.stdev = 0;
  constexpr double kFar = 4;
  const auto tokens = [](double n) {
    return std::llround(std::clamp(n, 1.0, static_cast<double>(kMaxTokens)));
  };
  double low = length.mean - kFar * length.stdev;
  if (length.stdev > 0) low = std::min(low, std::floor(length.stdev));
  asked.says_min = map.has("min");
  asked.says_max = map.has("max");
  length.min = map.optional_integer("min", kTokens).value_or(tokens(low));
  length.max =
      map.optional_integer("max", kTokens).value_or(tokens(length.mean + kFar * length.stdev));
  if (auto valid = validate(length, key); length.mean >= 1 && !valid) {
    const Diagnostic& first = valid.error().diagnostics.front();
    map.error("min", first.message);
  }
  return asked;
}

void read_workload(SpecMap map, PlanRequest* out) {
  out->rate_rps = map.optional_number("rate", kRate);
  if (map.has("arrival_rate_range")) {
    const std::vector<double> range = map.numbers("arrival_rate_range", kRate);
    if (range.size() != 2 || range[0] > range[1]) {
      map.error("arrival_rate_range", "a range is the lowest and the highest rate",
                "for example [1, 100]");
    } else {
      out->lowest_rps = range[0];
      out->highest_rps = range[1];
    }
  }
  if (const auto most = map.optional_number("max_qps", kRate)) out->highest_rps = *most;
  if (out->rate_rps && out->highest_rps > 0) {
    map.error("rate", "a rate to hold and a range of rates to search are two questions",
              "leave out \"rate\", or \"arrival_rate_range\" and \"max_qps\"");
  }
  if (auto prompt = map.optional_map("prompt_length")) {
    out->prompt = read_length(*prompt, "prompt_length");
  }
  const std::string answer = key_in(map, {"output_length", "decode_length"});
  if (auto length = map.optional_map(answer)) out->answer = read_length(*length, answer);
  out->workload_spec = map.optional_text("spec").value_or("");
  map.optional_text("name");
}

constexpr std::string_view kSloBegin = "max_";
constexpr std::string_view kSloEnd = "_ms";

// "max_ttft_p95_ms"
bool holds_slo(std::string_view key) {
  return key.starts_with(kSloBegin) && key.ends_with(kSloEnd) &&
         key.size() > kSloBegin.size() + kSloEnd.size();
}

// "ttft_p95"
std::string slo_in(const std::string& key) {
  return key.substr(kSloBegin.size(), key.size() - kSloBegin.size() - kSloEnd.size());
}

// All limits in the order of the file, then those of "slo", read together: a later one on the same
// figure takes the place of an earlier one.
void read_slos(SpecMap& map, PlanRequest* out) {
  std::string limits;
  const auto add = [&](const std::string& key, const std::string& text) {
    if (auto read = parse_slos(key, text); !read) {
      const Diagnostic& first = read.error().diagnostics.front();
      map.error(key, first.message, first.hint);
    } else {
      limits += (limits.empty() ? "" : ",") + text;
    }
  };
  for (const std::string& key : map.keys_like(holds_slo)) {
    const double ms = map.number(key, {0, 1e9, true});
    if (ms > 0) add(key, slo_in(key) + "<" + shortest(ms) + "ms");  // else the number was refused
  }
  if (const auto more = map.optional_text("slo")) add("slo", *more);
  if (limits.empty()) return;
  if (auto slos = parse_slos("constraints", limits)) {
    out->slos = std::move(*slos);
  } else {
    const Diagnostic& first = slos.error().diagnostics.front();
    map.error("slo", first.message, first.hint);
  }
}

void read_constraints(SpecMap map, PlanRequest* out) {
  read_slos(map, out);
  if (const auto usd = map.optional_number("max_cost_per_hour", kUsd)) out->max_usd_per_hour = usd;
  if (const auto gpus = map.optional_integer("max_gpus", kReplicas)) out->max_gpus = gpus;
  if (auto available = map.optional_map("available_gpus")) {
    out->available_gpus.clear();
    for (const std::string& gpu : available->keys()) {
      out->available_gpus[gpu] = available->integer(gpu, {0, kReplicas.max});
    }
  }
  out->min_rps = map.optional_number("min_qps", {0, 1e6}).value_or(out->min_rps);
  out->spare = map.optional_integer("spare_replicas", {0, 1000}).value_or(out->spare);
  // What a hint may name of those that are known by their form.
  for (const char* slo : {"max_ttft_p95_ms", "max_tbt_p99_ms", "max_latency_p99_ms"}) map.has(slo);
}

// What is not said stays as it is: a model of several has what holds for all.
void read_space(SpecMap map, ConfigSpace* out) {
  const auto read_integers = [&](const std::string& key, IntRange range,
                                 std::vector<std::int64_t>* list) {
    if (map.has(key)) *list = integers(map, key, range);
  };
  const auto read_texts = [&](const std::string& key, std::vector<std::string>* list) {
    if (map.has(key)) *list = texts(map, key);
  };
  read_texts(key_in(map, {"gpu_types", "gpus"}), &out->gpus);
  read_integers("num_gpus", kDegree, &out->num_gpus);
  read_integers(key_in(map, {"tensor_parallel", "tp_sizes"}), kDegree, &out->tp);
  read_integers(key_in(map, {"pipeline_parallel", "pp_sizes"}), kDegree, &out->pp);
  read_integers(key_in(map, {"data_parallel", "dp_sizes"}), kDegree, &out->dp);
  if (map.has("expert_parallel")) out->expert_parallel = flags(map, "expert_parallel");
  read_quantizations(map, out);
  read_integers("num_replicas", kReplicas, &out->replicas);
  read_integers(key_in(map, {"max_num_seqs", "max_batch_sizes"}), kTokens, &out->max_num_seqs);
  read_integers(key_in(map, {"max_num_batched_tokens", "chunk_sizes"}), kTokens,
                &out->max_num_batched_tokens);
  read_texts("routing_policies", &out->routers);
  read_disaggregation(map, out);
  if (const auto mixes = map.optional_flag("mix_gpu_types")) out->mixes_gpus = *mixes;
  const auto& ways = out->disaggregation;
  if (out->mixes_gpus && !ways.empty() && !contains(ways, Disaggregated::no)) {
    map.error("mix_gpu_types",
              "\"mix_gpu_types\" decides nothing: mixed instances serve whole requests, and all "
              "candidates are split",
              "disaggregation: [aggregated, split]");
  }
  const std::string rules = key_in(map, {"batching_rules", "schedulers"});
  if (!map.has(rules)) return;
  std::vector<std::string> names = mapped(batching_rules(), &BatchingRuleRow::name);
  out->batching_rules.clear();
  for (const std::string& name : texts(map, rules)) {
    out->batching_rules.push_back(to_lower(name));
    if (!contains(names, out->batching_rules.back())) {
      map.error(rules, "unknown batching rule \"" + name + "\"", suggestion(name, names));
    }
  }
}

// What holds for one model at a time.
void check_of_several(SpecMap& map, const PlanRequest& model) {
  if (model.space.mixes_gpus) {
    map.error("config_space", "\"mix_gpu_types\" is for a plan of one model",
              "leave it out, or plan each model by itself");
  }
  if (!model.available_gpus.empty()) {
    map.error("constraints",
              "\"available_gpus\" is for a plan of one model: several would take the same GPUs",
              "leave it out, limit all of them with max_gpus, or plan each model by itself");
  }
}

void read_request(SpecMap top, PlanRequest* out) {
  const std::string& file = out->file;
  if (const auto model = top.optional_text("model")) out->model = *model;
  if (const auto path = top.optional_text("profile")) out->profile = beside(file, *path);
  if (const auto path = top.optional_text("telemetry")) out->telemetry = beside(file, *path);
  if (const auto path = top.optional_text("calibration")) out->calibration = beside(file, *path);
  if (!out->telemetry.empty() && (out->profile.empty() || !out->calibration.empty())) {
    top.error("telemetry", "\"telemetry\" decides together with a profile",
              "name the \"profile\" beside it, and no \"calibration\"");
  }
  if (!out->calibration.empty() && top.has("profile")) {
    top.error("profile", "\"profile\" and \"calibration\" both say how long steps take",
              "name one of them, and the \"model\" beside a calibration");
  }
  if (const auto name = top.optional_choice("objective", names_of(objectives()))) {
    out->objective = value_of(objectives(), *name).value_or(out->objective);
  }
  if (auto workload = top.optional_map("workload")) {
    read_workload(*workload, out);
    out->workload_spec = beside(file, out->workload_spec);
  }
  if (auto constraints = top.optional_map("constraints")) read_constraints(*constraints, out);
  if (auto space = top.optional_map("config_space")) read_space(*space, &out->space);
  if (auto economics = top.optional_map("economics")) {
    read_economics(*economics, &out->economics);
    if (economics->has("price_file")) {
      out->economics.price_file = beside(file, out->economics.price_file);
    }
  }
  if (auto simulation = top.optional_map("simulation")) {
    out->duration_s =
        simulation->optional_number("duration", {0, kLongestTestS, true}).value_or(out->duration_s);
    out->warmup_s = simulation->optional_number("warmup_duration", {0, kLongestWarmupS});
    out->seed = simulation->optional_integer("random_seed");
  }
}

}  // namespace

Choices<Objective> objectives() {
  static const Choice<Objective> rows[]{
      {"qps-per-dollar", Objective::qps_per_dollar, "most requests for a dollar"},
      {"least-cost", Objective::least_cost, "cheapest per hour that holds the rate"},
      {"least-gpus", Objective::least_gpus, "fewest GPUs that hold the rate"},
      {"lowest-latency", Objective::lowest_latency, "best on the first limit, within the budget"}};
  return rows;
}

Result<PlanRequest> parse_plan_request(const std::string& text, const std::string& file) {
  TRY(spec, SpecFile::parse(text, file));
  PlanRequest out;
  out.file = file;
  read_request(spec.top(), &out);
  return spec.finish(std::move(out));
}

Result<std::optional<FleetRequest>> parse_fleet_request(const std::string& text,
                                                        const std::string& file) {
  auto spec = SpecFile::parse(text, file);
  if (!spec || !spec->top().has("models")) return std::nullopt;
  FleetRequest out;
  out.common.file = file;
  out.common.objective = Objective::least_cost;
  SpecMap top = spec->top();
  read_request(top, &out.common);
  if (top.has("model") || top.has("workload")) {
    top.error(top.has("model") ? "model" : "workload",
              "is given beside a list of models, each of which has its own");
  }
  if (out.common.objective != Objective::least_cost &&
      out.common.objective != Objective::least_gpus) {
    top.error("objective", "several models are planned for least-cost or least-gpus");
  }
  const std::vector<SpecMap> maps = top.maps("models");
  if (maps.empty() && top.has_list("models")) {
    top.error("models", "\"models\" is an empty list: a plan needs at least one model",
              "for example - {model: qwen/qwen3-14b, workload: {rate: 10}}");
  }
  for (SpecMap map : maps) {
    PlanRequest model = out.common;
    const std::string name = map.optional_text("name").value_or("");
    read_request(map, &model);
    check_of_several(map, model);
    if (!model.rate_rps) map.error("workload", "each of several models needs a \"rate\" to hold");
    out.names.push_back(!name.empty() ? name : model.model.empty() ? model.profile : model.model);
    if (std::ranges::count(out.names, out.names.back()) > 1) {
      map.error("name", "two models are called \"" + out.names.back() + "\"");
    }
    out.models.push_back(std::move(model));
  }
  return spec->finish(std::optional(std::move(out)));
}

}  // namespace plimsoll
