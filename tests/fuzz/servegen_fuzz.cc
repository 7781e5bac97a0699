// Any bytes as each of the files of ServeGen data: data or an error, never a crash; what is read
// becomes a specification.
#include <cstdint>
#include <string>
#include <utility>

#include "workload/servegen.h"

using plimsoll::LineReader;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  auto lines = LineReader::over(text, "fuzz");
  auto windows = lines ? plimsoll::read_servegen_windows(std::move(*lines))
                       : plimsoll::Result<std::vector<plimsoll::ServegenWindow>>();
  auto lengths = plimsoll::parse_servegen_dataset(text, "fuzz");
  plimsoll::ServegenData published;
  published.clients.push_back({"0", {}, {}});
  if (windows) published.clients[0].windows = *windows;
  if (lengths) published.clients[0].lengths = *lengths;
  (void)plimsoll::servegen_cohorts(published, {});
  (void)plimsoll::servegen_clients(published, {});

  // Two files in one: parted at the first zero byte.
  const std::size_t cut = std::min(text.find('\0'), text.size());
  auto trimmed_windows = LineReader::over(text.substr(0, cut), "windows");
  auto trimmed_lengths = LineReader::over(text.substr(std::min(cut + 1, text.size())), "lengths");
  if (!trimmed_windows || !trimmed_lengths) return 0;
  auto trimmed =
      plimsoll::read_trimmed_servegen(std::move(*trimmed_windows), std::move(*trimmed_lengths));
  if (trimmed) (void)plimsoll::servegen_cohorts(*trimmed, {});
  return 0;
}
