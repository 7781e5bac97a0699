#include "catalog/hardware_config.h"

#include <optional>

#include "base/file.h"
#include "base/text.h"
#include "spec/spec_file.h"

namespace plimsoll {

Result<GpuSpec> parse_hardware_config(const std::string& text, std::string file,
                                      std::string_view gpu) {
  const std::string path = file;
  auto spec = SpecFile::parse(text, std::move(file));
  if (!spec) return pass_on(spec);
  SpecMap top = spec->top();
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
    if (to_lower(name) == to_lower(gpu)) found = spec_row;
  }
  if (found || !spec->ok()) return spec->finish(found.value_or(GpuSpec{}));
  return fail(
      ErrorKind::spec,
      Diagnostic{
          path, 0, 0, "no GPU \"" + std::string(gpu) + "\" here", suggestion(gpu, names), {}});
}

Result<GpuSpec> read_hardware_config(const std::string& path, std::string_view gpu) {
  auto text = read_file(path);
  if (!text) return pass_on(text);
  return parse_hardware_config(*text, path, gpu);
}

}  // namespace plimsoll
