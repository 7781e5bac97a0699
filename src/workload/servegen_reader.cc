#include "workload/servegen.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "base/text.h"
#include "spec/spec_file.h"
#include "workload/csv.h"

namespace plimsoll {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMaxDatasetBytes = std::int64_t{256} << 20;

void sort_by_start(ServegenClient* client) {
  const auto earlier = [](const auto& a, const auto& b) { return a.start_s < b.start_s; };
  std::stable_sort(client->windows.begin(), client->windows.end(), earlier);
  std::stable_sort(client->lengths.begin(), client->lengths.end(), earlier);
}

/// One row of chunk-<id>-trace.csv: start second, rate, cv, pattern and perhaps shape and scale.
Result<ServegenWindow> parse_window(const CsvReader& row) {
  constexpr std::size_t kLeast = 4;
  if (row.size() < kLeast) {
    return row.error(row.size(), "the row has " + std::to_string(row.size()) + " fields",
                     "start second, rate, cv, pattern[, shape, scale]");
  }
  ServegenWindow window;
  double start = 0;
  if (!parse_double(row.field(0), &start) || start < 0 ||
      start > static_cast<double>(kMaxServegenSecond) || start != std::floor(start)) {
    return row.error(0, "the start must be a whole second in [0, a year]");
  }
  window.start_s = static_cast<std::int64_t>(start);
  if (!parse_double(row.field(1), &window.rate_rps) || window.rate_rps < 0 ||
      window.rate_rps > kMaxRate) {
    return row.error(1, "the rate must be a number of requests per second, at least 0");
  }
  if (!parse_double(row.field(2), &window.cv) || window.cv < 0) {
    return row.error(2, "the coefficient of variation must be a number, at least 0");
  }
  const auto process = servegen_process(row.field(3));
  if (!process) {
    return row.error(3, "unknown arrival pattern \"" + std::string(row.field(3)) + "\"",
                     suggestion(row.field(3), names_of(arrival_processes())));
  }
  window.process = *process;
  if (row.size() > kLeast && !row.field(4).empty() &&
      (!parse_double(row.field(4), &window.shape) || window.shape < 0)) {
    return row.error(4, "the shape must be a number, at least 0");
  }
  return window;
}

// A line of names may come first.
bool is_header(const CsvReader& row) {
  double number = 0;
  return row.size() > 0 && !parse_double(row.field(0), &number);
}

/// "{10: 0.25, 20: 0.75}", the way Python prints a dict; `scale` times the keys, rounded.
bool parse_dict(std::string_view text, double scale, EmpiricalLength* out) {
  std::map<std::int64_t, double> weights;
  if (text.size() < 2 || text.front() != '{' || text.back() != '}') return false;
  text = text.substr(1, text.size() - 2);
  const auto trimmed = [](std::string_view part) {
    const std::size_t begin = std::min(part.find_first_not_of(' '), part.size());
    return part.substr(begin, part.find_last_not_of(' ') + 1 - begin);
  };
  while (!trimmed(text).empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view entry = text.substr(0, comma);
    const std::size_t colon = entry.find(':');
    double value = 0;
    double weight = 0;
    if (colon == std::string_view::npos || !parse_double(trimmed(entry.substr(0, colon)), &value) ||
        !parse_double(trimmed(entry.substr(colon + 1)), &weight) || value < 0 || weight < 0 ||
        value * scale > static_cast<double>(kMaxTokens)) {
      return false;
    }
    if (weight > 0) weights[std::llround(value * scale)] += weight;
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  out->weights.assign(weights.begin(), weights.end());
  return !weights.empty();
}

EmpiricalLength read_dict(SpecMap map, std::string_view key, double scale) {
  EmpiricalLength out;
  const std::string text = map.text(key);
  if (!parse_dict(text, scale, &out) && map.has(key)) {
    map.error(key, "\"" + std::string(key) + "\" must look like \"{10: 0.25, 20: 0.75}\"",
              "values of at least 0, each with its probability");
  }
  return out;
}

/// The numbers of the clients in a folder, from its chunk-<id>-trace.csv.
std::vector<std::int64_t> chunk_numbers(const fs::path& folder) {
  constexpr std::string_view kBegin = "chunk-";
  constexpr std::string_view kEnd = "-trace.csv";
  std::vector<std::int64_t> numbers;
  if (!is_folder(folder.string())) return numbers;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    std::string name = entry.path().filename().string();
    if (!name.starts_with(kBegin) || !name.ends_with(kEnd)) continue;
    name = name.substr(kBegin.size(), name.size() - kBegin.size() - kEnd.size());
    long long number = 0;
    if (parse_int(name, &number)) numbers.push_back(number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

Result<ServegenData> read_published(const fs::path& folder) {
  ServegenData data;
  for (const std::int64_t number : chunk_numbers(folder)) {
    const std::string stem = (folder / ("chunk-" + std::to_string(number))).string();
    TRY(lines, LineReader::open(stem + "-trace.csv"));
    TRY(windows, read_servegen_windows(std::move(lines)));
    const std::string dataset = stem + "-dataset.json";
    TRY(text, read_file(dataset, kMaxDatasetBytes));
    TRY(lengths, parse_servegen_dataset(text, dataset));
    data.clients.push_back({std::to_string(number), std::move(windows), std::move(lengths)});
  }
  return data;
}

std::optional<std::string> existing(const std::string& stem) {
  for (const char* ending : {".csv", ".csv.gz", ".csv.zst"}) {
    if (is_file(stem + ending)) return stem + ending;
  }
  return std::nullopt;
}

Result<ServegenData> read_either(const std::string& path) {
  if (!chunk_numbers(path).empty()) return read_published(path);
  const auto windows = existing(path + "-clients");
  const auto lengths = existing(path + "-lengths");
  if (windows && lengths) {
    TRY(of_windows, LineReader::open(*windows));
    TRY(of_lengths, LineReader::open(*lengths));
    return read_trimmed_servegen(std::move(of_windows), std::move(of_lengths));
  }
  return fail(ErrorKind::io, path + " holds no ServeGen data",
              "expected a folder with chunk-<id>-trace.csv and chunk-<id>-dataset.json, or " +
                  path + "-clients.csv and " + path + "-lengths.csv");
}

}  // namespace

std::optional<ArrivalProcess> servegen_process(std::string_view pattern) {
  const std::string name = to_lower(pattern);
  if (name.empty() || name == "exponential") return ArrivalProcess::poisson;
  return value_of(arrival_processes(), name);
}

Result<std::vector<ServegenWindow>> read_servegen_windows(LineReader lines) {
  CsvReader rows(std::move(lines));
  std::vector<ServegenWindow> windows;
  for (bool first = true;; first = false) {
    TRY(more, rows.next());
    if (!more) return windows;
    if (first && is_header(rows)) continue;
    TRY(window, parse_window(rows));
    windows.push_back(window);
  }
}

Result<std::vector<ServegenLengths>> parse_servegen_dataset(const std::string& text,
                                                            const std::string& name) {
  TRY(file, SpecFile::parse(text, name));
  SpecMap top = file.top();
  std::vector<ServegenLengths> all;
  for (const std::string& key : top.keys()) {
    ServegenLengths lengths;
    double start = 0;
    if (!parse_double(key, &start) || start < 0 ||
        start > static_cast<double>(kMaxServegenSecond)) {
      top.error(key, "the keys are the seconds at which windows start");
      continue;
    }
    lengths.start_s = static_cast<std::int64_t>(start);
    SpecMap window = top.map(key);
    lengths.input = read_dict(window, "input_tokens", 1);
    lengths.output = read_dict(window, "output_tokens", 1);
    if (window.has("reason_ratio")) lengths.reason_percent = read_dict(window, "reason_ratio", 100);
    all.push_back(std::move(lengths));
  }
  return file.finish(std::move(all));
}

const ServegenLengths* ServegenClient::lengths_at(std::int64_t start_s) const {
  const ServegenLengths* found = nullptr;
  for (const ServegenLengths& candidate : lengths) {
    if (candidate.start_s <= start_s) found = &candidate;
  }
  return found;
}

bool ServegenData::is_reasoning() const {
  return !clients.empty() && !clients[0].lengths.empty() &&
         clients[0].lengths[0].reason_percent.has_value();
}

Result<ServegenData> read_servegen(const std::string& path) {
  TRY(data, read_either(path));
  for (ServegenClient& client : data.clients) sort_by_start(&client);
  return data;
}

}  // namespace plimsoll
