// Can any case.yaml or requests file of a measured case do harm? An input is one after the other.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <unistd.h>

#include "validation/case.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace fs = std::filesystem;
  static const fs::path folder =
      fs::temp_directory_path() / ("plimsoll_case_fuzz_" + std::to_string(getpid()));
  static const bool made = fs::create_directories(folder);
  (void)made;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t header = text.find("arrival_s,");
  const std::size_t requests = header == text.npos ? size / 2 : header;
  std::ofstream(folder / "case.yaml") << text.substr(0, requests);
  std::ofstream(folder / "requests.csv") << text.substr(requests);
  (void)plimsoll::read_case(folder.string());
  return 0;
}
