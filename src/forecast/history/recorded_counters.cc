#include "forecast/history/recorded_counters.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/file.h"
#include "base/json.h"
#include "base/lists.h"
#include "base/printable.h"
#include "base/text.h"

namespace plimsoll {
namespace {

// Which server of Prometheus scraped an instance, and which of a pair of them: labels that are
// added when series are read from several (prometheus.io, "external_labels"; Prometheus Operator).
bool tells_servers_apart(std::string_view label, const Json& labels) {
  constexpr std::string_view kServers[]{"prometheus", "prometheus_replica", "__replica__",
                                        "prometheus_server"};
  if (contains(kServers, label)) return true;
  return label == "replica" && labels.contains("instance");
}

// `of_metric`: with its name, and with the labels that only some metrics of an instance have or
// that tell its ranks apart.
std::string target_of(const Json& labels, bool of_metric) {
  constexpr std::string_view kOfMetric[]{"__name__", "finished_reason", "le", "engine"};
  std::vector<std::string> parts;
  for (const auto& [name, value] : labels.items()) {
    if (tells_servers_apart(name, labels)) continue;
    if (of_metric || !contains(kOfMetric, name)) parts.push_back(name + "=" + value.dump());
  }
  std::ranges::sort(parts);
  return join(parts, ",");
}

class ResponseReader {
 public:
  ResponseReader(const std::string& file, std::span<const KnownCounter> known,
                 const std::string& route_label)
      : file_(file), known_(known), route_label_(route_label) {}

  Result<RecordedCounters> read(const std::string& text) {
    const Json response = Json::parse(text);
    if (response.is_null()) return wrong("the file is not complete JSON", query_for(known_));
    if (response.is_array()) {
      for (const Json& each : response) TRY_TO(read_response(each));
    } else {
      TRY_TO(read_response(response));
    }
    join_series();
    out_.step_s = step();
    return std::move(out_);
  }

 private:
  tl::unexpected<Error> wrong(std::string message, std::string hint) const {
    return fail_in(ErrorKind::spec, file_, std::move(message), std::move(hint));
  }

  Result<void> read_response(const Json& response) {
    if (const std::string& error = response["error"].as_string(); !error.empty())
      return wrong("Prometheus answered with an error: " + visible(error), query_for(known_));
    const Json& data = response["data"];
    if (data["resultType"].as_string() != "matrix" || !data["result"].is_array())
      return wrong("the response is not a matrix: data.resultType is not \"matrix\"",
                   query_for(known_));
    for (const Json& result : data["result"]) TRY_TO(read_series(result));
    return {};
  }

  Result<void> read_series(const Json& result) {
    const Json& labels = result["metric"];
    const std::string& name = labels["__name__"].as_string();
    if (name.empty()) {
      return wrong("a series has no __name__: rate(), increase() and sum() drop it",
                   query_for(known_));
    }
    const auto counter = std::ranges::find(known_, name, &KnownCounter::metric);
    if (counter == known_.end()) {
      out_.ignored.insert(visible(name));
      return {};
    }
    CounterSeries series;
    series.metric = name;
    series.target = target_of(labels, true);
    series.instance = target_of(labels, false);
    series.column = counter->column;
    if (const std::string& bound = labels["le"].as_string(); !bound.empty()) {
      series.upper_bound = INFINITY;
      if (bound != "+Inf" && !parse_double(bound, &series.upper_bound))
        return wrong("a bucket of " + name + " ends at \"" + visible(bound) + "\"",
                     query_for(known_));
    }
    if (const std::string& model = labels[kModelLabel].as_string(); !model.empty())
      out_.models.insert(visible(model));
    if (!route_label_.empty()) {
      series.route = labels[route_label_].as_string();
      if (series.route.empty()) {
        return wrong("a series of " + name + " has no label \"" + route_label_ + "\"",
                     "\"route_label\" names the label that tells routes apart");
      }
      if (const std::string fault = fault_of_name(series.route); !fault.empty())
        return wrong("the label \"" + route_label_ + "\" " + fault, kOneLine);
    }
    for (const Json& pair : result["values"]) TRY_TO(read_sample(name, pair, &series));
    if (!series.samples.empty()) out_.series.push_back(std::move(series));
    return {};
  }

  Result<void> read_sample(const std::string& name, const Json& pair, CounterSeries* series) {
    const bool is_pair = pair.is_array() && pair.size() == 2 && pair.front().is_number();
    const std::string text = is_pair ? (pair.end() - 1)->as_string() : std::string();
    CounterSample sample;
    if (!is_pair || text.empty())
      return wrong("a sample of " + name + " is not [seconds, \"value\"]", query_for(known_));
    if (text == "NaN") return {};
    sample.time_s = pair.front().as_double();
    const bool is_count = parse_double(text, &sample.value) && sample.value >= 0;
    if (!is_count || !(sample.time_s > 0) || sample.time_s > 8e9) {
      return wrong("a sample of " + name + " at " + shortest(sample.time_s) + " is \"" +
                       visible(text) + "\", and a counter is a number >= 0",
                   query_for(known_));
    }
    if (!series->samples.empty() && sample.time_s <= series->samples.back().time_s)
      return wrong("the samples of " + name + " are not in chronological order", query_for(known_));
    series->samples.push_back(sample);
    return {};
  }

