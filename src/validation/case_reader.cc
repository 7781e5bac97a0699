#include <algorithm>
#include <filesystem>

#include "base/lists.h"
#include "base/text.h"
#include "cluster/scorer.h"
#include "spec/spec_file.h"
#include "validation/case.h"

namespace plimsoll {
namespace {

namespace fs = std::filesystem;

constexpr IntRange kDegree{1, 1024};
constexpr IntRange kTokens{1, 100'000'000};
const std::vector<std::string> kKinds{"trace", "stages", "closed_loop", "closed_loop_pd",
                                      "closed_loop_sessions"};
const std::vector<std::string> kWeightTypes{"fp16",  "bf16",  "fp8", "fp8-block",
                                            "nvfp4", "mxfp4", "int4"};

CaseLayout read_layout(SpecMap& map) {
  return CaseLayout{.tp = map.optional_integer("tensor_parallel", kDegree).value_or(1),
                    .pp = map.optional_integer("pipeline_parallel", kDegree).value_or(1),
                    .dp = map.optional_integer("data_parallel", kDegree).value_or(1),
                    .ep = map.optional_integer("expert_parallel", kDegree),
                    .moe_tp = map.optional_integer("moe_tensor_parallel", kDegree)};
}

CaseWorkers read_workers(SpecMap map) {
  map.accept_foreign_keys();
  return CaseWorkers{.workers = map.optional_integer("workers", kDegree).value_or(1),
                     .layout = read_layout(map)};
}

// Beside the names of scorers those that cases have for them.
std::vector<ScorerWeight> read_scorers(SpecMap map) {
  const std::map<std::string, std::string> others{{"queue", "queue-depth"},
                                                  {"kv_use", "kv-utilization"},
                                                  {"prefix", "prefix-affinity"},
                                                  {"no_hit_lru", "no-hit-lru"}};
  const std::vector<std::string> known = mapped(scorers(), &ScorerRow::name);
  std::vector<ScorerWeight> read;
  for (const std::string& key : map.keys()) {
    const auto other = others.find(key);
    const std::string& name = other == others.end() ? key : other->second;
    const double weight = map.number(key, kPositive);
    if (!contains(known, name)) {
      map.error(key, "unknown scorer \"" + key + "\"", suggestion(key, known));
    } else {
      read.push_back({name, weight});
    }
  }
  return read;
}

CaseDeployment read_deployment(SpecMap map, CaseKind kind) {
  CaseDeployment d;
  d.model = map.text("model");
  d.gpu = map.text("gpu");
  d.instances = map.optional_integer("instances", kDegree).value_or(1);
  d.layout = read_layout(map);
  d.weight_dtype = map.optional_choice("weight_dtype", kWeightTypes).value_or("");
  d.expert_weight_dtype = map.optional_choice("expert_weight_dtype", kWeightTypes).value_or("");
  d.kv_dtype = map.optional_choice("kv_dtype", {"fp16", "bf16", "fp8"}).value_or("");
  d.engine = map.optional_text("engine").value_or("");
  d.engine_version = map.optional_text("engine_version").value_or("");
  d.max_num_seqs = map.optional_integer("max_num_seqs", {1, 1'000'000});
  d.max_num_batched_tokens = map.optional_integer("max_num_batched_tokens", kTokens);
  d.max_model_len = map.optional_integer("max_model_len", kTokens);
  d.scheduler_recv_interval = map.optional_integer("scheduler_recv_interval", {1, 1'000'000});
  d.kv_blocks = map.optional_integer("kv_blocks", kTokens);
  d.block_size = map.optional_integer("block_size_tokens", {1, 65'536}).value_or(16);
  d.gpu_memory_utilization = map.optional_number("gpu_memory_utilization", {0, 1, true});
  d.prefix_caching = map.optional_flag("prefix_caching").value_or(true);
  d.chunked_prefill = map.optional_flag("chunked_prefill").value_or(true);
  d.async_scheduling = map.optional_flag("async_scheduling").value_or(true);
  d.cpu_kv_offload = map.optional_flag("cpu_kv_offload").value_or(false);
  if (auto router = map.optional_map("router")) {
    router->optional_text("picker");
    d.scorers = read_scorers(router->map("scorers"));
  }
  if (kind == CaseKind::closed_loop_pd) {
    d.split = CaseSplit{read_workers(map.map("prefill")), read_workers(map.map("decode"))};
    if (d.instances > 1) {
      map.error("instances", "a split deployment counts its \"workers\" on each side",
                "leave \"instances\" out, or 1");
    }
  } else {
    for (const char* side : {"prefill", "decode"}) {
      if (auto layout = map.optional_map(side)) layout->accept_foreign_keys();
    }
  }
  return d;
}

LengthRange read_lengths(SpecMap map) {
  if (const auto constant = map.optional_integer("constant", kTokens)) {
    return {*constant, *constant};
  }
  if (map.has("mean")) {
    const double mean = map.number("mean", {1, 1e8});
    return {map.optional_integer("min", kTokens).value_or(1),
            map.optional_integer("max", kTokens).value_or(kTokens.max), mean,
            map.number("stdev", kNonNegative)};
  }
  const std::vector<double> bounds = map.numbers("uniform", {1, 1e8});
  if (bounds.size() != 2 || bounds[0] > bounds[1]) {
    map.error("uniform", "\"uniform\" must be the least and the greatest length, e.g. [10, 20]");
    return {1, 1};
  }
  return {static_cast<std::int64_t>(bounds[0]), static_cast<std::int64_t>(bounds[1])};
}

CaseStage read_stage(SpecMap map) {
  CaseStage stage{.rate_rps = map.number("rate_rps", kPositive),
                  .duration_s = map.optional_number("duration_s", kSpanS).value_or(0)};
  stage.first_request = map.optional_integer("first_request", {0}).value_or(0);
  stage.num_requests = map.optional_integer("num_requests", {0}).value_or(0);
  return stage;
}

CaseWorkload read_workload(SpecMap map, CaseKind kind) {
  CaseWorkload w;
  if (map.has("stages")) {
    for (SpecMap stage : map.maps("stages")) w.stages.push_back(read_stage(stage));
  }
  map.optional_choice("arrivals", {"poisson"});
  map.optional_choice("prompt_order", {"round_robin"});
  map.optional_flag("ignore_eos");
  map.optional_number("isl");
  map.optional_text("requests");
  w.pause_between_stages_s =
      map.optional_number("pause_between_stages_s", {0, kLongestSpanS}).value_or(0);
  w.longest_output = map.optional_integer("osl", kTokens);
  w.sampling = map.optional_choice("sampling", {"greedy", "top_p"}).value_or("");
  if (auto shared = map.optional_map("shared_prefix")) {
    SharedPrompts prompts;
    prompts.groups = shared->integer("groups", {1, 1'000'000});
    prompts.prompts_per_group = shared->integer("prompts_per_group", {1, 1'000'000});
    prompts.system_tokens = shared->integer("system_tokens", {0, kTokens.max});
    shared->integer("question_tokens", {0, kTokens.max});
    w.shared_prompts = prompts;
  }
  if (kind == CaseKind::stages) {
    w.input = read_lengths(map.map("input"));
    w.output = read_lengths(map.map("output"));
  }
  if (is_closed_loop(kind)) {
    w.input = read_lengths(map.map("input_tokens"));
    w.output = read_lengths(map.map("output_tokens"));
    SpecMap loop = map.map("closed_loop");
    w.requests_per_concurrency =
        loop.optional_integer("num_requests_per_concurrency", {1, 100'000});
    // They end before the others begin.
    loop.optional_integer("warmup_requests_per_concurrency", {0, 100'000});
  }
  if (kind == CaseKind::closed_loop_sessions) {
    SpecMap sessions = map.map("sessions");
    CaseSessions read;
    read.turns = sessions.integer("turns", {1, 100'000});
    read.prefix_tokens = sessions.optional_integer("prefix_tokens", {0, kTokens.max}).value_or(0);
    read.prefixes_per_concurrency =
        sessions.optional_integer("prefixes_per_concurrency", {1, 100'000}).value_or(1);
    w.sessions = read;
  }
  return w;
}

// Every number and truth value below a map, by path.
void collect(SpecMap map, const std::string& prefix, std::map<std::string, double>* values) {
  map.accept_foreign_keys();
  for (const std::string& key : map.keys()) {
    const std::string path = prefix + key;
    if (map.has_map(key)) {
      collect(map.map(key), path + ".", values);
    } else if (map.has_list(key)) {
      continue;
    } else if (const auto text = map.optional_text(key)) {
      double number = 0;
      if (*text == "true" || *text == "false") {
        (*values)[path] = *text == "true" ? 1 : 0;
      } else if (parse_double(*text, &number)) {
        (*values)[path] = number;
      }
    }
  }
}

void collect_list(SpecMap map, const std::string& key, std::map<std::string, double>* values) {
  if (!map.has_list(key)) return;
  std::size_t i = 0;
  for (SpecMap element : map.maps(key)) {
    collect(element, key + "[" + std::to_string(i++) + "].", values);
  }
}

CasePoint read_point(SpecMap map) {
  map.accept_foreign_keys();
  CasePoint point;
  point.concurrency = map.integer("concurrency", {1, 1'000'000});
  point.num_requests = map.optional_integer("num_requests", {1, 100'000'000});
  point.excluded = map.optional_flag("exclude").value_or(false);
  const NumberRange tokens{1, static_cast<double>(kTokens.max)};
  point.mean_input_tokens = map.optional_number("mean_input_tokens", tokens);
  point.mean_output_tokens = map.optional_number("mean_output_tokens", tokens);
  const auto cache = map.optional_choice("prefix_cache", {"cold", "warm", "unknown"});
  if (cache == "warm") point.cached = CasePoint::Cached::warm;
  if (cache == "unknown") point.cached = CasePoint::Cached::unknown;
  point.measured_on = map.optional_prose("measured_on").value_or("");
  return point;
}

void read_measured(SpecMap map, Case* out) {
  map.accept_foreign_keys();
  out->observed_by_client =
      map.optional_choice("observer", {"client", "engine"}).value_or("client") == "client";
  collect(map, "", &out->measured);
  collect_list(map, "stages", &out->measured);
  collect_list(map, "points", &out->measured);
  if (map.has_list("points")) {
    for (SpecMap point : map.maps("points")) out->points.push_back(read_point(point));
  }
  if (auto window = map.optional_map("window")) {
    window->accept_foreign_keys();
    out->window = CaseWindow{window->number("from_s", {0, kLongestSpanS}),
                             window->number("to_s", {0, kLongestSpanS})};
    if (!(out->window->to_s > out->window->from_s)) {
      window->error("to_s", "a window ends after it begins: \"to_s\" is not above \"from_s\"");
    }
  }
}

void read_score(SpecMap map, Case* out) {
  out->scored = map.texts("use");
  out->low_confidence =
      map.optional_choice("confidence", {"normal", "low"}).value_or("normal") == "low";
  if (map.has("exclude_reason")) {
    if (auto reasons = map.optional_map("exclude_reason")) reasons->accept_foreign_keys();
  }
}

// What its parts, each of them in range, make together.
void check_size(SpecMap workload, const Case& c) {
  constexpr double kMostRequests = 100'000'000;
  double s = 0;
  double requests = 0;
  for (const CaseStage& stage : c.workload.stages) {
    s += stage.duration_s + c.workload.pause_between_stages_s;
    if (c.kind == CaseKind::stages) requests += stage.rate_rps * stage.duration_s;
  }
  for (const CasePoint& point : c.points) {
    if (!point.num_requests) {
      requests += static_cast<double>(point.concurrency) *
                  static_cast<double>(c.workload.requests_per_concurrency.value_or(0));
    }
  }
  if (s > kLongestSpanS) {
    workload.error("stages", "the stages last more than " + shortest(kLongestSpanS) + " s in all",
                   "\"duration_s\" and \"pause_between_stages_s\" count seconds");
  }
  if (requests > kMostRequests) {
    workload.error("",
                   "the case has about " + shortest(std::round(requests)) +
                       " requests, more than " + shortest(kMostRequests),
                   "fewer of them measure the same");
  }
}

CaseKind kind_named(const std::string& name) {
  const auto at = std::find(kKinds.begin(), kKinds.end(), name);
  return at == kKinds.end() ? CaseKind::trace
                            : static_cast<CaseKind>(std::distance(kKinds.begin(), at));
}

Result<void> read_requests(const std::string& folder, const std::string& file, Case* out) {
  if (file.empty()) {
    return fail_in(ErrorKind::spec, folder + "/" + kCaseFile, "a trace needs workload.requests",
                   "name the file with a row per request, e.g. requests.csv.gz");
  }
  TRY_TO(read_case_requests((fs::path(folder) / file).string(), out->deployment.block_size,
                            &out->workload));
  const auto rows = static_cast<std::int64_t>(out->workload.requests.size());
  for (const CaseStage& stage : out->workload.stages) {
    if (stage.num_requests > rows || stage.first_request > rows - stage.num_requests) {
      return fail_in(ErrorKind::spec, folder + "/" + kCaseFile,
                     "a stage ends after the last of the " + grouped(rows) + " requests",
                     "\"first_request\" plus \"num_requests\" is at most their number");
    }
  }
  return {};
}

void apply_timeout(double timeout_s, Workload* requests) {
  const Duration timeout = duration_from_us(timeout_s * 1e6);
  for (const Time arrival : requests->arrival) requests->deadline.push_back(arrival + timeout);
}

}  // namespace

std::string_view name_of(CaseKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

Result<Case> read_case(const std::string& folder) {
  TRY(spec, SpecFile::read((fs::path(folder) / kCaseFile).string()));
  SpecMap top = spec.top();
  Case out;
  top.integer("plimsoll_case", {1, 1});
  out.name = top.text("name");
  out.kind = kind_named(top.choice("kind", kKinds));
  if (auto provenance = top.optional_map("provenance")) {
    provenance->accept_foreign_keys();
    out.source = provenance->optional_prose("source").value_or("");
  }
  out.deployment = read_deployment(top.map("deployment"), out.kind);
  SpecMap workload = top.map("workload");
  out.workload = read_workload(workload, out.kind);
  const std::string requests = workload.optional_text("requests").value_or("");
  const auto timeout_s = workload.optional_number("client_timeout_s", kWaitS);
  read_measured(top.map("measured"), &out);
  read_score(top.map("score"), &out);
  check_size(workload, out);
  if (auto predictions = top.optional_map("published_predictions")) {
    for (const std::string& program : predictions->keys()) {
      if (predictions->has_map(program)) {
        collect(predictions->map(program), "", &out.published_predictions[program]);
      }
    }
  }
  if (auto other = top.optional_map("published_measured")) other->accept_foreign_keys();
  auto read = spec.finish(std::move(out));
  if (!read || read->kind != CaseKind::trace) return read;
  TRY_TO(read_requests(folder, requests, &*read));
  if (timeout_s) apply_timeout(*timeout_s, &read->workload.requests);
  return read;
}

}  // namespace plimsoll
