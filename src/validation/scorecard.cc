#include "validation/validate.h"

#include <set>

#include "stats/average.h"
#include "stats/percentile.h"

namespace plimsoll {
namespace {

using Cases = std::vector<const CaseResult*>;

bool is_usual(const CaseResult& c) { return c.engine == "vllm" && !c.low_confidence; }

ScoreRow row_of(const std::string& group, const std::string& metric, const Cases& cases) {
  std::vector<double> apes;
  std::vector<double> errors;
  double covered = 0;
  double compared = 0;
  for (const CaseResult* c : cases) {
    const auto found = c->metrics.find(metric);
    if (found == c->metrics.end()) continue;
    apes.push_back(found->second.median_ape());
    errors.push_back(found->second.median_error());
    const auto size = static_cast<double>(found->second.comparisons.size());
    covered += found->second.coverage() * size;
    compared += size;
  }
  ScoreRow row{group, metric, apes.size(), 0, 0, 0, 0, 0};
  row.mean_ape = mean_of(apes);
  Percentiles<double> percentiles(std::move(apes));
  row.median_ape = percentiles.at(50);
  row.p90_ape = percentiles.at(90);
  row.bias = Percentiles<double>(std::move(errors)).at(50);
  if (compared > 0) row.coverage90 = covered / compared;
  return row;
}

ScoreRow verdict_row(const std::string& group, const Cases& cases) {
  ScoreRow row{group, "saturated", 0, 0, 0, 0, 0, 0};
  double right = 0;
  for (const CaseResult* c : cases) {
    for (const Verdict& verdict : c->verdicts) {
      ++row.n;
      right += verdict.predicted == verdict.measured ? 1 : 0;
    }
  }
  if (row.n > 0) row.coverage90 = right / static_cast<double>(row.n);
  return row;
}

std::set<std::string> metrics_of(const Cases& cases) {
  std::set<std::string> names;
  for (const CaseResult* c : cases) {
    for (const auto& [name, result] : c->metrics) names.insert(name);
  }
  return names;
}

void add_group(const std::string& group, const Cases& cases, std::vector<ScoreRow>* rows) {
  for (const std::string& metric : metrics_of(cases)) rows->push_back(row_of(group, metric, cases));
  const ScoreRow verdicts = verdict_row(group, cases);
  if (verdicts.n > 0) rows->push_back(verdicts);
}

std::map<std::string, Cases> split(const Cases& cases,
                                   const std::function<std::string(const CaseResult&)>& key) {
  std::map<std::string, Cases> groups;
  for (const CaseResult* c : cases) groups[key(*c)].push_back(c);
  return groups;
}

// Sources count alike, however many cases they have.
ScoreRow average(const std::vector<ScoreRow>& rows, const std::string& metric) {
  ScoreRow out{"all", metric, 0, 0, 0, 0, 0, 0};
  double sources = 0;
  for (const ScoreRow& row : rows) {
    if (row.metric != metric) continue;
    out.n += row.n;
    out.median_ape += row.median_ape;
    out.mean_ape += row.mean_ape;
    out.p90_ape += row.p90_ape;
    out.bias += row.bias;
    out.coverage90 += row.coverage90;
    sources += 1;
  }
  for (double* sum : {&out.median_ape, &out.mean_ape, &out.p90_ape, &out.bias, &out.coverage90}) {
    *sum /= sources;
  }
  return out;
}

}  // namespace

std::vector<ScoreRow> scorecard(const std::vector<CaseResult>& cases) {
  Cases usual;
  Cases normal;
  Cases low;
  for (const CaseResult& c : cases) {
    if (is_usual(c)) usual.push_back(&c);
    (c.low_confidence ? low : normal).push_back(&c);
  }
  std::vector<ScoreRow> by_source;
  for (const auto& [source, members] : split(usual, [](const CaseResult& c) { return c.source; })) {
    add_group("source:" + source, members, &by_source);
  }
  std::vector<ScoreRow> rows;
  std::set<std::string> metrics = metrics_of(usual);
  if (verdict_row("", usual).n > 0) metrics.insert("saturated");
  for (const std::string& metric : metrics) rows.push_back(average(by_source, metric));
  rows.insert(rows.end(), by_source.begin(), by_source.end());
  const auto add_split = [&](const char* prefix, const Cases& members,
                             const std::function<std::string(const CaseResult&)>& key) {
    for (const auto& [name, group] : split(members, key)) add_group(prefix + name, group, &rows);
  };
  add_split("gpu:", usual, [](const CaseResult& c) { return c.gpu; });
  add_split("model:", usual, [](const CaseResult& c) { return c.model; });
  add_split("regime:", usual,
            [](const CaseResult& c) { return std::string(name_of(c.error.regime)); });
  add_split("engine:", normal, [](const CaseResult& c) { return c.engine; });
  if (!low.empty()) add_group("confidence:low", low, &rows);
  return rows;
}

}  // namespace plimsoll
