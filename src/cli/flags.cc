#include "cli/flags.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/lists.h"
#include "catalog/catalog.h"
#include "catalog/served_as.h"
#include "catalog/speculation_preset.h"
#include "cli/flag_rows.h"
#include "cluster/router.h"
#include "cluster/scorer.h"
#include "engine/batching_rule.h"
#include "engine/preemption.h"
#include "engine/scheduler.h"
#include "perf/engine_rules.h"
#include "perf/latency_models.h"
#include "perf/parallelism.h"
#include "setup/choices.h"
#include "setup/pools.h"
#include "setup/setup.h"

namespace plimsoll {
namespace {

// With room to break the line.
std::string spaced(std::string list) {
  for (std::size_t at = 0; (at = list.find(',', at)) != list.npos; at += 2)
    list.insert(at + 1, " ");
  return list;
}

// With the words that vLLM has for the same types.
Value kv_cache_type() {
  const std::vector<std::string> names{"fp16", "bf16", "fp8", "auto"};
  Value value = value_at<Setting<std::string>>(
      &ModelSpec::kv_cache_dtype,
      [names](std::string_view text) -> Reading<std::string> {
        if (text == "auto") return std::string();
        if (text == "float16") text = "fp16";
        if (text == "bfloat16") text = "bf16";
        if (text == "fp8_e4m3" || text == "fp8_e5m2") text = "fp8";
        if (contains(names, text)) return std::string(text);
        return tl::unexpected(unknown_choice(text, {"fp16", "bf16", "fp8"}));
      },
      [](const std::string& type) { return type.empty() ? "auto" : type; });
  value.choices = names;
  return value;
}

Choices<LogLevel> log_choices() {
  static constexpr Choice<LogLevel> kChoices[]{
      {"warn", LogLevel::warn, "errors and notes"},
      {"error", LogLevel::error, "errors only"},
      {"fatal", LogLevel::error, "the same as error"},
      {"panic", LogLevel::error, "the same as error"},
      {"info", LogLevel::info, "errors, notes and where the CPU time went"},
      {"debug", std::nullopt, "event log"},
      {"trace", std::nullopt, "event log"},
  };
  return kChoices;
}

bool knows_exchanges(const RunSpec& run) {
  const std::string model = latency_model_name(run);
  return model == "kernel" || model == "trained-physics";
}

bool tells_experts_apart(const RunSpec& run) {
  return spreads_experts(run) || latency_model_name(run) != "kernel";
}

const Condition kSpeculates{[](const RunSpec& run) { return run.speculation.tokens > 0; },
                            "without --num-speculative-tokens"};

void add_model_flags(std::vector<Flag>& all) {
  const Rows rows{all, FlagGroup::model};
  rows.add(
      "--model", text(&ModelSpec::id, model_names), "ID",
      "Hugging Face id; of a listed model (plimsoll list models) the part after the slash will do");
  rows.add("--model-config", text(&ModelSpec::config), "PATH",
           "config.json of a model that is not listed, or its folder", {{"--model-config-folder"}});
  rows.add(
      "--quantization", one_of(&ModelSpec::quantization, quantization_names()), "FORMAT",
      "Weight format narrower than the checkpoint's: fp8, fp8-block, nvfp4, mxfp4 or int4; none: "
      "the checkpoint's",
      {{"-q"}});
  rows.add("--kv-cache-dtype", kv_cache_type().usually("auto"), "TYPE",
           "Data type of the KV cache: fp16, bf16 or fp8; auto = as in the checkpoint");
  rows.add("--offline", on_off(&ModelSpec::offline), "",
           "Never download: models that are neither listed nor cached are an error");
  rows.add("--hardware",
           text(&HardwareSpec::gpu, gpu_names).usually("the one listed for the model"), "GPU",
           "GPU type (plimsoll list gpus)", {{"--gpu", kOtherWord}, {"--gpu-type", kOtherWord}});
  rows.add("--hardware-config", text(&HardwareSpec::config), "FILE",
           "JSON table of GPUs to use instead of the built-in one");
}

void add_layout_flags(std::vector<Flag>& all) {
  const Rows rows{all, FlagGroup::model};
  rows.add("--tp", integer(&LayoutSpec::tp, {1, 1024}).usually("as listed for the model"), "N",
           "Tensor parallelism: GPUs per instance",
           {{"--tensor-parallel-size", kOtherWord}, {"-tp"}, {"--tensor-parallel", kOtherWord}});
  rows.add("--pp", integer(&LayoutSpec::pp, {1, 64}), "N",
           "Pipeline parallelism: stages of layers, each on as many GPUs as --tp says",
           {{"--pipeline-parallel-size", kOtherWord}, {"-pp"}});
  rows.add("--dp", integer(&LayoutSpec::dp, {1, 1024}), "N",
           "Data-parallel ranks of a mixture-of-experts model",
           {{"--data-parallel-size", kOtherWord}, {"-dp"}});
  rows.add("--enable-expert-parallel", on_off(&LayoutSpec::expert_parallel), "",
           "Spread the experts over the GPUs instead of slicing them", {{"-ep"}});
  rows.add("--ignore-rules", some_of(&EngineSpec::ignored_rules, ignorable_rules()), "NAME,...",
           "Rules of vLLM to ignore: simulate what they refuse (plimsoll list rules)", {},
           {{[](const RunSpec& run) { return run.semantics == SemanticsMode::vllm; },
             "with --semantics blis: BLIS refuses nothing"}});
  rows.add(
      "--moe-comm-backend",
      one_of(&LayoutSpec::moe_comm_backend, names_of(moe_comm_backends()))
          .usually("that of --engine; of vLLM " + moe_comm_backends().front().name),
      "NAME", "How experts exchange tokens (plimsoll list moe-backends)", {},
      {{has_ranks, "without --dp above 1: there is nothing to exchange"},
       {knows_exchanges, "with this --latency-model: kernel and trained-physics know exchanges"},
       {tells_experts_apart,
        "without --enable-expert-parallel: every rank has a slice of all experts, so all tokens"}});
  rows.add("--expert-imbalance",
           number(&LayoutSpec::expert_imbalance, {1, 1024}).usually("by popularity of experts"),
           "X", "Ratio of the busiest GPU's expert load to the mean; with --enable-expert-parallel",
           {}, {{spreads_experts, "without --enable-expert-parallel"}});
}

void add_speculation_flags(std::vector<Flag>& all) {
  const Rows rows{all, FlagGroup::model};
  rows.add("--num-speculative-tokens", integer(&SpeculationSpec::tokens, {0, 64}), "K",
           "Speculative decoding: tokens proposed per step; 0 = off");
  rows.add("--acceptance-rate", numbers(&SpeculationSpec::acceptance_rates, {0, 1}), "A,...",
           "Chance that a proposed token is accepted if those before it were: one for all, or one "
           "for each position",
           {}, {kSpeculates});
  rows.add("--speculation-preset", text(&SpeculationSpec::preset, speculation_preset_names), "NAME",
           "Measured acceptance by position (plimsoll list speculation-presets); sets "
           "--acceptance-rate",
           {}, {kSpeculates});
  rows.add("--draft-model", text(&SpeculationSpec::draft_model, model_names), "ID",
           "Model that proposes the tokens; or give --draft-ms", {}, {kSpeculates});
  rows.add("--draft-ms", number(&SpeculationSpec::draft_ms, {0, 1000}), "MS",
           "Milliseconds of a step for each proposed token; 0 for n-gram lookup", {},
           {kSpeculates});
  rows.add("--alpha-coeffs", numbers(&StepTimeSpec::alpha_coeffs), "A,B,C",
           "Coefficients of the per-request overheads; with --beta-coeffs");
  rows.add("--beta-coeffs", numbers(&StepTimeSpec::beta_coeffs), "A,B,C,...",
           "Coefficients of the step time; with --alpha-coeffs");
}

void add_step_time_flags(std::vector<Flag>& all) {
  const Rows rows{all, FlagGroup::step_time};
  rows.add("--latency-model",
           one_of(&StepTimeSpec::latency_model, names_of(latency_models())).usually("kernel"),
           "NAME", "Step-time model (plimsoll list latency-models)");
  rows.add("--sampling",
           one_of(&StepTimeSpec::sampling, sampling_choices())
               .usually("as the model's generation_config.json says"),
           "HOW", "How tokens are chosen: greedy, or top-p, which sorts all logits");
  rows.add("--engine", one_of(&StepTimeSpec::engine, engine_choices()).usually("vllm"), "NAME",
           "Engine whose kernels and overheads are simulated: vllm, sglang or trtllm", {},
           {{[](const RunSpec& run) { return latency_model_name(run) == "kernel"; },
             "with this --latency-model: kernel alone knows engines"}});
}

void add_cluster_flags(std::vector<Flag>& all) {
  const Rows rows{all, FlagGroup::cluster};
  rows.add(
      "--num-instances", integer(&ClusterSpec::num_instances, {1, kMostInstances}), "N",
      "Identical serving instances",
      {{"--num-replicas", kOtherWord}, {"--replicas", kOtherWord}, {"--instances", kOtherWord}});
  rows.add("--routing-policy", one_of(&ClusterSpec::router, names_of(routers())), "NAME",
           "Which instance gets a request (plimsoll list routing-policies)",
           {{"--router", kOtherWord}});
  rows.add("--routing-scorers",
           scorer_list(&ClusterSpec::routing_scorers)
               .with_items(names_of(scorers()), ":1")
               .usually(spaced(scorers_text(default_scorers()))),
           "NAME:WEIGHT,...",
           "Scorers of the weighted policy and their weights (plimsoll list scorers)", {},
           {{[](const RunSpec& run) { return run.cluster.router == "weighted"; },
             "without --routing-policy weighted"}});
  add_parameter_flags(rows, "--routing-policy");
  add_parameter_flags(rows, "--routing-scorers");
  rows.add("--routing-latency", integer(&ClusterSpec::routing_latency_us, {0, kLongestUs}), "US",
           "Microseconds a routing decision takes");
  rows.add("--snapshot-refresh-interval",
           integer(&ClusterSpec::snapshot_refresh_interval_us, {0, kLongestUs}), "US",
           "Maximum age of the router's view of instances, in us; 0 = live");
  rows.add("--cache-signal-delay", integer(&ClusterSpec::cache_signal_delay_us, {0, kLongestUs}),
           "US", "Maximum age of the router's view of KV cache contents, in us; 0 = live");
}

// Of the batching rule that nobody has to name; all rules have their own.
std::string usual_limit(std::int64_t BatchingRuleRow::*limit) {
  const BatchingRuleRow& first = batching_rules().front();
  return fmt::format("{} with {}", first.*limit, first.name);
}

void add_engine_flags(std::vector<Flag>& all) {
  const Rows rows{all, FlagGroup::engine};
  rows.add(
      "--batching-rule",
      one_of(&EngineSpec::batching_rule, names_of(batching_rules())).usually("that of --engine"),
      "NAME", "How batches are formed; sets limits of its own (plimsoll list batching-rules)");
  add_parameter_flags(rows, "--batching-rule");
  rows.add("--max-num-seqs",
           integer(&EngineSpec::max_num_seqs, {1, kMostTokens})
               .usually(usual_limit(&BatchingRuleRow::max_num_seqs)),
           "N", "Maximum number of requests in a running batch, of each rank with --dp",
           {{"--max-num-running-reqs", kDeprecated}, {"--max-batch-size", kOtherWord}});
  rows.add("--max-num-batched-tokens",
           integer(&EngineSpec::max_num_batched_tokens, {1, kMostTokens})
               .usually(usual_limit(&BatchingRuleRow::max_num_batched_tokens)),
           "N", "Token budget of a step, of each rank with --dp",
           {{"--max-num-scheduled-tokens", kDeprecated}});
  rows.add("--long-prefill-token-threshold",
           integer(&EngineSpec::long_prefill_token_threshold, {0, kMostTokens}), "N",
           "Maximum prompt tokens of one request in a step; 0 = no extra limit");
  rows.add("--prompt-wait-steps", integer(&EngineSpec::prompt_wait_steps, {0, kMostTokens}), "N",
           "With --dp: prompts wait up to N-1 steps for every rank to get one, as in TensorRT-LLM "
           "with enable_balance; 0 = they do not",
           {},
           {{has_ranks, "without --dp above 1: there is no other rank"},
            {[](const RunSpec& run) { return !splits(run); },
             "where prompts have instances of their own"},
            {[](const RunSpec& run) { return run.semantics == SemanticsMode::vllm; },
             "with --semantics blis: ranks are simulated as one"}});
  rows.add("--max-model-len", integer(&EngineSpec::max_model_len, {0, kMostTokens}).usually("0"),
           "N", "Longest prompt plus answer; 0 = from the model");
  rows.add("--scheduler", one_of(&EngineSpec::scheduler, names_of(schedulers())), "NAME",
           "Order of the wait queue (plimsoll list schedulers)");
  add_parameter_flags(rows, "--scheduler");
  rows.add("--preemption-policy", one_of(&EngineSpec::preemption, names_of(preemption_rules())),
           "NAME", "Which request is preempted when KV blocks run out: fcfs or priority");
  add_parameter_flags(rows, "--preemption-policy");
  rows.add(
      "--total-kv-blocks",
      integer(&EngineSpec::total_kv_blocks, {1, kMostTokens}).usually("what its GPU memory holds"),
      "N", "KV blocks of an instance, of all its --dp ranks together",
      {{"--num-gpu-blocks-override"}});
  rows.add("--block-size-in-tokens",
           integer(&EngineSpec::block_size, {1, 1'000'000})
               .usually(usual_limit(&BatchingRuleRow::block_size)),
           "N", "Tokens per KV block", {{"--block-size"}});
  rows.add("--gpu-memory-utilization", number(&EngineSpec::gpu_memory_utilization, {0, 1, true}),
           "SHARE", "Share of GPU memory the engine may use");
  rows.add(
      "--disable-hybrid-kv-cache-manager",
      on_off(&EngineSpec::no_hybrid_cache).usually("on where KV blocks are transferred, else off"),
      "", "Layers with a sliding window keep every token, as vLLM's KV connectors require",
      {{.name = "--no-disable-hybrid-kv-cache-manager", .opposite = true}});
  rows.add("--no-prefix-caching", on_off(&EngineSpec::no_prefix_caching), "",
           "Compute every prompt in full, with no cached prefix",
           {{"--no-enable-prefix-caching"}, {.name = "--enable-prefix-caching", .opposite = true}});
  rows.add(
      "--no-chunked-prefill", on_off(&EngineSpec::no_chunked_prefill), "",
      "No chunked prefill: a prompt waits for a step with room for all of it; the token budget is "
      "at least --max-model-len",
      {{"--no-enable-chunked-prefill"}, {.name = "--enable-chunked-prefill", .opposite = true}});
  rows.add("--no-async-scheduling", on_off(&EngineSpec::no_async_scheduling), "",
           "Decide a batch when its step starts (vLLM before 0.14), not one step ahead",
           {{.name = "--async-scheduling", .opposite = true}});
}

void add_stream_flags(std::vector<Flag>& all) {
  const Rows rows{all, FlagGroup::stream};
  rows.add("--seed", integer(&TrafficSpec::seed, {}), "N",
           "Seed of all random draws: the same seed gives the same requests and, simulated, the "
           "same bytes");
  rows.add("--horizon",
           integer(&TrafficSpec::horizon_us, {1})
               .usually("never; replay with --semantics blis: twice the last arrival"),
           "US", "Stop this many microseconds after the start; simulated ones in a simulation");
}

void add_control_flags(std::vector<Flag>& all) {
  const Rows rows{all, FlagGroup::control};
  rows.add("--semantics", one_of(&RunSpec::semantics, semantics_choices()), "NAME",
           "Whose behaviour to simulate: vllm (the engine) or blis (the simulator BLIS)");
  rows.add("--log", one_of(&ConsoleSpec::log, log_choices()), "LEVEL",
           "What to log on stderr: error, warn (notes too) or info (and where the CPU time went)");
  rows.add("--lazy-generation", on_off(&ConsoleSpec::lazy_generation), "",
           "Accepted for compatibility: requests are always generated as needed");
}

}  // namespace

const std::vector<Flag>& flags() {
  static const std::vector<Flag> rows = [] {
    std::vector<Flag> all;
    for (void (*add)(std::vector<Flag>&) :
         {add_capacity_flags,    add_plan_flags,     add_forecast_flags,    add_compare_flags,
          add_sharing_flags,     add_price_flags,    add_server_flags,      add_serve_flags,
          add_model_flags,       add_layout_flags,   add_speculation_flags, add_step_time_flags,
          add_calibration_flags, add_workload_flags, add_trace_flags,       add_session_flags,
          add_cluster_flags,     add_split_flags,    add_admission_flags,   add_gateway_flags,
          add_engine_flags,      add_stream_flags,   add_control_flags,     add_metric_flags,
          add_slo_flags,         add_output_flags,   add_convert_flags}) {
      add(all);
    }
    return all;
  }();
  return rows;
}

bool Flag::is_called(std::string_view word) const {
  return word == name || std::any_of(aliases.begin(), aliases.end(),
                                     [&](const Alias& alias) { return alias.name == word; });
}

bool Flag::is_opposite(std::string_view word) const {
  return std::ranges::any_of(
      aliases, [&](const Alias& alias) { return alias.opposite && alias.name == word; });
}

bool Flag::takes_path() const {
  return placeholder == "FILE" || placeholder == "PATH" || placeholder == "PREFIX";
}

}  // namespace plimsoll
