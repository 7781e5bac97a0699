// Can any text of a forecast request do harm?
#include <cstddef>
#include <cstdint>
#include <string>

#include "forecast/demand/forecast_request.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  (void)plimsoll::parse_forecast_request(text, "forecast.yaml");
  return 0;
}
