#include "kv_memory/figures.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "perf/model_error.h"

namespace plimsoll::kv_memory {
namespace {

double free_gib(const KvCapacity& memory) {
  return memory.available_gib - memory.weights_gib - memory.activation_gib - memory.non_torch_gib;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::string layout_text(const LoggedEngine& row) {
  std::string text = fmt::format("{} x {}", row.layout.tp * row.layout.dp, row.gpu.name);
  if (row.layout.ep > 1) text += ", EP";
  return text;
}

std::string gib_text(const std::optional<double>& gib) {
  return gib ? fmt::format("{:.2f}", *gib) : "";
}

std::string percent(const std::optional<double>& error) {
  return error ? fmt::format("{:+.1f} %", *error) : "";
}

std::vector<double> magnitudes(const std::vector<LoggedEngine>& cases,
                               const std::vector<MemoryFigures>& figures,
                               std::optional<double> (*error)(const LoggedEngine&,
                                                              const MemoryFigures&)) {
  std::vector<double> all;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (const auto one = error(cases[i], figures[i])) all.push_back(std::abs(*one));
  }
  return all;
}

}  // namespace

Result<MemoryFigures> figures_of(const LoggedEngine& row) {
  auto own = instance_memory(row.model, row.gpu, row.layout, row.settings);
  if (!own) return pass_on(own);
  KvSettings usual = row.settings;
  usual.build = {};
  auto memory = instance_memory(row.model, row.gpu, row.layout, usual);
  if (!memory) return pass_on(memory);
  const auto gpus = static_cast<double>(row.layout.tp);
  KvCapacity counted = *memory;
  constexpr double kBlocks = 1e9;  // stands for all that is free, in either case
  counted.total_blocks = static_cast<std::int64_t>(kBlocks);
  const auto interval = kv_interval(row.model, row.gpu, row.layout, usual, counted);
  const double per_block = free_gib(*memory) / gpus / kBlocks;
  MemoryFigures out;
  out.weights_gib = own->weights_gib / gpus;
  out.kv_gib = free_gib(*own) / gpus;
  out.low_gib = static_cast<double>(interval->low) * per_block;
  out.high_gib = static_cast<double>(interval->high) * per_block;
  return out;
}

std::optional<double> left_gib(const LoggedEngine& row) {
  if (!row.kv_gib || !row.utilization_stated) return std::nullopt;
  return *row.kv_gib + row.graphs_gib;
}

std::optional<double> kv_error(const LoggedEngine& row, const MemoryFigures& figures) {
  const auto left = left_gib(row);
  if (!left || *left <= 0) return std::nullopt;
  return 100 * (figures.kv_gib / *left - 1);
}

std::optional<double> weights_error(const LoggedEngine& row, const MemoryFigures& figures) {
  if (!row.weights_gib) return std::nullopt;
  return 100 * (figures.weights_gib / *row.weights_gib - 1);
}

std::string cases_table(const std::vector<LoggedEngine>& cases,
                        const std::vector<MemoryFigures>& figures) {
  std::string out =
      "| model | GPUs | vLLM | utilisation, requests, tokens | weights: logged, here | KV cache: "
      "logged, here, error | not stated | source |\n|---|---|---|---|---|---|---|---|\n";
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const LoggedEngine& row = cases[i];
    const MemoryFigures& here = figures[i];
    const std::string weights =
        row.weights_gib ? fmt::format("{:.2f}, {:.2f}", *row.weights_gib, here.weights_gib) : "";
    const auto left = left_gib(row);
    const std::string kv = left ? fmt::format("{}, {:.2f}, {}", gib_text(left), here.kv_gib,
                                              *left > 0          ? percent(kv_error(row, here))
                                              : here.kv_gib <= 0 ? "neither fits"
                                                                 : "fits here")
                                : "";
    out += fmt::format(
        "| {}{} | {} | {} | {}, {}, {} | {} | {} | {} | {} |\n", row.model.id,
        row.weights.empty() ? "" : " " + row.weights, layout_text(row), row.vllm,
        row.utilization_stated ? fmt::format("{}", row.settings.gpu_memory_utilization) : "?",
        row.settings.max_num_seqs, row.settings.max_num_batched_tokens, weights, kv, row.assumed,
        row.source);
  }
  return out;
}

std::string summary(const std::vector<LoggedEngine>& cases,
                    const std::vector<MemoryFigures>& figures) {
  const auto kv = magnitudes(cases, figures, kv_error);
  const auto weights = magnitudes(cases, figures, weights_error);
  std::size_t inside = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto left = left_gib(cases[i]);
    if (!left || *left <= 0) continue;
    inside += *cases[i].kv_gib >= figures[i].low_gib && *cases[i].kv_gib <= figures[i].high_gib;
  }
  return fmt::format(
      "Of {} engines, {} had room for a KV cache and said so: the median error is {:.1f} %, the "
      "largest {:.1f} %. The weights that {} of them loaded are {:.1f} % off in the median, {:.1f} "
      "% "
      "at most. The interval that answers carry, which does not know the build, holds {} of the "
      "{}.\n",
      cases.size(), kv.size(), median(kv), std::ranges::max(kv), weights.size(), median(weights),
      std::ranges::max(weights), inside, kv.size());
}

}  // namespace plimsoll::kv_memory
