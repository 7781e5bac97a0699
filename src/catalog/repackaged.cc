#include "catalog/repackaged.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <utility>

#include "base/lists.h"
#include "base/text.h"
#include "catalog/catalog.h"

namespace plimsoll {
namespace {

// Who publishes weights of others under their names.
constexpr std::string_view kRepackagers[]{
    "amd",
    "casperhansen",
    "cognitivecomputations",
    "cpatonn",
    "cyankiwi",
    "hugging-quants",
    "inferencebench",
    "neuralmagic",
    "nm-testing",
    "nvidia",
    "quanttrio",
    "redhatai",
    "thebloke",
    "solidrust",
    "techxgenus",
    "unsloth",
    "lmsys",
    "lmstudio-community",
    "modelcloud",
    "intel",
};

// How it was trained, and packaging that changes no weight.
constexpr std::string_view kTraining[]{"base", "chat",     "hf",   "it",
                                       "pt",   "instruct", "text", "unsloth"};

constexpr std::string_view k16Bits = "bf16";

struct Word {
  std::string_view word;
  std::string_view weights;  ///< empty: says nothing of the width
};

constexpr Word kWeights[]{
    {"bf16", k16Bits},  {"fp16", k16Bits}, {"fp8", "fp8"},    {"float8", "fp8"},  {"dynamic", ""},
    {"static", ""},     {"pertensor", ""}, {"block", ""},     {"awq", "int4"},    {"gptq", "int4"},
    {"int4", "int4"},   {"4bit", "int4"},  {"w4a16", "int4"}, {"bnb", ""},        {"quantized", ""},
    {"g128", ""},       {"kv", ""},        {"autoround", ""}, {"nvfp4", "nvfp4"}, {"fp4", "nvfp4"},
    {"mxfp4", "mxfp4"},
};

// Weights that cannot be served here, or that are none of the above.
constexpr std::string_view kUnknown[]{"gguf", "int8", "8bit", "w8a8", "w8a16", "exl2",
                                      "exl3", "mlx",  "onnx", "2bit", "3bit",  "6bit",
                                      "int3", "int2", "fp32", "w4a8"};

bool is_one_of(std::string_view word, const auto& words) {
  return std::ranges::find(words, word) != std::end(words);
}

// Month and day, or year and month: "0528", "2507".
bool is_date(std::string_view word) {
  long long number = 0;
  if (word.size() != 4 || word.find_first_not_of("0123456789") != std::string_view::npos) {
    return false;
  }
  if (!parse_int(word.front() == '0' ? word.substr(1) : word, &number)) return false;
  const long long high = number / 100;
  const long long low = number % 100;
  const bool month_and_day = high >= 1 && high <= 12 && low >= 1 && low <= 31;
  const bool year_and_month = high >= 23 && high <= 30 && low >= 1 && low <= 12;
  return month_and_day || year_and_month;
}

// At dashes, and at the point of "quantized.w4a16".
std::vector<std::string> words_of_name(std::string_view name) {
  std::string text = to_lower(name);
  if (const std::size_t at = text.find("quantized."); at != std::string::npos) text[at + 9] = '-';
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('-', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

// Who publishes a maker's own files again.
constexpr std::string_view kMirrors[]{"unsloth", "lmstudio-community"};

// Files of Qwen's have a scale for each block of weights, and so have those that say so.
std::string fp8_of(const std::vector<std::string>& words, const std::string& maker) {
  constexpr std::string_view kWhole[]{"dynamic", "static", "pertensor"};
  const auto says = [&](const auto& any) {
    return std::ranges::any_of(words, [&](const std::string& w) { return is_one_of(w, any); });
  };
  if (says(std::vector<std::string_view>{"block"})) return "fp8-block";
  return maker == "qwen" && !says(kWhole) ? "fp8-block" : "fp8";
}

// Digits of a year and a month, "2411"; 0: it names none.
std::int64_t month_of(const ModelName& name) {
  for (const std::string& word : name.training) {
    long long number = 0;
    if (is_date(word) && parse_int(word, &number) && number >= 2300) return number;
  }
  return 0;
}

// What came later under the same name may be another model.
bool is_newer(const ModelName& asked, const ModelName& entry) {
  return month_of(entry) > 0 && month_of(asked) > month_of(entry);
}

// "a3b": how many parameters a token takes, which people leave out.
bool is_active_size(std::string_view word) {
  return word.size() > 2 && word.front() == 'a' && word.back() == 'b' &&
         word.substr(1, word.size() - 2).find_first_not_of("0123456789.") == std::string_view::npos;
}

// "v0.3"
bool is_version(std::string_view word) {
  return word.size() > 1 && word.front() == 'v' &&
         word.substr(1).find_first_not_of("0123456789.") == std::string_view::npos;
}

std::string without(const std::string& model, bool (*is_left_out)(std::string_view)) {
  std::vector<std::string> words = words_of_name(model);
  std::erase_if(words, is_left_out);
  return join(words, "-");
}

std::string version_of(const std::string& model) {
  const std::vector<std::string> words = words_of_name(model);
  const auto version = std::ranges::find_if(words, is_version);
  return version == words.end() ? "" : *version;
}

// Of all words that name any, each once and in their order.
std::vector<std::string> weights_among(const std::vector<std::string>& words) {
  std::vector<std::string> named;
  for (const std::string& word : words) {
    const auto row = std::ranges::find(kWeights, word, &Word::word);
    if (row == std::end(kWeights) || row->weights.empty()) continue;
    if (!is_one_of(row->weights, named)) named.emplace_back(row->weights);
  }
  return named;
}

bool is_owner_of(const ModelName& asked, const ModelName& entry) {
  return asked.owner.empty() || asked.owner == entry.owner || is_one_of(asked.owner, kRepackagers);
}

// A catalog may have the base and the instruct checkpoint of one model.
std::int64_t likeness(const ModelName& asked, const ModelName& entry) {
  const auto shared = std::ranges::count_if(
      entry.training, [&](const std::string& word) { return is_one_of(word, asked.training); });
  return 4 * shared - 2 * std::ssize(entry.training) + (asked.weights == entry.weights ? 1 : 0);
}

// What is not quantised may be in the catalog under either name.
bool has_16_bits(const ModelName& entry) {
  return entry.weights.empty() || entry.weights == k16Bits;
}

// `is_same` says which names of models are the same.
std::optional<Repackaged> closest(std::string_view id, const auto& is_same) {
  std::optional<Repackaged> best;
  std::pair<std::string, std::int64_t> most;
  for (const std::string& candidate : model_names()) {
    const auto entry = model_name(candidate);
    if (!entry) continue;
    const auto asked = model_name(id, entry->owner);
    if (!asked || !is_same(asked->model, entry->model) || !is_owner_of(*asked, *entry)) continue;
    if (is_newer(*asked, *entry)) continue;
    const bool same_weights = entry->weights == asked->weights;
    if (!same_weights && !has_16_bits(*entry)) continue;
    const std::pair alike(version_of(entry->model), likeness(*asked, *entry));
    if (best && alike <= most) continue;
    most = alike;
    best = Repackaged{candidate, same_weights ? "" : asked->weights};
  }
  return best;
}

}  // namespace

std::string contradiction_in(std::string_view id) {
  const auto named = weights_among(words_of_name(id.substr(id.find('/') + 1)));
  return named.size() > 1 ? join(named, " and ") : "";
}

std::optional<ModelName> model_name(std::string_view id, std::string_view maker) {
  ModelName name;
  const std::size_t slash = id.find('/');
  if (slash != std::string_view::npos) name.owner = to_lower(id.substr(0, slash));
  std::vector<std::string> kept;
  const std::vector<std::string> words = words_of_name(id.substr(slash + 1));
  const std::vector<std::string> weights = weights_among(words);
  if (weights.size() > 1) return std::nullopt;
  if (!weights.empty()) name.weights = weights.front();
  for (const std::string& word : words) {
    if (is_one_of(word, kUnknown)) return std::nullopt;
    if (contains(kWeights, word, &Word::word)) continue;
    if (is_one_of(word, kTraining) || is_date(word)) {
      name.training.push_back(word);
    } else if (word != "meta" || !kept.empty()) {  // Meta-Llama-3.1 is Llama-3.1
      kept.push_back(word);
    }
  }
  name.model = join(kept, "-");
  const bool copies = name.owner.empty() || is_one_of(name.owner, kMirrors);
  if (name.weights == "fp8") {
    name.weights = fp8_of(words, copies ? std::string(maker) : name.owner);
  }
  return name;
}

std::optional<Repackaged> repackaged_from(std::string_view id) {
  constexpr std::size_t kLongest = 200;  // twice what Hugging Face allows
  if (id.size() > kLongest) return std::nullopt;
  if (auto same = closest(id, std::equal_to<>())) return same;
  return closest(id, [](const std::string& asked, const std::string& entry) {
    return asked == without(entry, is_active_size) || asked == without(entry, is_version);
  });
}

}  // namespace plimsoll
