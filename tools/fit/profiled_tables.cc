#include "fit/observations.h"
#include "fit/table_reader.h"
#include "fit/tables.h"

namespace plimsoll {
namespace {

bool is_16_bit(std::string_view dtype) { return dtype == "bfloat16" || dtype == "float16"; }

// Rows of other types are refused: no row set describes 32-bit arithmetic.
void check_dtype(CsvTable& row, std::size_t column) {
  if (is_16_bit(row.text(column))) return;
  row.error(column, "type \"" + std::string(row.text(column)) + "\" cannot be fitted",
            "known: bfloat16, float16 (python -m plimsoll.profile --dtype)");
}

}  // namespace

Result<std::vector<Family>> profiled_families(const std::string& folder, Device* device) {
  std::vector<Family> families{gemm_family(device, "bf16"),
                               prefill_attention_family(device, "bf16"),
                               decode_attention_family(device, "bf16")};
  auto gemms =
      for_each_row(folder + "/gemm.csv", {"dtype", "m", "n", "k", "ms"}, [&](CsvTable& row) {
        check_dtype(row, 0);
        const double us = kUsPerMs * row.number(4, 0, kMostMilliseconds);
        if (us <= 0) return;
        families[0].observations.push_back(
            gemm_observation(us, count_at(row, 1), count_at(row, 2), count_at(row, 3), {}));
      });
  if (!gemms) return pass_on(gemms);
  auto attention = for_each_row(folder + "/attention.csv",
                                {"phase", "dtype", "batch", "query_tokens", "context_tokens",
                                 "heads", "kv_heads", "head_dim", "ms"},
                                [&](CsvTable& row) {
                                  check_dtype(row, 1);
                                  const bool prefill = row.text(0) == "prefill";
                                  if (!prefill && row.text(0) != "decode") {
                                    row.error(0, "a phase is prefill or decode");
                                  }
                                  AttentionCall call;
                                  call.batch = count_at(row, 2);
                                  const double queries = count_at(row, 3);
                                  const double context = count_at(row, 4);
                                  call.tokens = prefill ? queries : context;
                                  call.cached = prefill ? context - queries : 0;
                                  call.heads = row.integer(5, 1, kMostCount);
                                  call.kv_heads = row.integer(6, 1, kMostCount);
                                  call.head_width = row.integer(7, 1, kMostCount);
                                  const double us = kUsPerMs * row.number(8, 0, kMostMilliseconds);
                                  if (us <= 0) return;
                                  families[prefill ? 1 : 2].observations.push_back(
                                      prefill ? prefill_attention_observation(us, call)
                                              : decode_attention_observation(us, call));
                                });
  if (!attention) return pass_on(attention);
  return families;
}

}  // namespace plimsoll
