// Can any table of a user's GPUs do harm?
#include <cstddef>
#include <cstdint>
#include <string>

#include "catalog/gpu.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  (void)plimsoll::parse_hardware_config(text, "gpus.json", "H100");
  return 0;
}
