#include "cli/api_guidance.h"

#include "base/lists.h"

namespace plimsoll {
namespace {

constexpr ApiGuidance kGuidance[]{
    {"capacity",
     "Ask this of one kind of deployment: with a rate, how many instances it needs; with "
     "num-instances, the highest rate they sustain; with both, whether they hold it. Needs model. "
     "What matters most: hardware (the GPU, else the one listed for the model), rate (requests per "
     "second), slo (limits on latency, commas between), num-instances, prompt-tokens and "
     "output-tokens (mean lengths, else 512). Seconds of work.",
     R"({"model": "qwen3-14b", "hardware": "H100", "rate": 10, "slo": "ttft_p99<500ms"})"},
    {"run",
     "Ask this for what happens at one load: latencies, how busy the GPUs are, what binds. For how "
     "many instances a rate needs, ask capacity. Needs model. What matters most: rate (requests "
     "per second), num-requests, num-instances, hardware (the GPU), prompt-tokens and "
     "output-tokens (mean lengths, else 512).",
     R"({"model": "qwen3-14b", "hardware": "H100", "rate": 5, "num-requests": 1000})"},
    {"plan",
     "Ask this to choose: the cheapest of many deployments (GPUs, tensor parallelism, instances) "
     "that keeps the limits at a rate, or the one that serves most for its price where no rate is "
     "given. Needs model, or request (a YAML document with all of it). What matters most: rate "
     "(requests per second), slo (limits on latency), gpu-types (commas between; all with a price "
     "take minutes), max-cost-per-hour, prompt-tokens and output-tokens (mean lengths).",
     R"({"model": "qwen3-14b", "rate": 5, "slo": "ttft_p99<500ms", "gpu-types": "H100"})"},
    {"forecast",
     "Ask this for the time ahead: when a capacity runs out, what to order and by when, what a "
     "scenario or a loss does. Needs forecast, a YAML document with routes (requests_per_s, "
     "prompt_tokens, output_tokens) and resources with capacities, or a deployment (model, "
     "hardware). What matters most in it: history (a CSV file that files has under its name), slo, "
     "scenarios, losses, reserve.",
     R"({"forecast": "routes:\n  chat: {requests_per_s: 6, prompt_tokens: 800, output_tokens: 60}\n)"
     R"(resources:\n  prompt_tokens_per_s: {capacity: 5000}\n"})"},
    {"describe",
     "Ask this before traffic is simulated: its rate, burstiness, lengths and shared prefixes. "
     "Needs one of trace (the text of a recording, with trace-format), workload-spec (a YAML "
     "document) and workload (a preset). What matters beside them: rate (requests per second) and "
     "num-requests.",
     R"({"workload": "chatbot", "rate": 20})"},
    {"explain",
     "Ask this for the meaning of any word, label, field or key of an answer. Needs word.",
     R"({"word": "goodput"})"},
    {"list",
     "Ask this for the names that other questions take, such as models, gpus, workloads or "
     "trace-formats. Needs topic.",
     R"({"topic": "gpus"})"}};

}  // namespace

const ApiGuidance* guidance_for(std::string_view verb) {
  return find_in(kGuidance, verb, &ApiGuidance::verb);
}

}  // namespace plimsoll
