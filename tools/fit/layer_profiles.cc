#include "fit/observations.h"
#include "fit/table_reader.h"
#include "fit/tables.h"

namespace plimsoll {
namespace {

constexpr std::int64_t kHeadWidth = 128;

// Layer profiles of LLMServingSim: what a layer of theirs multiplies.
struct ProfiledModel {
  std::string folder;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  double hidden = 0;
  double width = 0;  ///< of a dense MLP
  double vocabulary = 0;
};

const std::vector<ProfiledModel>& profiled_models() {
  static const std::vector<ProfiledModel> models{
      {"meta-llama--Llama-3.1-8B", 32, 8, 4096, 14336, 128256},
      {"Qwen--Qwen3-30B-A3B-Instruct-2507", 32, 4, 2048, 0, 151936}};
  return models;
}

Result<void> add_layers(const std::string& folder, const ProfiledModel& model, Family* gemms) {
  const auto head = static_cast<double>(kHeadWidth);
  const double queries = static_cast<double>(model.heads) * head;
  const double keys = static_cast<double>(model.kv_heads) * head;
  const auto add = [gemms](double us, double rows, double outputs, double inputs) {
    if (us > 0) gemms->observations.push_back(gemm_observation(us, rows, outputs, inputs, {}));
  };
  auto read =
      for_each_row(folder + "dense.csv.gz", {"layer", "tokens", "time_us"}, [&](CsvTable& row) {
        const double us = row.number(2, 0, kUsPerMs * kMostMilliseconds);
        const double rows = count_at(row, 1);
        const std::string_view layer = row.text(0);
        if (layer == "qkv_proj") add(us, rows, queries + 2 * keys, model.hidden);
        if (layer == "o_proj") add(us, rows, model.hidden, queries);
        if (layer == "gate_up_proj") add(us, rows, 2 * model.width, model.hidden);
        if (layer == "down_proj") add(us, rows, model.hidden, model.width);
      });
  if (!read) return read;
  return for_each_row(folder + "per_sequence.csv.gz", {"layer", "sequences", "time_us"},
                      [&](CsvTable& row) {
                        const double us = row.number(2, 0, kUsPerMs * kMostMilliseconds);
                        if (row.text(0) != "lm_head") return;
                        add(us, count_at(row, 1), model.vocabulary, model.hidden);
                      });
}

// Of prefill alone and of decode alone; mixed batches decided decode_rereads.
Result<void> add_layer_attention(const std::string& folder, const ProfiledModel& model,
                                 Family* prefill, Family* decode) {
  return for_each_row(folder + "attention.csv.gz",
                      {"prefill_chunk", "kv_prefill", "n_decode", "kv_decode", "time_us"},
                      [&](CsvTable& row) {
                        const double us = row.number(4, 0, kUsPerMs * kMostMilliseconds);
                        AttentionCall call;
                        call.heads = model.heads;
                        call.kv_heads = model.kv_heads;
                        call.head_width = kHeadWidth;
                        call.tokens = count_at(row, 0);
                        call.cached = count_at(row, 1);
                        const double decoding = count_at(row, 2);
                        if (us <= 0) return;
                        if (decoding == 0 && call.tokens > 0) {
                          call.batch = 1;
                          prefill->observations.push_back(prefill_attention_observation(us, call));
                        }
                        if (call.tokens == 0 && decoding > 0) {
                          call.batch = decoding;
                          call.tokens = count_at(row, 3);
                          decode->observations.push_back(decode_attention_observation(us, call));
                        }
                      });
}

Result<void> add_layer_experts(const std::string& folder, Family* experts) {
  return for_each_row(folder + "moe.csv.gz", {"tokens", "activated_experts", "time_us"},
                      [&](CsvTable& row) {
                        ExpertsCall call{0, 2048, 768, 128, 8, 1, 0};  // Qwen3-30B-A3B
                        call.tokens = count_at(row, 0);
                        call.touched = count_at(row, 1);
                        const double us = row.number(2, 0, kUsPerMs * kMostMilliseconds);
                        if (us > 0)
                          experts->observations.push_back(experts_observation(us, call, {}));
                      });
}

}  // namespace

Result<std::vector<Family>> layer_profile_families(const std::string& folder, Device* device) {
  std::vector<Family> families{
      gemm_family(device, "bf16"), prefill_attention_family(device, "bf16"),
      decode_attention_family(device, "bf16"), experts_family(device, "bf16")};
  for (const ProfiledModel& model : profiled_models()) {
    const std::string beneath =
        folder + "/llmservingsim-op-profiles/RTXPRO6000/" + model.folder + "/bf16/tp1/";
    if (auto read = add_layers(beneath, model, &families[0]); !read) return pass_on(read);
    auto read = add_layer_attention(beneath, model, &families[1], &families[2]);
    if (!read) return pass_on(read);
    if (model.width > 0) continue;
    if (auto experts = add_layer_experts(beneath, &families[3]); !experts) return pass_on(experts);
  }
  return families;
}

}  // namespace plimsoll
