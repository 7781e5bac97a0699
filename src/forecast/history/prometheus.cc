#include "forecast/history/prometheus.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <tuple>

#include "base/file.h"
#include "base/json.h"
#include "base/lists.h"
#include "base/printable.h"
#include "base/text.h"
#include "forecast/history/counter_series.h"

namespace plimsoll {
namespace {

struct Counter {
  std::string_view metric;
  std::string_view column;  ///< of a history
};

// Names as the metrics of vLLM (docs.vllm.ai, "Production Metrics") and SGLang have them.
constexpr Counter kCounters[]{{"vllm:request_success_total", "requests"},
                              {"vllm:prompt_tokens_total", "prompt_tokens"},
                              {"vllm:generation_tokens_total", "output_tokens"},
                              {"vllm:prefix_cache_hits_total", "cached_prompt_tokens"},
                              {"sglang:num_requests_total", "requests"},
                              {"sglang:prompt_tokens_total", "prompt_tokens"},
                              {"sglang:generation_tokens_total", "output_tokens"},
                              {"sglang:cached_tokens_total", "cached_prompt_tokens"}};

constexpr const char* kModelLabel = "model_name";  // of both engines

// What to ask a server of vLLM.
std::string query_hint() {
  std::vector<std::string> names;
  for (const Counter& counter : kCounters) {
    if (counter.metric.starts_with("vllm:")) names.emplace_back(counter.metric);
  }
  return "query_range of {__name__=~\"" + join(names, "|") + "\"}, without rate() or sum()";
}

// Which server of Prometheus scraped an instance, and which of a pair of them: labels that are
// added when series are read from several (prometheus.io, "external_labels"; Prometheus Operator).
bool tells_servers_apart(std::string_view label, const Json& labels) {
  constexpr std::string_view kServers[]{"prometheus", "prometheus_replica", "__replica__",
                                        "prometheus_server"};
  if (contains(kServers, label)) return true;
  return label == "replica" && labels.contains("instance");
}

std::string target_of(const Json& labels) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : labels.items()) {
    if (!tells_servers_apart(name, labels)) parts.push_back(name + "=" + value.dump());
  }
  std::ranges::sort(parts);
  return join(parts, ",");
}

class ResponseReader {
 public:
  ResponseReader(std::string file, const HistoryOptions& options)
      : file_(std::move(file)), options_(options) {}

  Result<HistoryRows> read(const std::string& text) {
    const Json response = Json::parse(text);
    if (response.is_null()) return wrong("the file is not complete JSON", query_hint());
    if (response.is_array()) {
      for (const Json& each : response) TRY_TO(read_response(each));
    } else {
      TRY_TO(read_response(response));
    }
    if (series_.empty()) {
      return wrong("no series is a counter of requests or tokens" +
                       (ignored_.empty() ? "" : ": there is " + some_ignored()),
                   query_hint());
    }
    TRY_TO(check_requests());
    return rows();
  }

 private:
  tl::unexpected<Error> wrong(std::string message, std::string hint) const {
    return fail_in(ErrorKind::spec, file_, std::move(message), std::move(hint));
  }

  std::string some_ignored() const {
    constexpr std::size_t kMost = 3;
    std::vector<std::string> names(ignored_.begin(), ignored_.end());
    const std::size_t more = names.size() - std::min(names.size(), kMost);
    names.resize(names.size() - more);
    return join(names, ", ") + (more > 0 ? " and " + std::to_string(more) + " more" : "");
  }

