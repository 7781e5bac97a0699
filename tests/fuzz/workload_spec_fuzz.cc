// Any bytes: a spec whose first requests can be drawn, or an error. Lengths in other files are not
// read, so that nothing is drawn of those.
#include <cstdint>
#include <string>

#include "workload/clients_source.h"
#include "workload/workload_spec.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  auto spec = plimsoll::parse_workload_spec(text, "fuzz");
  if (!spec) {
    plimsoll::format(spec.error());
    return 0;
  }
  if (!plimsoll::validate(*spec) || text.find("file") != std::string::npos) return 0;
  plimsoll::ClientsSource source(*spec, {});
  plimsoll::Request request;
  for (int i = 0; i < 10 && source.next(&request); ++i) {
  }
  return 0;
}
