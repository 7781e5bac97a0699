#include "workload/workload_spec.h"

#include <algorithm>

namespace plimsoll {

std::vector<LengthDistribution*> lengths_of(ClientSpec* client) {
  std::vector<LengthDistribution*> all{&client->input, &client->output};
  const auto add = [&](std::optional<LengthDistribution>& length) {
    if (length) all.push_back(&*length);
  };
  for (WindowSpec& window : client->windows) {
    add(window.input);
    add(window.output);
  }
  if (client->multimodal) {
    add(client->multimodal->text);
    for (auto* part :
         {&client->multimodal->image, &client->multimodal->audio, &client->multimodal->video}) {
      if (!*part) continue;
      all.push_back(&(*part)->tokens);
      all.push_back(&(*part)->count);
    }
  }
  if (client->reasoning) add(client->reasoning->reason_ratio);
  return all;
}

const PartSpec* WorkloadSpec::part(const std::string& name) const {
  const auto found = std::find_if(parts.begin(), parts.end(),
                                  [&](const PartSpec& part) { return part.name == name; });
  return found == parts.end() ? nullptr : &*found;
}

}  // namespace plimsoll
