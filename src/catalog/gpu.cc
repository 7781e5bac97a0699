#include "catalog/gpu.h"

#include <algorithm>
#include <optional>

#include "base/command_files.h"
#include "base/file.h"
#include "base/lists.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/embedded.h"
#include "catalog/kernels.h"
#include "spec/spec_file.h"

namespace plimsoll {
namespace {

// The name of a built-in set, or a file, which is looked for beside the hardware file.
void read_kernels_of(SpecMap row, const std::string& file, GpuSpec* gpu) {
  const auto kernels = row.optional_text("Kernels");
  if (!kernels) return;
  gpu->kernels_measured = is_kernel_file(*kernels);
  if (gpu->kernels_measured) {
    gpu->kernels = beside(file, *kernels);
    return;
  }
  const std::vector<std::string> names = kernel_names();
  if (!contains(names, *kernels)) {
    row.error("Kernels", "no kernels \"" + *kernels + "\" are built in",
              suggestion(*kernels, names) + "; a file of your own ends in .yaml");
  }
  gpu->kernels = *kernels;
}

constexpr std::string_view kGpus = "gpus/";

struct GpuEntry {
  GpuSpec datasheet;
  std::optional<GpuSpec> reference;
  std::vector<std::string> aliases;

  bool answers_to(const std::string& lower_name) const {
    if (to_lower(datasheet.name) == lower_name) return true;
    return std::any_of(aliases.begin(), aliases.end(),
                       [&](const std::string& alias) { return to_lower(alias) == lower_name; });
  }
};

GpuSpec read_gpu_row(SpecMap row, const std::string& name) {
  GpuSpec gpu;
  gpu.name = name;
  gpu.tflops_bf16 = row.number("tflops_bf16", kPositive);
  const auto if_any = [&](const char* key) {
    return row.optional_number(key, kNonNegative).value_or(0);
  };
  gpu.tflops_fp8 = if_any("tflops_fp8");
  gpu.tflops_fp4 = if_any("tflops_fp4");
  gpu.tops_int8 = if_any("tops_int8");
  gpu.link_gb_s = if_any("link_gb_s");
  gpu.pcie_gb_s = if_any("pcie_gb_s");
  gpu.tdp_w = if_any("tdp_w");
  gpu.gpus_per_node = row.optional_integer("gpus_per_node", {1}).value_or(0);
  gpu.link_gpus = row.optional_integer("link_gpus", {2}).value_or(0);
  gpu.memory_bandwidth_tb_s = row.number("memory_bandwidth_tb_s", kPositive);
  gpu.memory_gib = row.number("memory_gib", kPositive);
  gpu.mfu_prefill = row.number("mfu_prefill", {0, 1, true});
  gpu.mfu_decode = row.number("mfu_decode", {0, 1, true});
  row.prose("source");
  row.optional_prose("mfu_source");
  return gpu;
}

Result<GpuEntry> read_gpu(const std::string& path) {
  TRY(spec, open_embedded(path));
  SpecMap top = spec.top();
  GpuEntry entry;
  const std::string name = top.text("name");
  entry.aliases = top.texts("aliases");
  entry.datasheet = read_gpu_row(top.map("datasheet"), name);
  entry.datasheet.kernels = top.optional_text("kernels").value_or("");
  if (!entry.datasheet.kernels.empty()) check_kernels(top, "kernels", {entry.datasheet.kernels});
  entry.datasheet.kernels_measured = top.optional_flag("kernels_measured").value_or(false);
  entry.datasheet.compute_capability =
      top.optional_number("compute_capability", kPositive).value_or(0);
  if (auto row = top.optional_map("reference")) entry.reference = read_gpu_row(*row, name);
  return spec.finish(std::move(entry));
}

// All GPUs: an alias may stand in any file.
Result<std::vector<GpuEntry>> read_all_gpus() {
  std::vector<GpuEntry> entries;
  for (const std::string& name : embedded_names(kGpus)) {
    TRY(entry, read_gpu(embedded_path(kGpus, name)));
    entries.push_back(std::move(entry));
  }
  return entries;
}

tl::unexpected<Error> unknown_gpu(std::string_view name, const std::vector<GpuEntry>& entries,
                                  bool reference_only) {
  std::vector<std::string> names;
  std::vector<std::string> all;
  for (const GpuEntry& entry : entries) {
    if (reference_only && !entry.reference) continue;
    names.push_back(entry.datasheet.name);
    all.push_back(entry.datasheet.name);
    append(&all, entry.aliases);
  }
  const std::string nearest = nearest_name(name, all);
  return fail(
      ErrorKind::usage, "unknown GPU \"" + std::string(name) + "\"",
      nearest.empty() ? "known GPUs: " + join(names, ", ") : "did you mean \"" + nearest + "\"?");
}

Result<GpuSpec> read_gpu_called(std::string_view name, SemanticsMode mode) {
  std::string wanted = to_lower(name);
  std::replace(wanted.begin(), wanted.end(), ' ', '-');  // as drivers name them
  std::vector<GpuEntry> entries;
  if (const std::string path = embedded_path(kGpus, wanted); is_embedded(path)) {
    TRY(entry, read_gpu(path));
    entries.push_back(std::move(entry));
  } else {
    TRY_SET(entries, read_all_gpus());
  }
  const bool reference = mode == SemanticsMode::blis;
  for (const GpuEntry& entry : entries) {
    if (!entry.answers_to(wanted)) continue;
    if (!reference) return entry.datasheet;
    if (entry.reference) return *entry.reference;
    return fail(ErrorKind::usage, "BLIS does not know the GPU " + entry.datasheet.name,
                "leave out --semantics blis" +
                    unless_sealed(", or give its figures with --hardware-config"));
  }
  return unknown_gpu(name, entries, reference);
}

}  // namespace

Result<GpuSpec> parse_hardware_config(const std::string& text, std::string file,
                                      std::string_view gpu) {
  const std::string path = file;
  TRY(spec, SpecFile::parse(text, std::move(file)));
  SpecMap top = spec.top();
  const std::vector<std::string> names = top.keys();
  std::optional<GpuSpec> found;
  for (const std::string& name : names) {
    SpecMap row = top.map(name);
    GpuSpec spec_row;
    spec_row.name = name;
    spec_row.tflops_bf16 = row.number("TFlopsPeak", kPositive);
    spec_row.tflops_fp8 = row.optional_number("TFlopsFP8", kNonNegative).value_or(0);
    spec_row.memory_bandwidth_tb_s = row.number("BwPeakTBs", kPositive);
    spec_row.mfu_prefill = row.number("mfuPrefill", {0, 1, true});
    spec_row.mfu_decode = row.number("mfuDecode", {0, 1, true});
    spec_row.memory_gib = row.optional_number("MemoryGiB", kPositive).value_or(0);
    spec_row.link_gb_s = row.optional_number("LinkGBs", kNonNegative).value_or(0);
    spec_row.pcie_gb_s = row.optional_number("PcieGBs", kNonNegative).value_or(0);
    spec_row.gpus_per_node = row.optional_integer("GpusPerNode", {1, 1024}).value_or(0);
    spec_row.network_gb_s = row.optional_number("NetworkGBs", kPositive).value_or(0);
    read_kernels_of(row, path, &spec_row);
    if (to_lower(name) == to_lower(gpu)) found = spec_row;
  }
  if (found || !spec.ok()) return spec.finish(found.value_or(GpuSpec{}));
  return fail_in(ErrorKind::spec, path, "no GPU \"" + std::string(gpu) + "\" here",
                 suggestion(gpu, names));
}

Result<GpuSpec> read_hardware_config(const std::string& path, std::string_view gpu) {
  TRY(text, read_file(path));
  return parse_hardware_config(text, path, gpu);
}

std::vector<std::string> gpu_names() {
  std::vector<std::string> names;
  if (auto entries = read_all_gpus()) {
    for (const GpuEntry& entry : *entries) names.push_back(entry.datasheet.name);
  }
  return names;
}

Result<GpuSpec> find_gpu(std::string_view name, SemanticsMode mode) {
  static Remembered<GpuSpec> of_datasheets;
  static Remembered<GpuSpec> of_reference;
  Remembered<GpuSpec>& known = mode == SemanticsMode::blis ? of_reference : of_datasheets;
  return known.of(std::string(name), [&] { return read_gpu_called(name, mode); });
}

}  // namespace plimsoll
