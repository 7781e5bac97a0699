#include "workload/trace_v2_prefixes.h"

#include "base/text.h"
#include "workload/trace_v2_columns.h"

namespace plimsoll::trace_v2 {

void PrefixGroups::add(std::string_view name, std::int64_t tokens) {
  if (name.empty()) return group_.push_back(kNoGroup);
  const std::size_t number = numbers_.emplace(name, numbers_.size()).first->second;
  if (number == tokens_.size()) tokens_.push_back(0);
  if (tokens_[number] == 0) tokens_[number] = tokens;
  group_.push_back(number);
}

void PrefixGroups::settle(Workload* workload) const {
  if (tokens_.empty()) return;
  for (std::size_t g = 0; g < tokens_.size(); ++g) {
    workload->prefix_segments.push_back({shared_content(g), tokens_[g]});
  }
  for (std::size_t i = 0; i < group_.size(); ++i) {
    const std::size_t g = group_[i];
    const std::int64_t tokens = g == kNoGroup ? 0 : tokens_[g];
    workload->prefix_begin.push_back(tokens > 0 ? static_cast<std::uint32_t>(g) : 0);
    workload->prefix_count.push_back(tokens > 0 ? 1 : 0);
    workload->input_tokens[i] += static_cast<std::int32_t>(tokens);  // both bounded: it fits
  }
}

void PrefixPaths::add(CsvTable& table, std::int64_t id, std::int64_t prompt_tokens,
                      Workload* workload) {
  std::string_view rest = table.text(prefix_path);
  const std::size_t begin = workload->prefix_segments.size();
  if (begin + rest.size() > std::numeric_limits<std::uint32_t>::max()) {
    return table.error(prefix_path, "the trace has too many prefixes", "replay a part of it");
  }
  problem_.clear();
  bool reusable = false;
  std::int64_t left = prompt_tokens;
  while (!rest.empty()) {
    const std::size_t space = std::min(rest.find(' '), rest.size());
    const std::string_view word = rest.substr(0, space);
    rest.remove_prefix(std::min(space + 1, rest.size()));
    reusable = word == "+" && rest.empty();
    if (reusable || read_segment(word, &left, workload)) continue;
    table.error(prefix_path,
                problem_.empty()
                    ? "\"" + std::string(word.substr(0, 40)) + "\" is not a part of a prefix"
                    : problem_,
                "parts are sNUMBER:TOKENS or rREQUEST:TOKENS, one space between them, \"+\" last");
    return;
  }
  workload->prefix_begin.push_back(static_cast<std::uint32_t>(begin));
  workload->prefix_count.push_back(
      static_cast<std::uint32_t>(workload->prefix_segments.size() - begin));
  workload->reusable.push_back(reusable ? 1 : 0);
  rows_.emplace(id, reusable);
}

bool PrefixPaths::read_segment(std::string_view text, std::int64_t* left, Workload* workload) {
  const std::size_t colon = text.find(':');
  long long of = 0;
  long long tokens = 0;
  if (colon == std::string_view::npos || (text.front() != 's' && text.front() != 'r')) return false;
  if (!parse_int(text.substr(1, colon - 1), &of) || of < 0) return false;
  if (!parse_int(text.substr(colon + 1), &tokens) || tokens < 1) return false;
  if (tokens > *left) {
    problem_ = "the prefix is longer than the prompt";
    return false;
  }
  *left -= tokens;
  if (text.front() == 'r') {
    const auto named = rows_.find(of);
    if (named == rows_.end() || !named->second) {
      problem_ = "request " + std::to_string(of) +
                 (named == rows_.end() ? " is not in a row above" : " does not end in \"+\"");
      return false;
    }
    references_.push_back({workload->prefix_segments.size(), of});
  }
  workload->prefix_segments.push_back({shared_content(static_cast<std::uint64_t>(of)), tokens});
  return true;
}

void PrefixPaths::settle(Workload* workload) const {
  if (references_.empty()) return;
  std::unordered_map<std::int64_t, std::size_t> place;
  for (std::size_t i = 0; i < workload->size(); ++i) place.emplace(workload->id[i], i);
  for (const Reference& reference : references_) {
    workload->prefix_segments[reference.segment].content = unique_content(place.at(reference.id));
  }
}

}  // namespace plimsoll::trace_v2
