#include "cli/vllm_arguments.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "cli/typed_flags.h"
#include "perf/model_size.h"
#include "report/form/field_text.h"
#include "setup/engine_limits.h"

namespace plimsoll {
namespace {

// fp8 is made of 16-bit weights at start; what is narrower or has scales per block is a checkpoint
// of its own.
constexpr std::string_view kQuantizedOnLoad = "fp8";

std::string vllm_cache_type(const std::string& type) {
  return type == "fp16" ? "float16" : type == "bf16" ? "bfloat16" : type;
}

// The files say them by what they start, or they decide how steps are timed.
bool is_said_by_other(const Flag& flag) {
  constexpr std::string_view kElsewhere[]{
      "--model",   "--model-config", "--hardware",    "--hardware-config",
      "--tp",      "--pp",           "--dp",          "--num-instances",
      "--offline", "--alpha-coeffs", "--beta-coeffs", "--latency-model"};
  return contains(kElsewhere, flag.name);
}

bool is_of_server(const Flag& flag) {
  constexpr FlagGroup kGroups[]{FlagGroup::model, FlagGroup::step_time, FlagGroup::cluster,
                                FlagGroup::admission, FlagGroup::engine};
  return contains(kGroups, flag.group) && !is_said_by_other(flag);
}

std::string remedy_for(const Flag& flag) {
  constexpr std::pair<std::string_view, std::string_view> kRemedies[]{
      {"--quantization", "Name a checkpoint that has such weights."},
      {"--engine", "The command starts vLLM; start the other engine with what it calls alike."},
      {"--batching-rule", "vLLM forms batches by a rule of its own."},
      {"--scheduler", "vLLM serves in the order of arrival, or by priority with preemption."},
      {"--preemption-policy", "vLLM preempts by priority only if it serves by priority."},
      {"--expert-imbalance", "It was assumed of the traffic: measure it."},
      {"--acceptance-rate", "It was assumed of the drafts: measure it."},
      {"--speculation-preset", "It was measured elsewhere: measure the acceptance of your drafts."},
      {"--num-speculative-tokens", "Name what proposes them in --speculative-config."},
      {"--draft-model", "vLLM 0.11 does not start with a model of its own (vllm #26547)."},
      {"--draft-ms", "Name what proposes tokens in --speculative-config."},
      {"--sampling", "Requests choose it, or generation_config.json of the model."},
      {"--total-kv-blocks", "vLLM sets the blocks of a rank, and the ranks cannot share these."}};
  for (const auto& [name, remedy] : kRemedies) {
    if (name == flag.name) return std::string(remedy);
  }
  if (flag.group == FlagGroup::cluster)
    return "The balancer in front of the instances has to be set so.";
  if (flag.group == FlagGroup::admission) {
    return "The gateway in front of the instances has to be set so.";
  }
  return "vLLM has no such flag.";
}

class Writer {
 public:
  Writer(const Options& options, const Setup& setup) : options_(options), setup_(setup) {}

  VllmArguments write() {
    write_limits();
    write_model();
    write_scheduling();
    write_speculation();
    if (options_.run.step_time.engine == Engine::vllm) said_.push_back("--engine");
    for (const Flag& flag : flags()) {
      const bool set = flag.value.origin(options_) != Origin::asked || !is_of_server(flag) ||
                       contains(said_, flag.name);
      if (set) continue;
      const std::string word = typed_word(flag_word(flag, flag.value.texts(options_).front()));
      out_.unset.push_back({word.substr(1), remedy_for(flag)});
    }
    return std::move(out_);
  }

 private:
  // `flag`: of `run`, which this argument says.
  void add(std::string_view flag, std::string argument, const std::string& value = {}) {
    said_.push_back(flag);
    out_.engine.push_back(std::move(argument));
    if (!value.empty()) out_.engine.push_back(value);
  }
  void add(std::string_view flag, std::string argument, std::int64_t value) {
    add(flag, std::move(argument), std::to_string(value));
  }

