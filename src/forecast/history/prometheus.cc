#include "forecast/history/prometheus.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "base/lists.h"
#include "base/text.h"
#include "forecast/history/counter_series.h"
#include "forecast/history/recorded_counters.h"

namespace plimsoll {
namespace {

// Names as the metrics of vLLM (docs.vllm.ai, "Production Metrics") and SGLang have them.
constexpr KnownCounter kCounters[]{{"vllm:request_success_total", "requests"},
                                   {"vllm:prompt_tokens_total", "prompt_tokens"},
                                   {"vllm:generation_tokens_total", "output_tokens"},
                                   {"vllm:prefix_cache_hits_total", "cached_prompt_tokens"},
                                   kPromptBuckets,
                                   kOutputBuckets,
                                   {"sglang:num_requests_total", "requests"},
                                   {"sglang:prompt_tokens_total", "prompt_tokens"},
                                   {"sglang:generation_tokens_total", "output_tokens"},
                                   {"sglang:cached_tokens_total", "cached_prompt_tokens"}};

std::string query_hint() { return query_for(kCounters); }

/// Rows from counters.
class RowMaker {
 public:
  RowMaker(const std::string& file, const HistoryOptions& options, RecordedCounters counters)
      : file_(file), options_(options), counters_(std::move(counters)) {}

  Result<HistoryRows> make() {
    const TrafficShape shape = take_length_buckets(&counters_.series);
    if (counters_.series.empty()) {
      return wrong("no series is a counter of requests or tokens" +
                       (counters_.ignored.empty() ? "" : ": there is " + counters_.some_ignored()),
                   query_hint());
    }
    TRY_TO(check_requests());
    TRY(out, rows());
    out.shape = shape;
    return out;
  }

 private:
  tl::unexpected<Error> wrong(std::string message, std::string hint) const {
    return fail_in(ErrorKind::spec, file_, std::move(message), std::move(hint));
  }

  // Without its counter of requests, a file of another engine would have tokens of no request.
  Result<void> check_requests() const {
    if (find_in(counters_.series, std::string_view("requests"), &CounterSeries::column) != nullptr)
      return {};
    std::vector<std::string> alike;
    for (const std::string& name : counters_.ignored) {
      const bool counts_requests = name.find("request") != std::string::npos;
      if (counts_requests && name.ends_with("_total")) alike.push_back(name);
    }
    if (alike.empty()) return {};
    return wrong(
        "no counter of requests is known, but " + join(alike, ", ") +
            (alike.size() == 1 ? " looks like one" : " look like one"),
        "rename what counts requests to vllm:request_success_total; if nothing does, leave "
        "it out of the query");
  }

  // Those whose counter had something when others were counted already.
  void note_late(double first, double step_s, CounterBreaks* breaks) const {
    for (const CounterSeries& series : counters_.series) {
      const CounterSample& begin = series.samples.front();
      if (begin.time_s < first + step_s / 2 || begin.value <= 0) continue;
      breaks->late += 1;
      breaks->late_s = std::max(breaks->late_s, begin.time_s);
    }
  }

  // That were still scraped then.
  std::int64_t instances_at(double time_s) const {
    std::set<std::string> instances;
    for (const CounterSeries& series : counters_.series) {
      if (series.samples.back().time_s >= time_s) instances.insert(series.instance);
    }
    return std::ssize(instances);
  }

  // One deployment serves one model: its demand is not that of others beside it.
  Result<void> check_models() const {
    if (counters_.models.size() <= 1 || !options_.route_label.empty()) return {};
    return wrong("the answer counts " + counted(std::ssize(counters_.models), "model") + ": " +
                     join({counters_.models.begin(), counters_.models.end()}, ", "),
                 std::string("ask for {") + kModelLabel +
                     "=\"...\"} alone, or let them be routes (route_label: " + kModelLabel + ")");
  }

  Result<HistoryRows> rows() {
    TRY_TO(check_models());
    CounterBreaks breaks;
    breaks.repeated = counters_.repeated;
    const double step_s = whole_step_s(counters_.step_s);
    if (step_s <= 0) return wrong("no series has two samples: there is no step", query_hint());
    double first = INFINITY;
    double last = 0;
    for (const CounterSeries& series : counters_.series) {
      first = std::min(first, series.samples.front().time_s);
      last = std::max(last, series.samples.back().time_s);
    }
    if ((last - first) / step_s > kMostHistorySteps)
      return wrong("there are more than a million steps", "ask for a step of an hour");
    const std::size_t steps = whole_steps(last - first, step_s);
    if (steps == 0) return wrong("the samples span less than one step", query_hint());
    HistoryRows out;
    out.file = file_;
    for (const CounterSeries& series : counters_.series) {
      if (!contains(out.names, series.column)) out.names.push_back(series.column);
    }
    std::map<std::string, std::vector<std::vector<double>>> counts;  // by route, column and step
    note_late(first, step_s, &breaks);
    for (const CounterSeries& series : counters_.series) {
      auto& columns = counts[series.route];
      columns.resize(out.names.size(), std::vector<double>(steps));
      const auto column = std::ranges::find(out.names, series.column) - out.names.begin();
      add_counts(series, first, step_s, &columns[static_cast<std::size_t>(column)], &breaks);
    }
    for (const auto& [route, columns] : counts) {
      HistoryRoute& added = out.routes.emplace_back(HistoryRoute{route, {}});
      for (std::size_t i = 0; i < steps; ++i) {
        HistoryRow row;
        row.ns = std::llround((first + step_s * static_cast<double>(i)) * 1e6) * 1000;
        for (const auto& column : columns) row.values.push_back(column[i]);
        added.rows.push_back(std::move(row));
      }
    }
    out.calendar = true;
    out.notes = breaks.notes(first, step_s);
    // Which of several models one of them serves, only its own counters tell.
    if (counters_.models.size() <= 1) out.instances = instances_at(last - 1.5 * step_s);
    if (!counters_.ignored.empty())
      out.notes.push_back("not read, as they count no demand: " + counters_.some_ignored());
    return out;
  }

  const std::string& file_;
  const HistoryOptions& options_;
  RecordedCounters counters_;
};

}  // namespace

bool is_prometheus(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  return begin != std::string_view::npos && (text[begin] == '{' || text[begin] == '[');
}

bool is_prometheus_file(const std::string& path) { return is_prometheus(beginning_of(path)); }

Result<HistoryRows> read_prometheus_rows(const std::string& text, const std::string& file,
                                         const HistoryOptions& options) {
  TRY(counters, read_counters(text, file, kCounters, options.route_label));
  return RowMaker(file, options, std::move(counters)).make();
}

}  // namespace plimsoll
