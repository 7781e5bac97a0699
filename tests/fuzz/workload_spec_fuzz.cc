// Any bytes: a spec whose first requests can be drawn, or an error.
#include <cstdint>
#include <string>

#include "workload/clients_source.h"
#include "workload/workload_spec_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto spec = plimsoll::parse_workload_spec(std::string(data, data + size), "fuzz");
  if (!spec) {
    plimsoll::format(spec.error());
    return 0;
  }
  if (!plimsoll::validate(*spec)) return 0;
  plimsoll::ClientsSource source(*spec, {});
  plimsoll::Request request;
  for (int i = 0; i < 10 && source.next(&request); ++i) {
  }
  return 0;
}
