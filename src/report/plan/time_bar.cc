#include <fmt/format.h>

#include "base/text.h"
#include "report/form/markup.h"
#include "report/form/svg.h"
#include "report/plan/charts.h"

namespace plimsoll {

std::string time_figure(const Bottleneck& b) {
  const std::vector<BarPart> parts{{"waiting at the gateway", b.gateway_share, 3},
                                   {"waiting in a queue", b.queue_share, 4},
                                   {"prefill", b.prefill_share, 2},
                                   {"held up by prompts of others", b.prefill_stall_share, 3},
                                   {"decode", b.decode_share, 1},
                                   {"preempted", b.preemption_share, 4}};
  std::vector<std::string> words;
  std::string keys;
  for (const BarPart& part : parts) {
    if (part.share < 0.0005) continue;
    words.push_back(part.name + " " + percent(part.share));
    keys += element("span", "",
                    fmt::format("<i class=\"key p{}\"></i>{}", part.shade, escaped(words.back())));
  }
  if (words.empty()) return {};
  return bar_svg(parts, join(words, ", ")) + element("p", "class=\"small parts\"", keys) + "\n";
}

}  // namespace plimsoll
