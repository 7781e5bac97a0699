// Can any case.yaml or requests file of a measured case do harm?
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "validation/case_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace fs = std::filesystem;
  static const fs::path folder =
      fs::temp_directory_path() / ("plimsoll_case_fuzz_" + std::to_string(getpid()));
  static const bool made = fs::create_directories(folder);
  (void)made;
  const std::size_t half = size / 2;
  const auto* text = reinterpret_cast<const char*>(data);
  std::ofstream(folder / "case.yaml").write(text, static_cast<std::streamsize>(half));
  std::ofstream(folder / "requests.csv")
      .write(text + half, static_cast<std::streamsize>(size - half));
  (void)plimsoll::read_case(folder.string());
  return 0;
}