  // The median distance of neighbours.
  double step() const {
    std::vector<double> steps;
    for (const CounterSeries& series : out_.series) {
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
  void join_series() {
    std::ranges::stable_sort(out_.series, {}, [](const CounterSeries& s) {
      return std::tuple(s.metric, s.target, s.samples.front().time_s);
    });
    std::vector<CounterSeries> joined;
    for (CounterSeries& series : out_.series) {
      CounterSeries* before = joined.empty() ? nullptr : &joined.back();
      if (before == nullptr || before->metric != series.metric || before->target != series.target) {
        joined.push_back(std::move(series));
      } else if (before->samples.back().time_s < series.samples.front().time_s) {
        before->samples.insert(before->samples.end(), series.samples.begin(), series.samples.end());
      } else {
        out_.repeated += 1;
        if (series.samples.size() > before->samples.size()) *before = std::move(series);
      }
    }
    out_.series = std::move(joined);
  }

  const std::string& file_;
  std::span<const KnownCounter> known_;
  const std::string& route_label_;
  RecordedCounters out_;
};

constexpr double kFewestCounted = 100;
constexpr double kWidestCv = 10;  // that routes may have

// What came after a restart is all that the counter has.
double gain_of(const CounterSeries& series) {
  double sum = 0;
  for (std::size_t i = 1; i < series.samples.size(); ++i) {
    const double before = series.samples[i - 1].value;
    const double now = series.samples[i].value;
    sum += now < before ? now : now - before;
  }
  return sum;
}

struct Moments {
  double count = 0;
  double sum = 0;
  double squares = 0;

  std::optional<double> square_of_cv() const {
    if (count < kFewestCounted || sum <= 0) return std::nullopt;
    return std::max(0.0, squares * count / (sum * sum) - 1);
  }
};

// Of one instance, whose buckets hold all that is no longer than their bounds.
void add_buckets(const std::map<double, double>& up_to, Moments* moments) {
  double least = 0;
  double before = 0;
  for (const auto& [most, requests] : up_to) {
    const double in_bucket = std::max(0.0, requests - before);
    const bool is_open = std::isinf(most);
    const double width = is_open ? 0 : most - least;
    const double middle = is_open ? least : least > 0 ? std::sqrt(least * most) : most / 2;
    moments->count += in_bucket;
    moments->sum += in_bucket * middle;
    moments->squares += in_bucket * (middle * middle - width * width / 12);
    before = std::max(before, requests);
    if (!is_open) least = most;
  }
}

// Within routes: how far these lie apart is no matter of how much the lengths of one vary.
std::optional<double> cv_by_buckets(const std::vector<CounterSeries>& all,
                                    std::string_view column) {
  std::map<std::string, std::map<std::string, std::map<double, double>>> by_route;
  for (const CounterSeries& series : all) {
    if (series.column == column)
      by_route[series.route][series.instance][series.upper_bound] += gain_of(series);
  }
  double count = 0;
  double squares = 0;
  for (const auto& [route, instances] : by_route) {
    Moments moments;
    for (const auto& [instance, up_to] : instances) add_buckets(up_to, &moments);
    const auto square = moments.square_of_cv();
    if (!square) continue;
    count += moments.count;
    squares += moments.count * *square;
  }
  if (count <= 0) return std::nullopt;
  return std::min(kWidestCv, std::sqrt(squares / count));
}

}  // namespace

std::string RecordedCounters::some_ignored() const {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> names(ignored.begin(), ignored.end());
  const std::size_t more = names.size() - std::min(names.size(), kMost);
  names.resize(names.size() - more);
  return join(names, ", ") + (more > 0 ? " and " + std::to_string(more) + " more" : "");
}

std::string query_for(std::span<const KnownCounter> known, std::string_view engine) {
  std::vector<std::string> names;
  for (const KnownCounter& counter : known) {
    if (counter.metric.starts_with(engine)) names.emplace_back(counter.metric);
  }
  return "query_range of {__name__=~\"" + join(names, "|") + "\"}, without rate() or sum()";
}

bool is_range_response(std::string_view begin) {
  const std::size_t first = begin.find_first_not_of(" \t\r\n{[");
  if (first == std::string_view::npos || first == 0) return false;
  const std::string_view key = begin.substr(first);
  return key.starts_with("\"status\"") || key.starts_with("\"data\"");
}

std::string beginning_of(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return {};
  char begin[1024]{};
  const auto file = open_file(path);
  if (file) std::ignore = std::fread(begin, 1, sizeof begin - 1, file->get());
  return begin;
}

Result<RecordedCounters> read_counters(const std::string& text, const std::string& file,
                                       std::span<const KnownCounter> known,
                                       const std::string& route_label) {
  return ResponseReader(file, known, route_label).read(text);
}

TrafficShape take_length_buckets(std::vector<CounterSeries>* series) {
  TrafficShape shape;
  shape.prompt_cv = cv_by_buckets(*series, kPromptBuckets.column);
  shape.output_cv = cv_by_buckets(*series, kOutputBuckets.column);
  std::erase_if(*series, [](const CounterSeries& s) {
    return s.column == kPromptBuckets.column || s.column == kOutputBuckets.column;
  });
  return shape;
}

}  // namespace plimsoll