  void write_limits() {
    const EngineConfig& engine = setup_.deployment.main().engine;
    add("--max-num-seqs", "--max-num-seqs", setup_.max_num_seqs);
    if (setup_.max_num_batched_tokens > 0) {
      add("--max-num-batched-tokens", "--max-num-batched-tokens", setup_.max_num_batched_tokens);
    }
    if (engine.long_prefill_token_threshold > 0) {
      add("--long-prefill-token-threshold", "--long-prefill-token-threshold",
          engine.long_prefill_token_threshold);
    }
    if (engine.max_model_len > 0) {
      add("--max-model-len", "--max-model-len", engine.max_model_len);
    }
    add("--block-size-in-tokens", "--block-size", engine.block_size);
    add("--gpu-memory-utilization", "--gpu-memory-utilization",
        shortest(options_.run.engine.gpu_memory_utilization));
    const std::int64_t ranks = setup_.layout.dp;
    if (options_.run.engine.total_kv_blocks && *options_.run.engine.total_kv_blocks % ranks == 0) {
      add("--total-kv-blocks", "--num-gpu-blocks-override",
          *options_.run.engine.total_kv_blocks / ranks);
    }
  }

  void write_model() {
    if (options_.run.layout.expert_parallel)
      add("--enable-expert-parallel", "--enable-expert-parallel");
    if (options_.run.layout.expert_parallel && !options_.run.layout.moe_comm_backend.empty()) {
      add("--moe-comm-backend", "--all2all-backend", options_.run.layout.moe_comm_backend);
    }
    if (is_made_at_start(options_.run.model.quantization)) {
      add("--quantization", "--quantization", options_.run.model.quantization);
    }
    if (!options_.run.model.kv_cache_dtype->empty()) {
      add("--kv-cache-dtype", "--kv-cache-dtype",
          vllm_cache_type(options_.run.model.kv_cache_dtype));
    } else if (assumes_cache()) {
      add("--kv-cache-dtype", "--kv-cache-dtype", "fp8");
    }
  }

  // Not every checkpoint in this format of weights states it.
  bool assumes_cache() const {
    return std::ranges::any_of(setup_.config, [](const ConfigEntry& entry) {
      return entry.key == "kv-cache-dtype" && entry.origin == "assumed";
    });
  }

  void write_scheduling() {
    const EngineConfig& engine = setup_.deployment.main().engine;
    said_.push_back("--disable-hybrid-kv-cache-manager");
    const bool has_windows = !kv_layers_of(setup_.architecture, 1).windowed.empty();
    if (has_windows && !has_hybrid_cache(options_.run))
      out_.engine.emplace_back("--disable-hybrid-kv-cache-manager");
    if (!engine.prefix_caching) add("--no-prefix-caching", "--no-enable-prefix-caching");
    if (!engine.chunked_prefill) add("--no-chunked-prefill", "--no-enable-chunked-prefill");
    if (engine.scheduler == "priority-fcfs" && engine.preemption == "priority") {
      said_.push_back("--preemption-policy");
      add("--scheduler", "--scheduling-policy", "priority");
    }
    said_.push_back("--no-async-scheduling");
    if (semantics_of(options_.run).asynchronous_scheduling && starts_async(options_.run))
      out_.engine.emplace_back("--async-scheduling");
  }

  void write_speculation() {
    const std::int64_t tokens = options_.run.speculation.tokens;
    if (tokens == 0) return;
    const bool looked_up =
        options_.run.speculation.draft_ms && *options_.run.speculation.draft_ms == 0;
    if (!looked_up) return;
    said_.push_back("--draft-ms");
    add("--num-speculative-tokens", "--speculative-config",
        fmt::format(
            R"({{"method": "ngram", "prompt_lookup_max": 4, "num_speculative_tokens": {}}})",
            tokens));
  }

  const Options& options_;
  const Setup& setup_;
  std::vector<std::string_view> said_;
  VllmArguments out_;
};

}  // namespace

// EngineArgs.create_engine_config refuses both together with it.
bool starts_async(const RunSpec& run) { return run.layout.pp == 1 && run.speculation.tokens == 0; }

bool is_made_at_start(std::string_view quantization) { return quantization == kQuantizedOnLoad; }

VllmArguments vllm_arguments(const Options& options, const Setup& setup) {
  return Writer(options, setup).write();
}

}  // namespace plimsoll
