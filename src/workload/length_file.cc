// Empirical length distributions from files of their own.
#include <algorithm>

#include "base/file.h"
#include "base/text.h"
#include "spec/spec_file.h"
#include "workload/client_reader.h"
#include "workload/csv.h"

namespace plimsoll {
namespace {

using Weights = std::vector<std::pair<std::int64_t, double>>;

Result<Weights> read_map(const std::string& text, const std::string& path) {
  TRY(spec, SpecFile::parse(text, path));
  Weights weights = read_weights(spec.top());
  return spec.finish(std::move(weights));
}

Result<Weights> read_csv(const std::string& text, const std::string& path) {
  TRY(lines, LineReader::over(text, path));
  CsvReader csv(std::move(lines));
  Weights weights;
  for (bool first = true;; first = false) {
    TRY(more, csv.next());
    if (!more) break;
    if (csv.size() != 2) return csv.error(0, "a row is \"tokens,weight\"");
    long long tokens = 0;
    double weight = 0;
    const bool whole = parse_int(csv.field(0), &tokens);
    const bool number = parse_double(csv.field(1), &weight);
    if (first && !whole && !number) continue;  // the names of the columns
    if (!whole || tokens < 0 || tokens > kMaxTokens) {
      return csv.error(0, "expected a number of tokens");
    }
    if (!number || weight < 0 || weight > 1e15) {
      return csv.error(1, "expected a weight of at least 0");
    }
    if (weight > 0) weights.emplace_back(tokens, weight);
  }
  if (weights.empty()) {
    return fail(ErrorKind::spec,
                Diagnostic{path, 0, 0, "no token count has a weight above 0", {}, {}});
  }
  std::sort(weights.begin(), weights.end());
  const auto twice =
      std::adjacent_find(weights.begin(), weights.end(),
                         [](const auto& a, const auto& b) { return a.first == b.first; });
  if (twice != weights.end()) {
    return fail(ErrorKind::spec,
                Diagnostic{path,
                           0,
                           0,
                           "the token count " + std::to_string(twice->first) + " is there twice",
                           "add its weights up",
                           {}});
  }
  return weights;
}

}  // namespace

Result<Weights> read_length_file(const std::string& path) {
  TRY(text, read_file(path));
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  const bool json = start != std::string::npos && ((text)[start] == '{' || (text)[start] == '[');
  return json ? read_map(text, path) : read_csv(text, path);
}

}  // namespace plimsoll
