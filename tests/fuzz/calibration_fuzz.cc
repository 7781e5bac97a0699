// Can any calibration file do harm, and is what is read of one written as it can be read again?
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "perf/calibration.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto read = plimsoll::parse_calibration(text, "calibration.yaml");
  if (!read) return 0;
  const std::string written = plimsoll::calibration_text(*read);
  const auto again = plimsoll::parse_calibration(written, "written.yaml");
  if (!again || plimsoll::calibration_text(*again) != written) std::abort();
  return 0;
}
