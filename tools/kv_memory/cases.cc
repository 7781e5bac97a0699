#include "kv_memory/cases.h"

#include <utility>

#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/served_as.h"
#include "workload/csv.h"

namespace plimsoll::kv_memory {
namespace {

enum Column : std::size_t {
  kModel,
  kQuantization,
  kKvDtype,
  kGpu,
  kTp,
  kDp,
  kEp,
  kUtilization,
  kSeqs,
  kTokens,
  kVllm,
  kWeights,
  kKv,
  kGraphs,
  kSampler,
  kMxfp4,
  kAssumed,
  kSource
};

const CsvFormat& format() {
  static const CsvFormat columns{
      {"model", "quantization", "kv_dtype", "gpu", "tp", "dp", "ep", "utilization", "max_num_seqs",
       "max_num_batched_tokens", "vllm", "weights_gib", "kv_gib", "graphs_gib", "sampler", "mxfp4",
       "assumed", "source"},
      {},
      false};
  return columns;
}

std::optional<double> gib(CsvTable* table, std::size_t column) {
  if (table->text(column).empty()) return std::nullopt;
  return table->number(column, -1000, 1000);
}

EngineBuild build_of(CsvTable* table) {
  EngineBuild build;
  const std::string_view sampler = table->text(kSampler);
  if (sampler != "" && sampler != "sorts" && sampler != "light") {
    table->error(kSampler, "the sampler must be sorts, light or empty");
  }
  const std::string_view kernels = table->text(kMxfp4);
  if (kernels != "" && kernels != "marlin") {
    table->error(kMxfp4, "the MXFP4 kernels must be marlin or empty");
  }
  if (sampler == "light") build.sampler = LogitSampler::light;
  if (kernels == "marlin") build.mxfp4 = Mxfp4Kernels::marlin;
  return build;
}

Result<LoggedEngine> read_row(CsvTable* table) {
  constexpr std::int64_t kMost = 1'000'000;
  LoggedEngine row;
  auto model = find_model(std::string(table->text(kModel)));
  if (!model) return pass_on(model);
  auto gpu = find_gpu(std::string(table->text(kGpu)), SemanticsMode::vllm);
  if (!gpu) return pass_on(gpu);
  row.weights = table->text(kQuantization);
  row.model = with_kv_cache(served_as(model->config, row.weights), table->text(kKvDtype));
  row.gpu = *gpu;
  row.layout.tp = table->integer(kTp, 1, kMost);
  row.layout.dp = table->integer(kDp, 1, kMost);
  row.layout.ep = table->integer(kEp, 1, kMost);
  row.utilization_stated = !table->text(kUtilization).empty();
  if (row.utilization_stated)
    row.settings.gpu_memory_utilization = table->number(kUtilization, 0, 1);
  row.settings.max_num_seqs = table->integer(kSeqs, 1, kMost);
  row.settings.max_num_batched_tokens = table->integer(kTokens, 1, kMost);
  row.vllm = table->text(kVllm);
  row.weights_gib = gib(table, kWeights);
  row.kv_gib = gib(table, kKv);
  row.graphs_gib = gib(table, kGraphs).value_or(0);
  row.settings.build = build_of(table);
  row.assumed = table->text(kAssumed);
  row.source = table->text(kSource);
  return row;
}

}  // namespace

Result<std::vector<LoggedEngine>> read_cases(const std::string& path) {
  auto lines = LineReader::open(path);
  if (!lines) return pass_on(lines);
  auto table = CsvTable::open(std::move(*lines), format());
  if (!table) return pass_on(table);
  std::vector<LoggedEngine> cases;
  while (true) {
    auto more = table->next();
    if (!more) return pass_on(more);
    if (!*more) return cases;
    auto row = read_row(&*table);
    if (!row) return pass_on(row);
    cases.push_back(std::move(*row));
  }
}

}  // namespace plimsoll::kv_memory
