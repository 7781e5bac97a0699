// Can any file of a user's own catalog, or of prices, do harm?
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

#include "catalog/catalog.h"
#include "catalog/embedded.h"
#include "catalog/kernels.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace fs = std::filesystem;
  using namespace plimsoll;
  if (size == 0) return 0;
  static const fs::path folder =
      fs::temp_directory_path() / ("plimsoll_catalog_fuzz_" + std::to_string(getpid()));
  constexpr const char* kFiles[]{"gpus/own.yaml", "kernels/own.yaml", "models/me/own.yaml",
                                 "prices.yaml", "step-overheads.yaml"};
  const fs::path file = folder / kFiles[data[0] % std::size(kFiles)];
  fs::remove_all(folder);
  fs::create_directories(file.parent_path());
  std::ofstream(file).write(reinterpret_cast<const char*>(data) + 1,
                            static_cast<std::streamsize>(size - 1));
  (void)read_price_file(file.string());
  if (!use_catalog_folder(folder.string())) return 0;
  (void)find_gpu("own", SemanticsMode::vllm);
  (void)find_kernels("own");
  (void)find_model("me/own");
  (void)read_prices();
  (void)read_step_overheads();
  return 0;
}
