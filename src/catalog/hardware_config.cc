#include "catalog/hardware_config.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/file.h"
#include "base/text.h"
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
    gpu->kernels = (std::filesystem::path(file).parent_path() / *kernels).string();
    return;
  }
  const std::vector<std::string> names = kernel_names();
  if (std::find(names.begin(), names.end(), *kernels) == names.end()) {
    row.error("Kernels", "no kernels \"" + *kernels + "\" are built in",
              suggestion(*kernels, names) + "; a file of your own ends in .yaml");
  }
  gpu->kernels = *kernels;
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
  return fail(
      ErrorKind::spec,
      Diagnostic{
          path, 0, 0, "no GPU \"" + std::string(gpu) + "\" here", suggestion(gpu, names), {}});
}

Result<GpuSpec> read_hardware_config(const std::string& path, std::string_view gpu) {
  TRY(text, read_file(path));
  return parse_hardware_config(text, path, gpu);
}

}  // namespace plimsoll