  // Without its counter of requests, a file of another engine would have tokens of no request.
  Result<void> check_requests() const {
    if (find_in(series_, std::string_view("requests"), &CounterSeries::column) != nullptr)
      return {};
    std::vector<std::string> alike;
    for (const std::string& name : ignored_) {
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

  Result<void> read_response(const Json& response) {
    if (const std::string& error = response["error"].as_string(); !error.empty())
      return wrong("Prometheus answered with an error: " + visible(error), query_hint());
    const Json& data = response["data"];
    if (data["resultType"].as_string() != "matrix" || !data["result"].is_array())
      return wrong("the response is not a matrix: data.resultType is not \"matrix\"", query_hint());
    for (const Json& result : data["result"]) TRY_TO(read_series(result));
    return {};
  }

  Result<void> read_series(const Json& result) {
    const Json& labels = result["metric"];
    const std::string& name = labels["__name__"].as_string();
    if (name.empty()) {
      return wrong("a series has no __name__: rate(), increase() and sum() drop it", query_hint());
    }
    const auto* counter = std::ranges::find(kCounters, name, &Counter::metric);
    if (counter == std::end(kCounters)) {
      ignored_.insert(visible(name));
      return {};
    }
    CounterSeries series;
    series.metric = name;
    series.target = target_of(labels);
    series.column = counter->column;
    if (const std::string& model = labels[kModelLabel].as_string(); !model.empty())
      models_.insert(visible(model));
    if (!options_.route_label.empty()) {
      series.route = labels[options_.route_label].as_string();
      if (series.route.empty()) {
        return wrong("a series of " + name + " has no label \"" + options_.route_label + "\"",
                     "\"route_label\" names the label that tells routes apart");
      }
      if (const std::string fault = fault_of_name(series.route); !fault.empty())
        return wrong("the label \"" + options_.route_label + "\" " + fault, kOneLine);
    }
    for (const Json& pair : result["values"]) TRY_TO(read_sample(name, pair, &series));
    if (!series.samples.empty()) series_.push_back(std::move(series));
    return {};
  }

  Result<void> read_sample(const std::string& name, const Json& pair, CounterSeries* series) {
    const bool is_pair = pair.is_array() && pair.size() == 2 && pair.front().is_number();
    const std::string text = is_pair ? (pair.end() - 1)->as_string() : std::string();
    CounterSample sample;
    if (!is_pair || text.empty())
      return wrong("a sample of " + name + " is not [seconds, \"value\"]", query_hint());
    if (text == "NaN") return {};
    sample.time_s = pair.front().as_double();
    const bool is_count = parse_double(text, &sample.value) && sample.value >= 0;
    if (!is_count || !(sample.time_s > 0) || sample.time_s > 8e9) {
      return wrong("a sample of " + name + " at " + shortest(sample.time_s) + " is \"" +
                       visible(text) + "\", and a counter is a number >= 0",
                   query_hint());
    }
    if (!series->samples.empty() && sample.time_s <= series->samples.back().time_s)
      return wrong("the samples of " + name + " are not in chronological order", query_hint());
    series->samples.push_back(sample);
    return {};
  }

  // The median distance of neighbours.
  double step() const {
    std::vector<double> steps;
    for (const CounterSeries& series : series_) {
      for (std::size_t i = 1; i < series.samples.size(); ++i)
        steps.push_back(series.samples[i].time_s - series.samples[i - 1].time_s);
    }
    if (steps.empty()) return 0;
    const auto middle = steps.begin() + std::ssize(steps) / 2;
    std::nth_element(steps.begin(), middle, steps.end());
    return *middle;
  }

  // What two servers of Prometheus have of one instance counts once; what one of them has of
  // different times is one series.
  void join_series(CounterBreaks* breaks) {
    std::ranges::stable_sort(series_, {}, [](const CounterSeries& s) {
      return std::tuple(s.metric, s.target, s.samples.front().time_s);
    });
    std::vector<CounterSeries> joined;
    for (CounterSeries& series : series_) {
      CounterSeries* before = joined.empty() ? nullptr : &joined.back();
      if (before == nullptr || before->metric != series.metric || before->target != series.target) {
        joined.push_back(std::move(series));
      } else if (before->samples.back().time_s < series.samples.front().time_s) {
        before->samples.insert(before->samples.end(), series.samples.begin(), series.samples.end());
      } else {
        breaks->repeated += 1;
        if (series.samples.size() > before->samples.size()) *before = std::move(series);
      }
    }
    series_ = std::move(joined);
  }

  // Those whose counter had something when others were counted already.
  void note_late(double first, double step_s, CounterBreaks* breaks) const {
    for (const CounterSeries& series : series_) {
      const CounterSample& begin = series.samples.front();
      if (begin.time_s < first + step_s / 2 || begin.value <= 0) continue;
      breaks->late += 1;
      breaks->late_s = std::max(breaks->late_s, begin.time_s);
    }
  }

  Result<HistoryRows> rows() {
    CounterBreaks breaks;
    join_series(&breaks);
    const double step_s = step();
    if (step_s <= 0) return wrong("no series has two samples: there is no step", query_hint());
    double first = INFINITY;
    double last = 0;
    for (const CounterSeries& series : series_) {
      first = std::min(first, series.samples.front().time_s);
      last = std::max(last, series.samples.back().time_s);
    }
    if ((last - first) / step_s > kMostHistorySteps)
      return wrong("there are more than a million steps", "ask for a step of an hour");
    const auto steps = static_cast<std::size_t>(std::llround((last - first) / step_s));
    HistoryRows out;
    out.file = file_;
    for (const CounterSeries& series : series_) {
      if (!contains(out.names, series.column)) out.names.push_back(series.column);
    }
    std::map<std::string, std::vector<std::vector<double>>> counts;  // by route, column and step
    note_late(first, step_s, &breaks);
    for (const CounterSeries& series : series_) {
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
    if (models_.size() > 1 && options_.route_label.empty()) {
      out.notes.push_back("the requests of " + counted(std::ssize(models_), "model") +
                          " are added up: " + join({models_.begin(), models_.end()}, ", ") +
                          " (\"route_label: " + kModelLabel + "\" tells them apart)");
    }
    if (!ignored_.empty())
      out.notes.push_back("not read, as they count no demand: " + some_ignored());
    return out;
  }

  std::string file_;
  const HistoryOptions& options_;
  std::vector<CounterSeries> series_;
  std::set<std::string> ignored_;
  std::set<std::string> models_;
};

}  // namespace

bool is_prometheus(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  return begin != std::string_view::npos && (text[begin] == '{' || text[begin] == '[');
}

bool is_prometheus_file(const std::string& path) {
  char begin[64]{};
  const auto file = open_file(path);
  if (file) std::ignore = std::fread(begin, 1, sizeof begin - 1, file->get());
  return is_prometheus(begin);
}

Result<HistoryRows> read_prometheus_rows(const std::string& text, const std::string& file,
                                         const HistoryOptions& options) {
  return ResponseReader(file, options).read(text);
}

}  // namespace plimsoll
