#include "net/metrics_text.h"

#include "base/text.h"

namespace plimsoll {
namespace {

std::string_view name_of(const MetricSample& sample) {
  return std::string_view(sample.first).substr(0, sample.first.find('{'));
}

bool is_called(const MetricSample& sample, std::string_view name) {
  const std::string_view own = name_of(sample);
  return own == name || (own.starts_with(name) && own.substr(name.size()) == "_total");
}

// "name{labels} value" or "name value timestamp"; values of labels may hold spaces.
std::optional<MetricSample> read_line(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.empty() || line.front() == '#') return std::nullopt;
  const std::size_t brace = line.rfind('}');
  const std::size_t space = line.find(' ', brace == std::string_view::npos ? 0 : brace);
  if (space == std::string_view::npos || space == 0) return std::nullopt;
  std::string_view rest = line.substr(space + 1);
  rest = rest.substr(0, rest.find(' '));
  double value = 0;
  if (!parse_double(rest, &value)) return std::nullopt;
  return MetricSample{std::string(line.substr(0, space)), value};
}

}  // namespace

std::vector<MetricSample> read_metrics(std::string_view text, std::size_t most) {
  std::vector<MetricSample> samples;
  for (const std::string_view line : split_at(text, '\n')) {
    if (samples.size() == most) break;
    auto sample = read_line(line);
    if (sample && !name_of(*sample).ends_with("_bucket")) samples.push_back(std::move(*sample));
  }
  return samples;
}

std::optional<double> metric_sum(const std::vector<MetricSample>& samples, std::string_view name) {
  std::optional<double> sum;
  for (const MetricSample& sample : samples) {
    if (is_called(sample, name)) sum = sum.value_or(0) + sample.second;
  }
  return sum;
}

std::string metric_label(const std::vector<MetricSample>& samples, std::string_view name,
                         std::string_view label) {
  for (const MetricSample& sample : samples) {
    if (!is_called(sample, name)) continue;
    for (const char* before : {"{", ","}) {
      const std::string key = before + std::string(label) + "=\"";
      const std::size_t at = sample.first.find(key);
      if (at == std::string::npos) continue;
      const std::size_t begin = at + key.size();
      return sample.first.substr(begin, sample.first.find('"', begin) - begin);
    }
  }
  return {};
}

std::optional<double> prefix_hit_rate(const std::vector<MetricSample>& before,
                                      const std::vector<MetricSample>& after) {
  for (const std::string stem : {"vllm:prefix_cache_", "vllm:gpu_prefix_cache_"}) {
    const auto increase = [&](const char* what) {
      return metric_sum(after, stem + what).value_or(0) -
             metric_sum(before, stem + what).value_or(0);
    };
    const double queries = increase("queries");
    const double hits = increase("hits");
    if (queries > 0 && hits >= 0 && hits <= queries) return hits / queries;
  }
  return std::nullopt;
}

}  // namespace plimsoll
