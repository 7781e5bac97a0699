#include "workload/presets.h"

#include "base/text.h"

namespace plimsoll {

const std::vector<Preset>& presets() {
  // Each row: mean, standard deviation, minimum, maximum of prompt and output tokens.
  static const std::vector<Preset> table{
      {"chatbot", "short questions, short answers", {256, 100, 2, 800}, {256, 100, 1, 1024}},
      {"contentgen", "a brief becomes a text", {1024, 150, 10, 2048}, {1024, 200, 10, 2048}},
      {"summarization", "long text, short answer", {4096, 500, 100, 8192}, {512, 150, 10, 2048}},
      {"multidoc", "many documents, long answer", {10240, 1200, 500, 20480}, {1536, 300, 50, 4096}},
  };
  return table;
}

Result<Preset> find_preset(const std::string& name) {
  std::vector<std::string> names;
  for (const Preset& preset : presets()) {
    if (preset.name == name) return preset;
    names.push_back(preset.name);
  }
  return fail(ErrorKind::usage, "unknown workload \"" + name + "\"", suggestion(name, names));
}

}  // namespace plimsoll
