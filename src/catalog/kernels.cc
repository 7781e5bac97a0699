#include "catalog/kernels.h"

#include "base/lists.h"
#include "base/text.h"
#include "catalog/embedded.h"

namespace plimsoll {
namespace {

constexpr std::string_view kKernels = "kernels/";
constexpr NumberRange kFraction{0, 1, true};

GemmEfficiency read_gemm(SpecMap row) {
  return {row.number("compute", kFraction),          row.number("row_padding", kNonNegative),
          row.number("depth_padding", kNonNegative), row.number("memory", kFraction),
          row.number("launch_us", kNonNegative),     row.number("sharpness", {1}),
          row.number("quantise", kNonNegative)};
}

PrefillAttentionEfficiency read_prefill_attention(SpecMap row) {
  return {row.number("compute", kFraction), row.number("query_padding", kNonNegative),
          row.number("serial_head_tokens", kNonNegative), row.number("launch_us", kNonNegative),
          row.number("decode_rereads", kNonNegative)};
}

DecodeAttentionEfficiency read_decode_attention(SpecMap row) {
  return {row.number("memory", kFraction), row.number("launch_us", kNonNegative),
          row.number("head_ns", kNonNegative)};
}

LatentAttentionEfficiency read_latent_attention(SpecMap row) {
  LatentAttentionEfficiency out;
  SpecMap decode = row.map("decode");
  out.decode = {decode.number("compute", kFraction), decode.number("memory", kFraction),
                decode.number("launch_us", kNonNegative), decode.number("request_us", kNonNegative),
                decode.number("head_padding", kNonNegative)};
  SpecMap prefill = row.map("prefill");
  out.prefill = {prefill.number("compute", kFraction), prefill.number("launch_us", kNonNegative),
                 prefill.number("query_padding", kNonNegative),
                 prefill.number("activation", kNonNegative)};
  return out;
}

ExpertEfficiency read_experts(SpecMap row) {
  return {row.number("compute", kFraction), row.number("row_padding", kNonNegative),
          row.number("memory", kFraction),  row.number("launch_us", kNonNegative),
          row.number("sharpness", {1}),     row.number("activation", kNonNegative)};
}

AllReduceEfficiency read_all_reduce(SpecMap row) {
  return {row.number("launch_us", kNonNegative), row.number("per_gpu_us", kNonNegative),
          row.number("one_shot", kFraction), row.number("two_shot_us", kNonNegative),
          row.number("two_shot", kFraction)};
}

// `known`: the names of rows that something looks for.
template <class Row>
std::map<std::string, Row> rows_of(SpecMap top, const char* key, Row (*read)(SpecMap),
                                   const std::vector<std::string>& known) {
  std::map<std::string, Row> rows;
  auto map = top.optional_map(key);
  if (!map) return rows;
  for (const std::string& name : map->keys()) {
    if (!contains(known, name)) {
      map->error(name, "unknown name \"" + name + "\"", suggestion(name, known));
    }
    rows.emplace(name, read(map->map(name)));
  }
  return rows;
}

struct KernelFile {
  KernelSet set;
  std::vector<std::string> otherwise;
};

Result<SpecFile> open_kernels(const std::string& name) {
  if (is_kernel_file(name)) return SpecFile::read(name);
  const std::string path = embedded_path(kKernels, name);
  if (is_embedded(path)) return open_embedded(path);
  return fail(ErrorKind::internal, "no kernels \"" + name + "\" are built in");
}

Result<KernelFile> read_kernels(const std::string& name) {
  TRY(spec, open_kernels(name));
  SpecMap top = spec.top();
  KernelFile file;
  file.set.name = name;
  top.prose("source");
  file.otherwise = top.texts("otherwise");
  check_kernels(top, "otherwise", file.otherwise);
  file.set.gemm = rows_of(top, "gemm", read_gemm, {"bf16", "fp8", "fp8-blocks", "nvfp4"});
  file.set.prefill_attention = rows_of(top, "prefill_attention", read_prefill_attention, {"bf16"});
  file.set.decode_attention =
      rows_of(top, "decode_attention", read_decode_attention, {"bf16", "fp8"});
  file.set.latent_attention =
      rows_of(top, "latent_attention", read_latent_attention,
              {"bf16/bf16", "bf16/fp8", "fp8-blocks/bf16", "fp8-blocks/fp8"});
  file.set.experts = rows_of(top, "experts", read_experts,
                             {"bf16", "fp8", "fp8-blocks", "int4", "mxfp4", "nvfp4"});
  file.set.all_reduce = rows_of(top, "all_reduce", read_all_reduce, {"nvlink", "pcie"});
  return spec.finish(std::move(file));
}

struct EngineName {
  Engine engine;
  std::string_view name;
};

constexpr EngineName kEngines[]{
    {Engine::vllm, "vllm"}, {Engine::sglang, "sglang"}, {Engine::trtllm, "trtllm"}};

// vLLM's sets have no suffix.
std::string kernels_of(const std::string& name, Engine engine) {
  const std::string own = name + "-" + std::string(name_of(engine));
  return !is_kernel_file(name) && is_embedded(embedded_path(kKernels, own)) ? own : name;
}

AllToAllRate read_all_to_all(SpecMap map) {
  return {map.number("fixed_us", kNonNegative), map.number("link", kFraction),
          map.number("gb_per_s", kPositive)};
}

// Where it was measured for the architecture of a GPU, that value.
double read_by_kernels(SpecMap map, const std::string& kernels) {
  std::optional<double> own;
  for (const std::string& name : map.keys()) {
    const double value = map.number(name, kNonNegative);
    if (name == kernels) own = value;
  }
  return own.value_or(map.number("otherwise", kNonNegative));
}

// What the other engines do differently, of the values that vLLM has.
void read_engine(SpecMap top, Engine engine, const std::string& kernels, StepOverheads* out) {
  SpecMap engines = top.map("engines");
  for (const EngineName& one : kEngines) {
    if (one.engine == Engine::vllm) continue;
    SpecMap map = engines.map(one.name);
    StepOverheads other = *out;
    other.prefill_host_per_layer = read_by_kernels(map.map("prefill_host_per_layer"), kernels);
    other.prefill_host_per_latent_layer =
        read_by_kernels(map.map("prefill_host_per_latent_layer"), kernels);
    if (auto alone = map.optional_map("prefill_host_alone"))
      other.prefill_host_alone = read_by_kernels(*alone, kernels);
    if (auto rate = map.optional_map("copy_per_rank")) other.copy_per_rank = read_all_to_all(*rate);
    map.text("source");
    if (one.engine == engine) *out = other;
  }
}

}  // namespace

std::string_view name_of(Engine engine) {
  for (const EngineName& one : kEngines) {
    if (one.engine == engine) return one.name;
  }
  return "";
}

std::optional<Engine> engine_of(std::string_view name) {
  for (const EngineName& one : kEngines) {
    if (one.name == name) return one.engine;
  }
  return std::nullopt;
}

std::vector<std::string> kernel_names() { return embedded_names(kKernels); }

void check_kernels(SpecMap map, std::string_view key, const std::vector<std::string>& names) {
  const std::vector<std::string> known = kernel_names();
  for (const std::string& name : names) {
    if (contains(known, name)) continue;
    map.error(key, "unknown kernels \"" + name + "\"", suggestion(name, known));
  }
}

bool is_kernel_file(std::string_view name) { return name.ends_with(".yaml"); }

Result<Kernels> find_kernels(const std::string& name, Engine engine) {
  TRY(own, read_kernels(name.empty() ? "default" : kernels_of(name, engine)));
  Kernels kernels;
  kernels.sets.push_back(std::move(own.set));
  for (const std::string& other : own.otherwise) {
    TRY(file, read_kernels(other));
    kernels.sets.push_back(std::move(file.set));
  }
  if (!is_kernel_file(name)) return kernels;
  TRY(rest, find_kernels(""));
  append(&kernels.sets, std::move(rest.sets));
  return kernels;
}

Result<StepOverheads> read_step_overheads(Engine engine, const std::string& kernels) {
  TRY(spec, open_embedded("step-overheads.yaml"));
  SpecMap top = spec.top();
  StepOverheads out;
  out.small_kernel = top.number("small_kernel", kNonNegative);
  out.small_kernels_per_layer = top.number("small_kernels_per_layer", kNonNegative);
  out.small_kernels_per_step = top.number("small_kernels_per_step", kNonNegative);
  out.small_kernel_bandwidth = top.number("small_kernel_bandwidth", kFraction);
  out.mixed_step_per_layer = top.number("mixed_step_per_layer", kNonNegative);
  out.expert_evenness = top.number("expert_evenness", kPositive);
  out.exchanges_per_moe_layer = top.number("exchanges_per_moe_layer", kNonNegative);
  out.copy_per_rank = read_all_to_all(top.map("copy_per_rank"));
  out.copy_per_expert = read_all_to_all(top.map("copy_per_expert"));
  out.sampler_per_step = top.number("sampler_per_step", kNonNegative);
  out.sampler_per_logit = top.number("sampler_per_logit", kNonNegative);
  out.client_per_request = top.number("client_per_request", kNonNegative);
  out.client_per_input_token = top.number("client_per_input_token", kNonNegative);
  out.closed_loop_steps = top.number("closed_loop_steps", kNonNegative);
  out.closed_loop_per_stream = top.number("closed_loop_per_stream", kNonNegative);
  for (const char* key : {"source", "experts_source", "all_to_all_source", "sampler_source",
                          "client_source", "closed_loop_source"}) {
    top.text(key);
  }
  read_engine(top, engine, kernels, &out);
  return spec.finish(out);
}

}  // namespace plimsoll
